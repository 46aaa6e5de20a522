"""Equal prints are found alike in memory, on disk, and without numpy; tags tell repeats from agreement."""

from __future__ import annotations

import errno
import os
import random
import sys
import tracemalloc
from array import array
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from fairdeal.audit.histories.checked import KINDS, Checked
from fairdeal.audit.sources import repeated as module
from fairdeal.audit.sources.pieces import Array, Piece, Spill
from fairdeal.audit.sources.plainprints import SIZES, UNKNOWN, PlainPrints, Rows, new_prints
from fairdeal.audit.sources.prints import HELD, TOGETHER, NumpyPrints
from fairdeal.audit.sources.repeated import FEW, PART, _by_buckets, _by_sorting, repeated
from fairdeal.audit.sources.rows import plain_rows, rows_of


def rows(rng: random.Random, count: int, first: int) -> Rows:
    """Values and tags of which many are equal, some unknown, and owners of which some have two values."""
    values = b"".join(bytes([rng.randrange(40)]) * 32 for _ in range(count))
    owners = array("Q", sorted(first + rng.randrange(2 * count) for _ in range(count)))
    tags = b"".join(rng.choice([UNKNOWN, b"a" * 16, b"a" * 15 + b"b"]) for _ in range(count))
    return Rows("seal", values, owners, tags, array("Q", [rng.randrange(4) for _ in range(count)]))


@pytest.mark.parametrize("part", [PART, 3])
@pytest.mark.parametrize("together", [TOGETHER, 1, 9])
@pytest.mark.parametrize("held", [HELD, 4, 5000])
@pytest.mark.parametrize("seed", range(6))
def test_the_same_is_found_in_memory_and_on_disk(part: int, together: int, held: int, seed: int) -> None:
    rng = random.Random(seed)
    plain, arrays = PlainPrints(), NumpyPrints(held, part=part, together=together)
    for k in range(rng.randrange(1, 9)):
        some = rows(rng, rng.randrange(1, 9), 20 * k)
        if seed % 2:
            some = some._replace(tags=None, codes=None)
        plain.add(some)
        arrays.add(some)
    found = list(arrays.groups())
    if part == 3:
        # In parts, they come part by part.
        found.sort(key=lambda group: (group.owners, group.print))
    assert found == list(plain.groups())
    assert plain.again == arrays.again


@pytest.mark.parametrize("held", [HELD, 1 << 16])
def test_what_is_shared_or_absent_in_memory_is_read_back_from_disk(held: int) -> None:
    rng = random.Random(5)
    plain, arrays = PlainPrints(KINDS), NumpyPrints(held, KINDS)
    for k in range(40):
        count = rng.randrange(1, 300)
        owners = array("Q", range(1000 * k, 1000 * k + count))
        tags = rng.randbytes(16 * count) if k % 3 else None
        for kind in ("hand", "commitment", "seed"):
            values = b"".join(rng.randbytes(1) * SIZES[kind] for _ in range(count))
            codes = array("Q", [7]) * count if kind == "hand" or k == 5 else None
            for prints in (plain, arrays):
                prints.add(Rows(kind, values, owners, tags, codes))
    assert list(arrays.groups()) == list(plain.groups())
    assert arrays.again == plain.again


def test_many_prints_take_bounded_memory_and_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    rng = np.random.default_rng(1)
    limit = 1 << 20
    prints = NumpyPrints(limit, ("hand",), part=20_000)
    values = rng.bytes(16 * 5000)
    tracemalloc.start()
    for k in range(100):
        owners = array("Q", range(5000 * k, 5000 * k + 5000))
        last = values[:16] if k == 99 else rng.bytes(16)
        prints.add(Rows("hand", rng.bytes(16 * 4999) + last, owners, rng.bytes(16 * 5000)))
        if k == 0:
            prints.add(Rows("hand", values, owners, values))
    assert [group.owners for group in prints.groups()] == [[0, 499_999]]
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # 500,000 prints with owners and tags are 16 MB.
    assert most < 5 << 20
    files = [file.name for file in tmp_path.glob("*/*")]
    assert files == ["prints"]
    del prints
    assert not list(tmp_path.glob("*"))


@pytest.mark.parametrize("distinct", [3, 500, 60_000])
def test_compiled_code_finds_the_prints_that_sorting_finds(distinct: int) -> None:
    rng = np.random.default_rng(distinct)
    prints = rng.choice(rng.integers(0, 1 << 64, distinct, np.uint64), 70_000)
    for count in (0, 1, 2, 70_000):
        some = prints[:count].copy()
        often = Counter(some.tolist())
        expected = sorted(value for value, n in often.items() if n > 1)
        assert _by_sorting(some).tolist() == _by_buckets(some).tolist() == expected
        assert some.tolist() == prints[:count].tolist()
    zeros = np.concatenate((prints, np.zeros(2, np.uint64)))
    assert 0 in _by_buckets(zeros)
    assert 0 not in _by_buckets(zeros[:-1])


def test_compiled_code_that_finds_other_prints_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    import numba  # noqa: F401, PLC0415 - where it is loaded, it is used

    used = []

    def wrong(some: Array) -> Array:
        used.append(len(some))
        return _by_sorting(some)[:-1]

    monkeypatch.setattr(module, "_by_buckets", wrong)
    module._compiled_holds.cache_clear()
    prints = np.arange(FEW, dtype=np.uint64) // np.uint64(2)
    assert len(repeated(prints)) == FEW // 2
    assert len(used) == 1
    module._compiled_holds.cache_clear()
    monkeypatch.undo()
    assert len(repeated(prints)) == FEW // 2
    module._compiled_holds.cache_clear()


def test_a_spill_that_lost_something_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for keep in (1 / 9, 0.5):
        prints = NumpyPrints(100)
        for k in range(4):
            prints.add(rows(random.Random(k), 60, 1000 * k))
        assert prints._file
        prints._file.flush()
        for file in tmp_path.glob("*/prints"):
            os.truncate(file, int(file.stat().st_size * keep))
        with pytest.raises(OSError, match="no longer holds"):
            list(prints.groups())
        del prints


def test_a_full_disk_is_told_with_the_files_name(tmp_path: Path) -> None:
    path = tmp_path / "prints"
    held = {name: np.zeros(10, np.uint64) for name in ("print", "owner")}
    with (
        open("/dev/full", "wb", buffering=0) as file,  # noqa: PTH123  as a device, not as a path of this test
        pytest.raises(OSError, match="No space left") as error,
    ):
        Spill(file, path).put([Piece(10, held)])
    assert (error.value.errno, error.value.filename) == (errno.ENOSPC, str(path))


def test_a_part_that_lost_something_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    prints = NumpyPrints(part=10)
    prints.add(rows(random.Random(1), 200, 0))
    groups = prints.groups()
    next(groups)
    for file in tmp_path.glob("*/part-*"):
        os.truncate(file, file.stat().st_size // 2)
    with pytest.raises(OSError, match="no longer holds"):
        list(groups)


@pytest.mark.parametrize("kind", [PlainPrints, NumpyPrints])
def test_what_agrees_is_no_repeat_and_is_counted_by_the_least_code(
    kind: type[PlainPrints | NumpyPrints],
) -> None:
    prints = kind()
    a, b = b"a" * 16, b"b" * 16
    said = [(1, a, 5), (2, a, 3), (3, a, 9), (4, b, 2), (5, UNKNOWN, 7), (6, a, 0)]
    for owner, tag, code in said:
        prints.add(Rows("hand", b"h" * 16, array("Q", [owner]), tag, array("Q", [code])))
    prints.add(Rows("seal", b"s" * 64, array("Q", [7, 7]), a + a))
    prints.add(Rows("seal", b"t" * 64, array("Q", [8, 9]), a + a))
    prints.add(Rows("commitment", b"c" * 32 * 4, array("Q", [1, 2, 3, 4]), a + a + a + b))
    # Beside one of which nothing is known all are named.
    groups = {group.kind: group.owners for group in prints.groups()}
    assert groups == {"hand": [1, 2, 3, 4, 5, 6], "commitment": [1, 4], "seal": [7]}
    # The code 0 is counted in its place; of the others with that tag, all say it again.
    assert prints.again == {3: 1, 5: 1, 9: 1}


@pytest.mark.parametrize("seals", [0, 40])
def test_rows_of_one_value_a_hand_are_made_alike(seals: int) -> None:
    rng = random.Random(2)
    positions = rng.sample(range(1, 60), 40)
    part = Checked()
    for kind in ("hand", "commitment", "seed"):
        part.add(kind, rng.randbytes(SIZES[kind] * 40), positions)
    part.add("seal", rng.randbytes(32 * seals), positions[:seals])
    assert list(rows_of(part, 1 << 40, ())) == list(plain_rows(part, 1 << 40, ()))


def test_rows_are_made_alike_by_columns_and_without_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(1)
    part = Checked()
    positions = rng.sample(range(1, 60), 40)
    part.add("hand", rng.randbytes(16 * 30), positions[:30])
    for kind in KINDS[1:]:
        owners = rng.choices(positions, k=50)
        part.add(kind, rng.randbytes(SIZES[kind] * 50), owners)
    for left_out in (set[int](), set(positions[:7]), set(positions)):
        found = list(rows_of(part, 1 << 40, left_out))
        assert found == list(plain_rows(part, 1 << 40, left_out))
        unknown = sum(
            r.tags[k : k + 16] == UNKNOWN for r in found if r.tags for k in range(0, len(r.tags), 16)
        )
        assert bool(unknown) == (len(left_out) < 40)
    assert next(iter(rows_of(Checked(), 0, ()))).owners == array("Q")
    monkeypatch.setitem(sys.modules, "numpy", None)
    monkeypatch.setattr("fairdeal.audit.sources.plainprints.find_spec", lambda _: None)
    assert isinstance(new_prints(), PlainPrints)

"""Equal prints are found alike in memory, on disk, and without numpy; tags tell repeats from agreement."""

from __future__ import annotations

import random
import sys
from array import array
from pathlib import Path

import pytest

from fairdeal.audit.histories.checked import KINDS, Checked
from fairdeal.audit.sources.plainprints import SIZES, UNKNOWN, PlainPrints, Rows, new_prints
from fairdeal.audit.sources.prints import NumpyPrints
from fairdeal.audit.sources.rows import plain_rows, rows_of


def rows(rng: random.Random, count: int, first: int) -> Rows:
    """Values and tags of which many are equal, some unknown, and owners of which some have two values."""
    values = b"".join(bytes([rng.randrange(40)]) * 32 for _ in range(count))
    owners = array("Q", sorted(first + rng.randrange(2 * count) for _ in range(count)))
    tags = b"".join(rng.choice([UNKNOWN, b"a" * 16, b"a" * 15 + b"b"]) for _ in range(count))
    return Rows("seal", values, owners, tags, array("Q", [rng.randrange(4) for _ in range(count)]))


@pytest.mark.parametrize("held", [4, 4_000_000])
@pytest.mark.parametrize("seed", range(6))
def test_the_same_is_found_in_memory_and_on_disk(held: int, seed: int) -> None:
    rng = random.Random(seed)
    plain, arrays = PlainPrints(), NumpyPrints(held)
    for k in range(rng.randrange(1, 9)):
        part = rows(rng, rng.randrange(1, 9), 20 * k)
        if seed % 2:
            part = part._replace(tags=None, codes=None)
        plain.add(part)
        arrays.add(part)
    assert list(plain.groups()) == sorted(arrays.groups(), key=lambda group: (group.owners, group.print))
    assert plain.again == arrays.again


def test_a_spill_that_lost_something_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    prints = NumpyPrints(100)
    for k in range(4):
        prints.add(rows(random.Random(k), 60, 1000 * k))
    for file in tmp_path.glob("*/seal-0"):
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 3])
    with pytest.raises(OSError, match="no longer holds"):
        list(prints.groups())


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

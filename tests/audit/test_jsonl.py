"""Lines out of files: numbering, compression, damage, and lines that are too long."""

from __future__ import annotations

import gzip
import random
import sys
import tracemalloc
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.audit.histories.checked import Checked, Given
from fairdeal.audit.histories.hands import FEW_LINES, read_hands
from fairdeal.audit.histories.jsonl import MOST_LINES, stretches
from fairdeal.audit.histories.lines import Lines, check_plainly
from fairdeal.audit.log.source import SourceError
from fairdeal.errors import UsageError
from tests.audit.histories import ALL_TERMS, line, record


def numbered(parts: list[Lines]) -> list[tuple[int, bytes]]:
    return [
        (part.first + k, text)
        for part in parts
        for k, text in enumerate(part.data.removesuffix(b"\n").split(b"\n"))
        if part.data
    ]


@given(
    lines=st.lists(st.binary(max_size=12).filter(lambda text: b"\n" not in text), min_size=1),
    size=st.integers(1, 40),
)
def test_every_line_comes_once_and_whole(
    lines: list[bytes], size: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("lines") / "file.jsonl"
    lines[-1] += b"."
    for end in (b"", b"\n"):
        path.write_bytes(b"\n".join(lines) + end)
        assert numbered(list(stretches(path, size=size))) == list(enumerate(lines, 1))


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
def test_compressed_files_give_the_same_lines(suffix: str, tmp_path: Path) -> None:
    data = b"".join(b"%d\n" % k for k in range(100_000))
    packed = {"": data, ".gz": gzip.compress(data), ".zst": zstandard.compress(data)}[suffix]
    path = tmp_path / f"file.jsonl{suffix}"
    path.write_bytes(packed)
    seen: list[tuple[int, int]] = []
    parts = list(stretches(path, lambda done, total: seen.append((done, total)), size=10_000))
    assert b"".join(part.data for part in parts) == data
    assert [part.first for part in parts[:1]] == [1]
    assert seen[-1] == (path.stat().st_size, path.stat().st_size)


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_parts_that_were_compressed_one_by_one_are_one_file(suffix: str, tmp_path: Path) -> None:
    pack = gzip.compress if suffix == ".gz" else zstandard.compress
    path = tmp_path / f"file.jsonl{suffix}"
    path.write_bytes(pack(b"a\nb") + pack(b"c\n") + pack(b"") + pack(b"d"))
    assert numbered(list(stretches(path))) == [(1, b"a"), (2, b"bc"), (3, b"d")]


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
@pytest.mark.parametrize("harm", ["cut", "flipped", "other"])
def test_damage_is_the_files_and_what_came_before_it_stands(suffix: str, harm: str, tmp_path: Path) -> None:
    rng = random.Random(1)
    whole = b"".join(rng.randbytes(30).hex().encode() + b"\n" for _ in range(30_000))
    checksums = zstandard.ZstdCompressor(write_checksum=True)
    data = bytearray(gzip.compress(whole) if suffix == ".gz" else checksums.compress(whole))
    if harm == "cut":
        del data[-len(data) // 3 :]
    elif harm == "flipped":
        data[-len(data) // 3] ^= 0x55
    else:
        data[:] = b"this was never compressed"
    path = tmp_path / f"file.jsonl{suffix}"
    path.write_bytes(data)
    parts = stretches(path, size=1000)
    found: list[Lines] = []
    with pytest.raises(SourceError) as error:
        found.extend(parts)
    assert error.value.code == "damaged"
    # A flipped bit shows in the checksum only, at the end of all that it has garbled.
    assert harm == "flipped" or whole.startswith(b"".join(part.data for part in found))


def test_a_line_too_long_is_one_finding_and_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    honest = line(record(random.Random(1), ALL_TERMS[0]))
    path.write_bytes(honest + b"\n" + b"x" * 50_000 + b"\n" + honest + b"\n" + b"y" * 50_000)
    parts = list(stretches(path, size=700, longest=9000))
    found = Checked()
    for part in parts:
        one = check_plainly((part, Given()))
        found.verdicts += one.verdicts
        found.findings += one.findings
    assert found.verdicts == {"consistent": 2, "broken": 2}
    assert [(f.code, f.line) for f in found.findings] == [("bad-line", 2), ("bad-line", 4)]


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
@pytest.mark.parametrize("text", [b"x" * 999 + b"\n", b"x" * (1 << 20)])
def test_a_small_file_that_unpacks_to_much_is_never_in_memory_whole(
    suffix: str, text: bytes, tmp_path: Path
) -> None:
    path, size = tmp_path / f"file.jsonl{suffix}", 0
    with gzip.open(path, "wb", 1) if suffix == ".gz" else zstandard.open(path, "wb") as file:
        while size < 200_000_000:
            file.write(text * (1_000_000 // len(text) + 1))
            size += len(text) * (1_000_000 // len(text) + 1)
    tracemalloc.start()
    try:
        lines = sum(part.data.count(b"\n") + part.overlong for part in stretches(path))
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()
    assert lines == (size // len(text) if text.endswith(b"\n") else 1)


def test_short_lines_come_few_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    data = b"{}\n" * (2 * MOST_LINES + 5) + b"\n" * MOST_LINES + b"{"
    path.write_bytes(data)
    parts = list(stretches(path))
    assert b"".join(part.data for part in parts) == data
    assert max(part.data.count(b"\n") for part in parts) == MOST_LINES
    lines = [part.data.count(b"\n") for part in parts]
    assert [part.first for part in parts] == [1 + sum(lines[:k]) for k in range(len(parts))]


def test_what_cannot_be_opened_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such file"):
        list(read_hands(tmp_path / "file.jsonl"))
    with pytest.raises(SourceError, match="cannot be read"):
        list(read_hands(tmp_path))


def test_an_empty_file_holds_no_hands(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_bytes(b"")
    assert list(read_hands(path)) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_few_and_many_lines_have_the_same_outcome(workers: int, tmp_path: Path) -> None:
    rng = random.Random(2)
    honest = [line(record(rng, terms, 2)) for terms in ALL_TERMS[:50]]
    broken = b'{"format":"fairdeal/1 record"}'
    few, many = tmp_path / "few.jsonl", tmp_path / "many.jsonl"
    few.write_bytes(b"\n".join([*honest, broken]))
    many.write_bytes(b"\n".join([*honest * (FEW_LINES // 50), broken]))
    for path, times in ((few, 1), (many, FEW_LINES // 50)):
        found = Checked()
        for one in read_hands(path, workers=workers):
            found.verdicts += one.verdicts
            found.findings += one.findings
        assert found.verdicts == {"consistent": 50 * times, "refuted": 1}
        assert [(f.code, f.line) for f in found.findings] == [("check-format", 50 * times + 1)]


def test_without_the_extra_the_core_reads_lines_and_says_what_it_cannot_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("fairdeal.audit.histories.hands.compiled_here", lambda: False)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    path = tmp_path / "file.jsonl"
    path.write_bytes(line(record(random.Random(3), ALL_TERMS[0])))
    assert [one.verdicts for one in read_hands(path)] == [{"consistent": 1}]
    for suffix in (".jsonl.zst", ".parquet"):
        other = tmp_path / f"file{suffix}"
        other.write_bytes(b"")
        with pytest.raises(UsageError, match=r"'\.\[fast\]' in fairdeal's folder"):
            list(read_hands(other))

"""Of a few bytes of Parquet gigabytes can be made: how much of it is unpacked is bounded beforehand."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fairdeal.audit.histories.hands import read_hands
from fairdeal.audit.histories.parquet import batches, read_rows
from fairdeal.audit.histories.parquetout import to_batch, to_columns
from fairdeal.audit.log.source import SourceError
from tests.audit.histories import ALL_TERMS, record

ROWS, LONG = 16_384, 60_000


def hands(count: int) -> pa.Table:
    """One hand, so many times."""
    one = pa.Table.from_batches([to_batch(to_columns([record(random.Random(7), ALL_TERMS[0])]))])
    return one.take(pa.array(np.zeros(count, np.int64)))


def changed(table: pa.Table, name: str, column: pa.Array) -> pa.Table:
    return table.set_column(table.schema.get_field_index(name), name, column)


def alike(name: str, path: Path, *, stored: bool = False) -> Path:
    """A file of some kilobytes, in which each row of a column has one long value."""
    value = "x" * LONG if name == "terms" else b"x" * LONG
    column = pa.DictionaryArray.from_arrays(np.zeros(ROWS, np.int32), pa.array([value]))
    pq.write_table(changed(hands(ROWS), name, column), path, store_schema=stored)
    assert path.stat().st_size < 20_000
    return path


MOST = """
import resource, sys
from pathlib import Path
from typing import Any
from fairdeal.audit.histories.parquet import batches, read_rows
from fairdeal.audit.log.source import SourceError
import pyarrow
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for path in sys.argv[1:]:
    try:
        for part in batches(Path(path)):
            read_rows(part.rows)
    except SourceError:
        pass
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_long_values_in_dictionaries_are_never_unpacked(tmp_path: Path) -> None:
    files = [
        alike(name, tmp_path / f"{name}-{stored}.parquet", stored=stored)
        for name in ("terms", "stock", "seals", "hand")
        for stored in (False, True)
    ]
    run = subprocess.run([sys.executable, "-c", MOST, *files], capture_output=True, text=True, check=True)
    # Kilobytes; one batch of one such column would be 480,000.
    assert int(run.stdout) < 150_000


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("terms", "terms: must be at most 256 bytes"),
        ("stock", "stock: must be at most 256 bytes"),
        ("hands", "hands: must be at most 256 bytes"),
        ("seals", "seals: must be at most 4 items of 33 bytes, seats strictly ascending"),
    ],
)
def test_each_row_with_a_long_value_is_a_finding(name: str, fault: str, tmp_path: Path) -> None:
    column = hands(4)[name].combine_chunks()
    values = pa.array([*column.to_pylist()[:3], "x" * LONG if name == "terms" else b"x" * LONG])
    for number, encoding in enumerate(({"use_dictionary": True}, {"use_dictionary": False})):
        path = tmp_path / f"{number}.parquet"
        pq.write_table(changed(hands(4), name, values), path, **encoding)
        (part,) = read_hands(path, workers=1)
        assert [(f.code, f.line, f.detail) for f in part.findings] == [("check-format", 4, fault)]
        assert part.verdicts == {"consistent": 3, "refuted": 1}


def test_many_long_values_are_refused_by_row_and_column(tmp_path: Path) -> None:
    path = tmp_path / "hands.parquet"
    table = changed(hands(600), "stock", pa.array([b"x" * LONG] * 600))
    rule = r"the column stock has {} bytes there, and of a hand at most 256 can be right"
    pq.write_table(table, path, use_dictionary=False, compression="zstd", row_group_size=300)
    with pytest.raises(SourceError, match=rule.format(r"18,00\d,\d\d\d")) as error:
        list(batches(path))
    assert (error.value.code, "rows 1 to 300" in str(error.value)) == ("malformed", True)
    # Values told by those before them are packed in few bytes, and no number says how long they are.
    pq.write_table(table, path, use_dictionary=False, column_encoding={"stock": "DELTA_BYTE_ARRAY"})
    with pytest.raises(SourceError, match=rule.format("60,000")) as error:
        list(batches(path))
    assert (error.value.code, "row 1:" in str(error.value)) == ("malformed", True)


def test_hands_in_any_encoding_are_read_alike(tmp_path: Path) -> None:
    rng = random.Random(3)
    table = pa.Table.from_batches([to_batch(to_columns([record(rng, ALL_TERMS[0], 2) for _ in range(9)]))])
    plain = [part.rows for part in batches(_written(table, tmp_path / "0.parquet", use_dictionary=False))]
    ways: list[dict[str, Any]] = [
        {"use_dictionary": True},
        {"use_dictionary": True, "store_schema": False},
        {"use_dictionary": False, "column_encoding": {"hands": "DELTA_BYTE_ARRAY"}},
    ]
    for number, options in enumerate(ways, 1):
        path = _written(table, tmp_path / f"{number}.parquet", **options)
        assert [part.rows for part in batches(path)] == plain


def _written(table: pa.Table, path: Path, **options: Any) -> Path:
    pq.write_table(table, path, **options)
    return path


def test_wide_values_of_one_width_are_refused_before_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "hands.parquet"
    for name in ("stock", "hand"):
        wide = pa.array([b"x" * LONG] * 2, pa.binary(LONG))
        pq.write_table(changed(hands(2), name, wide), path)
        with pytest.raises(SourceError, match=f"the column {name} must be .* and is fixed_size_binary"):
            list(batches(path))


@pytest.mark.parametrize("stored", [False, True])
def test_damaged_bytes_are_the_files_fault_or_a_rows(tmp_path: Path, stored: bool) -> None:
    rng, path = random.Random(11), tmp_path / "hands.parquet"
    six = [record(rng, ALL_TERMS[k % 2], 2) for k in range(6)]
    table = pa.Table.from_batches([to_batch(to_columns(six))])
    pq.write_table(table.take(pa.array(list(range(6)) * 20)), path, compression="none", store_schema=stored)
    with pq.ParquetFile(path) as file:
        group = file.metadata.row_group(0)
        last = [group.column(k) for k in range(group.num_columns)]
    chunks = [(c.dictionary_page_offset or c.data_page_offset, c.total_compressed_size) for c in last]
    whole, unreadable = path.read_bytes(), 0
    for _ in range(200):
        damaged, (start, size) = bytearray(whole), rng.choice(chunks)
        damaged[rng.randrange(start, start + size)] = rng.choice((255, rng.randrange(256)))
        path.write_bytes(damaged)
        try:
            for part in batches(path):
                read_rows(part.rows)
        except SourceError as error:
            unreadable += error.code == "unreadable"
    assert unreadable > 5


@pytest.mark.parametrize("name", ["terms", "stock"])
def test_a_row_that_its_dictionary_lacks_is_never_another_value(name: str, tmp_path: Path) -> None:
    path = tmp_path / "hands.parquet"
    two = hands(4)[name].combine_chunks().to_pylist()
    values = pa.array([*two[:3], f"{two[3]} " if name == "terms" else two[3] + b" "])
    pq.write_table(changed(hands(4), name, values), path, compression="none")
    with pq.ParquetFile(path) as file:
        place = file.schema_arrow.get_field_index(name)
        chunk = file.metadata.row_group(0).column(place)
    data = bytearray(path.read_bytes())
    # The indices end the chunk: a run of bits, one for each row, of which the last says "the second value".
    end = chunk.dictionary_page_offset + chunk.total_compressed_size
    assert data[end - 1] == 0b1000
    width = data.rindex(bytes([1, 3, 0b1000]), 0, end)
    data[width : width + 3] = bytes([8, 2 * 4, 9])
    path.write_bytes(data)
    with pytest.raises(SourceError, match="damaged") as error:
        [read_rows(part.rows) for part in batches(path)]
    assert error.value.code == "unreadable"

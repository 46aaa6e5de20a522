"""Of a few bytes of Parquet gigabytes can be made: whatever a file holds, little of it is unpacked."""

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
from fairdeal.audit.histories.parquet import batches
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

"""What Parquet's columns must be like before they are read, and brought to once they are. Needs ``fast``.

A file says the length of its values nowhere, and of few bytes gigabytes can be made: one value that a
dictionary holds stands for each row, and packed bytes may be of any length. So a column's bytes are looked at
before and after they are unpacked. What the file's end says of them bounds what is made of it: for each
column some 256 bytes for each row of a group, or 512 rows of the longest value where values repeat the
beginnings of those before them.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from fairdeal.audit.histories.schema import COLUMNS, Column
from fairdeal.audit.log.source import SourceError

LONGEST = 256
"""Bytes in the longest value of a column that rows may differ in, and more than any hand's."""

SLACK = 4 << 20
"""Bytes by which the values of a stretch may be longer altogether: a few of them are their rows' faults."""

FEW_ROWS = 512
"""Rows read together where nothing tells beforehand how long they get."""


def arrow_type(column: Column) -> pa.DataType:
    """The Arrow type that a column is written in."""
    kind, _, size = column.kind.partition(" ")
    simple = {
        "binary": pa.binary(),
        "uint8": pa.uint8(),
        "int64": pa.int64(),
        "dictionary": pa.dictionary(pa.int32(), pa.string()),
    }
    return pa.binary(int(size)) if kind == "fixed" else simple[kind]


def arrow_schema(columns: tuple[Column, ...] = COLUMNS) -> pa.Schema:
    """The file's schema, each column saying what it holds."""
    return pa.schema(
        [pa.field(k.name, arrow_type(k), nullable=k.null, metadata={"holds": k.holds}) for k in columns]
    )


@dataclass(frozen=True)
class Reading:
    """How a file is to be read."""

    metadata: pq.FileMetaData
    dictionaries: list[str]
    """Columns that stay as their dictionary and its indices: decoded, one long value would be many."""
    rows: int
    """Rows to read at a time."""

    @classmethod
    def of(cls, path: Path, rows: int) -> Reading:
        """Look at what the file says of itself, wanting so many rows at a time.

        Raises :class:`SourceError` ``malformed`` and what Arrow raises for a file that it cannot read.
        """
        with pq.ParquetFile(path) as file:
            metadata, schema = file.metadata, file.schema_arrow
        missing = [column.name for column in COLUMNS if column.name not in schema.names]
        if missing:
            raise SourceError("malformed", f"{path}: it lacks the column {missing[0]}")
        twice = [column.name for column in COLUMNS if schema.names.count(column.name) > 1]
        if twice:
            raise SourceError("malformed", f"{path}: it has the column {twice[0]} twice")
        for column in COLUMNS:
            _suits(path, schema.field(column.name).type, column)
        dictionaries, delta = _packed(path, metadata)
        return cls(metadata, sorted(dictionaries), min(rows, FEW_ROWS) if delta else rows)


def _packed(path: Path, metadata: pq.FileMetaData) -> tuple[set[str], bool]:
    """Columns of which some bytes lie in dictionaries, and whether some are told by those before them."""
    names = {column.name for column in COLUMNS}
    places = [k for k in range(metadata.num_columns) if metadata.schema.column(k).path in names]
    places = [k for k in places if metadata.schema.column(k).physical_type == "BYTE_ARRAY"]
    dictionaries, delta, first = set[str](), False, 1
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        for place in places:
            chunk = group.column(place)
            if chunk.total_uncompressed_size > group.num_rows * LONGEST + SLACK:
                where = f"rows {first} to {first + group.num_rows - 1}"
                raise _too_long(path, where, chunk.path_in_schema, chunk.total_uncompressed_size)
            if any("DICTIONARY" in encoding for encoding in chunk.encodings):
                dictionaries.add(chunk.path_in_schema)
            delta |= "DELTA_BYTE_ARRAY" in chunk.encodings
        first += group.num_rows
    return dictionaries, delta


def _too_long(path: Path, where: str, name: str, found: int) -> SourceError:
    what = f"the column {name} has {found:,} bytes there, and of a hand at most {LONGEST} can be right"
    return SourceError("malformed", f"{path}, {where}: {what}")


def _suits(path: Path, found: pa.DataType, wanted: Column) -> None:
    """Refuse a column of another kind than ours."""
    kind, _, size = wanted.kind.partition(" ")
    inner = found.value_type if pa.types.is_dictionary(found) else found
    alike = {
        "fixed": _is_bytes(inner) and _width(inner) in (None, int(size or 0)),
        "binary": _is_bytes(inner) and (_width(inner) or 0) <= LONGEST,
        "uint8": pa.types.is_integer(found),
        "dictionary": pa.types.is_string(inner) or pa.types.is_large_string(inner),
    }
    if not alike[kind]:
        raise _other(path, str(found), wanted)


def _other(path: Path, found: str, wanted: Column) -> SourceError:
    kind, _, size = wanted.kind.partition(" ")
    words = {"fixed": f"{size} bytes", "binary": "bytes", "uint8": "a number from 0 to 255"}
    what = (
        f"the column {wanted.name} must be {words.get(kind, 'text')} ({arrow_type(wanted)}), and is {found}"
    )
    return SourceError("malformed", f"{path}: {what}")


def _is_bytes(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind)
    )


def _width(kind: pa.DataType) -> int | None:
    return int(kind.byte_width) if pa.types.is_fixed_size_binary(kind) else None


def brought(path: Path, first: int, column: pa.Array, wanted: Column) -> pa.Array:
    """A column in our type, from another writer's width of the same thing; ``first`` is its first row.

    Raises :class:`SourceError` ``malformed`` where values do not fit, or take far more bytes than hands can,
    and ``ArrowIndexError`` where a dictionary lacks what a row has of it: Arrow does not always look.
    """
    if pa.types.is_dictionary(column.type) and len(column):
        ends = pc.min_max(column.indices).as_py()
        if ends["min"] is not None and not 0 <= ends["min"] <= ends["max"] < len(column.dictionary):
            raise pa.ArrowIndexError
    if pa.types.is_dictionary(column.type) and wanted.kind != "dictionary":
        column = _decoded(column)
    if column.type != arrow_type(wanted):
        try:
            column = column.cast(arrow_type(wanted))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
            # The right kind of column, but a value beyond what ours holds.
            raise _other(path, f"{column.type} with values that do not fit", wanted) from None
    if wanted.kind == "binary":
        lengths = _offsets(column)
        if int(lengths[-1]) - int(lengths[0]) > len(column) * LONGEST + SLACK:
            row = int(np.argmax(np.diff(lengths)))
            found = int(lengths[row + 1]) - int(lengths[row])
            raise _too_long(path, f"row {first + row}", wanted.name, found)
    return column


def _decoded(column: pa.DictionaryArray) -> pa.Array:
    """The values themselves, but for those that are too long: these are cut, and remain too long."""
    values = column.dictionary
    if _is_bytes(values.type) and (pc.max(pc.binary_length(values)).as_py() or 0) > LONGEST:
        cut = pc.binary_slice(values.cast(pa.binary()), 0, LONGEST + 1)
        column = pa.DictionaryArray.from_arrays(column.indices, cut)
    return column.dictionary_decode()


def _offsets(column: pa.Array) -> Any:
    places = np.frombuffer(column.buffers()[1], np.int32)
    return places[column.offset : column.offset + len(column) + 1]

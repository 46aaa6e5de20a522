"""Parquet audit files, written; ``schema`` says what is in them. Needs ``fast``."""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from fairdeal.audit.histories import columns as c
from fairdeal.audit.histories.arrowtypes import arrow_schema
from fairdeal.audit.histories.columns import Array, Hands
from fairdeal.audit.histories.packing import pack
from fairdeal.audit.histories.schema import COLUMNS, DECK_FILL
from fairdeal.audit.kernel.unpacked import SINGLE, unpack_lists
from fairdeal.errors import UsageError
from fairdeal.evidence import gather
from fairdeal.receipt import Record

_ROWS = 16_384


class ParquetWriter:
    """Writes records to a file, some thousands at a time; a context manager.

    with ParquetWriter("hands.parquet") as out:
        out.add(record)
    """

    def __init__(self, path: str) -> None:
        """The file is made anew."""
        # Seeds and hashes do not compress; tiles do, and nothing here is worth a slower codec.
        self._file = pq.ParquetWriter(path, arrow_schema(), compression="snappy", use_dictionary=["terms"])
        self._waiting: list[Record] = []

    def add(self, record: Record) -> None:
        """Add one record. Raises :class:`UsageError` for one that the columns cannot hold."""
        self._waiting.append(record)
        if len(self._waiting) == _ROWS:
            self._flush()

    def add_columns(self, hands: Hands) -> None:
        """Add hands that are columns already."""
        self._flush()
        self._file.write_batch(to_batch(hands))

    def _flush(self) -> None:
        if self._waiting:
            self._file.write_batch(to_batch(to_columns(self._waiting)))
            self._waiting = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self._flush()
        self._file.close()


def to_columns(records: Iterable[Record]) -> Hands:
    """Records as columns. Raises :class:`UsageError` for one that they cannot hold."""
    listed = list(records)
    hands = c.empty(len(listed))
    for row, record in enumerate(listed):
        if not pack(gather(record), hands, row):
            raise UsageError(
                f"hand {record.hand.hex()} does not fit Parquet's columns (more than {c.MOST_TILES} tiles or "
                f"{c.MOST_SEATS} seals, or a deal of another shape): use JSON Lines"
            )
    return hands


def to_batch(hands: Hands) -> pa.RecordBatch:
    """Columns as Arrow's."""
    deals = hands.deal
    kind = deals[:, c.KIND]
    dealt, table, walled = kind != c.NO_DEAL, kind >= c.PLAIN_DEAL, kind == c.WALL_DEAL
    ats = np.zeros((4, len(deals) + 1), np.int32)
    out = np.empty((4, len(deals) * (c.MOST_SEATS * (c.HAND_ROOM + 1)) + 1), np.uint8)
    unpack_lists(deals, ats, out)
    thrown, seated, stock, throws = (
        _binary(at, data, there)
        for at, data, there in zip(ats, out, (table, table, table, walled), strict=True)
    )
    single = {at: pa.array(deals[:, at], mask=~(walled if at > c.OKEY2 else table)) for at in SINGLE}
    order = deals[:, c.ORDER : c.ORDER + c.MOST_TILES].copy()
    order[np.arange(c.MOST_TILES) >= deals[:, c.ORDER_LENGTH, None]] = DECK_FILL
    codes, indices = np.unique(hands.terms, return_inverse=True)
    texts = [c.unpack_terms(int(code)).canonical().decode() for code in codes]
    values: dict[str, Any] = {
        "hand": _fixed(hands.hand),
        "terms": pa.DictionaryArray.from_arrays(pa.array(indices, pa.int32()), pa.array(texts)),
        "commitment": _fixed(hands.commitment, hands.has & c.HAS_COMMITMENT),
        "server_seed": _fixed(hands.seed, hands.has & c.HAS_SEED),
        "seals": _seated(hands.seals, hands.seal_count),
        "contributions": _seated(hands.opened, hands.opened_count),
        "deal_root": _fixed(hands.root, hands.has & c.HAS_ROOT),
        "order": _fixed(order, dealt),
        "dealer": single[c.DEALER],
        "dealer_throws": thrown,
        "starter": single[c.STARTER],
        "indicator": single[c.INDICATOR],
        "okey": _fixed(deals[:, c.OKEY : c.OKEY + 2], table),
        "hands": seated,
        "stock": stock,
        "wall": _fixed(deals[:, c.WALL : c.WALL + c.WALL_ROOM], walled),
        "spare": single[c.SPARE],
        "throws": throws,
        "selected": single[c.SELECTED],
        "level": single[c.LEVEL],
    }
    return pa.RecordBatch.from_arrays([values[column.name] for column in COLUMNS], schema=arrow_schema())


def _valid(there: Array) -> pa.Buffer:
    return pa.py_buffer(np.packbits(there != 0, bitorder="little").tobytes())


def _fixed(rows: Array, there: Array | None = None) -> pa.Array:
    validity = None if there is None else _valid(there)
    buffers = [validity, pa.py_buffer(np.ascontiguousarray(rows))]
    return pa.Array.from_buffers(pa.binary(rows.shape[1]), len(rows), buffers)


def _binary(at: Array, data: Array, there: Array) -> pa.Array:
    buffers = [_valid(there), pa.py_buffer(np.ascontiguousarray(at)), pa.py_buffer(data[: at[-1]].tobytes())]
    return pa.Array.from_buffers(pa.binary(), len(at) - 1, buffers)


def _seated(items: Array, counts: Array) -> pa.Array:
    at = np.concatenate((np.zeros(1, np.int32), np.cumsum(counts.astype(np.int32) * 33, dtype=np.int32)))
    data = items[np.arange(items.shape[1]) < counts[:, None]].reshape(-1)
    return _binary(at, data, np.ones(len(counts), bool))

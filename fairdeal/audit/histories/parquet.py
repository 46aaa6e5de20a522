"""Parquet audit files, read (``schema`` says what is in them). Needs the extra ``fast``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from fairdeal.audit.findings import Finding
from fairdeal.audit.histories import columns as c
from fairdeal.audit.histories.arrowtypes import LONGEST, Reading, arrow_schema, brought
from fairdeal.audit.histories.batches import Batch, numbered
from fairdeal.audit.histories.borrowed import borrow, give_back
from fairdeal.audit.histories.checked import Checked, Given
from fairdeal.audit.histories.columns import Array, Hands
from fairdeal.audit.histories.documents import Documents
from fairdeal.audit.histories.jsonl import Progress
from fairdeal.audit.histories.packing import unpack
from fairdeal.audit.histories.schema import COLUMNS
from fairdeal.audit.kernel.unpacked import Parts, pack_parts
from fairdeal.audit.log.source import SourceError
from fairdeal.encoding import parse_json
from fairdeal.errors import MalformedError
from fairdeal.terms import parse_terms

ROWS = 8192
"""Rows checked together: their columns fit a processor's outer cache."""


@dataclass(frozen=True)
class Rows:
    """Some rows of a file; ``first`` is the number of the first, from 1."""

    source: str
    first: int
    rows: pa.RecordBatch


def batches(path: Path, progress: Progress | None = None, rows: int = ROWS) -> Iterator[Rows]:
    """All rows of a file, numbered from 1.

    Raises :class:`SourceError`: ``missing``, ``unreadable`` (no Parquet, or damaged) or ``malformed`` (it
    lacks a column, or has one twice or of another type, or one with far more bytes than hands can have).
    """
    # A null where none may be is the row's fault, so here every column may hold one.
    wanted = pa.schema([field.with_nullable(True) for field in arrow_schema()])
    first = 1
    try:
        reading = Reading.of(path, rows)
        # Buffered beforehand, a file would be in memory whole before its end is reached.
        with pq.ParquetFile(
            path, metadata=reading.metadata, read_dictionary=reading.dictionaries, pre_buffer=False
        ) as file:
            # The workers have the processors; Arrow's own threads would only get in their way.
            for batch in file.iter_batches(reading.rows, columns=wanted.names, use_threads=False):
                columns = [brought(path, first, batch.column(k.name), k) for k in COLUMNS]
                yield Rows(path.name, first, pa.RecordBatch.from_arrays(columns, schema=wanted))
                first += len(batch)
                if progress:
                    progress(first - 1, reading.metadata.num_rows)
    except FileNotFoundError:
        raise SourceError("missing", f"{path}: no such file") from None
    # Whatever a damaged file makes of Arrow: it is the file's fault, and its words would quote the file.
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        what = "this is no Parquet file with these columns, or it is damaged"
        raise SourceError("unreadable", f"{path}: {what}") from None


def check_rows(task: tuple[Rows, Given]) -> Checked:
    """Check some rows: by columns, and by the core what does not hold there."""
    part, given = task
    checked = Checked()
    hands, faults = read_rows(part.rows, borrow(len(part.rows)))
    documents = Documents(given, part.source, checked)
    for row in Batch(hands, numbered(part.first, len(part.rows)), part.source).check(given, checked):
        position = part.first + row
        if row in faults:
            checked.hands += 1
            checked.verdicts["refuted"] += 1
            named = part.rows.column("hand")[row].is_valid
            hand = hands.hand[row].tobytes().hex() if named else None
            finding = Finding("check-format", faults[row], hand=hand, line=position, source=part.source)
            checked.findings.append(finding)
        else:
            documents.check(position, json.dumps(unpack(hands, row).as_json()).encode())
    give_back(hands)
    return checked


def read_rows(batch: pa.RecordBatch, into: Hands | None = None) -> tuple[Hands, dict[int, str]]:
    """The rows as columns, ``into`` these, and what is wrong with the form of those that are not taken."""
    count = len(batch)
    hands = c.empty(count) if into is None else into
    faults: dict[int, str] = {}
    columns = {name: batch.column(name) for name in batch.schema.names}
    hands.hand[:] = _fixed(columns["hand"], 16)
    for name, column, bit in (
        ("commitment", hands.commitment, c.HAS_COMMITMENT),
        ("server_seed", hands.seed, c.HAS_SEED),
        ("deal_root", hands.root, c.HAS_ROOT),
    ):
        nulls = columns[name].null_count
        if not nulls:
            column[:] = _fixed(columns[name], 32)
            hands.has[:] |= bit
        elif nulls < count:
            there = _there(columns[name])
            column[there] = _fixed(columns[name], 32)[there]
            hands.has[there] |= bit
    _terms(columns["terms"], hands.terms, faults)
    _seated(columns["seals"], hands.seals, hands.seal_count, "seals", faults)
    _seated(columns["contributions"], hands.opened, hands.opened_count, "contributions", faults)
    _seats_below(hands, faults)
    fits = np.zeros(count, np.uint8)
    kinds = _kinds(columns, faults)
    pack_parts(_parts(columns), kinds, hands.terms, hands.deal, fits)
    for row in np.flatnonzero(fits == 0).tolist():
        faults.setdefault(row, _unfit(columns, row))
    for name in ("hand", "terms", "seals", "contributions"):
        if not columns[name].null_count:
            continue
        for row in np.flatnonzero(~_there(columns[name])).tolist():
            faults[row] = f"{name}: must not be null"
    hands.taken[:] = 1
    hands.taken[list(faults)] = 0
    return hands, faults


def _unfit(columns: dict[str, Any], row: int) -> str:
    """What is wrong with a row's deal."""
    for name in _LISTS:
        if len(columns[name][row].as_py() or b"") > LONGEST:
            return f"{name}: must be at most {LONGEST} bytes"
    return "deal: its columns do not make a deal document"


def _there(column: pa.Array) -> Array:
    there: Array = column.is_valid().to_numpy(zero_copy_only=False)
    return there


def _fixed(column: pa.Array, width: int) -> Array:
    data = np.frombuffer(column.buffers()[1], np.uint8)
    return data[column.offset * width : (column.offset + len(column)) * width].reshape(-1, width)


def _varying(column: pa.Array) -> tuple[Array, Array]:
    """Offsets and bytes of a column of byte strings."""
    _, offsets, data = column.buffers()
    places = np.frombuffer(offsets, np.int32)[column.offset : column.offset + len(column) + 1]
    return places, np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(1, np.uint8)


def _terms(column: pa.DictionaryArray, out: Array, faults: dict[int, str]) -> None:
    if len(column.dictionary) == 1 and not column.null_count:
        # Most histories play under one set of terms: nothing is looked up row by row then.
        try:
            text = column.dictionary[0].as_buffer()
            out[:] = _code(None if text is None else text.to_pybytes())
        except MalformedError as error:
            faults.update(dict.fromkeys(range(len(column)), str(error)))
        return
    codes = np.zeros(len(column.dictionary) + 1, np.uint32)
    wrong: dict[int, str] = {}
    for k, text in enumerate(column.dictionary.cast(pa.binary()).to_pylist()):
        try:
            codes[k] = _code(text)
        except MalformedError as error:
            wrong[k] = str(error)
    indices = column.indices.fill_null(len(codes) - 1).to_numpy()
    out[:] = codes[indices]
    for k, fault in wrong.items():
        faults.update(dict.fromkeys(np.flatnonzero(indices == k).tolist(), fault))


@lru_cache(maxsize=1024)
def _code(data: bytes | None) -> int:
    if data is None:
        raise MalformedError("terms", "must not be null")
    if len(data) > LONGEST:
        raise MalformedError("terms", f"must be at most {LONGEST} bytes")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise MalformedError("terms", "must be UTF-8") from None
    terms = parse_terms(parse_json(text, "terms"))
    if terms.canonical() != data:
        raise MalformedError("terms", "must be in canonical form (RFC 8785)")
    if terms.size > c.MOST_TILES:
        raise MalformedError("terms.size", f"must be at most {c.MOST_TILES} in this file")
    return c.pack_terms(terms)


def _seated(column: pa.Array, out: Array, counts: Array, name: str, faults: dict[int, str]) -> None:
    """Items of 33 bytes, seats strictly ascending."""
    offsets, data = _varying(column)
    if offsets[0] == offsets[-1]:
        return
    lengths = np.diff(offsets)
    wrong = (lengths % 33 != 0) | (lengths > 33 * c.MOST_SEATS)
    counts[:] = np.where(wrong, 0, lengths // 33)
    for place in range(int(counts.max(initial=0))):
        rows = np.flatnonzero(counts > place)
        at = offsets[rows].astype(np.int64) + 33 * place
        out[rows, place] = data[at[:, None] + np.arange(33)]
        seats = out[rows, place, 0]
        ascending = (seats > out[rows, place - 1, 0]) if place else np.ones(len(rows), bool)
        wrong[rows[~ascending | (seats > 15)]] = True
    rule = f"must be at most {c.MOST_SEATS} items of 33 bytes, seats strictly ascending"
    faults.update(dict.fromkeys(np.flatnonzero(wrong).tolist(), f"{name}: {rule}"))


def _seats_below(hands: Hands, faults: dict[int, str]) -> None:
    """Every seal's seat is one that the terms have; they ascend, so the last one tells."""
    if not hands.seal_count.any():
        return
    last = hands.seals[np.arange(len(hands.hand)), np.maximum(hands.seal_count, 1) - 1, 0]
    wrong = (hands.seal_count > 0) & (last >= (hands.terms >> np.uint32(3) & np.uint32(31)))
    for row in np.flatnonzero(wrong).tolist():
        faults.setdefault(row, "seals: every seat must be below the terms' seats")


_TABLE = ("dealer", "dealer_throws", "starter", "indicator", "okey", "hands", "stock")
_LISTS = ("dealer_throws", "hands", "stock", "throws")
_WALLED = ("wall", "spare", "throws", "selected", "level")


def _kinds(columns: dict[str, Any], faults: dict[int, str]) -> Array:
    """Which kind of deal each row has, by what is null in it: whole groups of columns or none of them."""
    nulls = {name: columns[name].null_count for name in ("order", *_TABLE, *_WALLED)}
    if not any(nulls[name] for name in ("order", *_TABLE)):
        # The usual files: every row has a table, and all of them have a wall or none has.
        for kind, absent in ((c.WALL_DEAL, 0), (c.PLAIN_DEAL, len(columns["order"]))):
            if all(nulls[name] == absent for name in _WALLED):
                return _but(np.full(len(columns["order"]), kind, np.uint8), faults)
    order = _there(columns["order"])
    groups = []
    for names in (_TABLE, _WALLED):
        there = np.stack([_there(columns[name]) for name in names])
        groups.append(there.all(axis=0))
        for row in np.flatnonzero(there.any(axis=0) & ~there.all(axis=0)).tolist():
            faults[row] = f"deal: {', '.join(names)} must all be null or none of them"
    table, walled = groups
    for row in np.flatnonzero((table & ~order) | (walled & ~table)).tolist():
        faults[row] = "deal: a wall needs a table, and a table an order"
    kinds = order.astype(np.uint8) + (order & table) + (order & table & walled)
    return _but(kinds, faults)


def _but(kinds: Array, faults: dict[int, str]) -> Array:
    """Nothing is read of a deal whose row has a fault already."""
    kinds[list(faults)] = c.NO_DEAL
    return kinds


def _parts(columns: dict[str, Any]) -> Parts:
    okey = _fixed(columns["okey"], 2)
    single = [_fixed(columns[name], 1)[:, 0] for name in ("dealer", "starter", "indicator")]
    single += [okey[:, 0], okey[:, 1], *(_fixed(columns[n], 1)[:, 0] for n in ("spare", "selected", "level"))]
    lists = [part for name in _LISTS for part in _varying(columns[name])]
    order, wall = _fixed(columns["order"], c.MOST_TILES), _fixed(columns["wall"], c.WALL_ROOM)
    return Parts(order, np.stack(single, axis=1), wall, *lists)

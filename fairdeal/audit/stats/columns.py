"""The columns that the statistics read, and the blocks in which they read them.

A batch holds the orders of many revealed Okey hands with what the table drew beside them. It is cut into
blocks of some thousand hands that fit a processor's cache, tiles and positions first, so that every count
below is a sweep over contiguous bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairdeal.audit.stats.layouts import SEATS, UNKNOWN_ROW, class_of, first_row, owners
from fairdeal.errors import UsageError
from fairdeal.terms import OkeyTerms, Terms
from fairdeal.tiles import TILES

Bytes = NDArray[np.uint8]
Integers = NDArray[np.int64]

BLOCK = 8192
NOT_GIVEN = 255
"""Indicator of a hand whose input does not state one."""

_WIDTHS = {"order": TILES, "dice": SEATS, "dealer_dice": SEATS}


@dataclass(frozen=True, slots=True)
class DealColumns:
    """A batch of n revealed Okey hands, in the order in which they were played.

    ``order`` is (n, 106), each row the shuffled order. ``terms_id`` indexes ``terms``; hands of a ``deck``
    are left out and counted. ``dealer`` and ``indicator`` are (n,); ``None`` where the terms name the
    dealer, or where the indicator follows from a plain order. ``dice`` is (n, 4): the two dice of the
    first throw at the wall and of the second as it first fell, 0 where there is no such die (§4.2, §4.3).
    ``dealer_dice`` is (n, 4): each seat's first throw for the dealer, 0 where there was none (§3.3).
    ``table`` is (n,), any stable number for the operator's table; ``None`` makes the batch one table.

    Raises :class:`UsageError` when a column has another shape.
    """

    order: Bytes
    terms: Sequence[Terms]
    terms_id: NDArray[np.integer]
    dealer: Bytes | None = None
    indicator: Bytes | None = None
    dice: Bytes | None = None
    dealer_dice: Bytes | None = None
    table: NDArray[np.uint64] | None = None

    def __post_init__(self) -> None:
        for name in ("order", "terms_id", "dealer", "indicator", "dice", "dealer_dice", "table"):
            column = getattr(self, name)
            shape = (len(self.order), _WIDTHS[name]) if name in _WIDTHS else (len(self.order),)
            if column is not None and column.shape != shape:
                raise UsageError(f"{name}: expected the shape {shape}, not {column.shape}")

    def __len__(self) -> int:
        return len(self.order)


@dataclass(frozen=True, slots=True)
class Block:
    """Hands whose order holds each tile once. Arrays run (106, n) or (n,); see :class:`DealColumns`.

    ``place[t]`` is where tile t lies; ``owner[t]`` is the seat that was dealt it, :data:`NOBODY` for none.
    ``stratum`` is class × 4 + starter, and ``known`` says where the starter and hands are known.
    ``thrown`` says where the dealer was thrown for. ``rows`` are the hands' rows in the batch.
    """

    order: Bytes
    place: Bytes
    owner: Bytes
    of_class: Bytes
    stratum: Bytes
    known: NDArray[np.bool_]
    dealer: Bytes
    thrown: NDArray[np.bool_]
    indicator: Bytes
    dice: Bytes | None
    dealer_dice: Bytes | None
    rows: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.rows)


def blocks(columns: DealColumns) -> Iterator[Block]:
    """The batch in blocks of at most :data:`BLOCK` hands; hands that no statistic can use are left out."""
    facts = _Facts(columns.terms)
    for start in range(0, len(columns), BLOCK):
        block = _block(columns, facts, slice(start, start + BLOCK))
        if len(block):
            yield block


class _Facts:
    """What the distinct terms of a batch say, as arrays to index with ``terms_id``."""

    def __init__(self, terms: Sequence[Terms]) -> None:
        okey = [t if isinstance(t, OkeyTerms) else None for t in terms]
        self.okey = np.array([t is not None for t in okey], bool)
        self.of_class = np.array([class_of(t) if t else 0 for t in okey], np.uint8)
        self.seats = np.array([t.seats if t else 1 for t in okey], np.uint8)
        self.plain = np.array([t is not None and t.layout == "plain" for t in okey], bool)
        self.two_dice = np.array([t is not None and t.dice == 2 for t in okey], bool)
        self.row = np.array([first_row(t) if t else 0 for t in okey], np.int32)
        self.thrown = np.array([t is not None and t.dealer == "throw" for t in okey], bool)
        self.dealer = np.array([t.dealer if t and t.dealer != "throw" else NOT_GIVEN for t in okey], np.uint8)


def _block(columns: DealColumns, facts: _Facts, part: slice) -> Block:
    order = np.ascontiguousarray(columns.order[part].T)
    kind = np.asarray(columns.terms_id[part], np.intp)
    place, whole = _invert(order)
    keep = np.flatnonzero(whole & facts.okey[kind])
    if len(keep) < len(kind):
        order, place, kind = order[:, keep], place[:, keep], kind[keep]
    rows = keep + part.start

    def column(values: Bytes | None) -> Bytes | None:
        return None if values is None else np.ascontiguousarray(values[rows], np.uint8)

    dealer = column(columns.dealer)
    dealer = facts.dealer[kind] if dealer is None else dealer
    dice = column(columns.dice)
    row, known = _layout_rows(facts, kind, dealer, dice)
    starter = np.where(known, (dealer + 1) % facts.seats[kind], 0).astype(np.uint8)
    indicator = column(columns.indicator)
    return Block(
        order=order,
        place=place,
        owner=np.take(owners().ravel(), row * TILES + place),
        of_class=facts.of_class[kind],
        stratum=facts.of_class[kind] * np.uint8(SEATS) + starter,
        known=known,
        dealer=dealer,
        thrown=facts.thrown[kind],
        indicator=_plain_indicators(order, facts.plain[kind]) if indicator is None else indicator,
        dice=dice,
        dealer_dice=column(columns.dealer_dice),
        rows=rows,
    )


def _invert(order: Bytes) -> tuple[Bytes, NDArray[np.bool_]]:
    """Where each tile lies, and for which hands the order holds each tile once."""
    n = order.shape[1]
    place = np.full((256, n), NOT_GIVEN, np.uint8)
    flat = place.ravel()
    hands = np.arange(n)
    for position in range(TILES):
        flat[order[position] * np.intp(n) + hands] = position
    # 106 positions that leave none of the 106 tiles unplaced can't have named one twice.
    return place[:TILES], (place[:TILES] != NOT_GIVEN).all(axis=0)


def _layout_rows(
    facts: _Facts, kind: NDArray[np.intp], dealer: Bytes, dice: Bytes | None
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    seats = facts.seats[kind]
    known = dealer < seats
    selected = np.zeros(len(kind), np.int32)
    at_wall = ~facts.plain[kind]
    if dice is None:
        known &= ~at_wall
    else:
        two = facts.two_dice[kind]
        fell = (dice[:, 0] - 1 < 6) & np.where(two, dice[:, 1] - 1 < 6, dice[:, 1] == 0)
        known &= ~at_wall | fell
        selected = np.where(at_wall, dice[:, 0].astype(np.int32) + dice[:, 1] - 1, 0)
    starter = (dealer.astype(np.int32) + 1) % seats
    row = facts.row[kind] + selected * SEATS + starter
    return np.where(known, row, UNKNOWN_ROW).astype(np.int32), known


def _plain_indicators(order: Bytes, plain: NDArray[np.bool_]) -> Bytes:
    """The last tile that is no false joker; there are two of those, so it is among the last three (§5)."""
    found = np.full(order.shape[1], NOT_GIVEN, np.uint8)
    for position in (TILES - 3, TILES - 2, TILES - 1):
        found = np.where(order[position] < 104, order[position], found)
    return np.where(plain, found, NOT_GIVEN).astype(np.uint8)

"""The columns that the statistics read, and what follows from them for each hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairdeal.audit.stats.layouts import SEATS, UNKNOWN_ROW, class_of, first_row
from fairdeal.errors import UsageError
from fairdeal.terms import OkeyTerms, Terms
from fairdeal.tiles import TILES

Bytes = NDArray[np.uint8]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]

NOT_GIVEN = 255
"""Indicator or dealer of a hand whose input does not state one."""

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
class Hands:
    """What the columns say of each hand; all arrays run over the hands first.

    ``okey`` marks hands of Okey. ``stratum`` is class × 4 + starter; ``row`` is the hand's row in
    :func:`~fairdeal.audit.stats.layouts.owners`, and ``known`` says where starter and hands are known.
    ``thrown`` says where the dealer was thrown for. ``dice`` and ``dealer_dice`` are zero where not given.
    """

    order: Bytes
    okey: Flags
    of_class: Bytes
    stratum: Bytes
    row: NDArray[np.int32]
    known: Flags
    dealer: Bytes
    thrown: Flags
    indicator: Bytes
    dice: Bytes
    dealer_dice: Bytes
    table: NDArray[np.uint64] | None

    def __len__(self) -> int:
        return len(self.order)

    def take(self, rows: NDArray[np.intp] | slice) -> Hands:
        """Some of the hands."""
        values = [getattr(self, f.name) for f in fields(self)]
        picked: list[Any] = [None if v is None else v[rows] for v in values]
        return Hands(*picked)

    def where(self, kept: Flags) -> Hands:
        """The hands that are marked; all of them without copying."""
        return self if kept.all() else self.take(np.flatnonzero(kept))


def hands_of(columns: DealColumns) -> Hands:
    """Work out what a batch's columns say of each hand."""
    terms = _Terms(columns.terms)
    kind = np.asarray(columns.terms_id, np.intp)
    count = len(columns)
    dealer = terms.dealer[kind] if columns.dealer is None else np.asarray(columns.dealer, np.uint8)
    row, known = _layout_rows(terms, kind, dealer, columns.dice)
    starter = np.where(known, (dealer + 1) % terms.seats[kind], 0).astype(np.uint8)
    indicator = columns.indicator
    nothing = np.zeros((count, SEATS), np.uint8)
    return Hands(
        order=np.ascontiguousarray(columns.order, np.uint8),
        okey=terms.okey[kind],
        of_class=terms.of_class[kind],
        stratum=terms.of_class[kind] * np.uint8(SEATS) + starter,
        row=row,
        known=known,
        dealer=dealer,
        thrown=terms.thrown[kind],
        indicator=_plain_indicators(columns.order, terms.plain[kind]) if indicator is None else indicator,
        dice=nothing if columns.dice is None else columns.dice,
        dealer_dice=nothing if columns.dealer_dice is None else columns.dealer_dice,
        table=columns.table,
    )


class _Terms:
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


def _layout_rows(
    terms: _Terms, kind: NDArray[np.intp], dealer: Bytes, dice: Bytes | None
) -> tuple[NDArray[np.int32], Flags]:
    seats = terms.seats[kind]
    known = dealer < seats
    selected = np.zeros(len(kind), np.int32)
    at_wall = ~terms.plain[kind]
    if dice is None:
        known &= ~at_wall
    else:
        two = terms.two_dice[kind]
        fell = (dice[:, 0] - 1 < 6) & np.where(two, dice[:, 1] - 1 < 6, dice[:, 1] == 0)
        known &= ~at_wall | fell
        selected = np.where(at_wall, dice[:, 0].astype(np.int32) + dice[:, 1] - 1, 0)
    starter = (dealer.astype(np.int32) + 1) % seats
    row = terms.row[kind] + selected * SEATS + starter
    return np.where(known, row, UNKNOWN_ROW).astype(np.int32), known


def _plain_indicators(order: Bytes, plain: Flags) -> Bytes:
    """The last tile that is no false joker; there are two of those, so it is among the last three (§5)."""
    found = np.full(len(order), NOT_GIVEN, np.uint8)
    for position in (TILES - 3, TILES - 2, TILES - 1):
        found = np.where(order[:, position] < 104, order[:, position], found)
    return np.where(plain, found, NOT_GIVEN).astype(np.uint8)

"""Packed deals from the columns of a Parquet file and back, compiled (``histories.schema``)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fairdeal.audit.histories import columns as c
from fairdeal.audit.kernel.compiled import Array, compiled, inlined
from fairdeal.audit.kernel.layout import put


class Parts(NamedTuple):
    """The deal's columns of n hands. Lists of varying length come as offsets (n + 1) and bytes."""

    order: Array
    single: Array
    """(n, 8): dealer, starter, indicator, both okeys, spare, selected, level."""
    wall: Array
    thrown_at: Array
    thrown: Array
    hands_at: Array
    hands: Array
    stock_at: Array
    stock: Array
    throws_at: Array
    throws: Array


SINGLE = (c.DEALER, c.STARTER, c.INDICATOR, c.OKEY, c.OKEY2, c.SPARE, c.SELECTED, c.LEVEL)
_PLACES = np.array(SINGLE)


@compiled
def pack_parts(parts: Parts, kinds: Array, terms: Array, deals: Array, fits: Array) -> None:
    """Pack each row, of a kind from NO_DEAL to WALL_DEAL, into zeros; ``fits`` tells which could be."""
    for row in range(len(kinds)):
        kind, code, deal = kinds[row], terms[row], deals[row]
        fits[row] = 1
        if kind == c.NO_DEAL:
            continue
        size = code >> 16 if code & 3 == c.DECK_GAME else c.MOST_TILES
        deal[c.KIND] = kind
        put(deal, c.ORDER, parts.order[row], 0, size)
        deal[c.ORDER_LENGTH] = size
        for k in range(size, c.MOST_TILES):
            if parts.order[row, k] != 0xFF:
                fits[row] = 0
        if kind == c.DECK_DEAL:
            continue
        walled = kind == c.WALL_DEAL
        for k in range(len(_PLACES) if walled else 5):
            deal[_PLACES[k]] = parts.single[row, k]
        if not (_stock(parts, row, deal) and _hands(parts, row, deal) and _thrown(parts, row, deal)):
            fits[row] = 0
        # A deck's terms have neither stacks nor dice: a wall under them cannot be read.
        dice = code >> 12 & 3
        if walled and (dice == 0 or not _wall(parts, row, 7 if code & 3 else 5, dice, deal)):
            fits[row] = 0


@inlined
def _stock(parts: Parts, row: int, deal: Array) -> Any:
    first, end = parts.stock_at[row], parts.stock_at[row + 1]
    if end - first > c.STOCK_ROOM:
        return False
    put(deal, c.STOCK, parts.stock, first, end - first)
    deal[c.STOCK_LENGTH] = end - first
    return True


@inlined
def _hands(parts: Parts, row: int, deal: Array) -> Any:
    at, end = parts.hands_at[row], parts.hands_at[row + 1]
    seat = 0
    while at < end:
        count = parts.hands[at]
        if seat == c.MOST_SEATS or count > c.HAND_ROOM or at + 1 + count > end:
            return False
        put(deal, c.HANDS + seat * c.HAND_ROOM, parts.hands, at + 1, count)
        deal[c.HAND_LENGTHS + seat] = count
        at += 1 + count
        seat += 1
    deal[c.SEATS] = seat
    return seat > 0


@inlined
def _thrown(parts: Parts, row: int, deal: Array) -> Any:
    first, end = parts.thrown_at[row], parts.thrown_at[row + 1]
    if end - first > c.DEALER_THROWS_ROOM:
        return False
    put(deal, c.DEALER_THROWS, parts.thrown, first, end - first)
    at = first
    rounds = 0
    while at < end:
        count = parts.thrown[at]
        if count == 0 or count > 16 or at + 1 + 2 * count > end:
            return False
        for k in range(count):
            seat, value = parts.thrown[at + 1 + 2 * k], parts.thrown[at + 2 + 2 * k]
            if seat > 15 or value < 1 or value > 6:
                return False
        at += 1 + 2 * count
        rounds += 1
    deal[c.ROUNDS] = rounds
    return True


@inlined
def _wall(parts: Parts, row: int, height: int, dice: int, deal: Array) -> Any:
    put(deal, c.WALL, parts.wall[row], 0, c.WALL_ROOM)
    deal[c.STACKS], deal[c.HEIGHT] = c.WALL_ROOM // height, height
    first, end = parts.throws_at[row], parts.throws_at[row + 1]
    count = end - first
    if count == 0 or count > c.THROWS_ROOM or count % dice:
        return False
    for k in range(count):
        if not 1 <= parts.throws[first + k] <= 6:
            return False
    put(deal, c.THROWS, parts.throws, first, count)
    deal[c.THROW_COUNT], deal[c.DICE] = count // dice, dice
    return True


@compiled
def unpack_lists(deals: Array, ats: Array, out: Array) -> int:
    """Lists of varying length of packed deals, for writing: ``ats`` (4, n + 1) offsets into ``out``.

    In turn: dealer's throws, hands, stock, throws at the wall. Gives how many bytes the longest took.
    """
    longest = 0
    for row in range(len(deals)):
        deal = deals[row]
        thrown = 0
        for _ in range(deal[c.ROUNDS]):
            thrown += 1 + 2 * deal[c.DEALER_THROWS + thrown]
        _copy(deal, c.DEALER_THROWS, thrown, 0, row, ats, out)
        at = ats[1, row]
        for seat in range(deal[c.SEATS]):
            count = deal[c.HAND_LENGTHS + seat]
            place = c.HANDS + seat * c.HAND_ROOM
            out[1, at] = count
            out[1, at + 1 : at + 1 + count] = deal[place : place + count]
            at += 1 + count
        ats[1, row + 1] = at
        _copy(deal, c.STOCK, deal[c.STOCK_LENGTH], 2, row, ats, out)
        _copy(deal, c.THROWS, deal[c.THROW_COUNT] * deal[c.DICE], 3, row, ats, out)
        for k in range(4):
            longest = max(longest, ats[k, row + 1])
    return longest


@inlined
def _copy(deal: Array, place: Any, count: Any, which: int, row: int, ats: Array, out: Array) -> None:  # noqa: PLR0917 - compiled
    at = ats[which, row]
    out[which, at : at + count] = deal[place : place + count]
    ats[which, row + 1] = at + count

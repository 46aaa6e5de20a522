"""Hands in blocks of some thousand, tiles and positions first.

A block fits a processor's cache, and every count over it is a sweep over contiguous bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairdeal.audit.stats.columns import NOT_GIVEN, Bytes, Flags, Hands
from fairdeal.audit.stats.layouts import owners
from fairdeal.tiles import TILES

BLOCK = 8192


@dataclass(frozen=True, slots=True)
class Block:
    """Hands of Okey whose order holds each tile once, and their ``rows`` in the batch. Arrays run (106, n).

    ``order[p]`` is the tile at position p, ``place[t]`` the position of tile t, and ``owner[t]`` the seat
    that was dealt it, :data:`~fairdeal.audit.stats.layouts.NOBODY` for none.
    """

    hands: Hands
    rows: NDArray[np.intp]
    order: Bytes
    place: Bytes
    owner: Bytes

    def __len__(self) -> int:
        return len(self.hands)


def blocks(hands: Hands) -> Iterator[Block]:
    """The hands in blocks of at most :data:`BLOCK`; those that no statistic can use are left out."""
    for start in range(0, len(hands), BLOCK):
        block = _block(hands.take(slice(start, start + BLOCK)), start)
        if len(block):
            yield block


def _block(hands: Hands, start: int) -> Block:
    order = np.ascontiguousarray(hands.order.T)
    place, whole = _invert(order)
    kept = np.flatnonzero(whole & hands.okey)
    if len(kept) < len(hands):
        hands, order, place = hands.take(kept), order[:, kept], place[:, kept]
    owner = np.take(owners().ravel(), hands.row * TILES + place)
    return Block(hands=hands, rows=kept + start, order=order, place=place, owner=owner)


def _invert(order: Bytes) -> tuple[Bytes, Flags]:
    """Where each tile lies, and for which hands the order holds each tile once."""
    n = order.shape[1]
    place = np.full((256, n), NOT_GIVEN, np.uint8)
    flat = place.ravel()
    hands = np.arange(n)
    for position in range(TILES):
        flat[order[position] * np.intp(n) + hands] = position
    # 106 positions that leave none of the 106 tiles unplaced can't have named one twice.
    return place[:TILES], (place[:TILES] != NOT_GIVEN).all(axis=0)

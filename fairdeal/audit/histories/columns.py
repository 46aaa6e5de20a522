"""Many hands as columns: what a history states of each, in arrays that the kernel works on.

One row is one hand. A deal document becomes ``WIDTH`` bytes at fixed offsets, so that the deal shown and the
deal that the seeds give are compared as bytes: the same document always gives the same bytes, and different
documents never do. What does not fit (tiles or sizes that no Okey hand has) is not packed; such hands go
the slow way.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fairdeal.terms import DeckTerms, OkeyTerms, Terms

Array = npt.NDArray[Any]

MOST_TILES = 106
"""Tiles in the largest game whose order a row holds."""

MOST_SEATS = 4
"""Seats, seals and contributions that a row holds."""

# Offsets in a packed deal. Lists are followed by zeros up to the next offset; their lengths stand further on.
ORDER = 0
HANDS = 106
HAND_ROOM = 22
STOCK = HANDS + MOST_SEATS * HAND_ROOM
STOCK_ROOM = 80
WALL = STOCK + STOCK_ROOM
WALL_ROOM = 105
THROWS = WALL + WALL_ROOM
"""Dice of all throws at the wall, one after another."""
THROWS_ROOM = 32
DEALER_THROWS = THROWS + THROWS_ROOM
"""Rounds of throws for the dealer: how many threw, then seat and value of each."""
DEALER_THROWS_ROOM = 80
LENGTHS = DEALER_THROWS + DEALER_THROWS_ROOM
ORDER_LENGTH, STOCK_LENGTH, STACKS, HEIGHT, THROW_COUNT, DICE, ROUNDS, SEATS = range(LENGTHS, LENGTHS + 8)
HAND_LENGTHS = LENGTHS + 8
DEALER, STARTER, INDICATOR, OKEY, OKEY2, SPARE, SELECTED, LEVEL, KIND = range(LENGTHS + 12, LENGTHS + 21)
WIDTH = LENGTHS + 21

NO_DEAL, DECK_DEAL, PLAIN_DEAL, WALL_DEAL = range(4)
"""Values of ``KIND``: which of the three sets of members a deal document has (protocol §6)."""

HAS_COMMITMENT, HAS_SEED, HAS_ROOT = 1, 2, 4
"""Bits of ``has``: which of the values that may be null are there."""


class Hands(NamedTuple):
    """The columns of n hands, all ``uint8`` but ``terms``."""

    taken: Array
    """(n,) 1 where the row holds the whole hand; 0 where it must be read the slow way."""
    has: Array
    """(n,) bits HAS_COMMITMENT, HAS_SEED, HAS_ROOT."""
    hand: Array
    """(n, 16)"""
    commitment: Array
    """(n, 32), zeros where there is none; so ``seed`` and ``root``."""
    seed: Array
    """(n, 32)"""
    root: Array
    """(n, 32) the openings' root."""
    terms: Array
    """(n,) uint32, see :func:`pack_terms`."""
    seal_count: Array
    """(n,)"""
    seals: Array
    """(n, 4, 33): seat, then 32 bytes."""
    opened_count: Array
    """(n,) contributions."""
    opened: Array
    """(n, 4, 33)"""
    deal: Array
    """(n, WIDTH) packed deal documents; ``KIND`` is NO_DEAL where there is none."""


def empty(hands: int) -> Hands:
    """Columns for so many hands, all zeros."""

    def zeros(*shape: int) -> Array:
        return np.zeros((hands, *shape), np.uint8)

    return Hands(
        taken=zeros(),
        has=zeros(),
        hand=zeros(16),
        commitment=zeros(32),
        seed=zeros(32),
        root=zeros(32),
        terms=np.zeros(hands, np.uint32),
        seal_count=zeros(),
        seals=zeros(MOST_SEATS, 33),
        opened_count=zeros(),
        opened=zeros(MOST_SEATS, 33),
        deal=zeros(WIDTH),
    )


def distinct(codes: Array) -> Array:
    """Different terms (n,) among many, ascending: in most histories one."""
    return codes[:1] if len(codes) and (codes == codes[0]).all() else np.unique(codes)


def chosen(hands: Hands, rows: Array) -> Hands:
    """Some of the rows, copied."""
    return Hands(*(column[rows] for column in hands))


# Terms in 32 bits. Okey: game, layout, seats, dealer (15: thrown for), dice, openings; deck: size and seats.
_GAMES = ("okey", "okey101", "deck")
DECK_GAME = 2
THROWN = 15


def pack_terms(terms: Terms) -> int:
    """Terms as a number; :func:`unpack_terms` gives them back."""
    if isinstance(terms, DeckTerms):
        return DECK_GAME | terms.seats << 3 | terms.openings << 14 | terms.size << 16
    dealer = THROWN if terms.dealer == "throw" else terms.dealer
    return (
        _GAMES.index(terms.game)
        | (terms.layout == "plain") << 2
        | terms.seats << 3
        | dealer << 8
        | terms.dice << 12
        | terms.openings << 14
    )


def unpack_terms(code: int) -> Terms:
    """The terms that :func:`pack_terms` made ``code`` of."""
    seats, openings = code >> 3 & 31, bool(code >> 14 & 1)
    if code & 3 == DECK_GAME:
        return DeckTerms(code >> 16, seats, openings)
    dealer = code >> 8 & 15
    return OkeyTerms(
        "okey101" if code & 3 else "okey",
        "plain" if code >> 2 & 1 else "wall",
        seats,
        "throw" if dealer == THROWN else dealer,
        code >> 12 & 3,
        openings,
    )

"""Which seat a position of the shuffled order ends up with, for every way to lay a hand out (§4, §5).

The answer depends on the game, the layout, the number of seats, the starter and, at a wall, on the selected
stack, but never on the tiles: so it is one small table, looked up for millions of hands. The core itself
fills it, by dealing an order in which each tile stands on its own number.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from fairdeal import plain, wall
from fairdeal.terms import OkeyTerms
from fairdeal.tiles import TILES

SEATS = 4
"""Most seats at a table; arrays by seat have this many columns, unused ones stay empty."""

NOBODY = 255
"""Owner of a position that goes to no hand: stock, indicator, or a seat that is not known."""

CLASSES: tuple[tuple[str, int], ...] = tuple(
    (game, seats) for game in ("okey", "okey101") for seats in (2, 3, 4)
)
"""Game and number of seats: what decides how many tiles each seat holds."""

_STARTERS = 4
_SELECTED = 12
_PLAIN = 12  # the row after the twelve that a wall's first throw can select
ROWS = len(CLASSES) * (_SELECTED + 1) * _STARTERS
UNKNOWN_ROW = ROWS
"""Row of a hand whose starter or selected stack is not known: nobody owns anything in it."""


def class_of(terms: OkeyTerms) -> int:
    """Index into :data:`CLASSES`."""
    return CLASSES.index((terms.game, terms.seats))


def hand_size(of_class: int, starts: bool) -> int:
    """Tiles that a seat is dealt."""
    return (14 if CLASSES[of_class][0] == "okey" else 21) + starts


def first_row(terms: OkeyTerms) -> int:
    """Row for starter 0 and, at a wall, selected stack 0; the selected stack adds 4 each, the starter 1."""
    return (class_of(terms) * (_SELECTED + 1) + (_PLAIN if terms.layout == "plain" else 0)) * _STARTERS


@cache
def owners() -> NDArray[np.uint8]:
    """Seat by row and position, shape (:data:`ROWS` + 1, 106), :data:`NOBODY` where there is none."""
    table = np.full((ROWS + 1, TILES), NOBODY, np.uint8)
    for game, seats in CLASSES:
        for layout in ("wall", "plain"):
            terms = _terms(game, layout, seats)
            for selected in range(_SELECTED if layout == "wall" else 1):
                for starter in range(seats):
                    row = first_row(terms) + selected * _STARTERS + starter
                    for seat, positions in enumerate(_hands(terms, selected, starter)):
                        table[row, list(positions)] = seat
    return table


def _terms(game: str, layout: str, seats: int) -> OkeyTerms:
    return OkeyTerms(
        game="okey" if game == "okey" else "okey101",
        layout="wall" if layout == "wall" else "plain",
        seats=seats,
        dealer=0,
        dice=1,
        openings=False,
    )


def _hands(terms: OkeyTerms, selected: int, starter: int) -> tuple[tuple[int, ...], ...]:
    positions = range(TILES)
    if terms.layout == "plain":
        return plain.lay_out(positions, terms, starter).hands
    height = terms.stack_height
    stacks = tuple(tuple(positions[w : w + height]) for w in range(0, TILES - 1, height))
    built = wall.Wall(stacks, positions[-1], (), selected, 0)
    return wall.lay_out(terms, starter, built, [*stacks[selected], positions[-1]]).hands

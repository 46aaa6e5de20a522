"""True deals held against those stated, without keeping them: for the many hands that are in order."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from fairdeal.audit.histories import columns as c
from fairdeal.audit.histories.columns import Array
from fairdeal.audit.kernel import Kernel
from fairdeal.audit.kernel.layout import agree, still_at_the_wall, still_throwing
from fairdeal.terms import OkeyTerms

DEALER_DICE = 32
"""Dice that a throw for the dealer may take here: there is room for the rounds that two and two of them make.

Of thousands of millions of hands one takes more; it goes the slow way.
"""


def compare(keys: Array, terms: OkeyTerms, stated: Array, kernel: Kernel) -> tuple[Array, Array]:
    """Whether the deals of (n, 32) keys are the packed ones stated, and which are sure: (n,) bool each."""
    count, walled = len(keys), terms.layout == "wall"
    sure, found = np.ones(count, bool), np.zeros(count, bool)
    orders = kernel.shuffle(keys, terms.size)
    thrown = terms.dealer == "throw"
    dealer_dice = np.zeros((count, DEALER_DICE if thrown else 0), np.uint8)
    wall_dice = np.zeros((count, c.THROWS_ROOM if walled else 0), np.uint8)
    rows = np.arange(count if thrown else 0)
    for first, known in dealer_steps(terms.seats) if thrown else ():
        waiting = np.zeros(len(rows), np.uint8)
        labels = tuple(b"dealer:%d" % k for k in range(first, known))
        dealer_dice[rows, first:known] = kernel.picks(keys[rows], labels, 6)
        still_throwing(dealer_dice[rows], known, terms.seats, waiting)
        rows = rows[waiting != 0]
        if not len(rows):
            break
    sure[rows] = False
    rows = np.arange(count if walled else 0)
    for first, known in wall_steps(terms.dice) if walled else ():
        waiting = np.zeros(len(rows), np.uint8)
        labels = tuple(b"die:%d" % k for k in range(first, known))
        wall_dice[rows, first:known] = kernel.picks(keys[rows], labels, 6)
        still_at_the_wall(orders[rows], wall_dice[rows], known, terms.dice, terms.stack_height, waiting)
        rows = rows[waiting != 0]
        if not len(rows):
            break
    sure[rows] = False
    agree(
        orders,
        c.THROWN if terms.dealer == "throw" else terms.dealer,
        dealer_dice,
        wall_dice,
        terms.dice,
        terms.seats,
        terms.hand_size,
        terms.stack_height if walled else 0,
        np.ascontiguousarray(stated).view(np.uint64),
        found,
    )
    return found, sure


def dealer_steps(seats: int) -> tuple[tuple[int, int], ...]:
    """Dice to throw for the dealer, from and up to which: most hands need one round."""
    return (0, seats), (seats, 8), (8, 16), (16, DEALER_DICE)


def wall_steps(dice: int) -> tuple[tuple[int, int], ...]:
    """Dice to throw at the wall, from and up to which: most hands need two throws."""
    ends = [throws * dice for throws in (0, 2, 3, 4, 8, 16)]
    return tuple(pairwise(ends))


def same(a: Array, b: Array) -> Array:
    """Which rows are equal, (n, 8 k) bytes compared as words of 64 bits where they can be."""
    if a.shape[1] % 8 == 0 and a.flags.c_contiguous and b.flags.c_contiguous:
        a, b = a.view(np.uint64), b.view(np.uint64)
    if np.array_equal(a, b):
        return np.ones(len(a), bool)  # as mostly: looked through once, as a whole
    equal: Array = (a == b).all(axis=1)
    return equal

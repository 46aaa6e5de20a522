"""What is counted over the hands one by one: whole numbers only, so that parts add up exactly.

Each class takes blocks with ``update`` and another of its kind with ``merge``; the sum of the counts of two
parts is the count of the whole, however the hands were split.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fairdeal.audit.stats.blocks import Block
from fairdeal.audit.stats.columns import NOT_GIVEN, Bytes, Hands, Integers
from fairdeal.audit.stats.layouts import CLASSES, SEATS
from fairdeal.tiles import TILES

FACES_OF_A_DIE = 6


class OrderCounts:
    """Counts of the order alone.

    ``tiles`` is (106, 106): hands with tile t at position p. ``rises`` is how often a tile is followed by a
    higher number; ``collected`` (107,) is how many tiles were read until all 13 numbers had been seen.
    """

    def __init__(self) -> None:
        self.hands = 0
        self.tiles: Integers = np.zeros((TILES, TILES), np.int64)
        self.rises = 0
        self.collected: Integers = np.zeros(TILES + 1, np.int64)

    def update(self, block: Block) -> None:
        """Count a block's hands in."""
        order = block.order
        self.hands += len(block)
        for position in range(TILES):
            self.tiles[position] += np.bincount(order[position], minlength=TILES)
        self.rises += int(np.count_nonzero(order[1:] > order[:-1]))
        first = block.place[:104].reshape(2, 4, 13, -1).min(axis=(0, 1))
        self.collected += np.bincount(first.max(axis=0) + 1, minlength=TILES + 1)

    def merge(self, other: OrderCounts) -> None:
        """Add the counts of other hands."""
        self.hands += other.hands
        self.tiles += other.tiles
        self.rises += other.rises
        self.collected += other.collected


class DrawCounts:
    """Counts of what was drawn beside the order.

    ``indicators`` is (104,); ``dice`` is (4, 6), faces by throw and die at the wall; ``dealers`` is (6, 4),
    thrown dealers by class and seat; ``dealer_dice`` is (6, 4, 6), faces of each seat's first throw.
    """

    def __init__(self) -> None:
        self.indicators: Integers = np.zeros(104, np.int64)
        self.dice: Integers = np.zeros((4, FACES_OF_A_DIE), np.int64)
        self.dealers: Integers = np.zeros((len(CLASSES), SEATS), np.int64)
        self.dealer_dice: Integers = np.zeros((len(CLASSES), SEATS, FACES_OF_A_DIE), np.int64)

    def update(self, hands: Hands) -> None:
        """Count hands in; all of them must be Okey hands."""
        self.indicators += np.bincount(hands.indicator, minlength=256)[:104]
        for die in range(4):
            self.dice[die] += _faces(hands.dice[:, die])
        thrown = hands.thrown & (hands.dealer < SEATS)
        if not thrown.any():
            return
        of_class = hands.of_class[thrown]
        cells = of_class.astype(np.int64) * SEATS + hands.dealer[thrown]
        self.dealers += np.bincount(cells, minlength=self.dealers.size).reshape(self.dealers.shape)
        values = hands.dealer_dice[thrown]
        for k in range(len(CLASSES)):
            for seat in range(SEATS):
                self.dealer_dice[k, seat] += _faces(values[of_class == k, seat])

    def merge(self, other: DrawCounts) -> None:
        """Add the counts of other hands."""
        self.indicators += other.indicators
        self.dice += other.dice
        self.dealers += other.dealers
        self.dealer_dice += other.dealer_dice


def _faces(values: Bytes) -> Integers:
    return np.bincount(values, minlength=256)[1 : FACES_OF_A_DIE + 1].astype(np.int64)


_STRATA = len(CLASSES) * SEATS


class SeatSums:
    """Sums by stratum (class × starter) of what each seat held.

    ``hands`` and ``with_okey`` are (24,): hands whose seats are known, and those whose indicator is known,
    too. ``okeys``, ``jokers``, ``pairs`` and ``longest`` (longest run of one colour) are (24, 4);
    ``longest_products`` (24, 4, 4) sums the products of two seats' longest runs in one hand.
    """

    NAMES = ("hands", "with_okey", "okeys", "jokers", "pairs", "longest", "longest_products")

    def __init__(self) -> None:
        self.hands: Integers = np.zeros(_STRATA, np.int64)
        self.with_okey: Integers = np.zeros(_STRATA, np.int64)
        self.okeys: Integers = np.zeros((_STRATA, SEATS), np.int64)
        self.jokers: Integers = np.zeros((_STRATA, SEATS), np.int64)
        self.pairs: Integers = np.zeros((_STRATA, SEATS), np.int64)
        self.longest: Integers = np.zeros((_STRATA, SEATS), np.int64)
        self.longest_products: Integers = np.zeros((_STRATA, SEATS, SEATS), np.int64)

    def update(self, block: Block) -> None:
        """Count a block's hands in."""
        stratum, owner = block.hands.stratum, block.owner
        self.hands += np.bincount(stratum[block.hands.known], minlength=_STRATA)
        self._update_okeys(block)
        pair_owner = np.where(owner[:52] == owner[52:104], owner[:52], NOT_GIVEN)
        joker_owner = np.where(owner[104] == owner[105], owner[104], NOT_GIVEN)
        longest = []
        for seat in range(SEATS):
            held = owner == seat
            jokers = held[104].astype(np.int64) + held[105]
            pairs = (pair_owner == seat).sum(axis=0, dtype=np.uint8) + (joker_owner == seat)
            longest.append(_longest(held[:52] | held[52:104]))
            self.jokers[:, seat] += _by_stratum(stratum, jokers)
            self.pairs[:, seat] += _by_stratum(stratum, pairs)
            self.longest[:, seat] += _by_stratum(stratum, longest[seat])
        for seat in range(SEATS):
            for other in range(seat, SEATS):
                sums = _by_stratum(stratum, longest[seat] * longest[other])
                self.longest_products[:, seat, other] += sums
                if other > seat:
                    self.longest_products[:, other, seat] += sums

    def _update_okeys(self, block: Block) -> None:
        hands = block.hands
        given = np.flatnonzero(hands.known & (hands.indicator < 104))
        indicator = hands.indicator[given].astype(np.intp)
        # The okey: the indicator's colour, one number higher, 13 going to 1, in both copies (protocol §3.7).
        okey = indicator % 52 // 13 * 13 + (indicator % 13 + 1) % 13
        self.with_okey += np.bincount(hands.stratum[given], minlength=_STRATA)
        for copy in (0, 52):
            owner = block.owner[okey + copy, given]
            held = owner < SEATS
            cells = hands.stratum[given][held].astype(np.int64) * SEATS + owner[held]
            self.okeys += np.bincount(cells, minlength=self.okeys.size).reshape(self.okeys.shape)

    def merge(self, other: SeatSums) -> None:
        """Add the sums of other hands."""
        for name in self.NAMES:
            getattr(self, name).__iadd__(getattr(other, name))


def _by_stratum(stratum: Bytes, values: NDArray[np.integer]) -> Integers:
    # Sums of small whole numbers are exact in the doubles that bincount weighs with.
    return np.bincount(stratum, weights=values, minlength=_STRATA).astype(np.int64)


def _longest(faces: NDArray[np.bool_]) -> Bytes:
    """Longest run of consecutive numbers in one colour, for faces held, (52, n)."""
    by_number = faces.reshape(4, 13, -1).view(np.uint8)
    run = by_number[:, 0].copy()
    longest = run.copy()
    for number in range(1, 13):
        run += 1
        run *= by_number[:, number]
        np.maximum(longest, run, out=longest)
    found: Bytes = longest.max(axis=0)
    return found

from __future__ import annotations

import hashlib
import pickle
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from fairdeal.audit.stats import Battery, Statistics
from fairdeal.audit.stats.counts import SeatSums
from fairdeal.deal import OkeyDeal
from fairdeal.tiles import colour, is_false_joker, number
from tests.audit.orders import VARIED, at_the_wall, dealt, honest, part

KEYS = [hashlib.sha256(b"counts %d" % k).digest() for k in range(144)]
CLASSES = [("okey", 2), ("okey", 3), ("okey", 4), ("okey101", 2), ("okey101", 3), ("okey101", 4)]


def _longest(hand: tuple[int, ...]) -> int:
    faces = {(colour(t), number(t)) for t in hand if not is_false_joker(t)}
    return max(
        length for c, n in faces for length in range(1, 14) if all((c, n + k) in faces for k in range(length))
    )


def _pairs(hand: tuple[int, ...]) -> int:
    return sum(t + 52 in hand for t in hand if t < 52) + (104 in hand and 105 in hand)


def _seat_sums(deals: list[OkeyDeal]) -> dict[str, NDArray[np.int64]]:
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(("okeys", "jokers", "pairs", "longest"), (24, 4))
    shapes |= {"hands": (24,), "longest_products": (24, 4, 4)}
    sums = {name: np.zeros(shape, np.int64) for name, shape in shapes.items()}
    for deal in deals:
        game = "okey" if min(map(len, deal.hands)) == 14 else "okey101"
        row = CLASSES.index((game, len(deal.hands))) * 4 + deal.starter
        sums["hands"][row] += 1
        longest = [_longest(hand) for hand in deal.hands]
        for seat, hand in enumerate(deal.hands):
            sums["okeys"][row, seat] += sum(tile in deal.okey for tile in hand)
            sums["jokers"][row, seat] += sum(map(is_false_joker, hand))
            sums["pairs"][row, seat] += _pairs(hand)
            sums["longest"][row, seat] += longest[seat]
            for other, length in enumerate(longest):
                sums["longest_products"][row, seat, other] += longest[seat] * length
    return sums


def test_counts_are_those_of_the_deals_themselves() -> None:
    deals, columns = dealt(KEYS, VARIED)
    battery = Battery()
    battery.update(columns)
    for name, expected in _seat_sums(deals).items():
        assert getattr(battery.seats, name).tolist() == expected.tolist(), name
    assert battery.seats.with_okey.tolist() == battery.seats.hands.tolist()
    orders = battery.orders
    assert orders.rises == sum(sum(a < b for a, b in zip(d.order, d.order[1:], strict=False)) for d in deals)
    for position, tile in ((0, 0), (105, 41), (50, 104)):
        assert orders.tiles[position, tile] == sum(d.order[position] == tile for d in deals)
    collected = np.zeros(107, int)
    for deal in deals:
        seen: set[int] = set()
        read = 0
        while len(seen) < 13:
            if not is_false_joker(deal.order[read]):
                seen.add(number(deal.order[read]))
            read += 1
        collected[read] += 1
    assert orders.collected.tolist() == collected.tolist()


def test_draws_are_counted_by_place_and_seat() -> None:
    deals, columns = dealt(KEYS, VARIED)
    battery = Battery()
    battery.update(columns)
    draws = battery.draws
    assert draws.indicators.tolist() == np.bincount([d.indicator for d in deals], minlength=104).tolist()
    walls = [d.wall for d in deals if d.wall]
    assert draws.dice[0].sum() == draws.dice[2].sum() == len(walls)
    assert draws.dice[1].sum() == draws.dice[3].sum() == sum(len(w.throws[0]) == 2 for w in walls)
    assert draws.dice[2, 5] == sum(w.throws[1][0] == 6 for w in walls)
    thrown = [d for d in deals if d.dealer_throws]
    assert draws.dealers.sum() == len(thrown)
    assert draws.dealers[2, 3] == sum(
        d.dealer == 3 and len(d.hands) == 4 and min(map(len, d.hands)) == 14 for d in thrown
    )
    assert draws.dealer_dice[5, 0].sum() == sum(
        len(d.hands) == 4 and min(map(len, d.hands)) == 21 for d in thrown
    )


@pytest.mark.parametrize("cuts", [(0, 3000), (0, 1, 3000), (0, 700, 701, 1500, 3000)])
def test_parts_merge_into_the_whole_exactly(cuts: tuple[int, ...]) -> None:
    rng = np.random.default_rng(3)
    columns = at_the_wall(rng, honest(rng, 3000))
    whole, merged = Battery(), Battery()
    whole.update(columns)
    for start, stop in pairwise(cuts):
        piece = Battery()
        piece.update(part(columns, start, stop))
        merged.merge(pickle.loads(pickle.dumps(piece)))  # noqa: S301  # as a cluster would send it
    assert _plain(merged.results()) == _plain(whole.results())


def _plain(results: Statistics) -> object:
    return results.as_json(), results.tiles.tolist()


def test_seat_sums_name_all_that_they_hold() -> None:
    assert set(SeatSums.NAMES) == set(vars(SeatSums()))

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fairdeal.deal import OkeyDeal, deal_from
from fairdeal.terms import OkeyTerms
from tests.core.pickers import Recorded, with_tiles


def deal(order: Sequence[int], seats: int = 4, game: str = "okey", dealer: int = 0) -> OkeyDeal:
    terms = OkeyTerms("okey" if game == "okey" else "okey101", "plain", seats, dealer, 1, openings=False)
    made = deal_from(Recorded(), terms, order)
    assert isinstance(made, OkeyDeal)
    assert made.wall is None
    return made


def test_hands_are_taken_whole_from_the_front() -> None:
    made = deal(with_tiles({105: 3}))
    assert made.starter == 1
    assert made.hands[1] == tuple(made.order[:15])
    assert made.hands[2] == tuple(made.order[15:29])
    assert made.hands[3] == tuple(made.order[29:43])
    assert made.hands[0] == tuple(made.order[43:57])
    assert (made.indicator, made.stock) == (3, tuple(made.order[57:105]))


@pytest.mark.parametrize(
    ("end", "indicator", "stock_end"),
    [
        ((7, 8, 9), 9, (7, 8)),
        ((7, 8, 104), 8, (7, 104)),
        ((7, 104, 8), 8, (7, 104)),
        ((7, 105, 104), 7, (105, 104)),
        ((7, 104, 105), 7, (104, 105)),
    ],
)
def test_the_indicator_is_the_last_tile_that_is_no_false_joker(
    end: tuple[int, int, int], indicator: int, stock_end: tuple[int, int]
) -> None:
    rest = [t for t in range(106) if t not in end]
    made = deal([*rest, *end])
    assert made.indicator == indicator
    assert made.stock[-2:] == stock_end
    assert indicator not in made.stock


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("dealer", [0, 1])
def test_okey101_and_fewer_players(seats: int, dealer: int) -> None:
    made = deal(with_tiles({105: 3}), seats, "okey101", dealer)
    starter = (dealer + 1) % seats
    assert [len(hand) for hand in made.hands] == [21 + (seat == starter) for seat in range(seats)]
    taken = [tile for k in range(seats) for tile in made.hands[(starter + k) % seats]]
    assert taken == list(made.order[: len(taken)])

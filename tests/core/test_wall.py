"""Deals worked out by hand: places are written as stack.level, both counted from 1; SP is the spare."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fairdeal.deal import OkeyDeal, deal_from
from fairdeal.terms import OkeyTerms
from fairdeal.tiles import name, parse_name
from tests.core.pickers import dice, with_tiles

ONE_DIE = OkeyTerms("okey", "wall", 4, 0, 1, openings=False)
TWO_DICE = OkeyTerms("okey", "wall", 4, 0, 2, openings=False)
OKEY101 = OkeyTerms("okey101", "wall", 4, 0, 1, openings=False)
RED_4 = parse_name("R4")[0]


def deal(order: Sequence[int], terms: OkeyTerms, *thrown: int) -> OkeyDeal:
    made = deal_from(dice(*thrown), terms, order)
    assert isinstance(made, OkeyDeal)
    return made


class Places:
    """Reads tiles off an order by their place in the wall."""

    def __init__(self, order: Sequence[int], height: int) -> None:
        self.order, self.height = order, height

    def __call__(self, text: str) -> tuple[int, ...]:
        return tuple(tile for place in text.split() for tile in self._tiles(place))

    def _tiles(self, place: str) -> list[int]:
        if place == "SP":
            return [self.order[105]]
        stack, _, level = place.partition(".")
        levels = [int(level)] if level else range(self.height, 0, -1)
        return [self.order[(int(stack) - 1) * self.height + k - 1] for k in levels]


def stacks(first: int, last: int) -> str:
    return " ".join(map(str, range(first, last + 1)))


def test_the_source_s_own_deal() -> None:
    order = with_tiles({4 * 5 + 1: RED_4})
    made, at = deal(order, ONE_DIE, 5, 2), Places(order, 5)
    assert made.wall is not None
    assert (made.wall.selected, made.wall.level, made.wall.throws) == (4, 1, ((5,), (2,)))
    assert (made.indicator, name(made.indicator)) == (at("5.2")[0], "R4")
    assert made.okey == parse_name("R5")
    assert made.starter == 1
    # a … l are the stacks after the selected one: 6 … 17.
    assert made.hands[1] == at("6 10 14")
    assert made.hands[2] == at("7 11 15.5 15.4 15.3 15.2")
    assert made.hands[3] == at("8 12 15.1 16.5 16.4 16.3")
    assert made.hands[0] == at("9 13 16.2 16.1 17.5 17.4")
    assert made.stock == at(f"17.3 17.2 17.1 {stacks(18, 21)} {stacks(1, 4)} SP 5.5 5.4 5.3 5.1")
    assert len(made.stock) == 48


@pytest.mark.parametrize("dealer", range(4))
def test_the_ring_starts_at_the_dealer_and_runs_to_the_right(dealer: int) -> None:
    order = with_tiles({4 * 5 + 1: RED_4})
    at = Places(order, 5)
    made = deal(order, OkeyTerms("okey", "wall", 4, dealer, 1, openings=False), 5, 2)
    seats = [(dealer + k) % 4 for k in (1, 2, 3, 4)]
    assert (made.dealer, made.starter, made.dealer_throws) == (dealer, seats[0], ())
    assert [made.hands[s][:5] for s in seats] == [at("6"), at("7"), at("8"), at("9")]
    assert [len(made.hands[s]) for s in seats] == [15, 14, 14, 14]


def test_the_spare_may_be_the_indicator() -> None:
    order = with_tiles({105: RED_4})
    made, at = deal(order, ONE_DIE, 5, 6), Places(order, 5)
    assert made.wall is not None
    assert (made.indicator, made.wall.level) == (at("SP")[0], 5)
    assert made.stock[-5:] == at("5.5 5.4 5.3 5.2 5.1")


def test_a_false_joker_is_no_indicator_and_stays_where_it_is() -> None:
    order = with_tiles({20: parse_name("B9")[0], 21: 104, 22: RED_4})
    made, at = deal(order, ONE_DIE, 5, 2, 2, 3), Places(order, 5)
    assert made.wall is not None
    assert made.wall.throws == ((5,), (2,), (2,), (3,))
    assert (name(made.indicator), made.wall.level) == ("R4", 2)
    assert made.stock[-5:] == at("SP 5.5 5.4 5.2 5.1")
    assert made.stock[-2:] == (104, parse_name("B9")[0])
    assert {104, 105} <= {*made.stock, *(t for hand in made.hands for t in hand)}


def test_two_dice_can_pass_the_end_of_the_ring() -> None:
    order = list(range(106))
    made, at = deal(order, TWO_DICE, 6, 6, 1, 2), Places(order, 5)
    assert made.wall is not None
    assert (made.wall.selected, made.wall.level, made.wall.throws) == (11, 2, ((6, 6), (1, 2)))
    assert made.hands[1][:5] == at("13")
    assert made.hands[2][-4:] == at("1.5 1.4 1.3 1.2")
    assert made.stock == at(f"3.3 3.2 3.1 {stacks(4, 11)} SP 12.5 12.4 12.2 12.1")


@pytest.mark.parametrize(
    ("thrown", "level"), [((1, 1), 1), ((3, 3), 5), ((3, 4), 0), ((4, 4), 1), ((6, 6), 5), ((6, 5), 4)]
)
def test_counting_starts_over_at_the_bottom_of_the_taller_stack(thrown: tuple[int, int], level: int) -> None:
    order = with_tiles({105: 50})
    made = deal(order, TWO_DICE, 1, 1, *thrown)
    assert made.wall is not None
    assert made.wall.level == level
    assert made.indicator == [*order[5:10], order[105]][level]


@pytest.mark.parametrize(("thrown", "level"), [((3, 5), 7), ((4, 5), 0), ((6, 6), 3)])
def test_a_stack_of_okey101_counts_eight_with_the_spare(thrown: tuple[int, int], level: int) -> None:
    order = with_tiles({105: 50})
    made = deal(order, OkeyTerms("okey101", "wall", 4, 0, 2, openings=False), 1, 1, *thrown)
    assert made.wall is not None
    assert made.wall.level == level
    assert made.indicator == [*order[7:14], order[105]][level]


def test_okey101() -> None:
    order = list(range(106))
    made, at = deal(order, OKEY101, 3, 4), Places(order, 7)
    assert made.indicator == at("3.4")[0]
    assert len(made.hands[1]) == 22
    assert made.hands[1][-1] == at("1.7")[0]
    assert made.hands[1][:-1] == at("4 8 12")
    assert made.stock == at("1.6 1.5 1.4 1.3 1.2 1.1 2 SP 3.7 3.6 3.5 3.3 3.2 3.1")
    assert [len(hand) for hand in made.hands] == [21, 22, 21, 21]


@pytest.mark.parametrize("game", ["okey", "okey101"])
@pytest.mark.parametrize("seats", [2, 3])
def test_fewer_players_leave_a_longer_stock(game: str, seats: int) -> None:
    terms = OkeyTerms("okey" if game == "okey" else "okey101", "wall", seats, 0, 1, openings=False)
    made = deal(list(range(106)), terms, 1, 1)
    full = terms.hand_size
    assert sorted(map(len, made.hands)) == [full] * (seats - 1) + [full + 1]
    assert len(made.stock) == 106 - 1 - seats * full - 1
    at = Places(made.order, terms.stack_height)
    assert made.hands[1][: terms.stack_height] == at("2")

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings

from fairdeal.checks import census
from fairdeal.deal import DeckDeal, OkeyDeal, document_members, make_deal, parse_document
from fairdeal.errors import MalformedError
from fairdeal.terms import DeckTerms, OkeyTerms, Terms
from fairdeal.tiles import is_false_joker, name, okey_of, twins
from tests.core import strategies as own

KEY = bytes(range(32))
WALL = make_deal(KEY, OkeyTerms("okey", "wall", 4, "throw", 2, openings=False)).as_json()
PLAIN = make_deal(KEY, OkeyTerms("okey101", "plain", 3, 0, 1, openings=False)).as_json()
DECK = make_deal(KEY, DeckTerms(52, 4, openings=False)).as_json()


def check_invariants(made: OkeyDeal, terms: OkeyTerms) -> None:
    in_play = [*made.stock, *(tile for hand in made.hands for tile in hand)]
    assert sorted([*in_play, made.indicator]) == sorted(made.order) == list(range(106))
    assert not census(made.as_json())
    assert not is_false_joker(made.indicator)
    assert made.okey == okey_of(made.indicator)
    faces = Counter(map(name, in_play))
    assert faces[name(made.indicator)] == 1
    assert faces["J"] == 2
    assert set(made.okey) <= set(in_play)
    assert made.indicator not in made.okey
    assert len(twins(made.indicator)) == 2
    assert 0 <= made.dealer < terms.seats
    assert terms.dealer in (made.dealer, "throw")
    assert bool(made.dealer_throws) == (terms.dealer == "throw")
    assert made.starter == (made.dealer + 1) % terms.seats
    assert [len(hand) for hand in made.hands] == [
        terms.hand_size + (seat == made.starter) for seat in range(terms.seats)
    ]
    assert (made.wall is not None) == (terms.layout == "wall")
    if made.wall:
        assert [t for stack in made.wall.stacks for t in stack] + [made.wall.spare] == list(made.order)
        assert {len(stack) for stack in made.wall.stacks} == {terms.stack_height}
        assert all(len(throw) == terms.dice and set(throw) <= set(range(1, 7)) for throw in made.wall.throws)
        tall = [*made.wall.stacks[made.wall.selected], made.wall.spare]
        assert tall[made.wall.level] == made.indicator
        assert made.wall.selected == sum(made.wall.throws[0]) - 1
        for throw in made.wall.throws[1:-1]:
            assert is_false_joker(tall[(sum(throw) - 1) % len(tall)])


@pytest.mark.parametrize("terms", own.OKEY_TERMS, ids=lambda terms: terms.canonical().decode())
@settings(max_examples=8)
@given(key=own.seeds)
def test_every_tile_is_dealt_once_under_all_terms(terms: OkeyTerms, key: bytes) -> None:
    made = make_deal(key, terms)
    assert isinstance(made, OkeyDeal)
    check_invariants(made, terms)
    assert parse_document(made.as_json()) == made.as_json()
    assert made.as_json().keys() == set(document_members(terms))


@given(own.deck_terms, own.seeds)
def test_a_deck_is_an_order_of_all_its_cards(terms: DeckTerms, key: bytes) -> None:
    made = make_deal(key, terms)
    assert isinstance(made, DeckDeal)
    assert sorted(made.order) == list(range(terms.size))
    assert parse_document(made.as_json()) == made.as_json() == {"order": list(made.order)}


@given(own.seeds, own.seeds)
def test_another_key_deals_another_hand(one: bytes, other: bytes) -> None:
    terms: Terms = own.OKEY_TERMS[0]
    assert (make_deal(one, terms) == make_deal(other, terms)) == (one == other)


def test_both_dealers_of_a_throw_are_on_record() -> None:
    assert WALL["dealer_throws"][0] == [
        {"seat": seat, "value": throw["value"]} for seat, throw in enumerate(WALL["dealer_throws"][0])
    ]


def test_what_an_order_of_positions_says_about_the_shuffle() -> None:
    # A shuffle that stops early, or never leaves a tile in place, shows at the two ends of 2,000 orders.
    orders = [make_deal(k.to_bytes(32, "big"), DeckTerms(106, 4, openings=False)).order for k in range(2_000)]
    for position in (0, 1, 104, 105):
        stays = sum(order[position] == position for order in orders)
        assert 4 <= stays <= 42  # 2000/106 ≈ 19, six standard deviations either way
        assert len({order[position] for order in orders}) == 106


DOCUMENTS = [("wall", WALL), ("plain", PLAIN), ("deck", DECK)]


@pytest.mark.parametrize(("kind", "document"), DOCUMENTS)
def test_a_document_has_exactly_its_members(kind: str, document: dict[str, Any]) -> None:
    for member in document:
        with pytest.raises(MalformedError, match=r"^deal"):
            parse_document({k: v for k, v in document.items() if k != member})
    with pytest.raises(MalformedError, match=r"^deal\.\w+: (unknown|missing) field"):
        parse_document(document | {"note": 1})
    for value in (None, [], 1, "deal", [document]):
        with pytest.raises(MalformedError, match="deal: must be an object"):
            parse_document(value)


WRONG: dict[str, list[Any]] = {
    "order": [None, {}, "", 5, [-1], [1024], ["1"], [True], [None], [[1]], list(range(1025))],
    "dealer": [None, -1, 16, "0", False, [0], "throw"],
    "starter": [None, -1, 16, "0", True],
    "dealer_throws": [
        *(None, {}, [1], [[1]], [[{}]], [[{"seat": 0}]], [[{"seat": 0, "value": 7}]], [[]] * 1025),
        *([[{"seat": 0, "value": 0}]], [[{"seat": 16, "value": 1}]], [[{"seat": True, "value": 1}]]),
        [[{"seat": 0, "value": 1, "die": 2}]],
    ],
    "indicator": [None, -1, 1024, "1", False, [1]],
    "okey": [None, 1, ["1"], [-1], [True]],
    "hands": [None, {}, [1], [["1"]], [[1024]], [None], [[True]], [[[1]]], [[]] * 1025],
    "stock": [None, {}, [-1], [None]],
    "wall": [None, {}, [1], [[None]], [[1024]], [[True]]],
    "spare": [None, -1, "1", True],
    "throws": [None, [1], [["1"]], [[0]], [[7]], [[True]], [None], [[1] * 1025], [[]] * 1025],
    "selected": [None, -1, 1024, "1", True],
    "level": [None, -1, 1024, "1", True],
}


@pytest.mark.parametrize("member", WRONG)
def test_a_document_s_values_have_their_types(member: str) -> None:
    for document in (WALL, PLAIN, DECK):
        if member not in document:
            continue
        for value in WRONG[member]:
            with pytest.raises(MalformedError, match=rf"^deal\.{member}"):
                parse_document(document | {member: value})


def test_a_document_s_truth_is_not_its_form() -> None:
    odd = WALL | {"order": [], "hands": [[1, 1]], "stock": [1023], "throws": [], "okey": [], "level": 1023}
    assert parse_document(odd) == odd


def test_census_counts() -> None:
    assert census(WALL) == ""
    assert census(WALL | {"stock": WALL["stock"][1:]}) == "1 tiles missing, 0 there more than once"
    assert census(WALL | {"indicator": WALL["stock"][0]}) == "1 tiles missing, 1 there more than once"

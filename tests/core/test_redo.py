"""How many hands are redone, and that each is a deal of its own; the causes themselves are tested by name."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fairdeal import redo
from fairdeal.deal import make_deal
from fairdeal.draws import picker, shuffle
from fairdeal.seeds import Contribution
from fairdeal.terms import DeckTerms, Terms
from tests.core.strategies import OKEY_TERMS
from tests.dealer import DECK, OKEY, PLAIN

KEY = bytes(range(32))


def opened(count: int) -> list[Contribution]:
    return [Contribution(k, bytes([k]) * 32) for k in range(count)]


@pytest.mark.parametrize(
    ("count", "subsets", "others"), [(0, 0, 2), (1, 1, 2), (2, 3, 3), (4, 15, 25), (5, 6, 1), (16, 17, 1)]
)
def test_contributions_are_tried_whole_up_to_four(count: int, subsets: int, others: int) -> None:
    fewer = list(redo.fewer(opened(count)))
    assert len(fewer) == len(set(fewer)) == subsets
    assert all(len(some) < count for some in fewer)
    assert len(list(redo.changed(opened(count)))) == others


def test_other_terms_are_all_others_of_the_shape_shown() -> None:
    for terms in (OKEY, PLAIN):
        shown = make_deal(KEY, terms).as_json()
        found = list(redo.other_terms(terms, shown))
        assert set(found) == {t for t in OKEY_TERMS if t.layout == terms.layout} - {terms}
    decks = list(redo.other_terms(DECK, {"order": list(range(51))}))
    assert len(decks) == 32
    assert all(isinstance(t, DeckTerms) and t.size == 51 for t in decks)
    assert len(list(redo.other_terms(DECK, {"order": list(range(52))}))) == 31
    for order in ([], [0]):
        assert not list(redo.other_terms(DECK, {"order": order}))


@pytest.mark.parametrize("terms", [OKEY, PLAIN, DECK, DeckTerms(2, 1, openings=False)])
def test_deals_are_made_only_for_the_order_shown(terms: Terms) -> None:
    order = shuffle(picker(KEY), terms.size)
    keys = [bytes(32), KEY, bytes([1]) * 32]
    assert make_deal(KEY, terms) in list(redo.ordered(keys, terms, order))
    for other in (order[:-1], [*order, 0], [], [order[1], order[0], *order[2:]][: terms.size - 1]):
        assert not list(redo.ordered(keys, terms, other))
    if terms.size > 2:
        assert not list(redo.ordered(keys, terms, [order[1], order[0], *order[2:]]))


@pytest.mark.parametrize("terms", [OKEY, replace(OKEY, layout="plain"), DECK])
def test_every_wrong_shuffle_deals_another_hand(terms: Terms) -> None:
    truth = make_deal(KEY, terms)
    found = [truth]
    for variants in (redo.ascending, redo.off_by_one, redo.naive):
        found += variants(KEY, terms)
    found.append(next(redo.little_endian(KEY, terms)))
    assert len({str(deal) for deal in found}) == len(found) == 10

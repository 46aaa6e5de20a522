from __future__ import annotations

import hashlib

import numpy as np
import pytest

from fairdeal.audit.stats.blocks import blocks
from fairdeal.audit.stats.columns import DealColumns, hands_of
from fairdeal.audit.stats.layouts import NOBODY
from fairdeal.errors import UsageError
from fairdeal.terms import DeckTerms
from fairdeal.tiles import okey_of
from tests.audit.orders import TERMS, VARIED, dealt, honest

KEYS = [hashlib.sha256(b"columns %d" % k).digest() for k in range(200)]


def test_every_seat_owns_the_tiles_that_the_core_deals_it() -> None:
    deals, columns = dealt(KEYS, VARIED)
    (block,) = blocks(hands_of(columns))
    assert block.hands.known.all()
    for k, deal in enumerate(deals):
        owner = np.full(106, NOBODY)
        for seat, hand in enumerate(deal.hands):
            owner[list(hand)] = seat
        assert block.owner[:, k].tolist() == owner.tolist()
        assert block.hands.stratum[k] % 4 == deal.starter
        assert [deal.order[p] for p in block.place[:, k]] == list(range(106))
        assert deal.okey == okey_of(int(block.hands.indicator[k]))


def test_a_plain_order_tells_its_indicator_and_fixed_dealers_need_no_column() -> None:
    plain = [t for t in VARIED if t.layout == "plain" and t.dealer != "throw"]
    deals, columns = dealt(KEYS, plain)
    bare = DealColumns(columns.order, plain, columns.terms_id)
    (block,) = blocks(hands_of(bare))
    assert block.hands.indicator.tolist() == [deal.indicator for deal in deals]
    assert block.hands.known.all()
    assert not block.hands.dice.any()


@pytest.mark.parametrize("terms", [t for t in VARIED if t.layout == "wall" or t.dealer == "throw"][:3])
def test_hands_stay_unknown_where_dealer_or_dice_are_not_given(terms: object) -> None:
    _, columns = dealt(KEYS[:5], VARIED)
    wall_and_thrown = [t for t in VARIED if t.layout == "wall" or t.dealer == "throw"]
    (block,) = blocks(hands_of(DealColumns(columns.order, wall_and_thrown, np.arange(5))))
    assert not block.hands.known.any()
    assert (block.owner == NOBODY).all()
    assert (block.hands.indicator == 255).all() or wall_and_thrown[4].layout == "plain"


def test_dice_that_no_one_can_throw_leave_the_hands_unknown() -> None:
    _, columns = dealt(KEYS[:5], TERMS[:1])
    for wrong in (0, 7, 255):
        dice = np.zeros((5, 4), np.uint8)
        dice[:, 0] = wrong
        (block,) = blocks(hands_of(DealColumns(columns.order, TERMS[:1], np.zeros(5, int), dice=dice)))
        assert not block.hands.known.any()


def test_decks_and_orders_that_are_no_permutation_are_left_out() -> None:
    order = honest(np.random.default_rng(1), 6)
    order[1, 5] = order[1, 6]
    order[3, 0] = 200
    terms = (TERMS[0], DeckTerms(size=106, seats=4, openings=False))
    (block,) = blocks(hands_of(DealColumns(order, terms, np.array([0, 0, 0, 0, 1, 0]))))
    assert block.rows.tolist() == [0, 2, 5]
    assert list(blocks(hands_of(DealColumns(order[1:2], terms, np.array([0]))))) == []


def test_columns_of_another_shape_are_refused_by_name() -> None:
    order = honest(np.random.default_rng(1), 3)
    with pytest.raises(UsageError, match=r"order: expected the shape \(3, 106\)"):
        DealColumns(order[:, :100], TERMS, np.zeros(3, int))
    with pytest.raises(UsageError, match=r"dice: expected the shape \(3, 4\)"):
        DealColumns(order, TERMS, np.zeros(3, int), dice=np.zeros((3, 2), np.uint8))
    with pytest.raises(UsageError, match=r"terms_id: expected the shape \(3,\)"):
        DealColumns(order, TERMS, np.zeros(2, int))

from __future__ import annotations

import hashlib
import hmac
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairdeal import merkle, openings
from fairdeal.deal import OkeyDeal, make_deal
from fairdeal.entries import Commit, Lock
from fairdeal.errors import EvidenceError, MalformedError, UsageError
from fairdeal.openings import Opening, check_opening, open_slots, parse_opening
from fairdeal.terms import DeckTerms, OkeyTerms, Terms
from tests.core import strategies as own

HAND, KEY = bytes(range(16)), bytes(range(32))
OKEY = OkeyTerms("okey", "wall", 4, 2, 1, openings=True)
THROWN = OkeyTerms("okey", "plain", 3, "throw", 1, openings=True)
DECK = DeckTerms(52, 4, openings=True)


def entries(terms: Terms, root: bytes | None, hand: bytes = HAND) -> tuple[Commit, Lock]:
    return (
        Commit(0, "a", "b", 1, hand, terms, bytes(32), (), None, 60_000),
        Lock(0, hand, bytes(32), (), root, 60_000),
    )


def opened(terms: Terms, *slots: str) -> tuple[list[Opening], Commit, Lock]:
    deal = make_deal(KEY, terms)
    return (
        open_slots(HAND, KEY, terms, deal, list(slots)),
        *entries(terms, openings.deal_root(KEY, terms, deal)),
    )


def test_slots_of_a_table() -> None:
    slots = openings.slots(OKEY, 3)
    assert len(slots) == len(set(slots)) == 106
    assert slots[0] == "hand/0/0"
    assert slots[13:15] == ["hand/0/13", "hand/1/0"]
    assert slots[55:59] == ["hand/3/13", "hand/3/14", "indicator", "stock/0"]
    assert slots[-1] == "stock/47"
    assert openings.starters(OKEY) == (3,)
    assert list(openings.starters(THROWN)) == [0, 1, 2]


def test_slots_of_a_deck() -> None:
    assert openings.slots(DeckTerms(3, 2, openings=True), 0) == ["order/0", "order/1", "order/2"]
    assert openings.starters(DECK) == (0,)


@settings(max_examples=20)
@given(own.all_terms, own.seeds)
def test_the_root_by_its_plain_definition(terms: Terms, key: bytes) -> None:
    deal = make_deal(key, terms)
    if isinstance(deal, OkeyDeal):
        tiles = [t for hand in deal.hands for t in hand] + [deal.indicator, *deal.stock]
        slots = openings.slots(terms, deal.starter)
    else:
        tiles, slots = list(deal.order), openings.slots(terms, 0)
    leaves = []
    for slot, tile in zip(slots, tiles, strict=True):
        salt = hmac.digest(key, f"s:{slot}".encode(), "sha256").hex()
        leaves.append(hashlib.sha256(b"\0" + f"{slot} {tile} {salt}".encode()).digest())
    assert openings.deal_root(key, terms, deal) == merkle.root(leaves)


@pytest.mark.parametrize("terms", [OKEY, THROWN, DECK], ids=["okey", "thrown", "deck"])
def test_every_slot_opens(terms: Terms) -> None:
    deal = make_deal(KEY, terms)
    placed = openings.positions(terms, deal)
    made, commit, lock = opened(terms, *(slot for slot, _ in placed))
    for (slot, tile), opening in zip(placed, made, strict=True):
        assert (opening.slot, opening.tile, opening.size) == (slot, tile, terms.size)
        check_opening(opening, commit, lock)
        assert parse_opening(opening.as_json()) == opening


@pytest.mark.parametrize("slot", ["hand/3/14", "hand/4/0", "stock/99", "order/0", "", "indicator "])
def test_no_such_slot(slot: str) -> None:
    # Dealer 1 of 4: the starter is seat 2.
    terms = replace(OKEY, dealer=1)
    with pytest.raises(UsageError):
        opened(terms, "indicator", slot)


def test_an_opening_gives_away_no_other_tile() -> None:
    (first, second), _, _ = opened(OKEY, "hand/0/0", "hand/0/1")
    assert first.salt != second.salt
    text = str(first.as_json())
    assert second.salt.hex() not in text
    assert KEY.hex() not in text


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"hand": bytes(16)}, "other-hand"),
        ({"size": 105}, "wrong-size"),
        ({"size": 107}, "wrong-size"),
        ({"index": 1}, "wrong-index"),
        ({"index": 1023}, "wrong-index"),
        ({"slot": "hand/0/1"}, "wrong-index"),
        ({"slot": "hand/0/99"}, "wrong-index"),
        ({"tile": 7}, "bad-proof"),
        ({"tile": 106}, "bad-proof"),
        ({"tile": 1023}, "bad-proof"),
        ({"salt": bytes(32)}, "bad-proof"),
        ({"proof": ()}, "bad-proof"),
    ],
)
def test_an_opening_that_does_not_hold(change: dict[str, Any], code: str) -> None:
    (opening,), commit, lock = opened(OKEY, "hand/0/0")
    assert opening.tile != 7
    with pytest.raises(EvidenceError) as caught:
        check_opening(replace(opening, **change), commit, lock)
    assert caught.value.code == code


def test_a_proof_with_a_hash_more_or_less_or_changed_fails() -> None:
    (opening,), commit, lock = opened(OKEY, "stock/3")
    proof = opening.proof
    wrong = [proof[:-1], proof[1:], (*proof, bytes(32)), (bytes(32), *proof), proof[::-1]]
    wrong += [(*proof[:k], bytes([node[0] ^ 1]) + node[1:], *proof[k + 1 :]) for k, node in enumerate(proof)]
    for other in wrong:
        with pytest.raises(EvidenceError) as caught:
            check_opening(replace(opening, proof=other), commit, lock)
        assert caught.value.code == "bad-proof"


def test_a_lock_without_a_root_proves_nothing() -> None:
    (opening,), commit, lock = opened(OKEY, "indicator")
    with pytest.raises(EvidenceError) as caught:
        check_opening(opening, commit, replace(lock, deal_root=None))
    assert caught.value.code == "no-openings"
    with pytest.raises(EvidenceError) as caught:
        check_opening(opening, commit, replace(lock, hand=bytes(16)))
    assert caught.value.code == "other-hand"


def test_where_the_dealer_is_thrown_for_any_starter_s_position_may_stand() -> None:
    deal = make_deal(KEY, THROWN)
    assert isinstance(deal, OkeyDeal)
    names = openings.slots(THROWN, deal.starter)
    other = (deal.starter + 1) % 3
    index, slot = next((k, s) for k, s in enumerate(openings.slots(THROWN, other)) if s != names[k])
    (opening,), commit, lock = opened(THROWN, names[index])
    check_opening(opening, commit, lock)
    # With another starter fixed beforehand this slot can't stand there.
    with pytest.raises(EvidenceError) as caught:
        check_opening(opening, replace(commit, terms=replace(THROWN, dealer=(other - 1) % 3)), lock)
    assert caught.value.code == "wrong-index"
    # Before the dealer is known either may; but the leaf says which it is.
    with pytest.raises(EvidenceError) as caught:
        check_opening(replace(opening, slot=slot), commit, lock)
    assert caught.value.code == "bad-proof"


GOOD = opened(OKEY, "hand/2/13")[0][0].as_json()
WRONG: dict[str, list[Any]] = {
    "hand": ["", None, "00" * 15, "0" * 31, "GG" * 16, 0],
    "slot": [
        *(None, 1, "", "hand", "hand/0", "hand/00/1", "hand/0/01", "hand/0/1/2", "hand/-1/0", "hand/0/+1"),
        *("stock", "stock/", "stock/1e1", "indicator/0", "Indicator", "indicator\n", "order/ 1", "stock/٣"),
    ],
    "tile": [None, -1, 1024, "3", True, [3]],
    "salt": [None, "", "00" * 31, "00" * 33, "AA" * 32],
    "index": [None, -1, 1024, "0", False],
    "size": [None, 0, 1025, "106", True],
    "proof": [None, {}, "", [None], ["AA=="], [""], ["A" * 43], [GOOD["proof"][0]] * 11],
}


@pytest.mark.parametrize("member", WRONG)
def test_parsing_is_strict(member: str) -> None:
    assert parse_opening(GOOD).as_json() == GOOD
    for value in WRONG[member]:
        with pytest.raises(MalformedError, match=rf"^opening\.{member}"):
            parse_opening(GOOD | {member: value})
    with pytest.raises(MalformedError, match=rf"^opening\.{member}: missing field"):
        parse_opening({k: v for k, v in GOOD.items() if k != member})
    with pytest.raises(MalformedError, match=r"^opening\.note: unknown field"):
        parse_opening(GOOD | {"note": 1})


@given(st.none() | st.integers() | st.text() | st.lists(st.integers()))
def test_an_opening_must_be_an_object(value: Any) -> None:
    with pytest.raises(MalformedError, match="opening: must be an object"):
        parse_opening(value)

"""A receipt or record in which any one value was changed never comes out verified or consistent."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairdeal.errors import MalformedError
from fairdeal.receipt import Receipt, Record
from fairdeal.seen import Seen, SeenCommitment, SeenReceipt, SeenSeed
from fairdeal.terms import DeckTerms, OkeyTerms
from fairdeal.verify import verify
from tests.core.tamper import changed_documents
from tests.dealer import DECK, OKEY, OPENED, PLAIN, Dealer, Hand, evening

DEALER = evening(11)
SMALL_DECK = DeckTerms(5, 2, openings=True)
HANDS = {
    "okey, two seats in the shuffle": DEALER.play(OKEY, sealed=(0, 2)),
    "openings, dealer thrown for": DEALER.play(OPENED, sealed=(1, 3)),
    "plain, no seals": DEALER.play(PLAIN),
    "deck": DEALER.play(SMALL_DECK, sealed=(0, 1)),
    "void before the lock": DEALER.end(DEALER.commit(OKEY, sealed=(0, 2)), "void", "seat-silent"),
    "void after the lock": DEALER.end(DEALER.lock(DEALER.commit(PLAIN)), "void", "technical"),
    "expired": DEALER.end(DEALER.lock(DEALER.commit(OKEY, sealed=(1,))), "expired"),
}
DEALER.play()
KEY = DEALER.log.signer.verifier


@pytest.fixture(autouse=True)
def _no_diagnosis(monkeypatch: pytest.MonkeyPatch) -> None:
    # The cause never changes the verdict, and finding one for tens of thousands of documents takes minutes.
    monkeypatch.setattr(sys.modules["fairdeal.verify"], "diagnose", lambda *_: "unknown")


def kept(hand: Hand) -> list[Seen]:
    return [
        SeenReceipt(DEALER.receipt(hand, upto="commit")),
        SeenCommitment(hand.commitment),
        *(SeenSeed(seat, seed) for seat, seed in hand.client_seeds.items()),
    ]


def texts(document: Receipt | Record) -> Iterator[tuple[str, str]]:
    yield from changed_documents(document.as_json())


def verdict(text: str, **given: Any) -> str:
    try:
        return verify(text, **given).verdict
    except MalformedError:
        return "refused"


WALKED = [(name, "nothing") for name in HANDS if name not in ("expired", "void after the lock")]
WALKED += [(name, "key and seen") for name in ("deck", "void before the lock")]


@pytest.mark.parametrize(("name", "evidence"), WALKED)
def test_no_change_of_a_receipt_goes_unseen(name: str, evidence: str) -> None:
    hand = HANDS[name]
    # What was seen can only add failures, so that most hands are walked without.
    given: dict[str, Any] = {"keys": [KEY], "seen": kept(hand)} if evidence == "key and seen" else {}
    receipt = DEALER.receipt(hand)
    expected = "verified" if given else "consistent"
    assert verdict(json.dumps(receipt.as_json()), **given) == expected
    found: Counter[str] = Counter()
    for what, text in texts(receipt):
        # A key given from elsewhere makes the receipt's own unimportant, as long as it is a key.
        if what.startswith(".vkey"):
            assert verdict(text) in ("refuted", "refused"), what
            continue
        if what == ".checkpoint lines with [4] twice":
            continue  # signature lines of a note may repeat, and those of other keys are ignored
        outcome = verdict(text, **given)
        assert outcome in ("refuted", "incomplete", "refused"), what
        found[outcome] += 1
    assert found["refuted"] > 500
    assert found["refuted"] > 10 * (found["incomplete"] + found["refused"])


@pytest.mark.parametrize("name", [name for name, hand in HANDS.items() if hand.outcome == "played"])
def test_no_change_of_a_record_goes_unseen(name: str) -> None:
    record = DEALER.record(HANDS[name])
    assert verdict(json.dumps(record.as_json()), seen=kept(HANDS[name])) == "verified"
    assert verdict(json.dumps(record.as_json())) == "consistent"
    for what, text in texts(record):
        assert verdict(text) in ("refuted", "incomplete", "refused"), what


@pytest.mark.parametrize("name", HANDS)
def test_a_receipt_cut_short_is_incomplete(name: str) -> None:
    hand = HANDS[name]
    for upto in ("commit", "lock"):
        if upto not in hand.indexes:
            continue
        receipt = DEALER.receipt(hand, upto="commit" if upto == "commit" else "lock")
        report = verify(json.dumps(receipt.as_json()), keys=[KEY], seen=kept(hand))
        assert report.verdict == "incomplete"
    whole = DEALER.receipt(hand).as_json()
    if whole["deal"] is not None:
        assert verdict(json.dumps(whole | {"deal": None}), keys=[KEY], seen=kept(hand)) == "incomplete"


@pytest.mark.parametrize("name", HANDS)
def test_a_text_cut_anywhere_is_refused(name: str) -> None:
    text = json.dumps(DEALER.receipt(HANDS[name]).as_json())
    for at in {*range(0, len(text), 97), *range(len(text) - 5, len(text)), 1, 2, 3}:
        with pytest.raises(MalformedError):
            verify(text[:at])


RECEIPTS = [json.dumps(DEALER.receipt(hand).as_json()) for hand in HANDS.values()]
RECEIPTS += [json.dumps(DEALER.record(hand).as_json()) for hand in HANDS.values() if hand.outcome == "played"]


@settings(max_examples=400)
@given(st.sampled_from(RECEIPTS), st.data())
def test_any_character_changed_anywhere(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text) - 1))
    put = data.draw(
        st.sampled_from(["", "0", "1", '"', "\\", " ", "}", "]", ",", "e", "\u2028", "null", "-"])
    )
    changed = text[:at] + put + text[at + data.draw(st.integers(0, 2)) :]
    try:
        same = json.loads(changed) == json.loads(text)
    except ValueError:
        same = False
    outcome = verdict(changed)
    if not same:
        assert outcome in ("refuted", "incomplete", "refused")


@settings(max_examples=150)
@given(st.sampled_from(RECEIPTS), st.data())
def test_two_changes_at_once(text: str, data: st.DataObject) -> None:
    document = json.loads(text)
    original = json.dumps(document, sort_keys=True)
    for _ in range(2):
        parents = [node for node in nodes(document) if node]
        parent = data.draw(st.sampled_from(parents))
        name = data.draw(st.sampled_from(sorted(parent) if isinstance(parent, dict) else range(len(parent))))
        donor = data.draw(st.sampled_from(parents))
        other = data.draw(st.sampled_from(sorted(donor) if isinstance(donor, dict) else range(len(donor))))
        parent[name] = json.loads(json.dumps(donor[other]))
    if json.dumps(document, sort_keys=True) != original:
        assert verdict(json.dumps(document)) in ("refuted", "incomplete", "refused")


def nodes(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [value, *(n for item in value.values() for n in nodes(item))]
    if isinstance(value, list):
        return [value, *(n for item in value for n in nodes(item))]
    return []


def test_the_hands_cover_both_layouts_and_the_deck() -> None:
    terms = [hand.terms for hand in HANDS.values()]
    assert {t.layout for t in terms if isinstance(t, OkeyTerms)} == {"wall", "plain"}
    assert any(isinstance(t, DeckTerms) for t in terms)
    assert DECK.size == 52
    assert isinstance(DEALER, Dealer)

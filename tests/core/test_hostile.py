"""Attacks: documents made to come out better than they are, to crash the verifier, or to keep it busy."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairdeal.checkpoint import Checkpoint
from fairdeal.deal import make_deal
from fairdeal.diagnose import OtherHand
from fairdeal.errors import MalformedError
from fairdeal.merkle import leaf_hash
from fairdeal.note import Signer, sign
from fairdeal.receipt import LoggedEntry, Receipt, Record
from fairdeal.seeds import Contribution, Seal, seal
from fairdeal.seen import Seen, SeenCommitment, SeenReceipt, SeenSeed
from fairdeal.terms import DeckTerms
from fairdeal.verify import Report, verify
from tests.core.hands import DEALER, KEY, NAMESAKE, PLAYED, UNLOCKED, check
from tests.core.strategies import OKEY_TERMS
from tests.dealer import DECK, OKEY, OPENED, Dealer, Hand, text_of

GOOD = ("verified", "consistent")
RECEIPT = DEALER.receipt(PLAYED)


def kept(dealer: Dealer, hand: Hand) -> list[Seen]:
    return [SeenReceipt(dealer.receipt(hand, upto="commit"))]


# Documents that claim more than they show.


def test_a_whole_log_made_up_afterwards_is_never_verified() -> None:
    # The operator deals as it likes, and writes the log of it later under its own key.
    true = Dealer(61)
    hand = true.play(sealed=(0,))
    forger = Dealer(62)
    forger.log.signer = Signer(true.log.signer.name, bytes([5]) * 32)
    forged = Hand(hand.hand, hand.table, 1, hand.terms, bytes(32), dict(hand.client_seeds))
    forger.log_commit(forged)
    forger.end(forger.lock(forged), "played")
    text = text_of(forger.receipt(forged))
    assert verify(text).verdict == "consistent"
    assert verify(text).log_evidence == "only the receipt's own key"
    assert verify(text, keys=[true.log.signer.verifier]).verdict == "refuted"
    for item in (
        SeenCommitment(hand.commitment),
        *kept(true, hand),
        SeenReceipt(true.receipt(hand, upto="lock")),
    ):
        assert verify(text, seen=[item]).verdict == "refuted"
    own = SeenSeed(0, hand.client_seeds[0])
    assert verify(text, seen=[own]).verdict == "consistent"
    assert verify(text, seen=[own]).grinding == "operator-with-all-seats"


def test_evidence_that_agrees_only_with_itself() -> None:
    # Someone shows the finished receipt once more as what was "kept", or a fork of the log.
    report = verify(text_of(RECEIPT), keys=[KEY], seen=[SeenReceipt(RECEIPT)])
    assert report.verdict == "consistent"
    other = DEALER.hands[1]
    for item in (*kept(DEALER, other), SeenReceipt(DEALER.receipt(other))):
        assert verify(text_of(RECEIPT), keys=[KEY], seen=[item]).verdict == "consistent"


def commits_twice() -> tuple[Dealer, Receipt]:
    """Two commits of one hand id; the second is the one that is played."""
    dealer = Dealer(63)
    first = dealer.commit(sealed=(0,))
    second = Hand(first.hand, first.table, 2, first.terms, bytes([3]) * 32, first.client_seeds)
    dealer.log_commit(second)
    dealer.end(dealer.lock(second), "played")
    indexes = [first.indexes["commit"], *second.indexes.values()]
    return dealer, dealer.log.receipt(indexes, dealer.deal_of(second).as_json())


def test_two_commits_of_one_hand() -> None:
    dealer, receipt = commits_twice()
    assert verify(text_of(receipt)).verdict == "refuted"
    # The first alone breaks the chain; the second alone is what a player who saw the first refutes.
    first, *rest = receipt.entries
    assert verify(text_of(replace(receipt, entries=(first, *rest[1:])))).verdict == "refuted"
    second = replace(receipt, entries=tuple(rest))
    assert verify(text_of(second)).verdict == "consistent"
    assert verify(text_of(second), seen=kept(dealer, dealer.hands[0])).verdict == "refuted"


@pytest.mark.parametrize("times", [2, 5])
def test_repeated_entries(times: int) -> None:
    for k in range(3):
        entries = [*RECEIPT.entries[:k], *[RECEIPT.entries[k]] * times, *RECEIPT.entries[k + 1 :]]
        assert check(replace(RECEIPT, entries=tuple(entries)), KEY).verdict == "refuted"


def test_entries_of_two_hands() -> None:
    other = DEALER.receipt(next(h for h in DEALER.hands if h.terms == OPENED))
    for k in range(3):
        entries = list(RECEIPT.entries)
        entries[k] = other.entries[k]
        for deal in (RECEIPT.deal, other.deal, None):
            assert check(replace(RECEIPT, entries=tuple(entries), deal=deal), KEY).verdict == "refuted"


def test_a_lock_hidden_so_that_the_hand_seems_never_dealt() -> None:
    entries = (RECEIPT.entries[0], RECEIPT.entries[2])
    for deal in (None, RECEIPT.deal):
        assert check(replace(RECEIPT, entries=entries, deal=deal), KEY).verdict == "refuted"


def test_an_entry_hidden_behind_another_version() -> None:
    for k in range(3):
        value = json.loads(RECEIPT.entries[k].entry) | {"v": 2}
        text = json.dumps(value, separators=(",", ":"), sort_keys=True)
        dealer = Dealer(64)
        indexes = [
            dealer.log.append((text if i == k else e.entry).encode()) for i, e in enumerate(RECEIPT.entries)
        ]
        report = check(dealer.log.receipt(indexes, RECEIPT.deal), dealer.log.signer.verifier)
        assert report.verdict == "incomplete"


def test_a_tree_of_one_forged_leaf_is_worth_its_signature() -> None:
    entry = RECEIPT.entries[0]
    head = Checkpoint(KEY.name, 1, leaf_hash(entry.entry.encode()))
    tiny = Receipt(
        NAMESAKE.verifier.text(), sign(head.text(), [NAMESAKE]), (LoggedEntry(0, entry.entry, ()),), None
    )
    assert check(tiny).log_evidence == "only the receipt's own key"
    assert check(tiny, KEY).verdict == "refuted"
    # A key of the same name, added to the receipt's own by the forger, is not the key that was given.
    assert check(tiny, KEY)["signature"].result == "fail"


@pytest.mark.parametrize("line", ["", "extension\n", "\n"])
def test_checkpoints_with_more_lines(line: str) -> None:
    text = RECEIPT.head.text() + line
    report = check(replace(RECEIPT, checkpoint=sign(text, [DEALER.log.signer])), KEY)
    assert report.verdict == ("refuted" if line else "consistent")


def test_seeds_that_nobody_sealed_are_no_proof_of_taking_part() -> None:
    class Stuffing(Dealer):
        def contributions_of(self, hand: Hand) -> tuple[Contribution, ...]:
            return (Contribution(1, bytes([1]) * 32),)

    dealer = Stuffing(65)
    hand = dealer.play()
    report = verify(text_of(dealer.receipt(hand)), seen=[*kept(dealer, hand), SeenSeed(1, bytes([1]) * 32)])
    assert (report["seals"].result, report.verdict, report.grinding) == ("fail", "refuted", "operator")


def test_a_root_that_the_terms_ask_for_and_the_lock_lacks() -> None:
    class Rootless(Dealer):
        def lock(self, hand: Hand) -> Hand:
            terms, hand.terms = hand.terms, OKEY
            super().lock(hand)
            hand.terms = terms
            return hand

    dealer = Rootless(66)
    hand = dealer.play(OPENED)
    report = verify(text_of(dealer.receipt(hand)), seen=kept(dealer, hand))
    assert (report["openings"].result, report.verdict) == ("fail", "refuted")
    # It is wrong from the lock on, not only once the seeds are known.
    assert verify(text_of(dealer.receipt(hand, upto="lock")))["openings"].result == "fail"


def test_truth_values_are_no_numbers() -> None:
    deal = make_deal(bytes(32), DeckTerms(2, 1, openings=False)).as_json()
    record = Record(bytes(16), DeckTerms(2, 1, openings=False), None, None, (), (), None, deal).as_json()
    record["deal"] = {"order": [bool(t) for t in deal["order"]]}
    assert check(record)["format"].result == "fail"


def test_parts_of_another_hand_in_a_record() -> None:
    mine, theirs = DEALER.record(PLAYED).as_json(), DEALER.record(DEALER.hands[2]).as_json()
    for name in mine:
        if mine[name] != theirs[name]:
            assert check(mine | {name: theirs[name]}).verdict == "refuted"


def test_an_unlocked_hand_is_not_improved_by_anything() -> None:
    whole = DEALER.receipt(UNLOCKED)
    assert check(whole, KEY).verdict == "consistent"
    lock = RECEIPT.entries[1]
    entries = (whole.entries[0], lock, whole.entries[1])
    for deal in (None, RECEIPT.deal):
        assert check(replace(whole, entries=entries, deal=deal), KEY).verdict == "refuted"


# Text that must never do more than be refused or refuted.


@settings(max_examples=300)
@given(st.text(max_size=80) | st.binary(max_size=80))
def test_any_text(text: str | bytes) -> None:
    with pytest.raises(MalformedError):
        verify(text)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.text(max_size=5)
    | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
RECORD_OBJECT = DEALER.record(PLAYED).as_json()


@settings(max_examples=200)
@given(st.sampled_from([RECEIPT.as_json(), RECORD_OBJECT]), st.data())
def test_any_json_in_any_member(document: dict[str, Any], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(document)))
    value = data.draw(json_values)
    try:
        report = verify(json.dumps(document | {name: value}))
    except MalformedError:
        return
    assert report.verdict not in GOOD or value == document[name]


PIECES = [
    "\\",
    '"',
    "\\ud800",
    "{",
    "[" * 40,
    "]",
    "1e9",
    "-0",
    "\x00",
    "\ud83d",
    "9" * 400,
    ",",
    ":",
    "NaN",
    " ",
]


@settings(max_examples=300)
@given(st.sampled_from([text_of(RECEIPT), json.dumps(RECORD_OBJECT)]), st.data())
def test_any_piece_anywhere(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    piece = data.draw(st.sampled_from(PIECES))
    changed = text[:at] + piece + text[at:]
    try:
        report = verify(changed)
    except MalformedError:
        return
    # Spaces between values are free, and so is the escape in "\\/".
    assert report.verdict not in GOOD or json.loads(changed) == json.loads(text)


@pytest.mark.parametrize("name", ["__proto__", "constructor", "deal ", "Deal", "format\u200b", "__class__"])
def test_names_that_are_almost_right(name: str) -> None:
    assert check(RECORD_OBJECT | {name: 1}).verdict == "refuted"
    deal = RECORD_OBJECT["deal"] | {name: 1}
    assert check(RECORD_OBJECT | {"deal": deal}).verdict == "refuted"


def test_repeated_members_at_every_depth_are_refused() -> None:
    text = text_of(RECEIPT)
    for name in ("format", "entries", "index", "proof", "deal", "order", "hands", "checkpoint"):
        with pytest.raises(MalformedError, match="must not repeat"):
            verify(text.replace(f'"{name}":', f'"{name}": null, "{name}":', 1))


# Documents made to keep the verifier busy.


def timed(document: Receipt | Record, **given: Any) -> tuple[Report, float]:
    text = text_of(document)
    start = time.process_time()
    report = verify(text, **given)
    return report, time.process_time() - start


def heavy() -> Iterator[tuple[str, Record]]:
    dealer = Dealer(67)
    largest = dealer.play(DeckTerms(1024, 16, openings=True), sealed=range(16))
    record = dealer.record(largest)
    yield "another order of 1024", replace(record, deal={"order": [0] * 1024})
    yield "a wall for a deck", replace(record, deal=dealer.deal_of(dealer.play(OKEY)).as_json())
    four = dealer.record(dealer.play(OPENED, sealed=range(4)))
    deal = dealer.deal_of(dealer.hands[-1]).as_json()
    yield "four contributions", replace(four, deal=deal | {"dealer": 15})
    yield (
        "16 contributions",
        replace(
            four,
            contributions=tuple(Contribution(k, bytes([k]) * 32) for k in range(16)),
            seals=tuple(Seal(k, seal(bytes([k]) * 32)) for k in range(4)),
            deal=deal,
        ),
    )
    yield (
        "a large deal",
        replace(
            four,
            deal=deal
            | {"hands": [list(range(1024))] * 200, "wall": [[1] * 1024] * 100, "throws": [[1] * 100] * 1024},
        ),
    )


@pytest.mark.parametrize(
    ("name", "record"), list(heavy()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_hostile_deal_takes_bounded_work(name: str, record: Record) -> None:
    others = [OtherHand(bytes([k]) * 16, None, bytes([k]) * 32) for k in range(20)]
    report, seconds = timed(record, others=others)
    assert report.verdict == "refuted"
    assert seconds < 10


def test_orders_of_every_length_are_judged() -> None:
    dealer = Dealer(68)
    record = dealer.record(dealer.play(DECK, sealed=(0,)))
    for order in ([], [0], [0, 1], list(range(1024))):
        assert check(replace(record, deal={"order": order})).verdict == "refuted"


def test_hands_of_all_terms_may_be_refuted() -> None:
    dealer = Dealer(69)
    for terms in OKEY_TERMS[::37]:
        hand = dealer.play(terms, sealed=(0,))
        deal = dealer.deal_of(hand).as_json()
        changes: list[dict[str, Any]] = [{"hands": []}, {"stock": []}, {"okey": []}, {"order": []}]
        for change in changes:
            assert check(replace(dealer.record(hand), deal=deal | change)).verdict == "refuted"

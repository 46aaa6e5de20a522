from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from fairdeal.encoding import canonical
from fairdeal.errors import MalformedError, UnsupportedError
from fairdeal.openings import open_slots
from fairdeal.receipt import Receipt, Record
from fairdeal.seen import (
    Seen,
    SeenCommitment,
    SeenOpening,
    SeenReceipt,
    SeenSeed,
    SeenTiles,
    parse_seen,
    parse_seen_text,
)
from fairdeal.tiles import name
from fairdeal.verify import Report, verify
from tests.core.hands import LATER
from tests.dealer import DECK, OPENED, Dealer, Hand, evening, text_of

DEALER = evening(41)
KEY = DEALER.log.signer.verifier
HAND = next(h for h in DEALER.hands if h.terms == OPENED)
OTHER = DEALER.hands[0]
RECEIPT, RECORD = DEALER.receipt(HAND), DEALER.record(HAND)
LOCKED = next(h for h in DEALER.hands if h.outcome is None and h.locked)
DEALT = [tuple(map(name, tiles)) for tiles in DEALER.deal_of(HAND).as_json()["hands"]]


def kept(hand: Hand, upto: Any = "commit", **how: Any) -> SeenReceipt:
    return SeenReceipt(DEALER.receipt(hand, upto=upto, **how))


def check(document: Receipt | Record, *seen: Seen) -> Report:
    return verify(text_of(document), keys=[KEY], seen=seen)


def result(document: Receipt | Record, *seen: Seen) -> str:
    return check(document, *seen)["seen"].result


BOTH = pytest.mark.parametrize("document", [RECEIPT, RECORD], ids=["receipt", "record"])


@BOTH
def test_a_commitment(document: Receipt | Record) -> None:
    assert check(document).verdict == "consistent"
    report = check(document, SeenCommitment(HAND.commitment))
    assert (report.verdict, report["seen"].result) == ("verified", "pass")
    report = check(document, SeenCommitment(OTHER.commitment))
    assert (report.verdict, report["seen"].result) == ("refuted", "fail")
    # A commitment names no hand, so that every one given must be this hand's.
    assert result(document, SeenCommitment(HAND.commitment), SeenCommitment(OTHER.commitment)) == "fail"


def test_a_record_that_lost_its_commitment_is_not_verified_by_one() -> None:
    bare = replace(RECORD, commitment=None)
    for item in (SeenCommitment(HAND.commitment), SeenCommitment(bytes(32)), kept(HAND), kept(HAND, "lock")):
        report = check(bare, item)
        assert (report["seen"].result, report.verdict) == ("absent", "incomplete")
        assert report.grinding == "operator-with-all-seats"


@BOTH
@pytest.mark.parametrize("upto", ["commit", "lock"])
def test_a_receipt_from_before_the_reveal(document: Receipt | Record, upto: str) -> None:
    report = check(document, kept(HAND, upto))
    assert (report.verdict, report["seen"].result) == ("verified", "pass")
    assert "an audit does that" in report["seen"].detail


@BOTH
def test_a_finished_receipt_shows_nothing_of_before(document: Receipt | Record) -> None:
    report = check(document, kept(HAND, "reveal"))
    assert (report.verdict, report["seen"].result) == ("consistent", "absent")
    assert "it holds the reveal already" in report["seen"].detail
    assert check(document, kept(HAND, "reveal"), SeenCommitment(HAND.commitment)).verdict == "verified"


@BOTH
def test_what_names_another_hand_is_set_aside(document: Receipt | Record) -> None:
    opening = SeenOpening(replace(DEALER.openings(HAND, "indicator")[0], hand=OTHER.hand))
    for item in (kept(OTHER), kept(OTHER, "lock"), kept(OTHER, "reveal"), opening):
        report = check(document, item)
        assert (report.verdict, report["seen"].result) == ("consistent", "absent")
        assert "set aside" in report["seen"].detail
        assert check(document, item, SeenCommitment(HAND.commitment)).verdict == "verified"


def cheating(change: dict[str, Any], stage: str = "commit") -> SeenReceipt:
    """A kept receipt of this hand in which one field of an entry says something else."""
    entries = []
    for logged in DEALER.receipt(HAND, upto="lock").entries:
        value = json.loads(logged.entry)
        if value["type"] == stage:
            value |= change
        entries.append(replace(logged, entry=canonical(value).decode()))
    receipt = replace(DEALER.receipt(HAND, upto="lock"), entries=tuple(entries))
    return SeenReceipt(receipt)


H = "00" * 32


@pytest.mark.parametrize(
    ("stage", "change", "record_fails"),
    [
        ("commit", {"commitment": H}, True),
        ("commit", {"seals": []}, True),
        ("commit", {"terms": {**OPENED.as_json(), "dice": 1}}, True),
        ("commit", {"number": 99}, False),
        ("commit", {"note": H}, False),
        ("commit", {"table": "elsewhere"}, False),
        ("lock", {"contributions": []}, True),
        ("lock", {"deal_root": H}, True),
        ("lock", {"deal_root": None}, True),
        ("lock", {"prev": H}, False),
    ],
)
def test_a_kept_receipt_that_disagrees(stage: str, change: dict[str, Any], record_fails: bool) -> None:
    item = cheating(change, stage)
    assert result(RECEIPT, item) == "fail"
    assert check(RECEIPT, item).verdict == "refuted"
    # A record lacks number, table, note and log: they are not compared with it.
    assert result(RECORD, item) == ("fail" if record_fails else "pass")


def test_a_kept_entry_at_another_index_disagrees() -> None:
    receipt = DEALER.receipt(HAND, upto="commit")
    moved = replace(receipt, entries=(replace(receipt.entries[0], index=receipt.entries[0].index + 1),))
    assert result(RECEIPT, SeenReceipt(moved)) == "fail"
    assert result(RECORD, SeenReceipt(moved)) == "pass"


def test_a_fork_at_the_same_size_disagrees() -> None:
    forked = Dealer(99)
    forked.log.signer = DEALER.log.signer
    for text in DEALER.log.entries[:-1]:
        forked.log.append(text)
    forked.log.append(b"something else")
    fork = forked.log.receipt([HAND.indexes["commit"]])
    assert fork.head.size == RECEIPT.head.size
    assert fork.head.root != RECEIPT.head.root
    report = check(RECEIPT, SeenReceipt(fork))
    assert report["seen"].result == "fail"
    assert "same log and size" in report["seen"].detail
    # Another size can't be compared without a proof, and another log's is another log.
    smaller = forked.log.receipt([HAND.indexes["commit"]], size=HAND.indexes["commit"] + 1)
    assert result(RECEIPT, SeenReceipt(smaller)) == "pass"
    assert result(RECORD, SeenReceipt(fork)) == "pass"


def test_a_kind_that_the_receipt_lacks_is_not_compared() -> None:
    receipt = DEALER.receipt(LOCKED, upto="commit")
    report = check(receipt, SeenReceipt(DEALER.receipt(LOCKED)))
    assert report["seen"].result == "pass"
    assert "the kept lock entry: there is none to compare it with" in report["seen"].detail
    assert report.verdict == "incomplete"


def test_a_kept_receipt_of_a_lock_alone_is_compared_but_no_commitment() -> None:
    whole = DEALER.receipt(HAND, upto="lock")
    alone = SeenReceipt(replace(whole, entries=whole.entries[1:]))
    for document in (RECEIPT, RECORD):
        report = check(document, alone)
        assert (report["seen"].result, report.verdict) == ("absent", "consistent")
        assert "agrees: the kept lock" in report["seen"].detail
    other = DEALER.receipt(OTHER, upto="lock")
    assert (
        "set aside" in check(RECEIPT, SeenReceipt(replace(other, entries=other.entries[1:])))["seen"].detail
    )
    wrong = cheating({"deal_root": H}, "lock").receipt
    assert result(RECEIPT, SeenReceipt(replace(wrong, entries=wrong.entries[1:]))) == "fail"


@BOTH
def test_a_kept_receipt_that_cannot_be_read_is_set_aside(document: Receipt | Record) -> None:
    receipt = DEALER.receipt(HAND, upto="commit")
    later = replace(receipt.entries[0], entry=LATER)
    for entries in ((), (later,), (*receipt.entries, later)):
        report = check(document, SeenReceipt(replace(receipt, entries=entries)))
        assert (report["seen"].result, report.verdict) == ("absent", "consistent")


@BOTH
def test_ones_own_client_seed(document: Receipt | Record) -> None:
    for seat, seed in HAND.client_seeds.items():
        report = check(document, SeenSeed(seat, seed))
        # It shows that one took part, not that the commitment stood before.
        assert (report["seen"].result, report.verdict) == ("absent", "consistent")
        assert check(document, SeenSeed(seat, seed), SeenCommitment(HAND.commitment)).verdict == "verified"
        for wrong in (SeenSeed(seat, bytes(32)), SeenSeed((seat + 1) % 4, seed), SeenSeed(9, seed)):
            assert check(document, wrong).verdict == "refuted"
            assert result(document, wrong, SeenCommitment(HAND.commitment)) == "fail"


def test_a_client_seed_before_the_lock_and_one_that_the_lock_swapped() -> None:
    dealer = Dealer(42)
    hand = dealer.commit(sealed=(0,))
    report = verify(
        text_of(dealer.receipt(hand)), seen=[SeenSeed(0, hand.client_seeds[0]), kept_by(dealer, hand)]
    )
    assert (report["seen"].result, report.grinding) == ("pass", None)
    assert "with the lock: there is none" in report["seen"].detail
    assert verify(text_of(dealer.receipt(hand)), seen=[SeenSeed(0, bytes(32))])["seen"].result == "fail"
    own = hand.client_seeds[0]
    sealed = dealer.receipt(hand)
    hand.client_seeds = {0: bytes(32)}
    dealer.lock(hand)
    report = verify(text_of(dealer.receipt(hand)), seen=[SeenSeed(0, own), SeenReceipt(sealed)])
    assert (report["seals"].result, report["seen"].result, report.cause) == (
        "fail",
        "fail",
        "contribution-changed",
    )
    assert report.grinding == "operator"


def kept_by(dealer: Dealer, hand: Hand) -> SeenReceipt:
    return SeenReceipt(dealer.receipt(hand, upto="commit"))


@BOTH
def test_ones_own_tiles(document: Receipt | Record) -> None:
    for seat, faces in enumerate(DEALT):
        report = check(document, SeenTiles(seat, faces[::-1]))
        assert (report["seen"].result, report.verdict) == ("absent", "consistent")
        assert "your own tiles" not in report["seen"].detail
        for wrong in (faces[1:], (*faces, "R1"), ("J", "J", "J", *faces[3:]), DEALT[(seat + 1) % 4]):
            assert result(document, SeenTiles(seat, wrong)) == "fail"
    assert result(document, SeenTiles(4, DEALT[0])) == "fail"
    assert result(document, SeenTiles(4, ())) == "fail"
    assert "not compared: your own tiles" in check(document, SeenCommitment(HAND.commitment))["seen"].detail


def test_tiles_that_nothing_can_be_compared_with() -> None:
    deck = next(h for h in DEALER.hands if h.terms == DECK)
    for document in (DEALER.receipt(deck), DEALER.receipt(LOCKED), replace(RECORD, server_seed=None)):
        report = check(document, SeenTiles(0, ("R1",)))
        assert report["seen"].result == "absent"
        assert "no hands can be derived" in report["seen"].detail


@BOTH
def test_openings(document: Receipt | Record) -> None:
    for opening in DEALER.openings(HAND, "hand/2/0", "indicator", "stock/3"):
        report = check(document, SeenOpening(opening))
        assert (report["seen"].result, report.verdict) == ("absent", "consistent")
        for change in ({"tile": (opening.tile + 1) % 106}, {"salt": bytes(32)}, {"proof": ()}, {"size": 99}):
            assert result(document, SeenOpening(replace(opening, **change))) == "fail"
        assert result(document, SeenOpening(replace(opening, slot="hand/0/0"))) == "fail"


def test_an_opening_before_the_reveal_and_before_the_lock() -> None:
    (opening,) = DEALER.openings(HAND, "indicator")
    locked = DEALER.receipt(HAND, upto="lock")
    assert "agrees: the opening of indicator" in check(locked, SeenOpening(opening))["seen"].detail
    assert result(locked, SeenOpening(replace(opening, tile=opening.tile ^ 1))) == "fail"
    report = check(DEALER.receipt(HAND, upto="commit"), SeenOpening(opening))
    assert report["seen"].result == "absent"
    assert "there is no lock" in report["seen"].detail


def test_an_opening_that_the_lock_covers_but_the_seeds_do_not() -> None:
    # The dealer locked the root of other tiles than the seeds give, and opened from those.
    class Swapping(Dealer):
        def key_of(self, hand: Hand) -> bytes:
            return bytes(32)

    dealer = Swapping(43)
    hand = dealer.play(OPENED)
    (opening,) = open_slots(hand.hand, bytes(32), OPENED, dealer.deal_of(hand), ["indicator"])
    report = verify(text_of(dealer.receipt(hand)), seen=[SeenOpening(opening)])
    assert (report["openings"].result, report["seen"].result) == ("fail", "fail")
    locked = dealer.receipt(hand, upto="lock")
    assert verify(text_of(locked), seen=[SeenOpening(opening)])["seen"].result == "absent"


def test_an_opening_of_a_hand_without_any_disagrees() -> None:
    (opening,) = DEALER.openings(HAND, "indicator")
    assert result(DEALER.receipt(OTHER), SeenOpening(replace(opening, hand=OTHER.hand))) == "fail"


def test_nothing_is_compared_where_the_commit_is_missing() -> None:
    receipt = replace(RECEIPT, entries=RECEIPT.entries[1:])
    report = check(receipt, SeenCommitment(HAND.commitment), kept(HAND), SeenCommitment(bytes(32)))
    assert report["seen"].result == "absent"


def test_parse_seen() -> None:
    assert parse_seen(H) == SeenCommitment(bytes(32))
    assert parse_seen(f"seed:3={H}") == SeenSeed(3, bytes(32))
    assert parse_seen("tiles:0=R10,K1,J") == SeenTiles(0, ("R10", "K1", "J"))


@pytest.mark.parametrize(
    "text",
    [
        *("", "seed", "seed:", f"seed:={H}", f"seed:01={H}", f"seed:-1={H}", f"seed:100={H}", f"seed: 1={H}"),
        *(f"seed:1={H}\n", f"seed:1={H[2:]}", f"seed:1={H.replace('0', 'G')}", f"SEED:1={H}", f"seed:٣={H}"),
        *("tiles:0=", "tiles:0=R10,", "tiles:0=R10 ,K1", "tiles:0=r10", "tiles:0=R14", "tiles:0=R10;K1"),
        *(H[2:], H + "00", "AA" * 32, f" {H}", f"{H}\n", f"commitment={H}"),
    ],
)
def test_parse_seen_is_strict(text: str) -> None:
    with pytest.raises(MalformedError, match=r"^seen"):
        parse_seen(text)


def test_parse_seen_text() -> None:
    receipt = DEALER.receipt(HAND, upto="commit")
    openings = DEALER.openings(HAND, "indicator", "stock/0")
    listed = [SeenOpening(opening) for opening in openings]
    assert parse_seen_text(text_of(receipt)) == [SeenReceipt(receipt)]
    assert parse_seen_text(json.dumps({"hand": "x", "receipt": receipt.as_json()})) == [SeenReceipt(receipt)]
    assert parse_seen_text(json.dumps(openings[0].as_json())) == listed[:1]
    assert parse_seen_text(json.dumps([o.as_json() for o in openings])) == listed
    assert parse_seen_text(json.dumps({"openings": [o.as_json() for o in openings]})) == listed


@pytest.mark.parametrize(
    "text",
    [
        *("", "null", "1", "{}", '"x"', '{"openings":1}', '{"receipt":1}', '{"slot":1}', "[1]", "[{}]"),
        *('{"openings":[],"x":1}', text_of(RECORD), text_of(RECEIPT)[:-1], '{"a":1,"a":1}', '{"receipt":{}}'),
    ],
)
def test_parse_seen_text_is_strict(text: str) -> None:
    with pytest.raises(MalformedError, match=r"^seen"):
        parse_seen_text(text)


def test_a_kept_file_with_an_entry_of_another_version_is_refused() -> None:
    receipt = DEALER.receipt(HAND, upto="commit")
    later = replace(receipt, entries=(*receipt.entries, replace(receipt.entries[0], entry=LATER)))
    with pytest.raises(UnsupportedError, match=r"^seen"):
        parse_seen_text(text_of(later))

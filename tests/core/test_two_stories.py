"""A log that tells its player one story and everybody else another: what was kept must stand in it."""

from __future__ import annotations

from fairdeal import Reveal, SeenCommitment, SeenOpening, SeenReceipt, SeenSeed, SeenTiles, commitment, verify
from fairdeal.merkle import leaf_hash
from fairdeal.receipt import Receipt
from fairdeal.seen import Seen
from fairdeal.tiles import name
from fairdeal.verify import Report
from tests.dealer import OKEY, OPENED, Dealer, text_of
from tests.translog import Log

DEALER = Dealer(77)
HAND = DEALER.play(OPENED, sealed=(0, 2))
DEALER.play(OKEY, sealed=(1,))
KEY = DEALER.log.signer.verifier
TILES = tuple(map(name, DEALER.deal_of(HAND).as_json()["hands"][2]))


def undealt() -> Receipt:
    """The same hand from a second log under the same key: committed, then void, with no lock between."""
    commit = DEALER.receipt(HAND, upto="commit").entries[0]
    log = Log(DEALER.log.signer)
    for entry in DEALER.log.entries[: commit.index + 1]:
        log.append(entry)
    prev = leaf_hash(commit.entry.encode())
    end = Reveal(10**15, HAND.hand, prev, "void", "technical", HAND.server_seed)
    return log.receipt([commit.index, log.append(end.encode())])


def check(document: Receipt, *seen: Seen) -> Report:
    return verify(text_of(document), keys=[KEY], seen=seen)


def test_a_hand_voided_without_a_lock_is_verified_by_its_commit_alone() -> None:
    commit = SeenReceipt(DEALER.receipt(HAND, upto="commit"))
    assert check(undealt(), commit).verdict == "verified"


def test_a_kept_lock_refutes_an_end_without_one() -> None:
    report = check(undealt(), SeenReceipt(DEALER.receipt(HAND, upto="lock")))
    assert (report.verdict, report["seen"].result) == ("refuted", "fail")


def test_tiles_and_openings_refute_an_end_without_a_deal() -> None:
    opening = DEALER.openings(HAND, "hand/2/0")[0]
    for item in (SeenTiles(2, TILES), SeenOpening(opening)):
        report = check(undealt(), SeenCommitment(HAND.commitment), item)
        assert (report.verdict, report["seen"].result) == ("refuted", "fail")


def test_nobody_needs_a_server_seed_that_was_committed_to() -> None:
    own = SeenSeed(2, next(c.seed for c in HAND.contributions if c.seat == 2))
    kept = SeenCommitment(HAND.commitment)
    assert check(DEALER.receipt(HAND), own, kept).grinding == "nobody"
    other = bytes(32)
    assert commitment(other) != HAND.commitment
    text = text_of(DEALER.record(HAND)).replace(HAND.server_seed.hex(), other.hex())
    report = verify(text, seen=[own, kept])
    assert (report["commitment"].result, report.grinding) == ("fail", "operator-with-all-seats")


def test_a_commit_receipt_made_after_the_hand_is_said_to_be() -> None:
    finished = DEALER.receipt(HAND)
    early = DEALER.receipt(HAND, upto="commit", size=finished.entries[0].index + 1)
    late = DEALER.receipt(HAND, upto="commit")
    words = "made after the hand"
    assert words not in check(finished, SeenReceipt(early))["seen"].detail
    assert words in check(finished, SeenReceipt(late))["seen"].detail


def test_the_seed_of_another_kept_hand_is_recognised() -> None:
    other = DEALER.hands[1]
    text = text_of(DEALER.record(HAND)).replace(HAND.server_seed.hex(), other.server_seed.hex())
    kept = SeenReceipt(DEALER.receipt(other))
    assert verify(text, seen=[kept]).cause == "other-hands-seed"
    assert verify(text).cause == "unknown"

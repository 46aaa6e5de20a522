from __future__ import annotations

from dataclasses import replace

from fairdeal.deal import make_deal
from fairdeal.entries import Commit, Lock, Reveal
from fairdeal.evidence import first, gather
from fairdeal.seeds import transcript
from tests.core.hands import DEALER, LATER, PLAYED, UNLOCKED


def test_a_receipt_and_a_record_of_one_hand_give_the_same() -> None:
    from_receipt, from_record = gather(DEALER.receipt(PLAYED)), gather(DEALER.record(PLAYED))
    for name in ("stated", "contributions", "deal_root", "server_seed", "deal", "key", "truth", "transcript"):
        assert getattr(from_receipt, name) == getattr(from_record, name), name
    assert from_receipt.transcript == transcript(PLAYED.hand, PLAYED.terms, PLAYED.contributions)
    assert from_receipt.key == DEALER.key_of(PLAYED)
    assert from_receipt.truth == make_deal(DEALER.key_of(PLAYED), PLAYED.terms)
    assert from_receipt.true_document == from_receipt.deal
    assert from_receipt.locked
    assert from_record.locked


def test_what_is_not_shown_is_none() -> None:
    evidence = gather(DEALER.receipt(PLAYED, upto="commit"))
    assert evidence.stated is not None
    assert not evidence.locked
    for name in (
        "contributions",
        "deal_root",
        "server_seed",
        "deal",
        "key",
        "truth",
        "true_document",
        "transcript",
    ):
        assert getattr(evidence, name) is None, name
    locked = gather(DEALER.receipt(PLAYED, upto="lock"))
    assert (locked.key, locked.truth) == (None, None)
    assert locked.transcript is not None
    empty = gather(replace(DEALER.receipt(PLAYED), entries=()))
    assert (empty.stated, empty.contributions, empty.transcript, empty.unsupported) == (
        None,
        None,
        None,
        False,
    )


def test_a_hand_ended_unlocked_only_where_everything_can_be_read() -> None:
    receipt = DEALER.receipt(UNLOCKED)
    assert gather(receipt).ended_unlocked
    assert not gather(DEALER.receipt(PLAYED)).ended_unlocked
    assert not gather(replace(receipt, entries=receipt.entries[:1])).ended_unlocked
    assert not gather(replace(receipt, entries=receipt.entries[1:])).ended_unlocked
    unread = replace(receipt.entries[0], entry=LATER)
    evidence = gather(replace(receipt, entries=(*receipt.entries, unread)))
    assert (evidence.ended_unlocked, evidence.unsupported) == (False, True)


def test_the_first_entry_of_a_kind_counts() -> None:
    entries = DEALER.receipt(PLAYED).entries
    for listed in (entries, entries[::-1], (*entries, *DEALER.receipt(DEALER.hands[1]).entries)):
        found = (first(listed, Commit), first(listed, Lock), first(listed, Reveal))
        assert found == tuple(entry.content for entry in entries)
    assert first((), Commit) is None

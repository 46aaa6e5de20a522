"""The checks that the log's evidence decides: format, signature, inclusion, sequence (§10.1)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from fairdeal.checkpoint import Checkpoint
from fairdeal.encoding import canonical
from fairdeal.entries import Lock, Reveal
from fairdeal.note import Signer, Verifier, sign
from fairdeal.receipt import Receipt
from fairdeal.verify import Report
from tests.core.hands import (
    DEALER,
    KEY,
    LATER,
    LOG,
    NAMESAKE,
    PLAYED,
    STRANGER,
    UNLOCKED,
    check,
    hand_of,
    logged,
)
from tests.dealer import Dealer


def test_format_passes_and_everything_else_stays_unchecked_where_it_fails() -> None:
    report = check(DEALER.receipt(PLAYED), KEY)
    assert report["format"].result == "pass"
    spoiled = DEALER.receipt(PLAYED).as_json()
    spoiled["entries"][0]["index"] = "0"
    report = check(spoiled, KEY)
    assert report["format"].result == "fail"
    assert report["format"].detail.startswith("entries[0].index: ")
    assert {c.result for c in report.checks[1:]} == {"absent"}
    assert (report.verdict, report.cause, report.grinding, report.log_evidence) == (
        "refuted",
        "unknown",
        None,
        "none",
    )


def test_format_is_absent_with_an_entry_of_another_version() -> None:
    log = Dealer(1).log
    indexes = [log.append(LATER.encode())]
    report = check(log.receipt(indexes), log.signer.verifier)
    assert report["format"].result == "absent"
    assert report.verdict == "incomplete"
    # What was malformed stays so, whatever else is unsupported.
    mixed = log.receipt(indexes).as_json()
    mixed["entries"].append(mixed["entries"][0] | {"entry": "{}"})
    assert check(mixed)["format"].result == "fail"


RECEIPT = DEALER.receipt(PLAYED)


@pytest.mark.parametrize(
    ("keys", "result", "evidence"),
    [
        ([], "absent", "only the receipt's own key"),
        ([KEY], "pass", "a key that was given"),
        ([KEY, KEY], "pass", "a key that was given"),
        ([STRANGER.verifier], "absent", "only the receipt's own key"),
        ([STRANGER.verifier, KEY], "pass", "a key that was given"),
        ([NAMESAKE.verifier], "fail", "none"),
        ([NAMESAKE.verifier, KEY], "pass", "a key that was given"),
    ],
)
def test_signature_by_the_keys_given(keys: list[Verifier], result: str, evidence: str) -> None:
    report = check(RECEIPT, *keys)
    assert report["signature"].result == report["inclusion"].result == result
    assert report.log_evidence == evidence
    assert report.verdict == ("refuted" if result == "fail" else "consistent")


def resigned(receipt: Receipt, *signers: Signer, own: Verifier | None = None) -> Receipt:
    text = receipt.note.text
    return replace(receipt, checkpoint=sign(text, signers), vkey=(own or receipt.own_key).text())


def test_signature_of_somebody_else() -> None:
    forged = resigned(RECEIPT, NAMESAKE, own=NAMESAKE.verifier)
    # Whoever brings the key along can sign anything: that is worth nothing, and refuted by the log's key.
    assert check(forged)["signature"].result == "absent"
    assert check(forged, KEY)["signature"].result == "fail"
    assert check(forged, KEY).verdict == "refuted"
    assert check(resigned(RECEIPT, NAMESAKE))["signature"].result == "fail"
    both = resigned(RECEIPT, NAMESAKE, LOG.signer)
    assert check(both, KEY)["signature"].result == "pass"
    assert check(both, NAMESAKE.verifier)["signature"].result == "pass"


def test_one_bad_line_of_a_given_key_is_enough() -> None:
    lines = RECEIPT.checkpoint.splitlines(keepends=True)
    other = sign(Checkpoint(KEY.name, 1, bytes(32)).text(), [LOG.signer]).splitlines(keepends=True)[-1]
    both = replace(RECEIPT, checkpoint="".join(lines) + other)
    assert check(both, KEY)["signature"].result == "fail"
    assert check(both)["signature"].result == "fail"


def test_own_key_must_be_named_like_the_log() -> None:
    report = check(resigned(RECEIPT, STRANGER, own=STRANGER.verifier))
    assert (report["signature"].result, report["inclusion"].result) == ("fail", "fail")
    # A given key of the right name needs no own key of that name.
    assert check(replace(RECEIPT, vkey=STRANGER.verifier.text()), KEY)["signature"].result == "pass"


def test_inclusion_follows_the_proofs() -> None:
    first, *rest = RECEIPT.entries
    for spoiled in (
        replace(first, index=first.index + 1),
        replace(first, index=2**53 - 1),
        replace(first, proof=first.proof[:-1]),
        replace(first, proof=(*first.proof, bytes(32))),
        replace(first, proof=(bytes(32), *first.proof[1:])),
    ):
        report = check(replace(RECEIPT, entries=(spoiled, *rest)), KEY)
        assert (report["signature"].result, report["inclusion"].result) == ("pass", "fail")
        assert (report.verdict, report.log_evidence) == ("refuted", "none")


def test_inclusion_without_entries_is_absent() -> None:
    report = check(replace(RECEIPT, entries=(), deal=None), KEY)
    assert report["inclusion"].result == report["sequence"].result == "absent"
    assert {c.result for c in report.checks[3:]} == {"absent"}
    assert (report.verdict, report.log_evidence, report.grinding) == ("incomplete", "none", None)
    assert check(replace(RECEIPT, entries=()), KEY).verdict == "incomplete"


def test_an_empty_log_includes_nothing() -> None:
    empty = sign(Checkpoint(KEY.name, 0, bytes(32)).text(), [LOG.signer])
    assert check(replace(RECEIPT, checkpoint=empty), KEY)["inclusion"].result == "fail"


def test_sequence_of_every_honest_hand_passes() -> None:
    for hand in DEALER.hands:
        for upto in ("commit", "lock", "reveal"):
            assert check(DEALER.receipt(hand, upto=upto), KEY)["sequence"].result == "pass"


@pytest.mark.parametrize(
    "stages",
    [
        ["lock"],
        ["reveal"],
        ["lock", "commit"],
        ["lock", "reveal"],
        ["commit", "commit"],
        ["commit", "lock", "lock"],
        ["commit", "reveal", "lock"],
        ["commit", "lock", "reveal", "reveal"],
        ["reveal", "lock", "commit"],
        ["commit", "lock", "reveal", "commit", "lock", "reveal"],
    ],
)
def test_sequence_fails_for_other_sequences(stages: Sequence[Any]) -> None:
    report = logged(*(PLAYED.indexes[stage] for stage in stages), deal=DEALER.receipt(PLAYED).deal)
    assert report["sequence"].result == "fail"
    assert report.verdict == "refuted"


def test_sequence_leaving_out_a_lock_breaks_the_chain() -> None:
    report = logged(PLAYED.indexes["commit"], PLAYED.indexes["reveal"])
    assert report["sequence"].result == "fail"
    assert "prev" in report["sequence"].detail


def test_sequence_of_two_hands_fails() -> None:
    other = hand_of(index=2)
    report = logged(PLAYED.indexes["commit"], other.indexes["lock"], other.indexes["reveal"])
    assert report["sequence"].result == "fail"


def crooked(
    *, back: int = 0, hand: bytes | None = None, prev: bytes | None = None, twice: bool = False
) -> Report:
    """A played hand whose lock goes back in time, names another hand, or has another prev."""
    dealer = Dealer(2)
    made = dealer.commit()
    dealer.now -= back
    lock = Lock(dealer.now, hand or made.hand, prev or dealer.prev(made), (), None, dealer.now + 60_000)
    made.indexes["lock"] = dealer.log.append(lock.encode())
    dealer.now += back
    dealer.end(made, "played")
    indexes = list(made.indexes.values())
    if twice:
        indexes[1] = indexes[0]
    return logged(*indexes, dealer=dealer)


def test_sequence_by_time_hand_and_prev() -> None:
    assert crooked()["sequence"].result == "pass"
    assert "times go back" in crooked(back=1001)["sequence"].detail
    assert "different hands" in crooked(hand=bytes(16))["sequence"].detail
    assert "prev of the lock" in crooked(prev=bytes(32))["sequence"].detail
    assert crooked(twice=True)["sequence"].result == "fail"


def test_sequence_by_index() -> None:
    # The same entries logged in another order: each proof holds, and the indexes go back.
    dealer = Dealer(3)
    made = dealer.play()
    texts = [dealer.log.entries[i] for i in (1, 0, 2)]
    again = Dealer(3)
    for text in texts:
        again.log.append(text)
    report = logged(1, 0, 2, dealer=again)
    assert report["inclusion"].result == "pass"
    assert report["sequence"].result == "fail"
    assert "indexes" in report["sequence"].detail
    assert made.outcome == "played"


@pytest.mark.parametrize("outcome", ["played", "void", "expired", "lost"])
@pytest.mark.parametrize("reason", ["seat-silent", "table-closed", "technical"])
@pytest.mark.parametrize("locked", [False, True])
@pytest.mark.parametrize("sealed", [(), (1,)])
def test_sequence_allows_each_outcome_where_the_protocol_does(
    outcome: Any, reason: str, locked: bool, sealed: tuple[int, ...]
) -> None:
    dealer = Dealer(4)
    hand = dealer.commit(sealed=sealed)
    if locked:
        dealer.lock(hand)
    dealer.end(hand, outcome, reason if outcome == "void" else None)
    allowed = locked if outcome == "played" else True
    if outcome == "void" and reason == "seat-silent":
        allowed = bool(sealed) and not locked
    report = check(dealer.receipt(hand), dealer.log.signer.verifier)
    assert report["sequence"].result == ("pass" if allowed else "fail")


def test_sequence_does_not_look_at_deadlines() -> None:
    dealer = Dealer(5)
    hand = dealer.commit()
    dealer.now += 10 * 86_400_000
    dealer.lock(hand)
    dealer.now += 10 * 86_400_000
    dealer.end(hand, "played")
    assert check(dealer.receipt(hand))["sequence"].result == "pass"


def test_an_extra_unsupported_entry_leaves_everything_open() -> None:
    dealer = Dealer(6)
    hand = dealer.play(sealed=(0,))
    extra = dealer.log.append(LATER.encode())
    deal = dealer.receipt(hand).deal
    report = logged(*hand.indexes.values(), extra, deal=deal, dealer=dealer)
    assert [report[name].result for name in ("format", "sequence", "shuffle")] == ["absent", "absent", "pass"]
    assert report.verdict == "incomplete"
    # Nobody can tell whether the unreadable entry was the lock: the hand is not said to have ended without.
    ended = dealer.end(dealer.commit(), "void", "technical")
    for shown in (None, deal):
        report = logged(ended.indexes["commit"], extra, ended.indexes["reveal"], deal=shown, dealer=dealer)
        assert {report[name].result for name in ("seals", "key", "shuffle", "table", "hands")} == {"absent"}
        assert report.verdict == "incomplete"


def test_without_a_commit_every_check_of_the_hand_is_absent() -> None:
    for stages in (["reveal"], ["lock"], ["lock", "reveal"]):
        indexes = [index for stage, index in PLAYED.indexes.items() if stage in stages]
        report = logged(*indexes, deal=DEALER.receipt(PLAYED).deal)
        assert {c.result for c in report.checks[4:]} == {"absent"}
    report = logged(UNLOCKED.indexes["reveal"], deal=DEALER.receipt(PLAYED).deal)
    assert {c.result for c in report.checks[4:]} == {"absent"}


def test_a_reveal_under_another_type_is_not_taken_for_one() -> None:
    reveal = Reveal(5, bytes(16), bytes(32), "void", "technical", bytes(32))
    odd = json.loads(reveal.encode()) | {"v": 2}
    log = Dealer(7).log
    report = check(log.receipt([log.append(canonical(odd))]), log.signer.verifier)
    assert report.verdict == "incomplete"

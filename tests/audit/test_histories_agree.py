"""A hand's receipts, record and log say the same of it, whatever stands between them (protocol §10.5)."""

from __future__ import annotations

import copy
import itertools
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fairdeal.audit.kept import Kept
from fairdeal.audit.sources import across
from fairdeal.audit.sources.once import Once
from fairdeal.audit.state import State
from fairdeal.deal import make_deal
from fairdeal.receipt import Receipt, Record
from fairdeal.seeds import deal_key
from tests.audit.test_across import audited, codes, house, receipts
from tests.cheats.house import House
from tests.dealer import Hand

Document = Receipt | Record


def ended_unlocked(one: House) -> tuple[Receipt, Receipt, Record]:
    """A hand's receipts at its commit and at its end without a lock, and a record of a deal all the same."""
    hand = one.commit(table="table-1")
    early = one.receipt(hand, upto="commit")
    one.end(hand, "void", "table-closed")
    return early, one.receipt(hand), one.record(hand)


def locked_and_not(one: House) -> tuple[Hand, Receipt, Receipt]:
    """A hand, its lock receipt, and a receipt of its end that leaves the lock out."""
    hand = one.commit(table="table-1")
    one.lock(hand)
    locked = one.receipt(hand, upto="lock")
    del hand.indexes["lock"]
    one.end(hand, "void", "table-closed")
    return hand, locked, one.receipt(hand)


@pytest.mark.parametrize("numpy", [True, False])
def test_a_record_is_held_against_every_receipt_of_its_hand(
    numpy: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not numpy:
        monkeypatch.setattr("fairdeal.audit.sources.plainprints.find_spec", lambda _: None)
    early, end, record = ended_unlocked(house(1))
    documents: list[Document] = [early, end, record]
    for shown in itertools.permutations(documents):
        assert codes(audited(receipts(tmp_path, "r.jsonl", shown))) == {"contradiction"}
        files = [receipts(tmp_path, f"{k}.jsonl", [one]) for k, one in enumerate(shown)]
        assert codes(audited(*files)) == {"contradiction"}
    # However many receipts that say little come first.
    found = audited(receipts(tmp_path, "r.jsonl", [*[early] * 9, end, record])).ledger.kept
    assert [(f.code, f.line, f.found) for f in found] == [("contradiction", 11, "line 10")]
    assert codes(audited(receipts(tmp_path, "r.jsonl", [*[early] * 9, end]))) == set()


def test_a_hand_that_was_locked_did_not_end_without_a_lock(tmp_path: Path) -> None:
    hand, locked, end = locked_and_not(house(1))
    for shown in ((locked, end), (end, locked)):
        one_file = audited(receipts(tmp_path, "r.jsonl", shown)).ledger.kept
        assert [(f.code, f.line, f.hand) for f in one_file] == [("contradiction", 2, hand.hand.hex())]
        assert "ended without a lock" in one_file[0].detail
        files = [receipts(tmp_path, f"{k}.jsonl", [one]) for k, one in enumerate(shown)]
        assert [(f.code, f.source) for f in audited(*files).ledger.kept] == [("contradiction", "1.jsonl")]


def test_nor_does_a_receipt_from_beyond_a_log_lock_a_hand_that_the_log_has_ended(tmp_path: Path) -> None:
    one = house(1)
    hand = one.commit(table="table-1")
    one.end(hand, "void", "table-closed")
    log = copy.deepcopy(one)
    del hand.indexes["reveal"]
    one.lock(hand)
    found = audited(log, receipts(tmp_path, "r.jsonl", [one.receipt(hand, upto="lock")])).ledger.kept
    assert [(f.code, f.hand) for f in found] == [("contradiction", hand.hand.hex())]


@pytest.mark.parametrize("stage", ["lock", "unlocked", "reveal"])
def test_nor_goes_a_hand_on_twice_in_a_log_and_beyond_it(stage: str, tmp_path: Path) -> None:
    one = house(1)
    hand = one.commit(table="table-1")
    one.lock(hand)
    if stage == "reveal":
        one.end(hand, "played")
    log = copy.deepcopy(one)
    assert codes(audited(log, receipts(tmp_path, "same.jsonl", [one.receipt(hand)]))) == set()
    del hand.indexes["lock" if stage != "reveal" else "reveal"]
    if stage == "lock":
        one.lock(hand)
    else:
        one.end(hand, "void", "technical")
    beyond = one.receipt(hand)
    # Of entries that the log has, too, receipts from beyond it are no contradiction.
    one.play()
    rest = [one.receipt(other) for other in one.hands if other is not hand]
    assert codes(audited(log, receipts(tmp_path, "rest.jsonl", rest))) == set()
    found = audited(log, receipts(tmp_path, "r.jsonl", [beyond])).ledger.kept
    assert [(f.code, f.line, f.hand) for f in found] == [("contradiction", 1, hand.hand.hex())]
    shown = log.hands[-1].indexes["reveal" if stage == "reveal" else "lock"]
    assert found[0].found == f"entry {shown} of log 0"


def disproved(receipt: Receipt, how: str) -> Receipt:
    """A receipt of what no log has signed."""
    if how == "signature":
        text = receipt.checkpoint
        return replace(receipt, checkpoint=text[:-9] + ("A" if text[-9] != "A" else "B") + text[-8:])
    first, *rest = receipt.entries
    if how == "index":
        return replace(receipt, entries=(replace(first, index=first.index + 1), *rest))
    return replace(receipt, entries=(replace(first, entry=first.entry.replace("table-", "table.")), *rest))


@pytest.mark.parametrize("how", ["signature", "index", "entry"])
def test_what_a_log_has_not_signed_accuses_only_itself(how: str, tmp_path: Path) -> None:
    one = house(1)
    hand = next(hand for hand in one.hands if hand.outcome == "played" and hand.client_seeds)
    honest: list[Document] = [one.receipt(hand, upto="commit"), one.receipt(hand), one.record(hand)]
    forged = disproved(one.receipt(hand), how)
    for k in range(len(honest) + 1):
        found = audited(receipts(tmp_path, "r.jsonl", [*honest[:k], forged, *honest[k:]])).ledger.kept
        expected = "check-signature" if how == "signature" else "check-inclusion"
        assert [(f.code, f.line) for f in found] == [(expected, k + 1)]
    # Nor does it stand before others that speak of the hand.
    record = replace(one.record(hand), hand=bytes(16), deal=None)
    found = audited(receipts(tmp_path, "r.jsonl", [forged, *honest, record])).ledger.kept
    repeats = [f for f in found if f.code == "repeated-seed"]
    assert [(f.line, f.found) for f in repeats] == [(5, "also in line 3")]


Shown = Callable[[House, Hand], Document]

BESIDE: dict[str, Shown | None] = {
    "log": None,
    "commit": lambda one, hand: one.receipt(hand, upto="commit"),
    "lock": lambda one, hand: one.receipt(hand, upto="lock"),
    "whole": lambda one, hand: one.receipt(hand),
}


@pytest.mark.parametrize("what", BESIDE)
def test_a_record_that_lost_its_commitment_has_a_seed_that_opens_it(what: str, tmp_path: Path) -> None:
    one, seed, show = house(1), bytes(range(32)), BESIDE[what]
    hand = next(hand for hand in one.hands if hand.outcome == "played" and not hand.terms.openings)
    honest = replace(one.record(hand), commitment=None)
    deal = make_deal(deal_key(seed, hand.hand, hand.terms, hand.contributions), hand.terms)
    lie = replace(honest, server_seed=seed, deal=deal.as_json())
    for record, expected in ((honest, set[str]()), (lie, {"contradiction"})):
        shown = receipts(tmp_path, "r.jsonl", [*([show(one, hand)] if show else []), record])
        assert codes(audited(shown, *(() if show else (one,)))) == expected
        assert codes(audited(receipts(tmp_path, "alone.jsonl", [record]))) == set()


class Alike(House):
    """A house whose server seeds and hand ids begin alike."""

    def random(self, what: str, size: int = 32) -> bytes:
        return bytes(8) + super().random(what, size)[8:]


def test_values_that_begin_alike_hide_nothing_behind_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Alike(3)
    hands = [one.play() for _ in range(9)]
    other = one.commit()
    other.server_seed = hands[4].server_seed
    records = [*map(one.record, [*hands, other]), one.record(hands[6])]
    file = receipts(tmp_path, "r.jsonl", records)
    expected = [(10, "repeated-commitment"), (10, "repeated-seed"), (11, "repeated-hand")]
    for batch in (100, 3):
        monkeypatch.setattr(across, "BATCH", batch)
        found = audited(file).ledger.kept
        assert sorted((f.line, f.code) for f in found) == expected
    assert Once().first(b"".join(hand.hand for hand in hands)).all()


def copied(one: House, folder: Path) -> Path:
    for path, data in one.log.files().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


@pytest.mark.parametrize("sizes", [(30, 20), (20, 30)])
def test_an_older_copy_is_not_to_blame_where_another_source_goes_on(
    sizes: tuple[int, int], tmp_path: Path
) -> None:
    state, whole = State(tmp_path / "state"), house(1, 30)
    audited(whole, state=state)
    copies = [copied(house(1, size), tmp_path / f"{size}") for size in sizes]
    commitment = whole.hands[0].commitment.hex().encode()
    kept = [Kept(1, commitment, whole.hands[0].hand.hex(), whole.receipt(whole.hands[0]))]
    for sources in ([*copies], [whole, tmp_path / "20"]):
        assert codes(audited(*sources, state=state)) == set()
        assert codes(audited(*sources, kept=kept)) == set()
    assert not (state.folder / "evidence").exists()
    # A log that answers is, even where a copy shows how far it was; so are copies that stop before that.
    found = audited(house(1, 20), tmp_path / "30", state=state)
    assert (codes(found), {f.source for f in found.ledger.kept}) == ({"shrunk"}, {"log 0"})
    shutil.rmtree(state.folder / "evidence")
    short = copied(house(1, 10), tmp_path / "10")
    for sources in ([tmp_path / "20"], [short, tmp_path / "20"]):
        found = audited(*sources, state=state)
        assert codes(found) == {"shrunk"}
        assert len(list((state.folder / "evidence").iterdir())) == 2
        shutil.rmtree(state.folder / "evidence")

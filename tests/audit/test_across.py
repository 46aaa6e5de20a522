"""Several sources of one audit: what one says against another is found, and what agrees is not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from fairdeal.audit.findings import Ledger
from fairdeal.audit.kept import Kept
from fairdeal.audit.log.source import FolderLog, RemoteLog, parse_head
from fairdeal.audit.outcome import Outcome
from fairdeal.audit.run import Audit, AuditOptions
from fairdeal.audit.state import State
from fairdeal.receipt import Receipt, Record
from tests.cheats.house import House
from tests.dealer import Hand, text_of


def house(seed: int, hands: int = 20) -> House:
    """Houses of one log's name and key, each with a history of its own."""
    made = House(seed)
    made.log.signer = House(1).log.signer
    return made.evening(hands)


def receipts(folder: Path, name: str, some: Iterable[Receipt | Record]) -> Path:
    path = folder / name
    path.write_text("".join(f"{text_of(one)}\n" for one in some), encoding="utf-8")
    return path


def played(one: House, count: int = 3, size: int | None = None) -> list[Receipt]:
    hands = [hand for hand in one.hands if "lock" in hand.indexes][:count]
    return [one.receipt(hand, size=size) for hand in hands]


def audited(
    *sources: Path | House,
    state: State | None = None,
    kept: Sequence[Kept] = (),
    statistics: bool = False,
) -> Outcome:
    key = House(1).log.signer.verifier
    ledger = Ledger()
    several = len(sources) > 1
    options = AuditOptions((key,), kept, state, several=several, statistics=statistics, workers=1)
    run = Audit(options, ledger)
    houses = [source for source in sources if isinstance(source, House)]
    for k, one in enumerate(houses):
        run.log(RemoteLog(one.log.files().get, f"log {k}"))
    for source in sources:
        if isinstance(source, Path) and source.is_dir():
            run.log(FolderLog(source, source.name))
    for source in sources:
        if isinstance(source, Path) and not source.is_dir():
            run.history(source, source.name)
    return Outcome(run.finish(), ledger, len(kept))


def codes(outcome: Outcome) -> set[str]:
    return set(outcome.ledger.counts)


def test_sources_of_one_log_agree_at_every_size(tmp_path: Path) -> None:
    one = house(1, 150)
    sizes = [len(one.log.entries) - k for k in (0, 1, 5, 100)]
    files = [receipts(tmp_path, f"{n}.jsonl", played(one, size=n)) for n in sizes]
    found = audited(*files, one)
    assert (found.verdict, codes(found)) == ("consistent", set())
    assert found.results.hands == audited(one).results.hands == 150
    assert found.results.counts == audited(one).results.counts


def test_a_fork_over_two_files_is_found(tmp_path: Path) -> None:
    one, two = house(1), house(2)
    size = len(one.log.entries)
    assert size == len(two.log.entries)
    files = [receipts(tmp_path, f"{k}.jsonl", played(h, 1)) for k, h in enumerate((one, two))]
    found = audited(*files)
    assert codes(found) == {"forked", "index-reused", "number-reused"}
    assert {f.source for f in found.ledger.kept} == {"1.jsonl"}
    assert all("line 1 of 0.jsonl" in (f.found or "") for f in found.ledger.kept)


@pytest.mark.parametrize("shorter", [0, 7])
def test_a_fork_between_a_log_and_receipts_is_found(tmp_path: Path, shorter: int) -> None:
    one, two = house(1), house(2)
    file = receipts(tmp_path, "r.jsonl", played(two, 1, len(two.log.entries) - shorter))
    found = audited(one, file).ledger.kept
    assert [(f.code, f.source, f.line) for f in found] == [
        ("forked", "r.jsonl", 1), ("number-reused", "r.jsonl", 1),
    ]  # fmt: skip
    assert found[1].found == f"hand {one.hands[0].hand.hex()} in entry 0 of log 0"


def test_receipts_from_beyond_a_log_are_held_against_its_entries(tmp_path: Path) -> None:
    file = receipts(tmp_path, "r.jsonl", played(house(2, 30), 1))
    assert codes(audited(file, house(1))) == {"index-reused", "number-reused"}
    same = receipts(tmp_path, "s.jsonl", played(house(1, 30), 1))
    assert codes(audited(same, house(1))) == set()


def test_two_logs_of_one_name_are_held_against_each_other() -> None:
    for longer, shorter in ((30, 20), (20, 30), (30, 30)):
        found = audited(house(1, longer), house(1, shorter))
        assert (codes(found), found.results.hands) == (set(), 30)
        assert found.results.counts == audited(house(1, 30)).results.counts
    for hands in (20, 30):
        found = audited(house(1, hands), house(2))
        assert codes(found) == {"forked", "number-reused"}
        assert found.ledger.counts["forked"] == 1
        assert {f.source for f in found.ledger.kept} == {"log 1"}


def test_receipts_are_held_against_the_checkpoint_kept_from_an_earlier_audit(tmp_path: Path) -> None:
    state = State(tmp_path / "state")
    audited(house(1), state=state)
    assert codes(audited(receipts(tmp_path, "r.jsonl", played(house(1))), state=state)) == set()
    assert codes(audited(receipts(tmp_path, "r.jsonl", played(house(2))), state=state)) == {"forked"}


def test_an_empty_tree_from_before_binds_nothing_and_an_incomplete_audit_leaves_none(tmp_path: Path) -> None:
    state = State(tmp_path / "state")
    assert audited(house(1, 0), state=state).verdict == "incomplete"
    assert state.last("log.example/okey") is None
    state.keep(parse_head(house(1, 0).log.files()["checkpoint"]))
    assert audited(house(1), state=state).verdict == "consistent"
    found = audited(house(1, 30), state=state)
    # An auditor's checkpoint shows that nothing was changed since, not what stood before a hand (§10.6).
    assert found.verdict == "consistent"
    size = len(house(1).log.entries)
    said = f"a checkpoint of {size} entries kept from an earlier audit: what stood there was not changed"
    assert any(said in sentence for sentence in found.rests_on)


def kept_of(*hands: Hand) -> list[Kept]:
    return [Kept(k, hand.commitment.hex().encode()) for k, hand in enumerate(hands, 1)]


def test_an_audit_is_verified_only_where_every_hand_is_bound(tmp_path: Path) -> None:
    one = house(1)
    files = [receipts(tmp_path, f"{k}.jsonl", [one.receipt(one.hands[k])]) for k in range(2)]
    assert audited(files[0], kept=kept_of(one.hands[0])).verdict == "verified"
    found = audited(*files, kept=kept_of(one.hands[0]))
    assert found.verdict == "consistent"
    said = "Something that a player kept from before the hand stands behind"
    assert f"{said} 1 of 1 receipt or record of 0.jsonl." in found.rests_on
    assert f"{said} 0 of 1 receipt or record of 1.jsonl, and nothing behind 1." in found.rests_on
    assert any("nothing here shows that their commitments stood before" in s for s in found.not_shown)
    # One hand of a log's twenty says nothing of the other nineteen.
    found = audited(files[0], one, kept=kept_of(one.hands[0]))
    assert found.verdict == "consistent"
    assert f"{said} 1 of 20 hands of log 0, and nothing behind 19." in found.rests_on
    assert audited(one, kept=kept_of(*one.hands[:19])).verdict == "consistent"
    found = audited(one, kept=kept_of(*one.hands))
    assert (found.verdict, found.bound) == ("verified", [("log 0", 20, 20)])
    assert not any("nothing here shows" in s for s in found.not_shown)


def test_a_receipt_made_after_the_hand_binds_nothing(tmp_path: Path) -> None:
    one = house(1)
    hand = one.hands[0]
    file = receipts(tmp_path, "r.jsonl", [one.receipt(hand)])
    name, commitment = hand.hand.hex(), hand.commitment.hex().encode()
    before = one.receipt(hand, upto="commit", size=1)
    made = {"before": before, "whole": one.receipt(hand), "late": one.receipt(hand, upto="commit")}
    bound = {how: audited(one, kept=[Kept(1, commitment, name, kept)]).bound for how, kept in made.items()}
    assert {how: found[0][2] for how, found in bound.items()} == {"before": 1, "whole": 0, "late": 0}
    # The history's hands by themselves are judged as `fairdeal verify` judges them.
    assert audited(file, kept=[Kept(1, commitment, name, before)]).verdict == "verified"
    found = audited(file, kept=[Kept(1, commitment, name, made["whole"])])
    assert (found.verdict, codes(found)) == ("consistent", set())


def test_a_hand_that_is_open_is_not_verified() -> None:
    one = house(1, 3)
    open_hand = one.commit(table="table-1")
    assert audited(one, kept=kept_of(*one.hands)).bound == [("log 0", 4, 4)]
    assert audited(one, kept=kept_of(*one.hands)).verdict == "consistent"
    one.lock(open_hand)
    one.end(open_hand, "played")
    assert audited(one, kept=kept_of(*one.hands)).verdict == "verified"


def test_a_kept_commitment_that_stands_for_another_hand_is_found(tmp_path: Path) -> None:
    one = house(1)
    kept = [Kept(1, one.hands[0].commitment.hex().encode(), one.hands[1].hand.hex())]
    for document in (one.receipt(one.hands[0]), one.record(one.hands[0])):
        file = receipts(tmp_path, "r.jsonl", [document])
        assert codes(audited(file, kept=kept)) == {"seen-differs"}


def test_what_was_kept_may_be_in_any_of_the_sources(tmp_path: Path) -> None:
    one, two = house(1), House(2).evening(20)
    kept = [Kept(k, h.hands[0].commitment.hex().encode()) for k, h in enumerate((one, two), 1)]
    file = receipts(tmp_path, "two.jsonl", [two.receipt(two.hands[0])])
    two.log.signer = one.log.signer
    assert codes(audited(one, kept=kept)) == {"seen-missing"}
    found = audited(one, receipts(tmp_path, "r.jsonl", [one.receipt(one.hands[0])]), kept=kept)
    assert [(f.code, f.expected) for f in found.ledger.kept] == [
        ("seen-missing", kept[1].commitment.decode())
    ]
    assert "seen-missing" not in codes(audited(one, file, kept=kept))


def test_deals_that_the_operator_alone_could_choose_are_counted_at_their_own_table(tmp_path: Path) -> None:
    one = house(1)
    file = receipts(tmp_path, "r.jsonl", [one.receipt(hand) for hand in one.hands])
    counts, logged = audited(file).results.counts, audited(one).results.counts
    alone = {key[1]: count.operator_alone for key, count in counts.items()}
    assert alone == {key[1]: count.operator_alone for key, count in logged.items()}
    assert sum(alone.values()) == alone["table-3"] > 0


def test_a_receipt_that_the_log_never_signed_says_nothing_of_it(tmp_path: Path) -> None:
    one, forger = house(1), House(7).evening(20)
    file = receipts(tmp_path, "r.jsonl", [forger.receipt(forger.hands[0])])
    assert codes(audited(one, file)) == {"check-signature"}
    both = receipts(tmp_path, "both.jsonl", [forger.receipt(forger.hands[0]), one.receipt(one.hands[0])])
    assert codes(audited(both)) == {"check-signature"}


def test_a_source_without_hands_leaves_the_audit_incomplete(tmp_path: Path) -> None:
    one = house(1)
    (tmp_path / "empty.jsonl").write_bytes(b"")
    found = audited(one, tmp_path / "empty.jsonl", kept=kept_of(*one.hands))
    assert (found.verdict, found.missing) == ("incomplete", ["There was no hand in empty.jsonl."])


@pytest.mark.parametrize("sizes", [(30, 20), (20, 30)])
def test_the_state_never_goes_back_to_a_shorter_copy(sizes: tuple[int, int], tmp_path: Path) -> None:
    state = State(tmp_path / "state")
    audited(*(house(1, size) for size in sizes), state=state)
    last = state.last("log.example/okey")
    assert last is not None
    assert last.head.size == len(house(1, 30).log.entries)


def test_what_receipts_cannot_show_of_a_log_is_said(tmp_path: Path) -> None:
    state = State(tmp_path / "state")
    one = house(1, 30)
    audited(house(1), state=state)
    file = receipts(tmp_path, "r.jsonl", played(one, 4))
    found = audited(file, state=state)
    assert any(said.startswith("Whether log.example/okey grew from") for said in found.not_shown)
    found = audited(file, house(1), state=state)
    assert any(said.startswith("4 receipts of log.example/okey have") for said in found.not_shown)
    assert not any(said.startswith("Whether") for said in found.not_shown)

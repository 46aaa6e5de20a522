"""A hand that is shown more than once: what is one hand, what is a repeat, and what contradicts."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from fairdeal.audit.kept import Kept
from fairdeal.audit.sources import across
from fairdeal.audit.sources.once import Once
from fairdeal.receipt import Receipt, Record
from tests.audit.test_across import audited, codes, house, receipts
from tests.cheats.house import House
from tests.dealer import HOUR, OKEY, SECOND, Hand

Document = Receipt | Record


def lying(record: Record, **changes: object) -> Record:
    return replace(record, **changes)  # type: ignore[arg-type]  # members by name


def played(one: House) -> list[Hand]:
    return [hand for hand in one.hands if hand.outcome == "played"]


def test_a_record_and_receipts_of_one_hand_are_one_hand(tmp_path: Path) -> None:
    one = house(1)
    hand = played(one)[0]
    shown: list[Document] = [
        one.receipt(hand, upto="commit"), one.record(hand), one.receipt(hand, upto="lock"), one.receipt(hand),
    ]  # fmt: skip
    for mixed in (shown, shown[::-1]):
        found = audited(receipts(tmp_path, "r.jsonl", mixed))
        assert (codes(found), found.verdict, found.incomplete) == (set(), "consistent", 0)
        assert found.results.hands == 1
        counts = found.results.counts["club", "table-1"]
        assert (counts.hands, counts.played, counts.open) == (1, 1, 0)
        assert found.results.counts.get(("", "")) is None or found.results.counts["", ""].hands == 0
    files = [receipts(tmp_path, f"{k}.jsonl", [document]) for k, document in enumerate(shown)]
    found = audited(*files)
    assert (codes(found), found.results.hands) == (set(), 1)
    found = audited(one, *files)
    assert (codes(found), found.results.hands, found.verdict) == (set(), 20, "consistent")
    early = receipts(tmp_path, "early.jsonl", shown[:1])
    assert (audited(early).verdict, audited(early, early).verdict) == ("incomplete", "incomplete")
    assert audited(early, early).incomplete == 1
    assert found.results.counts["club", "table-1"] == audited(one).results.counts["club", "table-1"]


TWO_DICE = replace(OKEY, dice=2)

Lie = Callable[[House, Hand, Hand], Record]

LIES: dict[str, tuple[str, Lie]] = {
    "terms": (
        "terms",
        lambda one, hand, _: lying(one.record(hand), terms=TWO_DICE, deal=None),
    ),
    "seals": (
        "seals, contributions",
        lambda one, hand, _: lying(one.record(hand), seals=(), contributions=()),
    ),
    "seed": (
        "commitment, server seed",
        lambda one, hand, other: lying(
            one.record(hand), commitment=other.commitment, server_seed=other.server_seed, deal=None
        ),
    ),
}


@pytest.mark.parametrize("name", LIES)
def test_a_record_must_agree_with_its_hands_receipt(name: str, tmp_path: Path) -> None:
    one, other = house(1), House(9).evening(8)
    hand = played(one)[0]
    parts, lie = LIES[name]
    record = lie(one, hand, played(other)[0])
    one_file = receipts(tmp_path, "both.jsonl", [one.receipt(hand), record])
    found = [f for f in audited(one_file).ledger.kept if f.code == "contradiction"]
    assert [(f.hand, f.line, f.found) for f in found] == [(hand.hand.hex(), 2, "line 1")]
    assert parts in found[0].detail
    files = [receipts(tmp_path, "a.jsonl", [one.receipt(hand)]), receipts(tmp_path, "b.jsonl", [record])]
    found = [f for f in audited(*files).ledger.kept if f.code == "contradiction"]
    assert [(f.source, f.line, f.found) for f in found] == [("b.jsonl", 1, "line 1 of a.jsonl")]


def test_a_record_of_a_hand_that_the_log_ended_without_a_lock_is_found(tmp_path: Path) -> None:
    one = house(1)
    hand = one.commit(table="table-1")
    one.end(hand, "void", "table-closed")
    file = receipts(tmp_path, "r.jsonl", [one.record(hand)])
    assert codes(audited(file)) == set()
    found = audited(one, file).ledger.kept
    assert [(f.code, f.line, f.found) for f in found] == [
        ("contradiction", 1, f"entry {hand.indexes['reveal']} of log 0")
    ]


def test_two_records_of_one_hand_are_two_hands(tmp_path: Path) -> None:
    one = house(1)
    record = one.record(played(one)[0])
    found = audited(receipts(tmp_path, "r.jsonl", [record, record]))
    assert [(f.code, f.line, f.found) for f in found.ledger.kept] == [("repeated-hand", 2, "also in line 1")]
    files = [receipts(tmp_path, f"{k}.jsonl", [record]) for k in range(2)]
    found = audited(*files)
    assert [(f.code, f.source, f.found) for f in found.ledger.kept] == [
        ("repeated-hand", "1.jsonl", "also in line 1 of 0.jsonl")
    ]


@pytest.mark.parametrize("kind", ["seed", "seal", "commitment", "client-seed"])
@pytest.mark.parametrize("logged", [True, False])
def test_what_stands_in_two_sources_is_a_repeat(kind: str, logged: bool, tmp_path: Path) -> None:
    one, two = house(1), House(9)
    victim = next(hand for hand in played(one) if len(hand.client_seeds) == 2)
    again = two.commit(sealed=(0, 2) if kind in ("seal", "client-seed") else ())
    if kind in ("seed", "commitment"):
        again.server_seed = victim.server_seed
    else:
        again.client_seeds = dict(victim.client_seeds)
    # The hand's own log never held the changed commit; a record needs none.
    again.contributions = two.contributions_of(again)
    file = receipts(tmp_path, "r.jsonl", [two.record(again)])
    first = one if logged else receipts(tmp_path, "a.jsonl", [one.record(victim)])
    found = audited(first, file)
    pair = {"seed": {"seed", "commitment"}, "seal": {"seal", "client-seed"}}
    same = next(kinds for kinds in pair.values() if kind in kinds)
    assert codes(found) == {f"repeated-{name}" for name in same}
    assert {(f.source, f.hand) for f in found.ledger.kept} == {("r.jsonl", again.hand.hex())}
    # Two seats' seals are two repeats, each told once.
    assert found.ledger.counts[f"repeated-{kind}"] == (2 if "seal" in same else 1)
    where = "log 0" if logged else "a.jsonl"
    assert all((f.found or "").endswith(where) for f in found.ledger.kept)


def test_two_locks_of_one_hand_in_receipts_contradict(tmp_path: Path) -> None:
    one = house(1)
    hand = one.commit(table="table-1")
    one.lock(hand)
    first = one.receipt(hand, upto="lock")
    del hand.indexes["lock"]
    one.lock(hand)
    found = audited(receipts(tmp_path, "r.jsonl", [first, one.receipt(hand, upto="lock")]))
    assert codes(found) == {"contradiction"}
    assert found.ledger.kept[0].index == hand.indexes["lock"]


def test_operators_of_two_logs_may_have_one_name(tmp_path: Path) -> None:
    one, two = House(1).evening(4), House(2, origin="other.example/okey").evening(4)
    file = receipts(tmp_path, "r.jsonl", [h.receipt(hand) for h in (one, two) for hand in h.hands])
    found = audited(file)
    assert "number-reused" not in codes(found)


def test_hands_are_counted_once_however_often_they_are_shown(tmp_path: Path) -> None:
    one = house(1, 60)
    shown = [one.receipt(hand) for hand in one.hands]
    voids = audited(one).results.counts
    padded = receipts(
        tmp_path,
        "r.jsonl",
        shown + [r for r, h in zip(shown, one.hands, strict=True) if h.outcome == "played"] * 3,
    )
    found = audited(padded)
    assert found.results.hands == 60
    assert found.results.counts == voids
    assert found.as_json()["counts"]["shown_again"] == 3 * len(played(one))


def test_records_are_hands_whose_end_is_not_shown(tmp_path: Path) -> None:
    one = house(1, 30)
    for sealed in (True, False):
        hands = [hand for hand in played(one) if bool(hand.client_seeds) == sealed]
        found = audited(receipts(tmp_path, "r.jsonl", [one.record(hand) for hand in hands]))
        total = found.as_json()["counts"]["total"]
        assert (total["hands"], total["unshown"], total["played"]) == (len(hands), len(hands), 0)
        assert total["operator_alone"] == (0 if sealed else len(hands))
        assert total["void_rate"] is None


def test_however_many_there_are_no_more_than_a_batch_is_compared_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = house(1, 40)
    records = [one.record(hand) for hand in played(one)]
    file = receipts(tmp_path, "r.jsonl", [*records, *records, *records])
    whole = audited(file).ledger.kept
    monkeypatch.setattr(across, "BATCH", 3)
    assert sorted(audited(file).ledger.kept, key=lambda f: f.line or 0) == whole
    assert len(whole) == 2 * len(records)


def test_a_hand_shown_again_is_in_the_statistics_once(tmp_path: Path) -> None:
    one = house(1, 60)
    shown = [one.receipt(hand) for hand in played(one)]
    files = [receipts(tmp_path, f"{k}.jsonl", [*shown, *shown]) for k in range(2)]
    sums = [figures(one), figures(files[0]), figures(*files), figures(one, *files)]
    assert sums[0] == sums[3]
    assert sums[1] == sums[2]
    assert sums[1][0] == len(shown)


def figures(*sources: Path | House) -> tuple[int, object]:
    """Played hands in the statistics, and the timeline."""
    found = audited(*sources, statistics=True).results
    assert found.statistics is not None
    return found.statistics.hands + found.statistics.left_out, found.timeline.counts


def test_ids_are_new_once_in_however_many_runs() -> None:
    rng = random.Random(3)
    ids = [rng.randbytes(16) for _ in range(300)]
    once, seen = Once(), set[bytes]()
    for _ in range(60):
        some = rng.choices(ids, k=rng.randrange(1, 12))
        new = once.first(b"".join(some)).tolist()
        assert new == [id_ not in {*seen, *some[:k]} for k, id_ in enumerate(some)]
        seen |= set(some)


def test_hands_that_end_in_another_stretch_are_held_against_other_sources_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fairdeal.audit.log.source.CHUNK", 256)
    one = House(1)
    hand = one.commit(table="table-9")
    early = one.receipt(hand, upto="commit")
    one.evening(100)
    assert len(one.log.entries) > 256
    late = one.receipt(hand, upto="commit")
    one.now = one.commit_at(hand) + HOUR - SECOND
    one.end(hand, "void", "table-closed")
    found = audited(one, receipts(tmp_path, "r.jsonl", [one.record(hand)])).ledger.kept
    assert [(f.code, f.hand) for f in found if f.code != "time-reversed"] == [
        ("contradiction", hand.hand.hex())
    ]
    for receipt, bound in ((early, 1), (late, 1), (one.receipt(hand, upto="commit"), 0)):
        kept = [Kept(1, hand.commitment.hex().encode(), hand.hand.hex(), receipt)]
        assert audited(one, kept=kept).bound == [("log 0", 101, bound)]

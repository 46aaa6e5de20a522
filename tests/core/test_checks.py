"""The checks that the hand's own evidence decides, from commitment to openings (§10.1)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fairdeal.seeds import Contribution, Seal, seal
from tests.core.hands import DEALER, KEY, PLAYED, UNLOCKED, check, deal_of, hand_of, played, record
from tests.dealer import DECK, OKEY, OPENED, PLAIN


def test_a_record_has_no_log_evidence() -> None:
    report = record()
    assert {report[name].result for name in ("signature", "inclusion", "sequence")} == {"absent"}
    assert (report.verdict, report.log_evidence) == ("consistent", "none")


def test_commitment() -> None:
    assert record()["commitment"].result == "pass"
    assert record(commitment=bytes(32))["commitment"].result == "fail"
    assert record(commitment=bytes(32)).verdict == "refuted"
    for missing in ("commitment", "server_seed"):
        report = record(**{missing: None})
        assert report["commitment"].result == report["key"].result == "absent"
        assert report.verdict == "incomplete"
    # A seed is there, so that the deal is still compared.
    assert record(commitment=None)["shuffle"].result == "pass"
    lost = hand_of(outcome="lost")
    assert check(DEALER.receipt(lost))["commitment"].result == "absent"


def test_seals() -> None:
    (first, second), seals = PLAYED.contributions, PLAYED.seals
    assert record()["seals"].result == "pass"
    assert record(hand_of(index=2))["seals"].result == "pass"  # neither seals nor contributions
    for opened, detail in (
        ((first,), "not opened: seat 2"),
        ((), "not opened: seat 0, 2"),
        ((first, replace(second, seed=bytes(32))), "opened by another seed: seat 2"),
        ((first, second, Contribution(3, bytes(32))), "opened without a seal: seat 3"),
        ((first, second, Contribution(15, bytes(32))), "opened without a seal: seat 15"),
    ):
        report = record(contributions=opened)
        assert (report["seals"].result, report["seals"].detail) == ("fail", detail)
        assert report["key"].result == "fail"
        assert report.grinding == "operator"
    assert record(seals=())["seals"].result == "fail"
    assert record(seals=(*seals[:1], Seal(2, seal(first.seed))))["seals"].result == "fail"
    assert check(DEALER.receipt(PLAYED, upto="commit"))["seals"].result == "absent"
    assert check(DEALER.receipt(PLAYED, upto="lock"))["seals"].result == "pass"


def test_key() -> None:
    assert record()["key"].result == "pass"
    assert record()["key"].detail.endswith(DEALER.key_of(PLAYED).hex())
    assert record(commitment=bytes(32))["key"].result == "fail"
    for upto in ("commit", "lock"):
        assert check(DEALER.receipt(PLAYED, upto=upto))["key"].result == "absent"


def test_shuffle() -> None:
    deal = deal_of(OKEY)
    order = deal["order"]
    assert record()["shuffle"].result == "pass"
    assert record(deal=None)["shuffle"].result == "absent"
    others: list[list[int]] = [order[::-1], order[:-1], [*order, 1], [], list(range(106))]
    for other in others:
        assert record(deal=deal | {"order": other})["shuffle"].result == "fail"
    # Refuted seeds still give a key, so that the report can say what was dealt from.
    assert record(commitment=bytes(32))["shuffle"].result == "pass"


TABLE = [
    "dealer",
    "dealer_throws",
    "starter",
    "indicator",
    "okey",
    "wall",
    "spare",
    "throws",
    "selected",
    "level",
]
OTHER = {"dealer_throws": [[{"seat": 0, "value": 1}]], "okey": [1, 2], "wall": [[1]], "throws": [[1]]}


@pytest.mark.parametrize("name", TABLE)
def test_table(name: str) -> None:
    deal = deal_of(OKEY)
    other = OTHER.get(name, (deal[name] + 1) % 16 if isinstance(deal[name], int) else None)
    report = record(deal=deal | {name: other})
    assert (report["shuffle"].result, report["table"].result) == ("pass", "fail")
    # Another indicator is a tile that already lies in a hand or the stock: the census fails as well.
    assert report["hands"].result == ("fail" if name == "indicator" else "pass")
    assert name in report["table"].detail
    assert report.verdict == "refuted"


@pytest.mark.parametrize("name", ["hands", "stock"])
def test_hands(name: str) -> None:
    deal = deal_of(OKEY)
    others: list[Any] = [deal[name][::-1], deal[name][1:], []]
    for other in others:
        report = record(deal=deal | {name: other})
        assert (report["shuffle"].result, report["table"].result, report["hands"].result) == (
            "pass",
            "pass",
            "fail",
        )
    assert "tiles missing" in record(deal=deal | {name: []})["hands"].detail
    assert record(deal=None)["hands"].result == record(deal=None)["table"].result == "absent"


def test_a_deck_has_neither_table_nor_hands() -> None:
    hand = played(DECK)
    report = check(DEALER.receipt(hand), KEY)
    assert (report["shuffle"].result, report["table"].result, report["hands"].result) == (
        "pass",
        "none",
        "none",
    )
    assert report["openings"].result == "pass"
    report = check(DEALER.receipt(hand, upto="lock"), KEY)
    assert (report["table"].result, report["hands"].result) == ("none", "none")


@pytest.mark.parametrize("terms", [OKEY, PLAIN, DECK])
@pytest.mark.parametrize("shown", [OKEY, PLAIN, DECK])
def test_a_deal_of_another_shape_is_refuted(terms: Any, shown: Any) -> None:
    # Even with the true order in it, and everything else that the two shapes share.
    other = deal_of(shown)
    deal = other | {name: value for name, value in deal_of(terms).items() if name in other}
    report = record(played(terms), deal=deal)
    assert report["shuffle"].result == "pass"
    assert (report.verdict == "consistent") == (terms == shown)
    if terms != shown:
        assert report["table"].result == "fail"
        if terms != DECK and shown == DECK:
            assert report["hands"].result == "fail"


def test_openings() -> None:
    hand = played(OPENED)
    assert record(hand)["openings"].result == "pass"
    assert record(hand, deal_root=bytes(32))["openings"].result == "fail"
    assert record(hand, deal_root=None)["openings"].result == "fail"
    assert record(hand, server_seed=None)["openings"].result == "absent"
    # The root is compared with what the seeds give, not with the deal shown.
    assert record(hand, deal=None)["openings"].result == "pass"
    assert record(PLAYED)["openings"].result == "none"
    assert record(PLAYED, deal_root=hand.deal_root)["openings"].result == "fail"
    assert record(PLAYED, deal_root=hand.deal_root).verdict == "refuted"
    assert check(DEALER.receipt(hand, upto="commit"))["openings"].result == "absent"
    assert check(DEALER.receipt(hand, upto="lock"))["openings"].result == "absent"
    assert check(DEALER.receipt(PLAYED, upto="commit"))["openings"].result == "none"


LOCKED_ONLY = ("seals", "key", "shuffle", "table", "hands", "openings")


def test_a_hand_that_ended_without_a_lock() -> None:
    for hand in DEALER.hands:
        if hand.outcome is None or hand.locked:
            continue
        report = check(DEALER.receipt(hand), KEY)
        assert {report[name].result for name in LOCKED_ONLY} == {"none"}
        assert report.grinding is None
        assert report.verdict == ("incomplete" if hand.outcome == "lost" else "consistent")


@pytest.mark.parametrize("shown", [OKEY, PLAIN, DECK])
def test_a_deal_shown_for_a_hand_that_ended_without_a_lock_is_refuted(shown: Any) -> None:
    report = check(replace(DEALER.receipt(UNLOCKED), deal=deal_of(shown)), KEY)
    assert report["shuffle"].result == "fail"
    assert {report[name].result for name in LOCKED_ONLY} == {"none", "fail"}
    assert (report.verdict, report.cause) == ("refuted", "unknown")
    twice = deal_of(shown) | {"order": [1, 1]}
    assert check(replace(DEALER.receipt(UNLOCKED), deal=twice)).cause == "tile-twice"


def test_a_deal_shown_before_the_reveal_proves_nothing() -> None:
    receipt = replace(DEALER.receipt(PLAYED, upto="lock"), deal=deal_of(OKEY))
    report = check(receipt, KEY)
    assert {report[name].result for name in ("shuffle", "table", "hands")} == {"absent"}
    assert report.verdict == "incomplete"

"""The verdict, who could have chosen the deal, and what the report says beside them (§10.2, §10.3)."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from fairdeal.checks import Result
from fairdeal.errors import MalformedError
from fairdeal.seen import Seen, SeenCommitment, SeenReceipt, SeenSeed
from fairdeal.verify import CHECKS, judge, verify
from tests.core.hands import DEALER, KEY, PLAYED, check
from tests.dealer import OKEY, Dealer, Hand, text_of

RESULTS: tuple[Result, ...] = ("pass", "fail", "absent", "none")
NEEDED = CHECKS[4:11]


def test_the_checks_in_the_protocol_s_order() -> None:
    assert (
        *("format", "signature", "inclusion", "sequence"),
        *("commitment", "seals", "key", "shuffle", "table", "hands", "openings", "seen"),
    ) == CHECKS
    assert [c.name for c in check(DEALER.receipt(PLAYED)).checks] == list(CHECKS)


def with_results(changes: dict[str, Result] | None = None) -> list[Result]:
    return [(changes or {}).get(name, "pass") for name in CHECKS]


def test_the_verdict_s_table() -> None:
    assert judge(with_results()) == "verified"
    for name in CHECKS:
        assert judge(with_results({name: "fail"})) == "refuted"
        expected = "incomplete" if name in ("format", *NEEDED) else "verified"
        assert judge(with_results({name: "absent"})) == ("consistent" if name == "seen" else expected)
        assert judge(with_results({name: "none"})) == "verified"
    for one, other in product(CHECKS, CHECKS):
        if one != other:
            assert judge(with_results({one: "fail", other: "absent"})) == "refuted"
    for name in NEEDED:
        assert judge(with_results({"seen": "absent", name: "absent"})) == "incomplete"
    no_log: dict[str, Result] = {"signature": "absent", "inclusion": "absent", "sequence": "absent"}
    assert judge(with_results(no_log)) == "verified"
    assert judge(with_results({**no_log, "seen": "absent"})) == "consistent"


def test_a_report_as_json() -> None:
    report = check(DEALER.receipt(PLAYED), KEY)
    value = report.as_json()
    assert value.keys() == {"verdict", "checks", "grinding", "log_evidence", "cause"}
    assert [c["name"] for c in value["checks"]] == list(CHECKS)
    assert all(c.keys() == {"name", "result", "detail"} and c["detail"] for c in value["checks"])
    assert (value["verdict"], value["cause"]) == ("consistent", None)
    assert report["seen"] == report.checks[-1]


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "null", "\ufeff{}", '{"format":"fairdeal/1 receip"}', b"\xff"]
)
def test_what_is_neither_receipt_nor_record_is_refused(text: Any) -> None:
    with pytest.raises(MalformedError):
        verify(text)


def test_bytes_are_read_as_utf8() -> None:
    text = text_of(DEALER.receipt(PLAYED))
    assert verify(text.encode()) == verify(text)
    with pytest.raises(MalformedError):
        verify(text.encode("utf-16"))
    with pytest.raises(MalformedError):
        verify(b"\xef\xbb\xbf" + text.encode())


# Who could have chosen the deal by trying seeds.


def report_of(dealer: Dealer, hand: Hand, *seen: Seen, record: bool = False) -> Any:
    document = dealer.record(hand) if record else dealer.receipt(hand)
    return verify(text_of(document), seen=seen)


@pytest.mark.parametrize("record", [False, True])
def test_nobody_chose_where_the_player_s_own_seed_came_after_the_commit(record: bool) -> None:
    dealer = Dealer(51)
    hand = dealer.play(sealed=(0, 2))
    own = SeenSeed(2, hand.client_seeds[2])
    bare, commit = SeenCommitment(hand.commitment), SeenReceipt(dealer.receipt(hand, upto="commit"))
    lock, whole = (SeenReceipt(dealer.receipt(hand, upto=upto)) for upto in ("lock", "reveal"))
    everyone = "operator-with-all-seats"
    for seen, expected in (
        ((), everyone),
        ((own,), everyone),
        ((bare,), everyone),
        ((commit,), everyone),
        ((own, bare), "nobody"),
        ((own, commit), "nobody"),
        ((commit, lock, own), "nobody"),
        # A lock receipt comes after the seeds were opened, and a finished one after everything.
        ((own, lock), everyone),
        ((own, whole), everyone),
        # Whatever disagrees takes the statement back.
        ((own, bare, SeenSeed(0, bytes(32))), everyone),
        ((own, bare, SeenCommitment(bytes(32))), everyone),
        ((SeenSeed(1, hand.client_seeds[2]), bare), everyone),
    ):
        assert report_of(dealer, hand, *seen, record=record).grinding == expected


@pytest.mark.parametrize("record", [False, True])
def test_the_operator_chose_where_nobody_else_took_part(record: bool) -> None:
    dealer = Dealer(52)
    hand = dealer.play()
    seen: list[Seen] = [SeenCommitment(hand.commitment), SeenReceipt(dealer.receipt(hand, upto="commit"))]
    report = report_of(dealer, hand, *seen, record=record)
    assert (report.verdict, report.grinding) == ("verified", "operator")


def test_the_operator_chose_where_the_seals_do_not_hold() -> None:
    dealer = Dealer(53)
    hand = dealer.play(sealed=(0, 1))
    seen: list[Seen] = [SeenCommitment(hand.commitment), SeenSeed(0, hand.client_seeds[0])]
    record = replace(dealer.record(hand), contributions=hand.contributions[:1])
    assert verify(text_of(record), seen=seen).grinding == "operator"
    record = replace(dealer.record(hand), seals=(), contributions=())
    assert verify(text_of(record), seen=seen[:1]).grinding == "operator"


def test_no_statement_on_a_hand_without_a_lock() -> None:
    dealer = Dealer(54)
    hand = dealer.commit(sealed=(0,))
    own = SeenSeed(0, hand.client_seeds[0])
    assert report_of(dealer, hand, own, SeenCommitment(hand.commitment)).grinding is None
    dealer.end(hand, "void", "seat-silent")
    assert report_of(dealer, hand, own, SeenCommitment(hand.commitment)).grinding is None


def test_the_statement_stands_before_the_reveal() -> None:
    dealer = Dealer(55)
    hand = dealer.lock(dealer.commit(sealed=(0,)))
    report = report_of(dealer, hand, SeenSeed(0, hand.client_seeds[0]), SeenCommitment(hand.commitment))
    assert (report.verdict, report.grinding) == ("incomplete", "nobody")


def test_one_s_own_seed_alone_says_nothing_where_the_lock_lacks_it() -> None:
    dealer = Dealer(56)
    hand = dealer.play(OKEY, sealed=(0, 1))
    own = SeenSeed(1, hand.client_seeds[1])
    record = replace(dealer.record(hand), contributions=hand.contributions[:1])
    report = verify(text_of(record), seen=[own, SeenCommitment(hand.commitment)])
    assert (report.verdict, report.grinding) == ("refuted", "operator")

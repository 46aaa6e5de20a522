"""The checker finds what it is there for: each kind of loss, planted in a sound history."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from fairdeal.checkpoint import parse_checkpoint
from fairdeal.note import parse_note
from tests.dealer import Dealer
from tests.faults.checker import Found, check

Events = list[dict[str, Any]]


def found(dealer: Dealer) -> Found:
    files = dealer.log.files()
    checkpoint = parse_checkpoint(parse_note(dealer.log.checkpoint()).text)
    entries = [bytes(entry) for entry in dealer.log.entries]
    return Found(checkpoint, entries, dealer.log.signer.verifier, files.__getitem__)


def evening(dealer: Dealer, hands: int = 3) -> Events:
    """Hands played one after another, and what their game server was told."""
    events: Events = []
    for number in range(1, hands + 1):
        hand = dealer.commit(sealed=(0,))
        for call in ("commit", "deal", "reveal"):
            if call == "deal":
                dealer.lock(hand)
            elif call == "reveal":
                dealer.end(hand, "played")
            ask = len(events)
            name = hand.hand.hex()
            events.append({"did": "ask", "ask": ask, "call": call, "table": hand.table, "hand": name})
            told: dict[str, Any] = {"hand": name, "number": number}
            told["receipt"] = dealer.receipt(hand, upto="reveal").as_json()
            if call == "deal":
                told["deal"] = dealer.deal_of(hand).as_json()
            events.append({"did": "answer", "ask": ask, **told})
    return events


def lose_the_end(events: Events, dealer: Dealer) -> Dealer:
    shorter = Dealer(1)
    evening(shorter, hands=2)
    return shorter


def lose_and_go_on(events: Events, dealer: Dealer) -> Dealer:
    other = Dealer(1)
    evening(other, hands=2)
    other.drawn += 1
    evening(other, hands=2)
    return other


def lose_an_answer(events: Events, dealer: Dealer) -> Dealer:
    # The hand stays in the log, but neither was it told nor is its ask open.
    hand = events[0]["hand"]
    events[:] = [event for event in events if event["hand"] != hand]
    return dealer


def fork(events: Events, dealer: Dealer) -> Dealer:
    other = Dealer(1)
    other.drawn = 100
    evening(other, hands=1)
    events.append({"did": "checkpoint", "note": other.log.checkpoint()})
    return dealer


def run_ahead(events: Events, dealer: Dealer) -> Dealer:
    events.append({"did": "checkpoint", "note": dealer.log.checkpoint()})
    shorter = Dealer(1)
    evening(shorter, hands=2)
    events[:] = [event for event in events if event["did"] == "checkpoint"]
    return shorter


def deal_otherwise(events: Events, dealer: Dealer) -> Dealer:
    dealt = next(event for event in events if "deal" in event)
    dealt["deal"]["order"][:2] = dealt["deal"]["order"][1::-1]
    return dealer


def answer_twice(events: Events, dealer: Dealer) -> Dealer:
    answers = [event for event in events if event["did"] == "answer"]
    events.append({**answers[-1], "ask": answers[0]["ask"]})
    return dealer


def half_a_step(events: Events, dealer: Dealer) -> Dealer:
    events[-2]["next"] = True
    return dealer


def skip_a_number(events: Events, dealer: Dealer) -> Dealer:
    dealer.numbers["table-1"] += 1
    hand = dealer.commit()
    events.append({"did": "ask", "ask": 99, "call": "commit", "table": hand.table, "hand": hand.hand.hex()})
    return dealer


def lock_twice(events: Events, dealer: Dealer) -> Dealer:
    dealer.lock(dealer.hands[-1])
    return dealer


PLANTED: dict[str, tuple[Callable[[Events, Dealer], Dealer], str]] = {
    "the log's end is lost": (lose_the_end, "is gone"),
    "other entries in its place": (lose_and_go_on, "another than the one acknowledged"),
    "a hand that nobody asked for": (lose_an_answer, "nobody asked for"),
    "a checkpoint of another log": (fork, "of another log"),
    "a checkpoint beyond the log": (run_ahead, "was handed out"),
    "another deal": (deal_otherwise, "otherwise than its seeds give"),
    "two hands for one ask": (answer_twice, "answered with 2 hands"),
    "half of a reveal with next": (half_a_step, "without the next hand"),
    "a gap in the numbers": (skip_a_number, "do not run from 1"),
    "a second lock": (lock_twice, "has ['commit', 'lock', 'reveal', 'lock']"),
}


def test_a_sound_history() -> None:
    dealer = Dealer(1)
    events = evening(dealer)
    assert check(deepcopy(events), found(dealer)) == []


@pytest.mark.parametrize("name", PLANTED)
def test_planted_losses(name: str) -> None:
    plant, said = PLANTED[name]
    dealer = Dealer(1)
    events = evening(dealer)
    log = plant(events, dealer)
    assert any(said in wrong for wrong in check(events, found(log)))

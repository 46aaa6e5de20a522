"""Hands for the tests of the checks, and short ways to verify them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from fairdeal.note import Signer, Verifier
from fairdeal.receipt import Receipt, Record
from fairdeal.verify import Report, verify
from tests.dealer import Dealer, Hand, evening, text_of

DEALER = evening(31)
LOG = DEALER.log
KEY = LOG.signer.verifier
NAMESAKE = Signer(KEY.name, bytes([7]) * 32)
STRANGER = Signer("log.example/other", bytes([8]) * 32)
LATER = '{"type":"witness","v":1}'


def check(document: Receipt | Record | dict[str, Any], *keys: Verifier) -> Report:
    text = json.dumps(document) if isinstance(document, dict) else text_of(document)
    return verify(text, keys=keys)


def hand_of(*, outcome: str = "played", locked: bool = True, index: int = 0) -> Hand:
    return [h for h in DEALER.hands if h.outcome == outcome and h.locked == locked][index]


PLAYED = hand_of()
UNLOCKED = hand_of(outcome="void", locked=False)


def record(hand: Hand = PLAYED, /, **changes: Any) -> Report:
    return check(replace(DEALER.record(hand), **changes))


def played(terms: Any) -> Hand:
    return next(h for h in DEALER.hands if h.terms == terms and h.outcome == "played")


def deal_of(terms: Any) -> dict[str, Any]:
    """The deal document of a played hand with these terms."""
    return DEALER.deal_of(played(terms)).as_json()


def logged(*indexes: int, deal: dict[str, Any] | None = None, dealer: Dealer = DEALER) -> Report:
    """The report on any entries of a log, under the log's key."""
    return check(dealer.log.receipt(list(indexes), deal), dealer.log.signer.verifier)

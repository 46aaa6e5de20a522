"""Commits of one transaction share what they have in common, and nothing else."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest
from fairdeal_api.acts import CommitAct
from fairdeal_api.ledger import Result
from fairdeal_api.moves import CommitSpec
from fairdeal_api.service import Service

from fairdeal.entries import Commit, parse_entry
from fairdeal.seeds import Seal, seal
from fairdeal.terms import DeckTerms, OkeyTerms, Terms
from tests.api.acting import TERMS, size, together
from tests.api.support import HOUR, MINUTE, START

ALL_TERMS: tuple[Terms, ...] = (
    TERMS,
    OkeyTerms("okey101", "plain", 2, 1, 2, openings=True),
    DeckTerms(52, 4, openings=False),
)


@pytest.mark.parametrize("batch", [False, True])
def test_each_entry_is_its_own_hands(service: Service, batch: bool) -> None:
    notes = (None, bytes(32), b"n" * 32)
    asked = [
        (operator, CommitSpec(f"t{k % 3}", terms, False, seals, note, within))
        for k, (operator, terms, note, within, sealed) in enumerate(
            product(("club", "salon"), ALL_TERMS, notes, (MINUTE, HOUR), (False, True))
        )
        for seals in [(Seal(0, seal(bytes([k]) * 32)),) if sealed else ()]
    ]
    alone = [CommitAct(operator, [spec], batch=False) for operator, spec in asked]
    many = [
        CommitAct(name, [spec for operator, spec in asked if operator == name], batch=True)
        for name in ("club", "salon")
    ]
    answers: list[dict[str, Any]] = []
    for outcome in together(service, *(many if batch else alone)):
        assert isinstance(outcome, Result)
        body = json.loads(outcome.body)
        answers += body["hands"] if batch else [body]
    assert size(service) == len(asked) == 72
    for (operator, spec), answer in zip(asked, answers, strict=True):
        (logged,) = answer["receipt"]["entries"]
        entry = parse_entry(logged["entry"].encode())
        assert isinstance(entry, Commit)
        assert entry.encode() == logged["entry"].encode()
        assert (entry.operator, entry.table, entry.terms) == (operator, spec.table, spec.terms)
        assert (entry.seals, entry.note) == (spec.seals, spec.note)
        assert (entry.at, entry.lock_by) == (START, START + spec.lock_within)
        assert (answer["operator"], answer["table"]) == (operator, spec.table)
        assert (answer["terms"], answer["lock_by"]) == (spec.terms.as_json(), entry.lock_by)
        assert (answer["hand"], answer["number"]) == (entry.hand.hex(), entry.number)

"""What evidence is absent is counted alike, whichever way a record was checked."""

from __future__ import annotations

import random

import pytest

from fairdeal.audit.histories.lines import Lines, check_fast, check_plainly
from tests.audit.histories import DECKS, line, record
from tests.audit.outcomes import HERE


@pytest.mark.parametrize("name", ["commitment", "server_seed", "deal", "deal_root"])
def test_a_decks_absent_evidence_is_that_of_a_deck(name: str) -> None:
    rng = random.Random(3)
    documents = [record(rng, terms, 2).as_json() | {name: None} for terms in DECKS]
    part = Lines("here", 1, b"\n".join(map(line, documents)))
    fast, plain = check_fast((part, HERE)), check_plainly((part, HERE))
    assert fast.absent == plain.absent
    assert not {"table", "hands"} & set(plain.absent)

"""Each cause planted on its own, named in receipts and records; and that earlier causes win."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from fairdeal.deal import make_deal
from fairdeal.diagnose import CAUSES, OtherHand
from fairdeal.receipt import Record
from fairdeal.seeds import Contribution, commitment
from fairdeal.seen import SeenCommitment
from fairdeal.verify import verify
from tests.core.planted import Careless, every_plant, sha
from tests.dealer import OKEY, text_of

PLANTS = {f"{k} {plant.name}": plant for k, plant in enumerate(every_plant())}


def test_every_cause_is_planted_in_the_protocol_s_sequence() -> None:
    assert list(CAUSES) == [
        "commitment-as-seed",
        "seed-as-hex-text",
        "other-hands-seed",
        "other-terms",
        "contribution-dropped",
        "contribution-changed",
        "seed-used-as-key",
        "little-endian-draws",
        "ascending-shuffle",
        "shuffle-off-by-one",
        "naive-shuffle",
        "tile-twice",
        "false-joker-as-indicator",
        "okey-is-indicator",
        "stock-from-wrong-end",
        "hands-misdealt",
    ]
    assert {plant.cause for plant in PLANTS.values()} == {*CAUSES, "unknown"}


@pytest.mark.parametrize("name", PLANTS)
@pytest.mark.parametrize("kind", ["receipt", "record"])
def test_a_planted_cause_is_named(name: str, kind: str) -> None:
    plant = PLANTS[name]
    document = plant.receipt if kind == "receipt" else plant.record
    report = verify(json.dumps(document.as_json()), seen=plant.seen, others=plant.others)
    assert (report.verdict, report.cause) == ("refuted", plant.cause)
    if kind == "receipt":
        # The log itself is in order: the fault lies in the hand.
        assert report.log_evidence == "only the receipt's own key"
        assert report["sequence"].result == "pass"


# Earlier causes win. Each hand below was dealt under two mistakes at once.

DEALER = Careless(7)
HAND = DEALER.play(OKEY, sealed=(0, 1))
RECORD = DEALER.record(HAND)
DEAL = DEALER.deal_of(HAND).as_json()
SEED = HAND.server_seed
AS_TEXT = sha(SEED.hex().encode())
OTHER = OtherHand(bytes(16), None, bytes([3]) * 32)


def cause(record: Record, *others: OtherHand) -> str | None:
    report = verify(text_of(record), others=others)
    assert report.verdict == "refuted"
    return report.cause


def dealt(**parts: Any) -> dict[str, Any]:
    return make_deal(DEALER.key_with(HAND, **parts), HAND.terms).as_json()


def test_commitment_as_seed_comes_before_seed_as_hex_text() -> None:
    record = replace(RECORD, commitment=AS_TEXT)
    assert cause(record) == "seed-as-hex-text"
    assert cause(replace(record, deal=dealt(seed=AS_TEXT))) == "commitment-as-seed"


def test_seed_as_hex_text_comes_before_other_hands_seed() -> None:
    mixed_up = replace(OTHER, server_seed=SEED)
    assert cause(replace(RECORD, commitment=bytes(32)), mixed_up) == "other-hands-seed"
    assert cause(replace(RECORD, commitment=AS_TEXT), mixed_up) == "seed-as-hex-text"


def test_other_hands_seed_comes_before_other_terms() -> None:
    throwing = replace(OKEY, dealer="throw")
    deal = make_deal(DEALER.key_with(HAND, terms=throwing), throwing).as_json()
    assert cause(replace(RECORD, deal=deal), OTHER) == "other-terms"
    opened = replace(RECORD, deal=deal, commitment=commitment(OTHER.server_seed or b""))
    assert cause(opened, OTHER) == "other-hands-seed"


def test_other_terms_come_before_contribution_dropped() -> None:
    throwing = replace(OKEY, dealer="throw")
    short = replace(RECORD, contributions=RECORD.contributions[:1])
    assert cause(short) == "contribution-dropped"
    key = DEALER.key_with(HAND, terms=throwing, opened=short.contributions)
    assert cause(replace(short, deal=make_deal(key, throwing).as_json())) == "other-terms"


def test_contribution_dropped_comes_before_contribution_changed() -> None:
    wrong = (Contribution(0, bytes(32)),)
    assert cause(replace(RECORD, contributions=(*wrong, RECORD.contributions[1]))) == "contribution-changed"
    assert cause(replace(RECORD, contributions=wrong)) == "contribution-dropped"


def test_contribution_changed_comes_before_what_the_deal_shows() -> None:
    by_seed = make_deal(SEED, HAND.terms).as_json()
    assert cause(replace(RECORD, deal=by_seed)) == "seed-used-as-key"
    wrong = (Contribution(0, bytes(32)), RECORD.contributions[1])
    assert cause(replace(RECORD, deal=by_seed, contributions=wrong)) == "contribution-changed"


def test_tile_twice_comes_before_false_joker_as_indicator() -> None:
    assert cause(replace(RECORD, deal=DEAL | {"indicator": 104})) == "tile-twice"


def test_a_false_joker_is_104_or_105_and_its_order_the_true_one() -> None:
    swap = {104: DEAL["indicator"], DEAL["indicator"]: 104}
    joker = DEAL | {
        "indicator": 104,
        "hands": [[swap.get(t, t) for t in hand] for hand in DEAL["hands"]],
        "stock": [swap.get(t, t) for t in DEAL["stock"]],
    }
    assert cause(replace(RECORD, deal=joker)) == "false-joker-as-indicator"
    assert cause(replace(RECORD, deal=joker | {"order": DEAL["order"][::-1]})) == "unknown"
    assert cause(replace(RECORD, deal=DEAL | {"indicator": 106})) == "unknown"


def test_other_hands_that_explain_nothing() -> None:
    itself = OtherHand(HAND.hand, HAND.commitment, SEED)
    bare = OtherHand(bytes(16))
    wrong = replace(RECORD, commitment=bytes(32))
    assert cause(wrong, OTHER, bare, itself) == "unknown"
    assert cause(replace(RECORD, deal=DEAL | {"dealer": 9}), OTHER, bare, itself) == "unknown"


def test_nothing_is_redone_where_seed_lock_or_deal_are_missing() -> None:
    for change in ({"server_seed": None}, {"deal": None}):
        record = replace(RECORD, deal_root=bytes(32), **change)  # type: ignore[arg-type]  # each its own type
        assert cause(record, OTHER) == "unknown"
    unlocked = DEALER.end(DEALER.commit(sealed=(0,)), "void", "seat-silent")
    report = verify(text_of(replace(DEALER.receipt(unlocked), deal=DEAL)), others=[OTHER])
    assert (report.verdict, report.cause) == ("refuted", "unknown")


def test_a_refutation_by_the_log_alone_has_no_cause_in_the_hand() -> None:
    receipt = DEALER.receipt(HAND)
    moved = replace(receipt, entries=receipt.entries[1:])
    assert verify(text_of(moved)).cause == "unknown"
    assert verify(text_of(receipt), seen=[SeenCommitment(bytes(32))]).cause == "unknown"

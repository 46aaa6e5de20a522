"""Each cause planted on its own, named in receipts and records; and that earlier causes win."""

from __future__ import annotations

import json

import pytest

from fairdeal.diagnose import CAUSES
from fairdeal.verify import verify
from tests.core.planted import every_plant

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

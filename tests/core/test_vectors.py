"""Every value of the published vectors, through the library (tests/vectors/deal.json)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fairdeal.deal import make_deal
from fairdeal.draws import mac, pick, picker
from fairdeal.entries import Commit, Lock
from fairdeal.openings import check_opening, deal_root, open_slots, parse_opening
from fairdeal.receipt import parse_record
from fairdeal.seeds import commitment, deal_key, opens, parse_contributions, parse_seals, transcript
from fairdeal.terms import parse_terms
from fairdeal.verify import verify

VECTORS = json.loads((Path(__file__).parent.parent / "vectors" / "deal.json").read_text(encoding="utf-8"))
KNOWN = {
    "name",
    "hand",
    "terms",
    "terms_canonical",
    "server_seed",
    "commitment",
    "seals",
    "contributions",
    "key",
    "draws",
    "deal",
    "deal_root",
    "openings",
}


def test_vectors_are_all_understood() -> None:
    assert VECTORS["protocol"] == "fairdeal/1"
    assert VECTORS.keys() == {"protocol", "cases"}
    assert len(VECTORS["cases"]) == 37
    for case in VECTORS["cases"]:
        assert case.keys() in (KNOWN, KNOWN - {"openings"})


@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda case: case["name"])
def test_vectors(case: dict[str, Any]) -> None:
    seed, hand = bytes.fromhex(case["server_seed"]), bytes.fromhex(case["hand"])
    terms = parse_terms(case["terms"])
    seals, contributions = parse_seals(case["seals"]), parse_contributions(case["contributions"])

    assert terms.as_json() == case["terms"]
    assert terms.canonical() == case["terms_canonical"].encode()
    assert commitment(seed).hex() == case["commitment"]
    assert opens(seals, contributions)
    assert len(transcript(hand, terms, contributions)) == 96
    key = deal_key(seed, hand, terms, contributions)
    assert key.hex() == case["key"]
    draw = picker(key)
    for step in case["draws"]:
        assert step.keys() == {"label", "mac", "m", "value"}
        assert mac(key, step["label"]).hex() == step["mac"]
        assert pick(key, step["label"], step["m"]) == step["value"] == draw(step["label"], step["m"])

    deal = make_deal(key, terms)
    assert deal.as_json() == case["deal"]
    root = deal_root(key, terms, deal)
    assert case["deal_root"] == (root.hex() if terms.openings else None)
    assert terms.openings == ("openings" in case)
    commit = Commit(0, "a", "b", 1, hand, terms, commitment(seed), seals, None, 60_000)
    lock = Lock(0, hand, bytes(32), contributions, root, 60_000)
    for item in case.get("openings", ()):
        opening = parse_opening({"hand": case["hand"], **item})
        assert opening.as_json() == {"hand": case["hand"], **item}
        assert open_slots(hand, key, terms, deal, [item["slot"]]) == [opening]
        check_opening(opening, commit, lock)


@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda case: case["name"])
def test_vectors_as_records_are_consistent(case: dict[str, Any]) -> None:
    names = ("hand", "terms", "commitment", "server_seed", "seals", "contributions", "deal_root", "deal")
    record = {"format": "fairdeal/1 record", **{name: case[name] for name in names}}
    assert parse_record(record).as_json() == record
    report = verify(json.dumps(record))
    assert (report.verdict, report.cause) == ("consistent", None)

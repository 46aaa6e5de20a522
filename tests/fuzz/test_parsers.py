"""Every parser against damaged input: it gives a value, or the one error that says so.

What is accepted is held to the parser's promise: formats with one text for each value give that text back.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from fairdeal_api.keys import KeyFileError
from fairdeal_api.vault import parse_seed_keys
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fairdeal import encoding
from fairdeal.checkpoint import parse_checkpoint
from fairdeal.client import reading
from fairdeal.deal import parse_document
from fairdeal.entries import parse_entry
from fairdeal.errors import FairdealError, MalformedError
from fairdeal.note import Signer, Verifier, parse_note
from fairdeal.openings import parse_opening
from fairdeal.receipt import Receipt, Record, parse_document_text
from fairdeal.seeds import parse_contributions, parse_seals
from fairdeal.seen import parse_seen, parse_seen_text
from fairdeal.terms import parse_terms
from fairdeal.tiles import parse_name
from fairdeal.tiling import encode_bundle, parse_bundle, parse_tile_path
from fairdeal.verify import verify
from tests.core.hands import DEALER, LOG, PLAYED, hand_of, played
from tests.dealer import DECK, OKEY, OPENED, PLAIN
from tests.fuzz.damage import as_text, damaged, odd_json

EXAMPLES = int(os.environ.get("FAIRDEAL_FUZZ", "150"))
"""Examples of each parser; the long form has more (docs/faults.md)."""

fuzz = settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), deadline=None)

RECEIPTS = [DEALER.receipt(played(terms)) for terms in (OKEY, OPENED, PLAIN, DECK)]
RECEIPTS += [DEALER.receipt(PLAYED, upto="commit"), DEALER.receipt(hand_of(outcome="void", locked=False))]
RECORDS = [DEALER.record(hand) for hand in DEALER.hands[:4]]
BOTH: list[Receipt | Record] = [*RECEIPTS, *RECORDS]
DOCUMENTS: list[Any] = [one.as_json() for one in BOTH]
OPENINGS = [one.as_json() for one in DEALER.openings(played(OPENED), "indicator", "hand/0/0", "stock/3")]
NOTE = LOG.checkpoint()
SIGNER = LOG.signer.private_text()
TERMS = [one.as_json() for one in (OKEY, OPENED, PLAIN, DECK)]
PATHS = [b"tile/0/x001/x234/067.p/3", b"tile/entries/000", b"tile/63/x999/999", b"tile/1/000.p/255"]


def refusal(parse: Callable[[Any], object], data: Any) -> str:
    """How a parser refuses, empty where it does not. Any other error is a finding."""
    try:
        parse(data)
    except FairdealError as error:
        return str(error)
    return ""


def again_entry(data: bytes) -> None:
    assert parse_entry(data).encode() == data


def again_path(data: bytes) -> None:
    assert parse_tile_path(data.decode()).path == data.decode()


def again_verifier(data: bytes) -> None:
    assert Verifier.parse(data.decode()).text() == data.decode()


def again_signer(data: bytes) -> None:
    assert Signer.parse(data.decode()).private_text() == data.decode()


def again_checkpoint(data: bytes) -> None:
    assert parse_checkpoint(data.decode()).text() == data.decode()


def again_canonical(data: bytes) -> None:
    assert encoding.canonical(encoding.parse_canonical(data)) == data


def again_bundle(data: bytes) -> None:
    assert encode_bundle(parse_bundle(data, 3)) == data


def again_seed_keys(data: bytes) -> None:
    try:
        parse_seed_keys(Path("seed.keys"), data.decode())
    except KeyFileError as error:
        told = str(error)
    else:
        told = ""
    # Keys are never told, not even broken ones.
    assert "aaaa" not in told


ENTRIES = [bytes(entry) for entry in LOG.entries[:12]]
TEXTS: dict[str, tuple[Callable[[bytes], object], list[bytes]]] = {
    "entry": (again_entry, ENTRIES),
    "canonical JSON": (again_canonical, ENTRIES),
    "strict JSON": (encoding.parse_json, [*ENTRIES, b'{"a":[1,{"b":null}],"c":"\\u00e9"}']),
    "signed note": (lambda data: parse_note(data.decode()), [NOTE.encode()]),
    "checkpoint": (again_checkpoint, [NOTE.partition("\n\n")[0].encode() + b"\n"]),
    "verifier key": (again_verifier, [LOG.signer.verifier.text().encode()]),
    "signing key": (again_signer, [SIGNER.encode()]),
    "tile path": (again_path, PATHS),
    "bundle": (again_bundle, [encode_bundle([bytes(e) for e in ENTRIES[:3]])]),
    "document": (parse_document_text, [json.dumps(one).encode() for one in DOCUMENTS]),
    "kept file": (lambda data: parse_seen_text(data.decode()), [json.dumps(DOCUMENTS[4]).encode()]),
    "seen": (lambda data: parse_seen(data.decode()), [b"tiles:1=R10,K1,J", b"seed:0=" + b"ab" * 32]),
    "tile": (lambda data: parse_name(data.decode()), [b"R10", b"J", b"K1"]),
    "seed keys": (again_seed_keys, [b"fairdeal-seed-key-1 " + b"a" * 64 + b"\n# old\n"]),
}


@pytest.mark.parametrize("name", TEXTS)
def test_damaged_texts(name: str) -> None:
    parse, good = TEXTS[name]
    for text in good:
        parse(text)

    @fuzz
    @given(damaged(good))
    def attempt(data: bytes) -> None:
        with suppress(UnicodeDecodeError):
            assert len(refusal(parse, data)) < 400

    attempt()


VALUES: dict[str, tuple[Callable[[Any], object], list[Any]]] = {
    "receipt or record": (lambda value: parse_document_text(as_text(value)), DOCUMENTS),
    "terms": (parse_terms, TERMS),
    "opening": (parse_opening, OPENINGS),
    "deal": (parse_document, [one["deal"] for one in DOCUMENTS if one["deal"]]),
    "seals": (parse_seals, [[{"seat": 0, "seal": "ab" * 32}, {"seat": 2, "seal": "cd" * 32}]]),
    "contributions": (parse_contributions, [[{"seat": 1, "seed": "ab" * 32}]]),
    "the client's openings": (reading.read_openings, [{"openings": OPENINGS}]),
}


@pytest.mark.parametrize("name", VALUES)
def test_odd_values(name: str) -> None:
    parse, good = VALUES[name]
    for value in good:
        parse(value)

    @fuzz
    @given(odd_json(good))
    def attempt(value: Any) -> None:
        assert len(refusal(parse, value)) < 400

    attempt()


@fuzz
@given(odd_json(DOCUMENTS))
def test_a_verifier_gives_a_report_or_refuses(value: Any) -> None:
    try:
        report = verify(as_text(value), keys=[LOG.signer.verifier])
    except MalformedError:
        return
    assert len(report.checks) == 12
    assert report.verdict in ("refuted", "incomplete", "consistent", "verified")
    if value not in DOCUMENTS:
        # What was changed is never called verified: nothing was seen.
        assert report.verdict != "verified"


@fuzz
@given(st.text(max_size=200) | st.binary(max_size=200).map(lambda data: data.decode("latin-1")))
def test_a_verifier_is_given_anything(text: str) -> None:
    with pytest.raises(MalformedError):
        verify(text)

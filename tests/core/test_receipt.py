from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from fairdeal.encoding import to_b64
from fairdeal.errors import MalformedError
from fairdeal.receipt import Receipt, Record, parse_document_text, parse_receipt, parse_record
from tests.dealer import DECK, OKEY, OPENED, PLAIN, Dealer, evening, text_of

DEALER = evening(21)
RECEIPT = DEALER.receipt(DEALER.hands[1]).as_json()
RECORD = DEALER.record(DEALER.hands[1]).as_json()


def test_round_trips() -> None:
    for hand in DEALER.hands:
        for upto in ("commit", "lock", "reveal"):
            receipt = DEALER.receipt(hand, upto=upto)
            assert parse_receipt(receipt.as_json()) == receipt
            assert parse_document_text(text_of(receipt)) == receipt
        if hand.locked:
            record = DEALER.record(hand)
            assert parse_record(record.as_json()) == record
            assert parse_document_text(json.dumps(record.as_json(), indent=2).encode()) == record
            bare = replace(record, commitment=None, server_seed=None, deal_root=None, deal=None)
            assert parse_record(bare.as_json()) == bare


def test_a_receipt_holds_its_parts() -> None:
    receipt = parse_receipt(RECEIPT)
    assert [item.content.type for item in receipt.entries if item.content] == ["commit", "lock", "reveal"]
    assert receipt.head.size == len(DEALER.log.entries)
    assert receipt.own_key == DEALER.log.signer.verifier
    assert receipt.note.text == receipt.head.text()


def test_spacing_order_and_escapes_of_the_outer_json_are_free() -> None:
    turned = dict(reversed(RECEIPT.items()))
    text = json.dumps(turned, indent=3).replace('"vkey"', '"\\u0076key"')
    assert parse_document_text(text) == parse_receipt(RECEIPT)


@pytest.mark.parametrize(("document", "parse"), [(RECEIPT, parse_receipt), (RECORD, parse_record)])
def test_members_are_exactly_those(document: dict[str, Any], parse: Any) -> None:
    for name in document:
        with pytest.raises(MalformedError, match=rf"^{name}: missing field"):
            parse({k: v for k, v in document.items() if k != name})
    with pytest.raises(MalformedError, match=r"^note: unknown field"):
        parse(document | {"note": 1})
    with pytest.raises(MalformedError, match=r"^format: must be"):
        parse(document | {"format": "fairdeal/1 something"})
    value: Any
    for value in (None, [], "x", 1):
        with pytest.raises(MalformedError, match="must be an object"):
            parse(value)


ENTRY = RECEIPT["entries"][0]
HASH = to_b64(bytes(32))
NO_INDEX: list[Any] = [-1, "0", True, None, 2**53]
NO_ENTRY: list[Any] = [None, 1, {}, "", "{}", "x", ENTRY["entry"] + " "]
NO_PROOF: list[Any] = [None, "", {}, [HASH] * 65]
NO_HASH: list[Any] = [None, 1, "", HASH[:-1], to_b64(bytes(31))]
WRONG_ENTRIES: list[tuple[str, Any]] = [
    ("entries", None),
    ("entries", {}),
    ("entries", [ENTRY] * 17),
    ("entries[0]", [None]),
    ("entries[0].index", [{k: v for k, v in ENTRY.items() if k != "index"}]),
    ("entries[0].at", [ENTRY | {"at": 1}]),
    *(("entries[0].index", [ENTRY | {"index": v}]) for v in NO_INDEX),
    *(("entries[0].entry", [ENTRY | {"entry": v}]) for v in NO_ENTRY),
    ("entries[0].entry.note", [ENTRY | {"entry": ENTRY["entry"].replace('"note":null', '"note":0')}]),
    *(("entries[0].proof", [ENTRY | {"proof": v}]) for v in NO_PROOF),
    *(("entries[0].proof[0]", [ENTRY | {"proof": [v]}]) for v in NO_HASH),
]


@pytest.mark.parametrize(
    ("field", "entries"), [pytest.param(*w, id=str(k)) for k, w in enumerate(WRONG_ENTRIES)]
)
def test_entries_that_are_refused_by_name(field: str, entries: Any) -> None:
    with pytest.raises(MalformedError) as caught:
        parse_receipt(RECEIPT | {"entries": entries})
    assert caught.value.field.startswith(field)


@pytest.mark.parametrize("name", ["vkey", "checkpoint", "deal"])
def test_other_parts_that_are_refused_by_name(name: str) -> None:
    value: Any
    for value in (1, "", [], {}, True, "x"):
        with pytest.raises(MalformedError, match=rf"^{name}"):
            parse_receipt(RECEIPT | {name: value})


H = "00" * 32
WRONG_RECORDS: dict[str, list[Any]] = {
    "hand": [None, "", H, "AA" * 16],
    "terms": [None, {}, "okey"],
    "commitment": ["", H[2:], 0, False],
    "server_seed": ["", H + "00", "0x" + H[2:]],
    "seals": [None, {}, [{"seat": 4, "seal": H}], [{"seat": 1, "seal": H}, {"seat": 0, "seal": H}]],
    "contributions": [None, [{"seat": 16, "seed": H}], [{"seat": 1, "seed": H}, {"seat": 1, "seed": H}]],
    "deal_root": ["", H[2:], True],
    "deal": [[], {}, "x", {"order": [1], "dealer": 0}],
}


@pytest.mark.parametrize("name", WRONG_RECORDS)
def test_records_are_strict(name: str) -> None:
    for value in WRONG_RECORDS[name]:
        with pytest.raises(MalformedError, match=rf"^{name}"):
            parse_record(RECORD | {name: value})


def test_contributions_of_a_record_may_sit_at_any_seat() -> None:
    # Whether they open a seal is a matter of the check, not of form.
    assert parse_record(RECORD | {"contributions": [{"seat": 15, "seed": H}]}).contributions[0].seat == 15


@pytest.mark.parametrize(
    "text", ["[]", "null", "1", '""', "{}", '{"format":null}', '{"format":["fairdeal/1 record"]}']
)
def test_texts_of_another_format(text: str) -> None:
    with pytest.raises(MalformedError, match=r"^format: must be"):
        parse_document_text(text)


def test_a_repr_holds_no_seed() -> None:
    dealer = Dealer(3)
    for terms in (OKEY, OPENED, PLAIN, DECK):
        hand = dealer.play(terms, sealed=(0, 1))
        shown = repr(dealer.record(hand)) + repr(hand)
        for seed in (hand.server_seed, *hand.client_seeds.values()):
            assert seed.hex() not in shown
            assert repr(seed) not in shown
    assert isinstance(parse_document_text(json.dumps(RECEIPT)), Receipt)
    assert isinstance(parse_document_text(json.dumps(RECORD)), Record)

"""What holds for the package as a whole: its surface, its examples, and that it never repeats a secret."""

from __future__ import annotations

import ast
import dataclasses
import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairdeal
from fairdeal import encoding
from fairdeal.diagnose import OtherHand
from fairdeal.encoding import to_b64
from fairdeal.entries import parse_entry, parse_operator, parse_table
from fairdeal.errors import FairdealError
from fairdeal.evidence import gather
from fairdeal.note import Signer, Verifier, parse_note
from fairdeal.openings import parse_opening
from fairdeal.receipt import parse_document_text, parse_receipt, parse_record
from fairdeal.seeds import commitment, deal_key, lucky_seed, parse_contributions, parse_seals
from fairdeal.seen import SeenSeed, parse_seen, parse_seen_text
from fairdeal.terms import parse_terms
from fairdeal.tiles import parse_name
from fairdeal.tiling import parse_tile_path
from fairdeal.verify import verify
from tests.core import strategies as own
from tests.dealer import Dealer, text_of

MODULES = sorted(
    f"fairdeal.{found.name}" for found in pkgutil.iter_modules(fairdeal.__path__) if not found.ispkg
)


def module(name: str) -> ModuleType:
    return importlib.import_module(name)


def test_the_surface() -> None:
    assert fairdeal.__all__ == [
        "Commit",
        "Contribution",
        "Deal",
        "DeckDeal",
        "DeckTerms",
        "EvidenceError",
        "FairdealError",
        "Lock",
        "LoggedEntry",
        "MalformedError",
        "OkeyDeal",
        "OkeyTerms",
        "Opening",
        "OtherHand",
        "Receipt",
        "Record",
        "Report",
        "Reveal",
        "Seal",
        "SeenCommitment",
        "SeenOpening",
        "SeenReceipt",
        "SeenSeed",
        "SeenTiles",
        "Signer",
        "Terms",
        "UnsupportedError",
        "UsageError",
        "Verifier",
        "check_opening",
        "commitment",
        "deal_key",
        "deal_root",
        "lucky_seed",
        "make_deal",
        "open_slots",
        "parse_document_text",
        "parse_entry",
        "parse_opening",
        "parse_seen",
        "parse_seen_text",
        "parse_terms",
        "seal",
        "verify",
    ]
    for name in fairdeal.__all__:
        assert hasattr(fairdeal, name), name


@pytest.mark.parametrize("name", ["fairdeal", *MODULES])
def test_examples_in_docstrings_run(name: str) -> None:
    assert doctest.testmod(module(name)).failed == 0


@pytest.mark.parametrize("name", MODULES)
def test_every_module_is_short_and_explains_itself(name: str) -> None:
    source = Path(inspect.getsourcefile(module(name)) or "").read_text(encoding="utf-8")
    assert source.count("\n") <= 400
    assert ast.get_docstring(ast.parse(source))


# --- Secrets ----------------------------------------------------------------------------------------------

PARSERS: dict[str, Callable[[Any], object]] = {
    "hex": lambda text: encoding.parse_hex(text, "x", 16),
    "base64": lambda text: encoding.parse_b64(text, "x", 16),
    "json": encoding.parse_json,
    "json in a list": lambda text: encoding.parse_json(f'["{text}",]'),
    "json twice": lambda text: encoding.parse_json(f'{{"{text}":1,"{text}":2}}'),
    "a member": lambda text: encoding.members({text: text}, "x", ("seat",)),
    "an integer": lambda text: encoding.integer(text, "x"),
    "a boolean": lambda text: encoding.boolean(text, "x"),
    "a list": lambda text: encoding.listing(text, "x", 3),
    "seals": lambda text: parse_seals([{"seat": 0, "seal": text + "0"}]),
    "contributions": lambda text: parse_contributions([{"seat": text, "seed": text}]),
    "a contribution's name": lambda text: parse_contributions([{"seat": 0, text: text}]),
    "terms": lambda text: parse_terms({"game": text}),
    "terms' dealer": lambda text: parse_terms(
        {"game": "okey", "layout": "wall", "seats": 4, "dealer": text, "dice": 1, "openings": False}
    ),
    "an entry": lambda text: parse_entry(text.encode()),
    "an entry's type": lambda text: parse_entry(f'{{"type":"{text}","v":1}}'.encode()),
    "an entry's field": lambda text: parse_entry(f'{{"{text}":1,"type":"lock","v":1}}'.encode()),
    "an operator": lambda text: parse_operator(text + "/"),
    "a table": lambda text: parse_table(text + "/"),
    "a note": lambda text: parse_note(f"{text}\n\n{text}\n"),
    "a verifier key": lambda text: Verifier.parse(f"a+{text}+{text}"),
    "a private key": lambda text: Signer.parse(f"PRIVATE+KEY+a+00000000+{text}"),
    "an opening": lambda text: parse_opening({"hand": text, "slot": text}),
    "a document": parse_document_text,
    "a receipt": lambda text: parse_receipt({"format": text, text: 1}),
    "a record": lambda text: parse_record({"format": "fairdeal/1 record", "server_seed": text}),
    "seen": lambda text: parse_seen(text + "0"),
    "a seen seed": lambda text: parse_seen(f"seed:1={text}0"),
    "seen tiles": lambda text: parse_seen(f"tiles:1={text}"),
    "a seen file": parse_seen_text,
    "a tile's name": parse_name,
    "a tile's path": parse_tile_path,
    "a seed": lambda text: commitment(text.encode()),
    "a deal key": lambda text: deal_key(text.encode(), bytes(16), own.OKEY_TERMS[0], ()),
    "randomness": lambda text: lucky_seed(text.encode(), text),
    "verify": verify,
}


@pytest.mark.parametrize("name", PARSERS)
@settings(max_examples=20)
@given(seed=st.binary(min_size=32, max_size=32).filter(lambda b: len(set(b)) > 8))
def test_errors_never_repeat_what_they_were_given(name: str, seed: bytes) -> None:
    for secret in (seed.hex(), seed.hex().upper(), to_b64(seed)):
        with pytest.raises(FairdealError) as caught:
            PARSERS[name](secret)
        shown = str(caught.value) + repr(caught.value) + repr(vars(caught.value))
        assert secret[:12] not in shown
        assert seed.hex()[:12] not in shown


def test_no_repr_shows_a_seed() -> None:
    dealer = Dealer(5)
    hand = dealer.play(sealed=(0, 2))
    seeds = [hand.server_seed, *hand.client_seeds.values(), dealer.log.signer.seed]
    record, receipt = dealer.record(hand), dealer.receipt(hand)
    reveal = receipt.entries[-1].content
    holders: list[object] = [
        record,
        reveal,
        receipt.entries[1].content,
        gather(record),
        *hand.contributions,
        SeenSeed(0, seeds[1]),
        OtherHand(hand.hand, None, hand.server_seed),
        dealer.log.signer,
    ]
    for holder in holders:
        assert dataclasses.is_dataclass(holder)
        for seed in seeds:
            assert seed.hex() not in repr(holder)
            assert repr(seed)[2:-1] not in repr(holder)


def test_reports_of_unfinished_hands_show_no_seed() -> None:
    dealer = Dealer(6)
    hand = dealer.lock(dealer.commit(sealed=(0,)))
    report = verify(text_of(dealer.receipt(hand)), seen=[SeenSeed(0, hand.client_seeds[0])])
    assert hand.server_seed.hex() not in str(report.as_json())
    assert hand.client_seeds[0].hex() not in str(report.as_json())
    assert report.verdict == "incomplete"

"""Receipts, which carry a hand's log evidence, and records, which carry none (protocol §9)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from fairdeal.checkpoint import Checkpoint, parse_checkpoint
from fairdeal.deal import parse_document
from fairdeal.encoding import integer, listing, members, parse_b64, parse_hex, parse_json, string, to_b64
from fairdeal.entries import Entry, parse_entry, seated_seals
from fairdeal.errors import MalformedError, UnsupportedError
from fairdeal.merkle import HASH_SIZE
from fairdeal.note import Note, Verifier, parse_note
from fairdeal.seeds import HAND_SIZE, SEED_SIZE, Contribution, Seal, parse_contributions
from fairdeal.terms import Terms, parse_terms

RECEIPT_FORMAT = "fairdeal/1 receipt"
RECORD_FORMAT = "fairdeal/1 record"

MAX_ENTRIES = 16
MAX_PROOF = 64


@dataclass(frozen=True)
class LoggedEntry:
    """One entry of a receipt: its log index, exact text, and inclusion path (hashes of 32 bytes)."""

    index: int
    entry: str
    proof: tuple[bytes, ...]

    @cached_property
    def content(self) -> Entry | None:
        """The entry parsed, or ``None`` where it is of a version or type not known here (protocol §8.3)."""
        try:
            return parse_entry(self.entry.encode("utf-8"))
        except UnsupportedError:
            return None

    def as_json(self) -> dict[str, Any]:
        """The entry as a receipt holds it."""
        return {"index": self.index, "entry": self.entry, "proof": [to_b64(node) for node in self.proof]}


@dataclass(frozen=True)
class Receipt:
    """Self-contained evidence for one hand, as far as it has come (protocol §9.1)."""

    vkey: str
    checkpoint: str
    entries: tuple[LoggedEntry, ...]
    deal: dict[str, Any] | None

    @cached_property
    def note(self) -> Note:
        """The checkpoint as a signed note, not yet verified."""
        return parse_note(self.checkpoint, "checkpoint")

    @cached_property
    def head(self) -> Checkpoint:
        """The checkpoint's origin, size and tree head, not yet verified."""
        return parse_checkpoint(self.note.text, "checkpoint")

    @cached_property
    def own_key(self) -> Verifier:
        """The key that the receipt brings along; it proves nothing by itself."""
        return Verifier.parse(self.vkey, "vkey")

    def as_json(self) -> dict[str, Any]:
        """The receipt as it is handed out."""
        return {
            "format": RECEIPT_FORMAT,
            "vkey": self.vkey,
            "checkpoint": self.checkpoint,
            "entries": [entry.as_json() for entry in self.entries],
            "deal": self.deal,
        }


@dataclass(frozen=True)
class Record:
    """What a game server's history holds of a finished hand; ``None`` where it is gone (protocol §9.2)."""

    hand: bytes
    terms: Terms
    commitment: bytes | None
    server_seed: bytes | None = field(repr=False)
    seals: tuple[Seal, ...]
    contributions: tuple[Contribution, ...]
    deal_root: bytes | None
    deal: dict[str, Any] | None

    def as_json(self) -> dict[str, Any]:
        """The record as it is handed out."""
        return {
            "format": RECORD_FORMAT,
            "hand": self.hand.hex(),
            "terms": self.terms.as_json(),
            "commitment": self.commitment and self.commitment.hex(),
            "server_seed": self.server_seed and self.server_seed.hex(),
            "seals": [s.as_json() for s in self.seals],
            "contributions": [c.as_json() for c in self.contributions],
            "deal_root": self.deal_root and self.deal_root.hex(),
            "deal": self.deal,
        }


Document = Receipt | Record


def read_document(text: str | bytes) -> dict[str, Any]:
    """The JSON object of a receipt or record whose inside is yet to be checked.

    Raises :class:`MalformedError` where the text is not strict JSON or says it is something else.
    """
    value = parse_json(text)
    if not isinstance(value, dict) or value.get("format") not in (RECEIPT_FORMAT, RECORD_FORMAT):
        raise MalformedError("format", f'must be "{RECEIPT_FORMAT}" or "{RECORD_FORMAT}"')
    return value


def parse_document_text(text: str | bytes) -> Document:
    """A receipt or record from its text. Raises :class:`MalformedError` naming the field and the rule."""
    return parse_object(read_document(text))


def parse_object(value: dict[str, Any]) -> Document:
    """A receipt or record from what :func:`read_document` gave."""
    return parse_receipt(value) if value["format"] == RECEIPT_FORMAT else parse_record(value)


def parse_receipt(value: object) -> Receipt:
    """A receipt from its JSON object, every part of it checked for form."""
    document = members(value, "", ("format", "vkey", "checkpoint", "entries", "deal"))
    if document["format"] != RECEIPT_FORMAT:
        raise MalformedError("format", f'must be "{RECEIPT_FORMAT}"')
    receipt = Receipt(
        vkey=string(document["vkey"], "vkey"),
        checkpoint=string(document["checkpoint"], "checkpoint"),
        entries=tuple(
            _logged(item, f"entries[{k}]")
            for k, item in enumerate(listing(document["entries"], "entries", MAX_ENTRIES))
        ),
        deal=_deal(document["deal"]),
    )
    # These parse on first use; use them now, so that a receipt in hand is a well-formed one.
    _ = receipt.own_key, receipt.head
    return receipt


def parse_record(value: object) -> Record:
    """A record from its JSON object, every part of it checked for form."""
    names = ("hand", "terms", "commitment", "server_seed", "seals", "contributions", "deal_root", "deal")
    document = members(value, "", ("format", *names))
    if document["format"] != RECORD_FORMAT:
        raise MalformedError("format", f'must be "{RECORD_FORMAT}"')
    terms = parse_terms(document["terms"])
    return Record(
        hand=parse_hex(document["hand"], "hand", HAND_SIZE),
        terms=terms,
        commitment=_hex_or_none(document, "commitment", HASH_SIZE),
        server_seed=_hex_or_none(document, "server_seed", SEED_SIZE),
        seals=seated_seals(document["seals"], terms),
        contributions=parse_contributions(document["contributions"]),
        deal_root=_hex_or_none(document, "deal_root", HASH_SIZE),
        deal=_deal(document["deal"]),
    )


def _logged(value: object, field: str) -> LoggedEntry:
    item = members(value, field, ("index", "entry", "proof"))
    logged = LoggedEntry(
        index=integer(item["index"], f"{field}.index"),
        entry=string(item["entry"], f"{field}.entry"),
        proof=tuple(
            parse_b64(node, f"{field}.proof[{k}]", HASH_SIZE)
            for k, node in enumerate(listing(item["proof"], f"{field}.proof", MAX_PROOF))
        ),
    )
    try:
        _ = logged.content
    except MalformedError as error:
        raise MalformedError(f"{field}.{error.field}", error.rule) from None
    return logged


def _deal(value: object) -> dict[str, Any] | None:
    return None if value is None else parse_document(value)


def _hex_or_none(document: dict[str, Any], name: str, size: int) -> bytes | None:
    return None if document[name] is None else parse_hex(document[name], name, size)

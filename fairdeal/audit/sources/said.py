"""What one document or log entry says of a hand and its log, in the little that comparing takes (§10.5)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from fairdeal.audit.log.entrytext import CommitText, LockText, RevealText, explain, read_entry
from fairdeal.audit.log.shared import (
    UNLOCKED,
    entry_print,
    head_print,
    identity,
    number_print,
    stage_print,
)
from fairdeal.audit.sources.plainprints import KINDS
from fairdeal.checkpoint import Checkpoint
from fairdeal.encoding import canonical
from fairdeal.entries import Commit, Lock, Reveal
from fairdeal.evidence import Evidence, first
from fairdeal.merkle import leaf_hash
from fairdeal.receipt import LoggedEntry, Receipt
from fairdeal.seeds import commitment

CLAIMS = ("number", "entry", "stage", "head")
"""What a log has one of: a table's hand of a number, an entry at an index, a hand's lock, a size's head."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing said of a log: ``key`` is what it is said of, in full, ``words`` the same for a finding."""

    key: str
    words: str
    value: bytes
    index: int | None = None


@dataclass(slots=True)
class Said:
    """What is said in one place.

    ``values`` may each stand only once, by kind. ``parts`` are of the hand itself, those that are shown.
    ``identity`` stands for the hand's commit entry, where there is a log to have it. ``claims`` of the log
    are by kind and by their print.
    """

    hand: bytes = b""
    values: dict[str, list[bytes]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    parts: dict[str, object] = field(default_factory=dict)
    identity: bytes = b""
    claims: dict[tuple[str, bytes], Claim] = field(default_factory=dict)
    disproved: bool = False
    """It stands in a receipt of what its log has not signed: anyone can have written it."""


def head_said(head: Checkpoint) -> Said:
    """What a checkpoint says."""
    words = f"{head.origin} with {head.size}"
    claim = Claim(words, words, head.root)
    return Said(claims={("head", head_print(head.origin, head.size)): claim})


def of_document(evidence: Evidence) -> Said:
    """What a receipt or record says."""
    stated, said = evidence.stated, Said()
    if stated is not None:
        said.hand = stated.hand
        said.values["hand"] = [stated.hand]
        said.values["seal"] = [s.seal for s in stated.seals]
        seals = tuple((s.seat, s.seal) for s in stated.seals)
        said.parts |= {"terms": stated.terms.canonical(), "seals": seals}
        if stated.commitment is not None:
            said.values["commitment"] = [stated.commitment]
            said.parts["commitment"] = stated.commitment
        elif evidence.server_seed is not None:
            # A record may have lost its commitment; its seed still has but one.
            said.parts["commitment"] = commitment(evidence.server_seed)
    if evidence.server_seed is not None:
        said.values["seed"] = [evidence.server_seed]
        said.parts["server seed"] = evidence.server_seed
    if evidence.contributions is not None:
        said.values["client-seed"] = [c.seed for c in evidence.contributions]
        said.parts |= {"contributions": evidence.contributions, "deal_root": evidence.deal_root}
    if evidence.locked or evidence.ended_unlocked:
        said.parts["lock"] = evidence.locked
    if evidence.deal is not None:
        said.parts["deal"] = hashlib.sha256(canonical(evidence.deal)).digest()
    if isinstance(evidence.document, Receipt):
        _of_receipt(evidence.document, said)
        if evidence.ended_unlocked:
            _unlocked(said, evidence.document.head.origin)
    return said


def _of_receipt(receipt: Receipt, said: Said) -> None:
    head = receipt.head
    said.claims |= head_said(head).claims
    commit = first(receipt.entries, Commit)
    for item in receipt.entries:
        leaf = leaf_hash(item.entry.encode())
        place = entry_print(head.origin, item.index)
        words = f"entry at {item.index}"
        said.claims["entry", place] = Claim(f"{head.origin} {words}", words, leaf, item.index)
        if commit is not None:
            _of_entry(item, leaf, commit, head.origin, said)


def _of_entry(item: LoggedEntry, leaf: bytes, commit: Commit, origin: str, said: Said) -> None:
    content = item.content
    if isinstance(content, Commit):
        said.identity = said.identity or identity(origin, item.index, leaf)
        _number(said, origin, commit.operator, commit.table, commit.number)
    elif isinstance(content, Lock | Reveal):
        stage = "lock" if isinstance(content, Lock) else "reveal"
        _stage(said, origin, stage, item.index, leaf)


def _stage(said: Said, origin: str, stage: str, index: int, leaf: bytes) -> None:
    """A lock or reveal, of which a hand has one; ``said.hand`` is there by then."""
    at = stage_print(origin, said.hand, stage)
    claim = Claim(f"{origin} {said.hand.hex()} {stage}", stage, identity("", index, leaf), index)
    said.claims["stage", at] = claim


def _unlocked(said: Said, origin: str) -> None:
    """Where a hand ended without a lock its log can have none; ``said.hand`` is there by then."""
    at = stage_print(origin, said.hand, "lock")
    said.claims["stage", at] = Claim(f"{origin} {said.hand.hex()} lock", "lock", UNLOCKED)


def _number(said: Said, origin: str, operator: str, table: str, number: int) -> None:
    """A commit's claim to a hand number; ``said.hand`` is there by then."""
    words = f"{operator}, table {table} has another hand {number}"
    at = number_print(origin, operator, table, number)
    said.claims["number", at] = Claim(f"{origin} {words}", words, said.hand)


def of_entry(data: bytes, index: int, origin: str) -> Said | None:
    """What an entry of a log says; ``None`` where it cannot be read."""
    entry = read_entry(data) or explain(data)
    said = Said()
    if isinstance(entry, CommitText):
        said.hand = bytes.fromhex(entry.hand.decode())
        commitment = bytes.fromhex(entry.commitment.decode())
        seals = tuple((seat, bytes.fromhex(seal.decode())) for seat, seal in entry.seals)
        said.values |= {"hand": [said.hand], "commitment": [commitment], "seal": [seal for _, seal in seals]}
        said.parts |= {"terms": entry.terms, "commitment": commitment, "seals": seals}
        said.identity = identity(origin, index, leaf_hash(data))
        operator, table = entry.operator.decode(), entry.table.decode()
        _number(said, origin, operator, table, entry.number)
    elif isinstance(entry, LockText):
        said.hand = bytes.fromhex(entry.hand.decode())
        said.values["client-seed"] = [bytes.fromhex(seed.decode()) for _, seed in entry.contributions]
        _stage(said, origin, "lock", index, leaf_hash(data))
    elif isinstance(entry, RevealText):
        said.hand = bytes.fromhex(entry.hand.decode())
        said.values["hand"] = [said.hand]
        # Only of a hand that ended without a lock is the reveal looked at for the hand's sake.
        said.parts["lock"] = False
        _unlocked(said, origin)
        _stage(said, origin, "reveal", index, leaf_hash(data))
        said.values["seed"] = [bytes.fromhex(entry.server_seed.decode())] if entry.server_seed else []
    else:
        return None
    return said

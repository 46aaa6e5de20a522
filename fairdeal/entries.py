"""The three kinds of log entry: commit, lock, reveal (protocol §8.1).

An entry's text is its RFC 8785 form; the log's tree is made over exactly those bytes. What parses
marshals back to the same bytes:

>>> data = Reveal(5, bytes(16), bytes(32), "void", "technical", bytes(32)).encode()
>>> parse_entry(data).encode() == data
True
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from fairdeal.encoding import canonical, integer, members, parse_canonical, parse_hex
from fairdeal.errors import MalformedError, UnsupportedError
from fairdeal.merkle import HASH_SIZE
from fairdeal.seeds import HAND_SIZE, SEED_SIZE, Contribution, Seal, parse_contributions, parse_seals
from fairdeal.terms import Terms, parse_terms

MAX_ENTRY = 4096
"""Bytes in the longest entry."""

SHORTEST_WINDOW, LONGEST_WINDOW = 60_000, 30 * 86_400_000
"""Milliseconds that ``lock_by`` and ``reveal_by`` may lie after ``at``."""

VOID_REASONS = ("seat-silent", "table-closed", "technical")

Outcome = Literal["played", "void", "expired", "lost"]

_OPERATOR = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}", re.ASCII)
_TABLE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,63}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Commit:
    """A hand begins: terms, commitment and seals are fixed. Times are milliseconds since the Unix epoch."""

    type: ClassVar[str] = "commit"
    at: int
    operator: str
    table: str
    number: int
    hand: bytes
    terms: Terms
    commitment: bytes
    seals: tuple[Seal, ...]
    note: bytes | None
    lock_by: int

    def encode(self) -> bytes:
        """The entry's exact bytes."""
        return _encode(
            self.type,
            at=self.at,
            operator=self.operator,
            table=self.table,
            number=self.number,
            hand=self.hand.hex(),
            terms=self.terms.as_json(),
            commitment=self.commitment.hex(),
            seals=[s.as_json() for s in self.seals],
            note=None if self.note is None else self.note.hex(),
            lock_by=self.lock_by,
        )


@dataclass(frozen=True, slots=True)
class Lock:
    """The outcome is fixed: the opened client seeds, and the openings' root where the terms ask for it."""

    type: ClassVar[str] = "lock"
    at: int
    hand: bytes
    prev: bytes
    contributions: tuple[Contribution, ...]
    deal_root: bytes | None
    reveal_by: int

    def encode(self) -> bytes:
        """The entry's exact bytes."""
        return _encode(
            self.type,
            at=self.at,
            hand=self.hand.hex(),
            prev=self.prev.hex(),
            contributions=[c.as_json() for c in self.contributions],
            deal_root=None if self.deal_root is None else self.deal_root.hex(),
            reveal_by=self.reveal_by,
        )


@dataclass(frozen=True, slots=True)
class Reveal:
    """A hand ends: how, why, and the server seed (``None`` only where it was lost)."""

    type: ClassVar[str] = "reveal"
    at: int
    hand: bytes
    prev: bytes
    outcome: Outcome
    reason: str | None
    server_seed: bytes | None = field(repr=False)

    def encode(self) -> bytes:
        """The entry's exact bytes."""
        return _encode(
            self.type,
            at=self.at,
            hand=self.hand.hex(),
            prev=self.prev.hex(),
            outcome=self.outcome,
            reason=self.reason,
            server_seed=None if self.server_seed is None else self.server_seed.hex(),
        )


Entry = Commit | Lock | Reveal


def parse_entry(data: bytes, field: str = "entry") -> Entry:
    """An entry from its exact bytes.

    Raises :class:`UnsupportedError` for another version or type, :class:`MalformedError` for anything that
    breaks a rule of form: too long, not canonical, unknown or missing fields, values out of range.
    """
    if len(data) > MAX_ENTRY:
        raise MalformedError(field, f"must be at most {MAX_ENTRY} bytes")
    value = parse_canonical(data, field)
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        raise MalformedError(f"{field}.type", "must be text")
    if type(value.get("v")) is not int:
        raise MalformedError(f"{field}.v", "must be an integer")
    parse = _PARSERS.get(value["type"])
    if value["v"] != 1 or parse is None:
        raise UnsupportedError(field, "is of a version or type that this release does not know")
    return parse(value, field)


def _commit(value: dict[str, Any], field: str) -> Commit:
    names = ("at", "operator", "table", "number", "hand", "terms", "commitment", "seals", "note", "lock_by")
    members(value, field, ("type", "v", *names))
    at = integer(value["at"], f"{field}.at")
    terms = parse_terms(value["terms"], f"{field}.terms")
    return Commit(
        at=at,
        operator=parse_operator(value["operator"], f"{field}.operator"),
        table=parse_table(value["table"], f"{field}.table"),
        number=integer(value["number"], f"{field}.number", 1),
        hand=parse_hex(value["hand"], f"{field}.hand", HAND_SIZE),
        terms=terms,
        commitment=parse_hex(value["commitment"], f"{field}.commitment", HASH_SIZE),
        seals=seated_seals(value["seals"], terms, f"{field}.seals"),
        note=_hex_or_none(value["note"], f"{field}.note", 32),
        lock_by=_deadline(value["lock_by"], at, f"{field}.lock_by"),
    )


def _lock(value: dict[str, Any], field: str) -> Lock:
    members(value, field, ("type", "v", "at", "hand", "prev", "contributions", "deal_root", "reveal_by"))
    at = integer(value["at"], f"{field}.at")
    return Lock(
        at=at,
        hand=parse_hex(value["hand"], f"{field}.hand", HAND_SIZE),
        prev=parse_hex(value["prev"], f"{field}.prev", HASH_SIZE),
        contributions=parse_contributions(value["contributions"], f"{field}.contributions"),
        deal_root=_hex_or_none(value["deal_root"], f"{field}.deal_root", HASH_SIZE),
        reveal_by=_deadline(value["reveal_by"], at, f"{field}.reveal_by"),
    )


def _reveal(value: dict[str, Any], field: str) -> Reveal:
    members(value, field, ("type", "v", "at", "hand", "prev", "outcome", "reason", "server_seed"))
    outcome, reason = value["outcome"], value["reason"]
    if outcome not in ("played", "void", "expired", "lost"):
        raise MalformedError(f"{field}.outcome", "must be played, void, expired or lost")
    if outcome == "void" and reason not in VOID_REASONS:
        raise MalformedError(f"{field}.reason", "must be seat-silent, table-closed or technical")
    if outcome != "void" and reason is not None:
        raise MalformedError(f"{field}.reason", "must be null unless the outcome is void")
    if (outcome == "lost") != (value["server_seed"] is None):
        raise MalformedError(f"{field}.server_seed", "must be null exactly where the outcome is lost")
    return Reveal(
        at=integer(value["at"], f"{field}.at"),
        hand=parse_hex(value["hand"], f"{field}.hand", HAND_SIZE),
        prev=parse_hex(value["prev"], f"{field}.prev", HASH_SIZE),
        outcome=outcome,
        reason=reason,
        server_seed=_hex_or_none(value["server_seed"], f"{field}.server_seed", SEED_SIZE),
    )


def parse_operator(value: object, field: str = "operator") -> str:
    """An operator's name: 1 to 64 of a–z 0–9 . _ -, the first a letter or digit."""
    if not isinstance(value, str) or not _OPERATOR.fullmatch(value):
        raise MalformedError(field, "must be 1 to 64 of a-z 0-9 . _ - and start with a letter or digit")
    return value


def parse_table(value: object, field: str = "table") -> str:
    """A table's name: 1 to 64 of A–Z a–z 0–9 . _ : -, the first a letter or digit."""
    if not isinstance(value, str) or not _TABLE.fullmatch(value):
        raise MalformedError(field, "must be 1 to 64 of A-Z a-z 0-9 . _ : - and start with a letter or digit")
    return value


def seated_seals(value: object, terms: Terms, field: str = "seals") -> tuple[Seal, ...]:
    """Seals whose seats are all below the terms' ``seats``."""
    seals = parse_seals(value, field)
    for k, item in enumerate(seals):
        integer(item.seat, f"{field}[{k}].seat", 0, terms.seats - 1)
    return seals


_PARSERS: dict[str, Callable[[dict[str, Any], str], Entry]] = {
    "commit": _commit,
    "lock": _lock,
    "reveal": _reveal,
}


def _deadline(value: object, at: int, field: str) -> int:
    deadline = integer(value, field)
    if not SHORTEST_WINDOW <= deadline - at <= LONGEST_WINDOW:
        raise MalformedError(field, "must lie between one minute and 30 days after at")
    return deadline


def _hex_or_none(value: object, field: str, size: int) -> bytes | None:
    return None if value is None else parse_hex(value, field, size)


def _encode(kind: str, **fields: object) -> bytes:
    data = canonical({"type": kind, "v": 1, **fields})
    if len(data) > MAX_ENTRY:
        raise MalformedError("entry", f"must be at most {MAX_ENTRY} bytes")
    return data

"""What the check of one stretch of a history gives, whichever way its hands were checked."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from fairdeal.audit.findings import Finding
from fairdeal.note import Verifier
from fairdeal.seen import Seen

if TYPE_CHECKING:
    from fairdeal.audit.histories.columns import Array

KINDS = ("hand", "commitment", "seal", "seed", "client-seed")
"""What may stand only once in a history."""

BROKEN = "broken"
"""Stands beside the four verdicts for a line that is neither a receipt nor a record."""


@dataclass(frozen=True)
class Given:
    """What every hand is checked with."""

    keys: tuple[Verifier, ...] = ()
    """Log keys that the auditor trusts."""
    commitments: frozenset[bytes] = frozenset()
    """Commitments that players kept from before their hands."""
    named: frozenset[bytes] = frozenset()
    """Commitments only to look out for: those of kept receipts, which are in ``seen`` themselves."""
    seen: Mapping[bytes, tuple[Seen, ...]] = field(default_factory=dict)
    """Kept receipts and openings, by hand."""
    deals: bool = False
    """Whether the deals are wanted too, for statistics."""


class ReceiptFacts(NamedTuple):
    """What one receipt says of its hand and of the log; times in milliseconds since the Unix epoch."""

    position: int
    hand: bytes
    operator: str
    table: str
    number: int
    entries: tuple[tuple[int, bytes], ...]
    """Log index and leaf hash of each entry."""
    origin: str
    size: int
    root: bytes
    outcome: str | None
    reason: str | None
    committed_at: int
    locked_at: int | None
    ended_at: int | None
    contributions: int


@dataclass(frozen=True)
class Deals:
    """Packed deals of finished hands, in order, for statistics (see ``columns``)."""

    positions: array[int]
    terms: Array
    """(n,) uint32 codes."""
    deals: Array
    """(n, WIDTH)"""


@dataclass
class Checked:
    """One stretch of a history, checked. ``position`` everywhere is a line or row, counted from 1."""

    hands: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    absent: Counter[str] = field(default_factory=Counter)
    """How often the evidence for a check from ``commitment`` to ``openings`` was absent."""
    grinding: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Hands by operator (empty for records) and by who could have chosen their deal (§10.3)."""
    alone: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Of these the receipts whose deal the operator alone could have chosen, by operator and table."""
    evidence: Counter[str] = field(default_factory=Counter)
    """Hands by their log evidence, in the words of :mod:`fairdeal.verify`."""
    findings: list[Finding] = field(default_factory=list)
    values: dict[str, tuple[bytearray, array[int]]] = field(default_factory=dict)
    """By kind: the values one after another, and the position that each comes from."""
    kept: dict[bytes, str] = field(default_factory=dict)
    """Kept commitments that were met, with their hands."""
    receipts: list[ReceiptFacts] = field(default_factory=list)
    deals: list[Deals] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Every kind of value has its place, if only an empty one."""
        for kind in KINDS:
            self.values.setdefault(kind, (bytearray(), array("Q")))

    def add(self, kind: str, values: bytes | memoryview, positions: Sequence[int]) -> None:
        """Note down values of a kind, one after another, and where they stand."""
        data, owners = self.values[kind]
        data += values
        owners.extend(positions)

"""Hands counted by how they ended, per operator and table (protocol §10.5)."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

NAMES = (
    "hands",
    "played",
    "void_before_lock",
    "void_after_lock",
    "expired_before_lock",
    "expired_after_lock",
    "lost",
    "open",
    "unshown",
    "late",
    "operator_alone",
)


@dataclass(slots=True)
class Counts:
    """One table's hands, or those of all an operator's tables.

    ``hands`` were committed; each of them ended in one of the ways counted next, is ``open``, or its end is
    ``unshown``: a record does not say whether its hand was played. ``late`` ones were revealed more than a
    minute after they were due. ``operator_alone`` are locked hands whose deal the operator could have chosen
    by trying seeds, since no seat contributed or the seals do not hold (§10.3).
    """

    hands: int = 0
    played: int = 0
    void_before_lock: int = 0
    void_after_lock: int = 0
    expired_before_lock: int = 0
    expired_after_lock: int = 0
    lost: int = 0
    open: int = 0
    unshown: int = 0
    late: int = 0
    operator_alone: int = 0

    def add(self, other: Counts) -> None:
        """Add another's counts to this one's."""
        for name in NAMES:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def voids(self) -> int:
        """Hands declared void, before or after their lock."""
        return self.void_before_lock + self.void_after_lock

    @property
    def expired(self) -> int:
        """Hands that ran out, before or after their lock."""
        return self.expired_before_lock + self.expired_after_lock

    @property
    def ended(self) -> int:
        """Hands of which it is shown how they ended."""
        return self.hands - self.open - self.unshown

    def as_json(self) -> dict[str, Any]:
        """The counts, with voids and expiries also as shares of the hands that are shown to have ended."""
        ended = self.ended
        shares = {"void_rate": self.voids, "expiry_rate": self.expired}
        rates = {name: round(n / ended, 6) if ended > 0 else None for name, n in shares.items()}
        return {f.name: getattr(self, f.name) for f in fields(self)} | rates


Key = tuple[str, str]
"""Operator and table."""

RECORDS: Key = ("", "")
"""Records name neither operator nor table."""


def total(counts: dict[Key, Counts]) -> Counts:
    """All tables together."""
    result = Counts()
    for one in counts.values():
        result.add(one)
    return result


def per_operator(counts: dict[Key, Counts]) -> dict[str, Counts]:
    """Each operator's tables together, by name."""
    result: dict[str, Counts] = {}
    for (operator, _), one in sorted(counts.items()):
        result.setdefault(operator, Counts()).add(one)
    return result


def as_json(counts: dict[Key, Counts]) -> dict[str, Any]:
    """Totals, operators and tables as ``audit --json`` prints them."""
    return {
        "total": total(counts).as_json(),
        "operators": {name: one.as_json() for name, one in per_operator(counts).items()},
        "tables": [
            {"operator": operator, "table": table, **one.as_json()}
            for (operator, table), one in sorted(counts.items())
        ],
    }

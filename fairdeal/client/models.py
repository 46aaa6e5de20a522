"""What goes to the service and what comes back, typed; :mod:`fairdeal.client.reading` reads the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from fairdeal.seeds import Contribution, Seal
from fairdeal.terms import Terms

State = Literal["committed", "locked", "revealed"]
VoidReason = Literal["seat-silent", "table-closed", "technical"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class NewHand:
    """A hand to commit. ``terms`` may be given in part; ``lock_within`` is in seconds."""

    table: str | None = None
    """The table; for the next hand of a reveal ``None`` means the same one."""
    terms: Mapping[str, Any] | None = None
    """Protocol §1.4. What is missing: okey, wall, four seats, dealer thrown for, one die, no openings."""
    seals: Sequence[Seal] = ()
    note: bytes | None = None
    """32 bytes of the operator's choosing."""
    lock_within: int | None = None

    def as_json(self) -> dict[str, Any]:
        """The request's body."""
        body = {
            "table": self.table,
            "terms": None if self.terms is None else dict(self.terms),
            "seals": [seal.as_json() for seal in self.seals] or None,
            "note": None if self.note is None else self.note.hex(),
            "lock_within": self.lock_within,
        }
        return {name: value for name, value in body.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand document. What is not public yet is ``None``; seeds and deal are not in the repr.

    Times are milliseconds since the Unix epoch. ``receipt`` and ``next`` come with the answers to writes:
    the receipt as it came, for the players, and the hand that a reveal committed after this one.
    """

    hand: str
    operator: str
    table: str
    number: int
    state: State
    terms: Terms
    commitment: bytes
    seals: tuple[Seal, ...]
    note: bytes | None
    committed_at: int
    lock_by: int
    locked_at: int | None
    reveal_by: int | None
    contributions: tuple[Contribution, ...] | None = field(repr=False)
    revealed_at: int | None
    outcome: str | None
    reason: str | None
    server_seed: bytes | None = field(repr=False)
    deal: dict[str, Any] | None = field(repr=False)
    """The deal document of protocol §6: secret in the answer to a deal, public after the reveal."""
    receipt: dict[str, Any] | None = field(default=None, repr=False)
    next: Hand | None = None

    def tiles(self, seat: int) -> list[int]:
        """The tiles dealt to a seat, in the order taken. Raises :class:`KeyError` where no deal is known."""
        if self.deal is None:
            raise KeyError("deal")
        found: list[int] = self.deal["hands"][seat]
        return found


@dataclass(frozen=True, slots=True)
class Summary:
    """A hand in a table's list."""

    hand: str
    number: int
    state: State
    game: str
    committed_at: int
    locked_at: int | None
    revealed_at: int | None
    outcome: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A part of a list; ``next`` is what to ask for after it, ``None`` at the end."""

    items: tuple[T, ...]
    next: int | None

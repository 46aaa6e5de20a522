"""The calls of the service's HTTP interface, as values: what is sent, and how the answer is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from fairdeal.client import reading
from fairdeal.client.models import Hand, NewHand, Page, Summary, VoidReason
from fairdeal.encoding import parse_hex
from fairdeal.entries import parse_operator, parse_table
from fairdeal.note import Verifier
from fairdeal.openings import Opening
from fairdeal.seeds import Contribution

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """A request, repeatable as it is: the service answers a repeat of any call like its first."""

    method: str
    path: str
    read: Callable[[Any], T]
    """Turns the answer's JSON (or text, where ``text`` is set) into what the call gives."""
    body: dict[str, Any] | None = None
    idempotency_key: str | None = None
    text: bool = False


def commit(new: NewHand, idempotency_key: str) -> Call[Hand]:
    """Commit one hand."""
    return Call("POST", "/v1/hands", reading.read_hand, new.as_json(), idempotency_key)


def commit_batch(new: Sequence[NewHand], idempotency_key: str) -> Call[tuple[Hand, ...]]:
    """Commit up to 1000 hands, all or none."""
    body = {"hands": [item.as_json() for item in new]}
    return Call("POST", "/v1/hands/batch", reading.read_batch, body, idempotency_key)


def deal(hand: str, seeds: Sequence[Contribution], reveal_within: int | None) -> Call[Hand]:
    """Lock a hand and get its deal."""
    body: dict[str, Any] = {"seeds": [seed.as_json() for seed in sorted(seeds, key=lambda c: c.seat)]}
    if reveal_within is not None:
        body["reveal_within"] = reveal_within
    return Call("POST", f"{_hand(hand)}/deal", reading.read_hand, body)


def openings(hand: str, slots: Sequence[str]) -> Call[tuple[Opening, ...]]:
    """Prove single tiles."""
    return Call("POST", f"{_hand(hand)}/openings", reading.read_openings, {"slots": list(slots)})


def reveal(hand: str, following: NewHand | None) -> Call[Hand]:
    """Reveal a played hand; commit the next one with it."""
    body = {"next": following.as_json()} if following else {}
    return Call("POST", f"{_hand(hand)}/reveal", reading.read_hand, body)


def void(hand: str, reason: VoidReason) -> Call[Hand]:
    """End a hand without play."""
    return Call("POST", f"{_hand(hand)}/void", reading.read_hand, {"reason": reason})


def read_hand(hand: str) -> Call[Hand]:
    """The public hand document."""
    return Call("GET", _hand(hand), reading.read_hand)


def read_receipt(hand: str) -> Call[dict[str, Any]]:
    """The receipt, as it came."""
    return Call("GET", f"{_hand(hand)}/receipt", reading.read_object)


def open_hands(after: int, limit: int) -> Call[Page[Hand]]:
    """A page of the operator's open hands."""
    return Call("GET", f"/v1/hands?state=open&after={after}&limit={limit}", reading.read_open)


def table_hands(operator: str, table: str, after: int, limit: int) -> Call[Page[Summary]]:
    """A page of a table's hands."""
    where = f"{parse_operator(operator, 'operator')}/{parse_table(table, 'table')}"
    path = f"/v1/tables/{where}/hands?after={after}&limit={limit}"
    return Call("GET", path, reading.read_summaries)


def log_key() -> Call[Verifier]:
    """The log's verifier key."""
    return Call("GET", "/log/key", lambda text: Verifier.parse(text.removesuffix("\n")), text=True)


def checkpoint() -> Call[str]:
    """The log's newest checkpoint, a signed note."""
    return Call("GET", "/checkpoint", str, text=True)


def _hand(hand: str) -> str:
    # Whatever else came in here could lead the request somewhere else.
    return f"/v1/hands/{parse_hex(hand, 'hand', 16).hex()}"

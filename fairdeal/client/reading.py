"""From an answer's JSON to its model. Raises :class:`MalformedError` where a member is not as it must be.

Members that this release does not know are passed over: a newer service may say more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from fairdeal.client.models import Hand, Page, State, Summary
from fairdeal.encoding import integer, listing, parse_hex, string
from fairdeal.errors import MalformedError
from fairdeal.openings import Opening, parse_opening
from fairdeal.seeds import parse_contributions, parse_seals
from fairdeal.terms import parse_terms

T = TypeVar("T")

_MOST = 1024


def read_hand(value: object, field: str = "hand") -> Hand:
    """A hand document, with receipt and next hand where it has them."""
    obj = _object(value, field)

    def at(name: str, read: Callable[..., T], *more: Any) -> T:
        return read(_member(obj, field, name), f"{field}.{name}", *more)

    def public(name: str, read: Callable[..., T], *more: Any) -> T | None:
        return None if _member(obj, field, name) is None else at(name, read, *more)

    return Hand(
        hand=at("hand", _hand_id),
        operator=at("operator", string),
        table=at("table", string),
        number=at("number", integer),
        state=at("state", _state),
        terms=at("terms", parse_terms),
        commitment=at("commitment", parse_hex, 32),
        seals=at("seals", parse_seals),
        note=public("note", parse_hex, 32),
        committed_at=at("committed_at", integer),
        lock_by=at("lock_by", integer),
        locked_at=public("locked_at", integer),
        reveal_by=public("reveal_by", integer),
        contributions=public("contributions", parse_contributions),
        revealed_at=public("revealed_at", integer),
        outcome=public("outcome", string),
        reason=public("reason", string),
        server_seed=public("server_seed", parse_hex, 32),
        deal=public("deal", _object),
        receipt=_object(obj["receipt"], f"{field}.receipt") if "receipt" in obj else None,
        next=read_hand(obj["next"], f"{field}.next") if obj.get("next") is not None else None,
    )


def read_batch(value: object) -> tuple[Hand, ...]:
    """The hands of a batch, in the order asked for."""
    items = listing(_member(_object(value, ""), "", "hands"), "hands", _MOST)
    return tuple(read_hand(item, f"hands.{k}") for k, item in enumerate(items))


def read_open(value: object) -> Page[Hand]:
    """A page of an operator's open hands."""
    return Page(read_batch(value), _next(value))


def read_summaries(value: object) -> Page[Summary]:
    """A page of a table's hands."""
    items = listing(_member(_object(value, ""), "", "hands"), "hands", _MOST)
    return Page(tuple(_summary(item, f"hands.{k}") for k, item in enumerate(items)), _next(value))


def read_openings(value: object) -> tuple[Opening, ...]:
    """Openings, in the order asked for."""
    items = listing(_member(_object(value, ""), "", "openings"), "openings", _MOST)
    return tuple(parse_opening(item, f"openings.{k}") for k, item in enumerate(items))


def read_object(value: object) -> dict[str, Any]:
    """Any JSON object, as it came."""
    return _object(value, "answer")


def _summary(value: object, field: str) -> Summary:
    obj = _object(value, field)

    def at(name: str, read: Callable[[object, str], T]) -> T:
        return read(_member(obj, field, name), f"{field}.{name}")

    def public(name: str, read: Callable[[object, str], T]) -> T | None:
        return None if _member(obj, field, name) is None else at(name, read)

    return Summary(
        hand=at("hand", _hand_id),
        number=at("number", integer),
        state=at("state", _state),
        game=at("game", string),
        committed_at=at("committed_at", integer),
        locked_at=public("locked_at", integer),
        revealed_at=public("revealed_at", integer),
        outcome=public("outcome", string),
        reason=public("reason", string),
    )


def _next(value: object) -> int | None:
    found = _member(_object(value, ""), "", "next")
    return None if found is None else integer(found, "next")


def _object(value: object, field: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise MalformedError(field, "must be an object")
    return value


def _member(obj: dict[str, Any], field: str, name: str) -> Any:
    if name not in obj:
        raise MalformedError(f"{field}.{name}".lstrip("."), "missing")
    return obj[name]


def _hand_id(value: object, field: str) -> str:
    return parse_hex(value, field, 16).hex()


def _state(value: object, field: str) -> State:
    if value not in ("committed", "locked", "revealed"):
        raise MalformedError(field, "must be committed, locked or revealed")
    return value

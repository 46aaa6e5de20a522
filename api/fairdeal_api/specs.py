"""From wire models to what the ledger works with; the last checks that need no state."""

from __future__ import annotations

from typing import Any

from fairdeal.entries import seated_seals
from fairdeal.errors import MalformedError
from fairdeal.seeds import Contribution
from fairdeal.terms import Terms, parse_terms
from fairdeal_api.acts import CommitSpec
from fairdeal_api.problems import invalid
from fairdeal_api.schemas import CommitRequest, NextRequest, SeedItem, TermsRequest
from fairdeal_api.settings import Settings

_OKEY = ("game", "layout", "seats", "dealer", "dice", "openings")
_DECK = ("game", "size", "seats", "openings")


def commit_spec(request: CommitRequest | NextRequest, settings: Settings, where: str = "") -> CommitSpec:
    """A commit as the ledger takes it. Raises ``invalid`` naming the field, behind the prefix ``where``."""
    asked = request.terms
    try:
        terms = _terms(asked)
        seals = seated_seals(sorted((item.model_dump() for item in request.seals), key=_seat), terms)
    except MalformedError as error:
        raise invalid(f"{where}{error.field}", error.rule) from None
    return CommitSpec(
        table=request.table,
        terms=terms,
        dealer_next=asked.dealer == "next",
        seals=seals,
        note=bytes.fromhex(request.note) if request.note else None,
        lock_within=(request.lock_within or settings.lock_within) * 1000,
    )


def contributions(seeds: list[SeedItem]) -> tuple[Contribution, ...]:
    """Opened client seeds, ascending by seat; raises ``invalid`` for a seat that is given twice."""
    found = sorted(
        (Contribution(item.seat, bytes.fromhex(item.seed)) for item in seeds), key=lambda c: c.seat
    )
    if len({c.seat for c in found}) != len(found):
        raise invalid("seeds", "a seat must not be given twice")
    return tuple(found)


def _terms(asked: TermsRequest) -> Terms:
    # What was not asked for takes its default; what was asked for and does not belong to the game is refused by name.
    given = asked.model_dump(include=asked.model_fields_set)
    names = _DECK if asked.game == "deck" else _OKEY
    whole = {name: getattr(asked, name) for name in names} | given
    if whole.get("dealer") == "next":
        whole["dealer"] = "throw"
    if asked.game == "deck" and "size" not in given:
        raise MalformedError("terms.size", "missing field")
    return parse_terms(whole)


def _seat(item: dict[str, Any]) -> int:
    seat: int = item["seat"]
    return seat

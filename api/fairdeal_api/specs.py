"""From wire models to what the ledger works with; the last checks that need no state."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from fairdeal.errors import MalformedError
from fairdeal.seeds import Contribution, Seal
from fairdeal.terms import Terms, parse_terms
from fairdeal_api.moves import CommitSpec
from fairdeal_api.problems import invalid
from fairdeal_api.schemas import DEFAULT_TERMS, CommitRequest, NextRequest, SeedItem, TermsRequest
from fairdeal_api.settings import Settings

_OKEY = ("game", "layout", "seats", "dealer", "dice", "openings")
_DECK = ("game", "size", "seats", "openings")


def commit_spec(request: CommitRequest | NextRequest, settings: Settings, where: str = "") -> CommitSpec:
    """A commit as the ledger takes it. Raises ``invalid`` naming the field, behind the prefix ``where``."""
    asked = request.terms
    # Most hands ask for none: the one object that stands for the default needs no look at its members.
    terms = _DEFAULT if asked is DEFAULT_TERMS else _asked_terms(asked, where)
    seals: tuple[Seal, ...] = ()
    if request.seals:
        seals = tuple(
            sorted((Seal(item.seat, bytes.fromhex(item.seal)) for item in request.seals), key=_seat)
        )
        if seals[-1].seat >= terms.seats:
            raise invalid(f"{where}seals", "seats must be below the terms' seats")
        _refuse_twice(seals, f"{where}seals")
    return CommitSpec(
        table=request.table,
        terms=terms,
        dealer_next=asked.dealer == "next",
        seals=seals,
        note=bytes.fromhex(request.note) if request.note else None,
        lock_within=(request.lock_within or settings.lock_within) * 1000,
    )


def _asked_terms(asked: TermsRequest, where: str) -> Terms:
    try:
        return _terms(
            frozenset(asked.model_fields_set),
            game=asked.game,
            layout=asked.layout,
            seats=asked.seats,
            dealer=asked.dealer,
            dice=asked.dice,
            openings=asked.openings,
            size=asked.size,
        )
    except MalformedError as error:
        raise invalid(f"{where}{error.field}", error.rule) from None


def contributions(seeds: list[SeedItem]) -> tuple[Contribution, ...]:
    """Opened client seeds, ascending by seat; raises ``invalid`` for a seat that is given twice."""
    found = tuple(sorted((Contribution(item.seat, bytes.fromhex(item.seed)) for item in seeds), key=_seat))
    _refuse_twice(found, "seeds")
    return found


@lru_cache(maxsize=1024)
def _terms(
    given: frozenset[str],
    *,
    game: str,
    layout: str,
    seats: int,
    dealer: int | str,
    dice: int,
    openings: bool,
    size: int,
) -> Terms:
    # What was not asked for takes its default; what was, and is not of this game, is refused by its name.
    whole: dict[str, object] = {
        "game": game,
        "layout": layout,
        "seats": seats,
        "dealer": "throw" if dealer == "next" else dealer,
        "dice": dice,
        "openings": openings,
        "size": size,
    }
    if game == "deck" and "size" not in given:
        raise MalformedError("terms.size", "missing field")
    wanted = given.union(_DECK if game == "deck" else _OKEY)
    return parse_terms({name: value for name, value in whole.items() if name in wanted})


_DEFAULT = _asked_terms(DEFAULT_TERMS, "")


def _refuse_twice(items: Sequence[Seal | Contribution], field: str) -> None:
    if len({item.seat for item in items}) != len(items):
        raise invalid(field, "a seat must not be given twice")


def _seat(item: Seal | Contribution) -> int:
    return item.seat

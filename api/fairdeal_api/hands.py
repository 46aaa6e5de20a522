"""A hand as the service works on it: the columns of its row, and what follows from its seeds."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any

from sqlalchemy import Row, Select, select

from fairdeal.deal import Deal, make_deal
from fairdeal.seeds import Contribution, Seal, commitment, deal_key, parse_contributions, parse_seals
from fairdeal.terms import Terms, parse_terms
from fairdeal_api.tables import HandRow, table_of
from fairdeal_api.vault import SeedLostError, Vault


@dataclass(slots=True)
class Hand:
    """A row of ``hands``, field for column. Neither seeds nor contributions are in the repr."""

    commit_index: int
    hand: bytes
    table_id: int
    operator: str
    game_table: str
    number: int
    state: int
    deadline: int
    terms: str
    commitment: bytes
    seals: str
    note: bytes | None
    committed_at: int
    lock_by: int
    wrapped_seed: bytes | None = field(repr=False)
    lock_index: int | None = None
    locked_at: int | None = None
    reveal_by: int | None = None
    contributions: str | None = field(default=None, repr=False)
    deal_root: bytes | None = None
    reveal_index: int | None = None
    revealed_at: int | None = None
    outcome: str | None = None
    reason: str | None = None
    server_seed: bytes | None = field(default=None, repr=False)
    next_hand: bytes | None = None
    next_digest: bytes | None = None

    @classmethod
    def of(cls, row: Row[Any]) -> Hand:
        """The hand of a row selected with :func:`select_hands`."""
        return cls(*tuple(row))

    @property
    def parsed_terms(self) -> Terms:
        """The terms."""
        return stored_terms(self.terms)

    @property
    def parsed_seals(self) -> tuple[Seal, ...]:
        """The seals of the commit."""
        return parse_seals(json.loads(self.seals))

    @property
    def opened(self) -> tuple[Contribution, ...]:
        """The client seeds of the lock; none before it."""
        return parse_contributions(json.loads(self.contributions)) if self.contributions else ()

    @property
    def indexes(self) -> list[int]:
        """Where the hand's entries stand in the log, in order."""
        if self.lock_index is None and self.reveal_index is None:
            return [self.commit_index]
        return [i for i in (self.commit_index, self.lock_index, self.reveal_index) if i is not None]


COLUMNS = tuple(f.name for f in fields(Hand))

_TABLE = table_of(HandRow)


def select_hands() -> Select[Any]:
    """A select of all that :meth:`Hand.of` needs; add the condition."""
    return select(*(_TABLE.c[name] for name in COLUMNS))


@lru_cache(maxsize=1024)
def stored_terms(text: str) -> Terms:
    """Terms from their stored canonical form; the same few come back in every hand of a table."""
    return parse_terms(json.loads(text))


@lru_cache(maxsize=1024)
def terms_text(terms: Terms) -> str:
    """The canonical form of terms, for storing and for answers."""
    return terms.canonical().decode("ascii")


def server_seed(hand: Hand, vault: Vault) -> bytes:
    """The hand's server seed, from the reveal or from its wrapped form.

    Raises :class:`SeedLostError` where the stored form does not open, or not to the committed seed.
    """
    if hand.server_seed is not None:
        return hand.server_seed
    seed = vault.unwrap(hand.hand, hand.wrapped_seed)
    if commitment(seed) != hand.commitment:
        raise SeedLostError("the stored seed is not the committed one")
    return seed


@dataclass(frozen=True, slots=True)
class Dealt:
    """A deal with the key that it came from."""

    key: bytes = field(repr=False)
    deal: Deal = field(repr=False)


def derive(hand: Hand, seed: bytes, opened: tuple[Contribution, ...]) -> Dealt:
    """The deal that follows from the server seed and the opened client seeds (protocol §2.3, §3–§6)."""
    terms = hand.parsed_terms
    key = deal_key(seed, hand.hand, terms, opened)
    return Dealt(key, make_deal(key, terms))


def public_deal(hand: Hand) -> Deal | None:
    """The deal of a hand whose seeds are public; ``None`` where none was dealt or the seed is unknown."""
    if hand.server_seed is None or hand.lock_index is None:
        return None
    return derive(hand, hand.server_seed, hand.opened).deal

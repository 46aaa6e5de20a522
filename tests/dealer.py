"""An honest dealer in memory: hands with their seeds, a signed log, receipts, records, openings.

Everything follows from a seed integer, so a failing test can be repeated:

    dealer = Dealer(7)
    hand = dealer.play(sealed=(0, 2))           # committed, locked, revealed
    kept = dealer.receipt(hand, upto="commit")  # what a player kept from before the hand
    dealer.receipt(hand), dealer.record(hand)   # what anyone gets afterwards

A dealer that cheats is one with another ``server_seed_for``, ``contributions_of``, ``key_of``, ``deal_of`` or
``written``; a log that cheats is given its entries by ``Log.append`` and its receipts by ``Log.receipt``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from fairdeal.deal import Deal, make_deal
from fairdeal.entries import Commit, Entry, Lock, Outcome, Reveal
from fairdeal.note import Signer
from fairdeal.openings import Opening, deal_root, open_slots
from fairdeal.receipt import Receipt, Record
from fairdeal.seeds import Contribution, Seal, commitment, deal_key, seal
from fairdeal.terms import DeckTerms, OkeyTerms, Terms
from tests.translog import Log

Stage = Literal["commit", "lock", "reveal"]

STAGES: tuple[Stage, ...] = ("commit", "lock", "reveal")
OKEY = OkeyTerms("okey", "wall", 4, 0, 1, openings=False)
OPENED = OkeyTerms("okey", "wall", 4, "throw", 2, openings=True)
PLAIN = OkeyTerms("okey101", "plain", 3, 2, 1, openings=False)
DECK = DeckTerms(52, 10, openings=True)

SECOND, HOUR = 1_000, 3_600_000
START = 1_800_000_000_000
"""Milliseconds since the Unix epoch at which every dealer opens."""


def text_of(document: Receipt | Record) -> str:
    """The document as text, the way it is kept in files."""
    return json.dumps(document.as_json())


@dataclass
class Hand:
    """One hand as its dealer knows it. ``indexes`` are its entries in the log, by stage."""

    hand: bytes
    table: str
    number: int
    terms: Terms
    server_seed: bytes = field(repr=False)
    client_seeds: dict[int, bytes] = field(repr=False)
    indexes: dict[Stage, int] = field(default_factory=dict)
    contributions: tuple[Contribution, ...] = field(default=(), repr=False)
    deal_root: bytes | None = None
    outcome: Outcome | None = None

    @property
    def commitment(self) -> bytes:
        return commitment(self.server_seed)

    @property
    def seals(self) -> tuple[Seal, ...]:
        return tuple(Seal(seat, seal(seed)) for seat, seed in sorted(self.client_seeds.items()))

    @property
    def locked(self) -> bool:
        return "lock" in self.indexes


class Dealer:
    """Deals hands and logs them. Time moves on by a second with every entry."""

    def __init__(self, seed: int = 0, *, operator: str = "club", origin: str = "log.example/okey") -> None:
        self.seed = seed
        self.operator = operator
        self.drawn = 0
        self.now = START
        self.hands: list[Hand] = []
        self.numbers: dict[str, int] = {}
        self.log = Log(Signer(origin, self.random("log key")))

    def random(self, what: str, size: int = 32) -> bytes:
        """Bytes that follow from the dealer's seed; new ones at every call."""
        self.drawn += 1
        return hashlib.sha256(f"{self.seed} {what} {self.drawn}".encode()).digest()[:size]

    # What a cheat changes.

    def server_seed_for(self, terms: Terms) -> bytes:
        return self.random("server seed")

    def contributions_of(self, hand: Hand) -> tuple[Contribution, ...]:
        return tuple(Contribution(seat, seed) for seat, seed in sorted(hand.client_seeds.items()))

    def key_of(self, hand: Hand) -> bytes:
        return deal_key(hand.server_seed, hand.hand, hand.terms, hand.contributions)

    def deal_of(self, hand: Hand) -> Deal:
        return make_deal(self.key_of(hand), hand.terms)

    def written(self, hand: Hand, entry: Entry) -> Entry:
        """A hand's entry as the log gets it."""
        return entry

    # The life of a hand.

    def append(self, entry: Entry) -> int:
        """Log one entry of a hand."""
        self.now += SECOND
        return self.log.append(entry.encode())

    def prev(self, hand: Hand) -> bytes:
        """The leaf hash of the hand's latest entry."""
        return self.log.rows[0][max(hand.indexes.values())]

    def commit(
        self,
        terms: Terms = OKEY,
        *,
        sealed: Sequence[int] = (),
        table: str = "table-1",
        note: bytes | None = None,
    ) -> Hand:
        """Commit a hand in which the ``sealed`` seats take part in the shuffle."""
        return self.log_commit(self.new_hand(terms, sealed=sealed, table=table), note)

    def new_hand(self, terms: Terms = OKEY, *, sealed: Sequence[int] = (), table: str = "table-1") -> Hand:
        """The table's next hand, of which the log knows nothing yet."""
        self.numbers[table] = number = self.numbers.get(table, 0) + 1
        return Hand(
            hand=self.random("hand", 16),
            table=table,
            number=number,
            terms=terms,
            server_seed=self.server_seed_for(terms),
            client_seeds={seat: self.random("client seed") for seat in sealed},
        )

    def commit_entry(self, hand: Hand, note: bytes | None = None) -> Commit:
        """A hand's commit as it ought to be."""
        return Commit(
            at=self.now,
            operator=self.operator,
            table=hand.table,
            number=hand.number,
            hand=hand.hand,
            terms=hand.terms,
            commitment=hand.commitment,
            seals=hand.seals,
            note=note,
            lock_by=self.now + HOUR,
        )

    def log_commit(self, hand: Hand, note: bytes | None = None) -> Hand:
        """Log the commit of a hand that is made already."""
        hand.indexes["commit"] = self.append(self.written(hand, self.commit_entry(hand, note)))
        self.hands.append(hand)
        return hand

    def lock(self, hand: Hand) -> Hand:
        """Lock a committed hand."""
        hand.contributions = self.contributions_of(hand)
        if hand.terms.openings:
            hand.deal_root = deal_root(self.key_of(hand), hand.terms, self.deal_of(hand))
        lock = Lock(self.now, hand.hand, self.prev(hand), hand.contributions, hand.deal_root, self.now + HOUR)
        hand.indexes["lock"] = self.append(self.written(hand, lock))
        return hand

    def end(self, hand: Hand, outcome: Outcome, reason: str | None = None) -> Hand:
        """End a hand at whatever stage it is; only ``lost`` keeps its seed back."""
        if outcome == "expired":
            self.now += 2 * HOUR
        seed = None if outcome == "lost" else hand.server_seed
        entry = Reveal(self.now, hand.hand, self.prev(hand), outcome, reason, seed)
        hand.indexes["reveal"] = self.append(self.written(hand, entry))
        hand.outcome = outcome
        return hand

    def play(self, terms: Terms = OKEY, *, sealed: Sequence[int] = (), table: str = "table-1") -> Hand:
        """A whole hand: committed, locked, revealed."""
        return self.end(self.lock(self.commit(terms, sealed=sealed, table=table)), "played")

    # What others get to see.

    def receipt(self, hand: Hand, *, upto: Stage = "reveal", size: int | None = None) -> Receipt:
        """The hand's receipt up to a stage; its checkpoint is the log's present one, or that at ``size``."""
        stages = STAGES[: STAGES.index(upto) + 1]
        indexes = [hand.indexes[stage] for stage in stages if stage in hand.indexes]
        shown = upto == "reveal" and hand.locked and hand.outcome not in (None, "lost")
        return self.log.receipt(indexes, self.deal_of(hand).as_json() if shown else None, size)

    def record(self, hand: Hand) -> Record:
        """What a game server's history holds of a finished hand."""
        return Record(
            hand=hand.hand,
            terms=hand.terms,
            commitment=hand.commitment,
            server_seed=hand.server_seed,
            seals=hand.seals,
            contributions=hand.contributions,
            deal_root=hand.deal_root,
            deal=self.deal_of(hand).as_json(),
        )

    def openings(self, hand: Hand, *slots: str) -> list[Opening]:
        """Openings of a locked hand whose terms have them."""
        return open_slots(hand.hand, self.key_of(hand), hand.terms, self.deal_of(hand), list(slots))


def evening(seed: int = 0) -> Dealer:
    """A dealer after an evening: every way in which a hand can end, and two hands still open."""
    dealer = Dealer(seed)
    dealer.play(sealed=(0, 2))
    dealer.play(OPENED, sealed=(0, 1, 2, 3), table="table-2")
    dealer.play(PLAIN)
    dealer.play(DECK, sealed=(1, 9), table="deck")
    dealer.end(dealer.commit(sealed=(3,)), "void", "seat-silent")
    dealer.end(dealer.commit(), "void", "table-closed")
    dealer.end(dealer.lock(dealer.commit(sealed=(1,))), "void", "technical")
    dealer.end(dealer.commit(), "expired")
    dealer.end(dealer.lock(dealer.commit(sealed=(0,))), "expired")
    dealer.end(dealer.lock(dealer.commit()), "lost")
    dealer.end(dealer.commit(), "lost")
    dealer.lock(dealer.commit(sealed=(2,)))
    dealer.commit(sealed=(0, 1))
    return dealer

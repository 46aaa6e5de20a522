"""A gaming house of some hundred hands at four tables: honest unless a cheat gets at one of its acts.

Its log holds every ordinary end of a hand, in time and in order. A cheat changes one thing about it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from fairdeal.entries import Commit, Lock, Reveal, parse_entry
from fairdeal.seeds import Contribution
from tests.dealer import HOUR, OKEY, OPENED, PLAIN, SECOND, Dealer, Hand

HANDS = 150
TABLES = ("table-1", "table-2", "table-3", "table-4")

E = TypeVar("E")

Act = Callable[["House", Hand], None]


@dataclass
class Tricks:
    """What a cheat does in place of an honest act, for the hand it has chosen."""

    commit: Callable[[House, Hand, Commit], Commit] | None = None
    lock: Callable[[House, Hand, Lock], Lock] | None = None
    reveal: Callable[[House, Hand, Reveal], Reveal] | None = None
    contributions: Callable[[House, Hand], tuple[Contribution, ...]] | None = None
    instead: Act | None = None
    """The rest of the hand after its commit, played another way."""
    before: Act | None = None
    """Something done with the hand's commit in hand, before it is logged."""
    victims: list[Hand] = field(default_factory=list)


class House(Dealer):
    """A dealer with four tables; ``tricks`` holds for the hand that is number ``nth`` to be committed."""

    def __init__(self, seed: int = 0, *, tricks: Tricks | None = None, nth: int = HANDS // 2) -> None:
        super().__init__(seed)
        self.tricks = tricks or Tricks()
        self.nth = nth

    def contributions_of(self, hand: Hand) -> tuple[Contribution, ...]:
        if self.tricks.contributions and hand in self.tricks.victims:
            return self.tricks.contributions(self, hand)
        return super().contributions_of(hand)

    def start(self, terms: object = OKEY, *, sealed: Sequence[int] = (), table: str = "table-1") -> Hand:
        """Commit a hand; the chosen one by the cheat's way."""
        chosen = len(self.hands) == self.nth
        if not chosen or not (self.tricks.commit or self.tricks.before):
            hand = self.commit(terms, sealed=sealed, table=table)  # type: ignore[arg-type]  # terms of any game
            if chosen:
                self.tricks.victims.append(hand)
            return hand
        number = self.numbers[table] = self.numbers.get(table, 0) + 1
        hand = Hand(
            hand=self.random("hand", 16),
            table=table,
            number=number,
            terms=terms,  # type: ignore[arg-type]  # as above
            server_seed=self.random("server seed"),
            client_seeds={seat: self.random("client seed") for seat in sealed},
        )
        self.tricks.victims.append(hand)
        entry = self.commit_entry(hand)
        if self.tricks.before:
            self.tricks.before(self, hand)
        if self.tricks.commit:
            entry = self.tricks.commit(self, hand, entry)
        hand.indexes["commit"] = self.append(entry)
        self.hands.append(hand)
        return hand

    def commit_entry(self, hand: Hand) -> Commit:
        return Commit(
            at=self.now,
            operator=self.operator,
            table=hand.table,
            number=hand.number,
            hand=hand.hand,
            terms=hand.terms,
            commitment=hand.commitment,
            seals=hand.seals,
            note=None,
            lock_by=self.now + HOUR,
        )

    def log_lock(self, hand: Hand) -> None:
        if not (self.tricks.lock and hand in self.tricks.victims):
            self.lock(hand)
            return
        before = len(self.log.entries)
        self.lock(hand)
        entry = self.tricks.lock(self, hand, _last(self, Lock))
        _take_back(self, before)
        hand.indexes["lock"] = self.log.append(entry.encode())

    def log_end(self, hand: Hand, outcome: str, reason: str | None = None) -> None:
        before = len(self.log.entries)
        if outcome == "expired":
            # The service ends a hand as soon as it is due; the dealer itself waits for two hours.
            due = HOUR + (self.lock_at(hand) if hand.locked else self.commit_at(hand))
            self.now = due + SECOND - 2 * HOUR
        self.end(hand, outcome, reason)  # type: ignore[arg-type]  # outcomes as text
        if self.tricks.reveal and hand in self.tricks.victims:
            entry = self.tricks.reveal(self, hand, _last(self, Reveal))
            _take_back(self, before)
            hand.indexes["reveal"] = self.log.append(entry.encode())

    def commit_at(self, hand: Hand) -> int:
        return _at(self, hand.indexes["commit"])

    def lock_at(self, hand: Hand) -> int:
        return _at(self, hand.indexes["lock"])

    def hand_over(self, k: int) -> Hand:
        """Hand number k of the evening, from its commit to its end."""
        terms = (OKEY, OPENED, PLAIN)[k % 3]
        sealed = ((0, 2), (0, 1, 2), (), (1,))[k % 4]
        hand = self.start(terms, sealed=sealed, table=TABLES[k % 4])
        if hand in self.tricks.victims and self.tricks.instead:
            self.tricks.instead(self, hand)
        elif k % 29 == 7:
            self.log_end(hand, "void", "table-closed")
        elif k % 29 == 11 and sealed:
            self.log_end(hand, "void", "seat-silent")
        elif k % 31 == 13:
            self.log_end(hand, "expired")
        else:
            self.log_lock(hand)
            if k % 37 == 17:
                self.log_end(hand, "void", "technical")
            elif k % 41 == 19:
                self.log_end(hand, "expired")
            else:
                self.log_end(hand, "played")
        return hand

    def evening(self, hands: int = HANDS) -> House:
        """All of the evening's hands, one after another."""
        for k in range(hands):
            self.hand_over(k)
        return self


def _at(house: House, index: int) -> int:
    return parse_entry(house.log.entries[index]).at


def _last(house: House, kind: type[E]) -> E:
    entry = parse_entry(house.log.entries[-1])
    assert isinstance(entry, kind)
    return entry


def _take_back(house: House, size: int) -> None:
    """Drop the log's entries from ``size`` on: they were only drafts."""
    entries = house.log.entries[:size]
    fresh = type(house.log)(house.log.signer)
    for entry in entries:
        fresh.append(entry)
    house.log = fresh

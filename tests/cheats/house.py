"""A gaming house of some hundred hands at four tables: honest unless a cheat gets at one of its acts.

Its log holds every ordinary end of a hand, in time and in order. A cheat changes one thing about it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fairdeal.entries import Commit, Entry, Lock, Outcome, Reveal, parse_entry
from fairdeal.seeds import Contribution
from fairdeal.terms import Terms
from tests.dealer import HOUR, OKEY, OPENED, PLAIN, SECOND, Dealer, Hand

HANDS = 150
TABLES = ("table-1", "table-2", "table-3", "table-4")

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

    def __init__(
        self,
        seed: int = 0,
        *,
        tricks: Tricks | None = None,
        nth: int = HANDS // 2,
        origin: str = "log.example/okey",
    ) -> None:
        super().__init__(seed, origin=origin)
        self.tricks = tricks or Tricks()
        self.nth = nth

    def new_hand(self, terms: Terms = OKEY, *, sealed: Sequence[int] = (), table: str = "table-1") -> Hand:
        hand = super().new_hand(terms, sealed=sealed, table=table)
        if len(self.hands) == self.nth and not self.tricks.victims:
            self.tricks.victims.append(hand)
        return hand

    def contributions_of(self, hand: Hand) -> tuple[Contribution, ...]:
        if self.tricks.contributions and hand in self.tricks.victims:
            return self.tricks.contributions(self, hand)
        return super().contributions_of(hand)

    def written(self, hand: Hand, entry: Entry) -> Entry:
        """The entry; of the chosen hand by the cheat's way."""
        tricks = self.tricks
        if hand not in tricks.victims:
            return entry
        if isinstance(entry, Commit):
            if tricks.before:
                tricks.before(self, hand)
            return tricks.commit(self, hand, entry) if tricks.commit else entry
        if isinstance(entry, Lock):
            return tricks.lock(self, hand, entry) if tricks.lock else entry
        return tricks.reveal(self, hand, entry) if tricks.reveal else entry

    def log_end(self, hand: Hand, outcome: Outcome, reason: str | None = None) -> None:
        if outcome == "expired":
            # The service ends a hand as soon as it is due; the dealer itself waits for two hours.
            due = HOUR + (self.lock_at(hand) if hand.locked else self.commit_at(hand))
            self.now = due + SECOND - 2 * HOUR
        self.end(hand, outcome, reason)

    def commit_at(self, hand: Hand) -> int:
        return _at(self, hand.indexes["commit"])

    def lock_at(self, hand: Hand) -> int:
        return _at(self, hand.indexes["lock"])

    def hand_over(self, k: int) -> Hand:
        """Hand number k of the evening, from its commit to its end."""
        terms = (OKEY, OPENED, PLAIN)[k % 3]
        sealed = ((0, 2), (0, 1, 2), (), (1,))[k % 4]
        hand = self.commit(terms, sealed=sealed, table=TABLES[k % 4])
        if hand in self.tricks.victims and self.tricks.instead:
            self.tricks.instead(self, hand)
        elif k % 29 == 7:
            self.log_end(hand, "void", "table-closed")
        elif k % 29 == 11 and sealed:
            self.log_end(hand, "void", "seat-silent")
        elif k % 31 == 13:
            self.log_end(hand, "expired")
        else:
            self.lock(hand)
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

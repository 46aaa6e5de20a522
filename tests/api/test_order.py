"""Hands of a table are locked in order, whatever shares a transaction, and none waits for ever (§2.4)."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from fairdeal_api.acts import Act, CommitAct, EndAct, ExpireAct, LockAct
from fairdeal_api.bulk import fetch
from fairdeal_api.ledger import Result
from fairdeal_api.moves import CommitSpec
from fairdeal_api.problems import Problem
from fairdeal_api.service import Service, open_service
from fairdeal_api.settings import Settings
from fairdeal_api.tables import COMMITTED, REVEALED

from fairdeal.entries import Commit, Lock, parse_entry
from fairdeal.terms import OkeyTerms
from tests import coroutines
from tests.api.support import HOUR, MINUTE, Clock

TERMS = OkeyTerms("okey", "wall", 4, 0, 1, openings=False)
TABLES = ("a", "b")


@dataclass
class Club:
    """Services on one store, and an operator that asks them for anything in any order."""

    services: list[Service]
    chance: random.Random
    refused: set[str] = field(default_factory=set)

    def ask(self, *acts: Act) -> None:
        """Have acts done by one of the services, in one transaction where it takes them together."""
        ledger = self.chance.choice(self.services).ledger

        async def together() -> list[Result | BaseException]:
            return await asyncio.gather(*map(ledger.submit, acts), return_exceptions=True)

        for outcome in coroutines.run(together()):
            if isinstance(outcome, BaseException):
                assert isinstance(outcome, Problem), outcome
                self.refused.add(outcome.code)

    def hands(self, state: int) -> list[tuple[str, int, bytes]]:
        """Hands in a state: table, number, id, in order."""
        with self.services[0].reader.begin() as connection:
            found = fetch(connection, "SELECT game_table, number, hand FROM hands WHERE state = ?", state)
        return sorted((table, number, hand) for table, number, hand in found)

    def first_waiting(self) -> dict[str, int]:
        with self.services[0].reader.begin() as connection:
            return dict(fetch(connection, "SELECT name, first_waiting FROM game_tables"))

    def act(self) -> Act:
        waiting, ended = self.hands(COMMITTED), self.hands(REVEALED)
        within = self.chance.choice((MINUTE, HOUR))
        spec = CommitSpec(self.chance.choice(TABLES), TERMS, False, (), None, within)
        kind = self.chance.choice(("commit", "first", "first", "any", "void", "again", "expire"))
        if kind == "commit" or not waiting:
            return CommitAct("operator", [spec] * self.chance.randint(1, 9), batch=True)
        if kind == "expire":
            return ExpireAct(self.chance.choice((1, 3, 500)))
        if kind == "first":
            return LockAct("operator", waiting[0][2], (), within)
        if kind == "again" and ended:
            return EndAct("operator", self.chance.choice(ended)[2], "technical")
        hand = self.chance.choice(waiting)[2]
        return (
            LockAct("operator", hand, (), within) if kind == "any" else EndAct("operator", hand, "technical")
        )


@pytest.fixture
def club(settings: Settings, clock: Clock) -> Iterator[Club]:
    """One service on SQLite, two on PostgreSQL."""
    services = [open_service(settings, clock) for _ in range(1 if settings.database_url is None else 2)]
    yield Club(services, random.Random(11))
    for service in services:
        service.close()


def test_locks_are_in_order_and_no_hand_waits_for_ever(club: Club, clock: Clock) -> None:
    for _ in range(80):
        club.ask(*(club.act() for _ in range(club.chance.randint(1, 8))))
        begins = club.first_waiting()
        for table, number, _ in club.hands(COMMITTED):
            assert begins[table] <= number
        if club.chance.random() < 0.2:
            clock.tick(club.chance.choice((1_000, 30_000, MINUTE + 1)))
    assert club.refused == {"out_of_order", "ended"}
    for _, _, hand in club.hands(COMMITTED):
        club.refused.clear()
        club.ask(LockAct("operator", hand, (), MINUTE))
        assert club.refused <= {"ended"}
    with club.services[0].reader.begin() as connection:
        entries = fetch(connection, "SELECT entry FROM entries ORDER BY idx")
    names: dict[bytes, tuple[str, int]] = {}
    waiting: dict[str, set[int]] = {table: set() for table in TABLES}
    locks = 0
    for (data,) in entries:
        entry = parse_entry(data)
        if isinstance(entry, Commit):
            names[entry.hand] = (entry.table, entry.number)
            waiting[entry.table].add(entry.number)
            continue
        table, number = names[entry.hand]
        if isinstance(entry, Lock):
            assert number == min(waiting[table])
            locks += 1
        waiting[table].discard(number)
    assert locks > 50
    assert waiting == {table: set() for table in TABLES}


def test_what_a_transaction_has_decided_counts_for_the_acts_behind(club: Club, clock: Clock) -> None:
    def done(*acts: Act) -> list[str | None]:
        writer = club.services[0].ledger._writer
        for act in acts:
            writer.prepare(act)
        outcomes = writer.transact([*acts]).outcomes
        return [outcome.code if isinstance(outcome, Problem) else None for outcome in outcomes]

    spec = CommitSpec("a", TERMS, False, (), None, MINUTE)
    assert done(CommitAct("operator", [spec] * 6, batch=True)) == [None]
    hands = [hand for _, _, hand in club.hands(COMMITTED)]
    locks = [LockAct("operator", hand, (), HOUR) for hand in hands]
    voids = [EndAct("operator", hand, "technical") for hand in hands]
    assert done(locks[1], voids[0], locks[1], locks[2]) == ["out_of_order", None, None, None]
    assert (club.first_waiting()["a"], done(locks[4], locks[3], locks[4])) == (
        4,
        ["out_of_order", None, None],
    )
    clock.tick(MINUTE)
    # The last one is overdue: ended once, whoever comes first.
    assert done(ExpireAct(), locks[5], voids[5]) == [None, "ended", "ended"]
    assert club.hands(COMMITTED) == []

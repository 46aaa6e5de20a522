"""Tables as the ledger remembers them are as the store has them, whatever happened in between."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from fairdeal_api import gametable
from fairdeal_api import writer as writer_module
from fairdeal_api.acts import Act, CommitAct, EndAct, LockAct, Planned, ProbeAct
from fairdeal_api.bulk import fetch, fetch_rows
from fairdeal_api.gametable import read_tables
from fairdeal_api.ledger import Result
from fairdeal_api.moves import CommitSpec
from fairdeal_api.problems import Problem
from fairdeal_api.service import Service
from fairdeal_api.work import Work
from sqlalchemy import Connection, Table

from fairdeal.seeds import Seal, seal
from fairdeal.terms import Dealer, OkeyTerms
from tests.api.acting import TERMS, code, commit_act, numbers, size, together
from tests.api.support import HOUR

NAMES = ("a", "b", "c", "d")
DEALERS: tuple[Dealer, ...] = (0, 1, 2, 3, "throw")
USED = Seal(0, seal(bytes(32)))


def spec(table: str, dealer: Dealer = "throw", *, follows: bool = False, sealed: bool = False) -> CommitSpec:
    terms = OkeyTerms("okey", "plain", 4, dealer, 1, openings=False)
    return CommitSpec(table, terms, follows, (USED,) if sealed else (), None, HOUR)


def check(service: Service) -> int:
    """Hold what is remembered against what a new process would read; says how many tables there are."""
    remembered = service.ledger._writer._tables
    with service.reader.begin() as connection:
        for (operator, name), table in remembered.items():
            assert [table] == list(read_tables(connection, operator, [name]))
        of_each = "SELECT table_id, MAX(number), COUNT(*), MAX(game_table) FROM hands GROUP BY table_id"
        rows = fetch(connection, of_each)
        assert all(last == count for _, last, count, _ in rows)
        stored = fetch(connection, "SELECT id, name FROM game_tables")
    assert {(number, name) for number, _, _, name in rows} == set(stored)
    return len(stored)


def test_whatever_is_done_to_tables(service: Service) -> None:
    chance = random.Random(7)
    open_hands: list[bytes] = []
    for _ in range(60):
        name = chance.choice(NAMES)
        kind = chance.choice(("commit", "commit", "follow", "many", "lock", "end"))
        act: Act
        if kind == "lock" and open_hands:
            act = LockAct("operator", chance.choice(open_hands), (), HOUR)
        elif kind == "end" and open_hands:
            act = EndAct("operator", open_hands.pop(chance.randrange(len(open_hands))), "technical")
        elif kind == "many":
            act = CommitAct("operator", [spec(each) for each in NAMES], batch=True)
        else:
            dealer: Dealer = chance.choice(DEALERS)
            act = CommitAct("operator", [spec(name, dealer, follows=kind == "follow")], batch=False)
        (outcome,) = together(service, act)
        if isinstance(outcome, Problem):
            assert outcome.code in ("out_of_order", "ended")
        check(service)
        with service.reader.begin() as connection:
            open_hands = [row[0] for row in fetch(connection, "SELECT hand FROM hands WHERE state < 2")]
    assert check(service) == len(NAMES)


def test_a_table_that_was_only_asked_for_is_still_to_be_made(service: Service) -> None:
    (first,) = together(service, CommitAct("operator", [spec("a", sealed=True)], batch=False))
    assert isinstance(first, Result)
    # One transaction: the one is refused with its new table, the other goes through.
    refused, done = together(
        service,
        CommitAct("operator", [spec("new", sealed=True)], batch=False),
        CommitAct("operator", [spec("b")], batch=False),
    )
    assert isinstance(refused, Problem)
    assert isinstance(done, Result)
    assert check(service) == 2
    (done,) = together(service, CommitAct("operator", [spec("new")], batch=False))
    assert isinstance(done, Result)
    assert check(service) == 3


def test_tables_that_are_remembered_are_as_the_store_has_them(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    together(service, commit_act(number=2))
    known = service.ledger._writer._tables
    assert {name: (t.last_number, t.stored, t.touched) for (_, name), t in known.items()} == {
        "t": (2, True, False)
    }
    # What a failed transaction made of a table is forgotten with it.
    with monkeypatch.context() as failing:
        failing.setattr(Work, "flush", _fail)
        assert [code(o) for o in together(service, commit_act(number=3))] == ["internal"]
    assert not known
    # So is what one that had nothing to write walked past.
    with monkeypatch.context() as walking:
        walking.setattr(ProbeAct, "plan", _walk)
        together(service, ProbeAct())
    assert not known
    together(service, commit_act())
    monkeypatch.setattr(writer_module, "MOST_TABLES", 0)
    together(service, commit_act("u"))
    together(service, commit_act("v"))
    assert {name for _, name in known} == {"v"}
    together(service, commit_act())
    assert numbers(service) == [1, 2, 3, 4]


def _fail(_: Work) -> None:
    raise RuntimeError


def _walk(_: ProbeAct, work: Work) -> Planned:
    work.table("operator", "t").locked(1)
    return Planned(200, lambda _: "0")


def test_new_tables_are_looked_for_once(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def noting(connection: Connection, table: Table, *rest: Any) -> Iterator[Any]:
        asked.append(table.name)
        return fetch_rows(connection, table, *rest)

    monkeypatch.setattr(gametable, "fetch_rows", noting)
    act = CommitAct(
        "operator", [CommitSpec(f"t{k}", TERMS, False, (), None, 3_600_000) for k in range(50)], True
    )
    assert code(together(service, act)[0]) is None
    assert asked.count("game_tables") == 1
    assert size(service) == 50

"""What requests ask of the store is found by index, however many hands there have been."""

from __future__ import annotations

import re
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from fairdeal_api import bulk
from fairdeal_api.expiry import PAUSE
from fairdeal_api.hands import COLUMNS
from fairdeal_api.service import Service
from fairdeal_api.tables import REVEALED, HandRow, table_of
from fastapi import FastAPI
from sqlalchemy import Connection, event

from tests.api.support import MINUTE, Clock, Game, ok, problem, wait_until

STORES = ("sqlite",)
"""It asks SQLite for its plans; PostgreSQL has the same indexes."""


@pytest.fixture
def statements(app: FastAPI, game: Game, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """Every statement that runs, with parameters of its form."""
    service: Service = app.state.service
    found: dict[str, Any] = {}

    def note(*arguments: Any) -> None:
        statement, parameters, many = arguments[2], arguments[3], arguments[5]
        found[statement] = parameters[0] if many else parameters

    class Noting:
        """A cursor of :mod:`fairdeal_api.bulk`, which no event of SQLAlchemy sees."""

        def __init__(self, cursor: Any) -> None:
            self.fetchall, self._cursor = cursor.fetchall, cursor

        @property
        def rowcount(self) -> int:
            return int(self._cursor.rowcount)

        def execute(self, statement: str, values: Any) -> None:
            found[statement] = values
            self._cursor.execute(statement, values)

        def executemany(self, statement: str, rows: Any) -> None:
            found[statement] = rows[0]
            self._cursor.executemany(statement, rows)

    cursor_of = bulk._cursor

    @contextmanager
    def noting(connection: Connection, statement: str) -> Iterator[Noting]:
        with cursor_of(connection, statement) as cursor:
            yield Noting(cursor)

    monkeypatch.setattr(bulk, "_cursor", noting)
    for engine in (service.writer, service.reader):
        event.listen(engine, "before_cursor_execute", note)
    yield found
    for engine in (service.writer, service.reader):
        event.remove(engine, "before_cursor_execute", note)


def test_a_refused_lock_does_not_walk_what_has_ended(
    app: FastAPI, game: Game, statements: dict[str, Any]
) -> None:
    service: Service = app.state.service
    first = game.committed("t")["hand"]
    with service.writer.begin() as connection:
        names = ", ".join(COLUMNS)
        (row,) = bulk.fetch(connection, f"SELECT {names} FROM hands")
        ended = dict(zip(COLUMNS, row, strict=True), state=REVEALED, wrapped_seed=None)
        many = [
            {**ended, "commit_index": 1_000 + k, "hand": secrets.token_bytes(16), "number": k}
            for k in range(2, 2_000)
        ]
        rows = [tuple(one[name] for name in COLUMNS) for one in many]
        bulk.insert_rows(connection, table_of(HandRow), COLUMNS, rows)
    # Nobody writes past the ledger; here it must read again what this test has written.
    service.ledger._writer._tables.clear()
    last = game.committed("t")["hand"]
    statements.clear()
    body = problem(game.deal(last), "out_of_order", 409)
    assert body["waiting"] == {"hand": first, "number": 1}
    (asked,) = [statement for statement in statements if "ORDER BY hands.number" in statement]
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1

    with sqlite3.connect(service.settings.data / "fairdeal.db") as store:
        store.set_progress_handler(step, 1)
        assert len(store.execute(asked, statements[asked]).fetchall()) == 1
    store.close()
    assert 0 < steps < 500
    # Once the first has ended, what comes after it is walked once.
    ok(game.void(first, "technical"))
    game.dealt(last)
    with service.reader.begin() as connection:
        assert bulk.fetch(connection, "SELECT first_waiting FROM game_tables") == [(2_001,)]


def test_no_statement_walks_a_whole_table(
    app: FastAPI, game: Game, clock: Clock, statements: dict[str, Any]
) -> None:
    body = {"table": "t", "seals": [{"seat": 0, "seal": "ab" * 32}]}
    ok(game.call("POST", "/v1/hands", body, Idempotency_Key="k"), 201)
    game.played("u", seats=(0, 1))
    late = game.committed("v")["hand"]
    problem(game.deal(game.committed("v")["hand"]), "out_of_order", 409)
    game.dealt(late)
    ok(game.reveal(late, next={"terms": {"dealer": "next"}}))
    game.call("GET", "/v1/hands?state=open")
    for path in (
        f"/v1/hands/{late}",
        f"/v1/hands/{late}/receipt",
        "/v1/tables/operator/v/hands",
        "/checkpoint",
    ):
        assert game.get(path).status_code == 200, path
    game.get("/tile/0/000.p/5")
    game.get("/tile/entries/000.p/5")
    short = game.committed("w", lock_within=60)["hand"]
    clock.tick(MINUTE)
    wait_until(lambda: ok(game.get(f"/v1/hands/{short}"))["outcome"] == "expired", 10 * PAUSE)
    service: Service = app.state.service
    with sqlite3.connect(service.settings.data / "fairdeal.db") as store:
        plans = {
            statement: " | ".join(
                row[3] for row in store.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
            )
            for statement, parameters in statements.items()
            if statement.startswith(("SELECT", "UPDATE", "DELETE"))
        }
    store.close()
    assert len(plans) > 20
    # The head is one row, the tables' revision another, and so are constants that a list of pairs is made of.
    walks = {
        s: plan
        for s, plan in plans.items()
        if re.search(r"SCAN (?!head|processes|alembic_version|CONSTANT|\d+ CONSTANT)", plan)
    }
    assert walks == {}
    for found in ("table_id=? AND number>?", "hands_due", "hands_open"):
        assert any(found in plan for plan in plans.values()), found

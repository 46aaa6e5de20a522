"""PostgreSQL's own corners: durability that is insisted on, a lost COMMIT, a frozen holder of the head."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from fairdeal_api import db, writer
from fairdeal_api import postgres as engines
from fairdeal_api.app import create_app
from fairdeal_api.service import Service, StartupError, open_service
from fairdeal_api.settings import Settings
from fairdeal_api.tables import EntryRow, table_of
from fairdeal_api.work import Work
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import Connection, event
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlmodel import SQLModel

from tests.api.support import Clock, Game, ok, problem, read_log, wait_until
from tests.postgres import Cluster, cluster, url_database


@pytest.fixture
def settings(tmp_path: Path, postgres_url: str) -> Settings:
    return Settings(data=tmp_path / "data", origin="log.example/okey", database_url=postgres_url)


def service_of(app: FastAPI) -> Service:
    service: Service = app.state.service
    return service


@pytest.mark.parametrize("value", ["off", "local", "remote_write"])
def test_a_database_that_confirms_too_early_is_refused(
    settings: Settings, postgres: Cluster, postgres_url: str, value: str
) -> None:
    name = url_database(postgres_url)
    with postgres.connect() as connection:
        connection.execute(f"ALTER DATABASE {name} SET synchronous_commit = {value}".encode())
    with pytest.raises(StartupError, match=f"synchronous_commit {value}"):
        open_service(settings)


def test_sessions_keep_what_was_checked_and_a_new_one_is_checked_again(
    game: Game, app: FastAPI, postgres: Cluster, postgres_url: str
) -> None:
    name = url_database(postgres_url)
    game.committed("a")
    with postgres.connect() as connection:
        connection.execute(f"ALTER DATABASE {name} SET synchronous_commit = off".encode())
        game.committed("a")
        with service_of(app).reader.begin() as reading:
            assert reading.exec_driver_sql("SHOW default_transaction_read_only").scalar() == "on"
        cut_sessions(connection, name)
        problem(game.commit("a"), "unavailable", 503)
        problem(game.commit("a"), "unavailable", 503)
        connection.execute(f"ALTER DATABASE {name} RESET synchronous_commit".encode())
    assert game.committed("a")["number"] == 3


def test_migrations_give_exactly_the_tables_that_the_code_uses(settings: Settings) -> None:
    engine = db.writer_engine(settings.store_url)
    db.migrate(engine)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), SQLModel.metadata) == []
    engine.dispose()


def cut_sessions(connection: psycopg.Connection[Any], name: str) -> None:
    connection.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
        (name,),
    )


@pytest.fixture
def lost(app: FastAPI, http: TestClient, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What happens to the next COMMITs of entries: the answer is lost ``after`` or ``before`` it is done."""
    plan: list[str] = []
    armed: list[str] = []
    flush = Work.flush

    def flushing(self: Work) -> None:
        flush(self)
        armed.extend(plan[:1])
        del plan[:1]

    def commit(connection: Connection) -> None:
        if armed and threading.current_thread().name == "ledger":
            driver: Any = connection.connection.driver_connection
            if armed.pop() == "after":
                driver.execute("COMMIT")
            driver.close()
            raise gone()

    monkeypatch.setattr(Work, "flush", flushing)
    event.listen(service_of(app).writer, "commit", commit)
    return plan


def gone(*_: object) -> OperationalError:
    return OperationalError("COMMIT", None, psycopg.OperationalError("the connection is gone"))


def test_a_lost_answer_to_commit_is_resolved_by_what_the_log_holds(
    game: Game, http: TestClient, lost: list[str]
) -> None:
    lost.append("after")
    assert game.committed("a")["number"] == 1
    lost.append("before")
    problem(game.commit("a"), "unavailable", 503)
    hand = game.committed("a")["hand"]
    lost.append("after")
    game.played("b")
    assert read_log(http).checkpoint.size == 5
    assert ok(game.get(f"/v1/hands/{hand}"))["number"] == 2


def test_while_the_database_is_away_the_outcome_is_unknown_and_told_so(
    game: Game, app: FastAPI, lost: list[str], monkeypatch: pytest.MonkeyPatch, http: TestClient
) -> None:
    monkeypatch.setattr(writer, "RESOLVE_TIME", 0.3)
    body = {"table": "a"}

    def away(*_: object) -> None:
        raise gone()

    engine = service_of(app).writer
    event.listen(engine, "engine_connect", away)
    lost.append("after")
    problem(game.call("POST", "/v1/hands", body, Idempotency_Key="k"), "internal", 500)
    event.remove(engine, "engine_connect", away)
    # It was written; the key finds it again.
    assert ok(game.call("POST", "/v1/hands", body, Idempotency_Key="k"))["number"] == 1
    assert read_log(http).checkpoint.size == 1


def test_a_server_killed_and_back_loses_nothing_and_the_service_goes_on(
    tmp_path: Path, clock: Clock, own_cluster: Cluster
) -> None:
    settings = Settings(data=tmp_path / "data", database_url=own_cluster.database())
    with TestClient(create_app(settings, clock)) as http:
        game = Game(http, settings.operator_key_path.read_text().strip())
        hand = game.committed("a")["hand"]
        own_cluster.kill()
        problem(game.commit("a"), "unavailable", 503)
        own_cluster.start()
        end = time.monotonic() + 30
        while game.deal(hand).status_code == 503:
            assert time.monotonic() < end
            time.sleep(0.1)
        assert game.committed("a")["number"] == 2
        assert read_log(http).checkpoint.size == 3


@pytest.fixture
def own_cluster() -> Iterator[Cluster]:
    """A server that a test may kill."""
    with cluster() as made:
        yield made


def test_whoever_holds_the_head_for_long_is_waited_for_then_answered_503(
    game: Game, app: FastAPI, postgres: Cluster, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(engines._WRITER, "lock_timeout", "200ms")
    name = url_database(postgres_url)
    with postgres.connect() as connection:
        cut_sessions(connection, name)
    wait_until(lambda: game.commit("a").status_code == 201, 10)
    with psycopg.connect(host=str(postgres.folder), user="fairdeal", dbname=name) as frozen:
        frozen.execute("SELECT * FROM head FOR UPDATE")
        problem(game.commit("a"), "unavailable", 503)
        frozen.rollback()
    assert game.committed("a")["number"] == 2


def test_uniqueness_holds_without_the_head_s_lock(settings: Settings, game: Game) -> None:
    game.committed("a", seats=(0,))
    entries = table_of(EntryRow)
    engine = db.writer_engine(settings.store_url)
    for table in ("hands", "seals"):
        with pytest.raises(IntegrityError), engine.begin() as connection:
            connection.exec_driver_sql(f"INSERT INTO {table} SELECT * FROM {table}")
    with pytest.raises(IntegrityError), engine.begin() as connection:
        connection.execute(entries.insert(), {"idx": 0, "entry": b"another"})
    engine.dispose()

"""A store of an earlier release goes on after an upgrade, on both databases."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import fairdeal_api
import pytest
from alembic import command, op
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.operations import Operations
from fairdeal_api import db, operators, seedkeys
from fairdeal_api.app import create_app
from fairdeal_api.bulk import fetch
from fairdeal_api.export import Selection, open_export
from fairdeal_api.service import open_service
from fairdeal_api.settings import Settings
from fairdeal_api.starting import StartupError, inspect_store
from fastapi.testclient import TestClient

from tests.api.support import Clock, Game, ok, problem

BEFORE, LAST = "0003", "0005"

# A table's names and its last number as they stood before tables had ids.
FORM_BEFORE = """
CREATE TABLE before AS
    SELECT operator, name, (SELECT MAX(number) FROM hands WHERE table_id = game_tables.id) AS last_number,
    dealer, dealer_number FROM game_tables;
DROP TABLE game_tables;
CREATE TABLE game_tables (
    operator VARCHAR(64) NOT NULL, name VARCHAR(64) NOT NULL, last_number BIGINT NOT NULL,
    dealer SMALLINT, dealer_number BIGINT NOT NULL, PRIMARY KEY (operator, name)
);
INSERT INTO game_tables SELECT * FROM before;
DROP TABLE before;
CREATE INDEX hands_waiting ON hands (operator, game_table, number) WHERE state = 0
"""


def downgrade(settings: Settings) -> None:
    """The store as an earlier release had it: its waiting hands in an index, its tables without ids."""
    engine = db.writer_engine(settings.store_url)
    config = Config()
    config.set_main_option("script_location", str(Path(fairdeal_api.__file__).parent / "migrations"))
    with engine.begin() as connection:
        for statement in FORM_BEFORE.split(";"):
            connection.exec_driver_sql(statement)
        config.attributes["connection"] = connection
        context = MigrationContext.configure(connection)
        with Operations.context(context), op.batch_alter_table("hands") as hands:
            hands.drop_constraint("number_once")
            hands.create_unique_constraint("number_once", ["operator", "game_table", "number"])
            hands.drop_column("table_id")
        command.stamp(config, BEFORE)
    engine.dispose()


def test_waiting_hands_of_an_earlier_release_are_locked_in_order(settings: Settings, clock: Clock) -> None:
    with TestClient(create_app(settings, clock)) as http:
        game = Game(http, settings.operator_key_path.read_text().strip())
        for _ in range(3):
            game.played("some")
        game.committed("seated", terms={"dealer": 2})
        waiting = [game.committed("some")["hand"] for _ in range(3)]
        game.played("none")
        first = game.committed("new")["hand"]
    downgrade(settings)
    with TestClient(create_app(settings, clock)) as http:
        game = Game(http, settings.operator_key_path.read_text().strip(), game.seeds)
        service = http.app.state.service  # type: ignore[attr-defined]  # FastAPI's own
        with service.reader.connect() as connection:
            found: dict[str, int] = dict(fetch(connection, "SELECT name, first_waiting FROM game_tables"))
        assert found == {"some": 4, "seated": 1, "none": 2, "new": 1}
        assert game.committed("seated", terms={"dealer": "next"})["terms"]["dealer"] == 3
        for later in waiting[1:]:
            body = problem(game.deal(later), "out_of_order", 409)
            assert body["waiting"] == {"hand": waiting[0], "number": 4}
        for hand in (*waiting, first):
            game.dealt(hand)
            ok(game.reveal(hand))


def revision(settings: Settings) -> str:
    engine = db.reader_engine(settings.store_url)
    with engine.begin() as connection:
        ((found,),) = fetch(connection, "SELECT version_num FROM alembic_version")
    engine.dispose()
    return str(found)


def earlier(settings: Settings, clock: Clock) -> None:
    """A store of an earlier release with a hand in it."""
    with TestClient(create_app(settings, clock)) as http:
        Game(http, settings.operator_key_path.read_text().strip()).played("t")
    downgrade(settings)


def test_a_start_that_is_refused_leaves_the_tables_to_their_release(settings: Settings, clock: Clock) -> None:
    earlier(settings, clock)
    other = settings.model_copy(update={"origin": "another.example/log"})
    with pytest.raises(StartupError, match=r"the log's name is log\.example/okey"):
        open_service(other, clock)
    assert revision(settings) == BEFORE


def test_commands_do_not_change_the_tables_of_an_earlier_release(settings: Settings, clock: Clock) -> None:
    earlier(settings, clock)
    commands: dict[str, Callable[[], object]] = {
        "operators": lambda: operators.list_operators(settings),
        "rewrap": lambda: seedkeys.rewrap(settings),
        "check": lambda: inspect_store(settings),
        "export": lambda: open_export(settings, Selection()).__enter__(),
    }
    for name, run in commands.items():
        with pytest.raises(db.OtherReleaseError, match="of an earlier release"):
            run()
        assert revision(settings) == BEFORE, name
    open_service(settings, clock).close()
    assert revision(settings) == LAST
    assert [operator.name for operator in operators.list_operators(settings)] == ["operator"]


def test_tables_of_a_newer_release_are_told_and_left(settings: Settings, clock: Clock) -> None:
    open_service(settings, clock).close()
    engine = db.writer_engine(settings.store_url)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    engine.dispose()
    with pytest.raises(StartupError, match=r"of a newer release .*9999"):
        open_service(settings, clock)
    with pytest.raises(db.OtherReleaseError, match="of a newer release"):
        operators.add(settings, "club")
    assert revision(settings) == "9999"


def test_a_full_disk_is_the_reason_that_is_told(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(data=tmp_path / "data", origin="log.example/okey")
    earlier(settings, clock)
    store = sqlite3.connect(settings.data / "fairdeal.db")
    store.execute("VACUUM")
    ((pages,),) = store.execute("PRAGMA page_count")
    store.close()
    with monkeypatch.context() as full:
        full.setattr(db, "_PRAGMAS", (*db._PRAGMAS, f"max_page_count = {pages}"))
        with pytest.raises(StartupError, match="disk is full"):
            open_service(settings, clock)
    assert revision(settings) == BEFORE
    open_service(settings, clock).close()
    assert revision(settings) == LAST

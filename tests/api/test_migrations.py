"""A store of an earlier release goes on after an upgrade, on both databases."""

from __future__ import annotations

from pathlib import Path

import fairdeal_api
from alembic import command, op
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.operations import Operations
from fairdeal_api import db
from fairdeal_api.app import create_app
from fairdeal_api.bulk import fetch
from fairdeal_api.settings import Settings
from fastapi.testclient import TestClient

from tests.api.support import Clock, Game, ok, problem

BEFORE = "0003"

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
        waiting = [game.committed("some")["hand"] for _ in range(3)]
        game.played("none")
        first = game.committed("new")["hand"]
    downgrade(settings)
    with TestClient(create_app(settings, clock)) as http:
        game = Game(http, settings.operator_key_path.read_text().strip(), game.seeds)
        service = http.app.state.service  # type: ignore[attr-defined]  # FastAPI's own
        with service.reader.connect() as connection:
            found: dict[str, int] = dict(fetch(connection, "SELECT name, first_waiting FROM game_tables"))
        assert found == {"some": 4, "none": 2, "new": 1}
        for later in waiting[1:]:
            body = problem(game.deal(later), "out_of_order", 409)
            assert body["waiting"] == {"hand": waiting[0], "number": 4}
        for hand in (*waiting, first):
            game.dealt(hand)
            ok(game.reveal(hand))

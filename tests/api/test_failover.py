"""A standby that takes over: nothing is lost where it is synchronous, nothing forked where it lagged."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from fairdeal_api.app import create_app
from fairdeal_api.service import StartupError, open_service
from fairdeal_api.settings import Settings
from fastapi.testclient import TestClient

from fairdeal.checkpoint import parse_checkpoint
from fairdeal.merkle import leaf_hash, root
from fairdeal.note import parse_note
from tests.api.support import Clock, Game, problem, read_log, wait_until
from tests.postgres import Cluster, cluster

DATABASE = "fairdeal_1"


class Pair:
    """A primary and its standby, and the address that names both."""

    def __init__(self, primary: Cluster, standby: Cluster) -> None:
        self.primary, self.standby = primary, standby
        self.url = f"postgresql+psycopg://fairdeal@/{DATABASE}?host={primary.folder}&host={standby.folder}"

    def wait_for_standby(self) -> None:
        """Have every COMMIT wait for the standby, and wait until one does."""
        with self.primary.connect() as connection:
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            connection.execute("SELECT pg_reload_conf()")
            query = "SELECT sync_state FROM pg_stat_replication"
            wait_until(lambda: connection.execute(query).fetchall() == [("sync",)], 30)


@pytest.fixture
def pair() -> Iterator[Pair]:
    with ExitStack() as stack:
        primary = stack.enter_context(cluster())
        primary.database()
        folder = Path(tempfile.mkdtemp(prefix="fairdeal-pg-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        standby = primary.standby(folder)
        yield Pair(primary, standby)
        if standby.process.poll() is None:
            standby.stop()


def test_a_synchronous_standby_takes_over_and_nothing_is_lost(
    pair: Pair, tmp_path: Path, clock: Clock
) -> None:
    pair.wait_for_standby()
    settings = Settings(data=tmp_path / "data", database_url=pair.url)
    with TestClient(create_app(settings, clock)) as http:
        game = Game(http, settings.operator_key_path.read_text().strip())
        hands = [game.committed("a", seats=(0,)) for _ in range(5)]
        pair.primary.kill()
        problem(game.commit("a"), "unavailable", 503)
        pair.standby.promote()
        end = time.monotonic() + 30
        while game.deal(hands[0]["hand"]).status_code == 503:
            assert time.monotonic() < end
            time.sleep(0.2)
        assert game.committed("a")["number"] == 6
        log = read_log(http)
        leaves = [leaf_hash(entry) for entry in log.entries]
        for hand in hands:
            told = parse_checkpoint(parse_note(hand["receipt"]["checkpoint"]).text)
            assert root(leaves[: told.size]) == told.root


def test_a_standby_that_lagged_is_never_signed_on(pair: Pair, tmp_path: Path, clock: Clock) -> None:
    settings = Settings(data=tmp_path / "data", database_url=pair.url)
    with TestClient(create_app(settings, clock)) as http:
        game = Game(http, settings.operator_key_path.read_text().strip())
        game.committed("a")
        position = "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn"
        with pair.primary.connect() as primary, pair.standby.connect() as standby:
            (now,) = primary.execute("SELECT pg_current_wal_lsn()::text").fetchone() or (None,)
            wait_until(lambda: standby.execute(position, (now,)).fetchone() == (True,), 30)
        pair.standby.stop()
        signed = game.committed("a")["receipt"]["checkpoint"]
        pair.primary.kill()
        pair.standby.start()
        pair.standby.promote()
        end = time.monotonic() + 30
        # The running service: as soon as it reaches the database it sees that entries are gone, and stops.
        while (answer := game.commit("a")).status_code == 503 and time.monotonic() < end:
            if http.get("/v1/tables/operator/a/hands").status_code == 200:
                break
            time.sleep(0.2)
        assert answer.status_code in (500, 503)
        # The first commit that gets through to the database may be the one that finds out.
        assert game.commit("a").status_code in (500, 503)
        problem(game.commit("a"), "unavailable", 503)
        assert parse_checkpoint(parse_note(signed).text).size == 2
        assert read_log(http).checkpoint.size == 1
    # And so does one that starts.
    with pytest.raises(StartupError, match="the store ends at 1 entries, but 2 were signed"):
        open_service(settings)

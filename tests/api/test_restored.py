"""A store that is older than what was signed, or damaged: refused, and brought up again from a mirror."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fairdeal_api import db
from fairdeal_api.app import create_app
from fairdeal_api.head import CorruptionError, need_tile
from fairdeal_api.mirror import MirrorError
from fairdeal_api.recovery import RecoveryError, recover
from fairdeal_api.service import StartupError, open_service
from fairdeal_api.settings import Settings
from fairdeal_api.starting import inspect_store
from fairdeal_api.tables import EntryRow, HeadRow, TileRow, table_of
from fastapi.testclient import TestClient
from sqlalchemy import delete, select, update

from fairdeal.verify import verify
from tests.api.support import HOUR, Clock, Game, mirror, ok, problem, read_log

_ENTRIES, _TILES, _HEAD = table_of(EntryRow), table_of(TileRow), table_of(HeadRow)


_Seeds = dict[str, list[dict[str, Any]]]


@contextmanager
def serving(settings: Settings, clock: Clock, seeds: _Seeds | None = None) -> Iterator[Game]:
    """A game server of one start; ``seeds`` are its players', who outlive it."""
    with TestClient(create_app(settings, clock)) as http:
        yield Game(http, settings.operator_key_path.read_text().strip(), {} if seeds is None else seeds)


def http_of(game: Game) -> TestClient:
    assert isinstance(game.http, TestClient)
    return game.http


def test_a_restored_backup_is_refused_and_recovered_from_a_mirror(
    settings: Settings, copied: Callable[[], Settings], clock: Clock, tmp_path: Path
) -> None:
    seeds: _Seeds = {}
    with serving(settings, clock, seeds) as game:
        game.played("a", seats=(0, 2))
        kept, locked = game.committed("b")["hand"], game.committed("c", seats=(1,))["hand"]
    backup = copied()
    with serving(settings, clock, seeds) as game:
        clock.tick(1000)
        game.dealt(locked)
        ended = game.played("a")["hand"]
        thrown = ok(game.get(f"/v1/hands/{ended}"))["deal"]["dealer"]
        lost, lost_locked = game.committed("d", seats=(0,))["hand"], game.committed("e")["hand"]
        seal = ok(game.get(f"/v1/hands/{lost}"))["seals"]
        game.dealt(lost_locked)
        for table in range(300):
            game.committed(f"many:{table}")
        mirror(http_of(game), tmp_path / "mirror")
        before = read_log(http_of(game))

    with pytest.raises(
        StartupError, match=rf"the store ends at 5 entries, but {before.checkpoint.size} were"
    ):
        open_service(backup)
    done = recover(backup, tmp_path / "mirror")
    assert (done.before, done.size, done.lost) == (5, before.checkpoint.size, 302)
    assert recover(backup, tmp_path / "mirror").before == before.checkpoint.size

    clock.tick(1000)
    with serving(backup, clock, seeds) as game:
        log = read_log(http_of(game))
        assert log.entries == before.entries
        # What the backup knew goes on; the table's numbers and dealer do, too.
        game.dealt(kept)
        assert verify(json.dumps(ok(game.reveal(locked))["receipt"])).verdict == "consistent"
        following = game.committed("a", terms={"dealer": "next"})
        assert (following["number"], following["terms"]["dealer"]) == (3, (thrown + 1) % 4)
        problem(game.call("POST", "/v1/hands", {"table": "x", "seals": seal}), "seal_used", 409)
        # What came after it has no seed: it cannot be dealt, and ends as lost, whoever ends it.
        problem(game.deal(lost), "unavailable", 503)
        problem(game.void(lost, "technical"), "ended", 409)
        assert ok(game.get(f"/v1/hands/{lost}"))["outcome"] == "lost"
        clock.tick(HOUR)
        problem(game.reveal(lost_locked), "ended", 409)
        assert ok(game.get(f"/v1/hands/{lost_locked}"))["outcome"] == "lost"
    inspect_store(backup)


def test_a_mirror_that_ends_too_early_or_is_damaged_changes_nothing(
    settings: Settings, copied: Callable[[], Settings], clock: Clock, tmp_path: Path
) -> None:
    with serving(settings, clock) as game:
        game.committed("a")
    backup = copied()
    with serving(settings, clock) as game:
        game.committed("a")
        short = mirror(http_of(game), tmp_path / "short")
        for _ in range(3):
            game.committed("a")
        whole = mirror(http_of(game), tmp_path / "whole")
    with pytest.raises(
        RecoveryError, match="ends at 2 entries, but 5 were signed: the entries 2 to 4 are missing"
    ):
        recover(backup, short)
    bundle = whole / "tile/entries/000.p/5"
    good = bundle.read_bytes()
    bundle.write_bytes(good.replace(b'"number":4', b'"number":9'))
    with pytest.raises(RecoveryError, match="does not lead"):
        recover(backup, whole)
    bundle.write_bytes(good[:-1])
    with pytest.raises(MirrorError, match="is damaged"):
        recover(backup, whole)
    bundle.unlink()
    with pytest.raises(MirrorError, match="is missing"):
        recover(backup, whole)
    bundle.write_bytes(good)
    note = (whole / "checkpoint").read_text()
    (whole / "checkpoint").write_text(note.replace("\n5\n", "\n4\n"))
    with pytest.raises(MirrorError, match="no checkpoint that this log's keys have signed"):
        recover(backup, whole)
    (whole / "checkpoint").write_text(note)
    assert recover(backup, whole).size == 5


def test_a_store_that_is_being_served_is_not_recovered(
    settings: Settings, clock: Clock, tmp_path: Path
) -> None:
    """SQLite's service would go on with its own tree; PostgreSQL's writers read the head anew each time."""
    with serving(settings, clock) as game:
        game.committed()
        mirror(http_of(game), tmp_path / "mirror")
        if db.is_sqlite(settings.store_url):
            with pytest.raises(RecoveryError, match="another service runs on"):
                recover(settings, tmp_path / "mirror")
        assert game.committed()["number"] == 2
    assert recover(settings, tmp_path / "mirror").size == 2


def test_a_published_checkpoint_refuses_what_the_marks_alone_would_not(
    settings: Settings, copied: Callable[[], Settings], clock: Clock, tmp_path: Path
) -> None:
    published = tmp_path / "checkpoint"
    with serving(settings, clock) as game:
        game.committed("a")
    backup = copied()
    with serving(settings, clock) as game:
        game.committed("a")
        published.write_text(game.get("/checkpoint").text)
    for mark in settings.marks_path.iterdir():
        mark.unlink()
    open_service(settings.model_copy(update={"checkpoint": published})).close()
    for mark in settings.marks_path.iterdir():
        mark.unlink()
    with pytest.raises(StartupError, match="the store ends at 1 entries, but 2 were signed"):
        open_service(backup.model_copy(update={"checkpoint": published}))
    # With neither, nothing speaks against the copy: it goes another way, which the checkpoint shows later.
    with serving(backup, clock) as game:
        game.committed("b")
    with pytest.raises(StartupError, match="the store's first 2 entries are not those that were signed"):
        open_service(backup.model_copy(update={"checkpoint": published}))
    published.write_text("nothing of the kind\n")
    with pytest.raises(StartupError, match="holds no checkpoint that this log's keys have signed"):
        open_service(settings.model_copy(update={"checkpoint": published}))


def test_a_store_gone_back_under_a_running_service_stops_it(
    settings: Settings, copied: Callable[[], Settings], clock: Clock
) -> None:
    with serving(settings, clock) as game:
        game.committed("a")
    backup = copied()
    old = db.reader_engine(backup.store_url)
    with old.begin() as connection:
        row = connection.execute(select(_HEAD)).mappings().one()
    old.dispose()
    with serving(settings, clock) as game:
        game.committed("a")
        engine = db.writer_engine(settings.store_url)
        with engine.begin() as connection:
            connection.execute(update(_HEAD).values(dict(row)))
        engine.dispose()
        problem(game.commit("a"), "internal", 500)
        problem(game.commit("a"), "unavailable", 503)


@pytest.mark.parametrize("what", ["entry", "missing", "tile", "edge", "checkpoint"])
def test_damage_at_the_log_s_end_is_found_at_the_start(settings: Settings, clock: Clock, what: str) -> None:
    with serving(settings, clock) as game:
        for _ in range(3):
            game.committed("a")
    inspect_store(settings)
    engine = db.writer_engine(settings.store_url)
    with engine.begin() as connection:
        head = connection.execute(select(_HEAD)).mappings().one()
        entry = connection.scalar(select(_ENTRIES.c.entry).where(_ENTRIES.c.idx == 1))
        assert entry is not None
        connection.execute(
            {
                "entry": update(_ENTRIES).where(_ENTRIES.c.idx == 1).values(entry=entry[:-1] + b"]"),
                "missing": delete(_ENTRIES).where(_ENTRIES.c.idx == 1),
                "tile": update(_TILES).values(hashes=need_tile(connection, 0, 0)[:-1] + b"\0"),
                "edge": update(_HEAD).values(edge=bytes(64)),
                "checkpoint": update(_HEAD).values(checkpoint=head["checkpoint"].replace("\n3\n", "\n4\n")),
            }[what]
        )
    engine.dispose()
    with pytest.raises(StartupError, match="the store is damaged"):
        open_service(settings)
    with pytest.raises(CorruptionError):
        inspect_store(settings)


def test_damage_far_back_is_found_on_demand(settings: Settings, clock: Clock) -> None:
    with serving(settings, clock) as game:
        ok(game.call("POST", "/v1/hands/batch", {"hands": [{"table": "a"}] * 1000}), 201)
    assert inspect_store(settings).size == 1000
    engine = db.writer_engine(settings.store_url)
    with engine.begin() as connection:
        connection.execute(update(_ENTRIES).where(_ENTRIES.c.idx == 7).values(entry=b"{}"))
    engine.dispose()
    open_service(settings).close()
    with pytest.raises(CorruptionError, match=r"tile/0/000 is not what .* \(entries 0 to 255\)"):
        inspect_store(settings)


def test_a_store_without_the_log_that_was_signed_is_refused(settings: Settings, clock: Clock) -> None:
    with serving(settings, clock) as game:
        game.committed("a")
    empty = settings.model_copy(update={"database_url": f"sqlite:///{settings.data / 'empty.db'}"})
    with pytest.raises(StartupError, match="the store has no log"):
        open_service(empty)
    key = settings.data / "log.key"
    moved = empty.model_copy(update={"log_key_file": key.rename(settings.data / "other.key")})
    with pytest.raises(StartupError, match="a log was signed before"):
        open_service(moved)

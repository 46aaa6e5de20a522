"""Backup and restore as docs/operating.md has them: the machine is lost and comes back from its copies."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fairdeal.verify import verify
from tests.api.support import Game, Running, mirror, ok, read_log
from tests.postgres import program

KEYS = ("log.key", "seed.keys", "operator.key")


def run(*command: str, **environment: str) -> str:
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def address(database_url: str) -> str:
    """What PostgreSQL's own programs take."""
    return database_url.replace("postgresql+psycopg://", "postgresql://")


def back_up(running: Running, database_url: str | None, backup: Path) -> None:
    """A copy of the store while the service runs, and of the keys."""
    backup.mkdir()
    if database_url:
        dump = str(backup / "fairdeal.dump")
        run(program("pg_dump"), "--format=custom", f"--file={dump}", address(database_url))
    else:
        # What the page's sqlite3 command does, through the same interface.
        source, copy = sqlite3.connect(running.data / "fairdeal.db"), sqlite3.connect(backup / "fairdeal.db")
        source.backup(copy)
        source.close()
        copy.close()
    for name in KEYS:
        shutil.copy2(running.data / name, backup / name)
    shutil.copytree(running.data / "signed", backup / "signed")


def restore(backup: Path, data: Path, database_url: str | None) -> None:
    """A new machine from the copies."""
    data.mkdir(mode=0o700)
    if database_url:
        dump = str(backup / "fairdeal.dump")
        run(program("pg_restore"), "--clean", "--if-exists", "--dbname", address(database_url), dump)
    else:
        shutil.copy2(backup / "fairdeal.db", data / "fairdeal.db")
        (data / "fairdeal.db").chmod(0o600)
    for name in KEYS:
        shutil.copy2(backup / name, data / name)
    shutil.copytree(backup / "signed", data / "signed")


@pytest.mark.parametrize("store", ["sqlite", "postgres"])
def test_a_lost_machine_comes_back_from_its_copies(
    starting: Callable[..., Running], tmp_path: Path, store: str, request: pytest.FixtureRequest
) -> None:
    url: str | None = request.getfixturevalue("postgres_url") if store == "postgres" else None
    options: dict[str, Any] = {"database_url": url} if url else {}
    running = starting(**options)
    with running.client() as http:
        game = Game(http, running.key)
        game.played("a", seats=(0,))
        kept = game.committed("b", seats=(1,))["hand"]
        back_up(running, url, tmp_path / "backup")
        game.dealt(kept)
        after = game.played("a")["hand"]
        before = read_log(http)
        mirror(http, tmp_path / "mirror")
    running.kill()
    shutil.rmtree(running.data)

    restore(tmp_path / "backup", running.data, url)
    command = [sys.executable, "-m", "fairdeal_cli", "log", "recover", str(tmp_path / "mirror")]
    run(*command, "--data", str(running.data), **({"FAIRDEAL_DATABASE_URL": url} if url else {}))
    running = starting(**options)
    with running.client() as http:
        game.http, game.key = http, running.key
        assert read_log(http).entries == before.entries
        # The hand that was under way is played to its end, with the very deal that was shown.
        revealed = ok(game.reveal(kept))
        assert verify(json.dumps(revealed["receipt"])).verdict == "consistent"
        assert ok(game.get(f"/v1/hands/{after}"))["outcome"] == "played"
        assert game.played("a")["number"] == 3
    running.stop()

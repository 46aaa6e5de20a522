"""What runs beside a service on SQLite: commands and backups do it no harm, a second service is refused."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.api.support import Game, Running, ok, read_log

STORES = ("sqlite",)


def _command(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "fairdeal_cli", *arguments], check=True, capture_output=True)


def _deleted(running: Running) -> list[str]:
    """Files that the service has open and that are no longer in their folder."""
    found = []
    for link in Path(f"/proc/{running.process.pid}/fd").iterdir():
        target = str(link.readlink())
        if target.endswith(" (deleted)") and "fairdeal.db" in target:
            found.append(target)
    return found


def test_commands_and_backups_beside_a_service_lose_nothing(
    starting: Callable[..., Running], tmp_path: Path
) -> None:
    running = starting()
    data = str(running.data)
    hands = []
    with running.client() as http:
        game = Game(http, running.key)
        for k, arguments in enumerate(
            (
                ("operator", "list", "--data", data),
                ("operator", "add", "other", "--data", data),
                ("keys", "seed", "list", "--data", data),
                ("export", str(tmp_path / "hands.jsonl"), "--data", data),
                (),
            )
        ):
            if arguments:
                _command(*arguments)
            else:
                # A process of its own, as an operator's backup is one.
                script = (
                    "import sqlite3, sys\n"
                    "source, copy = map(sqlite3.connect, sys.argv[1:])\n"
                    "source.backup(copy); copy.close(); source.close()"
                )
                source, copy = running.data / "fairdeal.db", tmp_path / "copy.db"
                subprocess.run([sys.executable, "-c", script, str(source), str(copy)], check=True)
                assert sqlite3.connect(copy).execute("PRAGMA quick_check").fetchone() == ("ok",)
            assert _deleted(running) == []
            hand = game.committed(f"t{k}")["hand"]
            game.dealt(hand)
            hands.append(hand)
    running.kill()
    again = starting()
    with again.client() as http:
        assert [ok(http.get(f"/v1/hands/{hand}"))["state"] for hand in hands] == ["locked"] * len(hands)
        assert read_log(http).checkpoint.size == 2 * len(hands)
    again.stop()


def test_a_second_service_on_the_same_store_is_refused(starting: Callable[..., Running]) -> None:
    running = starting()
    second = subprocess.run(
        [sys.executable, "-m", "fairdeal_cli", "serve", "--data", str(running.data), "--port", "1"],
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert second.returncode == 4
    assert b"another service runs on" in second.stderr
    with running.client() as http:
        Game(http, running.key).committed()
    # A lock goes with its process, however that ends.
    running.kill()
    starting().stop()

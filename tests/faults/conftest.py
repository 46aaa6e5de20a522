"""A service that faults are done to, with players on it that play on, and what is checked in the end."""

from __future__ import annotations

import os
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from fairdeal.note import Verifier
from tests.api.support import Running, client, read_log, start, wait_until
from tests.faults.checker import Found, check
from tests.faults.history import History, Player, watch
from tests.postgres import Cluster, cluster

ROUNDS = int(os.environ.get("FAIRDEAL_FAULTS", "3"))
"""How often each fault is done: a few times in CI, 50 times for the long form (docs/faults.md)."""

PLAYERS = 8


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The long form takes its time."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.timeout(300 + 60 * ROUNDS))


@pytest.fixture
def chance() -> random.Random:
    """Random moments, other ones in every run of the long form; a failure tells by its history."""
    return random.Random(None if ROUNDS > 10 else 8)


@pytest.fixture(scope="module")
def killed() -> Iterator[Cluster]:
    """A PostgreSQL of this module's own: its tests may do anything to it."""
    with cluster() as made:
        yield made


@dataclass
class Scene:
    """A service on one port, and everybody on it."""

    folder: Path
    port: int
    history: History
    options: dict[str, Any] = field(default_factory=dict)
    running: Running | None = None
    over: threading.Event = field(default_factory=threading.Event)
    begin: Callable[..., Running] = start

    @property
    def url(self) -> str:
        """The service's address, the same through all restarts."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def service(self) -> Running:
        """The process that runs now."""
        assert self.running is not None
        return self.running

    def start(self, prefix: Sequence[str] = ()) -> Running:
        """Start the service, under a command ``prefix``."""
        log = self.folder / "output"
        self.running = self.begin(self.folder / "data", self.port, log, prefix, **self.options)
        return self.running

    def kill(self, what: str = "service killed") -> None:
        """Kill the service with signal 9."""
        self.history.add("fault", what=what)
        self.service.kill()

    def answers(self) -> int:
        """Answers so far."""
        return self.history.count("answer")

    def wait_for_answers(self, more: int, seconds: float = 180) -> None:
        """Wait until clients have been answered so many times more; the service must live meanwhile."""
        target = self.answers() + more

        def answered() -> bool:
            assert self.service.process.poll() is None, "the service has ended"
            return self.answers() >= target

        try:
            wait_until(answered, seconds)
        except AssertionError as error:
            error.add_note(self._last_words())
            raise

    def _last_words(self) -> str:
        lines = (self.folder / "output").read_text().splitlines()
        told = [line for line in lines if '"answered"' not in line]
        return "\n".join([f"answers: {self.answers()}; the service's last lines:", *told[-40:]])

    @contextmanager
    def crowd(self, players: int = PLAYERS) -> Iterator[None]:
        """Players and a monitor while the block runs; what one of them raises is raised at its end."""
        key = (self.folder / "data" / "operator.key").read_text().strip()
        with ThreadPoolExecutor(players + 1) as pool:
            found: list[Future[None]] = [pool.submit(watch, self.url, self.history, self.over)]
            for k in range(players):
                player = Player(self.url, key, f"table:{k}", self.history, self.over)
                found.append(pool.submit(player.play))
            try:
                yield
            finally:
                self.over.set()
            for one in found:
                one.result(120)

    def check(self) -> None:
        """Read the whole log and hold it to the history."""
        with client(self.url) as http:
            vkey = http.get("/log/key").text.strip()
            log = read_log(http, vkey)
            found = Found(
                log.checkpoint, log.entries, Verifier.parse(vkey), lambda path: http.get(f"/{path}").content
            )
            wrong = check(self.history.events(), found)
            assert not wrong, (wrong[:10], len(wrong), self.history.path)
            assert log.checkpoint.size > 0


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    """A scene; its service is ended after the test."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    made = Scene(tmp_path, port, History(tmp_path / "history.jsonl"))
    yield made
    made.over.set()
    if made.running is not None:
        made.running.kill()
    made.history.close()


def pause(chance: random.Random, least: float, most: float) -> None:
    """Wait for a random moment."""
    time.sleep(chance.uniform(least, most))

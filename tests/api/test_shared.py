"""Several processes on one PostgreSQL: one log without gap or fork, whichever of them dies."""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import httpx2
import pytest
from fairdeal_api.app import create_app
from fairdeal_api.server import StartupError, prepare, run
from fairdeal_api.settings import Settings
from fastapi.testclient import TestClient

from fairdeal.checkpoint import parse_checkpoint
from fairdeal.entries import Commit
from fairdeal.note import parse_note
from tests.api.support import (
    HOUR,
    MINUTE,
    SERVE,
    Clock,
    Game,
    Running,
    WholeLog,
    client,
    loading,
    ok,
    read_log,
    wait_until,
)

KEYS = ("log.key", "seed.keys", "operator.key")


def workers_of(running: Running) -> list[int]:
    """The workers that a supervisor has started."""
    return children_of(running.process.pid)


def children_of(supervisor: int) -> list[int]:
    """The workers among a process's children."""
    found: list[int] = []
    for task in Path(f"/proc/{supervisor}/task").iterdir():
        found += map(int, (task / "children").read_text().split())
    return [pid for pid in found if "spawn_main" in _command(pid)]


def second_machine(first: Path, second: Path) -> None:
    """A data folder for another machine: the same keys, nothing else."""
    second.mkdir(mode=0o700)
    for name in KEYS:
        shutil.copy2(first / name, second / name)


class History:
    """What clients were told, by whichever process answered."""

    def __init__(self) -> None:
        self.hands: dict[str, dict[str, object]] = {}
        self.notes: list[str] = []
        self.lock = threading.Lock()
        self.over = threading.Event()

    def add(self, answer: dict[str, object]) -> None:
        receipt = answer["receipt"]
        assert isinstance(receipt, dict)
        with self.lock:
            self.hands[str(answer["hand"])] = answer
            self.notes.append(receipt["checkpoint"])

    def play(self, serving: Callable[[], Running], worker: int) -> None:
        """Commit, deal and reveal until told to stop; what is not answered is asked again."""
        count, cut, key = 0, 0, serving().key
        while not self.over.is_set():
            count += 1
            with client(serving().url) as http:
                game = Game(http, key)
                # A hand that was cut off stays open; the table that it blocks is left to time.
                path, body, name = "/v1/hands", {"table": f"t{worker}.{cut}"}, f"{worker}-{count}"
                hand = self._again(partial(game.call, "POST", path, body, Idempotency_Key=name))
                dealt = hand and self._again(partial(game.deal, str(hand["hand"])))
                if not dealt or not self._again(partial(game.reveal, str(dealt["hand"]))):
                    cut += 1

    def _again(self, ask: Callable[[], httpx2.Response]) -> dict[str, object] | None:
        while not self.over.is_set():
            try:
                answer = ask()
            except httpx2.ConnectError:
                return None
            except httpx2.TransportError:
                continue
            if answer.status_code in (200, 201):
                found: dict[str, object] = answer.json()
                self.add(found)
                return found
            assert answer.status_code in (500, 503), answer.text
            time.sleep(0.05)
        return None

    def check(self, log: WholeLog) -> None:
        """Every answer is in the log, every checkpoint is one of its prefixes, numbers have no gap."""
        heads = log.heads
        for note in set(self.notes):
            told = parse_checkpoint(parse_note(note).text)
            assert heads[told.size] == told.root
        for answer in self.hands.values():
            receipt = answer["receipt"]
            assert isinstance(receipt, dict)
            for item in receipt["entries"]:
                assert log.entries[item["index"]] == item["entry"].encode()
        numbers: dict[str, list[int]] = {}
        times = [entry.at for entry in log.parsed]
        assert times == sorted(times)
        for entry in log.parsed:
            if isinstance(entry, Commit):
                numbers.setdefault(entry.table, []).append(entry.number)
        assert all(found == list(range(1, len(found) + 1)) for found in numbers.values())


@pytest.fixture
def history() -> Iterator[History]:
    made = History()
    yield made
    made.over.set()


def test_workers_and_machines_share_one_log_whoever_is_killed(
    starting: Callable[..., Running], postgres_url: str, tmp_path: Path, history: History
) -> None:
    one = starting(workers=3, database_url=postgres_url)
    second_machine(tmp_path / "data", tmp_path / "other")
    two = starting(name="other", database_url=postgres_url)
    machines = [one, two]
    chance = random.Random(5)
    with ThreadPoolExecutor(6) as pool:
        playing = [pool.submit(history.play, partial(machines.__getitem__, k % 2), k) for k in range(6)]
        try:
            for _ in range(4):
                time.sleep(0.5 + chance.random())
                # All three may be dead for the moment in which their supervisor starts new ones.
                while not (alive := workers_of(one)):
                    time.sleep(0.05)
                os.kill(chance.choice(alive), signal.SIGKILL)
            two.kill()
            machines[1] = two = starting(name="other", database_url=postgres_url)
            time.sleep(1)
        finally:
            history.over.set()
        for done in playing:
            done.result()
    with one.client() as http:
        log = read_log(http)
    assert len(history.hands) > 10
    history.check(log)
    # Each process has a mark of its own, and all of them are of this log.
    assert len(list((tmp_path / "data" / "signed").glob("*.mark"))) >= 3
    two.stop()
    one.stop()
    # Nobody's path is logged, and paths name hands.
    assert b"uvicorn.access" not in one.output.read_bytes()


def test_workers_end_with_their_supervisor(starting: Callable[..., Running], postgres_url: str) -> None:
    running = starting(workers=2, database_url=postgres_url)
    workers = workers_of(running)
    assert len(workers) == 2
    running.kill()
    end = time.monotonic() + 20
    while any("spawn_main" in _command(pid) for pid in workers):
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.parametrize("after", [0, 0.4, 1, 2])
def test_workers_end_with_a_supervisor_that_dies_while_they_start(
    tmp_path: Path, postgres_url: str, after: float
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    environment = {**os.environ, "FAIRDEAL_DATABASE_URL": postgres_url}
    process = loading(SERVE, [str(tmp_path / "data"), str(port), "2"], tmp_path / "output", environment)
    wait_until(lambda: len(children_of(process.pid)) == 2, 100)
    time.sleep(after)
    workers = children_of(process.pid)
    process.kill()
    process.wait()
    wait_until(lambda: not any("spawn_main" in _command(pid) for pid in workers), 60)


def test_a_parent_that_is_gone_already_ends_its_child() -> None:
    code = "from fairdeal_api.hardening import end_with_parent; end_with_parent(1 << 22); print('on')"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (1, "", "the process that started this one is gone\n")


def test_several_workers_are_refused_on_sqlite(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "data")
    with pytest.raises(StartupError, match="several workers need PostgreSQL"):
        prepare(settings, workers=2)
    with pytest.raises(StartupError, match="several workers need PostgreSQL"):
        run(settings, workers=2)
    assert not (tmp_path / "data").exists()


def test_two_services_expire_a_hand_once_and_agree_on_time(postgres_url: str, tmp_path: Path) -> None:
    clock, late = Clock(), Clock()
    late.tick(-HOUR)
    first = Settings(data=tmp_path / "a", origin="log.example/okey", database_url=postgres_url)
    with TestClient(create_app(first, clock)) as http:
        second_machine(first.data, tmp_path / "b")
        second = first.model_copy(update={"data": tmp_path / "b"})
        with TestClient(create_app(second, late)) as other:
            key = first.operator_key_path.read_text().strip()
            here, there = Game(http, key), Game(other, key)
            expiring = here.committed("a", lock_within=60)["hand"]
            # The other machine's clock is an hour slow; the log's time does not go back with it.
            assert there.committed("b")["committed_at"] == clock.now
            clock.tick(MINUTE)
            late.tick(HOUR + MINUTE)
            time.sleep(3)
            assert ok(there.get(f"/v1/hands/{expiring}"))["outcome"] == "expired"
            log = read_log(other)
            assert [entry.type for entry in log.parsed] == ["commit", "commit", "reveal"]
            assert read_log(http).entries == log.entries


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""

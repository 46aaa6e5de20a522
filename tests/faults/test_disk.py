"""A disk that fails or is full: nobody is told of what is not there, and the rest goes on or stops for good.

strace makes the calls fail, so the service and the database meet the errors where the kernel would give them.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest
from fairdeal_api.server import prepare
from fairdeal_api.settings import Settings

from tests.api.support import problem, wait_until
from tests.faults.conftest import ROUNDS, Scene
from tests.postgres import Cluster


def failing(path: Path, call: str, error: str, when: str) -> tuple[str, ...]:
    """A command under which calls on one file fail."""
    inject = f"inject={call}:error={error}:when={when}"
    return (
        "strace",
        "-f",
        "--seccomp-bpf",
        "-qq",
        "-o",
        "/dev/null",
        "-P",
        str(path),
        "-e",
        f"trace={call}",
        "-e",
        inject,
    )


def stop_traced(scene: Scene) -> None:
    """End the service under strace: strace passes no signal on, so its child gets it."""
    pid = scene.service.process.pid
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        os.kill(int(child), signal.SIGKILL)
    scene.service.process.wait(30)


def refused(scene: Scene) -> set[str]:
    """Codes of all refusals so far."""
    return {event["code"] for event in scene.history.events() if event["did"] == "refused"}


@pytest.mark.parametrize(
    ("file", "call", "error"),
    [
        ("fairdeal.db-wal", "fdatasync", "EIO"),
        ("fairdeal.db-wal", "pwrite64", "EIO"),
        ("signed/0.mark", "fdatasync", "EIO"),
        ("signed/0.mark", "pwrite64", "ENOSPC"),
    ],
)
def test_after_an_error_that_may_have_lost_data_nothing_more_is_written(
    scene: Scene, file: str, call: str, error: str
) -> None:
    data = scene.folder / "data"
    prepare(Settings(data=data))
    # Once only: were the call tried again, it would succeed, and tell a lie about what went before.
    scene.start(failing(data / file, call, error, "60"))
    with scene.crowd():
        scene.history.add("fault", what=f"{call} of {file}: {error}")
        wait_until(lambda: scene.history.count("refused") > 0, 90)
        before = scene.answers()
        time.sleep(1)
        assert scene.answers() <= before + 8
        with scene.service.client() as http:
            assert http.get("/healthz").status_code == 200
            assert http.get("/readyz").status_code == 503
            assert http.get("/checkpoint").status_code == 200
        stop_traced(scene)
        scene.start()
        scene.wait_for_answers(20)
    assert refused(scene) <= {"internal", "unavailable"}
    scene.check()


def test_a_full_disk_hands_out_nothing_and_goes_on_once_there_is_room(scene: Scene) -> None:
    data = scene.folder / "data"
    prepare(Settings(data=data))
    scene.start(failing(data / "fairdeal.db-wal", "pwrite64", "ENOSPC", "200..320"))
    with scene.crowd():
        wait_until(lambda: scene.history.count("refused") > 0, 90)
        # The same process goes on: the calls that fail are used up by its own repeats.
        scene.wait_for_answers(20)
    # Nothing was written, and that is what was said.
    assert refused(scene) == {"unavailable"}
    scene.check()
    stop_traced(scene)


@pytest.mark.parametrize(("call", "error"), [("fdatasync", "EIO"), ("pwrite64", "ENOSPC")])
def test_postgresql_on_a_failing_disk(scene: Scene, killed: Cluster, call: str, error: str) -> None:
    log = killed.folder / "log"
    scene.options = {"workers": 2, "database_url": killed.database()}
    scene.start()
    with scene.crowd():
        for _ in range(max(1, ROUNDS // 10)):
            scene.wait_for_answers(10)
            scene.history.add("fault", what=f"PostgreSQL's {call}: {error}")
            log.write_text("")
            inject = f"inject={call}:error={error}:when=20"
            pid = str(killed.process.pid)
            # The server's backends are its children, each attached to as it is forked or found.
            found = [pid, *Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
            command = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", inject]
            strace = subprocess.Popen(
                [*command, *(part for p in found for part in ("-p", p))], stderr=subprocess.DEVNULL
            )
            # A server that is back at once may leave nobody refused: what was under way is found in the log.
            wait_until(lambda: scene.history.count("refused") > 0 or "PANIC" in log.read_text(), 90)
            strace.send_signal(signal.SIGINT)
            strace.wait(30)
            if killed.process.poll() is not None:
                killed.start()
        scene.wait_for_answers(20)
    scene.check()


def test_a_stuck_writer_is_told_of_and_nothing_is_lost(scene: Scene) -> None:
    scene.start()
    blocker = sqlite3.connect(scene.folder / "data" / "fairdeal.db", isolation_level=None)
    with scene.crowd(players=2), scene.service.client() as http:
        scene.wait_for_answers(5)
        blocker.execute("BEGIN IMMEDIATE")
        scene.history.add("fault", what="another process holds the store's write lock")
        wait_until(lambda: scene.history.count("refused") > 0, 40)
        assert http.get("/healthz", timeout=2).status_code == 200
        assert http.get("/checkpoint", timeout=5).status_code == 200
        problem(
            http.post("/v1/hands", json={"table": "t"}, headers={"Authorization": "Bearer x"}),
            "unauthorized",
            401,
        )
        assert http.get("/readyz", timeout=30).status_code == 503
        blocker.execute("ROLLBACK")
        scene.wait_for_answers(10)
    blocker.close()
    assert refused(scene) == {"unavailable"}
    scene.check()

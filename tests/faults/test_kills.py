"""kill -9 of the service, of one of four workers, and of PostgreSQL, under load, in random moments."""

from __future__ import annotations

import os
import random
import signal
from contextlib import suppress
from pathlib import Path

from fairdeal_api.app import create_app
from fairdeal_api.service import open_service
from fairdeal_api.settings import Settings
from fastapi.testclient import TestClient

from tests.api.support import wait_until
from tests.api.test_shared import workers_of
from tests.faults.conftest import ROUNDS, Scene, pause
from tests.postgres import Cluster


def test_the_service_is_killed_under_load(scene: Scene, chance: random.Random) -> None:
    scene.start()
    with scene.crowd():
        for _ in range(ROUNDS):
            scene.wait_for_answers(chance.randrange(5, 40))
            pause(chance, 0, 0.2)
            scene.kill()
            scene.start()
        scene.wait_for_answers(20)
    scene.check()


def test_one_of_four_workers_is_killed_under_load(
    scene: Scene, chance: random.Random, killed: Cluster
) -> None:
    scene.options = {"workers": 4, "database_url": killed.database()}
    scene.start()
    with scene.crowd():
        for _ in range(ROUNDS):
            scene.wait_for_answers(chance.randrange(5, 30))
            pause(chance, 0, 0.2)
            # One that was killed a moment ago may be listed still.
            with suppress(ProcessLookupError):
                os.kill(victim := chance.choice(workers_of(scene.service)), signal.SIGKILL)
                scene.history.add("fault", what=f"worker {victim} killed")
        scene.wait_for_answers(20)
        assert scene.service.process.poll() is None
    scene.check()


def test_the_database_server_is_killed_under_load(
    scene: Scene, chance: random.Random, killed: Cluster
) -> None:
    scene.options = {"workers": 2, "database_url": killed.database()}
    scene.start()
    with scene.crowd():
        for _ in range(ROUNDS):
            scene.wait_for_answers(chance.randrange(5, 30))
            pause(chance, 0, 0.2)
            scene.history.add("fault", what="PostgreSQL killed")
            killed.kill()
            pause(chance, 0, 1)
            killed.start()
        scene.wait_for_answers(20)
    scene.check()


def test_a_start_goes_on_where_the_database_dies_in_the_middle_of_it(tmp_path: Path, killed: Cluster) -> None:
    service = open_service(Settings(data=tmp_path / "data", database_url=killed.database()))
    killed.kill()
    try:
        with TestClient(create_app(service=service)) as http:
            assert http.get("/readyz").status_code == 503
            killed.start()
            wait_until(lambda: http.get("/readyz").status_code == 200, 60)
    finally:
        if killed.process.poll() is not None:
            killed.start()

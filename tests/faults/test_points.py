"""A kill at each named point of the writer, on both databases."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.api.support import Running, begin, ready, wait_until
from tests.faults.conftest import ROUNDS, Scene
from tests.faults.entry import POINTS
from tests.postgres import Cluster

ROOT = Path(__file__).parents[2]


def start_trapped(scene: Scene, point: str, hits: int) -> Running:
    """Start the service with a trap at a point."""
    arguments = [
        str(scene.folder / "data"),
        str(scene.port),
        scene.options.get("database_url") or "-",
        point,
        str(hits),
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = begin(
        "from tests.faults.entry import main; main()", arguments, scene.folder / "output", environment
    )
    scene.running = Running(scene.folder / "data", scene.port, process, scene.folder / "output")
    wait_until(lambda: process.poll() is not None or ready(scene.service), 60)
    return scene.running


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_a_kill_at_each_point_of_the_writer(
    scene: Scene, database: str, request: pytest.FixtureRequest
) -> None:
    if database == "postgres":
        killed: Cluster = request.getfixturevalue("killed")
        scene.options = {"database_url": killed.database()}
    scene.start()
    scene.service.kill()
    rounds = max(1, ROUNDS // len(POINTS))
    start_trapped(scene, next(iter(POINTS)), 1)
    with scene.crowd(players=4):
        for round_ in range(rounds):
            for point in POINTS:
                # Dead by its own hand; each start that follows is the recovery of the one before.
                assert scene.service.process.wait(90) == -9, point
                scene.history.add("fault", what=f"killed where {POINTS[point]}")
                later = [*POINTS][([*POINTS].index(point) + 1) % len(POINTS)]
                start_trapped(scene, later, 2 + round_)
        scene.service.kill()
        scene.start()
        scene.wait_for_answers(10)
    assert scene.history.count("fault") == rounds * len(POINTS)
    scene.check()

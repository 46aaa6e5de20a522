"""Readiness turns red before damage, says why, and turns green again."""

from __future__ import annotations

import asyncio
import shutil
import threading
import time
from typing import Any, NamedTuple

import pytest
from fairdeal_api import store, watch
from fairdeal_api.bulk import fetch
from fairdeal_api.ledger import Ledger
from fairdeal_api.metrics import Stored
from fairdeal_api.service import Service
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests import coroutines
from tests.api.support import HOUR, Clock, Game, ok, problem


class Usage(NamedTuple):
    total: int
    used: int
    free: int


def becomes(http: TestClient, expected: list[str]) -> bool:
    """Whether readiness comes to say this: a look that is under way already may still say what was before."""
    for _ in range(100):
        if failing(http) == expected:
            return True
        time.sleep(0.05)
    return False


def failing(http: TestClient) -> list[str]:
    answer = http.get("/readyz")
    if answer.status_code == 200:
        assert answer.json() == {"status": "ready"}
        return []
    found: list[str] = problem(answer, "unavailable", 503)["failing"]
    assert http.get("/healthz").status_code == 200
    return found


def test_a_fit_service_is_ready(http: TestClient) -> None:
    assert becomes(http, [])
    assert "fairdeal_ready 1.0" in http.get("/metrics").text


def test_a_disk_almost_full(http: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1 << 40, 0, (512 << 20) - 1))
    assert becomes(http, ["disk"])
    assert "fairdeal_ready 0.0" in http.get("/metrics").text
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1 << 40, 0, 512 << 20))
    assert becomes(http, [])
    monkeypatch.setattr(shutil, "disk_usage", lambda _: (_ for _ in ()).throw(OSError()))
    assert becomes(http, [])


def test_a_clock_behind_the_log(http: TestClient, game: Game, clock: Clock) -> None:
    clock.tick(HOUR)
    hand = game.committed()
    clock.tick(-HOUR)
    assert becomes(http, ["clock"])
    # Nothing is wrong in the log all the same: its times never go backwards.
    assert game.committed("b")["committed_at"] == hand["committed_at"]
    clock.tick(HOUR - watch.CLOCK_TOLERANCE)
    assert becomes(http, [])


def test_a_stuck_writer_is_seen_and_probes_do_not_pile_up(
    app: FastAPI, http: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "PROBE_TIME", 0.2)
    ledger: Any = app.state.service.ledger
    free, settle = threading.Event(), ledger._settle

    def stuck(acts: list[Any]) -> Any:
        free.wait(30)
        return settle(acts)

    monkeypatch.setattr(ledger, "_settle", stuck)
    for _ in range(4):
        assert becomes(http, ["writer"])
    # The probe that waits, what looks for overdue hands once a second, and what tells the loaded keys.
    assert ledger.waiting <= 3
    free.set()
    assert becomes(http, [])


def test_a_ledger_that_stopped_for_good(
    http: TestClient, game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Ledger, "broken", "flipped")
    assert becomes(http, ["writer"])
    problem(game.commit(), "unavailable", 503)


def test_a_store_that_cannot_be_read(app: FastAPI, http: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(store, "head", fail)
    assert becomes(http, ["store"])


def test_a_store_that_another_release_has_migrated(app: FastAPI, http: TestClient) -> None:
    service: Service = app.state.service

    def stamp(revision: str) -> str:
        with service.writer.begin() as connection:
            ((before,),) = fetch(connection, "SELECT version_num FROM alembic_version")
            connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{revision}'")
        return str(before)

    own = stamp("9999")
    assert becomes(http, ["store"])
    stamp(own)
    assert becomes(http, [])


def test_the_service_watches_itself(app: FastAPI, http: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without anyone asking, what is wrong reaches the metrics within a look or two."""
    service: Service = app.state.service
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(1, 1, 0))

    async def later() -> None:
        for _ in range(100):
            if b"fairdeal_ready 0.0" in service.metrics.text(Stored(0, 0)):
                return
            await asyncio.sleep(0.1)
        raise AssertionError

    coroutines.run(later())


def test_operations_are_answered_while_all_lanes_are_full(app: FastAPI, http: TestClient, game: Game) -> None:
    gate: Any = app.state.service.gate
    gate._lanes[""].under_way = 10_000
    assert ok(http.get("/healthz")) == {"status": "ok"}
    assert becomes(http, [])
    assert http.get("/metrics").status_code == 200
    gate._lanes[""].under_way = 0

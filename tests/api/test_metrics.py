"""/metrics: what it counts, and that several workers' numbers are added up."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from fairdeal_api.metrics import Metrics, Stored, forget_dead_workers, share_between_workers
from fastapi.testclient import TestClient
from prometheus_client.parser import text_string_to_metric_families

from tests.api.support import HOUR, START, Clock, Game, Running, wait_until

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def samples(text: str) -> Samples:
    return {
        (s.name, tuple(sorted(s.labels.items()))): s.value
        for family in text_string_to_metric_families(text)
        for s in family.samples
    }


def test_hands_entries_requests_and_checkpoint_are_counted(
    http: TestClient, game: Game, other: Game, clock: Clock
) -> None:
    game.played()
    game.void(game.committed("b")["hand"], "technical")
    game.committed("c")
    locked = game.committed("d")["hand"]
    game.dealt(locked, reveal_within=7200)
    other.committed()
    clock.tick(HOUR)
    found = samples(http.get("/metrics").text)
    assert found["fairdeal_open_hands", (("state", "committed"),)] == 2
    assert found["fairdeal_open_hands", (("state", "locked"),)] == 1
    assert found["fairdeal_overdue_hands", ()] == 2
    assert found["fairdeal_log_entries", ()] == 9
    assert found["fairdeal_checkpoint_timestamp_seconds", ()] == START / 1000
    assert found["fairdeal_entries_total", (("outcome", ""), ("type", "commit"))] == 5
    assert found["fairdeal_entries_total", (("outcome", "void"), ("type", "reveal"))] == 1
    for outcome, count in (("played", 1), ("void", 1)):
        labels = (("operator", "operator"), ("outcome", outcome))
        assert found["fairdeal_hands_ended_total", labels] == count
    request = (("method", "POST"), ("route", "/v1/hands"), ("status", "201"))
    assert found["fairdeal_http_requests_total", request] == 5
    assert found["fairdeal_http_request_seconds_count", (("route", "/v1/hands/{hand}/deal"),)] == 2
    assert found["fairdeal_group_entries_sum", ()] == 9
    assert found["fairdeal_transaction_seconds_count", ()] >= 8


def test_expired_hands_are_counted_for_their_operator(http: TestClient, other: Game, clock: Clock) -> None:
    hand = other.committed()["hand"]
    clock.tick(HOUR)
    assert other.deal(hand).status_code == 409
    found = samples(http.get("/metrics").text)
    assert found["fairdeal_hands_ended_total", (("operator", "other"), ("outcome", "expired"))] == 1


def test_no_label_is_made_by_a_client(http: TestClient, game: Game) -> None:
    hand = game.committed("a-table-name")["hand"]
    game.get(f"/v1/hands/{hand}")
    http.request("BREW", "/coffee/pot")
    http.get("/verify-assets/nothing/at-all")
    text = http.get("/metrics").text
    for own in (hand, "a-table-name", "BREW", "coffee", "at-all", game.key):
        assert own not in text
    assert 'method="other",route="none"' in text


_WORKER = """
import sys
from fairdeal_api.metrics import Metrics, forget_dead_workers
forget_dead_workers()
metrics = Metrics()
metrics.request("GET", "/healthz", 200, 0.01)
metrics.transaction(2, [("reveal", "void", "a"), ("commit", "", "a")], 0.01)
metrics.watched(3, 4, ready=True, disk_free=10)
print("done", flush=True)
sys.stdin.readline()
"""


def test_workers_are_added_up_and_the_dead_ones_gauges_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    share_between_workers()
    assert os.environ["PROMETHEUS_MULTIPROC_DIR"] == str(tmp_path)
    command = [sys.executable, "-c", _WORKER]
    workers = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(3)]
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == b"done\n"
    dead, *alive = workers
    dead.kill()
    dead.communicate()
    forget_dead_workers()
    found = samples(Metrics().text(Stored(7, 5000)).decode())
    for worker in alive:
        worker.communicate(b"\n")
    # What a dead worker has counted stays counted; what it was busy with does not.
    labels = (("method", "GET"), ("route", "/healthz"), ("status", "200"))
    assert found["fairdeal_http_requests_total", labels] == 3
    assert found["fairdeal_hands_ended_total", (("operator", "a"), ("outcome", "void"))] == 3
    assert found["fairdeal_group_entries_sum", ()] == 6
    assert found["fairdeal_waiting_requests", (("where", "lane"),)] == 6
    assert found["fairdeal_ready", ()] == 1
    assert found["fairdeal_disk_free_bytes", ()] == 10
    assert found["fairdeal_log_entries", ()] == 7
    assert found["fairdeal_checkpoint_timestamp_seconds", ()] == 5


def test_one_process_shares_with_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    # Set first, so that what the call below sets is undone after the test.
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", "")
    forget_dead_workers()
    share_between_workers()
    folder = Path(os.environ["PROMETHEUS_MULTIPROC_DIR"])
    assert folder.is_dir()
    folder.rmdir()


def test_any_worker_answers_for_all(starting: Callable[..., Running], postgres_url: str) -> None:
    running = starting(workers=2, database_url=postgres_url)

    def both_ready() -> bool:
        with running.client() as http:
            return samples(http.get("/metrics").text)["fairdeal_ready", ()] == 1

    # One worker answers before the other has looked around.
    wait_until(both_ready, 60)
    # A connection each, so that both workers get some; which of them answers does not matter.
    for _ in range(12):
        with running.client() as http:
            Game(http, running.key).committed()
    texts = []
    for _ in range(6):
        with running.client() as http:
            texts.append(samples(http.get("/metrics").text))
    request = (("method", "POST"), ("route", "/v1/hands"), ("status", "201"))
    assert [found["fairdeal_http_requests_total", request] for found in texts] == [12] * 6
    assert [found["fairdeal_log_entries", ()] for found in texts] == [12] * 6
    running.stop()

"""SIGTERM under load: what was accepted is finished and answered, and the log holds every answer given."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest

from tests.api.support import Game, Running, client, read_log

STORES = ("sqlite",)


def play(running: Running, table: str, answered: list[str], cut: list[str]) -> None:
    """Commits until the service goes away; requests that got half an answer, or none after being taken."""
    with client(running.url, 40) as http:
        game = Game(http, running.key)
        while True:
            try:
                answer = game.commit(table)
            except httpx2.ConnectError:
                return
            except (httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError):
                # An idle connection that was closed just as a request went out: nobody has taken it.
                cut.append(table)
                return
            assert answer.status_code == 201, answer.text
            answered.append(answer.json()["hand"])


@pytest.mark.parametrize("workers", [1, 3])
def test_a_stop_under_load_loses_no_answer(
    starting: Callable[..., Running], workers: int, request: pytest.FixtureRequest
) -> None:
    options: dict[str, Any] = {}
    if workers > 1:
        options = {"workers": workers, "database_url": request.getfixturevalue("postgres_url")}
    running = starting(**options)
    answered: list[str] = []
    cut: list[str] = []
    with ThreadPoolExecutor(16) as pool:
        players = [pool.submit(play, running, f"t{k}", answered, cut) for k in range(16)]
        while len(answered) < 50:
            time.sleep(0.05)
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(40) == 0
        for player in players:
            player.result(60)
    running = starting(**options)
    with running.client() as http:
        logged = {entry.hand.hex() for entry in read_log(http).parsed}
        assert set(answered) <= logged
        # What was taken was answered: at most the requests on connections being closed are in doubt.
        assert len(logged) - len(answered) <= len(cut)
    running.stop()


def test_a_request_under_way_is_finished(starting: Callable[..., Running]) -> None:
    """A large batch is on its way through the writer when SIGTERM comes."""
    running = starting()
    found: list[int] = []

    def batch() -> None:
        with running.client() as http:
            body = {"hands": [{"table": f"t{k}"} for k in range(1000)]}
            answer = Game(http, running.key).call("POST", "/v1/hands/batch", body)
            found.extend([answer.status_code, len(answer.json()["hands"])])

    thread = threading.Thread(target=batch)
    thread.start()
    time.sleep(0.15)
    running.process.send_signal(signal.SIGTERM)
    thread.join(60)
    assert running.process.wait(40) == 0
    assert found == [201, 1000]

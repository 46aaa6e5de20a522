"""Connections cut between request and answer, and a clock that steps back and forth."""

from __future__ import annotations

import json
import random
import secrets
import socket
import struct
import threading
import time
from pathlib import Path

import pytest
from fairdeal_api.app import create_app
from fairdeal_api.server import serving
from fairdeal_api.settings import Settings
from fastapi.testclient import TestClient

from fairdeal.entries import Commit
from tests.api.support import HOUR, MINUTE, START, Clock, Game, client, ok, read_log
from tests.faults.conftest import ROUNDS
from tests.postgres import Cluster


@pytest.fixture(params=["sqlite", "postgres"])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    if request.param == "sqlite":
        return Settings(data=tmp_path / "data", origin="log.example/okey")
    killed: Cluster = request.getfixturevalue("killed")
    return Settings(data=tmp_path / "data", origin="log.example/okey", database_url=killed.database())


def send_and_cut(port: int, request: bytes, upto: int, reset: bool) -> None:
    """Send a part of a request, or all of it, and be gone before the answer."""
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(request[:upto])
        if reset:
            # Closed with a reset instead of an orderly end.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def test_a_connection_cut_between_request_and_answer(settings: Settings, chance: random.Random) -> None:
    keys = [secrets.token_hex(8) for _ in range(10 * ROUNDS)]
    with serving(settings) as url, client(url) as http:
        port = int(url.rpartition(":")[2])
        game = Game(http, settings.operator_key_path.read_text().strip())
        whole = []
        for key in keys:
            body = json.dumps({"table": "cut"})
            request = (
                f"POST /v1/hands HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {game.key}\r\n"
                f"Idempotency-Key: {key}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
            ).encode()
            most = len(request)
            upto = chance.choice([most, most, most - 1, chance.randrange(most)])
            whole += [key] if upto == most else []
            send_and_cut(port, request, upto, reset=chance.random() < 0.5)
        # Whatever had become of them: repeated with its key, each has one hand.
        hands = {key: game.call("POST", "/v1/hands", {"table": "cut"}, Idempotency_Key=key) for key in keys}
        assert all(answer.status_code in (200, 201) for answer in hands.values())
        log = read_log(http)
        assert len({answer.json()["hand"] for answer in hands.values()}) == len(keys)
        numbers = [entry.number for entry in log.parsed if isinstance(entry, Commit)]
        assert numbers == [*range(1, len(keys) + 1)]
        # What never came whole was not done before.
        assert all(hands[key].status_code == 201 for key in keys if key not in whole)


def test_a_clock_that_steps_back_and_forth(settings: Settings, chance: random.Random) -> None:
    clock, over = Clock(), threading.Event()
    latest = START
    with TestClient(create_app(settings, clock), raise_server_exceptions=False) as http:
        game = Game(http, settings.operator_key_path.read_text().strip())

        def shake() -> None:
            nonlocal latest
            while not over.wait(0.01):
                clock.now = START + chance.randrange(-HOUR, 3 * HOUR)
                latest = max(latest, clock.now)

        shaking = threading.Thread(target=shake)
        shaking.start()
        try:
            played = ended = 0
            until = time.monotonic() + 120
            while played + ended < 6 * ROUNDS and time.monotonic() < until:
                hand = game.committed(f"t{played}", seats=(1,))
                dealt = game.deal(hand["hand"])
                revealed = game.reveal(hand["hand"]) if dealt.status_code == 200 else dealt
                # A step forward may end any hand on the way; then it says so, and the log has it.
                if revealed.status_code != 200:
                    assert revealed.json()["code"] == "ended", revealed.text
                    assert revealed.json()["outcome"] == "expired"
                    ended += 1
                else:
                    played += 1
                document = ok(game.get(f"/v1/hands/{hand['hand']}"))
                times = [document[name] for name in ("committed_at", "locked_at", "revealed_at")]
                known = [at for at in times if at is not None]
                assert known == sorted(known)
                assert document["lock_by"] - document["committed_at"] == HOUR >= MINUTE
        finally:
            over.set()
            shaking.join()
        log = read_log(http)
        times = [entry.at for entry in log.parsed]
        assert times == sorted(times)
        assert times[-1] <= latest
        assert played + ended > 0

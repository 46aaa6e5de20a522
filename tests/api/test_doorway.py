"""Bodies too large, and clients too slow to send or to read: each cut off, none of them held in memory."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fairdeal_api import protocol, wire
from fairdeal_api.server import prepare, serving
from fairdeal_api.settings import Settings
from fastapi.testclient import TestClient

from tests.api.support import Game, ok, problem

STORES = ("sqlite",)

TIME = 1.0


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int, str]]:
    """A real server with little patience: host, port, operator key."""
    monkeypatch.setattr(protocol, "HEAD_TIME", TIME)
    monkeypatch.setattr(protocol, "READ_TIME", TIME)
    monkeypatch.setattr(wire, "BODY_TIME", TIME)
    settings = Settings(data=tmp_path / "data")
    key = prepare(settings).operator_key_file.read_text().strip()
    with serving(settings) as url:
        host, _, port = url.removeprefix("http://").partition(":")
        yield host, int(port), key


def head(key: str, length: int, path: str = "/v1/hands") -> bytes:
    return (
        f"POST {path} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


def everything(connection: socket.socket) -> bytes:
    """What comes until the other side closes."""
    connection.settimeout(20)
    found = b""
    try:
        while part := connection.recv(65536):
            found += part
    except ConnectionResetError:
        pass
    return found


def drip(connection: socket.socket) -> None:
    """A head in drops that would take half a minute."""
    for letter in b"GET /healthz HTTP/1.1\r\nA: " + b"b" * 600:
        connection.sendall(bytes([letter]))
        time.sleep(0.05)


@pytest.mark.parametrize("sent", [b"", b"GET /healthz HT", b"\r\n\r\n", b"GET /healthz HTTP/1.1\r\nA: b\r\n"])
def test_a_head_that_does_not_come_ends_the_connection(address: tuple[str, int, str], sent: bytes) -> None:
    began = time.monotonic()
    with socket.create_connection(address[:2]) as connection:
        connection.sendall(sent)
        assert everything(connection) == b""
    assert TIME * 0.9 < time.monotonic() - began < TIME + 8


def test_a_head_in_drops_ends_the_connection_too(address: tuple[str, int, str]) -> None:
    began = time.monotonic()
    with socket.create_connection(address[:2]) as connection:
        # A second request on a connection that has been good so far.
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n")
        assert connection.recv(4096).startswith(b"HTTP/1.1 200")
        with pytest.raises(OSError):
            drip(connection)
    assert time.monotonic() - began < TIME + 8


def test_a_body_that_does_not_come_is_answered_and_ended(address: tuple[str, int, str]) -> None:
    with socket.create_connection(address[:2]) as connection:
        connection.sendall(head(address[2], 100) + b'{"table"')
        answer = everything(connection)
    assert answer.startswith(b"HTTP/1.1 408")
    assert b'"code": "too_slow"' in answer


def test_an_answer_that_is_not_read_ends_the_connection(address: tuple[str, int, str]) -> None:
    host, port, key = address
    batch = json.dumps({"hands": [{"table": "t"}] * 1000}).encode()
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect((host, port))
        # More than the kernel's own buffers take: a few megabytes for each.
        connection.sendall((head(key, len(batch), "/v1/hands/batch") + batch) * 6)
        time.sleep(TIME + 8)
        found = everything(connection)
    assert found.count(b"HTTP/1.1 201") < 6
    with socket.create_connection((host, port)) as connection:
        # The operator's lane is not held by one who does not read.
        connection.sendall(head(key, 13) + b'{"table":"t"}')
        assert connection.recv(65536).startswith(b"HTTP/1.1 201")


def test_a_body_too_large_is_refused_from_its_head(address: tuple[str, int, str]) -> None:
    for path, length in (("/v1/hands", wire.LARGEST_BODY + 1), ("/v1/hands/batch", wire.LARGEST_BATCH + 1)):
        with socket.create_connection(address[:2]) as connection:
            connection.sendall(head(address[2], length, path))
            answer = everything(connection)
        assert answer.startswith(b"HTTP/1.1 413")
        assert b"connection: close" in answer.lower()


def test_a_body_in_chunks_is_measured_as_it_comes(game: Game) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(70):
            yield b" " * 1024

    assert isinstance(game.http, TestClient)
    headers = {"Authorization": f"Bearer {game.key}", "Content-Type": "application/json"}
    answer = game.http.post("/v1/hands", content=chunks(), headers=headers)
    problem(answer, "too_large", 413)
    small = game.http.post("/v1/hands", content=iter([b'{"table":', b'"t"}']), headers=headers)
    ok(small, 201)


def test_connections_are_bounded(address: tuple[str, int, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "_MOST", 3)
    held = [socket.create_connection(address[:2]) for _ in range(3)]
    time.sleep(0.2)
    with socket.create_connection(address[:2]) as one_more:
        assert everything(one_more) == b""
    for connection in held:
        connection.close()
    assert 16 <= protocol.most_connections() <= protocol.MOST_CONNECTIONS

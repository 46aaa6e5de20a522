"""A lean load generator in a process of its own: raw HTTP/1.1 on an asyncio protocol, a JSON line at the end.

    python bench/service_load.py PORT KEYFILE MODE --connections 64 --seconds 5

MODE is ``commit`` (single hands), ``hand`` (commit once, then deal and reveal with ``next``), ``batch``
(hands by the hundred) or ``client`` (as ``hand``, through the typed client). Raw answers are not parsed as
JSON: the few bytes that are needed of them are cut out, so that what is measured is the service and not this.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Generator
from pathlib import Path

import uvloop
from service_client import play

BATCH = 100
"""Hands in one request of the ``batch`` mode."""

Step = Generator[tuple[str, bytes], bytes, None]


def commits(name: str, seals: int) -> Step:
    """Single hands, one after another, on the connection's own table."""
    n = 0
    while True:
        yield "commit", post("/v1/hands", f'{{"table":"{name}"{seal_text(name, n, seals)}}}')
        n += 1


def batches(name: str) -> Step:
    """Hands by the hundred."""
    body = json.dumps({"hands": [{"table": f"{name}.{k}"} for k in range(BATCH)]})
    while True:
        yield "batch", post("/v1/hands/batch", body)


def whole_hands(name: str) -> Step:
    """Hands from commit to reveal; each reveal commits the next one."""
    answer = yield "commit", post("/v1/hands", f'{{"table":"{name}"}}')
    hand = answer[answer.index(b'{"hand":"') + 9 :][:32]
    while True:
        path = f"/v1/hands/{hand.decode()}"
        yield "deal", post(f"{path}/deal", "{}")
        answer = yield "reveal", post(f"{path}/reveal", '{"next":{}}')
        hand = answer[answer.rindex(b'"next":{"hand":"') + 16 :][:32]


def seal_text(name: str, n: int, seals: int) -> str:
    """Seals that no other request has; who opens them is of no account here."""
    if not seals:
        return ""
    unique = f"{name}-{n}".encode().hex()[-60:].rjust(60, "0")
    items = ",".join(f'{{"seat":{k},"seal":"{k:04x}{unique}"}}' for k in range(seals))
    return f',"seals":[{items}]'


def post(path: str, body: str) -> bytes:
    """Request line, the one header that differs, and the body; the connection puts the fixed headers in."""
    return f"POST {path} HTTP/1.1\r\nContent-Length: {len(body)}\r\n@\r\n{body}".encode()


class Connection(asyncio.Protocol):
    """One connection: sends a step, waits for the whole answer, sends the next."""

    def __init__(self, steps: Step, headers: bytes, until: float, tally: dict[str, list[float]]) -> None:
        self.steps, self.headers, self.until, self.tally = steps, headers, until, tally
        self.buffer, self.wanted, self.kind, self.began = bytearray(), 0, "", 0.0
        self.failed: bytes = b""
        self.done = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the first request."""
        self.transport: asyncio.Transport = transport  # type: ignore[assignment]  # a TCP connection's is one
        self._send(next(self.steps))

    def data_received(self, data: bytes) -> None:
        """Collect an answer; once it is whole, go on."""
        self.buffer += data
        if not self.wanted:
            head = self.buffer.find(b"\r\n\r\n")
            if head < 0:
                return
            place = self.buffer.index(b"ontent-length: ") if b"content-l" in self.buffer[:head] else -1
            place = place if place >= 0 else self.buffer.index(b"ontent-Length: ")
            self.wanted = head + 4 + int(self.buffer[place + 15 : self.buffer.index(b"\r", place)])
        if len(self.buffer) < self.wanted:
            return
        now, answer = time.perf_counter(), bytes(self.buffer)
        self.buffer.clear()
        self.wanted = 0
        if answer[9:11] != b"20":
            self.failed = answer
            self.transport.close()
            return
        if now >= self.until:
            self.transport.close()
            return
        self.tally.setdefault(self.kind, []).append(now - self.began)
        self._send(self.steps.send(answer))

    def connection_lost(self, _: Exception | None) -> None:
        """Over."""
        if not self.done.done():
            self.done.set_result(None)

    def _send(self, step: tuple[str, bytes]) -> None:
        self.kind, request = step
        self.began = time.perf_counter()
        self.transport.write(request.replace(b"@\r\n", self.headers, 1))


async def load(port: int, key: str, options: argparse.Namespace) -> dict[str, object]:
    """Run the load; gives counts by kind of request, latencies in milliseconds, and what failed."""
    if options.mode == "client":
        # Through the typed client a failure is an exception: it ends the bench in its own words.
        return told(options.seconds, await play(port, key, options.connections, options.seconds), [])
    loop = asyncio.get_running_loop()
    headers = f"Host: x\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n\r\n".encode()
    tally: dict[str, list[float]] = {}
    began = time.perf_counter()
    mark = f"{time.time_ns():x}"
    connections = []
    for k in range(options.connections):
        name = f"{mark}.{k}"
        steps = {
            "commit": lambda name=name: commits(name, options.seals),
            "hand": lambda name=name: whole_hands(name),
            "batch": lambda name=name: batches(name),
        }[options.mode]()
        until = began + options.seconds

        def make(steps: Step = steps, until: float = until) -> Connection:
            return Connection(steps, headers, until, tally)

        connections.append((await loop.create_connection(make, "127.0.0.1", port))[1])
    await asyncio.gather(*(connection.done for connection in connections))
    failed = [c.failed[:300].decode("latin-1") for c in connections if c.failed]
    return told(options.seconds, tally, failed)


def told(seconds: float, tally: dict[str, list[float]], failed: list[str]) -> dict[str, object]:
    """What a load prints."""
    return {
        "seconds": seconds,
        "counts": {kind: len(found) for kind, found in tally.items()},
        "milliseconds": {kind: percentiles(found) for kind, found in tally.items()},
        "failed": failed[:2],
    }


def percentiles(seconds: list[float]) -> dict[str, float]:
    """p50, p90, p99 and the longest, in milliseconds."""
    ordered = sorted(seconds)
    at = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "max": 1.0}
    return {
        name: round(1000 * ordered[min(len(ordered) - 1, int(part * len(ordered)))], 2)
        for name, part in at.items()
    }


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("key", type=Path)
    parser.add_argument("mode", choices=["commit", "hand", "batch", "client"])
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--seals", type=int, default=0)
    options = parser.parse_args()
    key = options.key.read_text().strip()
    print(json.dumps(uvloop.run(load(options.port, key, options))))


if __name__ == "__main__":
    main()

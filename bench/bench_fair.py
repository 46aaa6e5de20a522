"""Fairness: one operator's latencies alone, and while another saturates 64 connections.

    python bench/bench_fair.py [--seconds 8] [--rounds 3]

A service with durable settings runs in a process of its own on an embedded database. The quiet operator
commits from two connections, one request after another with a short pause; the loud one keeps 64 connections
busy. Each round measures the quiet one alone, then under that load, so that both see the same machine. The
aim: its p99 under load is at most 3 times its p99 alone, and it gets no 429 and no 503.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

AIM = 3.0
LOUD, QUIET = 64, 2
PAUSE = 0.01

_SERVE = """
import sys
from pathlib import Path
from fairdeal_api import operators
from fairdeal_api.server import prepare, run
from fairdeal_api.settings import Settings
settings = Settings(data=Path(sys.argv[1]))
prepare(settings)
Path(sys.argv[1], "loud.key").write_text(operators.add(settings, "loud"))
run(settings, "127.0.0.1", int(sys.argv[2]))
"""


@dataclass
class Heard:
    """Seconds of each answer, and answers by status."""

    seconds: list[float] = field(default_factory=list)
    statuses: dict[int, int] = field(default_factory=dict)

    def at(self, part: float) -> float:
        """A percentile in milliseconds."""
        ordered = sorted(self.seconds)
        return 1000 * ordered[min(len(ordered) - 1, int(part * len(ordered)))]


async def commit(port: int, key: str, table: str, *, until: float, pause: float, heard: Heard) -> None:
    """One connection: commits, one after another, until a time. Raw, so that the client costs little."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    body = json.dumps({"table": table}).encode()
    head = (
        f"POST /v1/hands HTTP/1.1\r\nHost: service\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()
    while time.perf_counter() < until:
        began = time.perf_counter()
        writer.write(head + body)
        answer = await reader.readuntil(b"\r\n\r\n")
        status = int(answer[9:12])
        length = answer.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0]
        await reader.readexactly(int(length))
        heard.seconds.append(time.perf_counter() - began)
        heard.statuses[status] = heard.statuses.get(status, 0) + 1
        if pause:
            await asyncio.sleep(pause)
    writer.close()


def load(port: int, key: str, seconds: float) -> None:
    """The loud operator, in a process of its own; prints its rate."""

    async def all_at_once() -> Heard:
        heard, until = Heard(), time.perf_counter() + seconds
        await asyncio.gather(
            *(commit(port, key, f"loud:{k}", until=until, pause=0, heard=heard) for k in range(LOUD))
        )
        return heard

    heard = asyncio.run(all_at_once())
    print(
        json.dumps({"rate": len(heard.seconds) / seconds, "statuses": heard.statuses, "p99": heard.at(0.99)})
    )


async def quiet(port: int, key: str, seconds: float) -> Heard:
    """The quiet operator's latencies."""
    heard, until = Heard(), time.perf_counter() + seconds
    await asyncio.gather(
        *(commit(port, key, f"quiet:{k}", until=until, pause=PAUSE, heard=heard) for k in range(QUIET))
    )
    return heard


def round_of(port: int, folder: Path, seconds: float) -> tuple[Heard, Heard, dict[str, object]]:
    """Alone, then under load."""
    key = (folder / "operator.key").read_text().strip()
    asyncio.run(quiet(port, key, 1.0))
    alone = asyncio.run(quiet(port, key, seconds))
    command = [sys.executable, __file__, "--load", str(port), str(folder / "loud.key"), str(seconds + 2)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as loud:
        time.sleep(1.5)
        under = asyncio.run(quiet(port, key, seconds))
        said = loud.communicate()[0]
    return alone, under, json.loads(said)


def main() -> int:
    """Measure and print; 1 where the aim is missed in the median round."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--load", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.load:
        load(int(options.load[0]), Path(options.load[1]).read_text().strip(), float(options.load[2]))
        return 0
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    ratios = []
    refused = 0
    with tempfile.TemporaryDirectory(prefix="fairdeal-fair-") as name:
        folder = Path(name, "data")
        with subprocess.Popen(
            [sys.executable, "-c", _SERVE, str(folder), str(port)], stderr=subprocess.DEVNULL
        ) as service:
            try:
                wait_for(port)
                for k in range(options.rounds):
                    alone, under, loud = round_of(port, folder, options.seconds)
                    ratio = under.at(0.99) / alone.at(0.99)
                    ratios.append(ratio)
                    refused += sum(n for status, n in under.statuses.items() if status in (429, 503))
                    print(
                        f"round {k + 1}: alone p50 {alone.at(0.5):.1f} p99 {alone.at(0.99):.1f} ms;"
                        f" under load p50 {under.at(0.5):.1f} p99 {under.at(0.99):.1f} ms ({ratio:.2f}x),"
                        f" answers {under.statuses}; the loud one: {loud};"
                        f" load average {os.getloadavg()[0]:.1f}"
                    )
            finally:
                service.send_signal(signal.SIGTERM)
    middle = statistics.median(ratios)
    print(f"p99 under load / alone: {middle:.2f} (aim: at most {AIM}); 429 and 503: {refused}")
    return 0 if middle <= AIM and not refused else 1


def wait_for(port: int) -> None:
    """Until the service listens."""
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port), 0.2).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise SystemExit("the service did not start")


if __name__ == "__main__":
    sys.exit(main())

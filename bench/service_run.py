"""What bench_service.py runs: servers in processes of their own, loads on them, and their fsync calls."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent

_SERVE = """
import sys
from pathlib import Path
from fairdeal_api.server import run
from fairdeal_api.settings import Settings
run(Settings(data=Path(sys.argv[1]), database_url=sys.argv[3] or None), "127.0.0.1", int(sys.argv[2]))
"""


@dataclass(frozen=True)
class Server:
    """A server under test."""

    port: int
    key: Path
    pid: int


@contextmanager
def fairdeal(data: Path, url: str | None = None) -> Iterator[Server]:
    """The service on a data folder."""
    with serving(["-c", _SERVE, str(data)], url or "") as (port, pid):
        yield Server(port, data / "operator.key", pid)


@contextmanager
def bare(folder: Path) -> Iterator[Server]:
    """The bare endpoint."""
    key = folder / "no.key"
    key.write_text("none")
    with serving([str(HERE / "service_bare.py")]) as (port, pid):
        yield Server(port, key, pid)


@contextmanager
def serving(command: list[str], *more: str) -> Iterator[tuple[int, int]]:
    """A process that listens on a port given as its next argument; stopped in order at the end."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    full = [sys.executable, *command, str(port), *more]
    with subprocess.Popen(full, stderr=subprocess.DEVNULL) as process:
        try:
            end = time.monotonic() + 120
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except OSError:
                    if process.poll() is not None or time.monotonic() > end:
                        raise SystemExit("a server did not start") from None
                    time.sleep(0.05)
            yield port, process.pid
        finally:
            process.send_signal(signal.SIGTERM)


@contextmanager
def postgres_url() -> Iterator[str]:
    """The address of a database on a server of the bench's own."""
    sys.path.insert(0, str(HERE.parent))
    from tests.postgres import cluster  # noqa: PLC0415  only where it is asked for

    with cluster() as made:
        yield made.database()


@dataclass
class Bench:
    """Rounds of loads, and what came out of them by name."""

    seconds: float
    rounds: int
    milliseconds: dict[str, dict[str, list[dict[str, float]]]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    processor: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """Microseconds of the server's processor time for each hand, by name: neighbours change it little."""

    def load(
        self,
        server: Server,
        mode: str,
        *,
        connections: int = 64,
        seals: int = 0,
        name: str = "",
        seconds: float = 0,
    ) -> float:
        """One load; gives hands a second."""
        spent = seconds or self.seconds
        command = [sys.executable, str(HERE / "service_load.py"), str(server.port), str(server.key), mode]
        command += ["--connections", str(connections), "--seconds", str(spent), "--seals", str(seals)]
        before = processor_time(server.pid)
        said = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        if said["failed"]:
            raise SystemExit(f"{mode} failed: {said['failed']}")
        self.counts = said["counts"]
        kept = self.milliseconds.setdefault(name or mode, defaultdict(list))
        for kind, found in said["milliseconds"].items():
            kept[kind].append(found)
        done = {"commit": "commit", "batch": "batch"}.get(mode, "reveal")
        hands = self.counts.get(done, 0) * (100 if mode == "batch" else 1)
        self.processor[name or mode].append(1e6 * (processor_time(server.pid) - before) / max(1, hands))
        return hands / spent

    def alternate(self, kinds: dict[str, tuple[Server, str, int]]) -> dict[str, list[float]]:
        """Rates of each kind in alternating rounds, after a short one that warms everything up."""
        rates: dict[str, list[float]] = {name: [] for name in kinds}
        for server, mode, seals in kinds.values():
            self.load(server, mode, seals=seals, name="warming", seconds=1.0)
        for _ in range(self.rounds):
            for name, (server, mode, seals) in kinds.items():
                rates[name].append(self.load(server, mode, seals=seals, name=name))
        return rates

    def busy(self, name: str) -> str:
        """The median processor time of a hand."""
        return f"{statistics.median(self.processor[name]):.0f} µs of processor"

    def latency(self, name: str) -> str:
        """Medians of the rounds' percentiles, in milliseconds."""
        parts = []
        for kind, found in self.milliseconds[name].items():
            if kind == "commit" and "reveal" in self.milliseconds[name]:
                continue
            at = {p: statistics.median(one[p] for one in found) for p in ("p50", "p90", "p99")}
            parts.append(f"{kind} p50 {at['p50']:.1f} p90 {at['p90']:.1f} p99 {at['p99']:.1f} ms")
        return "; ".join(parts)


def processor_time(pid: int) -> float:
    """Seconds of processor time that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def fsyncs(bench: Bench, server: Server, mode: str) -> tuple[int, int]:
    """Calls of fsync and fdatasync during a load under strace, and the requests answered meanwhile."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "table")
        command = [
            "strace",
            "-f",
            "-c",
            "-e",
            "trace=fsync,fdatasync",
            "-o",
            str(table),
            "-p",
            str(server.pid),
        ]
        strace = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        bench.load(server, mode, connections=4 if mode == "batch" else 64, name="traced", seconds=2.0)
        os.kill(strace.pid, signal.SIGINT)
        strace.wait()
        rows = re.findall(
            r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+).*?(fsync|fdatasync)$", table.read_text(), re.MULTILINE
        )
    return sum(int(count) for count, _ in rows), sum(bench.counts.values())

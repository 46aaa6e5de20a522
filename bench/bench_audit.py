"""Whole audits by the command line: JSON Lines, Parquet and a log, each of as many hands.

    python bench/bench_audit.py [--hands 1000000] [--large 10000000] [--keep FOLDER]

The times are those of the whole command, from its start to its exit, findings and repeats looked for; with
statistics they are measured besides. ``--large`` also audits a Parquet file of that many hands, for the
memory that it takes.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import make
import makelog
from figures import seconds, table

from fairdeal.audit.checked import Given
from fairdeal.audit.engine import processors
from fairdeal.audit.lines import Lines, check_plainly


@dataclass(frozen=True)
class Run:
    """One audit: seconds, and the most memory that the process and its workers had together, in MiB."""

    seconds: float
    memory: float


def audit(source: Path, hands: int, *more: str) -> Run:
    """Run the command; it must find every hand, and nothing wrong."""
    command = [str(Path(sys.executable).with_name("fairdeal")), "audit", str(source), "--json", *more]
    start = time.perf_counter()
    memory = 0.0
    # Into a file: a pipe would fill up while this process looks at the other's memory.
    with tempfile.TemporaryFile() as output:
        with subprocess.Popen(command, stdout=output) as process:
            while process.poll() is None:
                memory = max(memory, _memory(process.pid))
                time.sleep(0.05)
        took = time.perf_counter() - start
        output.seek(0)
        found = json.load(output)
    if found["hands"] != hands or found["findings"]:
        raise SystemExit(f"{source}: not the outcome of an honest history")
    return Run(took, memory / 2**20)


def _memory(root: int) -> float:
    """Bytes of a process and all that it has started: proportional set sizes, so shared pages count once."""
    total = 0.0
    waiting = [root]
    while waiting:
        process = Path(f"/proc/{waiting.pop()}")
        try:
            for thread in (process / "task").iterdir():
                waiting += map(int, (thread / "children").read_text().split())
            for text in (process / "smaps_rollup").read_text().splitlines():
                if text.startswith("Pss:"):
                    total += 1024 * int(text.split()[1])
        except OSError:
            continue
    return total


def plain_rate(path: Path, lines: int = 1000) -> float:
    """Hands a second of the core alone, in one process: what there is without the extra ``fast``."""
    with path.open("rb") as file:
        data = b"".join(next(file) for _ in range(lines))
    return lines / seconds(lambda: check_plainly((Lines("bench", 1, data), Given())), 1)


def node_rate(path: Path, lines: int = 4000) -> float | None:
    """Hands a second of the Node script."""
    if shutil.which("node") is None:
        return None
    script = Path(__file__).with_name("node_records.mjs")
    run = subprocess.run(["node", script, path, str(lines)], capture_output=True, text=True, check=True)
    return float(run.stdout)


def main() -> None:
    """Make the histories, audit each, print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hands", type=int, default=1_000_000)
    parser.add_argument("--large", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="make the histories here, and use those that are there")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = chosen.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        measure(folder, chosen.hands, chosen.large)


def measure(folder: Path, hands: int, large: int) -> None:
    """The table for so many hands, and a line for so many more in Parquet."""
    cores = processors()
    lines = _made(folder / f"plain-{hands}.jsonl", "plain", hands)
    log = folder / f"log-{hands}"
    if not (log / "checkpoint").exists():
        makelog.make(log, "plain", hands)
    key = makelog.SIGNER.verifier.text()
    rows: list[tuple[str, ...]] = []
    base = plain_rate(lines)

    def row(name: str, rate: float, memory: str = "") -> None:
        rows.append((name, f"{rate:,.0f}", f"{rate / base:.0f}", memory))

    node = node_rate(lines)
    if node:
        row("Node, one process, createHmac", node)
    row("JSON Lines, the core alone, one process", base)
    sources = {
        f"JSON Lines of {lines.stat().st_size / hands:,.0f} bytes (plain)": (lines, ()),
        "JSON Lines, wall": (_made(folder / f"wall-{hands}.jsonl", "wall", hands), ()),
        "JSON Lines, wall and four seals": (_made(folder / f"sealed-{hands}.jsonl", "sealed", hands), ()),
        "Parquet, plain": (_made(folder / f"plain-{hands}.parquet", "plain", hands), ()),
        "Parquet, wall": (_made(folder / f"wall-{hands}.parquet", "wall", hands), ()),
        "Log, three entries a hand": (log, ("--key", key)),
    }
    for name, (source, more) in sources.items():
        # Once without measuring: the files come into the page cache, and compiled code onto the disk.
        audit(source, hands, "--no-statistics", *more)
        for what, flag in (("", "--no-statistics"), (", with statistics", "--statistics")):
            run = audit(source, hands, flag, *more)
            row(name + what, hands / run.seconds, f"{run.memory:,.0f}")
    print(f"{hands:,} hands, {cores} cores, whole commands.\n")
    table(("audit", "hands/s", "× the core alone", "memory, MiB"), rows)
    if large:
        few = audit(_made(folder / f"plain-{hands}.parquet", "plain", hands), hands, "--no-statistics")
        many = audit(_made(folder / f"plain-{large}.parquet", "plain", large), large, "--no-statistics")
        ratio = (many.seconds / large) / (few.seconds / hands)
        print(f"\nParquet of {large:,} hands: {large / many.seconds:,.0f} hands/s, {many.memory:,.0f} MiB; ")
        print(f"a hand costs {ratio:.2f} of what it costs at {hands:,}.")


def _made(path: Path, name: str, hands: int) -> Path:
    if not path.exists():
        make.make(path, name, hands)
    return path


if __name__ == "__main__":
    main()

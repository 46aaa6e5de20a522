"""Whole audits by the command line: JSON Lines, Parquet and a log, each of as many hands; receipts of fewer.

    python bench/bench_audit.py [--hands 1000000] [--large 10000000] [--keep FOLDER]

Seconds are those of the whole command, from its start to its exit, findings and repeats looked for. Loading
compiled code is a part of them that does not grow with the history: the same command on few hands tells it,
and hands/s are what remains without. ``--large`` also audits a Parquet file of that many hands, for its
memory.
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
import makereceipts
from figures import seconds, table

from fairdeal.audit.engine import processors
from fairdeal.audit.histories.checked import Given
from fairdeal.audit.histories.lines import Lines, check_plainly


@dataclass(frozen=True)
class Run:
    """One audit: seconds, and the most memory that the process and its workers had together, in MiB."""

    seconds: float
    memory: float


def audit(source: Path, hands: int, *more: str) -> Run:
    """Run the command; it must find every hand, and nothing wrong."""
    fairdeal = Path(sys.executable).with_name("fairdeal")
    command = [str(fairdeal), "audit", str(source), "--json", "--key", makelog.SIGNER.verifier.text(), *more]
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
    given = Given(keys=(makelog.SIGNER.verifier,))
    return lines / seconds(lambda: check_plainly((Lines("bench", 1, data), given)), 1)


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


FEW = 3000
"""Hands of the histories that tell how long loading takes: compiled code is used from 2,000 on."""

RECEIPTS = 10
"""Receipts are measured on one for so many hands: each takes several kilobytes, most of it its proofs."""


def measure(folder: Path, hands: int, large: int) -> None:
    """The table for so many hands, and a line for so many more in Parquet."""
    rows: list[tuple[str, ...]] = []
    lines = _made(folder, "plain", hands, "jsonl")
    base = plain_rate(lines)

    def row(name: str, rate: float, *more: str, against: float = base) -> None:
        rows.append((name, f"{rate:,.0f}", f"{rate / against:.0f}", *(more or ("", "", ""))))

    node = node_rate(lines)
    if node:
        row("Node, one process, createHmac", node)
    row("the core alone, one process", base)
    some = max(FEW, hands // RECEIPTS)
    receipts = _made(folder, "plain", some, "receipts.jsonl")
    of_receipts = plain_rate(receipts)
    row("the core alone, one process, receipts", of_receipts, against=of_receipts)
    size = receipts.stat().st_size / some
    for title, name, ending, count, against in (
        (f"JSON Lines of {lines.stat().st_size / hands:,.0f} bytes (plain)", "plain", "jsonl", hands, base),
        ("JSON Lines, wall", "wall", "jsonl", hands, base),
        ("JSON Lines, wall and four seals", "sealed", "jsonl", hands, base),
        (f"receipts of {size:,.0f} bytes, {some:,}", "plain", "receipts.jsonl", some, of_receipts),
        ("Parquet, plain", "plain", "parquet", hands, base),
        ("Parquet, wall", "wall", "parquet", hands, base),
        ("log, three entries a hand", "plain", "log", hands, base),
    ):
        source, few = _made(folder, name, count, ending), _made(folder, name, FEW, ending)
        for what, flag in (("", "--no-statistics"), (", statistics too", "--statistics")):
            # Compiled code is to be on the disk beforehand, and the disk itself is not measured.
            audit(few, FEW, flag)
            into_page_cache(source)
            start, run = audit(few, FEW, flag), audit(source, count, flag)
            # Too few hands, or a machine too busy, and the difference tells nothing.
            rate = count / max(run.seconds - start.seconds, run.seconds / 10)
            figures = f"{run.seconds:.1f}", f"{start.seconds:.1f}", f"{run.memory:,.0f}"
            row(title + what, rate, *figures, against=against)
    print(f"{hands:,} hands, {processors()} cores.\n")
    head = ("audit", "hands/s", "× the core alone", "command, s", "of it loading, s", "memory, MiB")
    table(head, rows)
    if large:
        small, big = (_made(folder, "plain", count, "parquet") for count in (hands, large))
        start = audit(_made(folder, "plain", FEW, "parquet"), FEW, "--no-statistics")
        into_page_cache(small)
        few_run = audit(small, hands, "--no-statistics")
        into_page_cache(big)
        many = audit(big, large, "--no-statistics")
        cost, base_cost = ((run.seconds - start.seconds) / n for run, n in ((many, large), (few_run, hands)))
        print(f"\nParquet of {large:,} hands: {1 / cost:,.0f} hands/s, {many.memory:,.0f} MiB;")
        print(f"a hand costs {cost / base_cost:.2f} of what it costs among {hands:,}.")


def into_page_cache(path: Path) -> None:
    """Read a file (or all of a folder's) once: the system may have given its pages up since it was made."""
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.is_file():
            with file.open("rb") as data:
                while data.read(1 << 24):
                    pass


def _made(folder: Path, name: str, hands: int, ending: str) -> Path:
    path = folder / f"{name}-{hands}.{ending}"
    if path.exists():
        return path
    if ending == "log":
        makelog.make(path, name, hands)
    elif ending == "receipts.jsonl":
        makereceipts.make(path, name, hands)
    else:
        make.make(path, name, hands)
    return path


if __name__ == "__main__":
    main()

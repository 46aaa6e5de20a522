"""What the benchmarks share: timing, a table, and what they are compared with."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

BLOCK = 64
"""Bytes that one compression of SHA-256 takes in."""


def seconds(work: Callable[[], object], repeat: int = 3) -> float:
    """The shortest of some runs: what the machine can do when nothing else runs."""
    found = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def openssl_compressions() -> float | None:
    """SHA-256 compressions a second of OpenSSL on one core, in long messages; ``None`` without openssl."""
    if shutil.which("openssl") is None:
        return None
    command = ["openssl", "speed", "-evp", "sha256", "-bytes", "16384", "-seconds", "3", "-elapsed"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    thousands = re.findall(r"([0-9.]+)k\s*$", run.stdout, re.MULTILINE)
    return float(thousands[-1]) * 1000 / BLOCK


def node_hands() -> float | None:
    """Hands a second of a Node script with createHmac, in one process; ``None`` without Node."""
    if shutil.which("node") is None:
        return None
    script = Path(__file__).with_name("node_hands.mjs")
    return float(subprocess.run(["node", script], capture_output=True, text=True, check=True).stdout)


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """Print a Markdown table."""
    for row in (head, ("---", *("---:" for _ in head[1:])), *rows):
        print("| " + " | ".join(row) + " |")

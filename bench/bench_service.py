"""The service under load, against what the same machine can do at best in the same run.

    python bench/bench_service.py [--seconds 4] [--rounds 5] [--postgres] [--large DIR]

Rounds alternate between a bare endpoint (`bench/service_bare.py`) and the service, so that whatever else the
machine does falls on both; medians are printed with their ratios. Settings are the durable ones, as always.
``--large DIR`` also compares a log of 10,000 hands with one of 1,000,000, which is made in DIR if it is not
there (some eight minutes and 3 GB). docs/performance-service.md has the figures and what they mean.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from fairdeal_api.settings import Settings
from service_bare import batch_loop
from service_run import Bench, Server, bare, fairdeal, fsyncs, postgres_url
from service_store import fill, stored_bytes

AIMS = {"single commits": 0.20, "whole hands": 0.06, "batches": 0.30}
SMALL, LARGE, MOST_SLOWER = 10_000, 1_000_000, 1.2


def main() -> int:
    """Measure and print; 1 where an aim is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--large", type=Path)
    options = parser.parse_args()
    print(
        f"{os.cpu_count()} processors, load average {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}"
    )
    met = True
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fairdeal-bench-")))
        url = stack.enter_context(postgres_url()) if options.postgres else None
        bench = Bench(options.seconds, options.rounds)
        with bare(folder) as base, fairdeal(folder / "data", url) as ours:
            met &= against_bare(bench, base, ours)
            met &= against_loop(bench, ours)
            for mode, hands in (("commit", 1), ("hand", 1), ("batch", 100)):
                calls, done = fsyncs(bench, ours, mode)
                each = done * hands / max(1, calls)
                print(f"  {mode}: {calls} fsync calls for {done} requests ({each:.1f} hands for each call)")
        if url is None:
            bytes_a_hand(bench, folder)
        if options.large:
            met &= small_and_large(bench, options.large)
    return 0 if met else 1


def against_bare(bench: Bench, base: Server, ours: Server) -> bool:
    """(a): single commits and whole hands against the bare endpoint, at 64 connections."""
    kinds = {
        "bare": (base, "commit", 0),
        "single commits": (ours, "commit", 0),
        "whole hands": (ours, "hand", 0),
        "  by fairdeal.client": (ours, "client", 0),
        "commits with 4 seals": (ours, "commit", 4),
        "bare with 4 seals": (base, "commit", 4),
    }
    rates = bench.alternate(kinds)
    print(f"64 connections, medians of {bench.rounds} rounds of {bench.seconds} s each:")
    met = True
    for name in kinds:
        against = "bare with 4 seals" if "4 seals" in name else "bare"
        ratio = statistics.median(a / b for a, b in zip(rates[name], rates[against], strict=True))
        aim = AIMS.get(name)
        met &= aim is None or ratio >= aim
        share = f"{ratio:6.1%} of bare{said(aim)}"
        print(f"  {name:22} {statistics.median(rates[name]):8.0f} /s  {share}  {bench.busy(name)}")
        print(f"  {'':22} {bench.latency(name)}")
    return met


def against_loop(bench: Bench, ours: Server) -> bool:
    """(b): batches against the same work in a bare loop, which forms each entry by itself.

    Beside it, without an aim, against a loop that forms what a hundred entries share once, as the service
    does.
    """
    loops, sharing, batches = [], [], []
    for _ in range(bench.rounds):
        loops.append(batch_loop(2.0))
        batches.append(bench.load(ours, "batch", connections=16, name="batches"))
        sharing.append(batch_loop(2.0, shared=True))
    print(f"  {'batches':22} {statistics.median(batches):8.0f} hands/s  {bench.busy('batches')}")
    shares = []
    for name, rates, aim in (("bare loop", loops, AIMS["batches"]), ("loop of shared forms", sharing, None)):
        shares.append(statistics.median(a / b for a, b in zip(batches, rates, strict=True)))
        told = f"batches: {shares[-1]:6.1%} of it{said(aim)}"
        print(f"  {name:22} {statistics.median(rates):8.0f} hands/s  {told}")
    return shares[0] >= AIMS["batches"]


def bytes_a_hand(bench: Bench, folder: Path) -> None:
    """Bytes that a committed and a whole hand take in a SQLite store."""
    for mode in ("commit", "hand"):
        data = folder / f"bytes-{mode}"
        with fairdeal(data) as server:
            bench.load(server, mode)
        done = bench.counts["commit"] if mode == "commit" else bench.counts["reveal"]
        what = "commit" if mode == "commit" else "whole hand"
        print(f"  bytes stored per {what}: {stored_bytes(data) / done:.0f}")


def small_and_large(bench: Bench, folder: Path) -> bool:
    """The same figures with 10,000 and with 1,000,000 hands in the log."""
    stores = {size: folder / f"{size}" for size in (SMALL, LARGE)}
    for size, data in stores.items():
        fill(Settings(data=data, origin="log.example/okey"), size)
    with fairdeal(stores[SMALL]) as small, fairdeal(stores[LARGE]) as large:
        kinds = {}
        for mode in ("commit", "hand"):
            kinds |= {f"{mode} at {SMALL:,}": (small, mode, 0), f"{mode} at {LARGE:,}": (large, mode, 0)}
        rates = bench.alternate(kinds)
    met = True
    for mode in ("commit", "hand"):
        pair = [f"{mode} at {size:,}" for size in (SMALL, LARGE)]
        slower = statistics.median(a / b for a, b in zip(*(rates[name] for name in pair), strict=True))
        met &= slower <= MOST_SLOWER
        for name in pair:
            print(f"  {name:22} {statistics.median(rates[name]):8.0f} /s  {bench.busy(name)}")
            print(f"  {'':22} {bench.latency(name)}")
        print(f"  {mode}: {slower:.2f} times slower (aim: at most {MOST_SLOWER})")
    return met


def said(aim: float | None) -> str:
    """The aim behind a figure."""
    return f" (aim: {aim:.0%})" if aim else ""


if __name__ == "__main__":
    sys.exit(main())

"""The kernel: commitment, deal key and shuffle of each hand compared with what is stated.

python bench/bench_kernel.py [--hands 400000]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from figures import node_hands, openssl_compressions, seconds, table

from fairdeal.audit.engine import processors
from fairdeal.audit.histories.columns import Array
from fairdeal.audit.histories.derive import padded_rows
from fairdeal.audit.kernel import Kernel, instructions
from fairdeal.audit.kernel.lanes import LaneKernel
from fairdeal.audit.kernel.reference import HashlibKernel
from fairdeal.audit.kernel.sha import ShaKernel

COMPRESSIONS = 1 + 5 + 2 + 2 * 105
"""A hand's: commitment; deal key (two key blocks, 96 bytes, the outer digest); the midstates; the draws."""

PART = 4096


def holds(kernel: Kernel, seeds: Array, texts: Array, committed: Array, orders: Array) -> int:
    """How many of the hands are as stated."""
    opens = (kernel.digest(padded_rows(seeds)) == committed).all(axis=1)
    shuffled = (kernel.shuffle(kernel.keys(seeds, texts), 106) == orders).all(axis=1)
    return int((opens & shuffled).sum())


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hands", type=int, default=400_000)
    count = parser.parse_args().hands
    rng = np.random.default_rng(1)
    seeds = rng.integers(0, 256, (count, 32), np.uint8)
    texts = rng.integers(0, 256, (count, 96), np.uint8)
    lanes = LaneKernel()
    committed = lanes.digest(padded_rows(seeds))
    orders = lanes.shuffle(lanes.keys(seeds, texts), 106)

    def over(kernel: Kernel, workers: int, some: int) -> Callable[[], None]:
        parts = [slice(at, min(at + PART, some)) for at in range(0, some, PART)]

        def work(part: slice) -> int:
            return holds(kernel, seeds[part], texts[part], committed[part], orders[part])

        def run() -> None:
            with ThreadPoolExecutor(workers) as pool:
                if sum(pool.map(work, parts)) != some:
                    raise SystemExit("a hand that holds did not")

        return run

    cores = processors()
    few = min(count, 20_000)
    base = few / seconds(over(HashlibKernel(), 1, few))
    openssl, node = openssl_compressions(), node_hands()
    limit = f"{openssl / 1e6:.1f} million" if openssl else "not measured"
    print(f"{count:,} hands of 106 tiles, {COMPRESSIONS} compressions each; {cores} cores.")
    print(f"OpenSSL on one core: {limit} compressions a second.\n")
    rows: list[tuple[str, ...]] = []

    def row(name: str, threads: int, rate: float) -> None:
        against = f"{rate * COMPRESSIONS / openssl:.2f}" if openssl else "–"
        rows.append((name, str(threads), f"{rate:,.0f}", f"{rate / base:.1f}", against))

    if node:
        row("Node createHmac", 1, node)
    row("hashlib, midstates copied", 1, base)
    for kernel in (lanes, *([ShaKernel()] if instructions.supported() else [])):
        for workers in sorted({1, cores}):
            over(kernel, workers, few)()
            row(kernel.name, workers, count / seconds(over(kernel, workers, count)))
    table(("backend", "threads", "hands/s", "× hashlib", "× OpenSSL's compressions"), rows)


if __name__ == "__main__":
    main()

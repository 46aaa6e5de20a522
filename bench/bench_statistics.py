"""Figures of docs/statistics.md: speed of the battery, honest logs that raise alarms, wrong shuffles caught.

Fixed seeds: apart from speeds, every run prints the same. ``--honest 8000`` takes some minutes more and gives
the calibration that the page states.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections import Counter

import numpy as np
from scipy import stats

from fairdeal.audit.stats import Battery, Outcome
from tests.audit.orders import Draw, at_the_wall, honest, naive, one_byte, part, sattolo, shuffled

HANDS = 2000
WRONG = 200


def run(order: np.ndarray, rng: np.random.Generator) -> tuple[Outcome, ...]:
    """All tests on a log of these orders."""
    battery = Battery()
    battery.update(at_the_wall(rng, order))
    return battery.results().tests


def speed(hands: int = 1_000_000, batch: int = 50_000) -> None:
    """Hands a second in one process, and what ten times as many cost in memory."""
    rng = np.random.default_rng(1)
    columns = at_the_wall(rng, honest(rng, 4 * batch))
    batches = [part(columns, start, start + batch) for start in range(0, 4 * batch, batch)]
    battery = Battery()
    for times in (1, 10):
        started = time.perf_counter()
        for k in range(times * hands // batch):
            battery.update(batches[k % 4])
        took = time.perf_counter() - started
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{times * hands:>12,} hands: {times * hands / took:>9,.0f} hands/s, peak {peak:,.0f} MiB")
    started = time.perf_counter()
    battery.results()
    print(f"{'results':>12}: {time.perf_counter() - started:.2f} s")


def honest_logs(logs: int) -> None:
    """How many honest logs raise an alarm, and how even each test's p-values are."""
    rng = np.random.default_rng(77)
    alarms: Counter[str] = Counter()
    values: dict[str, list[float]] = {}
    for _ in range(logs):
        tests = run(honest(rng, HANDS), rng)
        alarms["any"] += any(test.alarm for test in tests)
        for test in tests:
            alarms[test.name] += test.alarm
            values.setdefault(test.name, []).append(test.p if test.p is not None else 1.0)
    print(
        f"{logs:,} honest logs of {HANDS:,} hands: {alarms['any']} with an alarm ({logs / 100:.0f} are due)"
    )
    print(f"{'test':<20} {'p < 5 %':>8} {'p < 1 %':>8} {'evenness':>9} {'alarms':>7}")
    for name, ps in values.items():
        p = np.array(ps)
        even = stats.kstest(p, "uniform").pvalue
        print(
            f"{name:<20} {(p < 0.05).mean():>8.1%} {(p < 0.01).mean():>8.1%} {even:>9.3f} {alarms[name]:>7}"
        )


def few_hands(logs: int = 3000) -> None:
    """Alarms of honest logs that are hardly long enough for some of the tests."""
    for hands in (120, 320, 560):
        rng = np.random.default_rng(5)
        alarms = sum(any(test.alarm for test in run(honest(rng, hands), rng)) for _ in range(logs))
        print(f"{logs:,} honest logs of {hands} hands: {alarms} with an alarm ({logs / 100:.0f} are due)")


def wrong_shuffles() -> None:
    """How often each known way to shuffle wrongly is found, and by which tests."""
    kinds: tuple[tuple[str, Draw, int], ...] = (
        ("naive swap", naive, 0),
        ("Sattolo", sattolo, 1),
        ("one byte modulo", one_byte, 1),
    )
    for name, draw, last in kinds:
        rng = np.random.default_rng(30)
        found: Counter[str] = Counter()
        for _ in range(WRONG):
            tests = run(shuffled(rng, HANDS, draw, last), rng)
            found["any"] += any(test.alarm for test in tests)
            found.update(test.name for test in tests if test.alarm)
        by = ", ".join(f"{test} {count}" for test, count in found.most_common() if test != "any")
        print(f"{WRONG} logs of {HANDS:,} hands by {name}: {found['any']} found ({by})")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--honest", type=int, default=1000, help="honest logs (default 1000)")
    wrong_shuffles()
    honest_logs(parser.parse_args().honest)
    few_hands()
    speed()

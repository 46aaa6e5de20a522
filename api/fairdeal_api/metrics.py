"""What /metrics counts (docs/metrics.md).

Labels are routes, states, outcomes and operators' public names; never a hand, a table, a key or a seed.

With several workers each writes its numbers to files of its own in a folder that all share, and whichever is
asked adds them up: :func:`share_between_workers` chooses the folder, before the first of them starts.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter as Tally
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, multiprocess

_FOLDER = "PROMETHEUS_MULTIPROC_DIR"

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
_COUNTS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)


@dataclass(frozen=True, slots=True)
class Stored:
    """What the store itself says when it is asked, the same for every worker."""

    size: int
    head_at: int
    """Time of the last entry, and so of the last checkpoint, in milliseconds."""
    open_hands: dict[str, int] = field(default_factory=dict)
    """Hands by state, ``committed`` and ``locked``."""
    overdue: int = 0


class Metrics:
    """The service's metrics, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        registry = self.registry
        self._requests = Counter(
            "fairdeal_http_requests_total",
            "Requests answered, by method, route and status.",
            ("method", "route", "status"),
            registry=registry,
        )
        self._request_seconds = Histogram(
            "fairdeal_http_request_seconds",
            "Time from a request's head to the start of its answer.",
            ("route",),
            buckets=_SECONDS,
            registry=registry,
        )
        self._answered: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        self._refused = Counter(
            "fairdeal_refused_total",
            "Requests turned away at the doorway: busy, rate_limited, too_large.",
            ("code",),
            registry=registry,
        )
        self._entries = Counter(
            "fairdeal_entries_total",
            "Log entries written, by type and, for reveals, outcome.",
            ("type", "outcome"),
            registry=registry,
        )
        self._ended = Counter(
            "fairdeal_hands_ended_total",
            "Hands ended, by operator and outcome (played, void, expired, lost).",
            ("operator", "outcome"),
            registry=registry,
        )
        self._group = Histogram(
            "fairdeal_group_requests",
            "Requests that shared one transaction.",
            buckets=_COUNTS,
            registry=registry,
        )
        self._group_entries = Histogram(
            "fairdeal_group_entries",
            "Log entries written by one transaction.",
            buckets=_COUNTS,
            registry=registry,
        )
        self._seconds = Histogram(
            "fairdeal_transaction_seconds",
            "Time of a ledger transaction, its synchronisation to disk included.",
            buckets=_SECONDS,
            registry=registry,
        )
        self._waiting = Gauge(
            "fairdeal_waiting_requests",
            "Requests that wait, by where: lane (not let in yet), ledger (for their transaction).",
            ("where",),
            registry=registry,
            multiprocess_mode="livesum",
        )
        self._ready = Gauge(
            "fairdeal_ready",
            "1 while a worker is ready; the least of all workers.",
            registry=registry,
            multiprocess_mode="livemin",
        )
        self._disk = Gauge(
            "fairdeal_disk_free_bytes",
            "Free space where the data folder is.",
            registry=registry,
            multiprocess_mode="livemostrecent",
        )

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answered request; ``route`` is a path's template, never a path."""
        method = method if method in _METHODS else "other"
        children = self._answered.get((method, route, status))
        if children is None:
            children = (
                self._requests.labels(method, route, str(status)),
                self._request_seconds.labels(route),
            )
            self._answered[method, route, status] = children
        children[0].inc()
        children[1].observe(seconds)

    def refused(self, code: str) -> None:
        """Count a request that a limit refused."""
        self._refused.labels(code).inc()

    def transaction(self, requests: int, events: Iterable[tuple[str, str, str]], seconds: float) -> None:
        """Count a durable transaction and the entries that it added: (type, outcome, operator)."""
        self._group.observe(requests)
        self._seconds.observe(seconds)
        counted = Tally(events)
        for (kind, outcome, operator), entries in counted.items():
            self._entries.labels(kind, outcome).inc(entries)
            if outcome:
                self._ended.labels(operator, outcome).inc(entries)
        if counted:
            self._group_entries.observe(counted.total())

    def watched(self, lanes: int, ledger: int, *, ready: bool, disk_free: int | None) -> None:
        """What this worker looks at once a second."""
        self._waiting.labels("lane").set(lanes)
        self._waiting.labels("ledger").set(ledger)
        self._ready.set(ready)
        if disk_free is not None:
            self._disk.set(disk_free)

    def text(self, stored: Stored) -> bytes:
        """The exposition format: the workers' numbers added up, then what the store says."""
        if os.environ.get(_FOLDER):
            own = CollectorRegistry()
            multiprocess.MultiProcessCollector(own)  # type: ignore[no-untyped-call]  # as they have it
        else:
            own = self.registry
        return generate_latest(own) + generate_latest(_stored_registry(stored))


def share_between_workers() -> None:
    """Have the workers that this process starts add up their metrics. A folder set already is kept."""
    if not os.environ.get(_FOLDER):
        os.environ[_FOLDER] = tempfile.mkdtemp(prefix="fairdeal-metrics-")


def forget_dead_workers() -> None:
    """Leave out the gauges of workers that are gone: called by each worker that starts in their place."""
    folder = os.environ.get(_FOLDER)
    if not folder:
        return
    for path in Path(folder).glob("gauge_live*_*.db"):
        pid = path.stem.rpartition("_")[2]
        if pid.isdecimal() and not Path(f"/proc/{pid}").exists():
            multiprocess.mark_process_dead(int(pid), folder)  # type: ignore[no-untyped-call]  # likewise


def _stored_registry(stored: Stored) -> CollectorRegistry:
    registry = CollectorRegistry()
    Gauge("fairdeal_log_entries", "Entries in the log.", registry=registry).set(stored.size)
    Gauge(
        "fairdeal_checkpoint_timestamp_seconds", "Time of the last signed checkpoint.", registry=registry
    ).set(stored.head_at / 1000)
    Gauge("fairdeal_clock_timestamp_seconds", "This machine's clock.", registry=registry).set(time.time())
    hands = Gauge("fairdeal_open_hands", "Hands not revealed yet, by state.", ("state",), registry=registry)
    for state, count in stored.open_hands.items():
        hands.labels(state).set(count)
    overdue = Gauge("fairdeal_overdue_hands", "Open hands past their time.", registry=registry)
    overdue.set(stored.overdue)
    return registry


_METHODS = frozenset(("GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"))

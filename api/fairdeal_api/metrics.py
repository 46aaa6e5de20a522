"""What /metrics counts. Labels are routes, states and outcomes; never a hand, a table, a key or a seed."""

from __future__ import annotations

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest


class Metrics:
    """The service's metrics, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "fairdeal_http_requests_total",
            "Requests answered, by method and status.",
            ("method", "status"),
            registry=self.registry,
        )
        self._counters: dict[tuple[str, int], Counter] = {}
        self._acts = Counter(
            "fairdeal_entries_total",
            "Log entries written, by type and, for reveals, outcome.",
            ("type", "outcome"),
            registry=self.registry,
        )
        self._group = Histogram(
            "fairdeal_group_requests",
            "Requests that shared one transaction.",
            buckets=(1, 2, 4, 8, 16, 32, 64, 128, 256),
            registry=self.registry,
        )
        self._seconds = Histogram(
            "fairdeal_transaction_seconds",
            "Time of a ledger transaction, its synchronisation to disk included.",
            registry=self.registry,
        )
        self._size = Gauge("fairdeal_log_entries", "Entries in the log.", registry=self.registry)
        self._waiting = Gauge(
            "fairdeal_ledger_waiting", "Requests waiting for the ledger.", registry=self.registry
        )

    def request(self, method: str, status: int) -> None:
        """Count an answered request."""
        method = method if method in _METHODS else "other"
        counter = self._counters.get((method, status))
        if counter is None:
            counter = self._requests.labels(method, str(status))
            self._counters[method, status] = counter
        counter.inc()

    def log_size(self, size: int) -> None:
        """The log's size at the start."""
        self._size.set(size)

    def transaction(
        self, requests: int, events: Iterable[tuple[str, str]], size: int, seconds: float
    ) -> None:
        """Count a durable transaction and the entries that it added."""
        self._group.observe(requests)
        self._seconds.observe(seconds)
        self._size.set(size)
        for kind, outcome in events:
            self._acts.labels(kind, outcome).inc()

    def text(self, waiting: int) -> bytes:
        """The exposition format."""
        self._waiting.set(waiting)
        return generate_latest(self.registry)


_METHODS = frozenset(("GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"))

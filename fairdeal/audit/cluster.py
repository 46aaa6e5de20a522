"""An audit's parts on an existing Dask cluster: the same functions, results in the same order.

    with connect("tcp://10.0.0.5:8786") as cluster:
        audit.history(path)     # with AuditOptions(engine=cluster)

The outcome is the one that a single machine gives, for every part is a pure function of its bytes and the
parts are put together in order, here. Workers need this package in the same version, with the extras that
the audit uses; they get the parts' bytes over the network, so nothing has to be mounted there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from fairdeal.audit.engine import in_order
from fairdeal.audit.log.source import SourceError
from fairdeal.errors import UsageError

T = TypeVar("T")
R = TypeVar("R")

PATIENCE = 30
"""Seconds to wait for the scheduler to answer."""

AHEAD = 3
"""Parts under way for each of the cluster's threads: enough that none waits for the network."""


class Cluster:
    """An :class:`fairdeal.audit.engine.Engine` on a cluster that others run."""

    def __init__(self, client: Any) -> None:
        """``client`` is a connected ``distributed.Client`` and stays the caller's."""
        self._client = client

    def map(self, work: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        """See :class:`fairdeal.audit.engine.Engine`; memory here is bounded by the parts under way."""
        # Not pure: two equal parts are two parts, and no result is worth keeping for the next audit.
        submit = partial(self._client.submit, work, pure=False)
        # Asked anew each time: workers come and go while a long audit runs.
        yield from in_order(submit, tasks, lambda: AHEAD * max(1, self.threads()))

    def threads(self) -> int:
        """The threads of all workers that are there now."""
        return sum(self._client.nthreads().values())

    def wait_for(self, workers: int) -> None:
        """Return once so many workers are there."""
        self._client.wait_for_workers(workers, timeout=4 * PATIENCE)


@contextmanager
def connect(address: str) -> Iterator[Cluster]:
    """A cluster by its scheduler's address, for as long as the context lasts.

    Raises :class:`UsageError` without the extra, :class:`SourceError` ``unreachable`` where nothing answers.
    """
    try:
        import distributed  # noqa: PLC0415 - an extra
    except ImportError:
        raise UsageError(
            "a Dask cluster needs the extra: pip install '.[dask]' in fairdeal's folder"
        ) from None
    try:
        opened: Any = distributed.Client
        client = opened(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, TimeoutError, ValueError):
        raise SourceError("unreachable", f"{address}: no Dask scheduler answers there") from None
    try:
        yield Cluster(client)
    finally:
        client.close()

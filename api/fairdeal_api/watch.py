"""Is this worker fit to serve? Looked at once a second, told by /readyz and /metrics.

Readiness turns red before damage is done: while there is still room on the disk, while the writer can still
be waited for, and before entries get times that are not the clock's (docs/metrics.md, "Readiness").
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import shutil
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection

from fairdeal_api import db, store
from fairdeal_api.acts import ProbeAct
from fairdeal_api.head import Head
from fairdeal_api.service import Service

log = logging.getLogger("fairdeal.watch")

T = TypeVar("T")

PAUSE = 1.0
"""Seconds between two looks."""

PROBE_TIME = 2.0
"""Seconds in which the store must be read and the writer take its turn."""

CLOCK_TOLERANCE = 5_000
"""Milliseconds that the clock may be behind the log's last entry."""


class Watch:
    """What is wrong now, as a list of names: ``store``, ``writer``, ``disk``, ``clock``."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._failing: list[str] = []
        self._under_way: dict[str, asyncio.Future[Any]] = {}
        self._looking: asyncio.Task[list[str]] | None = None

    async def look(self) -> list[str]:
        """Look now; gives what is failing. Who asks meanwhile gets the same answer."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        return await asyncio.shield(self._looking)

    async def _look(self) -> list[str]:
        failing = []
        if self._service.ledger.broken:
            failing.append("writer")
        else:
            failing += await self._probe()
        free = disk_free(self._service.settings.data)
        if free is not None and free < self._service.settings.min_free << 20:
            failing.append("disk")
        self._tell(failing, free)
        return failing

    async def keep_looking(self) -> None:
        """Look until cancelled."""
        try:
            while True:
                await self.look()
                await asyncio.sleep(PAUSE)
        finally:
            await self._stop()

    async def _stop(self) -> None:
        """Let go of what is under way, so that the store can be closed; not for ever where it hangs."""
        tasks = {task for task in (self._looking, *self._under_way.values()) if task is not None}
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=PROBE_TIME)

    async def _probe(self) -> list[str]:
        """The store read and the writer's turn taken, each within its time."""
        service, failing = self._service, []
        try:
            head, ours = await self._within("store", lambda: service.read(_head_of_ours))
        except Exception as error:
            log.debug("the store cannot be read", exc_info=error)
            failing.append("store")
        else:
            if not ours:
                failing.append("store")
            if head.at - service.clock() > CLOCK_TOLERANCE:
                failing.append("clock")
        try:
            await self._within("writer", lambda: service.ledger.submit(ProbeAct()))
        except Exception as error:
            log.debug("the writer does not take its turn", exc_info=error)
            failing.append("writer")
        return failing

    async def _within(self, name: str, start: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """What ``start`` gives, within :data:`PROBE_TIME`; raises :class:`TimeoutError` after it.

        A thread that hangs can't be cancelled. What is still under way is waited for again at the next look,
        so that probes of a stuck store don't pile up.
        """
        task = self._under_way.get(name)
        if task is None:
            task = self._under_way[name] = asyncio.ensure_future(start())
            # Where nobody waits for it any more, its failure is no news.
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
        await asyncio.wait({task}, timeout=PROBE_TIME)
        if not task.done():
            raise TimeoutError
        del self._under_way[name]
        result: T = task.result()
        return result

    def _tell(self, failing: list[str], free: int | None) -> None:
        if failing != self._failing:
            if failing:
                log.error("not ready", extra={"failing": failing})
            else:
                log.info("ready again")
        self._failing = failing
        service = self._service
        service.metrics.watched(
            service.gate.waiting, service.ledger.waiting, ready=not failing, disk_free=free
        )


def _head_of_ours(connection: Connection) -> tuple[Head, bool]:
    """The log's head, and whether the tables are still this release's: another machine may migrate them."""
    return store.head(connection), db.is_current(connection)


def disk_free(folder: Path) -> int | None:
    """Bytes that may still be written where a folder is; ``None`` where that cannot be asked."""
    with contextlib.suppress(OSError):
        return shutil.disk_usage(folder).free
    return None

"""The one writer: requests wait in a queue, many share a transaction, none is answered before it is durable.

One thread owns the writing connection. It takes what waits, has all of it done in one transaction
(:mod:`fairdeal_api.writer`), and only then hands out the answers (docs/adr/0001-one-writer.md).
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from fairdeal_api.acts import Act, CommitAct
from fairdeal_api.metrics import Metrics
from fairdeal_api.problems import Problem
from fairdeal_api.writer import Outcome, Result, UnansweredError, Writer, Written

__all__ = ["Ledger", "Result"]

log = logging.getLogger("fairdeal.ledger")

MOST_ACTS = 256
"""Requests in one transaction."""

MOST_HANDS = 2000
"""Commits in one transaction, from which on no further request is added."""

AT_ONCE = 100
"""Hands from which on the next answer is left to the event loop's next step; one answer is made in one."""

MOST_WAITING = 4096
"""Requests in the queue, beyond which ``busy`` is answered."""


@dataclass(slots=True)
class _Waiting:
    act: Act
    future: asyncio.Future[Result]
    loop: asyncio.AbstractEventLoop


class Ledger:
    """The writer's thread and its queue."""

    def __init__(self, writer: Writer, metrics: Metrics) -> None:
        self._writer, self._metrics = writer, metrics
        self._queue: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._waiting = 0
        self._thread = threading.Thread(target=self._run, name="ledger", daemon=True)

    @property
    def broken(self) -> str | None:
        """Why nothing can be written any more until a restart; ``None`` while all is well."""
        return self._writer.broken

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """Finish what was accepted, then stop."""
        self._queue.put(None)
        self._thread.join()

    @property
    def waiting(self) -> int:
        """Requests accepted and not answered yet."""
        return self._waiting

    async def submit(self, act: Act) -> Result:
        """Have an act done; returns once it is durable. Raises :class:`Problem` where it was refused."""
        if self.broken or not self._thread.is_alive():
            raise Problem("unavailable")
        if self._waiting >= MOST_WAITING:
            raise Problem("busy", headers={"Retry-After": "1"})
        loop = asyncio.get_running_loop()
        self._writer.prepare(act)
        waiting = _Waiting(act, loop.create_future(), loop)
        self._waiting += 1
        try:
            self._queue.put(waiting)
            return await waiting.future
        finally:
            self._waiting -= 1

    def _run(self) -> None:
        while True:
            first = self._queue.get()
            if first is None:
                break
            group, closing = self._take_group(first)
            outcomes = self._settle([waiting.act for waiting in group])
            _deliver(group, outcomes)
            if closing:
                break
        self._writer.close()

    def _take_group(self, first: _Waiting) -> tuple[list[_Waiting], bool]:
        group, hands = [first], _weight(first.act)
        while len(group) < MOST_ACTS and hands < MOST_HANDS:
            try:
                waiting = self._queue.get_nowait()
            except Empty:
                break
            if waiting is None:
                return group, True
            group.append(waiting)
            hands += _weight(waiting.act)
        return group, False

    def _settle(self, acts: list[Act]) -> list[Outcome]:
        """Outcomes for all acts: together where that goes through, else one by one, each failing alone."""
        if self.broken:
            return [Problem("unavailable") for _ in acts]
        started = time.perf_counter()
        try:
            done = self._writer.transact(acts)
        except UnansweredError as error:
            return [error.problem for _ in acts]
        except Exception as error:  # noqa: BLE001 -- the thread must live on; the cause is logged, without its values
            if len(acts) == 1:
                log.error("a request failed in the ledger: %s", type(error).__name__)  # noqa: TRY400 -- see above
                return [Problem("internal")]
            log.warning(
                "a group of %d failed (%s); its requests are tried alone", len(acts), type(error).__name__
            )
            return [self._settle([act])[0] for act in acts]
        self._metrics.transaction(len(acts), done.events, time.perf_counter() - started)
        return done.outcomes


def _weight(act: Act) -> int:
    return len(act.specs) if isinstance(act, CommitAct) else 1


def _deliver(group: list[_Waiting], outcomes: list[Outcome]) -> None:
    # One call for each event loop, not one for each request.
    by_loop: dict[asyncio.AbstractEventLoop, deque[tuple[asyncio.Future[Result], Outcome]]] = {}
    for waiting, outcome in zip(group, outcomes, strict=True):
        by_loop.setdefault(waiting.loop, deque()).append((waiting.future, outcome))
    for loop, pairs in by_loop.items():
        # A loop that was closed meanwhile has nobody who waits; asked first, it could close in between.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(_resolve, loop, pairs)


def _resolve(loop: asyncio.AbstractEventLoop, pairs: deque[tuple[asyncio.Future[Result], Outcome]]) -> None:
    """Give answers out in steps of some hands, between which the loop sees to everything else."""
    hands = 0
    while pairs and hands < AT_ONCE:
        future, outcome = pairs.popleft()
        if future.done():
            continue
        # Built here, so that the ledger's thread has gone on to the next transaction already.
        hands += _hands(outcome)
        answer = outcome.result() if isinstance(outcome, Written) else outcome
        if isinstance(answer, Problem):
            future.set_exception(answer)
        else:
            future.set_result(answer)
    if pairs:
        loop.call_soon(_resolve, loop, pairs)


def _hands(outcome: Outcome) -> int:
    return len(outcome.planned.hands) if isinstance(outcome, Written) else 0

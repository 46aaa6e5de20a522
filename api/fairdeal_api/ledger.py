"""The one writer: requests wait in a queue, many share a transaction, none is answered before it is durable.

One thread owns the writing connection. It takes what waits, opens one transaction, plans each request on the
state that the ones before it left, writes everything, signs one checkpoint over the new entries, commits, and
only then hands out the answers (docs/adr/0001-one-writer.md).
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import OperationalError

from fairdeal.note import Signer
from fairdeal_api.acts import Act, CommitAct, Planned
from fairdeal_api.answers import Evidence
from fairdeal_api.head import CorruptionError, Head, advance, need_tile, read_head
from fairdeal_api.metrics import Metrics
from fairdeal_api.problems import Problem
from fairdeal_api.tree import FullTiles, GrowingTree
from fairdeal_api.vault import Vault
from fairdeal_api.work import Work

log = logging.getLogger("fairdeal.ledger")

MOST_ACTS = 256
"""Requests in one transaction."""

MOST_HANDS = 2000
"""Commits in one transaction, from which on no further request is added."""

MOST_WAITING = 4096
"""Requests in the queue, beyond which ``busy`` is answered."""


@dataclass(frozen=True, slots=True)
class Result:
    """A finished act: the answer's status and body."""

    status: int
    body: bytes


@dataclass(slots=True)
class _Waiting:
    act: Act
    future: asyncio.Future[Result]
    loop: asyncio.AbstractEventLoop


_Outcome = Result | Problem


class Ledger:
    """The writer's thread and its queue. ``clock`` gives milliseconds since the Unix epoch."""

    def __init__(
        self,
        engine: Engine,
        *,
        vault: Vault,
        signer: Signer,
        full: FullTiles,
        metrics: Metrics,
        clock: Callable[[], int],
    ) -> None:
        self._engine, self._vault, self._signer, self._full = engine, vault, signer, full
        self._metrics, self._clock = metrics, clock
        self._queue: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._waiting = 0
        self._tree: tuple[str, GrowingTree] | None = None
        self._connection: Connection | None = None
        self._thread = threading.Thread(target=self._run, name="ledger", daemon=True)
        self.broken: str | None = None
        """Why nothing can be written any more until a restart; ``None`` while all is well."""

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
        if self._connection is not None:
            self._connection.close()

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

    def _settle(self, acts: list[Act]) -> list[_Outcome]:
        """Outcomes for all acts: together where that goes through, else one by one, each failing alone."""
        if self.broken:
            return [Problem("unavailable") for _ in acts]
        try:
            return self._transact(acts)
        except _UnansweredError as error:
            return [error.problem for _ in acts]
        except Exception as error:  # noqa: BLE001 -- the thread must live on; the cause is logged, without its values
            if len(acts) == 1:
                log.error("a request failed in the ledger: %s", type(error).__name__)  # noqa: TRY400 -- see above
                return [Problem("internal")]
            log.warning(
                "a group of %d failed (%s); its requests are tried alone", len(acts), type(error).__name__
            )
            return [self._settle([act])[0] for act in acts]

    def _transact(self, acts: list[Act]) -> list[_Outcome]:
        started = time.perf_counter()
        for act in acts:
            act.prepare(self._vault)
        try:
            transaction = self._connected().begin()
            work, head, outcomes = self._apply(self._connected(), acts)
            try:
                transaction.commit()
            except Exception as error:
                if not self._was_committed(head.checkpoint, bool(work.added)):
                    raise
                log.warning(
                    "the answer to COMMIT was lost (%s); the head shows that it was done",
                    type(error).__name__,
                )
        except Exception as error:
            self._forget(error)
            if isinstance(error, OperationalError):
                raise _UnansweredError(Problem("unavailable")) from None
            raise
        if self._tree:
            self._tree[1].settle()
        self._metrics.transaction(len(acts), work.events, time.perf_counter() - started)
        return outcomes

    def _apply(self, connection: Connection, acts: list[Act]) -> tuple[Work, Head, list[_Outcome]]:
        head = read_head(connection, to_write=True)
        if head is None:
            raise CorruptionError("the store has no head")
        tree = self._tree_of(head)
        work = Work(connection, self._vault, max(self._clock(), head.at), head.size)
        work.load(act.needs() for act in acts)
        planned = [_plan(act, work) for act in acts]
        if work.added:
            work.flush()
            stored = work.stored_entries()
            head = advance(
                connection, head, tree, self._signer, entries=work.added, stored=stored, at=work.at
            )
            self._tree = (head.checkpoint, tree)
        evidence = Evidence(head.vkey, head.checkpoint, tree, work.entries)
        outcomes = [
            p if isinstance(p, Problem) else Result(p.status, p.text(evidence).encode()) for p in planned
        ]
        work.keep_answers(
            (key, claimed.digest, claimed.answer.text(evidence).encode())
            for key, claimed in work.claims.items()
            if not claimed.stored
        )
        return work, head, outcomes

    def _tree_of(self, head: Head) -> GrowingTree:
        if self._tree is None or self._tree[0] != head.checkpoint:
            tree = GrowingTree(head.size, self._read_tile, self._full)
            if tree.root() != head.frontier().root():
                raise CorruptionError("the tiles contradict the head's right edge")
            self._tree = (head.checkpoint, tree)
        return self._tree[1]

    def _read_tile(self, level: int, n: int) -> bytes:
        return need_tile(self._connected(), level, n)

    def _connected(self) -> Connection:
        if self._connection is None:
            self._connection = self._engine.connect()
        return self._connection

    def _was_committed(self, checkpoint: str, wrote: bool) -> bool:
        """Whether a COMMIT that raised was done after all: the head, read on a new connection, tells.

        Where it cannot be read, nobody may be told either way: the ledger stops.
        """
        if not wrote:
            return False
        self._drop_connection()
        try:
            with self._engine.connect() as connection:
                head = read_head(connection)
        except Exception as error:
            self.broken = "whether the last transaction was written is unknown"
            log.critical("the ledger stops until a restart: %s", self.broken)
            raise _UnansweredError(Problem("internal", self.broken)) from error
        return head is not None and head.checkpoint == checkpoint

    def _forget(self, error: Exception) -> None:
        """Trust nothing in memory after a failure; after a failed write to the disk, write no more."""
        self._tree = None
        self._drop_connection()
        cause = getattr(error, "orig", None)
        code = getattr(cause, "sqlite_errorcode", 0) & 0xFF if isinstance(cause, sqlite3.Error) else 0
        # After a failed fsync the kernel may call the lost pages clean: trying again would answer a lie.
        if not self.broken and (code == sqlite3.SQLITE_IOERR or isinstance(error, CorruptionError)):
            self.broken = str(error) if isinstance(error, CorruptionError) else "the disk failed"
            log.critical("the ledger stops until a restart: %s", self.broken)

    def _drop_connection(self) -> None:
        if self._connection is not None:
            self._connection.invalidate()
            self._connection.close()
            self._connection = None


class _UnansweredError(Exception):
    """The store failed; all requests of the group get the same problem for an answer."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.code)
        self.problem = problem


def _plan(act: Act, work: Work) -> Planned | Problem:
    try:
        return act.plan(work)
    except Problem as problem:
        return problem


def _weight(act: Act) -> int:
    return len(act.specs) if isinstance(act, CommitAct) else 1


def _deliver(group: list[_Waiting], outcomes: list[_Outcome]) -> None:
    # One call for each event loop, not one for each request.
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Result], _Outcome]]] = {}
    for waiting, outcome in zip(group, outcomes, strict=True):
        by_loop.setdefault(waiting.loop, []).append((waiting.future, outcome))
    for loop, pairs in by_loop.items():
        if not loop.is_closed():
            loop.call_soon_threadsafe(_resolve, pairs)


def _resolve(pairs: list[tuple[asyncio.Future[Result], _Outcome]]) -> None:
    for future, outcome in pairs:
        if future.done():
            continue
        if isinstance(outcome, Problem):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)

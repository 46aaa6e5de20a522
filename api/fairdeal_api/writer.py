"""One group of requests as one transaction: plan, write, sign, commit, mark, and only then answer.

Several processes, on several machines, may each have a writer on one PostgreSQL: a transaction begins by
locking the head row, so they take turns, and each works on what the last one left
(docs/adr/0010-shared-log.md).
"""

from __future__ import annotations

import logging
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Connection, Engine

from fairdeal_api.acts import Act, Planned
from fairdeal_api.answers import Evidence
from fairdeal_api.gametable import GameTable, TableKey
from fairdeal_api.head import CorruptionError, Head, advance, need_tile, read_head
from fairdeal_api.marks import MarkError, MarkFile
from fairdeal_api.postgres import UNREACHABLE, UnsafeStoreError
from fairdeal_api.problems import Problem
from fairdeal_api.signing import MissingKeyError, Signing
from fairdeal_api.tree import FullTiles, GrowingTree
from fairdeal_api.vault import Vault
from fairdeal_api.work import Work

log = logging.getLogger("fairdeal.ledger")

RESOLVE_TIME = 20.0
"""Seconds in which a COMMIT whose answer was lost is looked up again while the database cannot be reached."""

MOST_TABLES = 10_000
"""Tables that are remembered from one transaction to the next."""

_UNKNOWN = "Whether it was written is unknown. Repeat the request; a commit with the same Idempotency-Key."


@dataclass(frozen=True, slots=True)
class Result:
    """A finished act: the answer's status and body."""

    status: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Written:
    """An act that is durable, whose answer is still to be built: by anyone, once."""

    planned: Planned
    evidence: Evidence

    def result(self) -> Result | Problem:
        """Build it; where that fails, the act is written all the same."""
        try:
            return Result(self.planned.status, self.planned.text(self.evidence).encode())
        except Exception as error:  # noqa: BLE001 -- the others' answers must go out all the same
            log.error("an answer could not be made: %s", type(error).__name__)  # noqa: TRY400 -- without its values
            return Problem("internal")


Outcome = Result | Written | Problem


@dataclass(frozen=True, slots=True)
class Done:
    """A durable transaction: an outcome for each act, and what was counted."""

    outcomes: list[Outcome]
    events: list[tuple[str, str, str]]


class UnansweredError(Exception):
    """The store failed; all requests of the group get the same problem for an answer."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.code)
        self.problem = problem


class Writer:
    """The writing connection and what is known of the log. For one thread alone."""

    def __init__(
        self,
        engine: Engine,
        head: Head,
        *,
        vault: Vault,
        signing: Signing,
        marks: MarkFile,
        full: FullTiles,
        clock: Callable[[], int],
    ) -> None:
        """``head`` is the log as it was checked at the start: what it holds must never go."""
        self._engine, self._vault, self._signing, self._full = engine, vault, signing, full
        self._marks, self._clock, self._known = marks, clock, head
        self._tree: tuple[str, GrowingTree] | None = None
        self._tables: dict[TableKey, GameTable] = {}
        """Tables as they stand under the head that :attr:`_tree` is of: they change with the log alone."""
        self._connection: Connection | None = None
        self.broken: str | None = None
        """Why nothing can be written any more until a restart; ``None`` while all is well."""

    def prepare(self, act: Act) -> None:
        """What an act needs of this process before its turn; any thread may, whatever has its turn now."""
        act.prepare(self._vault)

    def transact(self, acts: list[Act]) -> Done:
        """Do acts that were prepared; raises :class:`UnansweredError` where the store or a key failed."""
        try:
            connection = self._connected()
            transaction = connection.begin()
            work, head, tree, planned = self._apply(connection, acts)
            try:
                transaction.commit()
            except Exception as error:
                if not self._was_committed(work):
                    raise
                log.warning("the answer to COMMIT was lost (%s), but the log has it", type(error).__name__)
        except Exception as error:
            self._forget(error)
            if isinstance(error, (UnsafeStoreError, MissingKeyError)):
                log.critical("nothing can be written: %s", error)
            elif not isinstance(error, UNREACHABLE):
                raise
            raise UnansweredError(Problem("unavailable")) from None
        self._mark(head)
        tree.settle()
        self._known = head
        self._remember(work)
        evidence = Evidence(head.vkey, head.checkpoint, tree, work.entries)
        outcomes = [plan if isinstance(plan, Problem) else _outcome(plan, evidence) for plan in planned]
        self._end_reading()
        return Done(outcomes, work.events)

    def close(self) -> None:
        """Give the connection back."""
        if self._connection is not None:
            self._connection.close()
        self._marks.close()

    def _apply(
        self, connection: Connection, acts: list[Act]
    ) -> tuple[Work, Head, GrowingTree, list[Planned | Problem]]:
        head = read_head(connection, to_write=True)
        if head is None:
            raise CorruptionError("the store has no head")
        tree = self._tree_of(head)
        work = Work(connection, self._vault, max(self._clock(), head.at), head.size, known=self._tables)
        work.load(act.needs() for act in acts)
        planned = [_plan(act, work) for act in acts]
        if work.added:
            signers = self._signing.signers(head)
            work.flush()
            stored = work.stored_entries()
            head = advance(connection, head, tree, signers, entries=work.added, stored=stored, at=work.at)
            self._tree = (head.checkpoint, tree)
        new = [(key, claimed) for key, claimed in work.claims.items() if not claimed.stored]
        if new:
            evidence = Evidence(head.vkey, head.checkpoint, tree, work.entries)
            work.keep_answers((key, c.digest, c.answer.text(evidence).encode()) for key, c in new)
        return work, head, tree, planned

    def _tree_of(self, head: Head) -> GrowingTree:
        if self._tree is not None and self._tree[0] == head.checkpoint:
            return self._tree[1]
        tree = GrowingTree(head.size, lambda level, n: need_tile(self._connected(), level, n), self._full)
        if tree.root() != head.frontier().root():
            raise CorruptionError("the tiles contradict the head's right edge")
        self._tables.clear()
        # Another process may have gone on with the log, never back nor elsewhere: a standby that lagged and
        # took over, or a backup restored under a running service, would show here.
        known = self._known
        if head.size < known.size or tree.root_at(known.size) != known.frontier().root():
            raise CorruptionError(f"the store no longer holds the {known.size} entries that it had")
        self._tree = (head.checkpoint, tree)
        return tree

    def _remember(self, work: Work) -> None:
        """Keep what tables are like now; where nothing was written, they are read again."""
        if len(self._tables) > MOST_TABLES:
            self._tables.clear()
        if not work.added:
            return
        for key, table in work.tables.items():
            if table.last_number:
                table.stored, table.touched = True, False
                self._tables[key] = table

    def _mark(self, head: Head) -> None:
        try:
            self._marks.write(head.checkpoint)
        except MarkError as error:
            # It is written, but nothing may be answered under a checkpoint that a restart would not know of.
            self._break(str(error))
            raise UnansweredError(Problem("internal", _UNKNOWN)) from None

    def _end_reading(self) -> None:
        """Proofs may have read tiles from the store, and that began another transaction.

        Nothing that goes wrong here may be taken for a failure of what was written before.
        """
        try:
            if self._connection is not None and self._connection.in_transaction():
                self._connection.rollback()
        except Exception as error:  # noqa: BLE001 -- the next transaction takes a new connection
            log.warning("the connection was lost after a transaction: %s", type(error).__name__)
            self._tree = None
            self._drop_connection()

    def _connected(self) -> Connection:
        if self._connection is None:
            self._connection = self._engine.connect()
        return self._connection

    def _was_committed(self, work: Work) -> bool:
        """Whether a COMMIT that raised was done after all: the log's entries at the expected places tell.

        They are read on a new connection, behind the head's lock: a COMMIT still under way holds that.
        Where they cannot be read, nobody may be told either way.
        """
        if not work.added:
            return False
        self._drop_connection()
        end = time.monotonic() + (0 if self._engine.dialect.name == "sqlite" else RESOLVE_TIME)
        while True:
            try:
                with self._engine.connect() as connection:
                    head = read_head(connection, to_write=True)
                    there = head is not None and head.size >= work.first + len(work.added)
                    return there and work.stored_entries(connection, len(work.added)) == work.added
            except Exception as error:
                if time.monotonic() < end:
                    time.sleep(0.2)
                    continue
                if self._engine.dialect.name == "sqlite":
                    self._break("whether the last transaction was written is unknown")
                log.critical("whether a group was written is unknown: %s", type(error).__name__)
                raise UnansweredError(Problem("internal", _UNKNOWN)) from error

    def _forget(self, error: Exception) -> None:
        """Trust nothing in memory after a failure; after a failed write to the disk, write no more."""
        self._tree = None
        self._tables.clear()
        self._drop_connection()
        cause = getattr(error, "orig", None)
        code = getattr(cause, "sqlite_errorcode", 0) & 0xFF if isinstance(cause, sqlite3.Error) else 0
        # After a failed fsync the kernel may call the lost pages clean: trying again would answer a lie.
        if code == sqlite3.SQLITE_IOERR or isinstance(error, CorruptionError):
            self._break(str(error) if isinstance(error, CorruptionError) else "the disk failed")

    def _break(self, why: str) -> None:
        if not self.broken:
            self.broken = why
            log.critical("the ledger stops until a restart: %s", why)

    def _drop_connection(self) -> None:
        if self._connection is not None:
            self._connection.invalidate()
            self._connection.close()
            self._connection = None


def _plan(act: Act, work: Work) -> Planned | Problem:
    try:
        return act.plan(work)
    except Problem as problem:
        return problem


def _outcome(planned: Planned, evidence: Evidence) -> Outcome:
    """What needs the tree is made here and now; it grows with the next transaction."""
    written = Written(planned, evidence)
    if planned.built or not planned.hands:
        return written.result()
    try:
        evidence.prove(planned.hands)
    except Exception as error:  # noqa: BLE001 -- see Written.result
        log.error("an answer could not be made: %s", type(error).__name__)  # noqa: TRY400 -- without its values
        return Problem("internal")
    return written

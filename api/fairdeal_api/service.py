"""The running service's parts, opened in order and closed in reverse; what routes get to work with."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import anyio.to_thread
from anyio import CapacityLimiter
from fastapi import Request
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.pool import QueuePool

from fairdeal_api import db, keys
from fairdeal_api.admission import Gate
from fairdeal_api.alone import StoreLock, TakenError
from fairdeal_api.head import Head
from fairdeal_api.ledger import Ledger
from fairdeal_api.limits import LocalAllowances, Rates, take_shared
from fairdeal_api.marks import MarkError, MarkFile
from fairdeal_api.metrics import Metrics
from fairdeal_api.postgres import UNREACHABLE, UnsafeStoreError
from fairdeal_api.problems import Problem
from fairdeal_api.settings import Settings
from fairdeal_api.signing import Signing
from fairdeal_api.starting import FIRST_OPERATOR, StartupError, UnreachableError, open_log, refuse_name
from fairdeal_api.tree import FullTiles
from fairdeal_api.vault import Vault
from fairdeal_api.writer import Writer

__all__ = ["FIRST_OPERATOR", "Clock", "Service", "StartupError", "open_service", "service_of", "system_clock"]

log = logging.getLogger("fairdeal.service")

CLOSING = 5.0
"""Seconds that reads under way get to finish when the service closes."""

KEY_READERS = 2
"""Threads for look-ups of operator keys, on the connections that the readers' pool has to spare."""

# The error's own text quotes the address, password and all.
_NO_ADDRESS = "the store cannot be opened: FAIRDEAL_DATABASE_URL is no SQLAlchemy address"

KnownKeys = dict[bytes, tuple[float, "asyncio.Future[str | None]"]]
"""By a key's digest: when it was looked up, and the operator that it was found to be of."""

Clock = Callable[[], int]
T = TypeVar("T")


@dataclass(slots=True)
class Service:
    """Everything behind the routes."""

    settings: Settings
    writer: Engine
    reader: Engine
    vault: Vault
    signing: Signing
    head: Head
    """The head at the start; its ``origin`` never changes."""
    full: FullTiles
    metrics: Metrics
    ledger: Ledger
    first_start: bool
    clock: Clock
    rates: Rates
    alone: StoreLock
    gate: Gate = field(default_factory=Gate)
    known_keys: KnownKeys = field(default_factory=dict, repr=False)
    _readers: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(db.READERS))
    _key_readers: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(KEY_READERS))

    async def read(self, query: Callable[[Connection], T], *, of_key: bool = False) -> T:
        """Run a read in a thread of its own limited set, in one transaction's view of the store.

        Look-ups of operator keys have a small set for themselves: no crowd of open reads holds them up.
        Raises :class:`Problem` ``unavailable`` where the store does not answer.
        """

        def run() -> T:
            try:
                with self.reader.begin() as connection:
                    return query(connection)
            except UNREACHABLE as error:
                log.warning("the store could not be read: %s", type(error).__name__)
                raise Problem("unavailable") from None

        return await anyio.to_thread.run_sync(run, limiter=self._key_readers if of_key else self._readers)

    def close(self) -> None:
        """Finish accepted writes, close the store."""
        self.ledger.close()
        _dispose(self.writer)
        _dispose(self.reader)
        self.alone.release()


def open_service(settings: Settings, clock: Clock | None = None, metrics: Metrics | None = None) -> Service:
    """Open the store and start the ledger; on the first start, make keys and an operator key.

    Raises :class:`StartupError` where keys and store do not belong together or cannot be used.
    """
    refuse_name(settings)
    _refuse_old_sqlite(settings)
    try:
        # Looked at before anything is made.
        new = db.is_new(settings.store_url)
        keys.make_folder(settings.data)
        alone = StoreLock.take(settings.store_url)
    except OSError as error:
        raise StartupError(f"{settings.data}: {error.strerror}") from None
    except TakenError as error:
        raise StartupError(str(error)) from None
    except ArgumentError:
        raise StartupError(_NO_ADDRESS) from None
    try:
        return _open(settings, alone, clock, metrics)
    except BaseException as error:
        if new and isinstance(error, StartupError):
            # An empty store would stand where the right one is to be put.
            db.remove_new(settings.store_url)
        alone.release()
        raise


def _refuse_old_sqlite(settings: Settings) -> None:
    found = sqlite3.sqlite_version_info
    if found < db.LEAST_SQLITE and db.is_sqlite(settings.store_url):
        needed = ".".join(map(str, db.LEAST_SQLITE))
        raise StartupError(f"this Python has SQLite {sqlite3.sqlite_version}; {needed} or newer is needed")


def _open(settings: Settings, alone: StoreLock, clock: Clock | None, metrics: Metrics | None) -> Service:
    try:
        writer = db.writer_engine(settings.store_url)
    except OSError as error:
        raise StartupError(f"{settings.data}: {error.strerror}") from None
    except ArgumentError:
        raise StartupError(_NO_ADDRESS) from None
    except ImportError:
        raise StartupError(f"the store cannot be opened: {db.NO_DRIVER}") from None
    full, metrics, clock = FullTiles(), metrics or Metrics(), clock or system_clock
    try:
        # In one transaction: a start that is refused leaves the tables to the release that they are of.
        with writer.begin() as connection:
            db.upgrade(connection)
            opened = open_log(settings, connection)
        marks = MarkFile.claim(settings.marks_path)
        marks.write(opened.head.checkpoint)
    except (MarkError, UnsafeStoreError, db.OtherReleaseError, SQLAlchemyError) as error:
        writer.dispose()
        kind = UnreachableError if isinstance(error, UNREACHABLE) else StartupError
        raise kind(_said(error)) from None
    except BaseException:
        writer.dispose()
        raise
    ledger = Ledger(
        Writer(
            writer,
            opened.head,
            vault=opened.vault,
            signing=opened.signing,
            marks=marks,
            full=full,
            clock=clock,
        ),
        metrics,
    )
    ledger.start()
    reader = db.reader_engine(settings.store_url)
    rates = _rates(settings, writer, clock)
    return Service(
        settings,
        writer,
        reader,
        opened.vault,
        opened.signing,
        opened.head,
        full,
        metrics,
        ledger,
        opened.first_start,
        clock,
        rates,
        alone,
    )


def service_of(request: Request) -> Service:
    """The service behind a request. Called, not injected: what is injected costs every request some 20 µs."""
    service: Service = request.app.state.service
    return service


def system_clock() -> int:
    """Milliseconds since the Unix epoch."""
    return time.time_ns() // 1_000_000


def _dispose(engine: Engine) -> None:
    """Close an engine's connections, once they are back: a read whose request is gone may be under way."""
    end = time.monotonic() + CLOSING
    pool = engine.pool
    while isinstance(pool, QueuePool) and pool.checkedout() and time.monotonic() < end:
        time.sleep(0.01)
    engine.dispose()


def _said(error: Exception) -> str:
    if not isinstance(error, SQLAlchemyError):
        return str(error)
    # Of several, the first: clearing up after a migration that failed fails, too.
    first, before = error, error.__context__
    while before is not None:
        first, before = before if isinstance(before, SQLAlchemyError) else first, before.__context__
    cause = getattr(first, "orig", None)
    return f"the store cannot be opened: {cause or type(first).__name__}"


def _rates(settings: Settings, writer: Engine, clock: Clock) -> Rates:
    rate = settings.operator_rate
    if db.is_sqlite(settings.store_url):
        # The log's only process: nobody to share with, and its writer is not kept waiting.
        return Rates(rate, LocalAllowances(rate, clock).take)

    def take(operator: str, wanted: int) -> int:
        with writer.begin() as connection:
            return take_shared(connection, operator, rate, wanted, clock())

    return Rates(rate, lambda operator, wanted: anyio.to_thread.run_sync(take, operator, wanted))

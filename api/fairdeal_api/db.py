"""Engines: one for the ledger's writes, one for reads, and the migrations that both expect.

SQLite is set up for one writer and many readers: write-ahead log, every commit synchronised to disk, the
write lock taken at BEGIN so that no transaction reads before it may write.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from functools import lru_cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url

from fairdeal_api import postgres

READERS = 8
"""Connections, and so threads, for reads."""

LEAST_SQLITE = (3, 33)
"""The first release that updates many rows from a list of values (:mod:`fairdeal_api.bulk`)."""

NO_DRIVER = "the database's driver is not installed: pip install '.[postgres]' in fairdeal's folder"

_PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = FULL",
    "foreign_keys = ON",
    "busy_timeout = 10000",
    # Ids and seals are random, so their indexes are written all over: 32 MiB hold much of millions.
    "cache_size = -32768",
    # For the same reason: a page of theirs is written back once for many transactions that touched it.
    "wal_autocheckpoint = 16384",
)


def writer_engine(url: str) -> Engine:
    """The engine of the one connection that writes the log.

    Connecting raises :class:`fairdeal_api.postgres.UnsafeStoreError` where it would not be durable.
    """
    if is_sqlite(url):
        return _sqlite(url, "BEGIN IMMEDIATE", pool_size=1, max_overflow=2)
    return postgres.writer_engine(url)


def reader_engine(url: str) -> Engine:
    """The engine of everything that only reads; each transaction sees one state of the store."""
    if is_sqlite(url):
        return _sqlite(url, "BEGIN", pool_size=READERS, max_overflow=2)
    return postgres.reader_engine(url, READERS)


def is_sqlite(url: str) -> bool:
    """Whether the address is of a SQLite file."""
    return make_url(url).get_backend_name() == "sqlite"


def is_new(url: str) -> bool:
    """Whether the address is of a SQLite file that is not there yet."""
    path = make_url(url).database if is_sqlite(url) else None
    return bool(path) and path != ":memory:" and not os.path.lexists(str(path))


def remove_new(url: str) -> None:
    """Take away a SQLite file that a start made and then did not use; nothing has it open."""
    for end in ("", "-wal", "-shm"):
        Path(f"{make_url(url).database}{end}").unlink(missing_ok=True)


class OtherReleaseError(RuntimeError):
    """The store's tables are of another release; the text says what to do."""


def migrate(engine: Engine) -> None:
    """:func:`upgrade` in a transaction of its own."""
    with engine.begin() as connection:
        upgrade(connection)


def upgrade(connection: Connection) -> None:
    """Bring the store's tables to this release's form, in the connection's transaction.

    Raises :class:`OtherReleaseError` where a newer release has brought them to its own.
    """
    start_alone(connection)
    _refuse_newer(connection)
    config = _migrations()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def require_current(connection: Connection) -> bool:
    """Raise :class:`OtherReleaseError` where there are tables that are not of this release.

    An older release may be serving from them, and could not go on once they were changed. Says whether there
    are any tables.
    """
    found = _refuse_newer(connection)
    if found is not None and found != _revisions()[0]:
        raise OtherReleaseError(
            "the store is of an earlier release: stop its service, and start this release's to bring it up"
        )
    return found is not None


def make(engine: Engine) -> None:
    """Make the tables of a new store, and see that those of another one are this release's."""
    with engine.begin() as connection:
        if not require_current(connection):
            upgrade(connection)


def is_current(connection: Connection) -> bool:
    """Whether the tables are of this release."""
    return MigrationContext.configure(connection).get_current_revision() == _revisions()[0]


def _refuse_newer(connection: Connection) -> str | None:
    """The revision that the tables are at, if there are any."""
    found = MigrationContext.configure(connection).get_current_revision()
    if found is not None and found not in _revisions():
        raise OtherReleaseError(
            f"the store is of a newer release (its tables are at revision {found}): use that"
        )
    return found


@lru_cache(maxsize=1)
def _revisions() -> tuple[str, ...]:
    """This release's revisions, the newest first."""
    return tuple(script.revision for script in ScriptDirectory.from_config(_migrations()).walk_revisions())


def _migrations() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config


def start_alone(connection: Connection) -> None:
    """Let one process at a time make tables or begin a log; SQLite's writers are alone anyway."""
    if connection.dialect.name == "postgresql":
        postgres.start_alone(connection)


def _make_private(path: str) -> None:
    """Make the file where there is none: SQLite would make it readable by all.

    Its journal and shared memory take this file's mode. A file that is there is never opened here: closing
    any descriptor of it drops all of this process's POSIX locks on it, SQLite's too, and another process
    would then delete the write-ahead log that this one goes on writing to.
    """
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def _sqlite(url: str, begin: str, pool_size: int, max_overflow: int) -> Engine:
    path = make_url(url).database
    if path and path != ":memory:":
        _make_private(path)
    # hide_parameters: SQLAlchemy's errors would otherwise quote the values of the statement that failed.
    engine = create_engine(url, pool_size=pool_size, max_overflow=max_overflow, hide_parameters=True)

    @event.listens_for(engine, "connect")
    def _connect(connection: sqlite3.Connection, _record: object) -> None:
        # Transactions are begun by the event below, not by the driver's guess at the first write.
        connection.isolation_level = None
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine

"""PostgreSQL engines: sessions that wait for durability, give up a stuck lock, and notice a dead peer.

What a server or role has for defaults is not relied on: every session checks or sets what the ledger needs
(docs/adr/0010-shared-log.md).
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.exc import InterfaceError, InternalError, OperationalError

DURABLE = ("on", "remote_apply")
"""Values of ``synchronous_commit`` under which a COMMIT that was answered outlives this server's machine."""

UNREACHABLE = (OperationalError, InterfaceError, InternalError)
"""What SQLAlchemy raises where a store does not answer, or not just now."""

STARTING = 0x6661697264
"""The advisory lock that starts hold, so that two of them never make the same tables or begin a log twice."""

LOCK_TIME = 10
"""Seconds to wait for the head before a group is answered 503."""

_WRITER = {
    "lock_timeout": f"{LOCK_TIME}s",
    # A process that froze holds the head no longer than this; the others wait LOCK_TIME, so 503 comes first.
    "idle_in_transaction_session_timeout": "15s",
    # Not a limit but its absence: a COMMIT cancelled while it waits for the standby counts as done.
    "statement_timeout": "0",
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
}
_CONNECT = {
    "application_name": "fairdeal",
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
    # Of several hosts in the address, the one that is no standby.
    "target_session_attrs": "primary",
}


class UnsafeStoreError(RuntimeError):
    """The database is set up so that what it confirmed may be lost; the text says which setting."""


def writer_engine(url: str) -> Engine:
    """The engine of the ledger. READ COMMITTED: what follows the head's lock sees what its last holder did.

    Connecting raises :class:`UnsafeStoreError` where a session would not be durable.
    """
    engine = create_engine(
        url,
        pool_size=1,
        max_overflow=2,
        hide_parameters=True,
        pool_pre_ping=True,
        isolation_level="READ COMMITTED",
        connect_args=_CONNECT,
    )

    @event.listens_for(engine, "connect")
    def _connect(connection: Any, _record: object) -> None:
        try:
            _set_up(connection)
        except BaseException:
            # Nobody else closes a connection that is not good enough to be kept.
            connection.close()
            raise

    return engine


def reader_engine(url: str, readers: int) -> Engine:
    """The engine of reads; each transaction sees one state of the store and can change nothing."""
    return create_engine(
        url,
        pool_size=readers,
        max_overflow=2,
        hide_parameters=True,
        pool_pre_ping=True,
        isolation_level="REPEATABLE READ",
        connect_args=_CONNECT | {"options": "-c default_transaction_read_only=on -c statement_timeout=30s"},
    )


def start_alone(connection: Connection) -> None:
    """Wait until no other process is starting; holds until the transaction ends."""
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": STARTING})


def _set_up(connection: Any) -> None:
    connection.autocommit = True
    with connection.cursor() as cursor:
        # Set to what was checked: a server that is configured anew does not change this session.
        for name, value in {**_WRITER, "synchronous_commit": _durable(cursor)}.items():
            cursor.execute("SELECT set_config(%s, %s, false)", (name, value))
    connection.autocommit = False


def _durable(cursor: Any) -> str:
    for name in ("fsync", "full_page_writes"):
        if _show(cursor, name) != "on":
            raise UnsafeStoreError(f"PostgreSQL runs with {name} off: what it confirms may be lost")
    found = _show(cursor, "synchronous_commit")
    if found not in DURABLE:
        raise UnsafeStoreError(
            f"PostgreSQL runs with synchronous_commit {found}: what it confirms may be lost; set it to on"
        )
    return found


def _show(cursor: Any, name: str) -> str:
    cursor.execute("SELECT current_setting(%s)", (name,))
    return str(cursor.fetchone()[0])

"""One service for a SQLite store: a lock on a file beside it, held for as long as the service runs.

Not on the store itself: SQLite's own locks live there, and commands (operators, keys, exports, backups) work
beside a running service. PostgreSQL's stores are shared between processes, and have no such lock.
"""

from __future__ import annotations

import fcntl
import os
from dataclasses import dataclass

from sqlalchemy.engine import make_url

from fairdeal_api import db


class TakenError(RuntimeError):
    """Another service runs on the store."""


@dataclass(slots=True)
class StoreLock:
    """The right to serve from a store; ``handle`` is none where the store may be shared."""

    handle: int | None

    @classmethod
    def take(cls, url: str) -> StoreLock:
        """The lock of the store at this address; raises :class:`TakenError`, or OSError for its folder."""
        path = make_url(url).database if db.is_sqlite(url) else None
        if not path or path == ":memory:":
            return cls(None)
        handle = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            raise TakenError(
                f"another service runs on {path}: stop it first; "
                "SQLite has one service at a time, PostgreSQL several"
            ) from None
        return cls(handle)

    def release(self) -> None:
        """Let another service have the store. The file stays: taking it away would part two that wait."""
        if self.handle is not None:
            os.close(self.handle)
            self.handle = None

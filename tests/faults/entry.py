"""The service as a process that kills itself at a named point of the writer: for tests alone.

    python -m tests.faults.entry DATA PORT DATABASE_URL|- POINT HITS

Nothing of this is in the service: its functions are wrapped here, in this process. A point counts only in
transactions that write for a request; reached for the HITS-th time, the process dies by SIGKILL.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fairdeal_api import db, ledger, server, work, writer
from fairdeal_api.acts import CommitAct, EndAct, LockAct
from fairdeal_api.settings import Settings
from sqlalchemy import event

POINTS = {
    "drawn": "seeds are drawn, no transaction yet",
    "begun": "the head is read and locked",
    "planned": "all is decided, nothing written",
    "written": "rows are written, no checkpoint signed",
    "signed": "the checkpoint is signed, not committed",
    "committing": "just before COMMIT",
    "committed": "COMMIT is done, the mark not begun",
    "marking": "the mark is written, not synchronised",
    "marked": "the mark is on disk, no answer built",
    "answering": "answers are built, none handed out",
    "answered": "some answers may have left",
}


class Trap:
    """Counts how often the point was reached while the ledger works for a request."""

    def __init__(self, point: str, hits: int) -> None:
        self.point, self.left, self.armed = point, hits, False

    def reached(self, point: str) -> None:
        """Die here, if this is the point and its time has come."""
        if self.armed and point == self.point:
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    def around(self, owner: Any, name: str, *, before: str = "", after: str = "") -> None:
        """Wrap a function so that its call, or its return, is a point."""
        inner: Callable[..., Any] = getattr(owner, name)

        def wrapped(*args: Any, **kwargs: Any) -> Any:
            if before:
                self.reached(before)
            value = inner(*args, **kwargs)
            if after:
                self.reached(after)
            return value

        setattr(owner, name, wrapped)


def lay(trap: Trap) -> None:
    """Wrap the writer's functions."""
    settle = ledger.Ledger._settle

    def settling(self: ledger.Ledger, acts: list[Any]) -> Any:
        trap.armed = any(isinstance(act, (CommitAct, LockAct, EndAct)) for act in acts)
        return settle(self, acts)

    ledger.Ledger._settle = settling  # type: ignore[method-assign]  # this process's own copy
    trap.around(writer.Writer, "_connected", before="drawn")
    trap.around(writer, "read_head", after="begun")
    trap.around(work.Work, "flush", before="planned", after="written")
    trap.around(writer, "advance", after="signed")
    trap.around(writer.Writer, "_mark", before="committed", after="marked")
    # Of all that synchronises files, only the mark does so by Python's own function.
    trap.around(os, "fdatasync", before="marking")
    trap.around(ledger, "_deliver", before="answering", after="answered")
    opened = db.writer_engine

    def open_engine(url: str) -> Any:
        engine = opened(url)
        event.listen(engine, "commit", lambda _: trap.reached("committing"))
        return engine

    db.writer_engine = open_engine


def main() -> None:
    """Serve until the trap springs."""
    data, port, url, point, hits = sys.argv[1:]
    lay(Trap(point, int(hits)))
    settings = Settings(data=Path(data), database_url=None if url == "-" else url)
    server.run(settings, "127.0.0.1", int(port))


if __name__ == "__main__":
    main()

"""Writing the files that a command is asked for: whole under their name, or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fairdeal_cli.failures import SourceError

FULL = (errno.ENOSPC, errno.EDQUOT)
"""What the system says where a disk, or what one may use of it, is full."""


@contextmanager
def whole(file: Path) -> Iterator[Path]:
    """Where to write what shall stand under ``file``: beside it, and moved there once all of it is on disk.

    Whatever fails, a file that stood there before stays as it was. Raises :class:`SourceError` ``no-room`` or
    ``unreadable`` where it cannot be written.
    """
    try:
        if file.exists() and not file.is_file():
            # A device or a pipe takes bytes as they come, and must not be replaced by a file.
            yield file
            return
        # A link goes on leading to the file.
        target = file.resolve()
        draft = target.with_name(f".fairdeal-{os.getpid()}.part")
        try:
            yield draft
            with draft.open("rb") as written:
                os.fsync(written.fileno())
            if target.exists():
                draft.chmod(target.stat().st_mode & 0o777)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        code = "no-room" if error.errno in FULL else "unreadable"
        # What is not the system's own error, such as a library's, has other words in it.
        why = os.strerror(error.errno) if error.errno else error.strerror or error
        raise SourceError(code, f"{file}: cannot be written ({why})") from None

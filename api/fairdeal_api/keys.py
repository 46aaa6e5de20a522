"""Key files: made on the first start with mode 0600, and refused where others could read or swap them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

LARGEST = 64 << 10
"""Bytes of a key file."""


class KeyFileError(RuntimeError):
    """A key file that is missing or that the service will not use as it lies there; names the file."""


def make_folder(path: Path) -> None:
    """The data folder, readable by its owner alone."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)


def write_new(path: Path, text: str) -> None:
    """Write a key file that must not exist yet; it is on disk, folder entry included, when this returns."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def read(path: Path) -> str:
    """A key file's text.

    Raises :class:`KeyFileError` where it is missing, no plain file, another owner's, or open to others.
    """
    try:
        # Not waiting for a writer where the path is a pipe.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        raise KeyFileError(f"{path}: no such key file") from None
    except OSError as error:
        raise KeyFileError(f"{path}: cannot be read ({error.strerror})") from None
    try:
        # The open file is looked at, not the path, which may be a link or be swapped in between.
        _check(path, os.fstat(handle))
        data = os.read(handle, LARGEST)
    finally:
        os.close(handle)
    return data.decode("ascii", errors="replace")


def _check(path: Path, about: os.stat_result) -> None:
    if not stat.S_ISREG(about.st_mode):
        raise KeyFileError(f"{path}: must be a plain file")
    if about.st_uid != os.geteuid():
        raise KeyFileError(f"{path}: must belong to the user that the service runs as")
    if stat.S_IMODE(about.st_mode) & 0o077:
        raise KeyFileError(f"{path}: must not be open to group or others (chmod 600)")
    if about.st_size > LARGEST:
        raise KeyFileError(f"{path}: is too large for a key file")

"""Key files: made on the first start with mode 0600, and refused where others could read or swap them."""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Generic, TypeVar

log = logging.getLogger("fairdeal.keys")

T = TypeVar("T")

LARGEST = 64 << 10
"""Bytes of a key file."""


class KeyFileError(RuntimeError):
    """A key file that is missing or that the service will not use as it lies there; names the file."""


def make_folder(path: Path) -> None:
    """The data folder, made for its owner alone. One that is there keeps its mode.

    The log says so if that lets others in. Raises :class:`OSError` also where something else has its name.
    """
    if path.is_symlink() and not path.exists():
        raise NotADirectoryError(errno.ENOTDIR, "is a link that leads nowhere", str(path))
    if path.exists() and not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "is not a folder", str(path))
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        # Not changed: it may be somebody's home, or /tmp. The files in it are closed to others by themselves.
        log.warning("%s: the data folder is open to group or others (chmod 700)", path)


def write_new(path: Path, text: str) -> None:
    """Write a key file that must not exist yet; it is on disk, folder entry included, when this returns."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(path.parent)


def rewrite(path: Path, text: str) -> None:
    """Put a new text in a key file's place, whole or not at all; durable when this returns."""
    path = path.resolve()  # where the file is a link, what it leads to is replaced
    beside = path.with_name(f".{path.name}.new")
    beside.unlink(missing_ok=True)
    write_new(beside, text)
    beside.replace(path)
    sync_folder(path.parent)


@contextmanager
def changing(path: Path) -> Iterator[None]:
    """Keep other commands from changing a key file while the block runs."""
    handle = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def sync_folder(path: Path) -> None:
    """Make a folder's entries durable."""
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
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


class KeyFile(Generic[T]):
    """What a key file holds, read again when the file has changed.

    Making one raises :class:`KeyFileError`; so does ``parse`` for a text that is none of its kind.
    """

    def __init__(self, path: Path, parse: Callable[[str], T]) -> None:
        self.path = path
        self._parse = parse
        self._stamp = self._look()
        self.value = parse(read(path))

    def refresh(self) -> bool:
        """Read the file if it is another than before; says whether its content is in use now.

        A file that cannot be used changes nothing: the keys that were loaded stay, and the log says why.
        """
        stamp = self._look()
        if stamp == self._stamp:
            return False
        self._stamp = stamp
        try:
            self.value = self._parse(read(self.path))
        except KeyFileError as error:
            log.error("the key file was changed, but is not used: %s", error)  # noqa: TRY400 -- its text says it all
            return False
        log.info("loaded %s again", self.path)
        return True

    def _look(self) -> tuple[int, int, int] | None:
        try:
            about = self.path.stat()
        except OSError:
            return None
        return about.st_ino, about.st_mtime_ns, about.st_size

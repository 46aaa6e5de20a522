"""The high-water mark: the newest checkpoint that this machine signed, kept outside the database.

A database that was restored from a backup does not know what it lost. Signing on from there would give the
same indexes away twice: a fork, which verifiers rightly call a betrayal. So each process writes every
checkpoint to a file of its own before anything under it is answered, and a start compares.

A file holds two copies in blocks of their own, written in turn: a write that is cut short spoils one of them
and leaves the other. Its size never changes, so one fdatasync is all that a mark costs.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fairdeal.checkpoint import Checkpoint, parse_checkpoint
from fairdeal.errors import EvidenceError, MalformedError
from fairdeal.note import Verifier, open_note, parse_note
from fairdeal_api import keys

BLOCK = 4096
"""Bytes of a copy; a checkpoint is padded with line ends."""

_MOST = 1024


class MarkError(RuntimeError):
    """The marks cannot be read or written; the text says which file and why."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A checkpoint that was signed, and the file that says so."""

    path: Path
    checkpoint: Checkpoint
    note: str


class MarkFile:
    """This process's file. It is the process's as long as it lives, by a lock that dies with it."""

    def __init__(self, handle: int, path: Path, turn: int) -> None:
        self._handle, self._path, self._turn = handle, path, turn
        self.note = ""
        """What was written last."""

    @classmethod
    def claim(cls, folder: Path) -> MarkFile:
        """Take the first file that no living process has; make it where there is none.

        Raises :class:`MarkError` where the folder cannot be written.
        """
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for number in range(_MOST):
                path = folder / f"{number}.mark"
                handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    os.close(handle)
                    continue
                if os.fstat(handle).st_size < 2 * BLOCK:
                    os.pwrite(handle, b"\n" * (2 * BLOCK), 0)
                    os.fsync(handle)
                    keys.sync_folder(folder)
                return cls(handle, path, _older(os.pread(handle, 2 * BLOCK, 0)))
        except OSError as error:
            raise MarkError(f"{folder}: cannot be written ({error.strerror})") from None
        raise MarkError(f"{folder}: every mark is in use")

    def write(self, note: str) -> None:
        """Make a checkpoint the mark; it is on disk when this returns. Raises :class:`MarkError`.

        After an error nothing may be answered any more: the disk may say later that all was well.
        """
        if note == self.note:
            return
        try:
            if os.pwrite(self._handle, note.encode().ljust(BLOCK, b"\n"), self._turn * BLOCK) != BLOCK:
                raise MarkError(f"{self._path}: written in part")
            os.fdatasync(self._handle)
        except OSError as error:
            raise MarkError(f"{self._path}: cannot be written ({error.strerror})") from None
        self.note, self._turn = note, 1 - self._turn

    def close(self) -> None:
        """Give the file to whoever starts next."""
        os.close(self._handle)


def read_marks(folder: Path, verifiers: Sequence[Verifier]) -> list[Mark]:
    """The newest mark of every file, under the log's keys; files without any are left out.

    Raises :class:`MarkError` for a file that holds something, but no checkpoint of this log.
    """
    found = []
    for path in sorted(folder.glob("*.mark")):
        try:
            data = path.read_bytes()
        except OSError as error:
            raise MarkError(f"{path}: cannot be read ({error.strerror})") from None
        copies = [text for k in (0, BLOCK) if (text := data[k : k + BLOCK].strip(b"\n\0"))]
        marks = [mark for text in copies if (mark := _mark(path, text, verifiers))]
        if copies and not marks:
            raise MarkError(f"{path}: holds no checkpoint that this log's keys have signed")
        if marks:
            found.append(max(marks, key=lambda mark: mark.checkpoint.size))
    return found


def read_published(path: Path, verifiers: Sequence[Verifier]) -> Mark:
    """A published checkpoint that a start is given; raises :class:`MarkError` where it is none of the log."""
    try:
        data = path.read_bytes()[: 2 * BLOCK]
    except OSError as error:
        raise MarkError(f"{path}: cannot be read ({error.strerror})") from None
    mark = _mark(path, data.strip(b"\n"), verifiers)
    if mark is None:
        raise MarkError(f"{path}: holds no checkpoint that this log's keys have signed")
    return mark


def _mark(path: Path, text: bytes, verifiers: Sequence[Verifier]) -> Mark | None:
    try:
        note = parse_note(text.decode() + "\n")
        open_note(note, verifiers)
        return Mark(path, parse_checkpoint(note.text), text.decode() + "\n")
    except (MalformedError, EvidenceError, UnicodeDecodeError):
        return None


def _older(data: bytes) -> int:
    """The copy to write next: the one with the smaller log, a broken one first."""
    sizes = []
    for k in (0, BLOCK):
        try:
            note = parse_note(data[k : k + BLOCK].strip(b"\n\0").decode() + "\n")
            sizes.append(parse_checkpoint(note.text).size)
        except (MalformedError, UnicodeDecodeError):
            sizes.append(-1)
    return sizes.index(min(sizes))

"""What an audit keeps from one run to the next: the last checkpoint it saw of each log (protocol §10.5).

A log that later shows another history contradicts its own signature. Both checkpoints are kept then.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from fairdeal.audit.log.source import SignedHead, SourceError, parse_head
from fairdeal.errors import FairdealError


class State:
    """A folder with one signed checkpoint per log, under a name made of the log's."""

    def __init__(self, folder: Path) -> None:
        """The folder is made when something is first kept."""
        self.folder = folder

    def last(self, origin: str) -> SignedHead | None:
        """The checkpoint kept of a log. Raises :class:`SourceError` ``damaged`` where it cannot be read."""
        path = self._path(origin)
        try:
            kept = parse_head(path.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, FairdealError) as error:
            raise SourceError("damaged", f"{path}: a damaged file, not the log's doing: {error}") from None
        if kept.head.origin != origin:
            raise SourceError("damaged", f"{path}: a damaged file, not the log's doing: it names another log")
        return kept

    def keep(self, head: SignedHead) -> None:
        """Keep a checkpoint in place of the last one; :class:`SourceError` where it cannot be written."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_durably(self._path(head.head.origin), head.text.encode())
        except OSError as error:
            raise SourceError("unreadable", f"{self.folder}: cannot be written ({error.strerror})") from None

    def keep_evidence(self, *heads: SignedHead) -> list[Path]:
        """Keep the checkpoints of a log that forked, beside what was kept before; answers where."""
        return keep_evidence(self.folder, *heads)

    def _path(self, origin: str) -> Path:
        return self.folder / f"{hashlib.sha256(origin.encode()).hexdigest()[:16]}.checkpoint"


def keep_evidence(folder: Path, *heads: SignedHead) -> list[Path]:
    """Write signed checkpoints that contradict each other into ``folder``/evidence, one file each."""
    place = folder / "evidence"
    place.mkdir(parents=True, exist_ok=True)
    paths = []
    for head in heads:
        path = place / f"{head.head.size}-{head.head.root.hex()[:16]}.checkpoint"
        write_durably(path, head.text.encode())
        paths.append(path)
    return paths


def write_durably(path: Path, data: bytes) -> None:
    """Replace a file: its data is on disk before its name is, and its name before this returns."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

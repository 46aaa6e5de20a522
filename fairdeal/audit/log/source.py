"""Where a log comes from: a folder in the tlog-tiles layout, or an address (protocol §8.2).

The caller brings the way to fetch: this package opens no sockets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from fairdeal.audit.log.parts import CHUNK, ChunkTask, split_bundle
from fairdeal.checkpoint import Checkpoint, parse_checkpoint
from fairdeal.errors import FairdealError
from fairdeal.note import Note, parse_note
from fairdeal.tiling import WIDTH, Tile

CONNECTIONS = 8
"""Bundles fetched side by side."""

Fetch = Callable[[str], bytes | None]
"""The bytes at a path such as ``tile/0/000``, or ``None`` where the log has nothing there.

Raises :class:`SourceError` where the log cannot be reached.
"""


class SourceError(FairdealError):
    """An input that cannot be read or reached.

    ``code``: ``missing``, ``empty``, ``unreadable``, ``unreachable``, ``malformed`` or ``damaged``.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class SignedHead:
    """A checkpoint as it was served, and what it says."""

    text: str
    note: Note
    head: Checkpoint


def parse_head(data: bytes, *, strict: bool = True) -> SignedHead:
    """A checkpoint from the bytes served; :class:`fairdeal.MalformedError` where it is none.

    Logs of other kinds may add lines of their own after the head, which ``strict`` does not allow (§8.2).
    """
    text = data.decode("utf-8", "replace")
    note = parse_note(text, "checkpoint")
    lines = note.text if strict else "".join(f"{line}\n" for line in note.text.split("\n")[:3])
    return SignedHead(text, note, parse_checkpoint(lines))


class LogSource(Protocol):
    """A log to be read."""

    name: str
    """The source as the caller named it."""

    def checkpoint(self) -> bytes:
        """The signed checkpoint; :class:`SourceError` where there is none."""

    def task(self, start: int, stop: int) -> ChunkTask:
        """The entries from ``start`` up to ``stop``, to be audited."""

    def tile(self, tile: Tile) -> bytes | None:
        """A tile's bytes, from the full tile where the partial one is gone; ``None`` where there is none."""


class FolderLog:
    """A log as files, such as ``fairdeal log mirror`` keeps."""

    def __init__(self, folder: Path, name: str | None = None) -> None:
        """``folder`` holds ``checkpoint`` and ``tile/``."""
        self.folder = folder
        self.name = name or str(folder)

    def checkpoint(self) -> bytes:
        """See :class:`LogSource`."""
        try:
            return (self.folder / "checkpoint").read_bytes()
        except FileNotFoundError:
            raise SourceError("missing", f"{self.name}: no checkpoint there, so no log") from None
        except OSError as error:
            raise SourceError("unreadable", f"{self.name}: {error.strerror}") from None

    def task(self, start: int, stop: int) -> ChunkTask:
        """See :class:`LogSource`: a worker reads the files itself."""
        return ChunkTask(start, stop, folder=str(self.folder))

    def tile(self, tile: Tile) -> bytes | None:
        """See :class:`LogSource`."""
        for path in _paths(tile):
            try:
                return _cut((self.folder / path).read_bytes(), tile)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise SourceError("unreadable", f"{self.folder / path}: {error.strerror}") from None
        return None


class RemoteLog:
    """A log at an address."""

    def __init__(self, fetch: Fetch, name: str) -> None:
        """``fetch`` answers paths below the address."""
        self._fetch = fetch
        self.name = name

    def checkpoint(self) -> bytes:
        """See :class:`LogSource`."""
        data = self._fetch("checkpoint")
        if data is None:
            raise SourceError("missing", f"{self.name}: no checkpoint there, so no log")
        return data

    def task(self, start: int, stop: int) -> ChunkTask:
        """See :class:`LogSource`: the entries are fetched here, for connections cannot be shared out."""
        return loaded(self, start, stop)

    def tile(self, tile: Tile) -> bytes | None:
        """See :class:`LogSource`."""
        for path in _paths(tile):
            data = self._fetch(path)
            if data is not None:
                return _cut(data, tile)
        return None


def loaded(source: LogSource, start: int, stop: int) -> ChunkTask:
    """Entries to be audited with their bytes in the task, so that nobody else needs the source."""
    numbers = range(start // WIDTH, -(-stop // WIDTH))
    tiles = [Tile(-1, number, min(WIDTH, stop - number * WIDTH)) for number in numbers]
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        bundles = [data or b"" for data in pool.map(source.tile, tiles)]
    return ChunkTask(start, stop, bundles=tuple(bundles))


class Entries:
    """Single entries of a source, read again when the audit needs to look at one twice."""

    def __init__(self, source: LogSource, size: int) -> None:
        self._source = source
        self._size = size
        self._kept: tuple[int, list[bytes]] = (-1, [])

    def __call__(self, index: int) -> bytes:
        """The bytes of one entry; empty where it cannot be had."""
        number, place = divmod(index, WIDTH)
        if self._kept[0] != number:
            width = min(WIDTH, self._size - number * WIDTH)
            entries, _ = split_bundle(self._source.tile(Tile(-1, number, width)) or b"")
            self._kept = (number, entries[:width])
        entries = self._kept[1]
        return entries[place] if place < len(entries) else b""


def stretches(size: int) -> Iterator[tuple[int, int]]:
    """The stretches of a log of ``size`` entries: where each starts and stops."""
    for start in range(0, size, CHUNK):
        yield start, min(size, start + CHUNK)


def _paths(tile: Tile) -> list[str]:
    # A log may drop a partial tile once the full one exists, so the full one is asked for next.
    full = Tile(tile.level, tile.index)
    return [tile.path] if tile.width == WIDTH else [tile.path, full.path]


def _cut(data: bytes, tile: Tile) -> bytes:
    """A full tile's bytes cut to the width asked for; a bundle's are cut when it is parsed."""
    return data if tile.level < 0 else data[: tile.width * 32]

"""A mirrored log on disk: files that are durable before anything says that they are there."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from fairdeal.audit.log.chunk import tile_head
from fairdeal.audit.log.source import SignedHead, SourceError, parse_head
from fairdeal.audit.state import keep_evidence, sync_folder, write_durably
from fairdeal.errors import FairdealError
from fairdeal.merkle import HASH_SIZE
from fairdeal.tiling import WIDTH, Tile, parse_tile_path

CHECKPOINT = "checkpoint"
KEY = "key"


class MirrorFolder:
    """A folder in the log's own layout, with the key that it is mirrored under in ``key``.

    ``checkpoint`` is the mirror's state: it is replaced last, when all that it covers is on disk. Files
    beyond it are left from a run that was cut short.
    """

    def __init__(self, folder: Path) -> None:
        """The folder need not exist."""
        self.folder = folder
        self._unsynced: set[Path] = set()

    def head(self) -> SignedHead | None:
        """The checkpoint that the mirror stands at; :class:`SourceError` ``damaged`` where it is none."""
        path = self.folder / CHECKPOINT
        try:
            return parse_head(path.read_bytes(), strict=False)
        except FileNotFoundError:
            return None
        except (OSError, FairdealError) as error:
            raise damaged(path, str(error)) from None

    def keys(self) -> list[str] | None:
        """The verifier keys of earlier runs, several while a log changes its; ``None`` before the first.

        An empty list is a damaged file.
        """
        try:
            return (self.folder / KEY).read_text(encoding="utf-8").split()
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise damaged(self.folder / KEY, str(error)) from None

    def pin(self, vkeys: Sequence[str]) -> None:
        """Keep the verifier keys for the runs to come."""
        with _written(self.folder / KEY):
            self.folder.mkdir(parents=True, exist_ok=True)
            write_durably(self.folder / KEY, "".join(f"{vkey}\n" for vkey in vkeys).encode())

    def read(self, tile: Tile) -> bytes | None:
        """A tile or bundle from disk, under its own name alone."""
        try:
            return (self.folder / tile.path).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise damaged(self.folder / tile.path, str(error.strerror)) from None

    def hashes(self, tile: Tile, size: int) -> bytes:
        """A tile of hashes of a mirror of ``size`` entries, cut to the width asked for; empty if missing."""
        row = (size >> 8 * tile.level) - tile.index * WIDTH
        data = self.read(Tile(tile.level, tile.index, max(1, min(WIDTH, row)))) or b""
        return data[: tile.width * HASH_SIZE]

    def write(self, tile: Tile, data: bytes) -> None:
        """Write a tile; its name is durable after :meth:`settle`."""
        path = self.folder / tile.path
        temporary = path.with_name(f".{path.name}.new")
        with _written(path):
            if not path.parent.is_dir():
                self._make(path.parent)
            try:
                with temporary.open("wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                temporary.replace(path)
            except OSError:
                temporary.unlink(missing_ok=True)
                raise
        self._unsynced.add(path.parent)

    def settle(self) -> None:
        """Make the names of all files written so far durable."""
        for folder in sorted(self._unsynced):
            with _written(folder):
                sync_folder(folder)
        self._unsynced.clear()

    def move_to(self, head: SignedHead) -> None:
        """Make ``head`` the mirror's state, and drop partial tiles that it has no use for."""
        self.settle()
        with _written(self.folder / CHECKPOINT):
            write_durably(self.folder / CHECKPOINT, head.text.encode())
        self._drop_partials(head.head.size)

    def keep_evidence(self, *heads: SignedHead) -> list[Path]:
        """Keep signed checkpoints that contradict each other; answers their files."""
        with _written(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            return keep_evidence(self.folder, *heads)

    def _make(self, folder: Path) -> None:
        missing = []
        while not folder.is_dir():
            missing.append(folder)
            folder = folder.parent
        for path in reversed(missing):
            path.mkdir(exist_ok=True)
            self._unsynced.add(path.parent)

    def _drop_partials(self, size: int) -> None:
        for path in sorted((self.folder / "tile").glob("**/*.p/*")):
            try:
                tile = parse_tile_path(path.relative_to(self.folder).as_posix())
            except FairdealError:
                continue
            row = size >> 8 * max(tile.level, 0)
            if min(WIDTH, row - tile.index * WIDTH) != tile.width:
                path.unlink()
                if not any(path.parent.iterdir()):
                    path.parent.rmdir()


@contextmanager
def _written(path: Path) -> Iterator[None]:
    """Name the file of the mirror that the system would not write, and why."""
    try:
        yield
    except OSError as error:
        code = "no-room" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "unreadable"
        raise SourceError(code, f"{path}: cannot be written ({error.strerror})") from None


def rows_above(heads: bytes) -> list[bytes]:
    """The rows of tile hashes from level 1 up, from the heads of all full tiles of level 0."""
    rows = []
    row = heads
    while row:
        rows.append(row)
        full = len(row) // HASH_SIZE // WIDTH
        row = b"".join(
            tile_head(split(row[k * WIDTH * HASH_SIZE : (k + 1) * WIDTH * HASH_SIZE])) for k in range(full)
        )
    return rows


def split(hashes: bytes) -> Sequence[bytes]:
    """Joined hashes one by one."""
    return [hashes[k : k + HASH_SIZE] for k in range(0, len(hashes), HASH_SIZE)]


def tiles_of(row: bytes, level: int, first: int = 0) -> list[tuple[Tile, bytes]]:
    """A row's tiles from number ``first`` on, the last one partial where the row ends within it."""
    count = len(row) // HASH_SIZE
    found = []
    for number in range(first, -(-count // WIDTH)):
        width = min(WIDTH, count - number * WIDTH)
        start = number * WIDTH * HASH_SIZE
        found.append((Tile(level, number, width), row[start : start + width * HASH_SIZE]))
    return found


def damaged(path: Path, why: str) -> SourceError:
    """The error for a file of the mirror that is not what was written."""
    return SourceError("damaged", f"{path}: this file is damaged, which is not the log's doing ({why})")

"""Columns of many values, in memory or in a file, of which some rows are looked at again. Needs numpy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

NAMES = ("print", "owner", "tag", "code")
"""``print``, ``owner`` and ``code`` are (n,), ``tag`` is (n, 2)."""

BLOCK = 1 << 16
"""Rows that are read from a file at a time."""

_U64 = np.dtype("<u8")


@dataclass(frozen=True)
class Piece:
    """Some values of one kind. Columns are held, or lie at offsets of a file; one of zeros may be absent."""

    count: int
    held: Mapping[str, Array] = field(default_factory=dict)
    path: Path | None = None
    offsets: Mapping[str, int] = field(default_factory=dict)

    def read(self, name: str, first: int, end: int) -> Array:
        """A column's rows from ``first`` to before ``end``."""
        if name in self.held:
            return self.held[name][first:end]
        width = 2 if name == "tag" else 1
        if self.path is None or name not in self.offsets:
            found = np.zeros((end - first) * width, _U64)
        else:
            offset = self.offsets[name] + first * width * _U64.itemsize
            found = np.fromfile(self.path, _U64, (end - first) * width, offset=offset)
            if len(found) != (end - first) * width:
                raise OSError(f"{self.path}: it no longer holds what was written to it")
        return found.reshape(-1, 2) if name == "tag" else found

    def take(self, name: str, rows: Array) -> Array:
        """A column at some rows, (k,) ascending."""
        if name in self.held:
            return self.held[name][rows]
        edges = np.flatnonzero(np.diff(rows // BLOCK)) + 1
        parts = []
        for some in np.split(rows, edges):
            first, end = int(some[0]), int(some[-1]) + 1
            parts.append(self.read(name, first, end)[some - first])
        return np.concatenate(parts)


def taken(pieces: Sequence[Piece], name: str, rows: Array) -> Array:
    """A column at some rows of all pieces together, (k,) ascending, k > 0."""
    edges = np.concatenate((np.zeros(1, np.int64), np.cumsum([piece.count for piece in pieces])))
    places = np.searchsorted(rows, edges)
    return np.concatenate([
        piece.take(name, rows[a:b] - start)
        for piece, a, b, start in zip(pieces, places, places[1:], edges, strict=False)
        if b > a
    ])  # fmt: skip


def stretches(pieces: Sequence[Piece], name: str, most: int) -> Iterator[Array]:
    """A column of all pieces, in order, at most so many rows at a time."""
    for piece in pieces:
        for first in range(0, piece.count, most):
            yield piece.read(name, first, min(first + most, piece.count))


class Spill:
    """Puts pieces into a file. A column that several kinds share is written once."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        """``file`` is open at its end."""
        self._file = file
        self._path = path
        self._written: dict[tuple[tuple[int, int], ...], int] = {}

    def put(self, pieces: Sequence[Piece]) -> Piece:
        """Pieces in memory as one in the file; they must live as long as this."""
        offsets = {}
        for name in NAMES:
            if any(name in piece.held for piece in pieces):
                columns = [piece.read(name, 0, piece.count) for piece in pieces]
                key = tuple((id(piece.held.get(name)), piece.count) for piece in pieces)
                if key not in self._written:
                    self._written[key] = self._file.tell()
                    for column in columns:
                        self._write(column)
                offsets[name] = self._written[key]
        return Piece(sum(piece.count for piece in pieces), path=self._path, offsets=offsets)

    def _write(self, column: Array) -> None:
        try:
            # Not tofile: on a full disk it may lose the end and say nothing.
            self._file.write(column.data)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from None

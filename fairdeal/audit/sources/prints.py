"""Equal 64-bit prints among hundreds of millions, with bounded memory: sorted in parts, on disk where many.

A print is the first eight bytes of a value that is random or a hash. Prints are dealt out by their leading
bits into parts, so that equal ones meet in one part and each part fits in memory when it is sorted. What goes
along with a print lies in columns of its own: it is looked at only where the print stands more than once.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairdeal.audit.engine import Threads, processors
from fairdeal.audit.sources.plainprints import KINDS, SIZES, Group, Rows

PARTS = 64
SORTED_TOGETHER = 2
"""Parts that are worked on at once."""
HELD = 8_000_000
"""Prints of all kinds together that are held in memory before some are written out: at most 320 MB."""

_U64 = np.dtype("<u8")
_ROW = np.dtype([(name, _U64) for name in ("print", "owner", "tag", "tag_end", "code")])

Array = NDArray[Any]
Table = NDArray[np.void]

Columns = dict[str, Array]
"""``print`` and ``owner``: (n,), ``tag``: (n, 2), ``code``: (n,). A column of zeros alone may be absent."""

Piece = Callable[[str], Array | None]
"""Gives a column of some prints by its name, or ``None`` where that is absent."""


class NumpyPrints:
    """Prints in arrays, spilled to a temporary folder that goes with this object."""

    def __init__(self, held: int = HELD, kinds: Sequence[str] = KINDS) -> None:
        """``held`` bounds the prints in memory."""
        self.again: Counter[int] = Counter()
        self._most = held
        self._held: dict[str, list[Columns]] = {kind: [] for kind in kinds}
        self._counts = dict.fromkeys(kinds, 0)
        self._spills: dict[str, list[_Spill]] = {kind: [] for kind in kinds}
        self._folder: Path | None = None

    def add(self, rows: Rows) -> None:
        """See :class:`fairdeal.audit.sources.plainprints.Prints`."""
        kind, values, owners, tags, codes = rows
        if not len(owners):
            return
        matrix = np.frombuffer(values, np.uint8).reshape(len(owners), SIZES.get(kind, 8))
        columns = {"print": np.ascontiguousarray(matrix[:, :8]).view(_U64)[:, 0].copy()}
        # Copied, too: whoever gave these may go on filling them.
        columns["owner"] = np.frombuffer(owners, _U64).copy()
        if tags is not None:
            columns["tag"] = np.frombuffer(tags, _U64).reshape(len(owners), 2).copy()
        if codes is not None:
            columns["code"] = np.frombuffer(codes, _U64).copy()
        self._held[kind].append(columns)
        self._counts[kind] += len(owners)
        if sum(self._counts.values()) > self._most:
            # One kind at a time, so that whoever adds is never kept long.
            self._spill(max(self._counts, key=self._counts.__getitem__))

    def groups(self) -> Iterator[Group]:
        """See :class:`fairdeal.audit.sources.plainprints.Prints`."""
        # Sorting keeps no lock, and by now nothing else is done.
        parts = ((kind, pieces) for kind in self._held for pieces in self._parts(kind))
        for kind, found, again in Threads(min(processors(), SORTED_TOGETHER)).map(_groups_of, parts):
            self.again.update(again)
            for owners, value in found:
                yield Group(kind, value.to_bytes(8, "little"), owners)

    def _parts(self, kind: str) -> Iterator[list[Piece]]:
        if self._spills[kind]:
            self._spill(kind)
            for part in range(PARTS):
                yield [partial(spill.read, part) for spill in self._spills[kind]]
        elif self._held[kind]:
            yield [columns.get for columns in self._held[kind]]

    def _spill(self, kind: str) -> None:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="fairdeal-audit-"))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        held, self._held[kind], self._counts[kind] = self._held[kind], [], 0
        if held:
            spills = self._spills[kind]
            spills.append(_Spill.write(self._folder / f"{kind}-{len(spills)}", [one.get for one in held]))


@dataclass(frozen=True)
class _Spill:
    """Prints on disk, part after part: one column after another in a file."""

    path: Path
    edges: list[int]
    """Where the parts begin, and behind them where the last one ends."""
    offsets: dict[str, int]
    """Where in the file the columns begin that there are."""

    @classmethod
    def write(cls, path: Path, pieces: Sequence[Piece]) -> _Spill:
        prints = _column("print", pieces)
        # The first byte of the value is the last of the little-endian number read from it.
        part = (prints & np.uint64(PARTS - 1)).astype(np.uint8)
        sequence = np.argsort(part, kind="stable")
        edges = np.searchsorted(part[sequence], np.arange(PARTS + 1)).tolist()
        offsets = {}
        with path.open("wb") as file:
            for name in ("print", "owner", "tag", "code"):
                if any(piece(name) is not None for piece in pieces):
                    offsets[name] = file.tell()
                    column = prints if name == "print" else _column(name, pieces)
                    # Not tofile: on a full disk it may lose the end and say nothing.
                    file.write(np.take(column, sequence, axis=0).data)
        return cls(path, edges, offsets)

    def read(self, part: int, name: str) -> Array | None:
        """A column of one part."""
        if name not in self.offsets:
            return None
        first, last = self.edges[part], self.edges[part + 1]
        width = 2 if name == "tag" else 1
        offset = self.offsets[name] + first * width * _U64.itemsize
        column = np.fromfile(self.path, _U64, (last - first) * width, offset=offset)
        if len(column) != (last - first) * width:
            raise OSError(f"{self.path}: it no longer holds what was written to it")
        return column.reshape(-1, 2) if name == "tag" else column


def _column(name: str, pieces: Sequence[Piece]) -> Array:
    """A column of all pieces, zeros for those that lack it."""
    found = []
    for piece in pieces:
        column = piece(name)
        if column is None:
            owners = piece("owner")
            assert owners is not None  # noqa: S101  # every piece has them
            column = np.zeros((len(owners), 2) if name == "tag" else len(owners), _U64)
        found.append(column)
    return np.concatenate(found)


def _rows(pieces: Sequence[Piece], chosen: Array) -> Table:
    """Some of the prints with all that goes along with them."""
    rows = np.empty(int(chosen.sum()), _ROW)
    for name in ("print", "owner", "code"):
        rows[name] = _column(name, pieces)[chosen]
    tags = _column("tag", pieces)[chosen]
    rows["tag"], rows["tag_end"] = tags[:, 0], tags[:, 1]
    return rows


def _groups_of(part: tuple[str, Sequence[Piece]]) -> tuple[str, list[tuple[list[int], int]], Counter[int]]:
    kind, pieces = part
    again: Counter[int] = Counter()
    return kind, _groups(pieces, again), again


def _groups(pieces: Sequence[Piece], again: Counter[int]) -> list[tuple[list[int], int]]:
    """Owners of prints that stand for more than one thing, and the prints, by their first owner."""
    prints = _column("print", pieces)
    # Sorting values alone takes a tenth of sorting places by them, and mostly there are no two of one value.
    ascending = np.sort(prints)
    repeated = np.unique(ascending[1:][ascending[1:] == ascending[:-1]])
    if not len(repeated):
        return []
    at = np.minimum(np.searchsorted(repeated, prints), len(repeated) - 1)
    some = _rows(pieces, repeated[at] == prints)
    _count_again(some, again)
    some = some[np.lexsort((some["owner"], some["print"]))]
    starts = np.flatnonzero(np.concatenate(([True], some["print"][1:] != some["print"][:-1])))
    counts = np.diff(np.append(starts, len(some)))
    first = np.repeat(starts, counts)
    # Beside a tag that is not known no other one speaks for its owner.
    agrees = np.repeat(np.logical_and.reduceat(_known(some), starts), counts)
    for name in ("tag", "tag_end"):
        agrees &= some[name] == some[name][first]
    same = np.zeros(len(some) + 1, bool)
    same[1:-1] = (some["owner"][1:] == some["owner"][:-1]) & (some["print"][1:] == some["print"][:-1])
    named = ~agrees | same[1:] | same[:-1]
    wanted = np.repeat(np.logical_or.reduceat(named, starts), counts)
    named[starts] = True
    found: dict[int, list[int]] = {}
    for value, owner in some[["print", "owner"]][wanted & named].tolist():
        group = found.setdefault(value, [])
        if owner not in group[-1:]:
            group.append(owner)
    return sorted((owners, value) for value, owners in found.items())


def _known(rows: Table) -> Array:
    known: Array = (rows["tag"] | rows["tag_end"]) != 0
    return known


def _count_again(rows: Table, again: Counter[int]) -> None:
    """Count by code the rows that say again what one of a lesser code has said."""
    rows = rows[_known(rows)]
    columns = [rows[name] for name in ("code", "tag_end", "tag", "print")]
    rows = rows[np.lexsort(columns)]
    later = np.ones(max(len(rows) - 1, 0), bool)
    for name in ("tag_end", "tag", "print"):
        later &= rows[name][1:] == rows[name][:-1]
    codes, counts = np.unique(rows["code"][1:][later], return_counts=True)
    again.update({code: n for code, n in zip(codes.tolist(), counts.tolist(), strict=True) if code})

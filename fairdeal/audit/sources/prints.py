"""Equal 64-bit prints among hundreds of millions, with bounded memory: written out in order where many.

A print is the first eight bytes of a value that is random or a hash. What goes along with a print lies in
columns of its own: it is looked at only where the print stands more than once, and mostly none does.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from fairdeal.audit.sources.pieces import Array, Piece, Spill, taken
from fairdeal.audit.sources.plainprints import KINDS, SIZES, Group, Rows
from fairdeal.audit.sources.repeated import PART, parts, places, repeated

HELD = 192 << 20
"""Bytes that are held in memory before they are written out."""

THEN = 8
"""Once something was written out, only a share of that is held: whoever adds is never kept long."""

PIECE = 1000
"""Bytes that a piece takes besides its columns, about."""

TOGETHER = 1 << 18
"""Rows of repeated values that are looked at together, about."""

_U64 = np.dtype("<u8")
_ROW = np.dtype([(name, _U64) for name in ("print", "owner", "tag", "tag_end", "code")])

Table = NDArray[np.void]


class NumpyPrints:
    """Prints in arrays, spilled to a temporary folder that goes with this object."""

    def __init__(
        self, held: int = HELD, kinds: Sequence[str] = KINDS, *, part: int = PART, together: int = TOGETHER
    ) -> None:
        """``held`` bounds bytes while values are added; ``part`` prints and ``together`` rows, afterwards."""
        self.again: Counter[int] = Counter()
        self._most = held
        self._part = part
        self._together = together
        self._pieces: dict[str, list[Piece]] = {kind: [] for kind in kinds}
        self._written = dict.fromkeys(kinds, 0)
        self._last: dict[str, Array] = {}
        self._bytes = 0
        self._folder: Path | None = None
        self._file: BinaryIO | None = None

    def add(self, rows: Rows) -> None:
        """See :class:`fairdeal.audit.sources.plainprints.Prints`."""
        kind, values, owners, tags, codes = rows
        if not len(owners):
            return
        # Everything is copied: whoever gave these may go on filling them.
        columns = {"print": np.frombuffer(values, _U64)[:: SIZES.get(kind, 8) // 8].copy()}
        columns["owner"] = self._shared("owner", np.frombuffer(owners, _U64))
        if tags is not None:
            columns["tag"] = self._shared("tag", np.frombuffer(tags, _U64).reshape(-1, 2))
        if codes is not None:
            columns["code"] = self._shared("code", np.frombuffer(codes, _U64))
        self._pieces[kind].append(Piece(len(owners), columns))
        self._bytes += columns["print"].nbytes + PIECE
        if self._bytes > (self._most // THEN if self._file else self._most):
            self._spill()

    def _shared(self, name: str, column: Array) -> Array:
        """A copy of a column, or the last one where they are equal: kinds mostly have the same owners."""
        last = self._last.get(name)
        if last is None or not np.array_equal(last, column):
            last = self._last[name] = column.copy()
            self._bytes += last.nbytes
        return last

    def groups(self) -> Iterator[Group]:
        """See :class:`fairdeal.audit.sources.plainprints.Prints`. Nothing can be added afterwards."""
        if self._file:
            self._spill()
            self._file.close()
        for kind, pieces in self._pieces.items():
            # One kind after another: side by side they would take twice the memory, to save some hundredths
            # of a second for each million.
            for prints, rows in parts(pieces, self._temporary, self._part):
                values = repeated(prints)
                for some in self._tables(pieces, prints, rows, values) if len(values) else ():
                    for owners, value in _groups(some, self.again):
                        yield Group(kind, value.to_bytes(8, "little"), owners)

    def _tables(
        self, pieces: Sequence[Piece], prints: Array, rows: Array | None, values: Array
    ) -> Iterator[Table]:
        """All rows of the repeated values, some values at a time, by the first owner of each."""
        at, which = places(prints, values)
        at = at if rows is None else rows[at]
        owners = taken(pieces, "owner", at)
        for chosen in _batches(which, owners, self._together):
            found = np.empty(len(chosen), _ROW)
            found["print"], found["owner"] = values[which[chosen]], owners[chosen]
            found["code"] = taken(pieces, "code", at[chosen])
            tags = taken(pieces, "tag", at[chosen])
            found["tag"], found["tag_end"] = tags[:, 0], tags[:, 1]
            yield found

    def _temporary(self) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="fairdeal-audit-"))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        return self._folder

    def _spill(self) -> None:
        path = self._temporary() / "prints"
        if self._file is None:
            self._file = path.open("wb")
            weakref.finalize(self, self._file.close)
        out = Spill(self._file, path)
        for kind, pieces in self._pieces.items():
            held = pieces[self._written[kind] :]
            if held:
                pieces[self._written[kind] :] = [out.put(held)]
                self._written[kind] += 1
        self._last, self._bytes = {}, 0


def _batches(which: Array, owners: Array, most: int) -> Iterator[Array]:
    """Rows (n,) of repeated values, by number, as (k,) places in them: about ``most`` at a time, ascending.

    All rows of a value come together, and values by their first owners, so that what is made of one batch
    after another is in the order in which all of them together would be.
    """
    if len(which) <= most:
        yield np.arange(len(which))
        return
    counts = np.bincount(which)
    first = np.full(len(counts), np.iinfo(np.uint64).max, np.uint64)
    np.minimum.at(first, which, owners)
    sequence = np.argsort(first, kind="stable")
    first, counts = first[sequence], counts[sequence]
    # Values of one first owner stay together: which of them comes first the other owners tell.
    starts = np.flatnonzero(np.concatenate(([True], first[1:] != first[:-1])))
    before = (np.cumsum(counts) - counts)[starts] // most
    batch = np.empty(len(counts), np.int64)
    batch[sequence] = np.repeat(before, np.diff(np.append(starts, len(first))))
    mine = batch[which]
    sequence = np.argsort(mine, kind="stable")
    for a, b in pairwise(np.searchsorted(mine[sequence], np.arange(int(before[-1]) + 2)).tolist()):
        if b > a:
            yield sequence[a:b]


def _groups(some: Table, again: Counter[int]) -> list[tuple[list[int], int]]:
    """Owners of prints that stand for more than one thing, and the prints, by their first owner."""
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

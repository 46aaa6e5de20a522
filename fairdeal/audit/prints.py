"""Equal 64-bit prints among hundreds of millions, with bounded memory: sorted in parts, on disk where many.

A print is the first eight bytes of a value that is random or a hash. Prints are dealt out by their leading
bits into parts, so that equal ones meet in one part and each part fits in memory when it is sorted.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairdeal.audit.plainprints import KINDS, SIZES, Group, Rows

PARTS = 64
HELD = 800_000
"""Prints of one kind that are held in memory before they are written out: 32 MB."""

_ROW = np.dtype(
    [("print", "<u8"), ("owner", "<u8"), ("tag", "<u8"), ("tag_end", "<u8"), ("code", "<u8")],
)

Table = NDArray[np.void]


class NumpyPrints:
    """Prints in arrays, spilled to a temporary folder that goes with this object."""

    def __init__(self, held: int = HELD, kinds: Sequence[str] = KINDS) -> None:
        """``held`` bounds the prints of each kind in memory."""
        self.again: Counter[int] = Counter()
        self._held = held
        self._arrays: dict[str, list[Table]] = {kind: [] for kind in kinds}
        self._counts = dict.fromkeys(kinds, 0)
        self._folder: Path | None = None
        self._spilled: set[str] = set()

    def add(self, rows: Rows) -> None:
        """See :class:`fairdeal.audit.plainprints.Prints`."""
        kind, values, owners, tags, codes = rows
        if not len(owners):
            return
        table = np.zeros(len(owners), _ROW)
        matrix = np.frombuffer(values, np.uint8).reshape(len(owners), SIZES.get(kind, 8))
        table["print"] = np.ascontiguousarray(matrix[:, :8]).view("<u8")[:, 0]
        table["owner"] = np.frombuffer(owners, np.uint64)
        if tags is not None:
            halves = np.frombuffer(tags, "<u8").reshape(len(owners), 2)
            table["tag"], table["tag_end"] = halves[:, 0], halves[:, 1]
        if codes is not None:
            table["code"] = np.frombuffer(codes, np.uint64)
        self._arrays[kind].append(table)
        self._counts[kind] += len(table)
        if self._counts[kind] > self._held:
            self._spill(kind)

    def groups(self) -> Iterator[Group]:
        """See :class:`fairdeal.audit.plainprints.Prints`."""
        for kind in self._arrays:
            for rows in self._parts(kind):
                for owners, value in _groups(rows, self.again):
                    yield Group(kind, value.to_bytes(8, "little"), owners)

    def _parts(self, kind: str) -> Iterator[Table]:
        if kind in self._spilled:
            self._spill(kind)
            for part in range(PARTS):
                yield np.fromfile(self._path(kind, part), _ROW)
        elif self._arrays[kind]:
            yield np.concatenate(self._arrays[kind])

    def _spill(self, kind: str) -> None:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="fairdeal-audit-"))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._spilled.add(kind)
        rows = np.concatenate([np.empty(0, _ROW), *self._arrays[kind]])
        self._arrays[kind] = []
        self._counts[kind] = 0
        # The first byte of the value is the last of the little-endian number read from it.
        part = (rows["print"] & np.uint64(PARTS - 1)).astype(np.uint8)
        sequence = np.argsort(part, kind="stable")
        edges = np.searchsorted(part[sequence], np.arange(PARTS + 1))
        # Indexing rows of several fields would take eight times as long.
        rows = np.take(rows, sequence)
        for number in range(PARTS):
            with self._path(kind, number).open("ab") as file:
                rows[edges[number] : edges[number + 1]].tofile(file)

    def _path(self, kind: str, part: int) -> Path:
        assert self._folder is not None  # noqa: S101  # set by the first spill, which comes first
        return self._folder / f"{kind}-{part:02d}"


def _groups(rows: Table, again: Counter[int]) -> list[tuple[list[int], int]]:
    """Owners of prints that stand for more than one thing, and the prints, by their first owner."""
    prints = np.ascontiguousarray(rows["print"])
    # Sorting values alone takes a tenth of sorting places by them, and mostly there are no two of one value.
    ascending = np.sort(prints)
    repeated = np.unique(ascending[1:][ascending[1:] == ascending[:-1]])
    if not len(repeated):
        return []
    some = rows[repeated[np.minimum(np.searchsorted(repeated, prints), len(repeated) - 1)] == prints]
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


def _known(rows: Table) -> NDArray[Any]:
    known: NDArray[Any] = (rows["tag"] | rows["tag_end"]) != 0
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

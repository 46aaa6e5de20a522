"""Equal 64-bit prints among hundreds of millions, with bounded memory: sorted in parts, on disk where many.

A print is the first eight bytes of a value that is random or a hash. Prints are dealt out by their leading
bits into parts, so that equal ones meet in one part and each part fits in memory when it is sorted.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from array import array
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fairdeal.audit.plainprints import KINDS, SIZES

PARTS = 64
HELD = 4_000_000
"""Prints of one kind that are held in memory before they are written out: 64 MB with their owners."""

_PAIR = np.dtype([("print", "<u8"), ("owner", "<u8")])


class NumpyPrints:
    """Prints in arrays, spilled to a temporary folder that goes with this object."""

    def __init__(self, held: int = HELD) -> None:
        """``held`` bounds the prints of each kind in memory."""
        self._held = held
        self._arrays: dict[str, list[NDArray[np.void]]] = {kind: [] for kind in KINDS}
        self._folder: Path | None = None
        self._spilled: set[str] = set()

    def add(self, kind: str, values: bytes | bytearray, owners: array[int]) -> None:
        """Values one after another, and the index of the entry that each comes from."""
        if not len(owners):
            return
        pairs = np.empty(len(owners), _PAIR)
        rows = np.frombuffer(values, np.uint8).reshape(len(owners), SIZES[kind])
        pairs["print"] = np.ascontiguousarray(rows[:, :8]).view("<u8")[:, 0]
        pairs["owner"] = np.frombuffer(owners, np.uint64)
        self._arrays[kind].append(pairs)
        if sum(map(len, self._arrays[kind])) > self._held:
            self._spill(kind)

    def groups(self) -> Iterator[tuple[str, list[int]]]:
        """The owners of each print that there is more than once, ascending; kind by kind."""
        for kind in KINDS:
            for pairs in self._parts(kind):
                yield from ((kind, group) for group in _groups(pairs))

    def _parts(self, kind: str) -> Iterator[NDArray[np.void]]:
        if kind in self._spilled:
            self._spill(kind)
            for part in range(PARTS):
                yield np.fromfile(self._path(kind, part), _PAIR)
        elif self._arrays[kind]:
            yield np.concatenate(self._arrays[kind])

    def _spill(self, kind: str) -> None:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="fairdeal-audit-"))
            weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        self._spilled.add(kind)
        pairs = np.concatenate([np.empty(0, _PAIR), *self._arrays[kind]])
        self._arrays[kind] = []
        # The first byte of the value is the last of the little-endian number read from it.
        part = (pairs["print"] & np.uint64(PARTS - 1)).astype(np.uint8)
        sequence = np.argsort(part, kind="stable")
        edges = np.searchsorted(part[sequence], np.arange(PARTS + 1))
        for number in range(PARTS):
            with self._path(kind, number).open("ab") as file:
                pairs[sequence[edges[number] : edges[number + 1]]].tofile(file)

    def _path(self, kind: str, part: int) -> Path:
        assert self._folder is not None  # noqa: S101  # set by the first spill, which comes first
        return self._folder / f"{kind}-{part:02d}"


def _groups(pairs: NDArray[np.void]) -> list[list[int]]:
    """Owners of equal prints, the groups by their first owner."""
    prints, counts = np.unique(pairs["print"], return_counts=True)
    repeated = prints[counts > 1]
    if not len(repeated):
        return []
    some = pairs[np.isin(pairs["print"], repeated)]
    found: dict[int, set[int]] = {}
    for value, owner in some.tolist():
        found.setdefault(value, set()).add(owner)
    return sorted(sorted(owners) for owners in found.values())

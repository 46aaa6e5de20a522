"""Which prints stand more than once, part by part where they are too many for memory. Needs numpy."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from fairdeal.audit.sources.once import mixer
from fairdeal.audit.sources.pieces import BLOCK, Array, Piece, stretches

PART = 1 << 24
"""Prints that are looked at together: with what it takes, 256 MiB, twice that where nearly all are equal."""

MOST_PARTS = 256
"""Files that are open together, one a part."""

FEW = 1 << 15
"""Fewer are sorted before compiled code would have been loaded."""

_SPREAD = np.uint64(0x9E37_79B9_7F4A_7C15)
"""Spreads prints over parts; the same in each run, since findings are told in the order of parts."""

_PLACED = np.dtype([("print", "<u8"), ("row", "<i8")])


def repeated(prints: Array) -> Array:
    """Those of (n,) uint64 that stand more than once, each once, ascending."""
    # Where an audit has loaded no compiler so far, it is not worth doing for this.
    if len(prints) >= FEW and "numba" in sys.modules and _compiled_holds():
        return _by_buckets(prints)
    return _by_sorting(prints)


def _by_sorting(prints: Array) -> Array:
    ascending = np.sort(prints)
    return np.unique(ascending[1:][ascending[1:] == ascending[:-1]])


def _by_buckets(prints: Array) -> Array:
    from fairdeal.audit.kernel.doubles import doubles  # noqa: PLC0415  # numba is an extra

    return np.unique(doubles(np.ascontiguousarray(prints), int(mixer(b"buckets"))))


@cache
def _compiled_holds() -> bool:
    """Whether compiled code finds what sorting finds among some thousands of prints (see ``trust``)."""
    numbers = np.arange(5000, dtype=np.uint64) * mixer(b"trial")
    some = np.concatenate((numbers, numbers[::7], numbers[::21], np.zeros(2, np.uint64)))
    return np.array_equal(_by_buckets(some), _by_sorting(some))


def places(prints: Array, values: Array) -> tuple[Array, Array]:
    """Where in (n,) prints those stand that are among ``values``, ascending, and which of these each is."""
    found: list[tuple[Array, Array]] = []
    for first in range(0, len(prints), BLOCK):
        some = prints[first : first + BLOCK]
        at = np.minimum(np.searchsorted(values, some), len(values) - 1)
        hits = np.flatnonzero(values[at] == some)
        found.append((first + hits, at[hits]))
    where, which = (np.concatenate(columns) for columns in zip(*found, strict=True))
    return where, which


def parts(
    pieces: Sequence[Piece], folder: Callable[[], Path], most: int = PART
) -> Iterator[tuple[Array, Array | None]]:
    """All prints in parts between which none is shared: (n,) prints, and (n,) their rows, ascending.

    One part alone has all rows in order: ``None``. ``folder`` gives where others are put for a time.
    """
    total = sum(piece.count for piece in pieces)
    if total <= most:
        prints, at = np.empty(total, np.uint64), 0
        for some in stretches(pieces, "print", most):
            prints[at : at + len(some)] = some
            at += len(some)
        yield prints, None
        return
    # Twice as many as would do, for they differ in size.
    count = min(2 << (total // most).bit_length(), MOST_PARTS)
    paths = [folder() / f"part-{k}" for k in range(count)]
    for path, size in zip(paths, _deal_out(pieces, paths), strict=True):
        table = np.fromfile(path, _PLACED)
        path.unlink()
        if len(table) != size:
            raise OSError(f"{path}: it no longer holds what was written to it")
        yield np.ascontiguousarray(table["print"]), np.ascontiguousarray(table["row"])


def _deal_out(pieces: Sequence[Piece], paths: Sequence[Path]) -> list[int]:
    """How many prints went to each of the paths."""
    sizes = [0] * len(paths)
    away, first = np.uint64(64 - (len(paths).bit_length() - 1)), 0
    files = [path.open("wb") for path in paths]
    try:
        for prints in stretches(pieces, "print", BLOCK):
            part = (prints * _SPREAD) >> away
            sequence = np.argsort(part.astype(np.uint8), kind="stable")
            table = np.empty(len(prints), _PLACED)
            table["print"], table["row"] = prints[sequence], first + sequence
            edges = np.searchsorted(part[sequence], np.arange(len(paths) + 1, dtype=np.uint64))
            for k, (a, b) in enumerate(pairwise(edges.tolist())):
                files[k].write(table[a:b].data)
                sizes[k] += b - a
            first += len(prints)
    finally:
        for file in files:
            file.close()
    return sizes

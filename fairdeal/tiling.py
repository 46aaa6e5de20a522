"""C2SP tlog-tiles: how a log's tree and entries are cut into files that never change.

A tile holds up to 256 hashes. Hash ``i`` of tile ``(L, N)`` is the head over the entries from
``(N·256 + i)·256^L`` up to the next; a tile not yet full is named by its width. Entries travel in bundles
of up to 256, each behind its length.

>>> tile_path(0, 1234067), tile_path(1, 0, 17), entries_path(273, 112)
('tile/0/x001/x234/067', 'tile/1/000.p/17', 'tile/entries/273.p/112')
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fairdeal.errors import MalformedError, UsageError
from fairdeal.merkle import EMPTY_ROOT, HASH_SIZE, Frontier, node_hash, split

WIDTH = 256
"""Hashes in a full tile, entries in a full bundle."""

MAX_LEVEL = 63

_PATH = re.compile(
    r"tile/(entries|0|[1-9][0-9]?)/((?:x[0-9]{3}/){0,5}[0-9]{3})(?:\.p/([1-9][0-9]{0,2}))?", re.ASCII
)


@dataclass(frozen=True, slots=True, order=True)
class Tile:
    """A tile of hashes (``level`` 0 to 63) or a bundle of entries (``level`` −1); ``width`` 1 to 256."""

    level: int
    index: int
    width: int = WIDTH

    @property
    def path(self) -> str:
        """Where the log serves it, without a leading slash."""
        if self.level < 0:
            return entries_path(self.index, self.width)
        return tile_path(self.level, self.index, self.width)


Read = Callable[[Tile], bytes]
"""Fetches a tile's bytes; used by the functions below, which ask for each tile once."""


def _index_path(index: int, width: int) -> str:
    if index < 0 or not 1 <= width <= WIDTH:
        raise UsageError("tile indexes start at 0, widths run from 1 to 256")
    text = f"{index % 1000:03d}"
    while index := index // 1000:
        text = f"x{index % 1000:03d}/{text}"
    return text if width == WIDTH else f"{text}.p/{width}"


def tile_path(level: int, index: int, width: int = WIDTH) -> str:
    """The path of a tile of hashes."""
    if not 0 <= level <= MAX_LEVEL:
        raise UsageError("tile levels run from 0 to 63")
    return f"tile/{level}/{_index_path(index, width)}"


def entries_path(index: int, width: int = WIDTH) -> str:
    """The path of a bundle of entries."""
    return f"tile/entries/{_index_path(index, width)}"


def parse_tile_path(path: str) -> Tile:
    """The tile that a path names. Raises :class:`MalformedError` for any path that is not the tile's own."""
    found = _PATH.fullmatch(path)
    if found:
        level = -1 if found[1] == "entries" else int(found[1])
        index = int(re.sub(r"[x/]", "", found[2]))
        width = int(found[3] or WIDTH)
        # A width of 256 is written by leaving it out; leading groups of zeros make a second name.
        if level <= MAX_LEVEL and width <= WIDTH and Tile(level, index, width).path == path:
            return Tile(level, index, width)
    raise MalformedError("path", "names no tile")


def tiles_for(size: int) -> list[Tile]:
    """Every tile and bundle that a log of ``size`` entries has, a partial one last in its row."""
    found = []
    level, count = -1, size
    while count:
        found += [Tile(level, n) for n in range(count // WIDTH)]
        if count % WIDTH:
            found.append(Tile(level, count // WIDTH, count % WIDTH))
        level += 1
        count = size >> 8 * level
    return found


def encode_bundle(entries: Sequence[bytes]) -> bytes:
    """Entries one after another, each behind its length as two big-endian bytes.

    Raises :class:`UsageError` for an entry that is too long to have such a length.
    """
    if any(len(e) > 0xFFFF for e in entries):
        raise UsageError("an entry of a bundle has at most 65,535 bytes")
    return b"".join(len(e).to_bytes(2, "big") + e for e in entries)


def parse_bundle(data: bytes, width: int) -> list[bytes]:
    """The ``width`` entries of a bundle; :class:`MalformedError` for more, fewer or a torn one."""
    entries = []
    at = 0
    while at < len(data):
        length = int.from_bytes(data[at : at + 2], "big")
        entry = data[at + 2 : at + 2 + length]
        if at + 2 > len(data) or len(entry) != length:
            raise MalformedError("bundle", "ends in the middle of an entry")
        entries.append(entry)
        at += 2 + length
    if len(entries) != width:
        raise MalformedError("bundle", f"must hold {width} entries")
    return entries


def tree_head(hashes: Sequence[bytes]) -> bytes:
    """The head over already hashed subtrees of equal size, such as the 256 hashes of a full tile."""
    tree = Frontier()
    for node in hashes:
        tree.append(node)
    return tree.root()


class TileReader:
    """Tree heads and proofs of a log of ``size`` entries, straight from its tiles of hashes."""

    def __init__(self, size: int, read: Read) -> None:
        """``read`` is called once for each tile that an answer needs."""
        self.size = size
        self._read = read
        self._kept: dict[Tile, bytes] = {}

    def root(self) -> bytes:
        """The tree's head."""
        return self._subtree(0, self.size) if self.size else EMPTY_ROOT

    def inclusion_proof(self, index: int) -> list[bytes]:
        """The audit path of entry ``index``, nearest sibling first."""
        if not 0 <= index < self.size:
            raise UsageError("no such leaf in the tree")
        return [self._subtree(low, high) for low, high in reversed(list(_siblings(index, self.size)))]

    def consistency_proof(self, old: int) -> list[bytes]:
        """The proof that this tree continues the one of its first ``old`` entries."""
        if not 1 <= old <= self.size:
            raise UsageError("the old size must lie between 1 and the tree's size")
        return [self._subtree(low, high) for low, high in _old_parts(old, self.size)]

    def _hash(self, level: int, index: int) -> bytes:
        """Head of the aligned subtree of 2^level entries number ``index``."""
        row, rest = divmod(level, 8)
        number, first = divmod(index << rest, WIDTH)
        tile = Tile(row, number, min(WIDTH, (self.size >> 8 * row) - number * WIDTH))
        data = self._kept.get(tile)
        if data is None:
            data = self._kept[tile] = self._read(tile)
            if len(data) != HASH_SIZE * tile.width:
                raise MalformedError(tile.path, f"must hold {tile.width} hashes")
        cells = [data[k * HASH_SIZE : (k + 1) * HASH_SIZE] for k in range(first, first + (1 << rest))]
        return tree_head(cells)

    def _subtree(self, low: int, high: int) -> bytes:
        """Head over the entries low … high − 1; ``low`` must be a multiple of their split."""
        count = high - low
        if not count & (count - 1):
            level = count.bit_length() - 1
            return self._hash(level, low >> level)
        middle = low + split(count)
        return node_hash(self._subtree(low, middle), self._subtree(middle, high))


def _siblings(index: int, size: int) -> list[tuple[int, int]]:
    """The subtrees beside the path from the head down to a leaf."""
    found = []
    low, high = 0, size
    while high - low > 1:
        middle = low + split(high - low)
        if index < middle:
            found.append((middle, high))
            high = middle
        else:
            found.append((low, middle))
            low = middle
    return found


def _old_parts(old: int, size: int) -> list[tuple[int, int]]:
    """The subtrees of a consistency proof, in the proof's sequence (RFC 6962 §2.1.2)."""
    found = []
    low, high, whole = 0, size, True
    while low + old != high:
        middle = low + split(high - low)
        if low + old <= middle:
            found.append((middle, high))
            high = middle
        else:
            found.append((low, middle))
            old -= middle - low
            low, whole = middle, False
    return [*([] if whole else [(low, high)]), *reversed(found)]

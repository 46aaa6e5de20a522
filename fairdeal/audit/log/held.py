"""A log that was audited, kept at hand so that receipts of it can be held against it (protocol §8.2)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from fairdeal.audit.findings import Finding, plural
from fairdeal.audit.histories.checked import ReceiptFacts
from fairdeal.audit.log.audit import LogOutcome
from fairdeal.audit.log.chunk import tile_head
from fairdeal.audit.log.merge import Tree
from fairdeal.audit.log.source import SourceError
from fairdeal.merkle import EMPTY_ROOT, HASH_SIZE, Frontier, leaf_hash, node_hash
from fairdeal.tiling import WIDTH

_TILES, _HEADS = 64, 4096
"""Tiles and heads that are remembered."""


@dataclass
class HeldLog:
    """A log whose entries give its signed head; ``entry_at`` reads one again."""

    outcome: LogOutcome
    origin: str
    size: int
    tree: Tree
    entry_at: Callable[[int], bytes]
    beyond: int = 0
    """Receipts held against it whose checkpoint is larger than its own."""
    _levels: list[bytes] = field(default_factory=list, repr=False)
    _tiles: OrderedDict[int, list[bytes]] = field(default_factory=OrderedDict, repr=False)
    _roots: OrderedDict[int, bytes] = field(default_factory=OrderedDict, repr=False)

    @property
    def name(self) -> str:
        """The source's name."""
        return self.outcome.name

    def fork_from(self, other: HeldLog) -> Finding | None:
        """A finding where neither of two logs of one name continues the other."""
        size = min(self.size, other.size)
        mine, theirs = self.root_at(size), other.root_at(size)
        if mine == theirs:
            return None
        first = plural(size, "entry", "entries")
        what = f"neither this log nor {other.name} continues the other: their first {first} differ"
        return Finding("forked", what, expected=theirs.hex(), found=mine.hex())

    def root_at(self, size: int) -> bytes:
        """The head that the tree had at a size, at most its own."""
        root = self._roots.get(size)
        if root is None:
            root = self._roots[size] = self._root(size)
            _bound(self._roots, _HEADS)
        return root

    def leaf(self, index: int) -> bytes:
        """The leaf hash of an entry."""
        return self._leaves(index // WIDTH)[index % WIDTH]

    def contradictions(self, receipt: ReceiptFacts) -> Iterator[Finding]:
        """What a receipt of this log says that the log does not.

        A proof under a head that the log continues shows the entry too; beyond the log there is none such.
        """
        if receipt.size <= self.size:
            root = self.root_at(receipt.size)
            if root != receipt.root:
                of = plural(receipt.size, "entry", "entries")
                what = f"the log does not continue this receipt's checkpoint of {of}"
                found = f"{root.hex()} ({self.name})"
                yield Finding(
                    "forked",
                    what,
                    receipt.hand.hex(),
                    line=receipt.position,
                    expected=receipt.root.hex(),
                    found=found,
                )
            return
        self.beyond += 1
        for index, leaf in receipt.entries:
            if index < self.size and self.leaf(index) != leaf:
                what = f"the log has another entry at {index} than this receipt"
                yield Finding(
                    "index-reused", what, receipt.hand.hex(), index, receipt.position, found=self.name
                )

    def _root(self, size: int) -> bytes:
        tiles, rest = divmod(size, WIDTH)
        last = Frontier()
        for leaf in self._leaves(tiles)[:rest] if rest else ():
            last.append(leaf)
        edge, at = [], 0
        for level in range(tiles.bit_length() - 1, -1, -1):
            if tiles >> level & 1:
                place = (at >> level) * HASH_SIZE
                edge.append(self._level(level)[place : place + HASH_SIZE])
                at += 1 << level
        return Frontier(size, [*edge, *last.hashes]).root() if size else EMPTY_ROOT

    def _level(self, level: int) -> bytes:
        """Heads of the whole subtrees of 2^level tiles."""
        if not self._levels:
            self._levels.append(bytes(self.tree.heads))
        while len(self._levels) <= level:
            row = self._levels[-1]
            pairs = range(0, len(row) // (2 * HASH_SIZE) * 2 * HASH_SIZE, 2 * HASH_SIZE)
            self._levels.append(
                b"".join(
                    node_hash(row[k : k + HASH_SIZE], row[k + HASH_SIZE : k + 2 * HASH_SIZE]) for k in pairs
                )
            )
        return self._levels[level]

    def _leaves(self, tile: int) -> list[bytes]:
        leaves = self._tiles.get(tile)
        if leaves is None:
            leaves = self._tiles[tile] = self._read(tile)
            _bound(self._tiles, _TILES)
        return leaves

    def _read(self, tile: int) -> list[bytes]:
        start = tile * WIDTH
        if start + WIDTH > self.size:
            return self.tree.tail
        leaves = [leaf_hash(self.entry_at(index)) for index in range(start, start + WIDTH)]
        if tile_head(leaves) != self.tree.heads[tile * HASH_SIZE : (tile + 1) * HASH_SIZE]:
            raise SourceError("unreadable", f"{self.name}: its entries changed while it was audited")
        return leaves


def _bound(kept: OrderedDict[int, bytes] | OrderedDict[int, list[bytes]], most: int) -> None:
    if len(kept) > most:
        kept.popitem(last=False)

"""What one source of an audit says against another: heads, entries and hand numbers (protocol §10.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from fairdeal.audit.findings import Finding
from fairdeal.audit.logmerge import Tree
from fairdeal.merkle import EMPTY_ROOT, HASH_SIZE, Frontier, leaf_hash
from fairdeal.tiling import WIDTH


@dataclass(frozen=True, slots=True)
class Place:
    """Where something was said: a line of a source, or a source as a whole."""

    source: str
    line: int | None = None

    def words(self, here: str) -> str:
        """The place as a finding of the source ``here`` names it."""
        if self.line is None:
            return self.source
        return f"line {self.line}" if self.source == here else f"line {self.line} of {self.source}"


@dataclass
class Claims:
    """What receipts and logs said of a log, the first who said it; one object for all sources."""

    numbers: dict[tuple[str, str, int], tuple[bytes, Place]] = field(default_factory=dict)
    """By operator, table and number: the hand."""
    entries: dict[tuple[str, int], tuple[bytes, Place]] = field(default_factory=dict)
    """By log and index: the entry's leaf hash. Only receipts' entries."""
    heads: dict[tuple[str, int], tuple[bytes, Place]] = field(default_factory=dict)
    """By log and size: the tree's head."""

    def head(
        self, origin: str, size: int, root: bytes, place: Place, hand: str | None = None
    ) -> Iterator[Finding]:
        """Note down a head, and tell where another of that size was signed."""
        other, where = self.heads.setdefault((origin, size), (root, place))
        if other != root:
            what = f"two checkpoints of {origin} with {size} entries have different heads"
            found = f"{root.hex()} (the other in {where.words(place.source)})"
            yield Finding("forked", what, hand, line=place.line, expected=other.hex(), found=found)

    def against_log(
        self, origin: str, size: int, tree: Tree, entry_at: Callable[[int], bytes]
    ) -> Iterator[Finding]:
        """What was said of a log that does not agree with the log itself, which holds by itself."""
        sizes = sorted(n for name, n in self.heads if name == origin and n < size)
        for n, root in _roots(tree, entry_at, sizes):
            other, where = self.heads[origin, n]
            if other != root:
                what = f"the log does not continue a checkpoint of {n} entries in {where.words('')}"
                yield Finding("forked", what, index=n, expected=other.hex(), found=root.hex())
        # A proof under a head that the log continues shows the entry too; beyond the log there is none such.
        if not any(name == origin and n > size for name, n in self.heads):
            return
        for index in sorted(k for name, k in self.entries if name == origin and k < size):
            leaf, where = self.entries[origin, index]
            if leaf_hash(entry_at(index)) != leaf:
                what = "a receipt has another entry there than the log"
                yield Finding("index-reused", what, index=index, found=where.words(""))


def _roots(tree: Tree, entry_at: Callable[[int], bytes], sizes: Iterable[int]) -> Iterator[tuple[int, bytes]]:
    """The tree's heads at some sizes, ascending; leaves between whole tiles are read again."""
    edge, last = Frontier(), Frontier()
    for size in sizes:
        tiles = size // WIDTH
        if edge.size < tiles:
            last = Frontier()
        for k in range(edge.size, tiles):
            edge.append(bytes(tree.heads[k * HASH_SIZE : (k + 1) * HASH_SIZE]))
        for index in range(tiles * WIDTH + last.size, size):
            last.append(leaf_hash(entry_at(index)))
        yield size, Frontier(size, [*edge.hashes, *last.hashes]).root() if size else EMPTY_ROOT

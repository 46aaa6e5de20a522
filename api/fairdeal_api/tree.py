"""The log's tree as the service keeps it: tiles in the store, their inner nodes in memory, proofs from both.

A proof under a fresh checkpoint needs some twenty nodes. They come from tiles of 256 hashes whose inner nodes
are worked out once: full tiles never change, so their nodes are kept; the last tile of each level grows with
every entry. So a proof costs a few look-ups, whether the log has a thousand entries or a hundred million.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from fairdeal.merkle import EMPTY_ROOT, HASH_SIZE, node_hash, split
from fairdeal.tiling import WIDTH

LEVELS = 8
"""Binary levels inside a tile: 2^8 = 256."""

BLOCK = 4
"""Binary levels below which proofs of neighbours differ: those above are looked up once for 2^4 entries."""

ReadTile = Callable[[int, int], bytes]
"""(level, n) → the joined hashes that the store has for a tile."""


class Nodes:
    """A tile's hashes and every node that they determine: ``rows[r][i]`` is the i-th head of 2^r of them."""

    __slots__ = ("rows",)

    def __init__(self, hashes: bytes = b"") -> None:
        self.rows: list[list[bytes]] = [[] for _ in range(LEVELS + 1)]
        self.extend([hashes[start : start + HASH_SIZE] for start in range(0, len(hashes), HASH_SIZE)])

    def extend(self, nodes: list[bytes]) -> None:
        """Add the next hashes, no more than the tile has room for, and the nodes that they complete."""
        for row in self.rows:
            first = len(row) & ~1
            row.extend(nodes)
            nodes = list(map(node_hash, row[first::2], row[first + 1 :: 2]))
            if not nodes:
                return

    @property
    def width(self) -> int:
        """Hashes in the tile so far."""
        return len(self.rows[0])

    def joined(self, width: int = WIDTH) -> bytes:
        """The first ``width`` hashes as the tile's bytes."""
        return b"".join(self.rows[0][:width])


class FullTiles:
    """The nodes of full tiles, the most recently used ones; shared by all threads."""

    def __init__(self, most: int = 512) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[int, int], Nodes] = OrderedDict()
        self._lock = Lock()

    def get(self, level: int, n: int) -> Nodes | None:
        """The nodes of a full tile, if they are kept."""
        with self._lock:
            found = self._kept.get((level, n))
            if found:
                self._kept.move_to_end((level, n))
            return found

    def put(self, level: int, n: int, nodes: Nodes) -> None:
        """Keep the nodes of a full tile. It must be known to be durable: what is kept is never read again."""
        with self._lock:
            self._kept[level, n] = nodes
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)


class TreeView:
    """The tree of ``size`` entries, to be asked for its head and proofs."""

    def __init__(self, size: int, read: ReadTile, full: FullTiles) -> None:
        self.size = size
        self._read = read
        self._full = full
        self._own: dict[tuple[int, int], Nodes] = {}
        self._ragged: dict[tuple[int, int], bytes] = {}
        self._upper: dict[int, tuple[int, int, list[bytes]]] = {}

    def root(self) -> bytes:
        """The tree's head."""
        return self.root_at(self.size)

    def root_at(self, size: int) -> bytes:
        """The head that the tree had when it was ``size`` entries large."""
        return self._range(0, size) if size else EMPTY_ROOT

    def inclusion_proof(self, index: int) -> list[bytes]:
        """The audit path of entry ``index``, nearest sibling first (RFC 6962 §2.1.1)."""
        low, high, above = self._above(index)
        if high - low < 1 << BLOCK:
            return self._descend(low, high, index, 1)[2] + above
        rows, place = self._nodes(0, index // WIDTH).rows, index % WIDTH
        return [rows[row][place >> row ^ 1] for row in range(BLOCK)] + above

    def block(self, index: int) -> tuple[list[list[bytes]], list[bytes]] | None:
        """The nodes in an entry's block of 2^BLOCK, ``rows[r]`` the heads of 2^r, and the path above it.

        ``None`` where the tree's right edge runs through the block.
        """
        first = index >> BLOCK << BLOCK
        if first + (1 << BLOCK) > self.size:
            return None
        rows, place = self._nodes(0, index // WIDTH).rows, first % WIDTH
        inside = [rows[row][place >> row : (place >> row) + (1 << BLOCK - row)] for row in range(BLOCK)]
        return inside, self._above(index)[2]

    def _above(self, index: int) -> tuple[int, int, list[bytes]]:
        # Every split above a block of 2^BLOCK entries falls on its border, so the way down to it is shared.
        block = index >> BLOCK
        found = self._upper.get(block)
        if found is None:
            found = self._upper[block] = self._descend(0, self.size, index, 1 << BLOCK)
        return found

    def _descend(self, low: int, high: int, index: int, most: int) -> tuple[int, int, list[bytes]]:
        """Down from [low, high) to the part with ``index`` of at most ``most``; siblings from below."""
        path = []
        while high - low > most:
            middle = low + split(high - low)
            if index < middle:
                path.append(self._range(middle, high))
                high = middle
            else:
                path.append(self._range(low, middle))
                low = middle
        path.reverse()
        return low, high, path

    def _range(self, low: int, high: int) -> bytes:
        count = high - low
        if not count & (count - 1):
            return self._node(count.bit_length() - 1, low // count)
        found = self._ragged.get((low, high))
        if found is None:
            middle = low + split(count)
            found = self._ragged[low, high] = node_hash(self._range(low, middle), self._range(middle, high))
        return found

    def _node(self, height: int, index: int) -> bytes:
        level, row = divmod(height, LEVELS)
        n, place = divmod(index, WIDTH >> row)
        return self._nodes(level, n).rows[row][place]

    def _nodes(self, level: int, n: int) -> Nodes:
        found = self._own.get((level, n)) or self._full.get(level, n)
        if found is None:
            found = Nodes(self._read(level, n))
            if found.width == WIDTH:
                self._full.put(level, n, found)
            else:
                self._own[level, n] = found
        return found


class GrowingTree(TreeView):
    """The writer's tree. :meth:`extend` grows it; what it changed is fetched with :meth:`take_changed`.

    After a transaction that failed the object is thrown away and made anew from the store.
    """

    def __init__(self, size: int, read: ReadTile, full: FullTiles) -> None:
        super().__init__(size, read, full)
        self._edge: list[Nodes] = []
        self._changed: dict[tuple[int, int], int] = {}
        count = size
        while count:
            n, width = divmod(count, WIDTH)
            self._edge.append(Nodes(read(len(self._edge), n)[: width * HASH_SIZE] if width else b""))
            count = n

    def extend(self, leaves: list[bytes]) -> None:
        """Add leaf hashes in order."""
        self._ragged.clear()
        self._upper.clear()
        level, nodes, count = 0, leaves, self.size
        self.size += len(leaves)
        while nodes:
            if level == len(self._edge):
                self._edge.append(Nodes())
            nodes, count = self._grow(level, nodes, count), count // WIDTH
            level += 1

    def _grow(self, level: int, nodes: list[bytes], count: int) -> list[bytes]:
        """Put nodes behind the ``count`` that a level has; returns the heads of the tiles that they fill."""
        heads = []
        while nodes:
            n, width = divmod(count, WIDTH)
            here, nodes = nodes[: WIDTH - width], nodes[WIDTH - width :]
            tile = self._own[level, n] = self._edge[level]
            self._changed.setdefault((level, n), width)
            tile.extend(here)
            count += len(here)
            if tile.width == WIDTH:
                heads.append(tile.rows[LEVELS][0])
                self._edge[level] = Nodes()
        return heads

    def take_changed(self) -> list[tuple[int, int, bytes, bool]]:
        """(level, n, bytes, whether the store has a narrower one) of tiles changed since the last call."""
        changed = [
            (level, n, self._own[level, n].joined(), width > 0) for (level, n), width in self._changed.items()
        ]
        self._changed.clear()
        return changed

    def settle(self) -> None:
        """The transaction is durable: full tiles move to where all threads find them."""
        for (level, n), nodes in list(self._own.items()):
            if nodes.width == WIDTH:
                self._full.put(level, n, nodes)
                del self._own[level, n]

    def _nodes(self, level: int, n: int) -> Nodes:
        if level < len(self._edge) and n == self.size >> 8 * (level + 1):
            return self._edge[level]
        return super()._nodes(level, n)

"""A transparency log in memory, by the plain definitions of RFC 6962 and tlog-tiles rather than by
the package's code: any entries, any size, any receipt, signed by one key.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairdeal.checkpoint import Checkpoint
from fairdeal.merkle import EMPTY_ROOT, leaf_hash, node_hash, split
from fairdeal.note import Signer, sign
from fairdeal.receipt import LoggedEntry, Receipt
from fairdeal.tiling import encode_bundle, tiles_for


class Log:
    """A transparency log in memory, signed by one key; any earlier size can still be asked for."""

    def __init__(self, signer: Signer) -> None:
        self.signer = signer
        self.entries: list[bytes] = []
        self.rows: list[list[bytes]] = [[]]
        """Heads of the perfect subtrees: row r, number i covers the 2^r entries from i·2^r on."""

    def append(self, entry: bytes) -> int:
        """Log an entry, whatever it says; answers its index."""
        self.entries.append(entry)
        node, row = leaf_hash(entry), 0
        self.rows[0].append(node)
        while len(self.rows[row]) % 2 == 0:
            node, row = node_hash(*self.rows[row][-2:]), row + 1
            if row == len(self.rows):
                self.rows.append([])
            self.rows[row].append(node)
        return len(self.entries) - 1

    def head(self, low: int, high: int) -> bytes:
        """The head over entries ``low`` … ``high`` − 1, where the tree has such a subtree."""
        if low == high:
            return EMPTY_ROOT
        count = high - low
        row = count.bit_length() - 1
        if count == 1 << row and low % count == 0:
            return self.rows[row][low >> row]
        middle = low + split(count)
        return node_hash(self.head(low, middle), self.head(middle, high))

    def root(self, size: int | None = None) -> bytes:
        """The tree head at a size (the present one by default)."""
        return self.head(0, len(self.entries) if size is None else size)

    def proof(self, index: int, size: int) -> tuple[bytes, ...]:
        """The inclusion path of an entry in the tree of ``size``."""
        low, high, path = 0, size, []
        while high - low > 1:
            middle = low + split(high - low)
            if index < middle:
                path.append(self.head(middle, high))
                high = middle
            else:
                path.append(self.head(low, middle))
                low = middle
        return tuple(reversed(path))

    def checkpoint(self, size: int | None = None) -> str:
        """The signed checkpoint at a size."""
        size = len(self.entries) if size is None else size
        return sign(Checkpoint(self.signer.name, size, self.root(size)).text(), [self.signer])

    def receipt(
        self, indexes: Sequence[int], deal: dict[str, Any] | None = None, size: int | None = None
    ) -> Receipt:
        """A receipt over any of the log's entries, in the sequence given, under one checkpoint."""
        size = len(self.entries) if size is None else size
        return Receipt(
            vkey=self.signer.verifier.text(),
            checkpoint=self.checkpoint(size),
            entries=tuple(LoggedEntry(i, self.entries[i].decode(), self.proof(i, size)) for i in indexes),
            deal=deal,
        )

    def files(self) -> dict[str, bytes]:
        """The log as it is served: tiles, bundles and checkpoint by path."""
        found = {"checkpoint": self.checkpoint().encode()}
        for tile in tiles_for(len(self.entries)):
            part = slice(tile.index * 256, tile.index * 256 + tile.width)
            if tile.level < 0:
                found[tile.path] = encode_bundle(self.entries[part])
            else:
                found[tile.path] = b"".join(self.rows[8 * tile.level][part])
        return found

"""Successive hands of one table: how alike their orders are, and whether an order ever came back.

Both keep a bounded amount: where there are more tables or hands than that, a fixed part of them is followed,
chosen by a hash of table or order, so that the result does not depend on how the hands were split.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fairdeal.audit.stats.columns import Bytes
from fairdeal.tiles import TILES

Words = NDArray[np.uint64]

BLOCK = 1 << 11
MOST_TABLES = 1 << 16
MOST_ORDERS = 1 << 24

_ODD = 0x9E3779B97F4A7C15  # 2^64 divided by the golden ratio: consecutive multiples spread evenly


def mixed(words: Words) -> Words:
    """The numbers, each spread over all 64 bits (the finaliser of SplitMix64)."""
    words = (words ^ words >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ words >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return words ^ words >> np.uint64(31)


@dataclass(slots=True)
class _Table:
    """A table's first and last order so far, and the sums over its pairs of successive hands."""

    first: Bytes
    last: Bytes
    pairs: int = 0
    same: int = 0
    products: int = 0

    def add(self, pairs: int, same: int, products: int) -> None:
        self.pairs += pairs
        self.same += same
        self.products += products

    def meet(self, before: Bytes, after: Bytes) -> None:
        self.add(1, int(np.count_nonzero(before == after)), int(np.dot(before.astype(np.int64), after)))


@dataclass(frozen=True, slots=True)
class SerialSums:
    """Over all pairs of successive hands: how many, tiles that kept their place, and Σ x·y over positions."""

    pairs: int
    same: int
    products: int
    tables: int
    followed: float


@dataclass(slots=True)
class SerialCounts:
    """Pairs of successive hands, by table. Parts must be merged in the order in which they were played."""

    _tables: dict[int, _Table] = field(default_factory=dict)
    _mask: int = 0

    def update(self, order: Bytes, table: Words | None) -> None:
        """Take in hands, (n, 106) in playing order; ``table`` is (n,), ``None`` for one table."""
        if not len(order):
            return
        if table is None:
            table = np.zeros(len(order), np.uint64)
        key = mixed(table)
        if self._mask:
            kept = key & np.uint64(self._mask) == 0
            order, key = order[kept], key[kept]
        if len(key) and (key != key[0]).any():
            by_table = np.argsort(key, kind="stable")
            order, key = order[by_table], key[by_table]
        self._update_sorted(order, key)
        self._thin()

    def _update_sorted(self, order: Bytes, key: Words) -> None:
        if not len(key):
            return
        starts = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
        same = np.zeros(len(order), np.int64)
        products = np.zeros(len(order), np.int64)
        for start in range(0, len(order) - 1, BLOCK):
            block = order[start : start + BLOCK + 1].astype(np.int32)  # stays in the processor's cache
            after = slice(start + 1, start + len(block))
            same[after] = (
                order[start + 1 : start + len(block)] == order[start : start + len(block) - 1]
            ).sum(axis=1, dtype=np.uint8)
            products[after] = np.einsum("ij,ij->i", block[1:], block[:-1])
        same[starts] = products[starts] = 0
        ends = [*starts[1:], len(order)]
        sums = zip(np.add.reduceat(same, starts), np.add.reduceat(products, starts), strict=True)
        for first, end, (alike, product) in zip(starts, ends, sums, strict=True):
            found = self._tables.get(int(key[first]))
            if found is None:
                found = self._tables[int(key[first])] = _Table(order[first].copy(), order[end - 1].copy())
            else:
                found.meet(found.last, order[first])
                found.last = order[end - 1].copy()
            found.add(int(end - first) - 1, int(alike), int(product))

    def merge(self, later: SerialCounts) -> None:
        """Add hands that were played after these."""
        self._keep(self._mask | later._mask)
        for key, theirs in later._tables.items():
            if key & self._mask:
                continue
            ours = self._tables.get(key)
            if ours is None:
                self._tables[key] = _Table(
                    theirs.first, theirs.last, theirs.pairs, theirs.same, theirs.products
                )
                continue
            ours.meet(ours.last, theirs.first)
            ours.add(theirs.pairs, theirs.same, theirs.products)
            ours.last = theirs.last
        self._thin()

    def sums(self) -> SerialSums:
        """The sums over the tables that are followed; ``followed`` is what part of all tables that is."""
        tables = self._tables.values()
        return SerialSums(
            pairs=sum(t.pairs for t in tables),
            same=sum(t.same for t in tables),
            products=sum(t.products for t in tables),
            tables=len(self._tables),
            followed=1 / (self._mask + 1),
        )

    def _thin(self) -> None:
        while len(self._tables) > MOST_TABLES:
            self._keep(self._mask * 2 + 1)

    def _keep(self, mask: int) -> None:
        # A table that is dropped takes its sums along: what remains is as if it had never been followed.
        if mask != self._mask:
            self._mask = mask
            self._tables = {key: table for key, table in self._tables.items() if key & mask == 0}


@dataclass(slots=True)
class OrderPrints:
    """A 64-bit fingerprint of each order, to find orders that came twice. Equal orders have equal prints."""

    _prints: list[Words] = field(default_factory=list)
    _held: int = 0
    _mask: int = 0

    def update(self, order: Bytes) -> None:
        """Take in hands, (n, 106)."""
        padded = np.zeros((len(order), 112), np.uint8)
        padded[:, :TILES] = order
        weights = np.array([_ODD * (2 * k + 1) % 2**64 for k in range(14)], np.uint64)
        self._add(mixed((padded.view("<u8") * weights).sum(axis=1, dtype=np.uint64)))

    def merge(self, other: OrderPrints) -> None:
        """Add other hands."""
        self._keep(self._mask | other._mask)
        for prints in other._prints:
            self._add(prints)

    def _add(self, prints: Words) -> None:
        if self._mask:
            prints = prints[prints & np.uint64(self._mask) == 0]
        self._prints.append(prints)
        self._held += len(prints)
        while self._held > MOST_ORDERS:
            self._keep(self._mask * 2 + 1)

    def _keep(self, mask: int) -> None:
        if mask != self._mask:
            self._mask = mask
            self._prints = [prints[prints & np.uint64(mask) == 0] for prints in self._prints]
            self._held = sum(map(len, self._prints))

    def repeats(self) -> tuple[int, int]:
        """Hands that were compared, and how many of them repeat the order of another one before."""
        if not self._prints:
            return 0, 0
        prints = np.concatenate(self._prints)
        prints.sort()
        return len(prints), int(np.count_nonzero(prints[1:] == prints[:-1]))

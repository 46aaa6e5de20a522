"""The RFC 6962 Merkle tree: heads, inclusion and consistency proofs, and a tree that only grows.

Leaves and nodes are hashed with different first bytes, so no entry can pass for a pair of hashes. Proofs
are verified by RFC 9162 §2.1.3.2 and §2.1.4.2, which also bound their length: a proof with one hash too
many or too few fails. Usable alone:

>>> leaves = [leaf_hash(b"a"), leaf_hash(b"b"), leaf_hash(b"c")]
>>> verify_inclusion(2, 3, leaves[2], inclusion_proof(leaves, 2), root(leaves))
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from fairdeal.errors import EvidenceError, UsageError

HASH_SIZE = 32
EMPTY_ROOT = hashlib.sha256(b"").digest()
"""Head of the tree without leaves."""


def leaf_hash(entry: bytes) -> bytes:
    """SHA-256(00 ‖ entry)."""
    return hashlib.sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """SHA-256(01 ‖ left ‖ right)."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def root(leaves: Iterable[bytes]) -> bytes:
    """The tree head over leaf hashes in order (RFC 6962 §2.1)."""
    tree = Frontier()
    tree.extend(leaves)
    return tree.root()


def split(size: int) -> int:
    """The largest power of two below ``size``, where a tree of two or more leaves divides."""
    return 1 << (size - 1).bit_length() - 1


def inclusion_proof(leaves: Sequence[bytes], index: int) -> list[bytes]:
    """The audit path of leaf ``index``, nearest sibling first (RFC 6962 §2.1.1)."""
    if not 0 <= index < len(leaves):
        raise UsageError("no such leaf in the tree")
    if len(leaves) == 1:
        return []
    k = split(len(leaves))
    if index < k:
        return [*inclusion_proof(leaves[:k], index), root(leaves[k:])]
    return [*inclusion_proof(leaves[k:], index - k), root(leaves[:k])]


def consistency_proof(leaves: Sequence[bytes], old: int) -> list[bytes]:
    """The proof that the tree's first ``old`` leaves are a tree it grew from (RFC 6962 §2.1.2)."""
    if not 1 <= old <= len(leaves):
        raise UsageError("the old size must lie between 1 and the tree's size")
    return _subproof(leaves, old, True)


def _subproof(leaves: Sequence[bytes], old: int, whole: bool) -> list[bytes]:
    if old == len(leaves):
        return [] if whole else [root(leaves)]
    k = split(len(leaves))
    if old <= k:
        return [*_subproof(leaves[:k], old, whole), root(leaves[k:])]
    return [*_subproof(leaves[k:], old - k, False), root(leaves[:k])]


def root_from_inclusion(index: int, size: int, leaf: bytes, proof: Sequence[bytes]) -> bytes:
    """The head that an audit path leads to (RFC 9162 §2.1.3.2).

    Raises :class:`EvidenceError` ``bad-proof`` where index, size and the path's length do not fit together.
    """
    if not 0 <= index < size:
        raise EvidenceError("bad-proof", "the index lies beyond the tree")
    if any(len(h) != HASH_SIZE for h in (leaf, *proof)):
        raise EvidenceError("bad-proof", "every hash must be 32 bytes")
    fn, sn, node = index, size - 1, leaf
    for sibling in proof:
        if sn == 0:
            raise EvidenceError("bad-proof", "the inclusion proof is too long")
        if fn & 1 or fn == sn:
            node = node_hash(sibling, node)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            node = node_hash(node, sibling)
        fn, sn = fn >> 1, sn >> 1
    if sn:
        raise EvidenceError("bad-proof", "the inclusion proof is too short")
    return node


def verify_inclusion(index: int, size: int, leaf: bytes, proof: Sequence[bytes], head: bytes) -> None:
    """Check that ``leaf`` is number ``index`` of the tree of ``size`` leaves with this head.

    Raises :class:`EvidenceError` ``bad-proof`` if not.
    """
    if root_from_inclusion(index, size, leaf, proof) != head:
        raise EvidenceError("bad-proof", "the inclusion proof leads to another tree head")


def verify_consistency(old: int, size: int, proof: Sequence[bytes], old_head: bytes, head: bytes) -> None:
    """Check that the tree of ``size`` leaves continues the one of ``old`` leaves (RFC 9162 §2.1.4.2).

    Equal sizes need equal heads and an empty proof; everything continues the empty tree, without a proof.
    Raises :class:`EvidenceError` ``bad-proof`` if not.
    """
    if not 0 <= old <= size:
        raise EvidenceError("bad-proof", "a tree never gets smaller")
    if old == size and (proof or old_head != head):
        raise EvidenceError("bad-proof", "equal sizes need equal heads, and no proof")
    if old == 0 and (proof or old_head != EMPTY_ROOT):
        raise EvidenceError("bad-proof", "the empty tree has one head, and needs no proof")
    if old in (0, size):
        return
    if any(len(h) != HASH_SIZE for h in proof) or not proof:
        raise EvidenceError("bad-proof", "a consistency proof holds hashes of 32 bytes")
    path = list(proof) if old & (old - 1) else [old_head, *proof]
    fn, sn = old - 1, size - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    fr = sr = path[0]
    for node in path[1:]:
        if sn == 0:
            raise EvidenceError("bad-proof", "the consistency proof is too long")
        if fn & 1 or fn == sn:
            fr, sr = node_hash(node, fr), node_hash(node, sr)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            sr = node_hash(sr, node)
        fn, sn = fn >> 1, sn >> 1
    if sn or fr != old_head or sr != head:
        raise EvidenceError("bad-proof", "the consistency proof does not lead to both tree heads")


class Frontier:
    """A tree's right edge: enough to append leaves and tell the head, in space that grows with log(size).

    ``hashes`` are the heads of the perfect subtrees that the size's binary digits stand for, largest first.
    """

    def __init__(self, size: int = 0, hashes: Sequence[bytes] = ()) -> None:
        """An edge from its parts; raises :class:`UsageError` where they don't fit together."""
        if size < 0 or len(hashes) != size.bit_count() or any(len(h) != HASH_SIZE for h in hashes):
            raise UsageError("a right edge has one hash of 32 bytes for each binary 1 in its size")
        self.size = size
        self.hashes = list(hashes)

    def append(self, leaf: bytes) -> None:
        """Add one leaf hash."""
        node, carry = leaf, self.size
        while carry & 1:
            node = node_hash(self.hashes.pop(), node)
            carry >>= 1
        self.hashes.append(node)
        self.size += 1

    def extend(self, leaves: Iterable[bytes]) -> None:
        """Add leaf hashes in order: as :meth:`append` for each, a level of the tree at a time."""
        nodes, kept = list(leaves), []
        left, self.size = self.size, self.size + len(nodes)
        while nodes:
            if left & 1:
                nodes.insert(0, self.hashes.pop())
            if len(nodes) & 1:
                kept.append(nodes.pop())
            nodes = list(map(node_hash, nodes[::2], nodes[1::2]))
            left >>= 1
        self.hashes += reversed(kept)

    def root(self) -> bytes:
        """The head over all leaves so far."""
        if not self.hashes:
            return EMPTY_ROOT
        node = self.hashes[-1]
        for left in reversed(self.hashes[:-1]):
            node = node_hash(left, node)
        return node

    def copy(self) -> Frontier:
        """An independent copy."""
        return Frontier(self.size, self.hashes)

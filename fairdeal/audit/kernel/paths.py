"""Leaf hashes and inclusion proofs of many log entries at once (RFC 9162 §2.1.3.2), hashed by a kernel."""

from __future__ import annotations

import numpy as np

from fairdeal.audit.kernel import Kernel
from fairdeal.audit.kernel.compiled import Array, compiled
from fairdeal.audit.kernel.tables import padded

_PAIR = np.frombuffer(padded(b"\x01" + bytes(64)), np.uint8).copy()


def leaf_hashes(kernel: Kernel, texts: Array, blocks: Array) -> Array:
    """SHA-256 of padded messages (m, room) of so many blocks (m,): (m, 32), zeros where there are none."""
    found = np.zeros((len(texts), 32), np.uint8)
    for count in np.unique(blocks[blocks > 0]).tolist():
        rows = np.flatnonzero(blocks == count)
        found[rows] = kernel.digest(texts[rows, : 64 * count])
    return found


def heads(  # noqa: PLR0917 - a proof's parts
    kernel: Kernel, leaves: Array, index: Array, size: Array, proof: Array, nodes: Array
) -> tuple[Array, Array]:
    """The tree heads (m, 32) that proofs lead to, and which (m,) fit their index and size.

    ``leaves`` is (m, 32), ``index`` and ``size`` (m,) int64, ``proof`` (m, 2) int64: the first of a proof's
    ``nodes`` and the one behind its last.
    """
    edge = np.stack((index, size - 1), axis=1)
    fits = index < size
    found = leaves.copy()
    level = 0
    going = np.flatnonzero(fits & (proof[:, 1] > proof[:, 0]))
    while len(going):
        blocks = np.empty((len(going), 128), np.uint8)
        _pairs(going, level, found, proof, nodes, edge, fits, blocks)
        found[going] = kernel.digest(blocks)
        level += 1
        going = going[fits[going] & (proof[going, 1] - proof[going, 0] > level)]
    return found, fits & (edge[:, 1] == 0)


@compiled
def _pairs(  # noqa: PLR0917 - compiled
    going: Array,
    level: int,
    found: Array,
    proof: Array,
    nodes: Array,
    edge: Array,
    fits: Array,
    blocks: Array,
) -> None:
    """The padded message of each path's next node; ``edge`` is index and last index, a level up each time."""
    for k in range(len(going)):
        row = going[k]
        first, last = edge[row, 0], edge[row, 1]
        sibling = proof[row, 0] + level
        right = first & 1 == 1 or first == last
        block = blocks[k]
        for at in range(128):
            block[at] = _PAIR[at]
        for at in range(32):
            block[1 + at] = nodes[sibling, at] if right else found[row, at]
            block[33 + at] = found[row, at] if right else nodes[sibling, at]
        if last == 0:
            fits[row] = False  # a proof too long
        if right:
            while first & 1 == 0 and first != 0:
                first, last = first >> 1, last >> 1
        edge[row, 0], edge[row, 1] = first >> 1, last >> 1

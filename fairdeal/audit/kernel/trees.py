"""The openings' trees of many hands (protocol §7.2): leaves by compiled code, hashed by the kernel."""

from __future__ import annotations

import numpy as np

from fairdeal.audit.kernel import Kernel
from fairdeal.audit.kernel.compiled import Array, compiled
from fairdeal.audit.kernel.tables import padded


def roots(kernel: Kernel, keys: Array, slots: list[str], tiles: Array) -> Array:
    """The tree heads over (n, slots) tiles under the same slots: (n, 32).

    Takes about 20 kB a hand on the way: give it some thousands at a time.
    """
    names = tuple(slot.encode("ascii") for slot in slots)
    salts = kernel.macs(keys, tuple(b"s:" + name for name in names))
    room = max(map(len, names)) + 1
    texts = np.array([list((name + b" ").ljust(room, b"\0")) for name in names], np.uint8)
    blocks = np.zeros((len(keys) * len(names), 128), np.uint8)
    _leaves(texts, np.array([len(name) + 1 for name in names]), tiles, salts, blocks)
    nodes = kernel.digest(blocks).reshape(len(keys), len(names), 32)
    while nodes.shape[1] > 1:
        nodes = _parents(kernel, nodes)
    return nodes[:, 0]


def _parents(kernel: Kernel, nodes: Array) -> Array:
    """One level up. An odd last node moves up as it is, which gives RFC 6962's tree."""
    hands, count, _ = nodes.shape
    pairs = count // 2
    blocks = np.empty((hands * pairs, 128), np.uint8)
    blocks[:] = np.frombuffer(padded(b"\x01" + bytes(64)), np.uint8)
    blocks[:, 1:65] = nodes[:, : 2 * pairs].reshape(-1, 64)
    parents = kernel.digest(blocks).reshape(hands, pairs, 32)
    return np.concatenate((parents, nodes[:, 2 * pairs :]), axis=1)


@compiled
def _leaves(texts: Array, lengths: Array, tiles: Array, salts: Array, blocks: Array) -> None:
    """``00 <slot> <tile> <hex salt>`` with SHA-256's padding, two blocks each, into zeroed ``blocks``."""
    slots = len(lengths)
    for hand in range(len(tiles)):
        for s in range(slots):
            block = blocks[hand * slots + s]
            at = 1
            for k in range(lengths[s]):
                block[at] = texts[s, k]
                at += 1
            tile = tiles[hand, s]
            if tile >= 100:
                block[at] = 0x30 + tile // 100
                at += 1
            if tile >= 10:
                block[at] = 0x30 + tile // 10 % 10
                at += 1
            block[at] = 0x30 + tile % 10
            block[at + 1] = 0x20
            at += 2
            for k in range(32):
                for half in range(2):
                    digit = salts[hand, s, k] & 15 if half else salts[hand, s, k] >> 4
                    block[at] = digit + (0x30 if digit < 10 else 0x57)
                    at += 1
            block[at] = 0x80
            block[126], block[127] = at >> 5, (at << 3) & 255

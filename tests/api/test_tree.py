"""The service's own tree agrees with the core's, at every size, grown, reloaded and read back."""

from __future__ import annotations

import hashlib
import json

import pytest
from fairdeal_api.answers import Evidence
from fairdeal_api.hands import Hand
from fairdeal_api.tables import COMMITTED
from fairdeal_api.tree import FullTiles, GrowingTree, TreeView
from hypothesis import given, settings
from hypothesis import strategies as st

from fairdeal.encoding import parse_b64
from fairdeal.merkle import inclusion_proof, root, verify_inclusion

STORES = ("sqlite",)

LEAVES = [hashlib.sha256(b"%d" % k).digest() for k in range(1400)]


class Store:
    """Tiles as a store has them."""

    def __init__(self) -> None:
        self.tiles: dict[tuple[int, int], bytes] = {}

    def read(self, level: int, n: int) -> bytes:
        return self.tiles[level, n]

    def take(self, tree: GrowingTree) -> None:
        for level, n, data, exists in tree.take_changed():
            assert ((level, n) in self.tiles) == exists
            assert data.startswith(self.tiles.get((level, n), b""))
            self.tiles[level, n] = data


@pytest.mark.parametrize("size", [*range(20), 255, 256, 257, 511, 512, 513, 767, 1024, 1400])
def test_head_and_every_proof_are_the_cores(size: int) -> None:
    store, full = Store(), FullTiles(2)
    tree = GrowingTree(0, store.read, full)
    tree.extend(LEAVES[:size])
    store.take(tree)
    tree.settle()
    view = TreeView(size, store.read, FullTiles(2))
    assert tree.root() == view.root() == root(LEAVES[:size])
    for index in range(0, size, max(1, size // 40)):
        expected = inclusion_proof(LEAVES[:size], index)
        assert tree.inclusion_proof(index) == view.inclusion_proof(index) == expected
        verify_inclusion(index, size, LEAVES[index], expected, view.root())


@pytest.mark.parametrize("size", [1, 15, 16, 17, 33, 256, 300, 1399, 1400])
def test_proofs_made_by_the_block_are_those_made_one_by_one(size: int) -> None:
    store, full = Store(), FullTiles()
    tree = GrowingTree(0, store.read, full)
    tree.extend(LEAVES[:size])
    entries = dict.fromkeys(range(size), b"{}")
    alone, together = (Evidence("key", "checkpoint", tree, entries) for _ in range(2))
    hands = [hand_at(index) for index in range(size)]
    together.prove(hands[1::2])
    for hand in hands:
        (entry,) = json.loads(together.receipt(hand))["entries"]
        assert [from_b64(node) for node in entry["proof"]] == tree.inclusion_proof(hand.commit_index)
        assert together.receipt(hand) == alone.receipt(hand)


def hand_at(index: int) -> Hand:
    return Hand(index, bytes(16), 1, "op", "t", 1, COMMITTED, 1, "{}", bytes(32), "[]", None, 0, 1, None)


def from_b64(text: str) -> bytes:
    return parse_b64(text, "node", 32)


@settings(max_examples=30)
@given(st.lists(st.integers(1, 300), min_size=1, max_size=8), st.data())
def test_a_tree_that_is_reloaded_between_transactions_grows_the_same(
    parts: list[int], data: st.DataObject
) -> None:
    store, full = Store(), FullTiles()
    tree, size = GrowingTree(0, store.read, full), 0
    for wanted in parts:
        part = min(wanted, len(LEAVES) - size)
        tree.extend(LEAVES[size : size + part])
        size += part
        store.take(tree)
        assert tree.root() == root(LEAVES[:size])
        if data.draw(st.booleans()):
            tree = GrowingTree(size, store.read, full)
            assert tree.root() == root(LEAVES[:size])
        else:
            tree.settle()


def test_an_older_view_reads_from_tiles_that_have_grown_since() -> None:
    store, full = Store(), FullTiles()
    tree = GrowingTree(0, store.read, full)
    tree.extend(LEAVES)
    store.take(tree)
    for size in (1, 200, 256, 300, 1399):
        assert TreeView(size, store.read, full).root() == root(LEAVES[:size])

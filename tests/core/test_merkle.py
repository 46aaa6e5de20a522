from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairdeal import merkle
from fairdeal.errors import EvidenceError, UsageError
from fairdeal.merkle import (
    Frontier,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    node_hash,
    verify_consistency,
    verify_inclusion,
)

KNOWN_LEAVES = [
    "",
    "00",
    "10",
    "2021",
    "3031",
    "40414243",
    "5051525354555657",
    "606162636465666768696a6b6c6d6e6f",
]
KNOWN_ROOTS = ["e3b0c442", "6e340b9c", "fac54203", "aeb6bcfe", "d37ee418", "4e3bbb1f", "76e67dad", "ddb89be4"]
KNOWN_ROOTS.append("5dc9da79")

LEAVES = [leaf_hash(k.to_bytes(2, "big")) for k in range(101)]


def plain_root(leaves: list[bytes]) -> bytes:
    """RFC 6962 §2.1 word for word."""
    if not leaves:
        return merkle.EMPTY_ROOT
    if len(leaves) == 1:
        return leaves[0]
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    return node_hash(plain_root(leaves[:k]), plain_root(leaves[k:]))


ROOTS = [plain_root(LEAVES[:n]) for n in range(len(LEAVES))]
INCLUSION = {(i, n): inclusion_proof(LEAVES[:n], i) for n in range(1, 101) for i in range(n)}
CONSISTENCY = {(m, n): consistency_proof(LEAVES[:n], m) for n in range(1, 101) for m in range(1, n + 1)}


def holds(index: int, size: int, leaf: bytes, proof: list[bytes], root: bytes) -> bool:
    try:
        verify_inclusion(index, size, leaf, proof, root)
    except EvidenceError as error:
        return error.code != "bad-proof"
    return True


def continues(old: int, size: int, proof: list[bytes], old_root: bytes, root: bytes) -> bool:
    try:
        verify_consistency(old, size, proof, old_root, root)
    except EvidenceError as error:
        return error.code != "bad-proof"
    return True


def flip(data: bytes, bit: int) -> bytes:
    return (int.from_bytes(data, "big") ^ 1 << bit % (8 * len(data))).to_bytes(len(data), "big")


def test_known_roots() -> None:
    leaves = [leaf_hash(bytes.fromhex(text)) for text in KNOWN_LEAVES]
    assert [merkle.root(leaves[:n]).hex()[:8] for n in range(9)] == KNOWN_ROOTS
    assert merkle.EMPTY_ROOT.hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_roots_are_those_of_the_plain_definition() -> None:
    edge = Frontier()
    for n, expected in enumerate(ROOTS):
        assert merkle.root(LEAVES[:n]) == edge.root() == expected
        assert edge.size == n
        assert Frontier(n, edge.hashes).root() == edge.copy().root() == expected
        edge.append(LEAVES[n])


@given(st.lists(st.integers(0, 40), max_size=6))
def test_an_edge_grows_the_same_one_by_one_and_many_at_once(parts: list[int]) -> None:
    edge, alone = Frontier(), Frontier()
    for count in parts:
        part = [leaf_hash(b"%d" % k) for k in range(edge.size, edge.size + count)]
        edge.extend(iter(part))
        for leaf in part:
            alone.append(leaf)
        assert (edge.size, edge.hashes) == (alone.size, alone.hashes)


def test_a_copy_grows_alone() -> None:
    edge = Frontier()
    edge.append(LEAVES[0])
    copy = edge.copy()
    copy.append(LEAVES[1])
    assert (edge.root(), copy.root()) == (ROOTS[1], ROOTS[2])


@pytest.mark.parametrize(
    ("size", "hashes"), [(-1, ()), (0, (bytes(32),)), (1, ()), (3, (bytes(32),)), (1, (bytes(31),))]
)
def test_an_edge_whose_parts_do_not_fit(size: int, hashes: tuple[bytes, ...]) -> None:
    with pytest.raises(UsageError):
        Frontier(size, hashes)


def test_every_inclusion_proof_of_every_tree_holds() -> None:
    for (index, size), proof in INCLUSION.items():
        assert holds(index, size, LEAVES[index], proof, ROOTS[size])


def test_no_inclusion_proof_holds_for_anything_else() -> None:
    for (index, size), proof in INCLUSION.items():
        leaf, root = LEAVES[index], ROOTS[size]
        spoiled = flip(leaf, index + size)
        assert not holds(index, size, spoiled, proof, root)
        assert not holds(index, size, leaf, proof, flip(root, index + size))
        assert not holds(index, size, leaf, [*proof, root], root)
        assert not holds(index, size, leaf, [leaf, *proof], root)
        assert not holds(index ^ 1, size, leaf, proof, root) or size == 1
        assert not holds(size, size, leaf, proof, root)
        assert not holds(-1, size, leaf, proof, root)
        for k, node in enumerate(proof):
            shorter, changed = (
                [*proof[:k], *proof[k + 1 :]],
                [*proof[:k], flip(node, 7 * k + size), *proof[k + 1 :]],
            )
            assert not holds(index, size, leaf, shorter, root)
            assert not holds(index, size, leaf, changed, root)
    # A proof for every index and size but its own.
    for size in (1, 2, 3, 7, 8, 9, 13):
        for index in range(size):
            for other_size in range(1, 18):
                for other in range(-1, 18):
                    same = (other, other_size) == (index, size)
                    assert same == holds(
                        other, other_size, LEAVES[index], INCLUSION[index, size], ROOTS[size]
                    ) or (_same_shape(index, size, other, other_size))


def _same_shape(index: int, size: int, other: int, other_size: int) -> bool:
    """Whether the path of ``other`` has the same turns, so that only the signed size tells the two apart."""
    return 0 <= other < other_size and _turns(index, size) == _turns(other, other_size)


def _turns(index: int, size: int) -> str:
    turns = ""
    while size > 1:
        k = merkle.split(size)
        turns = ("l" if index < k else "r") + turns
        index, size = (index, k) if index < k else (index - k, size - k)
    return turns


def test_every_consistency_proof_of_every_tree_holds() -> None:
    for (old, size), proof in CONSISTENCY.items():
        assert continues(old, size, proof, ROOTS[old], ROOTS[size])
        if old == size:
            assert proof == []


def test_no_consistency_proof_holds_for_anything_else() -> None:
    for (old, size), proof in CONSISTENCY.items():
        before, root = ROOTS[old], ROOTS[size]
        assert not continues(old, size, proof, flip(before, old + size), root)
        assert not continues(old, size, proof, before, flip(root, old + size))
        assert not continues(old, size, [*proof, root], before, root)
        assert not continues(old, size, [root, *proof], before, root)
        assert not continues(size, old, proof, root, before) or old == size
        for k, node in enumerate(proof):
            shorter, changed = (
                [*proof[:k], *proof[k + 1 :]],
                [*proof[:k], flip(node, 5 * k + old), *proof[k + 1 :]],
            )
            assert not continues(old, size, shorter, before, root)
            assert not continues(old, size, changed, before, root)


def test_corners_of_consistency() -> None:
    empty = merkle.EMPTY_ROOT
    assert continues(0, 0, [], empty, empty)
    assert continues(0, 5, [], empty, ROOTS[5])
    assert not continues(0, 0, [], empty, ROOTS[1])
    assert not continues(0, 5, [], ROOTS[1], ROOTS[5])
    assert not continues(0, 5, [ROOTS[5]], empty, ROOTS[5])
    assert not continues(5, 5, [ROOTS[5]], ROOTS[5], ROOTS[5])
    assert not continues(5, 5, [], ROOTS[5], ROOTS[4])
    assert not continues(4, 5, [], ROOTS[4], ROOTS[5])
    assert not continues(-1, 5, [], empty, ROOTS[5])
    assert not continues(6, 5, [], ROOTS[6], ROOTS[5])


@pytest.mark.parametrize("size", [0, 31, 33])
def test_every_hash_is_32_bytes(size: int) -> None:
    proof = INCLUSION[2, 5]
    assert not holds(2, 5, bytes(size), proof, ROOTS[5])
    assert not holds(2, 5, LEAVES[2], [bytes(size), *proof[1:]], ROOTS[5])
    assert not continues(3, 5, [bytes(size), *CONSISTENCY[3, 5][1:]], ROOTS[3], ROOTS[5])


def test_proofs_of_what_is_not_there() -> None:
    for index in (-1, 3):
        with pytest.raises(UsageError):
            inclusion_proof(LEAVES[:3], index)
    for old in (-1, 0, 4):
        with pytest.raises(UsageError):
            consistency_proof(LEAVES[:3], old)


def test_a_leaf_is_never_a_node() -> None:
    left, right = LEAVES[:2]
    assert leaf_hash(left + right) != node_hash(left, right)


@settings(max_examples=200)
@given(
    st.integers(-5, 2**60), st.integers(-5, 2**60), st.lists(st.binary(min_size=31, max_size=32), max_size=70)
)
def test_hostile_proofs_end_and_fail(index: int, size: int, proof: list[bytes]) -> None:
    assert not holds(index, size, LEAVES[0], proof, ROOTS[9]) or not proof
    assert not continues(index, size, proof, ROOTS[8], ROOTS[9])

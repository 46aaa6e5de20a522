"""Where a log's entries leave the tree that it signed (protocol §8.2).

When the entries do not give the signed head, the log's own tiles of hashes may still give it. Then the tiles
tell which entries are not the signed ones.
"""

from __future__ import annotations

from collections.abc import Iterator

from fairdeal.audit.findings import Finding
from fairdeal.audit.log.merge import Tree, hand_in
from fairdeal.audit.log.parts import split_bundle
from fairdeal.audit.log.source import LogSource
from fairdeal.checkpoint import Checkpoint
from fairdeal.errors import FairdealError
from fairdeal.merkle import HASH_SIZE, leaf_hash
from fairdeal.tiling import WIDTH, Tile, TileReader

MOST_IN_TILE = 16
"""Altered entries of one tile that are named one by one; of more, the first is."""


def differences(source: LogSource, head: Checkpoint, tree: Tree) -> Iterator[Finding]:
    """Findings that place the difference between the entries, as ``tree`` has them, and the signed head."""
    yield Finding(
        "wrong-root",
        f"{head.size:,} entries give another tree head than the checkpoint has signed",
        expected=head.root.hex(),
        found=tree.root().hex(),
    )
    if not _tiles_hold(source, head):
        return
    for number in range(-(-head.size // WIDTH)):
        width = min(WIDTH, head.size - number * WIDTH)
        signed = source.tile(Tile(0, number, width)) or b""
        if width == WIDTH:
            ours = bytes(tree.heads[number * HASH_SIZE : (number + 1) * HASH_SIZE])
            above = _hash(source, head.size, number)
            if above == ours:
                continue
        yield from _in_tile(source, number, width, signed)


def _tiles_hold(source: LogSource, head: Checkpoint) -> bool:
    """Whether the tiles of hashes give the signed head by themselves."""

    def read(tile: Tile) -> bytes:
        return source.tile(tile) or b""

    try:
        return TileReader(head.size, read).root() == head.root
    except FairdealError:
        return False


def _hash(source: LogSource, size: int, number: int) -> bytes:
    """What the tile of level 1 says of a full tile of level 0."""
    index, place = divmod(number, WIDTH)
    width = min(WIDTH, (size >> 8) - index * WIDTH)
    data = source.tile(Tile(1, index, width)) or b""
    return data[place * HASH_SIZE : (place + 1) * HASH_SIZE]


def _in_tile(source: LogSource, number: int, width: int, signed: bytes) -> Iterator[Finding]:
    entries, _ = split_bundle(source.tile(Tile(-1, number, width)) or b"")
    wrong = [
        (k, entry)
        for k, entry in enumerate(entries[:width])
        if leaf_hash(entry) != signed[k * HASH_SIZE : (k + 1) * HASH_SIZE]
    ]
    named = wrong if len(wrong) <= MOST_IN_TILE else wrong[:1]
    for k, entry in named:
        index = number * WIDTH + k
        more = "" if len(named) == len(wrong) else f", nor are {len(wrong) - 1} after it in this tile"
        what = f"entry {index} is not the one in the signed tree{more}"
        expected = signed[k * HASH_SIZE : (k + 1) * HASH_SIZE].hex()
        yield Finding(
            "altered-entry", what, hand_in(entry), index, expected=expected, found=leaf_hash(entry).hex()
        )

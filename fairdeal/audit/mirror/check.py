"""A mirrored log worked out again from its entries, offline: ``fairdeal log check`` (protocol §8.2).

The mirror wrote nothing that it had not verified. Whatever does not fit here was damaged since, on this
machine; it says nothing about the log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from fairdeal.audit.log.chunk import tile_head
from fairdeal.audit.log.merge import Tree
from fairdeal.audit.log.source import SignedHead, SourceError
from fairdeal.audit.mirror.folder import CHECKPOINT, MirrorFolder, rows_above, tiles_of
from fairdeal.errors import EvidenceError, MalformedError
from fairdeal.merkle import leaf_hash
from fairdeal.note import Verifier, open_note
from fairdeal.tiling import WIDTH, Tile, parse_bundle


@dataclass
class Damage:
    """A file that is not what its log gives, and how so."""

    path: str
    what: str


@dataclass
class CheckOutcome:
    """What there is in the mirror. ``signed``: whether a key was there to check the signature with."""

    head: SignedHead
    tiles: int = 0
    signed: bool = False
    damage: list[Damage] = field(default_factory=list)


def check(
    folder: MirrorFolder,
    keys: Sequence[Verifier],
    progress: Callable[[int, int], None] = lambda done, total: None,  # noqa: ARG005
) -> CheckOutcome:
    """Check every file that the checkpoint covers. Raises :class:`SourceError` where there is no mirror."""
    head = folder.head()
    if head is None:
        raise SourceError("missing", f"{folder.folder}: no checkpoint there, so no mirrored log")
    outcome = CheckOutcome(head)
    if keys:
        outcome.signed = True
        try:
            open_note(head.note, keys)
        except EvidenceError as error:
            outcome.damage.append(Damage(CHECKPOINT, str(error)))
    size = head.head.size
    tree = Tree()
    whole = True
    for number in range(-(-size // WIDTH)):
        width = min(WIDTH, size - number * WIDTH)
        leaves, damage = _tile(folder, number, width)
        outcome.damage += damage
        outcome.tiles += 2
        if leaves is None:
            whole = False
        elif width == WIDTH:
            tree.add(tile_head(leaves), ())
        else:
            tree.add(b"", leaves)
        progress(number * WIDTH + width, size)
    if whole:
        outcome.damage += _above(folder, tree, outcome)
        if tree.root() != head.head.root and not outcome.damage:
            what = "the entries give another head: they and the tiles, or the checkpoint, were changed"
            outcome.damage.append(Damage(CHECKPOINT, what))
    return outcome


def _tile(folder: MirrorFolder, number: int, width: int) -> tuple[list[bytes] | None, list[Damage]]:
    """A bundle's leaf hashes where they can be had, and what is wrong with bundle or tile."""
    bundle, tile = Tile(-1, number, width), Tile(0, number, width)
    data, hashes = folder.read(bundle), folder.read(tile)
    damage = [Damage(t.path, "missing") for t, d in ((bundle, data), (tile, hashes)) if d is None]
    if data is None:
        return None, damage
    try:
        leaves = [leaf_hash(entry) for entry in parse_bundle(data, width)]
    except MalformedError as error:
        return None, [*damage, Damage(bundle.path, error.rule)]
    if hashes is not None and b"".join(leaves) != hashes:
        wrong = next((k for k in range(width) if hashes[k * 32 : k * 32 + 32] != leaves[k]), 0)
        what = f"entry {number * WIDTH + wrong} and its hash in {tile.path} do not fit"
        damage.append(Damage(bundle.path, what))
    return leaves, damage


def _above(folder: MirrorFolder, tree: Tree, outcome: CheckOutcome) -> Iterator[Damage]:
    for level, row in enumerate(rows_above(bytes(tree.heads)), 1):
        for tile, data in tiles_of(row, level):
            outcome.tiles += 1
            found = folder.read(tile)
            if found != data:
                yield Damage(tile.path, "missing" if found is None else "not what the entries give")

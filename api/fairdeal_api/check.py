"""Whether the store is the log that was signed: entries, tiles and head, and marks kept elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection, select

from fairdeal.checkpoint import parse_checkpoint
from fairdeal.errors import EvidenceError, MalformedError
from fairdeal.merkle import HASH_SIZE, leaf_hash
from fairdeal.note import Verifier, open_note, parse_note
from fairdeal.tiling import WIDTH, tile_path
from fairdeal_api.head import CorruptionError, Head, need_tile
from fairdeal_api.marks import Mark
from fairdeal_api.tables import EntryRow, table_of
from fairdeal_api.tree import FullTiles, GrowingTree, TreeView

_ENTRIES = table_of(EntryRow)


class ForkError(RuntimeError):
    """The store is not, or no longer, the log that was signed; the text says how far it goes."""


def check_head(connection: Connection, head: Head) -> None:
    """Check the head against itself and against the tiles; raises :class:`CorruptionError`."""
    try:
        note = parse_note(head.checkpoint)
        open_note(note, [Verifier.parse(key) for key in head.signing])
        signed = parse_checkpoint(note.text)
    except (MalformedError, EvidenceError):
        raise CorruptionError("the stored checkpoint does not verify under the log's own key") from None
    if (signed.origin, signed.size) != (head.origin, head.size):
        raise CorruptionError("the stored checkpoint is of another size than the head")
    if signed.root != head.frontier().root():
        raise CorruptionError("the head's right edge contradicts its signed checkpoint")
    if signed.root != tree_of(connection, head).root():
        raise CorruptionError("the stored tiles contradict the signed checkpoint")


def check_tail(connection: Connection, head: Head) -> int:
    """Hash the last entries again, up to 511, against their tiles; returns how many.

    Raises :class:`CorruptionError`.
    """
    first = max(0, (head.size - 1) // WIDTH - 1) * WIDTH
    for index, leaves in _hashed(connection, head, first):
        _compare(connection, 0, index // WIDTH, b"".join(leaves))
    return head.size - first


def check_all(connection: Connection, head: Head) -> int:
    """Hash every entry again and work out every tile and the head; returns how many entries.

    Raises :class:`CorruptionError`, naming the first tile that differs.
    """
    check_head(connection, head)
    tree = GrowingTree(0, lambda _level, _n: b"", FullTiles(0))
    for _, leaves in _hashed(connection, head, 0):
        tree.extend(leaves)
        for level, n, data, _ in tree.take_changed():
            _compare(connection, level, n, data)
        tree.settle()
    if tree.size != head.size:
        raise CorruptionError("entries are missing")
    return head.size


def check_marks(connection: Connection, head: Head, marks: Sequence[Mark]) -> None:
    """Refuse a store that is older than what was signed, or went another way; raises :class:`ForkError`."""
    tree = tree_of(connection, head)
    for mark in sorted(marks, key=lambda mark: -mark.checkpoint.size):
        signed = mark.checkpoint
        if signed.origin != head.origin:
            raise ForkError(f"{mark.path} is of another log: {signed.origin}")
        if signed.size > head.size:
            raise ForkError(
                f"the store ends at {head.size} entries, but {signed.size} were signed ({mark.path}): it is "
                "older than the log. Restore a newer copy, or bring it up with `fairdeal log recover`"
            )
        if signed.root != tree.root_at(signed.size):
            raise ForkError(
                f"the store's first {signed.size} entries are not those that were signed ({mark.path}): "
                "going on would fork the log"
            )


def tree_of(connection: Connection, head: Head) -> TreeView:
    """The head's tree, read from the store's tiles."""
    return TreeView(head.size, lambda level, n: need_tile(connection, level, n), FullTiles())


def _hashed(connection: Connection, head: Head, first: int) -> Iterator[tuple[int, list[bytes]]]:
    """Leaf hashes of the stored entries from ``first``, a multiple of 256, by bundles."""
    for start in range(first, head.size, WIDTH):
        end = min(start + WIDTH, head.size)
        query = select(_ENTRIES.c.idx, _ENTRIES.c.entry).where(_ENTRIES.c.idx >= start, _ENTRIES.c.idx < end)
        rows = connection.execute(query.order_by(_ENTRIES.c.idx)).all()
        if [row[0] for row in rows] != list(range(start, end)):
            raise CorruptionError(f"of the entries {start} to {end - 1} some are missing")
        yield start, [leaf_hash(bytes(row[1])) for row in rows]


def _compare(connection: Connection, level: int, n: int, data: bytes) -> None:
    if need_tile(connection, level, n)[: len(data)] != data:
        place = f" (entries {n * WIDTH} to {n * WIDTH + len(data) // HASH_SIZE - 1})" if level == 0 else ""
        raise CorruptionError(f"{tile_path(level, n)} is not what the stored entries give{place}")

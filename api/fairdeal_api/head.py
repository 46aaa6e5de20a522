"""The log's head: the row that holds size, right edge and signed checkpoint, and how it advances.

A transaction that appends reads the row first and replaces it only if it still holds the very checkpoint that
was read: two writers can never both extend the same head, whatever their isolation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection, insert, select

from fairdeal.checkpoint import Checkpoint
from fairdeal.merkle import EMPTY_ROOT, HASH_SIZE, Frontier, leaf_hash
from fairdeal.note import Signer, Verifier, sign
from fairdeal_api.bulk import fetch, insert_rows, update_rows
from fairdeal_api.tables import HeadRow, TileRow, table_of
from fairdeal_api.tree import GrowingTree

_HEAD, _TILES = table_of(HeadRow), table_of(TileRow)
_COLUMNS = ("origin", "vkey", "size", "edge", "at", "checkpoint", "cosigners", "past_keys")
_READ = f"SELECT {', '.join(_COLUMNS)} FROM head"  # noqa: S608  names of this file


class CorruptionError(RuntimeError):
    """The store does not give back what was written, or contradicts itself. Nothing may be signed."""


class HeadMovedError(RuntimeError):
    """The head is no longer the one that this transaction read."""


@dataclass(frozen=True, slots=True)
class Head:
    """A row of ``head``."""

    origin: str
    vkey: str
    size: int
    edge: bytes
    at: int
    checkpoint: str
    cosigners: tuple[str, ...] = ()
    """Further verifier keys that sign, while the log's key is being changed."""
    past_keys: tuple[str, ...] = ()
    """Verifier keys that signed this log once and no longer do."""

    @property
    def signing(self) -> tuple[str, ...]:
        """The verifier keys that sign every checkpoint; receipts name the first."""
        return (self.vkey, *self.cosigners)

    def verifiers(self) -> list[Verifier]:
        """Every key that this log was ever signed with."""
        return [Verifier.parse(key) for key in (*self.signing, *self.past_keys)]

    def frontier(self) -> Frontier:
        """The tree's right edge."""
        cells = [self.edge[k : k + HASH_SIZE] for k in range(0, len(self.edge), HASH_SIZE)]
        return Frontier(self.size, cells)


def read_head(connection: Connection, *, to_write: bool = False) -> Head | None:
    """The head; with ``to_write``, locked until the transaction ends where the database locks rows."""
    locked = to_write and connection.dialect.name == "postgresql"
    rows = fetch(connection, f"{_READ} FOR UPDATE" if locked else _READ)
    if not rows:
        return None
    origin, vkey, size, edge, at, checkpoint, cosigners, past = rows[0]
    return Head(origin, vkey, size, edge, at, checkpoint, tuple(cosigners.split()), tuple(past.split()))


def create_head(connection: Connection, signer: Signer) -> Head:
    """The head of an empty log, signed: the log begins."""
    checkpoint = sign(Checkpoint(signer.name, 0, EMPTY_ROOT).text(), [signer])
    head = Head(signer.name, signer.verifier.text(), 0, b"", 0, checkpoint)
    connection.execute(insert(_HEAD), {"id": 1, **_row(head)})
    return head


def replace_head(connection: Connection, old: Head, new: Head) -> None:
    """Put ``new`` in the place of ``old``; raises :class:`HeadMovedError` where that is no longer there."""
    row = (*_row(new).values(), 1, old.checkpoint, old.size)
    if update_rows(connection, _HEAD, _COLUMNS, ("id", "checkpoint", "size"), [row]) != 1:
        raise HeadMovedError("the head was moved by another writer")


def _row(head: Head) -> dict[str, object]:
    row = {name: getattr(head, name) for name in _COLUMNS}
    return {**row, "cosigners": "\n".join(head.cosigners), "past_keys": "\n".join(head.past_keys)}


def advance(
    connection: Connection,
    head: Head,
    tree: GrowingTree,
    signers: Sequence[Signer],
    *,
    entries: Sequence[bytes],
    stored: Sequence[bytes],
    at: int,
) -> Head:
    """Put ``entries`` into the tree and sign the head over them, at the time ``at``.

    ``stored`` are the same entries as the store gives them back: what was damaged between hashing and storing
    is found before anything is signed. Raises :class:`CorruptionError` then, :class:`HeadMovedError` where
    the head is no longer the one read.
    """
    if list(stored) != list(entries):
        raise CorruptionError("the store gives back other entries than were written")
    frontier = head.frontier()
    leaves = list(map(leaf_hash, stored))
    frontier.extend(leaves)
    tree.extend(leaves)
    root = frontier.root()
    # The head's edge and the tiles are kept apart; a flipped bit in either shows here.
    if tree.size != frontier.size or tree.root() != root:
        raise CorruptionError("the tiles contradict the head's right edge")
    write_tiles(connection, tree)
    checkpoint = sign(Checkpoint(head.origin, frontier.size, root).text(), signers)
    edge = b"".join(frontier.hashes)
    advanced = replace(head, size=frontier.size, edge=edge, at=at, checkpoint=checkpoint)
    replace_head(connection, head, advanced)
    return advanced


def write_tiles(connection: Connection, tree: GrowingTree) -> None:
    """Store the tiles that changed."""
    new: list[tuple[bytes, int, int]] = []
    grown: list[tuple[bytes, int, int]] = []
    for level, n, data, exists in tree.take_changed():
        (grown if exists else new).append((data, level, n))
    insert_rows(connection, _TILES, ("hashes", "level", "n"), new)
    update_rows(connection, _TILES, ("hashes",), ("level", "n"), grown)


def read_tile(connection: Connection, level: int, n: int) -> bytes | None:
    """A tile's hashes, full or not; ``None`` where the store has no such tile."""
    query = select(_TILES.c.hashes).where(_TILES.c.level == level, _TILES.c.n == n)
    data = connection.execute(query).scalar()
    return None if data is None else bytes(data)


def need_tile(connection: Connection, level: int, n: int) -> bytes:
    """:func:`read_tile` where the tree's size says that there is one."""
    data = read_tile(connection, level, n)
    if data is None:
        raise CorruptionError("a tile of the tree is missing")
    return data

"""Reads: what the open routes and an operator's list ask of the store, each in one transaction's view."""

from __future__ import annotations

from sqlalchemy import Connection, and_, func, select

from fairdeal.tiling import WIDTH, Tile, encode_bundle
from fairdeal_api.answers import STATES, Evidence
from fairdeal_api.hands import Hand, select_hands
from fairdeal_api.head import CorruptionError, Head, need_tile, read_head, read_tile
from fairdeal_api.metrics import Stored
from fairdeal_api.problems import Problem
from fairdeal_api.tables import REVEALED, EntryRow, GameTableRow, HandRow, is_open, table_of
from fairdeal_api.tree import FullTiles, TreeView

_HANDS, _ENTRIES, _TABLES = table_of(HandRow), table_of(EntryRow), table_of(GameTableRow)


def find_hand(connection: Connection, hand: bytes) -> Hand:
    """A hand by id; raises ``not_found``."""
    row = connection.execute(select_hands().where(_HANDS.c.hand == hand)).first()
    if row is None:
        raise Problem("not_found")
    return Hand.of(row)


def head(connection: Connection) -> Head:
    """The log's head."""
    found = read_head(connection)
    if found is None:
        raise CorruptionError("the store has no head")
    return found


def counts(connection: Connection, now: int) -> Stored:
    """What /metrics tells of the store, from the indexes that hold nothing but open hands."""
    found = head(connection)
    by_state = select(_HANDS.c.state, func.count()).where(is_open(_HANDS)).group_by(_HANDS.c.state)
    hands = dict.fromkeys(STATES[:REVEALED], 0)
    hands.update((STATES[state], count) for state, count in connection.execute(by_state))
    overdue = select(func.count()).where(is_open(_HANDS), _HANDS.c.deadline <= now)
    return Stored(found.size, found.at, hands, connection.scalar(overdue) or 0)


def receipt(connection: Connection, full: FullTiles, hand: Hand, deal: str) -> str:
    """A hand's receipt under the current checkpoint, as text."""
    query = select(_ENTRIES.c.idx, _ENTRIES.c.entry).where(_ENTRIES.c.idx.in_(hand.indexes))
    entries = {idx: bytes(entry) for idx, entry in connection.execute(query)}
    now = head(connection)
    tree = TreeView(now.size, lambda level, n: need_tile(connection, level, n), full)
    return Evidence(now.vkey, now.checkpoint, tree, entries).receipt(hand, deal)


def open_hands(connection: Connection, operator: str, after: int, limit: int) -> list[Hand]:
    """An operator's hands not yet revealed, by log index, those beyond ``after``."""
    condition = and_(_HANDS.c.operator == operator, is_open(_HANDS), _HANDS.c.commit_index > after)
    query = select_hands().where(condition).order_by(_HANDS.c.commit_index).limit(limit)
    return [Hand.of(row) for row in connection.execute(query)]


def table_hands(connection: Connection, operator: str, table: str, after: int, limit: int) -> list[Hand]:
    """A table's hands with numbers beyond ``after``, in order; raises ``not_found`` for an unknown table."""
    known = select(_TABLES.c.id).where(_TABLES.c.operator == operator, _TABLES.c.name == table)
    found = connection.scalar(known)
    if found is None:
        raise Problem("not_found")
    condition = and_(_HANDS.c.table_id == found, _HANDS.c.number > after)
    query = select_hands().where(condition).order_by(_HANDS.c.number).limit(limit)
    return [Hand.of(row) for row in connection.execute(query)]


def tile_bytes(connection: Connection, tile: Tile) -> bytes | None:
    """A tile's or bundle's bytes; ``None`` where the log has not grown to it.

    A full tile's path has nothing until the tile is full; a partial one goes on being served after.
    """
    if tile.level >= 0:
        data = read_tile(connection, tile.level, tile.index)
        size = 32 * tile.width
        return data[:size] if data is not None and len(data) >= size else None
    first = tile.index * WIDTH
    query = select(_ENTRIES.c.entry).where(_ENTRIES.c.idx >= first, _ENTRIES.c.idx < first + tile.width)
    entries = [bytes(entry) for entry in connection.scalars(query.order_by(_ENTRIES.c.idx))]
    return encode_bundle(entries) if len(entries) == tile.width else None

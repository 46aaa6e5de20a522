"""Receipts of many hands straight from the store, for ``fairdeal export``: in one view of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from fairdeal_api import db
from fairdeal_api.answers import Evidence, deal_text
from fairdeal_api.hands import Hand, public_deal, select_hands
from fairdeal_api.head import need_tile, read_head
from fairdeal_api.settings import Settings
from fairdeal_api.tables import EntryRow, HandRow, table_of
from fairdeal_api.tree import FullTiles, TreeView

_HANDS, _ENTRIES = table_of(HandRow), table_of(EntryRow)

PAGE = 200
"""Hands read at a time: their entries are at most 600."""


@dataclass(frozen=True)
class Selection:
    """Whose hands; ``None`` for all."""

    operator: str | None = None
    table: str | None = None


class Export:
    """The chosen hands under one checkpoint."""

    def __init__(self, connection: Connection, selection: Selection) -> None:
        """``connection`` is in a transaction that sees one state of the store until the end."""
        self._connection = connection
        chosen = {"operator": selection.operator, "game_table": selection.table}
        self._conditions = [_HANDS.c[name] == value for name, value in chosen.items() if value is not None]

    def count(self) -> int:
        """How many hands there are to export."""
        query = select(func.count()).select_from(_HANDS).where(*self._conditions)
        return int(self._connection.scalar(query) or 0)

    def receipts(self) -> Iterator[tuple[Hand, str]]:
        """Each hand with its receipt's text, in the log's order."""
        head = read_head(self._connection)
        if head is None:
            return
        full = FullTiles()
        last = -1
        while hands := self._page(last):
            last = hands[-1].commit_index
            tree = TreeView(head.size, lambda level, n: need_tile(self._connection, level, n), full)
            indexes = [index for hand in hands for index in hand.indexes]
            query = select(_ENTRIES.c.idx, _ENTRIES.c.entry).where(_ENTRIES.c.idx.in_(indexes))
            entries = {index: bytes(entry) for index, entry in self._connection.execute(query)}
            evidence = Evidence(head.vkey, head.checkpoint, tree, entries)
            for hand in hands:
                yield hand, evidence.receipt(hand, deal_text(public_deal(hand)))

    def _page(self, after: int) -> list[Hand]:
        query = select_hands().where(_HANDS.c.commit_index > after, *self._conditions)
        rows = self._connection.execute(query.order_by(_HANDS.c.commit_index).limit(PAGE))
        return [Hand.of(row) for row in rows]


@contextmanager
def open_export(settings: Settings, selection: Selection) -> Iterator[Export]:
    """The store opened for reading alone; the service may go on writing."""
    engine = db.reader_engine(settings.store_url)
    try:
        with engine.begin() as connection:
            db.require_current(connection)
            yield Export(connection, selection)
    finally:
        engine.dispose()

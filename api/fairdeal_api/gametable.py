"""A table of an operator as the ledger works on it: its numbers, its dealer, and where waiting begins."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter

from sqlalchemy import Connection

from fairdeal_api.bulk import fetch, fetch_rows, insert_rows, update_rows
from fairdeal_api.tables import GameTableRow, table_of

_TABLES = table_of(GameTableRow)
_CHANGING = ("dealer", "dealer_number", "first_waiting")
_COLUMNS = ("id", "operator", "name", *_CHANGING)
_AS_READ = (
    *_COLUMNS,
    "COALESCE((SELECT MAX(number) FROM hands WHERE table_id = game_tables.id), 0) AS last_number",
)
_new_row, _changed_row = attrgetter(*_COLUMNS), attrgetter(*_CHANGING, "id")

TableKey = tuple[str, str]
"""Operator and name."""


@dataclass(slots=True)
class GameTable:
    """A table; ``dealer`` is the last one publicly known, of hand ``dealer_number``."""

    id: int
    operator: str
    name: str
    dealer: int | None = None
    dealer_number: int = 0
    first_waiting: int = 1
    """No hand before this number still waits for its lock."""
    last_number: int = 0
    """Its last hand's; no row keeps it but that hand's."""
    stored: bool = False
    """Whether it has a row."""
    touched: bool = False
    """Whether its stored row is no longer what it should be."""

    def next_number(self) -> int:
        """The number of the hand that is committed now."""
        self.last_number += 1
        return self.last_number

    def locked(self, number: int) -> None:
        """Hand ``number`` is locked, and so none before it waits any more (protocol §2.4)."""
        self.first_waiting, self.touched = max(self.first_waiting, number + 1), True

    def learn_dealer(self, number: int, dealer: int) -> None:
        """Hand ``number`` was dealt by seat ``dealer``."""
        if number >= self.dealer_number:
            self.dealer, self.dealer_number, self.touched = dealer, number, True


def read_tables(connection: Connection, operator: str, names: Iterable[str]) -> Iterator[GameTable]:
    """An operator's tables of these names, those that there are."""
    for row in fetch_rows(connection, _TABLES, _AS_READ, ("name", names), ("operator", operator)):
        table = GameTable(*row)
        table.stored = True
        yield table


def last_id(connection: Connection) -> int:
    """The newest table's id; 0 where there is none."""
    ((last,),) = fetch(connection, "SELECT COALESCE(MAX(id), 0) FROM game_tables")
    return int(last)


def write_tables(connection: Connection, tables: Collection[GameTable]) -> None:
    """Store tables that had their first hand, and what has changed of others."""
    begun = [_new_row(table) for table in tables if table.last_number and not table.stored]
    insert_rows(connection, _TABLES, _COLUMNS, begun)
    changed = [_changed_row(table) for table in tables if table.touched and table.stored]
    update_rows(connection, _TABLES, _CHANGING, ("id",), changed)

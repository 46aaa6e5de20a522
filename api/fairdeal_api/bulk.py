"""Many rows in one statement, handed to the driver and taken from it as tuples.

SQLAlchemy makes named parameters of each row, takes each value through a processor of its type, and builds
the text of a list of values anew each time: some 30 microseconds for a hand, as much as all that a hand's
commit has to compute. The ledger's rows hold nothing but integers, texts and bytes, which both drivers take
as they are. On PostgreSQL many new rows go through COPY, which needs no plan for each. SQLite's driver lets
another thread take the interpreter at every step of a statement, and a busy one keeps it for milliseconds; so
many rows go into one step there.

Errors are raised as SQLAlchemy raises them, without values; the connection is then to be rolled back or
thrown away, never used on. On SQLite many rows of which one breaks a constraint end the whole transaction
(``OR ROLLBACK``), as on PostgreSQL: SQLite would otherwise keep a copy of each page that a statement of many
rows changes, so as to undo it alone, which nobody asks for: a third of its time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import chain, islice
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.exc import DBAPIError

COPY_FROM = 8
"""New rows from which on COPY is worth its own round trips."""

AT_ONCE = 1024
"""Rows in one step of SQLite's; it takes 32,766 parameters in a statement."""

UPDATE_FROM = 64
"""Changed rows from which on SQLite's joining them with a list of values costs less than a step for each."""

LONGEST_LIST = 4096
"""Values in one list of a query; SQLite takes 32,766 parameters."""

Names = tuple[str, ...]
Row = tuple[Any, ...]

# Names of tables and columns in these texts are this package's own (fairdeal_api.tables); none needs quotes.


def insert_rows(connection: Connection, table: Table, names: Names, rows: Sequence[Row]) -> None:
    """Insert rows whose values stand in the order of ``names``."""
    if not rows:
        return
    if connection.dialect.name == "postgresql" and len(rows) >= COPY_FROM:
        statement = f"COPY {table.name} ({', '.join(names)}) FROM STDIN"
        with _cursor(connection, statement) as cursor, cursor.copy(statement) as copy:
            for row in rows:
                copy.write_row(row)
    elif connection.dialect.name == "sqlite":
        for part in _powers_of_two(rows):
            _run(connection, _insert_many(table.name, names, len(part)), [tuple(chain.from_iterable(part))])
    else:
        _run(connection, _insert(table.name, names, _mark(connection)), rows)


def update_rows(connection: Connection, table: Table, names: Names, keys: Names, rows: Sequence[Row]) -> int:
    """Update rows, each the new values of ``names`` and then the ``keys`` that find it.

    Says how many were found.
    """
    if not rows:
        return 0
    if connection.dialect.name == "sqlite" and len(rows) >= UPDATE_FROM:
        count = 0
        for part in _powers_of_two(rows):
            statement = _update_many(table.name, names, keys, len(part))
            count += _run(connection, statement, [tuple(chain.from_iterable(part))])
        return count
    return _run(connection, _update(table.name, names, keys, _mark(connection)), rows)


def fetch(connection: Connection, statement: str, *values: Any) -> list[Row]:
    """All rows of a query, whose text has a ``?`` for each value."""
    statement = statement.replace("?", _mark(connection))
    with _cursor(connection, statement) as cursor:
        cursor.execute(statement, values)
        found: list[Row] = cursor.fetchall()
        return found


def fetch_rows(
    connection: Connection,
    table: Table,
    names: Names,
    among: tuple[str, Iterable[Any]],
    *where: tuple[str, Any],
) -> Iterator[Row]:
    """Rows with a column's value ``among`` many, in no order; ``where``: other columns, one value each.

    ``names`` may hold an expression over the table's columns, too.
    """
    key, todo = among[0], iter(among[1])
    also, more = tuple(name for name, _ in where), [value for _, value in where]
    while part := list(islice(todo, LONGEST_LIST)):
        # The texts differ by powers of two alone, so that drivers and servers know them again.
        size = 1 << (len(part) - 1).bit_length()
        part += part[-1:] * (size - len(part))
        yield from fetch(connection, _select(table.name, names, key, size, also), *part, *more)


def _run(connection: Connection, statement: str, rows: Sequence[Row]) -> int:
    with _cursor(connection, statement) as cursor:
        if len(rows) == 1:
            cursor.execute(statement, rows[0])
        else:
            cursor.executemany(statement, rows)
        count: int = cursor.rowcount
        return count


@contextmanager
def _cursor(connection: Connection, statement: str) -> Iterator[Any]:
    dialect, cursor = connection.dialect, connection.connection.cursor()
    error_class = dialect.loaded_dbapi.Error
    try:
        yield cursor
    except error_class as error:
        raise DBAPIError.instance(
            statement, None, error, error_class, hide_parameters=True, dialect=dialect
        ) from None
    finally:
        cursor.close()


def _mark(connection: Connection) -> str:
    return "?" if connection.dialect.paramstyle == "qmark" else "%s"


def _powers_of_two(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """The rows in parts of few different sizes, so that the statements are known already."""
    start, size = 0, AT_ONCE
    while start < len(rows):
        while size > len(rows) - start:
            size >>= 1
        yield rows[start : start + size]
        start += size


@lru_cache(maxsize=64)
def _insert(table: str, names: Names, mark: str) -> str:
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES {_lists(len(names), mark, 1)}"  # noqa: S608


@lru_cache(maxsize=128)
def _insert_many(table: str, names: Names, count: int) -> str:
    new = _lists(len(names), "?", count)
    return f"INSERT OR ROLLBACK INTO {table} ({', '.join(names)}) VALUES {new}"  # noqa: S608


@lru_cache(maxsize=64)
def _update(table: str, names: Names, keys: Names, mark: str) -> str:
    values = ", ".join(f"{name} = {mark}" for name in names)
    found = " AND ".join(f"{key} = {mark}" for key in keys)
    return f"UPDATE {table} SET {values} WHERE {found}"  # noqa: S608


@lru_cache(maxsize=128)
def _update_many(table: str, names: Names, keys: Names, count: int) -> str:
    # SQLite's own names for the columns of a list of values.
    values = ", ".join(f"{name} = new.column{k}" for k, name in enumerate(names, 1))
    found = " AND ".join(f"{table}.{key} = new.column{k}" for k, key in enumerate(keys, len(names) + 1))
    new = _lists(len(names) + len(keys), "?", count)
    return f"UPDATE OR ROLLBACK {table} SET {values} FROM (VALUES {new}) AS new WHERE {found}"  # noqa: S608


def _lists(width: int, mark: str, count: int) -> str:
    return ", ".join([f"({', '.join([mark] * width)})"] * count)


@lru_cache(maxsize=256)
def _select(table: str, names: Names, key: str, size: int, also: Names) -> str:
    conditions = [f"{key} IN ({', '.join('?' * size)})", *(f"{name} = ?" for name in also)]
    return f"SELECT {', '.join(names)} FROM {table} WHERE {' AND '.join(conditions)}"  # noqa: S608

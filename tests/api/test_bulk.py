"""Rows that go past SQLAlchemy come back as they were given, on both databases, few or many."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from fairdeal_api import bulk
from fairdeal_api.bulk import AT_ONCE, COPY_FROM, fetch, fetch_rows, insert_rows, update_rows
from fairdeal_api.service import Service
from fairdeal_api.tables import EntryRow, GameTableRow, SealRow, table_of
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError, IntegrityError

ENTRIES, SEALS, TABLES = table_of(EntryRow), table_of(SealRow), table_of(GameTableRow)
COLUMNS = ("id", "operator", "name", "dealer", "first_waiting", "dealer_number")

AWKWARD = ("tab\tand\\N", "line\nbreak", "nought", "quote\"'", "çalgı", "%s ? :x")
"""Texts that mean something to COPY, to a driver's marks or to a shell; as values they mean themselves."""


@pytest.fixture
def connection(app: FastAPI, http: TestClient) -> Iterator[Connection]:
    service: Service = app.state.service
    with service.writer.connect() as connection:
        connection.begin()
        yield connection
        connection.rollback()


@pytest.mark.parametrize("many", [0, 1, 2, COPY_FROM - 1, COPY_FROM, 300, AT_ONCE + 477])
def test_rows_come_back_as_they_were_given(connection: Connection, many: int) -> None:
    rows = [
        (k, AWKWARD[k % len(AWKWARD)], f"{k}", None if k % 3 else k % 4, 2**53 - k, k) for k in range(many)
    ]
    insert_rows(connection, TABLES, COLUMNS, rows)
    names = [name for _, _, name, *_ in rows]
    assert sorted(fetch_rows(connection, TABLES, COLUMNS, ("name", names))) == sorted(rows)
    for operator in AWKWARD:
        found = fetch_rows(connection, TABLES, COLUMNS, ("name", names), ("operator", operator))
        assert sorted(found) == sorted(row for row in rows if row[1] == operator)


@pytest.mark.parametrize("many", [1, COPY_FROM, 200])
def test_bytes_of_every_kind_come_back(connection: Connection, many: int) -> None:
    rows = [(k, bytes([k % 256, 0, 10, 92, 9]) + secrets.token_bytes(k)) for k in range(many)]
    insert_rows(connection, ENTRIES, ("idx", "entry"), rows)
    assert fetch(connection, "SELECT idx, entry FROM entries WHERE idx >= ? ORDER BY idx", 0) == rows


@pytest.mark.parametrize("many", [2, 6, 20, 300, 2 * AT_ONCE + 446])
def test_updates_find_their_rows_and_say_how_many(connection: Connection, many: int) -> None:
    insert_rows(connection, TABLES, COLUMNS, [(k, "a", f"{k}", None, k, 0) for k in range(many)])
    changes = [(10_000 + k, "a", f"{k}") for k in range(0, 2 * many, 2)]
    assert update_rows(connection, TABLES, ("first_waiting",), ("operator", "name"), changes) == many // 2
    assert update_rows(connection, TABLES, ("first_waiting",), ("operator", "name"), []) == 0
    numbers = fetch(connection, "SELECT first_waiting FROM game_tables WHERE operator = ? ORDER BY 1", "a")
    assert numbers == [(k,) for k in range(1, many, 2)] + [(10_000 + k,) for k in range(0, many, 2)]


def test_a_list_longer_than_one_statement_takes(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "LONGEST_LIST", 7)
    seals = [secrets.token_bytes(32) for _ in range(30)]
    insert_rows(connection, SEALS, ("seal", "hand"), [(seal, bytes(16)) for seal in seals[:25]])
    found = [seal for (seal,) in fetch_rows(connection, SEALS, ("seal",), ("seal", seals))]
    assert sorted(found) == sorted(seals[:25])
    assert not list(fetch_rows(connection, SEALS, ("seal",), ("seal", [])))


@pytest.mark.parametrize("many", [1, 2, COPY_FROM + 1])
def test_a_refused_row_is_an_error_of_sqlalchemys_without_values(connection: Connection, many: int) -> None:
    secret = secrets.token_bytes(32)
    insert_rows(connection, SEALS, ("seal", "hand"), [(secret, bytes(16))])
    rows = [(secrets.token_bytes(32), bytes(16)) for _ in range(many - 1)] + [(secret, bytes(16))]
    with pytest.raises(IntegrityError) as error:
        insert_rows(connection, SEALS, ("seal", "hand"), rows)
    assert error.value.params is None
    assert isinstance(error.value, DBAPIError)
    assert error.value.orig is not None


@pytest.mark.parametrize("many", [2, COPY_FROM + 1, 300])
@pytest.mark.parametrize("change", ["insert", "update"])
def test_a_refused_row_ends_the_whole_transaction(connection: Connection, change: str, many: int) -> None:
    insert_rows(connection, TABLES, COLUMNS, [(k, "before", f"{k}", None, k, 0) for k in range(many)])
    rows = [
        *((many + k, "new", f"{k}", None, k, 0) for k in range(many - 1)),
        (2 * many, "before", "0", None, 0, 0),
    ]
    # The last one would take the place of the first.
    changes = [*((f"{k}.", "before", f"{k}") for k in range(1, many - 1)), ("0", "before", f"{many - 1}")]
    breaking: dict[str, Callable[[], object]] = {
        "insert": partial(insert_rows, connection, TABLES, COLUMNS, rows),
        "update": partial(update_rows, connection, TABLES, ("name",), ("operator", "name"), changes),
    }
    with pytest.raises(IntegrityError):
        breaking[change]()
    connection.rollback()
    with connection.begin():
        assert fetch(connection, "SELECT name FROM game_tables") == []

"""PostgreSQL writes the beginning of a COPY's line into its own log where the row is refused: no seed in it.

That is the worst that such a log is told of rows: a statement's values are marks, and COPY's are quoted for a
hundred characters, of which the order of the columns decides what they hold.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fairdeal_api import bulk
from fairdeal_api.bulk import insert_rows
from fairdeal_api.hands import COLUMNS
from fairdeal_api.service import Service
from fairdeal_api.settings import Settings
from fairdeal_api.tables import HandRow, table_of
from fairdeal_api.vault import Vault
from fastapi import FastAPI
from sqlalchemy.exc import DBAPIError

from tests.api.support import Game
from tests.api.test_secrets import forms
from tests.postgres import Cluster, url_database

DECK = {"game": "deck", "size": 52, "seats": 1, "openings": False}
"""The shortest terms: what comes after them in a row comes earliest."""

PIECE = 8
"""Bytes of a secret in a row that count as told."""


@pytest.fixture
def settings(tmp_path: Path, postgres: Cluster, postgres_url: str) -> Settings:
    # The tests' own server keeps quiet; this database's sessions log what any server logs by default.
    with postgres.connect() as connection:
        connection.execute(
            f"ALTER DATABASE {url_database(postgres_url)} SET log_min_messages = warning".encode()
        )
    return Settings(data=tmp_path / "data", origin="log.example/okey", database_url=postgres_url)


class ServerLog:
    """What the server has logged since the test began."""

    def __init__(self, file: Path) -> None:
        self._file, self._start = file, file.stat().st_size

    def text(self) -> bytes:
        return self._file.read_bytes()[self._start :]

    def lines_of(self, table: str) -> int:
        """How many lines of a table's COPY are quoted."""
        return self.text().count(f'COPY {table}, line 1: "'.encode())

    def told(self, secret: bytes) -> list[bytes]:
        """The pieces of a secret that are there, in any form."""
        text = self.text()
        pieces = [secret[k : k + PIECE] for k in range(len(secret) - PIECE + 1)]
        return [form for piece in pieces for form in shapes(piece) if form in text]


def shapes(piece: bytes) -> Iterator[bytes]:
    """A piece in every form in which a server could write it."""
    yield from forms(piece)
    # Entries are texts that hold seeds in hex, and COPY writes their bytes in hex again.
    yield piece.hex().encode().hex().encode()
    yield "".join(chr(b) if 32 <= b < 127 and b != 92 else f"\\{b:03o}" for b in piece).encode()


@pytest.fixture
def server_log(postgres: Cluster) -> ServerLog:
    return ServerLog(postgres.folder / "log")


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Server seeds that the service drew, and what it stores of them."""
    found: list[bytes] = []
    wrap = Vault.wrap

    def wrapping(self: Vault, hand: bytes, seed: bytes, nonce: bytes | None = None) -> bytes:
        wrapped = wrap(self, hand, seed, nonce)
        found.extend((seed, wrapped))
        return wrapped

    monkeypatch.setattr(Vault, "wrap", wrapping)
    # Each row goes through COPY, also those of a single request.
    monkeypatch.setattr(bulk, "COPY_FROM", 1)
    return found


@pytest.fixture
def refuse(postgres: Cluster, postgres_url: str) -> Callable[[str], None]:
    """Has the server refuse each new row of a table from then on, while it reads its line."""

    def begin(table: str) -> None:
        body = "'BEGIN RAISE EXCEPTION ''no''; END'"
        when = f"BEFORE INSERT ON {table} FOR EACH ROW"
        with postgres.connect(url_database(postgres_url)) as connection:
            connection.execute(
                f"CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS {body}".encode()
            )
            connection.execute(f"CREATE TRIGGER refuse {when} EXECUTE FUNCTION refuse()".encode())

    return begin


REFUSED = {"entries": 4, "hands": 2, "seals": 2}
"""How many of the test's requests would add rows to a table."""


@pytest.mark.parametrize("table", REFUSED)
def test_a_refused_row_tells_the_server_s_log_no_seed(
    game: Game,
    drawn: list[bytes],
    server_log: ServerLog,
    refuse: Callable[[str], None],
    table: str,
) -> None:
    refused = REFUSED[table]
    locked, revealed, followed = (game.committed(name, (0,), terms=DECK)["hand"] for name in "abc")
    for hand in (revealed, followed):
        game.dealt(hand)
    refuse(table)
    answers = [
        game.commit("d", (0,), terms=DECK),
        game.reveal(followed, next={"terms": DECK, "seals": [{"seat": 0, "seal": secrets.token_hex(32)}]}),
        game.deal(locked),
        game.reveal(revealed),
    ]
    assert [answer.status_code for answer in answers[:refused]] == [500] * refused
    assert [answer.status_code for answer in answers[refused:]] == [200] * (4 - refused)
    assert server_log.lines_of(table) >= refused
    opened = [bytes.fromhex(opening["seed"]) for seeds in game.seeds.values() for opening in seeds]
    assert (len(drawn), len(opened)) == (10, 3)
    for secret in (*drawn, *opened):
        assert server_log.told(secret) == []


def test_a_seed_in_the_quoted_part_would_be_found(
    game: Game, app: FastAPI, server_log: ServerLog, refuse: Callable[[str], None]
) -> None:
    assert game.committed()["number"] == 1
    refuse("hands")
    service: Service = app.state.service
    secret = secrets.token_bytes(32)
    # Another order of the same columns, with the seed in front.
    names = ("wrapped_seed", *(name for name in COLUMNS if name != "wrapped_seed"))
    rows = [(secret, *([k] * (len(names) - 1))) for k in range(bulk.COPY_FROM)]
    with service.writer.connect() as connection, pytest.raises(DBAPIError):
        insert_rows(connection, table_of(HandRow), names, rows)
    assert server_log.lines_of("hands") == 1
    assert server_log.told(secret)

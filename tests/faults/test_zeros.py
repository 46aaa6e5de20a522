"""Pages of zeros at the end of the store's files: never served as entries, never signed on."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from fairdeal_api.server import serving
from fairdeal_api.service import StartupError
from fairdeal_api.settings import Settings

from tests.api.support import Game, client, read_log

PAGE = 4096


@pytest.fixture
def played(tmp_path: Path) -> Settings:
    """A store with some hands, no service on it."""
    settings = Settings(data=tmp_path / "data", origin="log.example/okey")
    with serving(settings) as url, client(url) as http:
        game = Game(http, settings.operator_key_path.read_text().strip())
        for _ in range(6):
            game.played()
    return settings


def size_of(settings: Settings) -> int:
    with serving(settings) as url, client(url) as http:
        return read_log(http).checkpoint.size


def test_an_entry_of_zeros_stops_the_start(played: Settings) -> None:
    store = sqlite3.connect(played.data / "fairdeal.db")
    with store:
        last = "(SELECT MAX(idx) FROM entries)"
        store.execute(f"UPDATE entries SET entry = zeroblob(length(entry)) WHERE idx = {last}")
    store.close()
    with pytest.raises(StartupError, match="damaged"):
        size_of(played)


@pytest.mark.parametrize("pages", [1, 2, 8])
def test_the_file_s_last_pages_as_zeros(played: Settings, pages: int) -> None:
    store = played.data / "fairdeal.db"
    size = store.stat().st_size
    with store.open("r+b") as file:
        file.seek(size - pages * PAGE)
        file.write(bytes(pages * PAGE))
    # Which table the pages are of is SQLite's affair: all is there, or the service says that it is not.
    try:
        size = size_of(played)
    except StartupError:
        return
    assert size == 18


def test_zeros_after_the_write_ahead_log_are_nothing(played: Settings) -> None:
    (played.data / "fairdeal.db-wal").write_bytes(bytes(8 * PAGE))
    assert size_of(played) == 18

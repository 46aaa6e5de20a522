"""Starting: keys made once and checked, a log's name and key fixed, migrations, shutdown."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from fairdeal_api import db, keys, operators
from fairdeal_api.keys import KeyFileError
from fairdeal_api.server import prepare, serving
from fairdeal_api.service import StartupError, open_service
from fairdeal_api.settings import Settings
from sqlalchemy import create_engine
from sqlmodel import SQLModel

from fairdeal.note import Signer
from tests.api.support import Game, Running, ok, read_log

STORES = ("sqlite",)


def test_the_first_start_makes_everything_and_later_ones_change_nothing(settings: Settings) -> None:
    first = prepare(settings)
    assert first.first_start
    files = (first.log_key_file, first.seed_key_file, first.operator_key_file)
    before = [file.read_bytes() for file in files]
    assert Signer.parse(first.log_key_file.read_text().strip()).verifier.text() == first.vkey
    second = prepare(settings)
    assert not second.first_start
    assert (second.vkey, [file.read_bytes() for file in files]) == (first.vkey, before)
    assert [o.name for o in operators.list_operators(settings)] == [first.operator] == ["operator"]


@pytest.mark.parametrize("file", ["log.key", "seed.keys", "operator.key"])
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o622])
def test_key_files_open_to_others_are_refused(settings: Settings, file: str, mode: int) -> None:
    prepare(settings)
    (settings.data / file).chmod(mode)
    if file == "operator.key":
        # Only read again where the store has no operator.
        prepare(settings)
        with pytest.raises(KeyFileError, match="group or others"):
            keys.read(settings.data / file)
    else:
        with pytest.raises(StartupError, match="group or others"):
            prepare(settings)


def test_key_files_that_are_missing_linked_or_malformed_are_refused_without_quoting_them(
    settings: Settings,
) -> None:
    prepare(settings)
    for path in (settings.log_key_path, settings.seed_keys_path):
        text = path.read_text()
        path.unlink()
        with pytest.raises(StartupError, match="no such key file"):
            prepare(settings)
        elsewhere = settings.data / "elsewhere"
        keys.write_new(elsewhere, text)
        path.symlink_to(elsewhere)
        prepare(settings)
        elsewhere.chmod(0o644)
        with pytest.raises(StartupError, match="group or others"):
            prepare(settings)
        elsewhere.chmod(0o600)
        path.unlink()
        path.symlink_to(path)
        with pytest.raises(StartupError, match="cannot be read"):
            prepare(settings)
        path.unlink()
        os.mkfifo(path, 0o600)
        with pytest.raises(StartupError, match="plain file"):
            prepare(settings)
        path.unlink()
        path.mkdir()
        with pytest.raises(StartupError, match="plain file"):
            prepare(settings)
        path.rmdir()
        for bad in (
            "",
            "x",
            text[:-3],
            text + text,
            text.replace("\n", "0\n"),
            text.upper(),
            "# only a comment\n",
        ):
            keys.write_new(path, bad)
            with pytest.raises(StartupError) as caught:
                prepare(settings)
            assert text.strip()[-20:] not in str(caught.value)
            path.unlink()
        elsewhere.rename(path)
        prepare(settings)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give a file away")
def test_key_files_of_another_user_are_refused(settings: Settings) -> None:
    prepare(settings)
    os.chown(settings.seed_keys_path, 12345, 0)
    with pytest.raises(StartupError, match="must belong"):
        prepare(settings)


def test_the_logs_name_is_fixed_at_the_first_start(settings: Settings) -> None:
    prepare(settings)
    prepare(settings.model_copy(update={"origin": None}))
    with pytest.raises(StartupError, match=r"name is log\.example/okey and cannot be changed"):
        prepare(settings.model_copy(update={"origin": "other.example"}))


def test_a_log_is_named_by_its_address_or_by_chance(tmp_path: Path) -> None:
    named = prepare(Settings(data=tmp_path / "a", public_url="https://fair.example/okey/"))
    assert named.vkey.startswith("fair.example/okey+")
    nameless = {prepare(Settings(data=tmp_path / name)).vkey.partition("+")[0] for name in "bc"}
    assert len(nameless) == 2
    odd = ("two words", " a", "a ", "a+b", "line\nbreak", "https://a.example/log", "a.example/", "/a")
    for name in odd:
        with pytest.raises(StartupError, match="FAIRDEAL_ORIGIN: the log's name"):
            prepare(Settings(data=tmp_path / "d", origin=name))
    assert not (tmp_path / "d").exists()


def test_another_logs_key_or_a_lost_store_stops_the_start(settings: Settings, tmp_path: Path) -> None:
    prepare(settings)
    mine = settings.log_key_path.read_text()
    settings.log_key_path.unlink()
    keys.write_new(settings.log_key_path, Signer("log.example/okey", bytes(32)).private_text() + "\n")
    with pytest.raises(StartupError, match="not the key that signed this log"):
        prepare(settings)
    settings.log_key_path.write_text(mine)
    (settings.data / "fairdeal.db").unlink()
    with pytest.raises(StartupError, match="the store has no log"):
        prepare(settings)
    # No empty store is left where the right one is to be put back.
    assert {path.name for path in settings.data.glob("fairdeal.db*")} <= {"fairdeal.db.lock"}
    # A key of one's own making, named in the settings, begins a log.
    own = tmp_path / "own.key"
    keys.write_new(own, Signer("club.example", bytes(range(32))).private_text() + "\n")
    given = settings.model_copy(update={"origin": None, "log_key_file": own, "data": tmp_path / "fresh"})
    assert prepare(given).vkey.startswith("club.example+")


def test_a_first_start_that_was_cut_short_keeps_the_operator_key_it_had_written(settings: Settings) -> None:
    key = "fdk_" + "a" * 43
    keys.write_new(settings.operator_key_path, key + "\n")
    service = open_service(settings)
    with service.reader.begin() as connection:
        assert operators.find(connection, operators.key_digest(key)) == "operator"
    service.close()


def test_migrations_give_exactly_the_tables_that_the_code_uses(tmp_path: Path) -> None:
    engine = db.writer_engine(f"sqlite:///{tmp_path / 'store.db'}")
    db.migrate(engine)
    db.migrate(engine)
    with create_engine(engine.url).connect() as connection:
        found = compare_metadata(MigrationContext.configure(connection), SQLModel.metadata)
        assert found == []
        connection.engine.dispose()
    engine.dispose()


def test_sqlite_is_set_up_for_durability(tmp_path: Path) -> None:
    for engine in (
        db.writer_engine(f"sqlite:///{tmp_path / 's.db'}"),
        db.reader_engine(f"sqlite:///{tmp_path / 's.db'}"),
    ):
        with engine.connect() as connection:
            values = {
                p: connection.exec_driver_sql(f"PRAGMA {p}").scalar()
                for p in ("journal_mode", "synchronous", "foreign_keys")
            }
        assert values == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}
        engine.dispose()


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FAIRDEAL_DATA", str(tmp_path))
    monkeypatch.setenv("FAIRDEAL_LOCK_WITHIN", "120")
    monkeypatch.setenv("FAIRDEAL_DATABASE_URL", "postgresql+psycopg://user:hunter2@db/fairdeal")
    settings = Settings()
    assert (settings.data, settings.lock_within, settings.reveal_within) == (tmp_path, 120, 3600)
    assert settings.store_url.startswith("postgresql+psycopg://")
    assert "hunter2" not in repr(settings)


def test_default_windows_apply_where_a_request_does_not_say(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "data", lock_within=90, reveal_within=120)
    with serving(settings) as url, httpx2.Client(base_url=url) as http:
        game = Game(http, settings.operator_key_path.read_text().strip())
        hand = game.committed()
        assert hand["lock_by"] - hand["committed_at"] == 90_000
        dealt = game.dealt(hand["hand"])
        assert dealt["reveal_by"] - dealt["locked_at"] == 120_000
        assert read_log(http).checkpoint.size == 2


def test_a_service_that_is_told_to_stop_finishes_and_starts_again(starting: Callable[..., Running]) -> None:
    running = starting()
    with running.client() as http:
        hand = Game(http, running.key).committed()["hand"]
    running.stop()
    again = starting()
    with again.client() as http:
        assert ok(http.get(f"/v1/hands/{hand}"))["state"] == "committed"
        assert ok(http.get("/readyz")) == {"status": "ready"}
    again.stop()


def test_stores_and_folders_that_cannot_be_used_stop_the_start_with_a_reason(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(StartupError, match="file: is not a folder"):
        prepare(Settings(data=file))
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(StartupError, match="link: is a link that leads nowhere"):
        prepare(Settings(data=tmp_path / "link"))
    assert not (tmp_path / "nowhere").exists()
    with pytest.raises(StartupError, match="no SQLAlchemy address") as caught:
        prepare(Settings(data=tmp_path / "a", database_url="hunter2"))
    assert "hunter2" not in str(caught.value)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "fairdeal.db").write_text(
        "this is no database, and long enough to be seen as none " * 20
    )
    with pytest.raises(StartupError, match="the store cannot be opened: file is not a database"):
        prepare(Settings(data=tmp_path / "b"))


def test_an_address_whose_driver_is_not_there_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StartupError, match=r"pip install '\.\[postgres\]' in fairdeal's folder") as caught:
        prepare(Settings(data=tmp_path / "a", database_url="postgresql://u:hunter2@h/x"))
    assert "hunter2" not in str(caught.value)


def test_a_data_folder_that_is_open_to_others_is_said_and_left_as_it_is(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    prepare(settings)
    assert stat.S_IMODE(settings.data.stat().st_mode) == 0o700
    settings.data.chmod(0o755)
    prepare(settings)
    assert "the data folder is open to group or others" in caplog.text
    assert stat.S_IMODE(settings.data.stat().st_mode) == 0o755
    assert {stat.S_IMODE(path.stat().st_mode) for path in settings.data.iterdir() if path.is_file()} == {
        0o600
    }


def test_an_sqlite_too_old_for_the_statements_is_refused_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sqlite3.sqlite_version_info", (3, 32, 3))
    with pytest.raises(StartupError, match=r"3\.33 or newer is needed"):
        open_service(Settings(data=tmp_path / "data"))
    assert not (tmp_path / "data").exists()

"""The high-water mark: two copies, one of them always whole, written after COMMIT and before any answer."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from fairdeal_api import store
from fairdeal_api.marks import BLOCK, MarkError, MarkFile, read_marks, read_published
from fairdeal_api.service import Service, StartupError, open_service
from fairdeal_api.settings import Settings
from fastapi import FastAPI

from fairdeal.checkpoint import Checkpoint, parse_checkpoint
from fairdeal.note import Signer, parse_note, sign
from tests.api.support import Game, problem

STORES = ("sqlite",)

KEY = Signer("log.example", bytes(range(32)))
OTHER = Signer("log.example", bytes(32))


def note(size: int, signer: Signer = KEY) -> str:
    return sign(Checkpoint("log.example", size, bytes([size % 256]) * 32).text(), [signer])


def sizes(folder: Path) -> list[int]:
    return [mark.checkpoint.size for mark in read_marks(folder, [KEY.verifier])]


def test_the_newest_mark_of_each_file_is_read(tmp_path: Path) -> None:
    one, two = MarkFile.claim(tmp_path), MarkFile.claim(tmp_path)
    assert sizes(tmp_path) == []
    for size in (1, 2, 2, 5):
        one.write(note(size))
    two.write(note(3))
    assert sizes(tmp_path) == [5, 3]
    assert [path.stat().st_size for path in sorted(tmp_path.iterdir())] == [2 * BLOCK] * 2
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in tmp_path.iterdir())
    one.close()
    # The next process takes the free file, and writes over the older of its copies.
    again = MarkFile.claim(tmp_path)
    again.write(note(6))
    assert sizes(tmp_path) == [6, 3]
    data = (tmp_path / "0.mark").read_bytes()
    assert {
        parse_checkpoint(parse_note(data[k:][:BLOCK].strip().decode() + "\n").text).size for k in (0, BLOCK)
    } == {
        5,
        6,
    }


@pytest.mark.parametrize("torn", [b"\0" * BLOCK, b"\n" * BLOCK, b"log.example\n9\n", os.urandom(BLOCK)])
def test_a_torn_copy_leaves_the_other(tmp_path: Path, torn: bytes) -> None:
    mine = MarkFile.claim(tmp_path)
    mine.write(note(1))
    mine.write(note(2))
    path = tmp_path / "0.mark"
    whole = path.read_bytes()
    path.write_bytes(torn + whole[len(torn) :])
    assert sizes(tmp_path) == [2]
    path.write_bytes(whole[:BLOCK] + torn + whole[BLOCK + len(torn) :])
    assert sizes(tmp_path) == [1]
    mine.close()
    MarkFile.claim(tmp_path).write(note(3))
    assert sizes(tmp_path) == [3]


def test_a_file_without_a_whole_copy_or_of_another_key_is_refused(tmp_path: Path) -> None:
    mine = MarkFile.claim(tmp_path)
    mine.write(note(1, OTHER))
    with pytest.raises(MarkError, match=r"0\.mark: holds no checkpoint that this log's keys have signed"):
        sizes(tmp_path)
    assert read_published_size(tmp_path, note(4)) == 4
    for odd in (note(1, OTHER), "", note(4).replace("\n4\n", "\n5\n")):
        with pytest.raises(MarkError, match="holds no checkpoint"):
            read_published_size(tmp_path, odd)
    with pytest.raises(MarkError, match="cannot be read"):
        read_published(tmp_path / "nowhere", [KEY.verifier])


def read_published_size(folder: Path, text: str) -> int:
    path = folder / "published"
    path.write_text(text)
    return read_published(path, [KEY.verifier]).checkpoint.size


def test_a_folder_that_cannot_be_written_stops_the_start(settings: Settings) -> None:
    settings.data.mkdir(mode=0o700)
    settings.marks_path.write_text("a file where the folder should be")
    with pytest.raises(StartupError, match="signed: cannot be written"):
        open_service(settings)


def test_the_mark_is_written_after_commit_and_before_the_answer(
    game: Game, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    service: Service = app.state.service
    seen: list[tuple[str, str]] = []
    write = MarkFile.write

    def watching(self: MarkFile, text: str) -> None:
        with service.reader.begin() as connection:
            seen.append((text, store.head(connection).checkpoint))
        write(self, text)

    monkeypatch.setattr(MarkFile, "write", watching)
    answered = game.committed()["receipt"]["checkpoint"]
    # When it was written, the store had it already; when it was answered, it was written.
    assert (answered, answered) in seen
    assert answered.encode() in next(service.settings.marks_path.iterdir()).read_bytes()


def test_where_the_mark_cannot_be_written_nothing_is_answered_any_more(
    game: Game, app: FastAPI, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    game.committed()

    def fail(_: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fdatasync", fail)
    told = problem(game.call("POST", "/v1/hands", {"table": "t"}, Idempotency_Key="k"), "internal", 500)
    assert "unknown" in told["detail"]
    problem(game.commit(), "unavailable", 503)
    service: Service = app.state.service
    assert "cannot be written (Input/output error)" in str(service.ledger.broken)
    monkeypatch.undo()

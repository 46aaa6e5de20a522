"""Mirroring a log, and checking the mirror: growth, forks, damage, and what is on disk when."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from fairdeal.audit.log.source import SourceError
from fairdeal.audit.mirror.check import check
from fairdeal.audit.mirror.copying import MirrorOutcome, mirror
from fairdeal.audit.mirror.folder import MirrorFolder
from fairdeal.note import Signer
from tests.translog import Log

T = TypeVar("T")

SIGNER = Signer("log.example/okey", bytes(range(32)))
KEYS = [SIGNER.verifier]


def log_of(size: int, what: str = "entry") -> Log:
    log = Log(SIGNER)
    for k in range(size):
        log.append(f"{what} {k}".encode())
    return log


def grown(log: Log, size: int, what: str = "entry") -> Log:
    for k in range(len(log.entries), size):
        log.append(f"{what} {k}".encode())
    return log


def run(log: Log, folder: Path) -> MirrorOutcome:
    return mirror(log.files().get, MirrorFolder(folder), KEYS)


def told(action: Callable[[], T], code: str = "damaged") -> T | SourceError:
    """What an action answers, or the error of this code that it raises."""
    try:
        return action()
    except SourceError as error:
        if error.code != code:
            raise
        return error


def files_in(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 511, 512, 700])
def test_a_mirror_holds_the_logs_own_files(size: int, tmp_path: Path) -> None:
    log = log_of(size)
    outcome = run(log, tmp_path)
    assert not outcome.findings
    assert files_in(tmp_path) == log.files()
    assert not check(MirrorFolder(tmp_path), KEYS).damage


def test_a_mirror_around_the_second_level_grows_tile_by_tile(tmp_path: Path) -> None:
    log = log_of(65_530)
    assert not run(log, tmp_path).findings
    for size in (65_536, 65_537, 65_900):
        assert run(grown(log, size), tmp_path).size == size
        assert files_in(tmp_path) == log.files()
    assert not check(MirrorFolder(tmp_path), KEYS).damage


def test_only_what_is_new_is_fetched(tmp_path: Path) -> None:
    log = log_of(600)
    run(log, tmp_path)
    asked: list[str] = []
    files = grown(log, 800).files()

    def fetch(path: str) -> bytes | None:
        asked.append(path)
        return files.get(path)

    outcome = mirror(fetch, MirrorFolder(tmp_path), KEYS)
    assert (outcome.before, outcome.size) == (600, 800)
    assert sorted(path for path in asked if "entries" in path) == [
        "tile/entries/002",
        "tile/entries/003.p/32",
    ]
    again = mirror(fetch, MirrorFolder(tmp_path), KEYS)
    assert again.size == 800
    assert not again.older


def test_full_tiles_stand_in_for_partial_ones_that_are_gone(tmp_path: Path) -> None:
    log = log_of(300)
    files = {path: data for path, data in log_of(600).files().items() if not path.startswith("tile/1")}
    files |= {"checkpoint": log.checkpoint().encode(), "tile/1/000.p/1": log.files()["tile/1/000.p/1"]}
    assert not mirror(files.get, MirrorFolder(tmp_path), KEYS).findings
    assert files_in(tmp_path) == log.files()


def test_a_checkpoint_older_than_the_mirror_is_no_finding(tmp_path: Path) -> None:
    run(log_of(700), tmp_path)
    outcome = run(log_of(300), tmp_path)
    assert outcome.older
    assert not outcome.findings
    assert outcome.size == 700


@pytest.mark.parametrize("size", [300, 600, 900])
def test_a_fork_keeps_both_checkpoints_and_the_state(size: int, tmp_path: Path) -> None:
    honest = log_of(600)
    run(honest, tmp_path)
    before = files_in(tmp_path)
    forked = grown(log_of(200), size, "other")
    outcome = run(forked, tmp_path)
    assert [finding.code for finding in outcome.findings] == ["forked"]
    kept = {path.read_text() for path in outcome.evidence}
    assert kept == {honest.checkpoint(), forked.checkpoint()}
    after = files_in(tmp_path)
    assert {path: data for path, data in after.items() if not path.startswith("evidence/")} == before


def _flip(path: str, at: int = 5) -> Callable[[dict[str, bytes]], None]:
    def change(files: dict[str, bytes]) -> None:
        data = bytearray(files[path])
        data[at] ^= 1
        files[path] = bytes(data)

    return change


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (_flip("tile/entries/001"), "wrong-tile"),
        (_flip("tile/0/001"), "wrong-tile"),
        (_flip("tile/1/000.p/2"), "wrong-root"),
        (_flip("tile/0/002.p/88"), "wrong-root"),
        (_flip("checkpoint", 3), "bad-signature"),
        (lambda files: files.pop("tile/entries/001"), "missing-entries"),
        (lambda files: files.pop("tile/0/002.p/88"), "wrong-tile"),
        (lambda files: files.update({"tile/entries/001": files["tile/entries/001"][:-1]}), "wrong-tile"),
        (lambda files: files.update({"checkpoint": b"no note"}), "bad-checkpoint"),
    ],
    ids=range(9),
)
def test_what_a_log_serves_wrong_is_its_finding(
    change: Callable[[dict[str, bytes]], object], code: str, tmp_path: Path
) -> None:
    files = log_of(600).files()
    change(files)
    outcome = mirror(files.get, MirrorFolder(tmp_path), KEYS)
    assert [finding.code for finding in outcome.findings] == [code]
    assert not (tmp_path / "checkpoint").exists()


@pytest.mark.parametrize("path", sorted(log_of(600).files()))
def test_a_damaged_file_is_named_and_not_blamed_on_the_log(path: str, tmp_path: Path) -> None:
    log = log_of(600)
    run(log, tmp_path)
    file = tmp_path / path
    data = bytearray(file.read_bytes())
    data[-20] ^= 4
    file.write_bytes(data)
    checked = told(lambda: check(MirrorFolder(tmp_path), KEYS))
    damage = [str(checked)] if isinstance(checked, SourceError) else [item.path for item in checked.damage]
    assert damage
    # An entry and its hash each know only that they do not fit the other.
    assert any(path in found or path.replace("/0/", "/entries/") in found for found in damage)
    for served in (grown(log, 900), log_of(300), log_of(600)):
        outcome = told(lambda served=served: run(served, tmp_path))  # type: ignore[misc]  # bound at once
        if not isinstance(outcome, SourceError):
            assert not outcome.findings


@pytest.mark.parametrize("path", ["tile/entries/001", "tile/0/000", "tile/1/000.p/2", "checkpoint"])
def test_a_missing_file_is_damage_too(path: str, tmp_path: Path) -> None:
    run(log_of(600), tmp_path)
    (tmp_path / path).unlink()
    checked = told(lambda: check(MirrorFolder(tmp_path), KEYS), "missing")
    assert isinstance(checked, SourceError) == (path == "checkpoint")
    if not isinstance(checked, SourceError):
        assert path in {item.path for item in checked.damage}


def test_a_run_cut_short_is_taken_up_where_it_stopped(tmp_path: Path) -> None:
    log = log_of(2000)
    files = log.files()
    asked: list[str] = []

    def failing(path: str) -> bytes | None:
        if path == "tile/entries/005":
            raise SourceError("unreachable", "cut")
        return files.get(path)

    def counting(path: str) -> bytes | None:
        asked.append(path)
        return files.get(path)

    with pytest.raises(SourceError):
        mirror(failing, MirrorFolder(tmp_path), KEYS)
    assert not (tmp_path / "checkpoint").exists()
    (tmp_path / "tile/entries/002").write_bytes(b"\0\1x" * 100)
    outcome = mirror(counting, MirrorFolder(tmp_path), KEYS)
    assert not outcome.findings
    assert outcome.repaired == ["tile/entries/002"]
    assert "tile/entries/000" not in asked
    assert files_in(tmp_path) == files


def test_data_is_synced_before_the_state_moves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    real = MirrorFolder.move_to

    def move(self: MirrorFolder, head: object) -> None:
        # At this moment nothing may be left unsynced but names, which settle() takes care of first.
        assert not list(tmp_path.rglob(".*.new"))
        synced.append("moved")
        real(self, head)  # type: ignore[arg-type]  # passed through
        assert not self._unsynced

    monkeypatch.setattr(MirrorFolder, "move_to", move)
    assert not run(log_of(300), tmp_path).findings
    assert synced == ["moved"]


def test_another_log_at_the_address_is_refused(tmp_path: Path) -> None:
    run(log_of(10), tmp_path)
    other = Log(Signer("other.example", bytes(32)))
    for k in range(20):
        other.append(b"%d" % k)
    outcome = mirror(other.files().get, MirrorFolder(tmp_path), [*KEYS, other.signer.verifier])
    assert [finding.code for finding in outcome.findings] == ["bad-checkpoint"]


@pytest.mark.parametrize(("number", "code"), [(errno.ENOSPC, "no-room"), (errno.EROFS, "unreadable")])
@pytest.mark.parametrize("fails", ["tile/entries/000.p/3", "checkpoint", "key"])
def test_what_cannot_be_written_is_named_and_nothing_of_it_stays(
    fails: str, number: int, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = MirrorFolder(tmp_path / "mirror")
    file = folder.folder / fails
    replace = Path.replace

    def full(path: Path, target: Path) -> Path:
        if target == file:
            raise OSError(number, os.strerror(number))
        return replace(path, target)

    def keep() -> None:
        folder.pin([SIGNER.verifier.text()])
        run(log_of(3), folder.folder)

    monkeypatch.setattr(Path, "replace", full)
    error = told(keep, code)
    assert str(error) == f"{file}: cannot be written ({os.strerror(number)})"
    assert not [path for path in files_in(folder.folder) if Path(path).name.startswith(".")]
    assert "checkpoint" not in files_in(folder.folder)

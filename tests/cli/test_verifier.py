"""``fairdeal verifier``: one file, the same as the service offers."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from fairdeal_api.offline import offline_page

from tests.cli.running import Terminal, spawn


def test_writes_the_offline_verifier(fairdeal: Terminal, tmp_path: Path) -> None:
    file = tmp_path / "verifier.html"
    ran = fairdeal("verifier", str(file))
    assert (ran.code, ran.out) == (0, "")
    assert "uses no network" in ran.err
    assert file.read_text("utf-8") == offline_page()


def test_writes_to_standard_output() -> None:
    ran = spawn("verifier", "-")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("<!doctype html>")
    assert ran.out == offline_page()


def test_says_when_it_cannot_write(fairdeal: Terminal, tmp_path: Path) -> None:
    ran = fairdeal("verifier", str(tmp_path / "missing" / "verifier.html"))
    assert ran.code == 4
    assert "cannot be written" in ran.err


def test_a_link_goes_on_leading_to_the_file_and_a_device_stays_one(
    fairdeal: Terminal, tmp_path: Path
) -> None:
    file, link = tmp_path / "verifier.html", tmp_path / "link.html"
    file.write_text("before")
    file.chmod(0o640)
    link.symlink_to(file)
    assert fairdeal("verifier", str(link)).code == 0
    assert link.is_symlink()
    assert (file.read_text("utf-8"), file.stat().st_mode & 0o777) == (offline_page(), 0o640)
    device = tmp_path / "full"
    device.symlink_to("/dev/full")
    ran = fairdeal("verifier", str(device))
    assert (ran.code, "cannot be written (No space left on device)" in ran.err) == (4, True)
    assert Path("/dev/full").is_char_device()


@pytest.mark.parametrize("before", ["before", None])
def test_a_full_disk_leaves_what_was_there(
    fairdeal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str | None
) -> None:
    def half(path: Path, data: bytes) -> int:
        with path.open("wb") as file:
            file.write(data[: len(data) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    file = tmp_path / "verifier.html"
    if before is not None:
        file.write_text(before)
    monkeypatch.setattr(Path, "write_bytes", half)
    ran = fairdeal("verifier", str(file))
    assert (ran.code, f"{file}: cannot be written (No space left on device)" in ran.err) == (4, True)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == (
        {} if before is None else {"verifier.html": before}
    )


def test_needs_a_file(fairdeal: Terminal) -> None:
    assert fairdeal("verifier").code == 2

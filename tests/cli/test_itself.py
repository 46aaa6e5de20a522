"""Commands that are printed to be pasted call the program that printed them, wherever it lies."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path

import pytest
from fairdeal_cli import itself


def script(folder: Path) -> Path:
    """A program called fairdeal in a folder of its own."""
    folder.mkdir(parents=True)
    made = folder / "fairdeal"
    made.write_text("#!/bin/sh\n")
    made.chmod(0o700)
    return made


@pytest.fixture
def ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The script that is running, in ``.venv/bin`` of the working directory, which is not on PATH."""
    made = script(tmp_path / "project" / ".venv" / "bin")
    monkeypatch.setattr(sys, "argv", [str(made), "demo"])
    monkeypatch.setenv("PATH", os.defpath)
    monkeypatch.chdir(tmp_path / "project")
    return made


def test_what_is_found_by_its_name_is_called_by_it(
    ours: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{ours.parent}:{os.defpath}")
    assert itself.words() == ["fairdeal"]
    # As pipx makes it known.
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "fairdeal").symlink_to(ours)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}")
    assert itself.words() == ["fairdeal"]


def test_what_is_not_on_path_is_called_by_the_shorter_path(
    ours: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert itself.words() == [".venv/bin/fairdeal"]
    monkeypatch.setattr(sys, "argv", [".venv/bin/fairdeal", "demo"])
    assert itself.words() == [".venv/bin/fairdeal"]
    monkeypatch.setattr(sys, "argv", [str(ours), "demo"])
    monkeypatch.chdir(ours.parent)
    assert itself.words() == ["./fairdeal"]
    far = tmp_path.joinpath(*("deep" for _ in range(40)))
    far.mkdir(parents=True)
    monkeypatch.chdir(far)
    assert itself.words() == [str(ours)]


def test_another_program_of_that_name_is_not_meant(
    ours: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = script(tmp_path / "other")
    monkeypatch.setenv("PATH", f"{other.parent}:{ours.parent}")
    assert shutil.which("fairdeal") == str(other)
    assert itself.words() == [".venv/bin/fairdeal"]


def test_a_module_that_was_run_is_called_by_its_script_or_again_as_a_module(
    ours: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [str(Path(itself.__file__).with_name("__main__.py")), "demo"])
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(ours.parent))
    assert itself.words() == [".venv/bin/fairdeal"]
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(tmp_path / "nothing"))
    monkeypatch.setattr(sys, "executable", str(ours.with_name("python")))
    assert itself.words() == [".venv/bin/python", "-m", "fairdeal_cli"]

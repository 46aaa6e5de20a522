"""``fairdeal verifier``: one file, the same as the service offers."""

from __future__ import annotations

from pathlib import Path

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
    assert "cannot write" in ran.err


def test_needs_a_file(fairdeal: Terminal) -> None:
    assert fairdeal("verifier").code == 2

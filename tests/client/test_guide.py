"""docs/integrate.md does what it says: its curl, Python and JavaScript blocks run against a service."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from fairdeal_api.server import prepare, serving
from fairdeal_api.settings import Settings

PAGE = Path(__file__).parents[2] / "docs" / "integrate.md"


CRASH = """
with Client(os.environ["URL"], os.environ["KEY"]) as deals:
    known = {deals.commit("crash:1").hand}
    deals.commit("crash:2")
    after_a_crash(deals, known)
    print("only the known hand is open:", {hand.hand for hand in deals.open_hands()} == known)
"""
"""What the page only defines, called."""


def blocks(language: str) -> list[str]:
    found: list[str] = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return found


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    settings = Settings(data=tmp_path_factory.mktemp("guide") / "data")
    key = prepare(settings).operator_key_file.read_text().strip()
    with serving(settings) as url:
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        yield {**os.environ, "URL": url, "KEY": key, "PATH": path, "NO_COLOR": "1"}


def run(command: list[str], environment: dict[str, str], folder: Path) -> str:
    done = subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_curl(environment: dict[str, str], tmp_path: Path) -> None:
    first, *rest = blocks("sh")
    assert first.startswith("export URL=")
    script = tmp_path / "script"
    script.write_text("set -eu\n" + "\n".join(rest))
    said = run(["sh", str(script)], environment, tmp_path)
    assert "CONSISTENT" in said.splitlines()[0]
    committed, dealt, opening, revealed = (
        json.loads((tmp_path / f"{name}.json").read_text())
        for name in ("commit", "deal", "opening", "reveal")
    )
    assert [committed["state"], dealt["state"], revealed["state"]] == ["committed", "locked", "revealed"]
    assert opening["openings"][0]["tile"] == revealed["deal"]["indicator"]
    assert revealed["next"]["terms"]["dealer"] == (revealed["deal"]["dealer"] + 1) % 4


def test_python(environment: dict[str, str], tmp_path: Path) -> None:
    (block,) = blocks("python")
    said = run([sys.executable, "-c", block + CRASH], environment, tmp_path)
    assert said.count(" gets [") == 4
    assert "hand 1 is over" in said
    assert said.endswith("only the known hand is open: True\n")


def test_javascript(environment: dict[str, str], tmp_path: Path) -> None:
    node = shutil.which("node")
    assert node, "Node.js is missing: python tools/provision.py"
    (block,) = blocks("javascript")
    (tmp_path / "hand.mjs").write_text(block)
    said = run([node, "hand.mjs"], environment, tmp_path)
    assert len(re.findall(r"seat 0 gets((?: \d+)+)\n", said)[0].split()) in (14, 15)
    assert "hand 1 played" in said


def test_every_exception_of_the_page_is_one() -> None:
    from fairdeal import client  # noqa: PLC0415  only for this look at its names

    named = set(re.findall(r"`(\w+Error)`", PAGE.read_text(encoding="utf-8")))
    assert named <= set(client.__all__)

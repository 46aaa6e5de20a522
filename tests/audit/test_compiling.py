"""That code is compiled for this machine is told once, and only where it really is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fairdeal.audit import compiling
from fairdeal.audit.run import Audit, Results
from tests.audit.test_command import put
from tests.cheats.log_cheats import honest
from tests.cli.running import Terminal

PROGRAM = """
from fairdeal.audit.compiling import on_compiling

told = []
with on_compiling(told.append):
    from fairdeal.audit.kernel.compiled import compiled

    @compiled
    def one(number):
        return number + 1

    @compiled
    def two(number):
        return number + 2

    assert not told
    assert one(1) == two(0) == 2
assert two(0.5) == 2.5
print(told)
"""


def test_it_is_told_once_where_nothing_is_kept_and_not_where_it_is(tmp_path: Path) -> None:
    def run(*arguments: str) -> str:
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
        ended = subprocess.run(
            [sys.executable, *arguments], env=environment, capture_output=True, text=True, check=True
        )
        return ended.stdout.strip()

    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    assert [run(str(program)) for _ in range(2)] == ["[True]", "[]"]
    # A program without a file has nothing that the kept result could be compared with.
    assert [run("-c", PROGRAM) for _ in range(2)] == ["[False]", "[False]"]


@pytest.mark.parametrize("kept", [True, False])
def test_the_command_says_so_to_people_alone(
    kept: bool, fairdeal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = []

    def finish(audit: Audit) -> Results:
        told.append(compiling._Wish.tell)
        if compiling._Wish.tell is not None:
            compiling._Wish.tell(kept)
        return finished(audit)

    finished = Audit.finish
    monkeypatch.setattr(Audit, "finish", finish)
    lie = honest()
    put(tmp_path / "log", lie.files)
    arguments = ("audit", str(tmp_path / "log"), "--key", lie.key.text(), "--no-statistics")
    said = "Compiling code for this machine, which takes up to a minute; "
    said += "later runs load it.\n" if kept else "it cannot be kept here, so later runs take as long.\n"
    assert fairdeal(*arguments).err == said
    assert fairdeal(*arguments, "--json").err == ""
    assert told[1] is None
    assert compiling._Wish.tell is None

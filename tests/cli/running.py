"""The command line as tests run it: inside this process, or as a process of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fairdeal_cli.app import main

PLAIN = {"NO_COLOR": "1", "COLUMNS": "100", "TERM": "xterm-256color"}


@dataclass(frozen=True)
class Ran:
    """What a run printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on stdout."""
        lines = self.out.splitlines()
        assert len(lines) == 1
        return json.loads(lines[0])


class Terminal:
    """Runs the command line in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.capsys = capsys
        self.monkeypatch = monkeypatch

    def __call__(self, *arguments: str, stdin: str = "", **environment: str) -> Ran:
        """Run ``fairdeal`` with these arguments."""
        for name in ("FORCE_COLOR", "GITHUB_ACTIONS", "PY_COLORS"):
            self.monkeypatch.delenv(name, raising=False)
        for name, value in {**PLAIN, **environment}.items():
            self.monkeypatch.setenv(name, value)
        self.monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8"))
        self.capsys.readouterr()
        code = main(arguments)
        printed = self.capsys.readouterr()
        return Ran(code, printed.out, printed.err)


def spawn(
    *arguments: str,
    stdin: str = "",
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Ran:
    """Run ``python -m fairdeal_cli`` as a process of its own, without a terminal."""
    ended = subprocess.run(
        command(*arguments),
        input=stdin.encode(),
        env=environ(environment),
        cwd=folder,
        capture_output=True,
        timeout=120,
        check=False,
    )
    return Ran(ended.returncode, ended.stdout.decode(), ended.stderr.decode())


def command(*arguments: str) -> Sequence[str]:
    """The command line of :func:`spawn`."""
    return (sys.executable, "-m", "fairdeal_cli", *arguments)


def environ(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without what colours output, and with ``extra``."""
    dropped = ("NO_COLOR", "FORCE_COLOR", "GITHUB_ACTIONS", "PY_COLORS", "COLUMNS")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    return {**kept, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8", **(extra or {})}

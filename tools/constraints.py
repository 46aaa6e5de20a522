"""Compile requirements/*.txt: every version pinned, every file hashed, for all Pythons and systems at once.

Nothing of the machine that compiles gets in: no index address, no folder. `--upgrade` takes the newest
versions that pyproject.toml allows; without it, versions change only where pyproject.toml asks for it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMON = (
    "--universal",
    "--python-version=3.11",
    "--generate-hashes",
    "--no-emit-index-url",
    "--no-emit-find-links",
    "--quiet",
)
# dev first: what it pins, runtime repeats, so that both can be installed into one environment in any order.
TARGETS = {
    "requirements/dev.txt": ("--all-extras", "--group=dev"),
    "requirements/runtime.txt": ("--extra=postgres", "--group=build", "--constraints=requirements/dev.txt"),
}


def main(arguments: list[str]) -> int:
    """Compile each target; the exit code is the first failure's."""
    environment = {**os.environ, "UV_CUSTOM_COMPILE_COMMAND": "make constraints"}
    uv = str(Path(sys.executable).parent / "uv")
    for target, selection in TARGETS.items():
        command = [
            uv,
            "pip",
            "compile",
            "pyproject.toml",
            *COMMON,
            *selection,
            *arguments,
            "--output-file",
            target,
        ]
        done = subprocess.run(command, cwd=ROOT, env=environment, check=False)
        if done.returncode != 0:
            return done.returncode
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

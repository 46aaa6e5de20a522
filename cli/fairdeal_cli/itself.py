"""How this very program is called again from a shell."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path

NAME = "fairdeal"


def words() -> list[str]:
    """The words that call this program: its name where a shell finds it by that, else its path.

    A path is relative to the working directory where that is shorter. Where no script of ours is installed,
    the words are the interpreter's and ``-m``'s.
    """
    started = Path(sys.argv[0])
    # Under `python -m` it was not a script that was called, but there may be one in the same environment.
    script = Path(sysconfig.get_path("scripts"), NAME) if started.name == "__main__.py" else started
    if not script.is_file():
        return [_shorter(Path(sys.executable)), "-m", "fairdeal_cli"]
    found = shutil.which(NAME)
    # Another release, or another program of that name, may come first on PATH.
    return [NAME] if found and Path(found).samefile(script) else [_shorter(script)]


def _shorter(path: Path) -> str:
    """The absolute path or the relative one, with a slash in it: without one a shell looks along PATH."""
    whole = str(path.absolute())
    near = os.path.relpath(whole)
    near = near if os.sep in near else f".{os.sep}{near}"
    return min(whole, near, key=len)

"""The two ends of the command line: results on stdout, talk on stderr."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def results() -> Console:
    """Where results go. Colour only on a terminal; ``NO_COLOR`` and ``TERM=dumb`` are respected."""
    return _console(sys.stdout)


def talk() -> Console:
    """Where everything else goes."""
    return _console(sys.stderr)


def _console(file: TextIO) -> Console:
    # No markup, no emoji codes, no guessing at highlights: texts from receipts must come out as they are.
    return Console(file=file, markup=False, emoji=False, highlight=False)


def plain(text: str) -> str:
    """Text from elsewhere, made safe to print: nothing in it can steer the terminal or turn its direction."""
    return "".join("\ufffd" if unicodedata.category(c) in _UNSEEN else c for c in text)


def print_json(value: Mapping[str, Any]) -> None:
    """The one JSON document of a ``--json`` run, on one line.

    Escaped to ASCII, so that it comes out whole whatever the terminal's encoding.
    """
    sys.stdout.write(json.dumps(value) + "\n")


def say(message: str, style: str = "") -> None:
    """A line of talk on stderr."""
    talk().print(Text(plain(message), style=style), soft_wrap=True)


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table on stdout, a line a row however long: a value broken in two could not be copied or searched."""
    lines = [headings, *([plain(value) for value in row] for row in rows)]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    for k, line in enumerate(lines):
        padded = (set_cell_size(value, width) for value, width in zip(line, widths, strict=True))
        text = Text("  ".join(padded).rstrip(), style="" if k else "bold")
        results().print(text, soft_wrap=True)


def survive_narrow_encodings() -> None:
    """Let characters that an output's encoding lacks come out as ``?`` instead of ending the program."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(errors="replace")

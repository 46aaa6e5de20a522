"""Exit codes, and how a failure is told: in words on stderr, and as JSON where JSON was asked for."""

from __future__ import annotations

import re
from enum import IntEnum

from fairdeal.errors import FairdealError


class Exit(IntEnum):
    """What the exit code of every command means."""

    FINE = 0
    """Done; a hand is verified."""
    REFUTED = 1
    """A hand is refuted."""
    USAGE = 2
    """The command line makes no sense."""
    SHORT = 3
    """Nothing wrong, but something needed was not shown: consistent or incomplete."""
    UNREADABLE = 4
    """A source cannot be read, a service cannot be reached, or no room is left on a disk."""
    FAULT = 5
    """Our own fault."""


class SourceError(FairdealError):
    """A source that can't be read or reached, or that holds something else than it should.

    Or a file that can't be written.

    ``code``: ``missing``, ``unreadable``, ``unreachable``, ``too-large``, ``malformed``, ``several``,
    ``no-receipt`` or ``no-room``.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


_LONG_HEX = re.compile(r"[0-9A-Fa-f]{40,}")
_EXTRA = "Got unexpected extra argument"


def safe_message(text: str) -> str:
    """A message that cannot repeat a secret typed in the wrong place.

    The option parser quotes what it can't place, and that may well be a seed whose option was forgotten.
    """
    if text.startswith(_EXTRA):
        return "Unexpected extra argument; is an option's name missing before a value?"
    return _LONG_HEX.sub("(hidden)", text)

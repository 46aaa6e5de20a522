"""C2SP checkpoints (tlog-checkpoint v1.0.0): a log's name, size and tree head as the text of a note.

Three lines: origin, size, base64 of the head.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fairdeal.encoding import MAX_INTEGER, parse_b64, to_b64
from fairdeal.errors import MalformedError
from fairdeal.merkle import HASH_SIZE

_SIZE = re.compile(r"0|[1-9][0-9]{0,15}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a log signs: its origin (the name of its key, too), its size in entries, its head (32 bytes)."""

    origin: str
    size: int
    root: bytes

    def text(self) -> str:
        """The note text, three lines; :func:`parse_checkpoint` reads it back."""
        return f"{self.origin}\n{self.size}\n{to_b64(self.root)}\n"


def parse_checkpoint(text: str, field: str = "checkpoint") -> Checkpoint:
    """Read a note's text as a checkpoint. Extension lines are refused: this protocol has none (§8.2)."""
    lines = text.split("\n")
    if len(lines) != 4 or lines[3] or not lines[0]:
        raise MalformedError(field, "must be three lines: origin, size, head")
    if not _SIZE.fullmatch(lines[1]) or int(lines[1]) > MAX_INTEGER:
        raise MalformedError(field, "its size must be a decimal number without leading zeros")
    return Checkpoint(lines[0], int(lines[1]), parse_b64(lines[2], field, HASH_SIZE))

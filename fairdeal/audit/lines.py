"""A stretch of JSON Lines, checked: the compiled way where it leads, the core's for the rest (protocol §9.3).

Pure functions from bytes to an outcome, so that threads, processes and other machines can run them.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass

from fairdeal.audit.checked import BROKEN, Checked, Given
from fairdeal.audit.documents import Documents
from fairdeal.audit.findings import Finding

_BLANK = b" \t\r"


@dataclass(frozen=True)
class Lines:
    """Whole lines of a file; ``first`` is the number of the first, from 1. The last may lack its end."""

    source: str
    first: int
    data: bytes
    overlong: bool = False
    """Stands for one line that was too long to be read."""


def check_plainly(task: tuple[Lines, Given]) -> Checked:
    """Check every line by the core: for few hands, and where the extra ``fast`` is missing."""
    part, given = task
    checked = Checked()
    if part.overlong:
        _note_overlong(part, checked)
    documents = Documents(given, part.source, checked)
    for position, text in _numbered(part):
        documents.check(position, text)
    return checked


def _numbered(part: Lines) -> Iterator[tuple[int, bytes]]:
    """Lines that are not blank, with their numbers."""
    lines = part.data.split(b"\n")
    return ((part.first + k, line) for k, line in enumerate(lines) if line.strip(_BLANK))


def check_fast(task: tuple[Lines, Given]) -> Checked:
    """Check records by columns and everything else by the core. Needs the extra ``fast``."""
    # The extra is loaded here: this module is imported where there is none, too.
    from fairdeal.audit.batches import Batch, read_lines  # noqa: PLC0415

    part, given = task
    checked = Checked()
    if part.overlong:
        _note_overlong(part, checked)
        return checked
    hands, spans = read_lines(part.data)
    batch = Batch(hands, array("Q", range(part.first, part.first + len(spans))), part.source, scanned=True)
    documents = Documents(given, part.source, checked)
    for row in batch.check(given, checked):
        start, end = spans[row]
        text = part.data[start:end]
        if text.strip(_BLANK):
            documents.check(part.first + row, text)
    return checked


def _note_overlong(part: Lines, checked: Checked) -> None:
    checked.verdicts[BROKEN] += 1
    detail = "the line is longer than any receipt or record"
    checked.findings.append(Finding("bad-line", detail, line=part.first, source=part.source))

"""A stretch of JSON Lines, checked: the compiled way where it leads, the core's for the rest (protocol §9.3).

Pure functions from bytes to an outcome, so that threads, processes and other machines can run them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fairdeal.audit.findings import Finding
from fairdeal.audit.histories.checked import BROKEN, Checked, Given
from fairdeal.audit.histories.documents import Documents

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
    """Check records and receipts by columns, everything else by the core. Needs the extra ``fast``."""
    # The extra is loaded here: this module is imported where there is none, too.
    from fairdeal.audit.histories.batches import Batch, numbered, read_lines, split_lines  # noqa: PLC0415
    from fairdeal.audit.histories.borrowed import give_back  # noqa: PLC0415
    from fairdeal.audit.histories.receipts import check_receipts  # noqa: PLC0415

    part, given = task
    checked = Checked()
    if part.overlong:
        _note_overlong(part, checked)
        return checked
    text, spans = split_lines(part.data)
    hands = read_lines(text, spans)
    others = Batch(hands, numbered(part.first, len(spans)), part.source, scanned=True).check(given, checked)
    if others:
        fine = check_receipts(part, text, spans, hands.taken == 0, given, checked)
        others = [row for row in others if row not in fine]
    give_back(hands)
    documents = Documents(given, part.source, checked)
    for row in others:
        start, end = spans[row]
        line = part.data[start:end]
        if line.strip(_BLANK):
            documents.check(part.first + row, line)
    checked.receipts.sort(key=lambda facts: facts.position)
    return checked


def compiled_share(data: bytes) -> float:
    """How many of some lines compiled code reads, of all: 0 to 1. Needs the extra ``fast``."""
    from fairdeal.audit.histories.batches import read_lines, split_lines  # noqa: PLC0415
    from fairdeal.audit.histories.receipts import read_receipts  # noqa: PLC0415

    text, spans = split_lines(data)
    records = int(read_lines(text, spans).taken.sum())
    return (records + len(read_receipts(text, spans)[2])) / len(spans)


def _note_overlong(part: Lines, checked: Checked) -> None:
    checked.verdicts[BROKEN] += 1
    detail = "the line is longer than any receipt or record"
    checked.findings.append(Finding("bad-line", detail, line=part.first, source=part.source))

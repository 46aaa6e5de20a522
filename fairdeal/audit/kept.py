"""What players kept from before their hands, as a file to hold against the source (protocol §10.5, §10.6).

One item a line: a commitment in hex; a hand's id and its commitment, with a space between; or a whole receipt
as JSON. Each commitment must be in the source, and under that hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fairdeal.audit.findings import Finding
from fairdeal.audit.log.merge import Mark
from fairdeal.audit.log.source import SourceError
from fairdeal.entries import Commit
from fairdeal.errors import EvidenceError, MalformedError
from fairdeal.note import Verifier, open_note
from fairdeal.receipt import Receipt, parse_document_text

_LINE = re.compile(r"(?:([0-9a-f]{32})[ \t,]+)?([0-9a-f]{64})", re.ASCII)


@dataclass(frozen=True)
class Kept:
    """One kept item: the commitment (hex), and the hand and receipt where they were kept too."""

    line: int
    commitment: bytes
    hand: str | None = None
    receipt: Receipt | None = None

    @property
    def digest(self) -> bytes:
        """The commitment itself, 32 bytes."""
        return bytes.fromhex(self.commitment.decode())


def read_kept(path: Path) -> list[Kept]:
    """The items of a file. Raises :class:`SourceError` with the line that is none of the three forms.

    A file without any is refused too: whoever gives one means it to bind something.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise SourceError("missing", f"{path}: no such file") from None
    except (OSError, UnicodeDecodeError):
        raise SourceError("unreadable", f"{path}: cannot be read as text") from None
    items = [_item(path, number, line.strip()) for number, line in _lines(text)]
    if not items:
        raise SourceError("empty", f"{path}: there is nothing in it")
    return items


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.startswith("#"):
            yield number, line


def _item(path: Path, number: int, line: str) -> Kept:
    found = _LINE.fullmatch(line)
    if found:
        return Kept(number, found[2].encode(), found[1])
    try:
        document = parse_document_text(line)
    except MalformedError:
        document = None
    commit = None
    if isinstance(document, Receipt):
        commit = next((e.content for e in document.entries if isinstance(e.content, Commit)), None)
    if commit is None or not isinstance(document, Receipt):
        rule = "must be a commitment, a hand's id and its commitment, or a receipt with a commit"
        raise SourceError("malformed", f"{path}: line {number}: {rule}")
    return Kept(number, commit.commitment.hex().encode(), commit.hand.hex(), document)


def marks(kept: Iterable[Kept], keys: Sequence[Verifier], origin: str) -> list[Mark]:
    """Tree heads that this log has signed, from kept receipts: by a key given, or the receipt's own."""
    found = []
    for item in kept:
        receipt = item.receipt
        if receipt is None or receipt.head.origin != origin:
            continue
        try:
            open_note(receipt.note, [key for key in keys if key.name == origin] or [receipt.own_key])
        except EvidenceError:
            # Anyone can write an unsigned checkpoint: it says nothing of the log.
            continue
        where = f"the checkpoint of the receipt kept in line {item.line}"
        found.append(Mark(receipt.head.size, receipt.head.root, where))
    return found


def compare(
    kept: Iterable[Kept], found: dict[bytes, tuple[int, bytes]], *, entry_at: object = None
) -> Iterator[Finding]:
    """Findings where a kept commitment is missing or stands for another hand, or a kept entry is not there.

    ``found`` gives, by commitment, the place in the source and the hand; ``entry_at`` reads a log's entry.
    """
    for item in kept:
        where = found.get(item.commitment)
        name = item.commitment.decode()
        if where is None:
            what = f"the commitment kept in line {item.line} of the seen file is not in the source"
            yield Finding("seen-missing", what, item.hand, expected=name)
            continue
        index, hand = where
        if item.hand is not None and item.hand != hand.decode():
            what = f"the commitment kept in line {item.line} of the seen file stands for another hand"
            yield Finding("seen-differs", what, item.hand, index, expected=item.hand, found=hand.decode())
        if item.receipt is not None and callable(entry_at):
            for logged in item.receipt.entries:
                if entry_at(logged.index) != logged.entry.encode():
                    what = f"an entry of the receipt kept in line {item.line} is not what the log has there"
                    yield Finding("seen-differs", what, item.hand, logged.index)


def misplaced(kept: Iterable[Kept], found: Mapping[bytes, str]) -> Iterator[Finding]:
    """Findings where a kept commitment stands for another hand; ``found`` gives hands by commitment."""
    for item in kept:
        hand = found.get(item.digest)
        if item.hand is not None and hand not in (None, item.hand):
            what = f"the commitment kept in line {item.line} of the seen file stands for another hand"
            yield Finding("seen-differs", what, item.hand, expected=item.hand, found=hand)

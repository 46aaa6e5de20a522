"""What stands twice in a log and must not: hand ids, seeds, commitments, seals, client seeds (§10.5).

Millions of values are held as 64-bit prints of themselves, with the entries they come from. Where two prints
are equal the entries are read again and the values compared whole, so that no chance and no craft makes a
finding out of two different values. Entries without a commit before them are sorted out on the same occasion.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator

from fairdeal.audit.findings import Finding
from fairdeal.audit.log.entrytext import CommitText, EntryText, Fault, LockText, explain, read_entry
from fairdeal.audit.sources.plainprints import WORDS, Rows, new_prints

Values = dict[str, tuple[bytes, "array[int]"]]
"""By kind: the values one after another, and the index of the entry that each comes from."""


class Repeats:
    """Collects the values of a log's stretches."""

    def __init__(self) -> None:
        self._prints = new_prints()
        self._orphans: dict[int, bytes] = {}

    def add(self, values: Values) -> None:
        """A stretch's values."""
        for kind, (data, owners) in values.items():
            self._prints.add(Rows(kind, data, owners))

    def orphan(self, hand: bytes, index: int) -> None:
        """A lock or reveal at ``index`` for a hand (hex) that is not open."""
        self._orphans[index] = hand
        self._prints.add(Rows("hand", bytes.fromhex(hand.decode()), array("Q", [index])))

    def finish(self, entry_at: Callable[[int], bytes]) -> list[Finding]:
        """The findings, by index."""
        found: list[Finding] = []
        commits: dict[bytes, int] = {}
        for kind, value, owners in self._prints.groups():
            entries = [(k, entry) for k in owners if (entry := _read(entry_at(k))) is not None]
            if kind == "hand":
                for k, entry in entries:
                    if isinstance(entry, CommitText):
                        commits.setdefault(entry.hand, k)
                entries = [(k, entry) for k, entry in entries if k not in self._orphans]
            found += _repeated(kind, value, entries)
        for index, hand in self._orphans.items():
            found.append(_orphaned(hand, index, commits.get(hand), _read(entry_at(index))))
        return sorted(found, key=lambda finding: finding.index or 0)


def _read(data: bytes) -> EntryText | None:
    entry = read_entry(data) or explain(data)
    return None if isinstance(entry, Fault) else entry


def _values(kind: str, entry: EntryText) -> list[bytes]:
    if isinstance(entry, CommitText):
        if kind == "seal":
            return [seal for _, seal in entry.seals]
        return [entry.hand if kind == "hand" else entry.commitment]
    if isinstance(entry, LockText):
        return [seed for _, seed in entry.contributions]
    return [entry.server_seed or b""]


def _repeated(kind: str, printed: bytes, entries: list[tuple[int, EntryText]]) -> Iterator[Finding]:
    first: dict[bytes, tuple[int, bytes]] = {}
    start = printed.hex().encode()
    for index, entry in entries:
        # An entry's other values have groups of their own.
        values = [value for value in _values(kind, entry) if value.startswith(start)]
        for value in values:
            before = first.setdefault(value, (index, entry.hand))
            if before == (index, entry.hand) and values.count(value) == 1:
                continue
            where = f"entry {before[0]}, hand {before[1].decode()}"
            what = f"this {WORDS[kind]} stands in the log already"
            yield Finding(f"repeated-{kind}", what, entry.hand.decode(), index, found=f"also in {where}")
            if before[0] == index:
                break


def _orphaned(hand: bytes, index: int, commit: int | None, entry: EntryText | None) -> Finding:
    kind = "lock" if isinstance(entry, LockText) else "reveal"
    name = hand.decode()
    if commit is not None and commit < index:
        return Finding("after-end", f"a {kind} after the hand's reveal", name, index)
    where = "the log has none" if commit is None else f"it comes later, at entry {commit}"
    return Finding("no-commit", f"a {kind} without a commit before it: {where}", name, index)

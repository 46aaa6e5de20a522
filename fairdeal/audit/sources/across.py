"""What the sources of one audit say against each other, and each history against itself (protocol §10.5).

Millions of hands are held as ``prints``. Where two places say other things of one thing, or the same of two
things, both are read again and compared whole.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from fairdeal.audit.findings import Finding
from fairdeal.audit.histories.checked import Checked, ReceiptFacts
from fairdeal.audit.log.shared import (
    UNLOCKED,
    entry_print,
    head_print,
    identity,
    number_print,
    stage_print,
)
from fairdeal.audit.sources.plainprints import KINDS, TAG, UNKNOWN, Group, Rows, new_prints
from fairdeal.audit.sources.rows import rows_of
from fairdeal.audit.sources.said import CLAIMS, Said, head_said, of_entry
from fairdeal.audit.sources.twice import Place, compared, shown_by_both, whole
from fairdeal.checkpoint import Checkpoint

POSITIONS = 40
"""Bits of an owner that are the line or index; those above are the source."""

WHOLE = (1 << POSITIONS) - 1
"""The position that stands for a log as a whole."""

BATCH = 100_000
"""Places that are read again and compared at a time, so that memory stays bounded however many there are."""

Reread = Callable[[Iterable[int]], Iterator[tuple[int, Said]]]
"""What is said at some positions of a source, ascending."""

RECORD = 1 << 60
"""The code of a record; those of receipts are less, so that a receipt is counted sooner."""

ALONE = 1 << 7
"""In a code: the operator alone could have chosen the deal (§10.3)."""


@dataclass
class _Source:
    """A source: ``labels`` call its positions by name where it is no file."""

    name: str
    reread: Reread
    log: bool = False
    labels: tuple[str, ...] = ()


@dataclass
class Across:
    """One object for all sources of an audit; sources are numbered as they come."""

    again: Counter[int] = field(default_factory=Counter)
    """By code, documents of hands that are counted already; filled by :meth:`finish`."""

    def __post_init__(self) -> None:
        """Prints of every kind."""
        self._prints = new_prints((*KINDS, *CLAIMS))
        self._sources: list[_Source] = []

    def history(self, name: str, reread: Reread) -> int:
        """A new history's number."""
        self._sources.append(_Source(name, reread))
        return len(self._sources) - 1

    def log(self, name: str) -> int:
        """A new log's number, for its rows; :meth:`log_read` follows. Its own audit finds its own repeats."""
        self._sources.append(_Source(name, lambda _: iter(()), log=True))
        return len(self._sources) - 1

    def log_read(
        self, source: int, head: Checkpoint, entry_at: Callable[[int], bytes], *, held: bool
    ) -> None:
        """How a log is read again. Where it is ``held``, whoever holds it compares its heads."""

        def reread(positions: Iterable[int]) -> Iterator[tuple[int, Said]]:
            for index in positions:
                one = head_said(head) if index == WHOLE else of_entry(entry_at(index), index, head.origin)
                if one is not None:
                    yield index, one

        self._sources[source].reread = reread
        if not held:
            self._head(source, WHOLE, head)

    def kept(self, heads: Sequence[tuple[str, Checkpoint]]) -> None:
        """Tree heads that are known from elsewhere, each with where from."""
        said = {k: head_said(head) for k, (_, head) in enumerate(heads)}
        labels = tuple(label for label, _ in heads)
        self._sources.append(_Source("", lambda wanted: ((k, said[k]) for k in wanted), labels=labels))
        for k, (_, head) in enumerate(heads):
            self._head(len(self._sources) - 1, k, head)

    def add(
        self,
        source: int,
        part: Checked,
        code: Callable[[ReceiptFacts], int],
        left_out: Collection[int] = (),
        unproved: Collection[int | None] = (),
    ) -> None:
        """A stretch of a history, without ``left_out``; ``code`` is what a receipt counts as.

        Positions that are ``unproved`` say nothing of the log that they name, nor stand for other positions.
        """
        base = source << POSITIONS
        receipts = {one.position: one for one in part.receipts if one.position not in left_out}
        for rows in rows_of(part, base, left_out):
            if rows.kind != "hand":
                self.rows(source, _untagged(rows, base, unproved), numbered=True)
                continue
            count = len(rows.owners)
            if not receipts:
                # Records say nothing of a log that others could agree with.
                self._prints.add(rows._replace(tags=None, codes=array("Q", [RECORD]) * count))
                continue
            tags, codes = bytearray(TAG * count), array("Q", [RECORD]) * count
            for k, owner in enumerate(rows.owners):
                one = receipts.get(owner - base)
                if one is not None and one.position not in unproved:
                    tags[k * TAG : k * TAG + TAG] = _identity(one)
                    codes[k] = code(one)
            self._prints.add(rows._replace(tags=tags, codes=codes))
        self._claims(base, (one for one in receipts.values() if one.position not in unproved))

    def rows(self, source: int, rows: Rows, *, numbered: bool = False) -> None:
        """Rows of a source; ``numbered`` says that its number is in their owners already."""
        base = source << POSITIONS
        owners = rows.owners if numbered else array("Q", [base + owner for owner in rows.owners])
        self._prints.add(rows._replace(owners=owners))

    def _head(self, source: int, position: int, head: Checkpoint) -> None:
        owner = array("Q", [(source << POSITIONS) + position])
        self._prints.add(Rows("head", head_print(head.origin, head.size), owner, head.root[:TAG]))

    def _claims(self, base: int, receipts: Iterable[ReceiptFacts]) -> None:
        rows: dict[str, tuple[bytearray, array[int], bytearray]] = {
            kind: (bytearray(), array("Q"), bytearray()) for kind in CLAIMS
        }

        def claim(kind: str, owner: int, value: bytes, tag: bytes) -> None:
            values, owners, tags = rows[kind]
            values += value
            owners.append(owner)
            tags += tag[:TAG]

        for one in receipts:
            owner, origin, entries = base + one.position, one.origin, one.entries
            claim("head", owner, head_print(origin, one.size), one.root)
            claim("number", owner, number_print(origin, one.operator, one.table, one.number), one.hand)
            for index, leaf in entries:
                claim("entry", owner, entry_print(origin, index), leaf)
            stages = ("lock",) * (one.locked_at is not None) + ("reveal",) * (one.ended_at is not None)
            for stage, (index, leaf) in zip(stages, entries[1:], strict=False):
                claim("stage", owner, stage_print(origin, one.hand, stage), identity("", index, leaf))
            if stages == ("reveal",) and len(entries) == 2:
                claim("stage", owner, stage_print(origin, one.hand, "lock"), UNLOCKED)
        for kind, (values, owners, tags) in rows.items():
            self._prints.add(Rows(kind, values, owners, tags))

    def finish(self, emit: Callable[[str, Finding], None]) -> None:
        """All findings, each with its source's name, sorted where there are not too many for that."""
        batch: list[Group] = []
        held = 0
        for group in self._split():
            batch.append(group)
            held += len(group.owners)
            if held >= BATCH:
                self._compare(batch, emit)
                batch, held = [], 0
        self._compare(batch, emit)
        self.again.update(self._prints.again)

    def _split(self) -> Iterator[Group]:
        """Groups of bounded size: each holds the first owner, for the others to be compared with."""
        for group in self._prints.groups():
            sources = {owner >> POSITIONS for owner in group.owners}
            if len(sources) == 1 and self._sources[min(sources)].log:
                continue
            for first, *others in self._alike(group):
                for k in range(0, len(others) or 1, BATCH):
                    yield Group(group.kind, group.print, [first, *others[k : k + BATCH]])

    def _alike(self, group: Group) -> Iterator[list[int]]:
        """The group's owners; where they are more than a batch, those of each whole value together.

        Only somebody who chooses values can make so many of them begin alike.
        """
        if len(group.owners) <= BATCH:
            yield group.owners
            return
        first: dict[bytes, int] = {}
        more: dict[bytes, list[int]] = {}
        for k in range(0, len(group.owners), BATCH):
            for owner, said in self._said(group.owners[k : k + BATCH]).items():
                for value, often in Counter(whole(group.kind, group.print, said)).items():
                    before = first.setdefault(value, owner)
                    if before != owner:
                        more.setdefault(value, [before]).append(owner)
                    elif often > 1:
                        more.setdefault(value, [owner])
        yield from more.values()

    def _said(self, owners: Iterable[int]) -> dict[int, Said]:
        """What is said by each owner that can be read again."""
        wanted: dict[int, list[int]] = {}
        for owner in sorted(set(owners)):
            wanted.setdefault(owner >> POSITIONS, []).append(owner & WHOLE)
        return {
            (source << POSITIONS) + position: one
            for source, positions in wanted.items()
            for position, one in self._sources[source].reread(positions)
        }

    def _compare(self, batch: list[Group], emit: Callable[[str, Finding], None]) -> None:
        said = self._said(owner for group in batch for owner in group.owners)
        found: list[tuple[int, Finding]] = []
        for group in batch:
            # What is disproved is a finding by itself, and may not make one of what is not.
            owners = [owner for owner in group.owners if owner in said and not said[owner].disproved]
            places = [(self._place(owner), said[owner]) for owner in owners]
            findings = compared(group.kind, group.print, places)
            found += [(place.owner, finding) for place, finding in findings]
            if group.kind == "hand":
                self.again.update(RECORD | ALONE * alone for alone in shown_by_both(places))
        for owner, finding in sorted(found, key=lambda item: item[0]):
            emit(self._sources[owner >> POSITIONS].name, finding)

    def _place(self, owner: int) -> Place:
        number, position = owner >> POSITIONS, owner & WHOLE
        source = self._sources[number]
        if source.log:
            index = None if position == WHOLE else position
            label = "" if index is None else f"entry {index}"
            return Place(owner, number, source.name, label, index=index, log=True)
        if source.labels:
            return Place(owner, number, source.name, source.labels[position])
        return Place(owner, number, source.name, f"line {position}", line=position)


def _untagged(rows: Rows, base: int, positions: Collection[int | None]) -> Rows:
    """Rows of which those at some positions agree with no others."""
    if not positions or rows.tags is None:
        return rows
    tags = bytearray(rows.tags)
    for k, owner in enumerate(rows.owners):
        if owner - base in positions:
            tags[k * TAG : k * TAG + TAG] = UNKNOWN
    return rows._replace(tags=tags)


def _identity(one: ReceiptFacts) -> bytes:
    if not one.entries:
        return UNKNOWN
    index, leaf = one.entries[0]
    return identity(one.origin, index, leaf)

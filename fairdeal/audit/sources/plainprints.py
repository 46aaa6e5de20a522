"""Equal 64-bit prints of values that may stand only once: the interface, and a way without numpy."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from typing import NamedTuple, Protocol

KINDS = ("hand", "commitment", "seal", "seed", "client-seed")
"""What may stand only once in a log or history."""

SIZES = {"hand": 16, "commitment": 32, "seal": 32, "seed": 32, "client-seed": 32}
"""Bytes in a value of each kind. Values of other kinds are hashes, of which 8 bytes are given."""

WORDS = {
    "hand": "hand id",
    "commitment": "commitment",
    "seal": "seal",
    "seed": "server seed",
    "client-seed": "client seed",
}

TAG = 16
"""Bytes in a tag."""

UNKNOWN = bytes(TAG)
"""The tag of a value of which nothing is known: it agrees with no other."""


class Rows(NamedTuple):
    """Values of a kind one after another; the owner, and where there are any the tag and the code of each."""

    kind: str
    values: bytes | bytearray
    owners: array[int]
    tags: bytes | bytearray | None = None
    codes: array[int] | None = None


class Group(NamedTuple):
    """A print (8 bytes) that stands for more than one thing, and its owners, ascending."""

    kind: str
    print: bytes
    owners: list[int]


class Prints(Protocol):
    """Where equal prints are found.

    A value may come with a tag: equal values whose tags agree too are no repeat, but one thing said more than
    once. With a code besides, ``again`` counts by code the values (of the least code first) that only say
    again what another has said; it is filled as the groups are gone through. The code 0 is not counted.
    """

    again: Counter[int]

    def add(self, rows: Rows) -> None:
        """Values that others are looked for of."""

    def groups(self) -> Iterable[Group]:
        """Each print that stands for more than one thing, kind by kind, by the first owner.

        Of owners whose tags agree with the first one's, that one alone is named; beside a tag that is not
        known all are, since any of them may be what it disagrees with.
        """


class PlainPrints:
    """Prints in dictionaries: for small logs, and where numpy is not installed."""

    def __init__(self, kinds: Sequence[str] = KINDS) -> None:
        self.again: Counter[int] = Counter()
        self._first: dict[str, dict[bytes, _Row]] = {kind: {} for kind in kinds}
        self._more: dict[str, dict[bytes, list[_Row]]] = {kind: {} for kind in kinds}

    def add(self, rows: Rows) -> None:
        """See :class:`Prints`."""
        kind, values, owners, tags, codes = rows
        first, more, size = self._first[kind], self._more[kind], SIZES.get(kind, 8)
        for k, owner in enumerate(owners):
            value = bytes(values[k * size : k * size + 8])
            tag = bytes(tags[k * TAG : k * TAG + TAG]) if tags is not None else UNKNOWN
            row = owner, tag, codes[k] if codes is not None else 0
            if value not in first:
                first[value] = row
            else:
                more.setdefault(value, [first[value]]).append(row)

    def groups(self) -> Iterator[Group]:
        """See :class:`Prints`."""
        for kind, groups in self._more.items():
            found = [(owners, value) for value, rows in groups.items() if (owners := self._owners(rows))]
            yield from (Group(kind, value, owners) for owners, value in sorted(found))

    def _owners(self, rows: list[_Row]) -> list[int]:
        by_tag: dict[bytes, list[int]] = {}
        for _, tag, code in rows:
            if tag != UNKNOWN:
                by_tag.setdefault(tag, []).append(code)
        for codes in by_tag.values():
            self.again.update(code for code in sorted(codes)[1:] if code)
        rows = sorted(rows, key=lambda row: row[0])
        tag = rows[0][1]
        often = Counter(owner for owner, _, _ in rows)
        every = UNKNOWN in (other for _, other, _ in rows)
        named = {owner for owner, other, _ in rows if every or other != tag or often[owner] > 1}
        return sorted({rows[0][0], *named}) if named else []


_Row = tuple[int, bytes, int]
"""Owner, tag, code."""


def new_prints(kinds: Sequence[str] = KINDS) -> Prints:
    """Prints in arrays where numpy is there, else in dictionaries."""
    if not find_spec("numpy"):
        return PlainPrints(kinds)
    from fairdeal.audit.sources.prints import NumpyPrints  # noqa: PLC0415  # numpy is an extra

    return NumpyPrints(kinds=kinds)

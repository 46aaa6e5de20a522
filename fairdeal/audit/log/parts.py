"""What a stretch of a log is given to audit, and what it hands back (see :mod:`fairdeal.audit.log.chunk`)."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from pathlib import Path

from fairdeal.audit.counts import Counts
from fairdeal.audit.findings import Finding
from fairdeal.audit.log.deals import DealSums
from fairdeal.audit.log.entrytext import LockText, RevealText
from fairdeal.audit.log.life import Hand
from fairdeal.audit.sources.plainprints import Rows
from fairdeal.tiling import WIDTH, entries_path

BUNDLES = 256
CHUNK = BUNDLES * WIDTH
"""Entries in a full stretch: 65,536, the reach of one hash in a tile of level 1's parent."""


@dataclass(frozen=True)
class ChunkTask:
    """Entries ``start`` to ``stop`` of a log, as bundles in hand or as files of a folder.

    ``seen`` are commitments (hex) to look out for; ``leaves`` asks for the leaf hashes themselves;
    ``statistics`` for the sums that the statistics are made from; ``origin``, the log's name, for what other
    sources may say too.
    """

    start: int
    stop: int
    bundles: tuple[bytes, ...] | None = None
    folder: str | None = None
    seen: frozenset[bytes] = frozenset()
    leaves: bool = False
    statistics: bool = False
    origin: str | None = None

    def read(self, bundle: int) -> bytes:
        """The bytes of the task's bundle number ``bundle``; :class:`OSError` where a file cannot be read."""
        if self.bundles is not None:
            if not self.bundles[bundle]:
                raise FileNotFoundError
            return self.bundles[bundle]
        number = self.start // WIDTH + bundle
        path = Path(self.folder or ".")
        width = min(WIDTH, self.stop - number * WIDTH)
        try:
            return (path / entries_path(number, width)).read_bytes()
        except FileNotFoundError:
            # A log may drop a partial bundle once the full one exists.
            return (path / entries_path(number)).read_bytes()


@dataclass(frozen=True, slots=True)
class Loose:
    """An entry of a hand whose commit is not in this stretch."""

    index: int
    entry: LockText | RevealText
    leaf: bytes


@dataclass(frozen=True, slots=True)
class LocalLock:
    """A lock of a hand begun in this stretch, and the first hand here that it passed over, if any."""

    index: int
    hand: bytes
    number: int
    earlier: bytes | None = None
    earlier_index: int = 0


@dataclass
class Run:
    """Commits of one table whose numbers follow each other: the first one's number, place and hand."""

    number: int
    index: int
    hand: bytes
    count: int = 1


@dataclass
class ChunkResult:
    """What a stretch holds, and its loose ends."""

    start: int
    count: int = 0
    heads: bytes = b""
    tail: list[bytes] = field(default_factory=list)
    leaves: bytes | None = None
    findings: list[Finding] = field(default_factory=list)
    first: tuple[int, int] | None = None
    """Index and time of the first entry that could be read."""
    last_at: int = 0
    open: list[Hand] = field(default_factory=list)
    loose: list[Loose] = field(default_factory=list)
    runs: dict[bytes, list[Run]] = field(default_factory=dict)
    locks: dict[bytes, list[LocalLock]] = field(default_factory=dict)
    counts: dict[bytes, Counts] = field(default_factory=dict)
    values: dict[str, tuple[bytes, array[int]]] = field(default_factory=dict)
    seen: dict[bytes, tuple[int, bytes]] = field(default_factory=dict)
    """By commitment looked out for: the commit's index and hand."""
    ended: dict[bytes, int] = field(default_factory=dict)
    """By commitment looked out for: the index of its hand's reveal."""
    shared: list[Rows] = field(default_factory=list)
    """What other sources may say too (:mod:`fairdeal.audit.sources.across`)."""
    unsupported: int = 0
    deals: DealSums = field(default_factory=DealSums)
    broken: bool = False
    """Some bundle is not whole, so that no tree can be made of the entries."""
    stopped: Finding | None = None
    """Why the stretch ends early: nothing after it can be read."""


def split_bundle(data: bytes) -> tuple[list[bytes], bool]:
    """The entries of a bundle as far as they are whole, and whether nothing but them is in it.

    What :func:`fairdeal.tiling.parse_bundle` does, for millions of entries and without giving up.
    """
    entries = []
    at, end = 0, len(data)
    while at + 2 <= end:
        start = at + 2
        after = start + (data[at] << 8 | data[at + 1])
        if after > end:
            break
        entries.append(data[start:after])
        at = after
    return entries, at == end

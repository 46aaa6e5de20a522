"""What an audit found wrong: a code that never changes its meaning, and the evidence (protocol §10.5).

Findings are written out one by one as they come, so that a log with a million of them needs no more memory
than one with none; the first few are kept for the summary.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, TextIO

CODES: dict[str, str] = {
    # Getting hold of the log
    "bad-checkpoint": "the checkpoint is no signed note with a log's name, size and head",
    "bad-signature": "the checkpoint is not signed by the key that was given",
    "wrong-root": "the entries do not give the tree head that the checkpoint has signed",
    "altered-entry": "an entry is not the one that stands in the signed tree",
    "missing-entries": "the log serves fewer entries than its checkpoint counts",
    "wrong-tile": "a tile is not the one that the entries give",
    "forked": "the log signed two checkpoints of which neither continues the other",
    "shrunk": "the log's checkpoint is smaller than one that it signed before",
    # Each entry by itself
    "malformed-entry": "an entry breaks a rule of form",
    "not-canonical": "an entry is right but for its spelling, which is not canonical JSON",
    "time-reversed": "an entry's time is before that of the entry above it",
    # The life of a hand
    "no-commit": "a lock or reveal stands before its hand's commit, or there is none",
    "second-lock": "a hand is locked twice",
    "after-end": "an entry follows the hand's reveal",
    "wrong-prev": "an entry does not name the hand's entry before it",
    "lock-late": "a hand was locked at or after its lock_by",
    "wrong-outcome": "the outcome cannot follow from what came before it",
    "outcome-time": "the outcome is not one that this time allows",
    "revealed-late": "a hand was revealed more than a minute after it was due",
    "overdue": "a hand is still open more than a minute after it was due",
    "lost": "the service lost a hand's seed",
    # Seeds
    "check-commitment": "the revealed server seed does not open the commitment",
    "seal-unopened": "a hand was locked with a seal unopened",
    "contribution-changed": "a contribution does not open its seat's seal",
    "contribution-unsealed": "a contribution stands for a seat that sealed none",
    "contribution-seat": "a contribution stands for a seat that the terms do not have",
    "check-openings": "deal_root is not what the seeds and terms give",
    # Across hands
    "number-gap": "a table's hand numbers skip one",
    "number-reused": "a table's hand number does not go up",
    "lock-order": "a hand was locked while an earlier one of its table was neither locked nor ended",
    "repeated-hand": "a hand id stands for two hands",
    "repeated-seed": "a server seed stands for two hands",
    "repeated-commitment": "a commitment stands for two hands",
    "repeated-seal": "a seal stands twice",
    "repeated-client-seed": "a client seed was opened twice",
    "contradiction": "two places say different things of one hand",
    # Against what was kept from before
    "seen-missing": "a commitment that a player saw is nowhere in the source",
    "seen-differs": "a commitment or entry that a player saw is not what the source has",
    # Receipts and records
    "bad-line": "a line is no strict JSON, or neither a receipt nor a record",
    "check-format": "a receipt or record breaks a rule of form",
    "check-signature": "the checkpoint in a receipt is not signed by its log's key",
    "check-inclusion": "a receipt's entry does not lie in the tree of its checkpoint",
    "check-sequence": "a receipt's entries are not one hand's commit, lock and reveal",
    "check-seals": "the contributions do not open exactly the seals",
    "check-key": "the deal key would follow from seeds that were not committed to",
    "check-shuffle": "the order is not the one that the seeds give",
    "check-table": "dealer, throws, wall, indicator or okey are not those that the seeds give",
    "check-hands": "hands or stock are not those that the seeds give",
    "check-seen": "a hand disagrees with what was kept from before it",
    "index-reused": "two receipts have different entries at one place of the log",
    # Statistics
    "alarm": "a statistical test finds the deals other than chance would leave them",
    "voids-favour": "the hands that were not played had other tiles than chance would give them",
}
"""Every code, and what it says; docs/audit.md lists the same."""


KEPT = 1000
"""Findings that are held in memory; with more of them, all go to a file."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One violation and its evidence.

    ``hand`` is the hand's id in hex, ``index`` the entry's place in the log, ``line`` a line of a file,
    ``cause`` an explanation by protocol §10.4, ``source`` the input that it was found in.
    """

    code: str
    detail: str
    hand: str | None = None
    index: int | None = None
    line: int | None = None
    expected: str | None = None
    found: str | None = None
    cause: str | None = None
    source: str | None = None

    def as_json(self) -> dict[str, Any]:
        """The finding as it is written out; what is not known is left out, ``hand`` apart."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: v for name, v in values.items() if v is not None or name == "hand"}


class Ledger:
    """Writes each finding at once as a JSON line to ``stream``, counts them, keeps the first ``keep``."""

    def __init__(
        self,
        stream: TextIO | None = None,
        keep: int = KEPT,
        overflow: Callable[[], TextIO] | None = None,
    ) -> None:
        """Without a ``stream``, ``overflow`` opens one when there are more findings than are kept.

        Whoever opened a stream closes it.
        """
        self.counts: Counter[str] = Counter()
        self.kept: list[Finding] = []
        self._stream = stream
        self._overflow = overflow
        self._keep = keep

    @property
    def total(self) -> int:
        """How many there are in all."""
        return self.counts.total()

    def add(self, finding: Finding) -> None:
        """Note one down. A code that is not in :data:`CODES` is a mistake in this program."""
        if finding.code not in CODES:
            raise KeyError(finding.code)
        self.counts[finding.code] += 1
        if len(self.kept) < self._keep:
            self.kept.append(finding)
        elif self._stream is None and self._overflow is not None:
            self._stream = self._overflow()
            for one in self.kept:
                self._write(one)
        self._write(finding)

    def _write(self, finding: Finding) -> None:
        if self._stream is not None:
            line = json.dumps(finding.as_json(), ensure_ascii=False, separators=(",", ":"))
            self._stream.write(line + "\n")
            self._stream.flush()


def plural(count: int, thing: str, things: str | None = None) -> str:
    """The count with the thing, in the plural where it is not one."""
    return f"{count:,} {thing if count == 1 else things or f'{thing}s'}"

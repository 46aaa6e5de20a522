"""What an audit is asked for, and everything that it finds out, input by input."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fairdeal.audit.counts import Counts, Key
from fairdeal.audit.engine import Engine
from fairdeal.audit.histories.history import HistoryOutcome
from fairdeal.audit.kept import Kept
from fairdeal.audit.log.audit import LogOutcome, ignore
from fairdeal.audit.report.summary import Source
from fairdeal.audit.report.timeline import Timeline
from fairdeal.audit.state import State
from fairdeal.note import Verifier

if TYPE_CHECKING:
    from fairdeal.audit.stats import Statistics, VoidComparison


@dataclass
class AuditOptions:
    """What the inputs are audited against, and how.

    ``several`` says that there will be several inputs, which findings then name; ``statistics`` asks for the
    battery, which needs the extras ``fast`` and ``audit``; ``hash_inputs`` for the files' SHA-256; ``now`` is
    the auditor's clock in milliseconds. ``progress`` is told what is done of how much.
    """

    keys: Sequence[Verifier] = ()
    kept: Sequence[Kept] = ()
    state: State | None = None
    several: bool = False
    statistics: bool = True
    hash_inputs: bool = False
    now: int | None = None
    engine: Engine | None = None
    workers: int | None = None
    progress: Callable[[int, int], None] = ignore


@dataclass
class Results:
    """Everything that an audit found out; :mod:`fairdeal.audit.outcome` puts it in words."""

    sources: list[Source] = field(default_factory=list)
    logs: list[LogOutcome] = field(default_factory=list)
    histories: list[HistoryOutcome] = field(default_factory=list)
    counts: dict[Key, Counts] = field(default_factory=dict)
    again: int = 0
    """Receipts and records of hands that another one, or a log, shows as well."""
    superseded: int = 0
    """Of these the receipts of a hand that was open then, and is shown further by another."""
    beyond: dict[str, int] = field(default_factory=dict)
    """By log: receipts whose checkpoint is larger than the log's own."""
    unproved: dict[str, int] = field(default_factory=dict)
    """By log that is no source: the size of its checkpoint kept from an earlier audit."""
    timeline: Timeline = field(default_factory=Timeline)
    statistics: Statistics | None = None
    statistics_note: str = ""
    folders: bool = False
    """Whether a log was read from files of this machine, which may have been damaged here."""
    voids: dict[str, VoidComparison] = field(default_factory=dict)

    @property
    def hands(self) -> int:
        """Hands in all inputs together, each counted once."""
        logged = sum(log.hands for log in self.logs if not log.within)
        return logged + sum(one.hands for one in self.histories) - self.again

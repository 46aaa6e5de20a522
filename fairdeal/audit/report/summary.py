"""What an audit comes to: everything that its report and its terminal summary say, and nothing they draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from fairdeal.audit.counts import Counts, Key, per_operator, total
from fairdeal.audit.findings import CODES, Finding, plural
from fairdeal.audit.report.timeline import Timeline

if TYPE_CHECKING:
    from fairdeal.audit.stats import Statistics, VoidComparison

Verdict = Literal["refuted", "incomplete", "consistent", "verified"]

_MEANINGS: dict[Verdict, str] = {
    "refuted": "Some of what the input claims does not hold; each finding below names the evidence.",
    "incomplete": "Nothing that could be checked is wrong, but the evidence for some checks was not there.",
    "consistent": (
        "All that was given holds together. Nothing was given that players kept from before their hands, "
        "so this alone does not show that the commitments stood before the deals."
    ),
    "verified": "All that was given holds, and each hand is the one that a player saw committed before it.",
}

_IN_PART = (
    "All that was given holds together. What players kept from before does not stand behind every hand, "
    "so for the others this does not show that the commitments stood before the deals."
)

STATISTICAL = ("alarm", "voids-favour")
"""Codes of findings that chance may make: they say where to look, and are no violations by themselves."""

SHOWN_PER_KIND = 5
"""Findings of one kind that are listed one by one."""


@dataclass(frozen=True, slots=True)
class Source:
    """One input: its name as given, what it is, its size in bytes and SHA-256 in hex where it is a file."""

    name: str
    kind: str
    detail: str = ""
    size: int | None = None
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class FindingKind:
    """All findings of one code: how many, and the first few."""

    code: str
    meaning: str
    count: int
    shown: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class OperatorLine:
    """One operator's hands, and how many tables they were played at."""

    operator: str
    tables: int
    counts: Counts


@dataclass(frozen=True)
class AuditSummary:
    """The audit of one or more inputs; ``verdict`` is in the protocol's words (§10.2), for all of it.

    ``counts`` are by operator and table, both empty for records, which name neither. ``findings`` counts by
    code, ``sample`` holds the first ones. ``rests_on`` and ``not_shown`` are plain sentences; ``incomplete``
    counts hands for which some evidence was not there. ``voids`` compares by operator, ``""`` for all.
    ``started`` is in milliseconds since the Unix epoch; it and ``seconds`` are the only things in here that
    differ between two runs on the same input. ``kept`` counts what players kept and was given.
    """

    verdict: Verdict
    sources: Sequence[Source]
    hands: int
    counts: Mapping[Key, Counts] = field(default_factory=dict)
    findings: Mapping[str, int] = field(default_factory=dict)
    sample: Sequence[Finding] = ()
    rests_on: Sequence[str] = ()
    not_shown: Sequence[str] = ()
    incomplete: int = 0
    kept: int = 0
    timeline: Timeline | None = None
    statistics: Statistics | None = None
    statistics_note: str = ""
    voids: Mapping[str, VoidComparison] = field(default_factory=dict)
    command: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    started: int | None = None
    seconds: float | None = None

    @property
    def found(self) -> int:
        """How many violations there are. A statistical alarm is none: honest deals raise one now and then."""
        return sum(count for code, count in self.findings.items() if code not in STATISTICAL)

    @property
    def alarms(self) -> int:
        """How many statistical tests raised an alarm, comparisons of unplayed hands included."""
        raised = len(self.statistics.alarms) if self.statistics is not None else 0
        raised += sum(one.alarm for one in self.voids.values())
        return max(raised, sum(self.findings.get(code, 0) for code in STATISTICAL))

    @property
    def total(self) -> Counts:
        """All operators together."""
        return total(dict(self.counts))

    @property
    def headline(self) -> str:
        """The outcome in one sentence."""
        where = f"in {plural(self.hands, 'hand')}"
        if self.found:
            kinds = sum(kind.code not in STATISTICAL for kind in self.kinds)
            return f"{plural(self.found, 'violation')} of {plural(kinds, 'kind')} {where}"
        if not self.hands:
            return "There was no hand to audit"
        but = []
        if self.alarms:
            but.append(f"{plural(self.alarms, 'statistical test')} raised an alarm")
        if self.incomplete:
            but.append(f"{plural(self.incomplete, 'hand')} could not be checked in full")
        return f"No violation {where}{', but ' if but else ''}{' and '.join(but)}"

    @property
    def meaning(self) -> str:
        """What the verdict means, in a sentence."""
        if self.verdict == "consistent" and self.kept:
            return _IN_PART
        return _MEANINGS[self.verdict]

    @property
    def kinds(self) -> list[FindingKind]:
        """Findings by code, the most frequent first."""
        by_count = sorted(self.findings.items(), key=lambda item: (-item[1], item[0]))
        return [
            FindingKind(
                code=code,
                meaning=CODES.get(code, ""),
                count=count,
                shown=tuple(f for f in self.sample if f.code == code)[:SHOWN_PER_KIND],
            )
            for code, count in by_count
            if count
        ]

    @property
    def operators(self) -> list[OperatorLine]:
        """Counts by operator, by name."""
        tables: dict[str, int] = {}
        for operator, _ in self.counts:
            tables[operator] = tables.get(operator, 0) + 1
        lines = per_operator(dict(self.counts))
        return [OperatorLine(name, tables[name], counts) for name, counts in lines.items()]

    @property
    def uncleared(self) -> list[OperatorLine]:
        """Operators with hands that no statistic can clear (protocol §10.3), the most such hands first."""
        lines = [line for line in self.operators if line.counts.operator_alone]
        return sorted(lines, key=lambda line: (-line.counts.operator_alone, line.operator))


def share(part: int, whole: int) -> str:
    """A part of a whole in percent, with more digits where it is small; a dash of nothing."""
    if not whole:
        return "–"
    percent = 100 * part / whole
    if part and percent < 0.01:
        return "< 0.01 %"
    return f"{percent:.2f} %" if percent < 10 and part else f"{percent:.0f} %" if part else "0 %"


def size_words(size: int) -> str:
    """Bytes in the largest fitting unit."""
    if size < 1000:
        return f"{size} bytes"
    step = min((len(str(size)) - 1) // 3, 3)
    return f"{size / 1000**step:,.1f} {('kB', 'MB', 'GB')[step - 1]}"

"""What an audit comes to: the verdict, what it rests on, what was not shown (protocol §10.2 to §10.5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from fairdeal.audit import counts as counting
from fairdeal.audit.findings import Ledger, plural
from fairdeal.audit.histories.history import HistoryOutcome
from fairdeal.audit.log.audit import LogOutcome
from fairdeal.audit.report.summary import STATISTICAL
from fairdeal.audit.results import Results
from fairdeal.verify import GIVEN_KEY, NO_KEY, OWN_KEY

Verdict = Literal["refuted", "incomplete", "consistent", "verified"]


_MAYBE_DAMAGE = ("altered-entry", "bad-checkpoint", "missing-entries", "wrong-root", "wrong-tile")


@dataclass(frozen=True)
class Outcome:
    """An audit's results in words. ``kept`` is how many commitments from before the hands were given."""

    results: Results
    ledger: Ledger
    kept: int = 0

    @cached_property
    def verdict(self) -> Verdict:
        """By the protocol's words for one hand (§10.2), for all of them together.

        ``refuted``: there is a finding. ``incomplete``: none, but something needed was not there, such as the
        log's key or any hand at all. ``consistent``: all that was given holds. ``verified``: each single hand
        of every source would be verified, with what a player kept from before it (§10.6), and none is open.
        What statistics find is chance once in a hundred audits, so it refutes nothing.
        """
        if self.ledger.total > self.alarms:
            return "refuted"
        if self.missing:
            return "incomplete"
        is_open = any(log.open for log in self.results.logs)
        return "verified" if not is_open and all(bound == n for _, n, bound in self.bound) else "consistent"

    @property
    def bound(self) -> list[tuple[str, int, int]]:
        """For each source its name, its hands, and how many of them something binds that was kept before."""
        results = self.results
        logs = [(log.name, log.hands, log.bound) for log in results.logs]
        return logs + [(history.name, history.hands, history.bound) for history in results.histories]

    @property
    def alarms(self) -> int:
        """How many of the findings are statistical."""
        return sum(self.ledger.counts[code] for code in STATISTICAL)

    @cached_property
    def missing(self) -> list[str]:
        """What was needed and not there, in sentences."""
        return [*self._missing()]

    def _missing(self) -> Iterator[str]:
        results = self.results
        if not results.hands:
            yield "There was no hand to audit."
        else:
            yield from (f"There was no hand in {name}." for name, hands, _ in self.bound if not hands)
        for log in results.logs:
            if log.head is None:
                continue
            if log.key != "given":
                origin = log.head.head.origin
                yield f"No key of {origin} was given, so nothing shows who signed its checkpoint."
            if log.unsupported:
                count = plural(log.unsupported, "entry is", "entries are")
                yield f"{count} of a version or type not known here: nothing can be said about that."
        if self.incomplete:
            counts = _added(history.absent for history in results.histories)
            absent = ", ".join(f"{name} in {n:,}" for name, n in counts.items())
            what = f"{plural(self.incomplete, 'hand')} could not be checked in full"
            yield f"{what}; absent in receipts and records: {absent}."

    @cached_property
    def rests_on(self) -> list[str]:
        """What the verdict rests on, in sentences."""
        found = [self._bound(*one) for one in self.bound if one[1]] if self.kept else []
        for log in self.results.logs:
            found += _log_grounds(log)
        for history in self.results.histories:
            found += _history_grounds(history)
        if self.kept:
            found.append(f"Looked for: {plural(self.kept, 'commitment')} that players kept from before.")
        return found

    def _bound(self, name: str, hands: int, bound: int) -> str:
        logs = {log.name for log in self.results.logs}
        things = (
            plural(hands, "hand")
            if name in logs
            else plural(hands, "receipt or record", "receipts and records")
        )
        of = f"{bound:,} of {things}{f' of {name}' if len(self.bound) > 1 else ''}"
        behind = "something that a player kept from before the hand stands behind"
        none = "" if bound == hands else f", and nothing behind {hands - bound:,}"
        return f"{behind.capitalize()} {of}{none}."

    @cached_property
    def not_shown(self) -> list[str]:
        """What no finding could tell, in sentences: what was missing, and what an audit cannot see."""
        found = list(self.missing)
        if not self.kept and self.results.hands:
            found.append(
                "No player's commitment from before a hand was given (--seen): nothing here shows that the "
                "commitments in the source are those that players saw."
            )
        if self.results.folders and any(self.ledger.counts[code] for code in _MAYBE_DAMAGE):
            found.append(
                "Whose doing it is that files here do not fit the signed tree: a mirror that was whole once "
                "was damaged on this machine (`fairdeal log check` says where); the log's address shows what "
                "the log serves."
            )
        elif not all(bound == hands for _, hands, bound in self.bound):
            found.append(
                "Of hands behind which stands nothing that a player kept, nothing here shows that their "
                "commitments stood before the deals."
            )
        for origin, receipts in sorted(self.results.beyond.items()):
            have = f"{plural(receipts, 'receipt')} of {origin} {'has' if receipts == 1 else 'have'}"
            beyond = "a checkpoint beyond the log that was given"
            found.append(f"{have} {beyond}: nothing here shows that the log went on to it.")
        for origin, size in sorted(self.results.unproved.items()):
            earlier = f"the checkpoint of {plural(size, 'entry', 'entries')} kept from an earlier audit"
            found.append(f"Whether {origin} grew from {earlier}: receipts do not show that, the log does.")
        opened = [log.open for log in self.results.logs if log.open]
        found += [f"{plural(n, 'hand')} of the log {'is' if n == 1 else 'are'} still open." for n in opened]
        return found

    @cached_property
    def uncleared(self) -> list[str]:
        """The hands that no statistic can clear (§10.3), operator by operator, in sentences."""
        return [
            f"In {plural(one.operator_alone, 'hand')} {f'the operator {name}' if name else 'the operator'} "
            "alone could have chosen the deal by trying seeds, as no player's seed went into it. "
            "No check and no statistic can clear those."
            for name, one in counting.per_operator(self.results.counts).items()
            if one.operator_alone
        ]

    @property
    def incomplete(self) -> int:
        """Hands for which some evidence was absent; not those that another receipt or a log shows further."""
        shown = sum(history.incomplete for history in self.results.histories)
        return max(0, shown - self.results.superseded)

    def as_json(self, findings_file: str | None = None) -> dict[str, Any]:
        """The document that ``fairdeal audit --json`` prints."""
        results = self.results
        logs = [log.as_json() for log in results.logs]
        return {
            "verdict": self.verdict,
            "hands": results.hands,
            "findings": [finding.as_json() for finding in self.ledger.kept],
            "findings_total": self.ledger.total,
            "findings_file": findings_file,
            "counts": {
                "shown_again": results.again,
                "findings": dict(sorted(self.ledger.counts.items())),
                **counting.as_json(results.counts),
                "verdicts": _added(history.verdicts for history in results.histories),
                "absent": _added(history.absent for history in results.histories),
                "incomplete": self.incomplete,
            },
            "log": logs[0] if len(logs) == 1 else logs or None,
            "rests_on": self.rests_on,
            "not_shown": self.not_shown,
            "uncleared": self.uncleared,
            "statistics": results.statistics.as_json() if results.statistics else None,
            "statistics_note": results.statistics_note or None,
            "voids": {name: one.as_json() for name, one in results.voids.items()},
            "sources": [
                {
                    "name": s.name,
                    "kind": s.kind,
                    "detail": s.detail,
                    "size": s.size,
                    "sha256": s.sha256,
                    "hands": hands,
                    "bound": bound,
                }
                for s, (_, hands, bound) in zip(results.sources, self.bound, strict=True)
            ],
        }


def _log_grounds(log: LogOutcome) -> Iterator[str]:
    if log.head is None:
        return
    head = log.head.head
    signed = {"given": "signed by a key that was given", "refused": "not signed by the key that was given"}
    by = signed.get(log.key, "whose signature nobody checked")
    size = plural(head.size, "entry", "entries")
    yield f"The log {head.origin}: a checkpoint of {size}, {by}; {log.entries:,} read."
    if log.earlier is not None:
        yield (
            f"It was compared with a checkpoint of {plural(log.earlier, 'entry', 'entries')} kept from an "
            "earlier audit: what stood there was not changed since. It shows nothing of the time before."
        )


def _history_grounds(history: HistoryOutcome) -> Iterator[str]:
    said = {
        GIVEN_KEY: "in a log under a key that was given",
        OWN_KEY: "in a log, but only under the key that each brings along",
        NO_KEY: "without log evidence, recomputed from the seeds alone",
    }
    for evidence, words in said.items():
        if history.evidence[evidence]:
            yield f"{plural(history.evidence[evidence], 'hand')} {words}."


def _added(parts: Iterator[Any]) -> dict[str, int]:
    total: dict[str, int] = {}
    for part in parts:
        for name, n in part.items():
            total[name] = total.get(name, 0) + n
    return dict(sorted(total.items()))

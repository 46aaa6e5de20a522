"""Verifying one hand: twelve named checks, a verdict, and what it rests on (protocol §10).

    report = verify(text, keys=[Verifier.parse(vkey)], seen=[parse_seen(commitment_hex)])
    report.verdict      # "verified", "consistent", "incomplete" or "refuted"

Nothing passes because something was missing: a check without its evidence ends ``absent``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fairdeal.checks import Check, Result, document_checks, log_checks
from fairdeal.diagnose import OtherHand, diagnose
from fairdeal.entries import Commit, Reveal
from fairdeal.errors import MalformedError
from fairdeal.evidence import Evidence, first, gather
from fairdeal.note import Verifier
from fairdeal.receipt import Receipt, parse_object, read_document
from fairdeal.seen import Comparison, Seen, SeenReceipt, compare

Verdict = Literal["verified", "consistent", "incomplete", "refuted"]
Grinding = Literal["operator", "operator-with-all-seats", "nobody"]

CHECKS = (
    "format",
    "signature",
    "inclusion",
    "sequence",
    "commitment",
    "seals",
    "key",
    "shuffle",
    "table",
    "hands",
    "openings",
    "seen",
)
"""The checks by name, in the order they are made and reported (protocol §10.1)."""

GIVEN_KEY = "a key that was given"
OWN_KEY = "only the receipt's own key"
NO_KEY = "none"


@dataclass(frozen=True)
class Report:
    """The outcome of :func:`verify`.

    ``grinding`` says who could have chosen the deal by trying seeds (§10.3), ``None`` for a hand without a
    lock; ``log_evidence`` which key vouches for the log; ``cause`` names a refutation's explanation (§10.4).
    """

    verdict: Verdict
    checks: tuple[Check, ...]
    grinding: Grinding | None
    log_evidence: str
    cause: str | None

    def __getitem__(self, name: str) -> Check:
        """The check with this name."""
        return self.checks[CHECKS.index(name)]

    def as_json(self) -> dict[str, Any]:
        """The report as ``fairdeal verify --json`` prints it."""
        return {
            "verdict": self.verdict,
            "checks": [{"name": c.name, "result": c.result, "detail": c.detail} for c in self.checks],
            "grinding": self.grinding,
            "log_evidence": self.log_evidence,
            "cause": self.cause,
        }


def verify(
    text: str | bytes,
    *,
    keys: Sequence[Verifier] = (),
    seen: Sequence[Seen] = (),
    others: Sequence[OtherHand] = (),
) -> Report:
    """Verify a receipt or record from its exact text.

    ``keys`` are the log keys that the caller trusts, ``seen`` is what was kept from before the hand,
    ``others`` are other hands whose seeds may have been mixed up with this one's.

    Raises :class:`MalformedError` where the text is not strict JSON or neither a receipt nor a record. Once
    it says that it is one, whatever is wrong inside is a refutation and part of the report.
    """
    value = read_document(text)
    try:
        document = parse_object(value)
    except MalformedError as error:
        return _unreadable(error)
    evidence = gather(document)
    if evidence.unsupported:
        form = Check("format", "absent", "an entry is of a version or type that this release does not know")
    else:
        form = Check("format", "pass", "every part is in its one exact form")
    comparison = compare(seen, evidence)
    checks = (
        form,
        *log_checks(document, keys),
        *document_checks(evidence),
        _seen(seen, comparison, evidence),
    )
    verdict = judge([c.result for c in checks])
    others = (*others, *other_hands(seen, evidence))
    results = {c.name: c.result for c in checks}
    return Report(
        verdict=verdict,
        checks=checks,
        grinding=_grinding(evidence, results, comparison),
        log_evidence=_log_evidence(document, results),
        cause=diagnose(evidence, results, seen, others) if verdict == "refuted" else None,
    )


def other_hands(seen: Sequence[Seen], evidence: Evidence) -> Iterator[OtherHand]:
    """The other hands among the kept receipts: a seed of theirs may have been mixed up with this one's."""
    for item in seen:
        if not isinstance(item, SeenReceipt):
            continue
        commit, reveal = first(item.receipt.entries, Commit), first(item.receipt.entries, Reveal)
        if commit and evidence.stated and commit.hand != evidence.stated.hand:
            yield OtherHand(commit.hand, commit.commitment, reveal.server_seed if reveal else None)


def judge(results: Sequence[Result]) -> Verdict:
    """The verdict that the twelve results give (protocol §10.2)."""
    at: Callable[[str], int] = CHECKS.index
    if "fail" in results:
        return "refuted"
    if results[at("format")] == "absent" or "absent" in results[at("commitment") : at("seen")]:
        return "incomplete"
    return "consistent" if results[at("seen")] == "absent" else "verified"


def _unreadable(error: MalformedError) -> Report:
    rest = (Check(name, "absent", "not checked: the form is wrong") for name in CHECKS[1:])
    return Report("refuted", (Check("format", "fail", str(error)), *rest), None, NO_KEY, "unknown")


def _seen(items: Sequence[Seen], comparison: Comparison, evidence: Evidence) -> Check:
    parts = [
        f"{label}: {'; '.join(what)}"
        for label, what in (
            ("disagrees", comparison.disagreed),
            ("agrees", comparison.agreed),
            ("set aside", comparison.set_aside),
            ("not compared", comparison.not_compared),
        )
        if what
    ]
    detail = ". ".join(parts)
    if comparison.disagreed:
        return Check("seen", "fail", detail)
    if evidence.stated is not None and comparison.commitment_held:
        return Check("seen", "pass", detail)
    missing = "no commitment kept from before the hand" if items else "nothing kept from before the hand"
    return Check("seen", "absent", f"{missing} was given. {detail}")


def _grinding(evidence: Evidence, results: dict[str, Result], comparison: Comparison) -> Grinding | None:
    if not evidence.locked:
        return None
    if not evidence.contributions or results["seals"] != "pass":
        return "operator"
    # A server seed that is not the committed one could be tried freely, whoever contributed.
    bound = comparison.held_before_opening and results["commitment"] != "fail"
    if comparison.own_seed and bound and not comparison.disagreed:
        return "nobody"
    return "operator-with-all-seats"


def _log_evidence(document: object, results: dict[str, Result]) -> str:
    if not isinstance(document, Receipt) or not document.entries:
        return NO_KEY
    pair = {results["signature"], results["inclusion"]}
    return GIVEN_KEY if pair == {"pass"} else OWN_KEY if pair == {"absent"} else NO_KEY

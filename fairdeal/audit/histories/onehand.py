"""One hand's checks without the search for a cause, which takes as long as hundreds of hands (§10.4).

What :func:`fairdeal.verify.verify` reports of a well-formed document apart from its cause; and where the deal
shown leaves the true one, for the finding.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from fairdeal.checks import (
    Check,
    check_inclusion,
    check_sequence,
    check_signature,
    document_checks,
    log_checks,
)
from fairdeal.deal import document_members
from fairdeal.evidence import Evidence
from fairdeal.note import Verifier
from fairdeal.receipt import Receipt
from fairdeal.seeds import commitment
from fairdeal.seen import Comparison, Seen, compare
from fairdeal.verify import GIVEN_KEY, NO_KEY, OWN_KEY, Grinding, Report, judge

_ORDER = ("order",)
_DEALT = ("hands", "stock")


@dataclass
class Examiner:
    """Examines hand after hand. Receipts of one history share few checkpoints: each is verified once."""

    keys: Sequence[Verifier]
    _signatures: dict[tuple[str, str], Check] = field(default_factory=dict)

    def report(self, evidence: Evidence, seen: Sequence[Seen]) -> Report:
        """All checks, verdict, grinding and log evidence; ``cause`` stays ``None``."""
        unsupported = evidence.unsupported
        form = Check("format", "absent" if unsupported else "pass", "unsupported" if unsupported else "")
        comparison = compare(seen, evidence)
        log = self._log(evidence)
        checks = (form, *log, *document_checks(evidence), _seen(comparison, evidence))
        results = {check.name: check.result for check in checks}
        grinding: Grinding | None = None
        if evidence.locked:
            grinding = "operator-with-all-seats"
            if not evidence.contributions or results["seals"] != "pass":
                grinding = "operator"
            elif comparison.own_seed and comparison.held_before_opening and not comparison.disagreed:
                grinding = "nobody"
        own = {results["signature"], results["inclusion"]}
        logged = isinstance(evidence.document, Receipt) and bool(evidence.document.entries)
        vouched = GIVEN_KEY if own == {"pass"} else OWN_KEY if own == {"absent"} else NO_KEY
        return Report(
            judge([c.result for c in checks]), checks, grinding, vouched if logged else NO_KEY, None
        )

    def disproved(self, evidence: Evidence) -> bool:
        """Whether it is a receipt of something that its log has not signed."""
        return "fail" in (check.result for check in self._log(evidence)[:2])

    def _log(self, evidence: Evidence) -> tuple[Check, ...]:
        receipt = evidence.document
        if not isinstance(receipt, Receipt):
            return log_checks(receipt, self.keys)
        shown = receipt.vkey, receipt.checkpoint
        signature = self._signatures.get(shown)
        if signature is None:
            signature = self._signatures[shown] = check_signature(receipt, self.keys)
        return signature, check_inclusion(receipt, signature), check_sequence(receipt)


def _seen(comparison: Comparison, evidence: Evidence) -> Check:
    if comparison.disagreed:
        return Check("seen", "fail", f"disagrees: {'; '.join(comparison.disagreed)}")
    held = evidence.stated is not None and comparison.commitment_held
    return Check("seen", "pass" if held else "absent", "")


def difference(evidence: Evidence, check: str) -> tuple[str | None, str | None]:
    """What a failed check expected and what it found, where that can be said in a line."""
    stated = evidence.stated
    if check == "commitment" and stated and stated.commitment and evidence.server_seed:
        return stated.commitment.hex(), commitment(evidence.server_seed).hex()
    true, shown = evidence.true_document, evidence.deal
    if stated is None or true is None or shown is None or check not in ("shuffle", "table", "hands"):
        return None, None
    table = tuple(name for name in document_members(stated.terms) if name not in (*_ORDER, *_DEALT))
    for name in {"shuffle": _ORDER, "table": table, "hands": _DEALT}[check]:
        found = _first(true.get(name), shown.get(name), name)
        if found:
            return found
    return None, None


def _first(true: object, shown: object, path: str) -> tuple[str, str] | None:
    """The first place where two JSON values differ, each side as ``path = value``."""
    if true == shown:
        return None
    if isinstance(true, list) and isinstance(shown, list):
        for k, (a, b) in enumerate(zip(true, shown, strict=False)):
            if a != b:
                return _first(a, b, f"{path}[{k}]")
        return f"{path} of {len(true)}", f"{path} of {len(shown)}"
    # Seeds are no part of a deal: everything in one may be shown.
    return f"{path} = {json.dumps(true)}", f"{path} = {json.dumps(shown)}"

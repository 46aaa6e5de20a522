"""Every lie in a history is found, with its code, its hand and its cause, and nothing else is accused."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairdeal.audit.findings import Ledger
from fairdeal.audit.kept import read_kept
from fairdeal.audit.outcome import Outcome
from fairdeal.audit.run import Audit, AuditOptions
from tests.cheats.record_cheats import LIES, History, biased_shuffle, honest


def audited(history: History, folder: Path, *, statistics: bool = False) -> Outcome:
    path = folder / "history.jsonl"
    path.write_text("\n".join(history.lines) + "\n", encoding="utf-8")
    seen = folder / "seen.txt"
    seen.write_text("\n".join(history.kept), encoding="utf-8")
    ledger = Ledger(keep=5000)
    kept = read_kept(seen) if history.kept else []
    audit = Audit(AuditOptions(kept=kept, statistics=statistics), ledger)
    audit.history(path)
    return Outcome(audit.finish(), ledger, len(history.kept))


@pytest.mark.parametrize("name", LIES)
def test_a_lie_is_found_at_its_hand_and_nowhere_else(name: str, tmp_path: Path) -> None:
    history = LIES[name]()
    outcome = audited(history, tmp_path)
    found = outcome.ledger.kept
    assert {(finding.code, finding.hand) for finding in found} == history.expected
    assert outcome.verdict == "refuted"
    if history.cause:
        assert {finding.cause for finding in found} == {history.cause}
    assert all(finding.line for finding in found if finding.code != "seen-missing")


def test_an_honest_history_gives_no_finding(tmp_path: Path) -> None:
    outcome = audited(honest(), tmp_path, statistics=True)
    assert outcome.ledger.kept == []
    assert outcome.verdict == "consistent"


def test_an_empty_history_shows_nothing(tmp_path: Path) -> None:
    outcome = audited(History([], set()), tmp_path)
    assert outcome.verdict == "incomplete"
    assert "There was no hand to audit." in outcome.missing


def test_a_biased_shuffle_alarms(tmp_path: Path) -> None:
    history = biased_shuffle()
    outcome = audited(history, tmp_path, statistics=True)
    found = {(finding.code, finding.hand) for finding in outcome.ledger.kept}
    assert found == history.expected
    alarms = [finding.detail for finding in outcome.ledger.kept if finding.code == "alarm"]
    assert any("position" in detail for detail in alarms)

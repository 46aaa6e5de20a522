"""Every lie in a log is found, with its code and its hand, and nothing else is accused."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairdeal.audit.findings import Ledger
from fairdeal.audit.log.source import FolderLog, RemoteLog, parse_head
from fairdeal.audit.outcome import Outcome
from fairdeal.audit.report.summary import STATISTICAL
from fairdeal.audit.run import Audit, AuditOptions
from fairdeal.audit.state import State
from tests.cheats.lies import Lie
from tests.cheats.log_cheats import LIES, honest

NEED_STATISTICS = ("unfavourable_hands_voided", "worst_of_fifty_seeds")


def audited(lie: Lie, folder: Path, *, statistics: bool = True) -> Outcome:
    """The audit of a lie's log as a mirrored folder."""
    for path, data in lie.files.items():
        file = folder / "log" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    state = State(folder / "state")
    if lie.earlier is not None:
        state.keep(parse_head(lie.earlier.encode()))
    ledger = Ledger()
    audit = Audit(AuditOptions(keys=[lie.key], state=state, statistics=statistics), ledger)
    audit.log(FolderLog(folder / "log"))
    return Outcome(audit.finish(), ledger)


@pytest.mark.parametrize("name", LIES)
def test_a_lie_is_found_at_its_hand_and_nowhere_else(name: str, tmp_path: Path) -> None:
    lie = LIES[name]()
    outcome = audited(lie, tmp_path, statistics=name in NEED_STATISTICS)
    assert {(finding.code, finding.hand) for finding in outcome.ledger.kept} == lie.expected
    statistical = all(code in STATISTICAL for code, _ in lie.expected)
    assert outcome.verdict == ("consistent" if statistical else "refuted")
    if lie.clears is not None:
        assert outcome.uncleared[0].startswith(f"In {lie.clears} hands the operator club alone could")


def test_an_honest_log_gives_no_finding(tmp_path: Path) -> None:
    outcome = audited(honest(), tmp_path)
    assert outcome.ledger.kept == []
    assert outcome.verdict == "consistent"
    again = audited(honest(), tmp_path)
    assert any("compared with a checkpoint of 436 entries" in said for said in again.rests_on)
    assert again.verdict == "consistent"  # that nothing changed since shows nothing of the time before


def test_the_audit_by_address_is_the_one_by_folder(tmp_path: Path) -> None:
    lie = LIES["entry_altered_after_signing"]()
    by_folder = audited(lie, tmp_path)
    assert any("damaged on this machine" in said for said in by_folder.not_shown)
    ledger = Ledger()
    audit = Audit(AuditOptions(keys=[lie.key]), ledger)
    audit.log(RemoteLog(lie.files.get, "https://log.example"))
    audit.finish()
    assert ledger.kept == by_folder.ledger.kept

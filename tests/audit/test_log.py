"""A log audited in stretches comes out as it does in one piece; options and odd sources."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from fairdeal.audit.engine import Processes
from fairdeal.audit.findings import Finding
from fairdeal.audit.kept import read_kept
from fairdeal.audit.log.audit import LogOptions, LogOutcome, audit_log
from fairdeal.audit.log.chunk import audit_chunk
from fairdeal.audit.log.merge import LogMerge, LogTotals
from fairdeal.audit.log.parts import ChunkTask
from fairdeal.audit.log.source import Entries, FolderLog, RemoteLog, SourceError, parse_head
from fairdeal.audit.state import State
from fairdeal.note import Signer
from tests.cheats.house import House
from tests.cheats.lies import Lie
from tests.cheats.log_cheats import LIES
from tests.dealer import Dealer, Hand, evening, text_of
from tests.translog import Log

T = TypeVar("T")
R = TypeVar("R")


def audit(files: dict[str, bytes], options: LogOptions) -> tuple[list[Finding], LogOutcome]:
    found: list[Finding] = []
    return found, audit_log(RemoteLog(files.get, "log"), found.append, options)


def in_stretches(lie: Lie, step: int) -> tuple[list[Finding], LogTotals, bytes]:
    source = RemoteLog(lie.files.get, "log")
    size = parse_head(source.checkpoint()).head.size
    found: list[Finding] = []
    merge = LogMerge(found.append, Entries(source, size))
    for start in range(0, size, step):
        merge.add(audit_chunk(source.task(start, min(size, start + step))))
    totals = merge.finish()
    return found, totals, merge.tree.root()


@pytest.mark.parametrize("name", LIES)
def test_stretches_do_not_change_the_outcome(name: str) -> None:
    if name == "unfavourable_hands_voided":
        return  # a thousand entries of one kind; the others say as much
    lie = LIES[name]()
    whole, totals, root = in_stretches(lie, 65_536)
    parts, totals_of_parts, root_of_parts = in_stretches(lie, 256)
    assert sorted(map(repr, parts)) == sorted(map(repr, whole))
    assert totals_of_parts == totals
    assert root_of_parts == root


def tangled(seed: int = 3) -> Dealer:
    """Hands that stay open for long, so that most lives cross the borders of small stretches."""
    house = House(seed)
    waiting: list[Hand] = []
    for k in range(600):
        waiting.append(house.commit(sealed=(0,) if k % 3 else (), table=f"t{k % 5}"))
        if k == 300:
            # Played before the two hundred that its table had committed earlier.
            house.lock(waiting[-1])
        if len(waiting) > 120:
            hand = waiting.pop(0)
            if not hand.locked:
                house.lock(hand)
            house.end(hand, "played")
    return house


def test_lives_across_borders_and_locks_out_of_order() -> None:
    dealer = tangled()
    lie = Lie(dealer.log.files(), set(), dealer.log.signer.verifier)
    whole, totals, _ = in_stretches(lie, 65_536)
    parts, totals_of_parts, _ = in_stretches(lie, 256)
    assert [finding.code for finding in whole] == ["lock-order"]
    assert [(f.code, f.hand, f.index, f.found) for f in parts] == [
        (f.code, f.hand, f.index, f.found) for f in whole
    ]
    assert totals_of_parts == totals
    assert totals.open == 120


def test_processes_give_what_one_process_gives(tmp_path: Path) -> None:
    dealer = tangled()
    for path, data in dealer.log.files().items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    size = len(dealer.log.entries)
    tasks = [ChunkTask(k, min(size, k + 256), folder=str(tmp_path)) for k in range(0, size, 256)]
    outcomes = []
    for results in (map(audit_chunk, tasks), Processes(2).map(audit_chunk, tasks)):
        found: list[Finding] = []
        merge = LogMerge(found.append, Entries(FolderLog(tmp_path), size))
        for part in results:
            merge.add(part)
        outcomes.append((found, merge.finish(), merge.tree.root()))
    assert outcomes[0] == outcomes[1]
    assert outcomes[0][2] == dealer.log.root()


class Far:
    """An engine elsewhere: it sees what is sent to it, and no files."""

    def __init__(self) -> None:
        self.tasks: list[ChunkTask] = []

    def map(self, work: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        for task in tasks:
            sent = pickle.loads(pickle.dumps(task))  # noqa: S301  our own
            assert isinstance(sent, ChunkTask)
            self.tasks.append(sent)
            yield pickle.loads(pickle.dumps(work(sent)))  # type: ignore[arg-type]  # noqa: S301  as above


def test_an_engine_elsewhere_is_sent_the_bytes(tmp_path: Path) -> None:
    dealer = tangled()
    for path, data in dealer.log.files().items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    engine = Far()
    outcomes = []
    for chosen in (None, engine):
        found: list[Finding] = []
        options = LogOptions(keys=[dealer.log.signer.verifier], engine=chosen)
        outcomes.append((found, audit_log(FolderLog(tmp_path), found.append, options)))
    assert outcomes[0] == outcomes[1]
    assert all(task.bundles and task.folder is None for task in engine.tasks)


def test_the_clock_of_the_auditor_and_the_logs_own() -> None:
    dealer = evening()
    keys = [dealer.log.signer.verifier]
    found, outcome = audit(dealer.log.files(), LogOptions(keys=keys))
    assert outcome.open == 2
    assert "overdue" not in {finding.code for finding in found}
    late, _ = audit(dealer.log.files(), LogOptions(keys=keys, now=dealer.now + 10**8))
    assert [finding.code for finding in late].count("overdue") == 2


def test_an_entry_of_another_version_is_no_finding_but_leaves_the_audit_incomplete() -> None:
    log = Log(Signer("log.example", bytes(32)))
    log.append(b'{"type":"note","v":2}')
    found, outcome = audit(log.files(), LogOptions(keys=[log.signer.verifier]))
    assert found == []
    assert outcome.unsupported == 1


def test_full_tiles_may_stand_in_for_partial_ones_that_are_gone(tmp_path: Path) -> None:
    lie = LIES["entry_altered_after_signing"]()
    usual, _ = audit(lie.files, LogOptions(keys=[lie.key]))
    # The log has grown since its checkpoint, and keeps no partial tile of the old size.
    house = House(nth=76).evening(400)
    grown = house.log.files()
    altered = lie.files["tile/entries/000"]
    files = {path: data for path, data in grown.items() if ".p/" not in path}
    files |= {"checkpoint": lie.files["checkpoint"], "tile/entries/000": altered}
    files["tile/1/000.p/1"] = lie.files["tile/1/000.p/1"]
    found, outcome = audit(files, LogOptions(keys=[lie.key]))
    assert found == usual
    assert outcome.entries == 436
    assert {"wrong-root", "altered-entry"} <= {finding.code for finding in found}


def test_an_empty_log() -> None:
    log = Log(Signer("log.example", bytes(32)))
    found, outcome = audit(log.files(), LogOptions(keys=[log.signer.verifier]))
    assert (found, outcome.hands, outcome.entries) == ([], 0, 0)


def test_a_source_without_a_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(SourceError):
        audit({}, LogOptions())
    with pytest.raises(SourceError):
        audit_log(FolderLog(tmp_path), print, LogOptions())
    found, outcome = audit({"checkpoint": b"<html>"}, LogOptions())
    assert [finding.code for finding in found] == ["bad-checkpoint"]
    assert outcome.head is None


def kept_file(folder: Path, *lines: str) -> Path:
    path = folder / "seen.txt"
    path.write_text("# kept by players\n\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_what_players_kept_is_looked_for(tmp_path: Path) -> None:
    dealer = evening(7)
    keys = [dealer.log.signer.verifier]
    first, second, *_ = dealer.hands
    receipt = dealer.receipt(first, upto="commit", size=5)
    path = kept_file(
        tmp_path,
        first.commitment.hex(),
        f"{second.hand.hex()} {second.commitment.hex()}",
        text_of(receipt),
    )
    codes = [f.code for f in audit(dealer.log.files(), LogOptions(keys=keys, kept=read_kept(path)))[0]]
    assert not {"seen-missing", "seen-differs", "forked"} & set(codes)
    path = kept_file(
        tmp_path,
        bytes(32).hex(),
        f"{first.hand.hex()} {second.commitment.hex()}",
    )
    found, _ = audit(dealer.log.files(), LogOptions(keys=keys, kept=read_kept(path)))
    seen = [(f.code, f.hand) for f in found if f.code.startswith("seen")]
    assert seen == [("seen-missing", None), ("seen-differs", first.hand.hex())]


def test_a_kept_receipt_of_another_history_proves_the_fork(tmp_path: Path) -> None:
    dealer, other = evening(7), evening(8)
    other.log.signer = dealer.log.signer
    receipt = other.receipt(other.hands[0], upto="commit", size=9)
    path = kept_file(tmp_path, text_of(receipt))
    options = LogOptions(keys=[dealer.log.signer.verifier], kept=read_kept(path))
    codes = {finding.code for finding in audit(dealer.log.files(), options)[0]}
    assert {"forked", "seen-missing"} <= codes
    # Without its signature the checkpoint proves nothing; the commitment is still missing.
    forged = dataclasses.replace(receipt, checkpoint=Log.checkpoint(_signed_by_other(other.log), 9))
    path = kept_file(tmp_path, text_of(forged))
    options = LogOptions(keys=[dealer.log.signer.verifier], kept=read_kept(path))
    codes = {finding.code for finding in audit(dealer.log.files(), options)[0]}
    assert "forked" not in codes
    assert "seen-missing" in codes


def _signed_by_other(log: Log) -> Log:
    copy = Log(Signer(log.signer.name, bytes(31) + b"\x07"))
    for entry in log.entries:
        copy.append(entry)
    return copy


@pytest.mark.parametrize("line", ["zz", "00" * 31, '{"format":"x"}', "0" * 32 + " " + "0" * 63])
def test_a_seen_file_with_a_line_of_another_form_is_refused(line: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="line 3"):
        read_kept(kept_file(tmp_path, line))


def test_a_damaged_state_is_not_the_logs_fault(tmp_path: Path) -> None:
    dealer = evening()
    state = State(tmp_path)
    state.keep(parse_head(dealer.log.checkpoint().encode()))
    next(tmp_path.glob("*.checkpoint")).write_text("nonsense")
    with pytest.raises(SourceError, match="damaged"):
        audit(dealer.log.files(), LogOptions(keys=[dealer.log.signer.verifier], state=state))

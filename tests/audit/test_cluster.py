"""A Dask cluster of two real worker processes has the outcome that one machine has."""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import fields
from pathlib import Path

import pytest

from fairdeal.audit.cluster import Cluster, connect
from fairdeal.audit.engine import Inline
from fairdeal.audit.findings import Ledger
from fairdeal.audit.histories.checked import Checked, Given
from fairdeal.audit.histories.hands import read_hands
from fairdeal.audit.histories.jsonl import stretches
from fairdeal.audit.log.source import RemoteLog, SourceError
from fairdeal.audit.outcome import Outcome
from fairdeal.audit.run import Audit, AuditOptions
from fairdeal.errors import UsageError
from tests.audit.histories import ALL_TERMS, line, record
from tests.cheats.lies import Lie
from tests.cheats.log_cheats import commitment_of_another_seed, honest, number_skipped


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("dask")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    here = ["--host", "127.0.0.1", "--no-dashboard"]
    scheduler = ["scheduler", "--port", address.rpartition(":")[2], *here]
    worker = ["worker", address, "--nthreads", "1", "--no-nanny", *here]
    with ExitStack() as stack:
        for command in (scheduler, worker, worker):
            stack.enter_context(_running([str(Path(sys.executable).with_name("dask")), *command], folder))
        found = stack.enter_context(connect(address))
        found.wait_for(2)
        yield found


@contextmanager
def _running(command: list[str], folder: Path) -> Iterator[None]:
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield
        finally:
            process.kill()


def merged(parts: Iterator[Checked]) -> list[object]:
    """Everything that the parts hold, in order."""
    found: list[object] = []
    for part in parts:
        for field in fields(part):
            value = getattr(part, field.name)
            found.append(
                [(d.positions, d.terms.tolist(), d.deals.tobytes()) for d in value]
                if field.name == "deals"
                else value
            )
    return found


@pytest.fixture
def history(tmp_path: Path) -> Path:
    rng = random.Random(1)
    lines = [line(record(rng, terms, 2)) for terms in ALL_TERMS[::3]]
    spoilt = json.loads(lines[3])
    spoilt["deal"]["order"][:2] = reversed(spoilt["deal"]["order"][:2])
    path = tmp_path / "history.jsonl"
    path.write_bytes(b"\n".join([*lines, line(spoilt), b"broken", *lines[:5]]))
    return path


def test_a_history_on_two_workers(cluster: Cluster, history: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cluster.threads() == 2
    monkeypatch.setattr(
        "fairdeal.audit.histories.hands.stretches",
        lambda path, progress: stretches(path, progress, size=9000),
    )
    given = Given(deals=True)
    there, here = (merged(read_hands(history, given, engine=engine)) for engine in (cluster, Inline()))
    assert there == here


def test_a_whole_audit_on_two_workers(cluster: Cluster, history: Path) -> None:
    outcomes = []
    for engine in (cluster, Inline()):
        audit = Audit(AuditOptions(engine=engine, statistics=False), Ledger())
        audit.history(history)
        outcomes.append(Outcome(audit.finish(), audit.ledger).as_json())
    assert outcomes[0] == outcomes[1]
    assert outcomes[0]["verdict"] == "refuted"


@pytest.mark.parametrize("lie", [honest, number_skipped, commitment_of_another_seed])
def test_a_log_in_stretches_on_two_workers(
    cluster: Cluster, lie: Callable[[], Lie], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Hands begin in one stretch and end in another; their pieces meet here.
    monkeypatch.setattr("fairdeal.audit.log.source.CHUNK", 256)
    log = RemoteLog(lie().files.get, "log")
    outcomes = []
    for engine in (cluster, Inline()):
        audit = Audit(AuditOptions(engine=engine, statistics=False), Ledger())
        audit.log(log)
        outcomes.append(Outcome(audit.finish(), audit.ledger).as_json())
    assert outcomes[0] == outcomes[1]
    assert bool(outcomes[0]["findings"]) == (lie is not honest)


def test_results_come_in_order_and_a_part_that_fails_ends_the_audit(cluster: Cluster) -> None:
    assert list(cluster.map(int, map(str, range(100)))) == list(range(100))
    with pytest.raises(ValueError, match="invalid literal"):
        list(cluster.map(int, ["1", "x", "2"]))


def test_no_scheduler_no_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairdeal.audit.cluster.PATIENCE", 1)
    with pytest.raises(SourceError) as error, connect("tcp://127.0.0.1:1"):
        pass
    assert error.value.code == "unreachable"


def test_without_the_extra_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"'\.\[dask\]' in fairdeal's folder"), connect("tcp://127.0.0.1:1"):
        pass

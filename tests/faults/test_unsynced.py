"""Power loss: of what was not synchronised anything may be gone, of what was acknowledged nothing."""

from __future__ import annotations

import json
import os
import random
import re
import signal
from pathlib import Path

import pytest
from fairdeal_api.server import serving
from fairdeal_api.service import StartupError
from fairdeal_api.settings import Settings
from fairdeal_api.starting import inspect_store

from fairdeal.checkpoint import parse_checkpoint
from fairdeal.note import parse_note
from tests.api.support import Game, client, read_log
from tests.faults.conftest import ROUNDS, Scene
from tests.faults.losing import Act, acts, disk_at, strace

CUTS = 8 * ROUNDS


@pytest.fixture
def traced(scene: Scene, tmp_path: Path) -> list[Act]:
    """All that a service did on its disk while it was played on, from its very first start."""
    trace = tmp_path / "trace"
    scene.start(strace(trace))
    with scene.crowd(players=4):
        scene.wait_for_answers(60)
    pid = scene.service.process.pid
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        os.kill(int(child), signal.SIGTERM)
    scene.service.process.wait(60)
    found = acts(trace, tmp_path / "data")
    trace.unlink()
    return found


def acknowledged(done: list[Act]) -> tuple[dict[int, str], list[str]]:
    """Entries by index, and checkpoints, in answers that have left."""
    entries: dict[int, str] = {}
    notes: list[str] = []
    for act in done:
        if act.name != "answer" or not re.match(rb"HTTP/1.1 20[01]", act.data):
            continue
        body = act.data.partition(b"\r\n\r\n")[2]
        if not body.startswith(b'{"hand"'):
            continue
        answer = json.loads(body)
        for told in (answer, answer.get("next")):
            if told:
                notes.append(told["receipt"]["checkpoint"])
                entries.update((item["index"], item["entry"]) for item in told["receipt"]["entries"])
    return entries, notes


def test_what_was_acknowledged_survives_the_loss_of_all_that_was_not_synchronised(
    traced: list[Act], chance: random.Random, tmp_path: Path
) -> None:
    answers = [k for k, act in enumerate(traced) if act.name == "answer" and b'"receipt"' in act.data]
    assert len(answers) > 50, len(answers)
    # Half of the moments are just after an answer has left, the others anywhere from the first one on.
    cuts = [chance.choice(answers) + 1 for _ in range(CUTS // 2)]
    cuts += [chance.randrange(answers[0], len(traced)) for _ in range(CUTS // 2)]
    for number, cut in enumerate(cuts):
        data = tmp_path / f"found-{number}"
        write_files(data, disk_at(traced, cut, chance))
        entries, notes = acknowledged(traced[:cut])
        settings = Settings(data=data)
        with serving(settings) as url, client(url) as http:
            log = read_log(http)
            heads = log.heads
            for index, entry in entries.items():
                assert log.entries[index] == entry.encode(), (cut, index)
            for text in set(notes):
                told = parse_checkpoint(parse_note(text).text)
                assert heads[told.size] == told.root
            Game(http, settings.operator_key_path.read_text().strip()).committed("after")
        inspect_store(settings)


def test_the_disk_is_as_strict_as_it_claims(traced: list[Act], chance: random.Random, tmp_path: Path) -> None:
    # With the fsync calls on the write-ahead log ignored, acknowledged entries are lost, or a start refuses.
    ignored = [act for act in traced if not (act.name == "sync" and act.path.endswith("-wal"))]
    cut = max(k for k, act in enumerate(ignored) if act.name == "answer" and b'"receipt"' in act.data)
    entries, _ = acknowledged(ignored[:cut])
    lost = 0
    for number in range(4):
        data = tmp_path / f"lost-{number}"
        write_files(data, disk_at(ignored, cut, chance))
        try:
            with serving(Settings(data=data)) as url, client(url) as http:
                log = read_log(http)
                lost += any(index >= len(log.entries) for index in entries)
        except StartupError:
            # The mark outside the database, which was synchronised, tells that something is missing.
            lost += 1
    assert lost


def write_files(folder: Path, files: dict[str, bytes]) -> None:
    """Put the files of a disk in a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(0o600)

"""A mirrored log before clients that others wrote: Go's own packages, and tlog-scales from PyPI."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from fairdeal_cli.logfetch import LogFetch
from tlog_scales import reader as scales
from tlog_scales import tiles as scales_tiles
from tlog_scales.signing import Vkey

from fairdeal.audit.findings import Ledger
from fairdeal.audit.log.source import FolderLog
from fairdeal.audit.mirror.check import check
from fairdeal.audit.mirror.copying import mirror
from fairdeal.audit.mirror.folder import MirrorFolder
from fairdeal.audit.outcome import Outcome
from fairdeal.audit.run import Audit, AuditOptions
from fairdeal.note import Signer, Verifier
from fairdeal.tiling import tiles_for
from tests.api.support import Game, Running
from tests.translog import Log

GO_CODE = Path("/usr/share/gocode")
"""Where Debian puts the sources of Go packages."""

PROGRAM = Path(__file__).parent / "go" / "main.go"


def played(running: Running, hands: int = 120) -> None:
    """Hands of every kind of end, through the service's own interface."""
    with running.client() as http:
        game = Game(http, running.key)
        for k in range(hands):
            seats = ((0, 2), (), (1,))[k % 3]
            hand = game.committed(f"t{k % 4}", seats, terms={"openings": k % 5 == 0})["hand"]
            if k % 11 == 5:
                assert game.void(hand, "table-closed").status_code == 200
                continue
            game.dealt(hand)
            if k % 13:
                assert game.reveal(hand).status_code == 200


def mirrored(running: Running, folder: Path) -> Verifier:
    with running.client() as http:
        key = Verifier.parse(http.get("/log/key").text.strip())
    with LogFetch(running.url) as fetch:
        outcome = mirror(fetch, MirrorFolder(folder), [key])
    assert not outcome.findings
    assert not check(MirrorFolder(folder), [key]).damage
    return key


class Folder:
    """Files for tlog-scales."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, *path: str) -> bytes | None:
        file = self.folder.joinpath(*path)
        return file.read_bytes() if file.is_file() else None


def accepted_by_scales(folder: Path, key: Verifier, step: int = 1) -> None:
    """Checkpoint, root, inclusion of entries, consistency, and every tile as it reads the layout."""
    reader = scales.TilesReader(Folder(folder))
    head = reader.get_checkpoint()
    head.verify(Vkey.from_string(key.text()))
    assert reader.calculate_root_hash() == head.root_hash
    for index in range(0, head.size, step):
        leaf = scales_tiles.leaf_hash(reader.get_entry(index))
        reader.get_inclusion_proof(index, head.size).check(leaf, head.root_hash)
    for old in range(1, head.size + 1, max(step, head.size // 50)):
        proof = reader.get_consistency_proof(old, head.size)
        proof.check(reader.mth(0, old), head.root_hash)
    for tile in tiles_for(head.size):
        data = Folder(folder).get(tile.path)
        assert data is not None
        read = scales.Tile.from_entries_bytes(data) if tile.level < 0 else scales.Tile.from_hash_bytes(data)
        assert read.length == tile.width


def accepted_by_go(folder: Path, key: Verifier, cache: Path) -> dict[str, object]:
    go = shutil.which("go")
    assert go is not None, "Go is missing: make tools brings it"
    assert (GO_CODE / "src/golang.org/x/mod/sumdb/tlog").is_dir(), "golang-golang-x-mod-dev is missing"
    environment = {
        **os.environ,
        "GO111MODULE": "off",
        "GOPATH": str(GO_CODE),
        "GOCACHE": str(cache),
        "GOFLAGS": "",
    }
    done = subprocess.run(
        [go, "run", str(PROGRAM), str(folder), key.text()],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


def test_the_running_services_log_is_accepted_tile_by_tile(
    starting: Callable[..., Running], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    running = starting()
    played(running)
    folder = tmp_path / "mirror"
    key = mirrored(running, folder)
    accepted_by_scales(folder, key)
    # The service goes on, and the mirror follows.
    played(running, 40)
    mirrored(running, folder)
    accepted_by_scales(folder, key)
    answer = accepted_by_go(folder, key, tmp_path_factory.getbasetemp() / "go-cache")
    assert answer["name"] == key.name
    ledger = Ledger()
    audit = Audit(AuditOptions(keys=[key], statistics=False), ledger)
    audit.log(FolderLog(folder))
    outcome = Outcome(audit.finish(), ledger)
    assert (outcome.verdict, ledger.kept, outcome.results.hands) == ("consistent", [], 160)


def test_a_log_of_three_levels_is_accepted(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    log = Log(Signer("log.example/okey", bytes(range(32))))
    for k in range(70_000):
        log.append(b"entry %d" % k)
    folder = tmp_path / "mirror"
    key = log.signer.verifier
    assert not mirror(log.files().get, MirrorFolder(folder), [key]).findings
    accepted_by_scales(folder, key, step=997)
    answer = accepted_by_go(folder, key, tmp_path_factory.getbasetemp() / "go-cache")
    assert (answer["entries"], answer["tiles"]) == (70_000, 277)

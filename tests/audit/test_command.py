"""`fairdeal audit`, `log` and `export` as people run them: what they print, and how they end."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from fairdeal_api.app import create_app
from fairdeal_api.settings import Settings
from fastapi.testclient import TestClient

from fairdeal.checkpoint import Checkpoint
from fairdeal.note import Signer, sign
from tests.api.support import Clock, Game
from tests.audit.test_mirror import files_in, grown
from tests.cheats.house import House
from tests.cheats.log_cheats import LIES, honest
from tests.cheats.record_cheats import LIES as RECORD_LIES
from tests.cli.running import Terminal
from tests.dealer import text_of
from tests.translog import Log


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder, and the address under which its files are served."""
    folder = tmp_path / "served"
    folder.mkdir()

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def put(folder: Path, files: dict[str, bytes]) -> None:
    for path, data in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


def test_one_of_a_thing_is_told_in_the_singular(
    fairdeal: Terminal, served: tuple[Path, str], tmp_path: Path
) -> None:
    folder, address = served
    log = Log(Signer("log.example/okey", bytes(range(32))))
    log.append(b"an entry")
    put(folder, log.files())
    key, mirror = log.signer.verifier.text(), str(tmp_path / "mirror")
    assert fairdeal("log", "mirror", address, mirror, "--key", key).out.endswith(
        ": 1 entry, 1 of them new, all verified.\n"
    )
    assert fairdeal("log", "check", mirror).out.endswith(": 1 entry in 2 tiles, all as signed.\n")
    house = House(3).evening(1)
    (tmp_path / "history.jsonl").write_text(text_of(house.receipt(house.hands[0])), encoding="utf-8")
    audited = fairdeal("audit", str(tmp_path / "history.jsonl"))
    assert "No violation in 1 hand." in audited.out
    assert "1 hand in a log, but only under the key that each brings along." in audited.out
    assert "on 1 hand, 15 need more hands." in audited.out


def test_a_log_is_mirrored_checked_and_audited(
    fairdeal: Terminal, served: tuple[Path, str], tmp_path: Path
) -> None:
    folder, address = served
    lie = honest()
    put(folder, lie.files)
    key, mirror = lie.key.text(), str(tmp_path / "mirror")
    first = fairdeal("log", "mirror", address, mirror, "--key", key)
    assert (first.code, first.out) == (0, "log.example/okey: 436 entries, 436 of them new, all verified.\n")
    assert files_in(tmp_path / "mirror") == {**lie.files, "key": f"{key}\n".encode()}
    again = fairdeal("log", "mirror", f"{address}/", mirror)
    assert again.out == "log.example/okey: 436 entries, 0 of them new, all verified.\n"
    checked = fairdeal("log", "check", mirror, "--json")
    assert checked.json == {
        "origin": "log.example/okey", "size": 436, "tiles": 5, "signed": True, "damage": [],
    }  # fmt: skip
    by_folder = fairdeal("audit", mirror, "--key", key, "--no-statistics", "--json")
    by_address = fairdeal("audit", address, "--key", key, "--no-statistics", "--json")
    assert (by_folder.code, by_address.code) == (0, 0)
    for document in (by_folder.json, by_address.json):
        assert (document["verdict"], document["hands"], document["findings"]) == ("consistent", 150, [])
        assert document["log"]["origin"] == "log.example/okey"
        assert document["counts"]["total"]["hands"] == 150
    again = fairdeal("audit", mirror, "--key", key, "--no-statistics", "--json")
    assert again.out == by_folder.out


def test_without_a_key_an_audit_says_so_and_is_incomplete(fairdeal: Terminal, tmp_path: Path) -> None:
    put(tmp_path, honest().files)
    ran = fairdeal("audit", str(tmp_path), "--no-statistics", "--json")
    assert (ran.code, ran.json["verdict"]) == (3, "incomplete")
    assert any("nothing shows who signed" in said for said in ran.json["not_shown"])


def test_findings_are_printed_counted_and_written_as_they_come(fairdeal: Terminal, tmp_path: Path) -> None:
    lie = LIES["lock_out_of_order"]()
    put(tmp_path / "log", lie.files)
    out = tmp_path / "findings.jsonl"
    arguments = ("audit", str(tmp_path / "log"), "--key", lie.key.text(), "--no-statistics")
    ran = fairdeal(*arguments, "--findings", str(out), "--json")
    assert ran.code == 1
    assert ran.json["verdict"] == "refuted"
    assert ran.json["findings"] == [json.loads(line) for line in out.read_text().splitlines()]
    ((code, hand),) = lie.expected
    assert [(f["code"], f["hand"]) for f in ran.json["findings"]] == [(code, hand)]
    assert {"index", "detail", "found"} <= ran.json["findings"][0].keys()
    shown = fairdeal(*arguments)
    assert shown.code == 1
    assert "lock-order" in shown.out
    assert len(shown.out.splitlines()) <= 40


def test_state_remembers_and_a_shorter_log_is_found(fairdeal: Terminal, tmp_path: Path) -> None:
    lie = honest()
    put(tmp_path / "log", lie.files)
    state = ("--state", str(tmp_path / "state"))
    arguments = ("--key", lie.key.text(), "--no-statistics", "--json", *state)
    assert fairdeal("audit", str(tmp_path / "log"), *arguments).json["log"]["earlier"] is None
    assert fairdeal("audit", str(tmp_path / "log"), *arguments).json["log"]["earlier"] == 436
    house = House(11).evening(40)
    put(tmp_path / "cut", house.log.files())
    ran = fairdeal("audit", str(tmp_path / "cut"), *arguments)
    assert (ran.code, [f["code"] for f in ran.json["findings"]]) == (1, ["shrunk"])
    # The audit that found it keeps what it had, and both checkpoints as evidence.
    assert len(list((tmp_path / "state" / "evidence").iterdir())) == 2
    assert fairdeal("audit", str(tmp_path / "log"), *arguments).json["log"]["earlier"] == 436


def test_more_findings_than_a_summary_holds_go_to_a_file(
    fairdeal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("history.jsonl").write_text("{}\n" * 1500, encoding="utf-8")
    ran = fairdeal("audit", "history.jsonl", "--no-statistics", "--json")
    assert ran.code == 1
    document = ran.json
    assert (len(document["findings"]), document["findings_total"]) == (1000, 1500)
    lines = Path(document["findings_file"]).read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1500
    assert json.loads(lines[1499]) == {
        "code": "bad-line", "detail": document["findings"][0]["detail"], "hand": None, "line": 1500,
    }  # fmt: skip


def test_several_sources_name_theirs(fairdeal: Terminal, tmp_path: Path) -> None:
    for name in ("broken_line", "tile_twice"):
        lines = RECORD_LIES[name]().lines
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    sources = sorted(str(path) for path in tmp_path.glob("*.jsonl"))
    ran = fairdeal("audit", *sources, "--no-statistics", "--json")
    assert [f["source"] for f in ran.json["findings"]] == sources
    assert [f["code"] for f in ran.json["findings"]] == ["bad-line", "check-hands"]


def test_what_cannot_be_read_ends_with_four_and_what_cannot_be_meant_with_two(
    fairdeal: Terminal, tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    for source in (str(tmp_path / "missing.jsonl"), str(empty), "http://127.0.0.1:1"):
        assert fairdeal("audit", source, "--json").code == 4, source
    assert fairdeal("log", "check", str(empty)).code == 4
    seen = tmp_path / "seen.txt"
    seen.write_text("not hex\n", encoding="utf-8")
    for wrong in (
        ("audit",),
        ("audit", str(empty), "--seen", str(seen)),
        ("audit", str(empty), f"{empty}/"),
        ("audit", str(empty), "--key", "nonsense"),
        ("audit", str(empty), "--engine", "dask"),
        ("audit", str(empty), "--scheduler", "tcp://x"),
        ("export", str(tmp_path / "hands.csv")),
        ("export", str(tmp_path / "hands.jsonl"), "--operator", "No"),
        ("log", "mirror", "nowhere", str(empty)),
    ):
        ran = fairdeal(*wrong)
        assert ran.code in (2, 4), wrong
        assert "nonsense" not in ran.err


def test_a_mirror_follows_a_change_of_keys(
    fairdeal: Terminal, served: tuple[Path, str], tmp_path: Path
) -> None:
    folder, address = served
    old, new, other = (Signer("log.example/okey", bytes([k]) * 32) for k in range(1, 4))
    log, mirror = Log(old), tmp_path / "mirror"

    def serve(size: int, *signers: Signer) -> None:
        grown(log, size)
        text = Checkpoint("log.example/okey", size, log.root()).text()
        put(folder, log.files() | {"checkpoint": sign(text, signers).encode()})

    def mirrored(*keys: Signer) -> tuple[int, list[str]]:
        given = [word for key in keys for word in ("--key", key.verifier.text())]
        ran = fairdeal("log", "mirror", address, str(mirror), *given)
        return ran.code, (mirror / "key").read_text().split()

    first, second = old.verifier.text(), new.verifier.text()
    serve(3, old)
    assert mirrored(old) == (0, [first])
    serve(5, old, new)
    assert mirrored() == (0, [first])
    # Told of the new key, it keeps both while both sign, whether or not there is anything new.
    assert mirrored(old, new) == (0, [first, second])
    assert mirrored(old) == (0, [first, second])
    serve(5, new)
    assert mirrored() == (0, [first, second])
    assert fairdeal("log", "check", str(mirror)).code == 0
    serve(7, new)
    assert mirrored() == (0, [second])
    assert fairdeal("log", "check", str(mirror)).code == 0
    # A key that nobody told it of is the log's fault, as ever; and one that it was not kept under is refused.
    serve(9, other)
    assert mirrored() == (1, [second])
    assert mirrored(other) == (2, [second])


def test_a_mirror_that_was_not_told_of_a_new_key_in_time_can_be_told_later(
    fairdeal: Terminal, served: tuple[Path, str], tmp_path: Path
) -> None:
    folder, address = served
    old, new = (Signer("log.example/okey", bytes([k]) * 32) for k in (1, 2))
    log, mirror = Log(old), tmp_path / "mirror"
    put(folder, grown(log, 3).files())
    assert fairdeal("log", "mirror", address, str(mirror), "--key", old.verifier.text()).code == 0
    text = Checkpoint("log.example/okey", 4, grown(log, 4).root()).text()
    put(folder, log.files() | {"checkpoint": sign(text, [new]).encode()})
    assert fairdeal("log", "mirror", address, str(mirror)).code == 1
    both = ("--key", old.verifier.text(), "--key", new.verifier.text())
    assert fairdeal("log", "mirror", address, str(mirror), *both).code == 0
    assert (mirror / "key").read_text().split() == [new.verifier.text()]
    assert fairdeal("log", "mirror", address, str(mirror)).code == 0


def test_a_mirror_tells_damage_from_forks(
    fairdeal: Terminal, served: tuple[Path, str], tmp_path: Path
) -> None:
    folder, address = served
    put(folder, House(1).evening(60).log.files())
    mirror = tmp_path / "mirror"
    key = House(1).log.signer.verifier.text()
    assert fairdeal("log", "mirror", address, str(mirror), "--key", key).code == 0
    assert fairdeal("log", "mirror", address, str(mirror), "--key", honest().key.text()).code == 2
    bundle = next(path for path in files_in(mirror) if "entries" in path)
    whole = (mirror / bundle).read_bytes()
    (mirror / bundle).write_bytes(whole.replace(b"club", b"clab", 1))
    ran = fairdeal("log", "check", str(mirror))
    assert ran.code == 4
    assert bundle in ran.err
    assert "says nothing about the log" in ran.out
    (mirror / bundle).write_bytes(whole)
    other = House(2)
    other.log.signer = House(1).log.signer
    put(folder, other.evening(70).log.files())
    forked = fairdeal("log", "mirror", address, str(mirror), "--json")
    assert (forked.code, [f["code"] for f in forked.json["findings"]]) == (1, ["forked"])
    assert len(forked.json["evidence"]) == 2
    assert fairdeal("log", "check", str(mirror)).code == 0


@pytest.mark.parametrize("suffix", ["jsonl", "jsonl.gz", "jsonl.zst", "parquet"])
def test_exported_hands_pass_the_audit(fairdeal: Terminal, tmp_path: Path, suffix: str) -> None:
    settings = Settings(data=tmp_path / "data", origin="log.example/okey")
    with TestClient(create_app(settings, Clock())) as http:
        game = Game(http, settings.operator_key_path.read_text().strip())
        for k in range(8):
            game.played(f"t{k % 2}", (0, 2) if k % 3 else (), terms={"openings": k % 4 == 0})
        game.void(game.committed("t1")["hand"], "table-closed")
        key = http.get("/log/key").text.strip()
    file = tmp_path / f"hands.{suffix}"
    ran = fairdeal("export", str(file), "--data", str(tmp_path / "data"), "--json")
    left_out = int(suffix == "parquet")
    assert ran.json == {"file": str(file), "hands": 9 - left_out, "left_out": left_out}
    first = file.read_bytes()
    fairdeal("export", str(file), "--data", str(tmp_path / "data"))
    assert file.read_bytes() == first
    audited = fairdeal("audit", str(file), "--key", key, "--no-statistics", "--json")
    assert (audited.code, audited.json["hands"], audited.json["findings"]) == (0, 9 - left_out, [])
    ran = fairdeal("export", str(file), "--data", str(tmp_path / "data"), "--table", "t0", "--json")
    assert ran.json["hands"] == 4
    assert not list(tmp_path.glob(".hands*"))


def test_export_needs_a_store(fairdeal: Terminal, tmp_path: Path) -> None:
    ran = fairdeal("export", str(tmp_path / "h.jsonl"), "--data", str(tmp_path / "none"))
    assert ran.code == 4
    assert not (tmp_path / "h.jsonl").exists()


def test_kept_commitments_make_an_audit_verified_or_refuted(fairdeal: Terminal, tmp_path: Path) -> None:
    house = House(5).evening(20)
    put(tmp_path / "log", house.log.files())
    seen = tmp_path / "seen.txt"
    lines = [hand.commitment.hex() for hand in house.hands]
    size = house.hands[2].indexes["commit"] + 1
    lines[2] = text_of(house.receipt(house.hands[2], upto="commit", size=size))
    seen.write_text("\n".join(lines), encoding="utf-8")
    arguments = ("audit", str(tmp_path / "log"), "--key", house.log.signer.verifier.text(), "--no-statistics")
    ran = fairdeal(*arguments, "--seen", str(seen), "--json")
    assert (ran.code, ran.json["verdict"]) == (0, "verified")
    seen.write_text("\n".join(lines[:3]), encoding="utf-8")
    ran = fairdeal(*arguments, "--seen", str(seen), "--json")
    assert (ran.code, ran.json["verdict"]) == (0, "consistent")
    assert [(s["hands"], s["bound"]) for s in ran.json["sources"]] == [(20, 3)]
    seen.write_text(bytes(32).hex(), encoding="utf-8")
    ran = fairdeal(*arguments, "--seen", str(seen), "--json")
    assert (ran.code, [f["code"] for f in ran.json["findings"]]) == (1, ["seen-missing"])


def test_a_state_that_cannot_be_written_is_told(fairdeal: Terminal, tmp_path: Path) -> None:
    lie = honest()
    put(tmp_path / "log", lie.files)
    (tmp_path / "file").write_text("", encoding="utf-8")
    for state in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/none")):
        ran = fairdeal(
            "audit", str(tmp_path / "log"), "--key", lie.key.text(), "--no-statistics", "--state", str(state)
        )
        assert ran.code == 4, state

"""The base installation audits logs and histories too, without numpy and its kin, to the same outcome."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.audit.test_command import put
from tests.cheats.house import House
from tests.cheats.log_cheats import LIES
from tests.cheats.record_cheats import honest
from tests.cli.running import Terminal
from tests.dealer import text_of

EXTRAS = (
    "distributed", "jinja2", "llvmlite", "matplotlib", "msgspec",
    "numba", "numpy", "pyarrow", "scipy", "zstandard",
)  # fmt: skip

BARE = f"""
import sys
for name in {EXTRAS!r}:
    sys.modules[name] = None
from fairdeal_cli.app import main
sys.exit(main())
"""


def bare(*arguments: str, folder: Path) -> tuple[int, str, str]:
    """The command line where no extra is installed."""
    done = subprocess.run(
        [sys.executable, "-c", BARE, *arguments], capture_output=True, text=True, check=False, cwd=folder
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("name", ["openings_root_wrong", "client_seed_used_twice", "lock_out_of_order"])
def test_a_log_is_audited_alike_with_and_without_extras(
    name: str, fairdeal: Terminal, tmp_path: Path
) -> None:
    lie = LIES[name]()
    put(tmp_path / "log", lie.files)
    arguments = ("audit", str(tmp_path / "log"), "--key", lie.key.text(), "--no-statistics", "--json")
    code, out, _ = bare(*arguments, folder=tmp_path)
    ran = fairdeal(*arguments)
    assert (code, json.loads(out)) == (ran.code, ran.json)
    assert ran.code == 1


def test_statistics_that_cannot_be_run_are_said_to_be_missing(tmp_path: Path) -> None:
    house = House(4).evening(30)
    put(tmp_path / "log", house.log.files())
    arguments = ("audit", str(tmp_path / "log"), "--key", house.log.signer.verifier.text())
    code, out, _ = bare(*arguments, "--json", folder=tmp_path)
    assert code == 0
    assert json.loads(out)["statistics"] is None
    assert "pip install" in json.loads(out)["statistics_note"]
    code, out, _ = bare(*arguments, folder=tmp_path)
    assert code == 0
    assert "pip install" in out


def test_histories_too_and_what_needs_an_extra_names_it(tmp_path: Path) -> None:
    (tmp_path / "history.jsonl").write_text("\n".join(honest().lines), encoding="utf-8")
    code, out, _ = bare("audit", "history.jsonl", "--json", folder=tmp_path)
    assert (code, json.loads(out)["verdict"]) == (0, "consistent")
    for name in ("history.parquet", "history.jsonl.zst"):
        (tmp_path / name).write_bytes(b"x")
        code, _, err = bare("audit", name, folder=tmp_path)
        assert code == 2, name
        assert "'.[fast]' in fairdeal's folder" in err
    code, _, err = bare("audit", "history.jsonl", "--report", "r.html", folder=tmp_path)
    assert code == 2
    assert "'.[audit]' in fairdeal's folder" in err


def test_so_are_several_sources_together(fairdeal: Terminal, tmp_path: Path) -> None:
    one, two = House(5).evening(20), House(6).evening(20)
    two.hands[0].server_seed = one.hands[0].server_seed
    shown = [text_of(two.record(two.hands[0])), *(text_of(one.receipt(hand)) for hand in one.hands)]
    (tmp_path / "a.jsonl").write_text("\n".join([*shown, *shown[1:]]), encoding="utf-8")
    (tmp_path / "b.jsonl").write_text("\n".join(shown[1:9]), encoding="utf-8")
    put(tmp_path / "log", one.log.files())
    key = ("--key", one.log.signer.verifier.text(), "--no-statistics", "--json")
    for sources in (("a.jsonl", "b.jsonl"), ("a.jsonl", "log")):
        arguments = ("audit", *(str(tmp_path / source) for source in sources), *key)
        code, out, _ = bare(*arguments, folder=tmp_path)
        ran = fairdeal(*arguments)
        assert (code, json.loads(out)) == (ran.code, ran.json)
        assert ran.json["hands"] == 21
        found = {f["code"] for f in ran.json["findings"]}
        assert found == {"repeated-seed", "repeated-commitment"}

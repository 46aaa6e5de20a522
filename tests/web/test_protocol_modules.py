"""The protocol modules by themselves: their own tests in Node, the shared vectors in Chromium."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.web.chromium import Asker

HERE = Path(__file__).parent / "protocol"
NODE = shutil.which("node") or "node"
VECTORS: list[dict[str, Any]] = json.loads((HERE.parents[1] / "vectors" / "deal.json").read_text("utf-8"))[
    "cases"
]


@pytest.mark.parametrize("name", sorted(file.name for file in HERE.glob("*.test.js")))
def test_in_node(name: str) -> None:
    done = subprocess.run(
        [NODE, "--test", "--test-reporter=tap", str(HERE / name)],
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=280,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    counts = dict(line[2:].split(" ", 1) for line in done.stdout.splitlines() if line.startswith("# "))
    assert int(counts["pass"]) > 0
    assert counts["skipped"] == counts["todo"] == counts["cancelled"] == "0"


def test_vectors_in_chromium(chromium: Asker) -> None:
    asked = [
        {
            "op": "deal",
            **{name: case[name] for name in ("terms", "server_seed", "hand", "contributions")},
        }
        for case in VECTORS
    ]
    wanted = [{name: case[name] for name in ("commitment", "key", "deal", "deal_root")} for case in VECTORS]
    assert len(wanted) >= 37
    assert chromium(asked) == wanted

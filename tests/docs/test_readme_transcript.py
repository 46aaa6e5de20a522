"""The README's transcript is what the commands print, and its example files are the protocol page's hand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from fairdeal import Receipt, SeenReceipt, SeenSeed, Verifier, parse_document_text, parse_seen_text, verify
from fairdeal.deal import make_deal
from tests.docs.test_protocol_example import CLIENT_SEED, HAND, KEY, TERMS

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "example"
README = (ROOT / "README.md").read_text("utf-8")


def test_the_transcript() -> None:
    blocks = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    assert blocks
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "80", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    for block in blocks:
        folder = ROOT
        for command, shown in re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            if command.startswith("cd "):
                folder = folder / command.removeprefix("cd ")
                continue
            run = subprocess.run(
                command, shell=True, cwd=folder, env=environment, capture_output=True, check=False
            )
            beginning = shown.partition("…")[0].splitlines()
            printed = run.stdout.decode().splitlines()[: len(beginning)]
            assert [line.rstrip() for line in printed] == beginning, run.stderr.decode()


def test_the_example_is_the_protocol_pages_hand() -> None:
    text = (EXAMPLE / "receipt.json").read_text("utf-8")
    receipt = parse_document_text(text)
    assert isinstance(receipt, Receipt)
    assert receipt.deal == make_deal(KEY, TERMS).as_json()
    assert (EXAMPLE / "client-seed.txt").read_text("ascii").strip() == CLIENT_SEED.hex()
    key = Verifier.parse((EXAMPLE / "log-key.txt").read_text("ascii").strip())
    kept = parse_seen_text((EXAMPLE / "commit-receipt.json").read_text("utf-8"))
    assert isinstance(kept[0], SeenReceipt)
    report = verify(text, keys=[key], seen=[*kept, SeenSeed(2, CLIENT_SEED)])
    assert (report.verdict, report.grinding) == ("verified", "nobody")
    assert HAND.hex() in text

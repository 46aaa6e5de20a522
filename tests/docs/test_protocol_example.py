"""The worked example in the docs is a real hand: every value printed there is recomputed here."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from fairdeal import Contribution, OkeyDeal, commitment, deal_key, make_deal, parse_terms, seal
from fairdeal.draws import mac, pick
from fairdeal.encoding import parse_json
from fairdeal.seeds import transcript
from fairdeal.tiles import name

DOCS = Path(__file__).parents[2] / "docs"
PROTOCOL = (DOCS / "protocol.md").read_text("utf-8")
BY_HAND = (DOCS / "verify-by-hand.md").read_text("utf-8")


def row(label: str) -> str:
    found = re.search(rf"^\| {re.escape(label)} \| `(.+)` \|$", PROTOCOL, re.MULTILINE)
    assert found, label
    return found[1]


TERMS = parse_terms(parse_json(row("terms")))
SEED = bytes.fromhex(row("server seed"))
CLIENT_SEED = bytes.fromhex(row("client seed of seat 2"))
HAND = bytes.fromhex(row("hand id"))
OPENED = (Contribution(2, CLIENT_SEED),)
KEY = deal_key(SEED, HAND, TERMS, OPENED)


def example_deal() -> OkeyDeal:
    deal = make_deal(KEY, TERMS)
    assert isinstance(deal, OkeyDeal)
    return deal


def test_hashes() -> None:
    assert commitment(SEED).hex() == row("its SHA-256, the commitment")
    assert seal(CLIENT_SEED).hex() == row("its SHA-256, the seal")
    assert TERMS.canonical().decode() == row("terms")


def test_transcript_dump_and_key() -> None:
    lines = re.findall(r"^ {3}[0-5]0  ((?:[0-9a-f]{2} ){15}[0-9a-f]{2})", PROTOCOL, re.MULTILINE)
    assert bytes.fromhex("".join(lines)) == transcript(HAND, TERMS, OPENED)
    assert re.findall(r"^ {12}= ([0-9a-f]{64})$", PROTOCOL, re.MULTILINE) == [KEY.hex()]


def test_draws() -> None:
    shown = re.findall(r'HMAC-SHA256\(deal key, "(.+?)"\) +\= (\w{8})…(\w{8}) +mod +(\d+) = +(\d+)', PROTOCOL)
    assert [label for label, *_ in shown] == ["r:105", "r:104", "r:1", "die:0"]
    for label, start, end, m, value in shown:
        digest = mac(KEY, label).hex()
        assert (digest[:8], digest[-8:]) == (start, end)
        assert pick(KEY, label, int(m)) == int(value)


def test_table_in_words() -> None:
    deal = example_deal()
    assert deal.wall is not None
    assert f"starts {', '.join(map(str, deal.order[:3]))} and ends" in PROTOCOL
    assert f"ends {', '.join(map(str, deal.order[-3:]))}." in PROTOCOL
    assert f"`{' '.join(map(name, deal.wall.stacks[deal.wall.selected]))}`" in PROTOCOL
    assert f"the spare `{name(deal.wall.spare)}`" in PROTOCOL
    assert deal.wall.throws == ((3,), (3,))
    assert name(deal.indicator) == "Y13"
    assert f"`{' '.join(map(name, deal.hands[1]))}`" in PROTOCOL


def test_python_of_the_by_hand_page() -> None:
    code = "\n".join(
        re.sub(r"^ {3}", "", block, flags=re.MULTILINE)
        for block in re.findall(r"```python\n(.*?)```", BY_HAND, re.DOTALL)
    )
    found: dict[str, object] = {}
    exec(code, found)  # noqa: S102 - the page's own code is what this test runs
    deal = example_deal()
    assert found["order"] == list(deal.order)
    assert found["indicator"] == deal.indicator
    hands = found["hands"]
    assert isinstance(hands, dict)
    assert [tuple(hands[seat]) for seat in range(4)] == list(deal.hands)


def test_shell_of_the_by_hand_page() -> None:
    missing = [tool for tool in ("sh", "sha256sum", "openssl", "xxd") if not shutil.which(tool)]
    if missing:
        pytest.fail(f"install {', '.join(missing)}: the page's commands are run as they stand")
    blocks = re.findall(r"```sh\n(.*?)```", BY_HAND, re.DOTALL)
    script = "\n".join(re.sub(r"^ {3}", "", block, flags=re.MULTILINE) for block in blocks)
    run = subprocess.run(["sh", "-eu", "-c", script], capture_output=True, text=True, check=True)
    printed = re.findall(r"[0-9a-f]{64}", run.stdout)
    assert printed == [commitment(SEED).hex(), seal(CLIENT_SEED).hex(), KEY.hex()]
    assert re.findall(r"# .*?([0-9a-f]{64})", BY_HAND) == printed

"""``fairdeal verify`` against a real service: receipts by address, every edit of one, the demo's cheats."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fairdeal_api.server import prepare, serving
from fairdeal_api.settings import Settings
from fairdeal_cli.play import TERMS
from fairdeal_cli.tampering import cheats

from fairdeal.client import Player
from fairdeal.note import Verifier
from tests.cli.running import Terminal, spawn


@dataclass(frozen=True)
class Served:
    """A running service with one played hand."""

    address: str
    data: Path
    hand: str
    vkey: str
    receipt: dict[str, Any]
    commit: dict[str, Any]
    me: Player


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    data = tmp_path_factory.mktemp("service") / "data"
    settings = Settings(data=data)
    started = prepare(settings)
    key = started.operator_key_file.read_text().strip()
    headers = {"Authorization": f"Bearer {key}"}
    with (
        serving(settings) as address,
        httpx2.Client(base_url=address, headers=headers, trust_env=False) as client,
    ):
        players = [Player(seat) for seat in (0, 2)]
        body = {"table": "t", "terms": TERMS, "seals": [p.seal.as_json() for p in players]}
        committed = client.post("/v1/hands", json=body).json()
        vkey = Verifier.parse(started.vkey)
        seeds = [p.open(committed["receipt"], vkey).as_json() for p in players]
        hand = committed["hand"]
        assert client.post(f"/v1/hands/{hand}/deal", json={"seeds": seeds}).status_code == 200
        revealed = client.post(f"/v1/hands/{hand}/reveal", json={}).json()
        yield Served(address, data, hand, started.vkey, revealed["receipt"], committed["receipt"], players[1])


@pytest.mark.parametrize(
    "path", ["/v1/hands/{}", "/v1/hands/{}/receipt", "/verify/{}", "/verify/{}?lang=tr#kept"]
)
def test_a_receipt_by_its_hands_address(
    fairdeal: Terminal, served: Served, tmp_path: Path, path: str
) -> None:
    (tmp_path / "commit.json").write_text(json.dumps(served.commit))
    kept = ["--seen", f"{tmp_path}/commit.json", "--seen", f"seed:2={served.me.seed.hex()}"]
    ran = fairdeal("verify", served.address + path.format(served.hand), "--key", served.vkey, *kept, "--json")
    assert (ran.code, ran.json["verdict"], ran.json["grinding"]) == (0, "verified", "nobody")


def test_this_machine_is_reached_without_a_proxy(fairdeal: Terminal, served: Served) -> None:
    proxy = "http://127.0.0.1:1"
    ran = fairdeal("verify", f"{served.address}/verify/{served.hand}", http_proxy=proxy, HTTP_PROXY=proxy)
    assert ran.code == 3


def test_from_a_process_of_its_own(served: Served) -> None:
    ran = spawn("verify", f"{served.address}/verify/{served.hand}", "--key", served.vkey)
    assert ran.code == 3
    assert "CONSISTENT" in ran.out.splitlines()[0]


def test_an_address_without_a_hand(fairdeal: Terminal, served: Served) -> None:
    for address, code in (
        (f"{served.address}/v1/hands/{'0' * 32}", "missing"),
        (f"{served.address}/healthz", "no-receipt"),
        ("http://127.0.0.1:1/v1/hands/" + "0" * 32, "unreachable"),
        ("http:///v1/hands/" + "0" * 32, "unreachable"),
        ("http://[", "unreachable"),
    ):
        ran = fairdeal("verify", address, "--json")
        assert (ran.code, ran.json["error"]["code"]) == (4, code)


def edits(receipt: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The receipt with any one value changed or dropped, its own key apart, a sample of the long lists."""

    def walk(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        if path:
            yield path
        if isinstance(value, dict):
            for name in value:
                yield from walk(value[name], (*path, name))
        elif isinstance(value, list):
            for k in {0, len(value) // 2, len(value) - 1} if value else ():
                yield from walk(value[k], (*path, k))

    for path in walk(receipt, ()):
        if path[0] == "vkey":
            continue
        for change in ("changed", "dropped"):
            bent = deepcopy(receipt)
            inside: Any = bent
            for step in path[:-1]:
                inside = inside[step]
            if change == "dropped":
                del inside[path[-1]]
            else:
                inside[path[-1]] = other(inside[path[-1]])
            yield f"{change} {'.'.join(map(str, path))}", bent


def other(value: Any) -> Any:
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        k = len(value) // 2
        return value[:k] + ("0" if value[k] != "0" else "1") + value[k + 1 :]
    return None if value is not None else 0


def test_every_edit_of_a_receipt_is_refuted_refused_or_incomplete(
    fairdeal: Terminal, served: Served, tmp_path: Path
) -> None:
    (tmp_path / "commit.json").write_text(json.dumps(served.commit))
    kept = ["--key", served.vkey, "--seen", f"{tmp_path}/commit.json"]
    codes: dict[int, int] = {}
    for what, bent in edits(served.receipt):
        ran = fairdeal("verify", "-", *kept, "--json", stdin=json.dumps(bent))
        codes[ran.code] = codes.get(ran.code, 0) + 1
        assert ran.code in (1, 3, 4), what
        if ran.code == 3:
            # Cut short: nothing in it is wrong, and something is missing.
            assert (ran.json["verdict"], what) == ("incomplete", "changed deal") or what in SHORTER
    assert codes[1] > 50
    assert codes[4] == 2


SHORTER = ("dropped entries.2",)


def test_the_demos_cheats_are_caught_with_their_causes(fairdeal: Terminal, served: Served) -> None:
    causes = []
    for _, bent in cheats(served.receipt):
        ran = fairdeal("verify", "-", "--key", served.vkey, "--json", stdin=json.dumps(bent))
        assert (ran.code, ran.json["verdict"]) == (1, "refuted")
        causes.append(ran.json["cause"])
    assert causes == ["hands-misdealt", "contribution-dropped", "unknown", "unknown"]

"""No seed leaves the service before its reveal: not in answers, output, files, metrics or reprs."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
from fairdeal_api.acts import LockAct
from fairdeal_api.hands import COLUMNS, Hand
from fairdeal_api.service import Service
from fairdeal_api.tables import HandRow
from fastapi import FastAPI
from fastapi.testclient import TestClient

from fairdeal.seeds import Contribution, deal_key
from fairdeal.terms import parse_terms
from tests.api.support import Game, Running, fresh_seal, ok


def forms(secret: bytes) -> Iterator[bytes]:
    """A secret in every form in which it could slip out."""
    yield secret
    yield secret.hex().encode()
    yield secret.hex().upper().encode()
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        # With other bytes before it, base64 shifts: the three alignments share no text.
        for shift in range(3):
            text = encode(b"\0" * shift + secret)
            yield text[(0, 2, 3)[shift] :].rstrip(b"=")[:-1]
    yield json.dumps(list(secret)).encode()
    yield str(list(secret)).replace(" ", "").encode()


class Recorder(httpx2.Client):
    """A client that keeps every answer, headers and all."""

    def __init__(self, url: str) -> None:
        super().__init__(base_url=url, timeout=30)
        self.heard: list[tuple[str, bytes]] = []

    def send(self, request: httpx2.Request, **kwargs: Any) -> httpx2.Response:
        answer = super().send(request, **kwargs)
        self.heard.append(
            (f"{request.method} {request.url.path}", repr(answer.headers).encode() + answer.read())
        )
        return answer


def stored(running: Running) -> dict[str, bytes]:
    """Everything that the service has written: its data folder, whole, and its output."""
    found = {str(file): file.read_bytes() for file in running.data.rglob("*") if file.is_file()}
    assert any(name.endswith("-wal") for name in found)
    return {**found, "output": running.output.read_bytes()}


def test_no_seed_key_or_deal_shows_anywhere_before_the_reveal(starting: Callable[..., Running]) -> None:
    running = starting()
    heard_before: dict[str, list[tuple[str, bytes]]] = {}
    stored_before: dict[str, list[dict[str, bytes]]] = {}
    with Recorder(running.url) as http:
        game = Game(http, running.key)
        hands = [
            game.committed("a", seats=(0, 2), terms={"openings": True})["hand"],
            game.committed("b")["hand"],
            game.committed("c", seats=(1,), terms={"game": "deck", "size": 52, "openings": True})["hand"],
        ]
        snapshots = [stored(running)]
        committed = len(http.heard)
        deals = {hand: game.dealt(hand)["deal"] for hand in hands}
        for hand in hands:
            game.deal(hand)
            game.deal(hand, seeds=[])
            game.deal(hand, seeds=[{"seat": 0, "seed": "00" * 32}])
            slot = "order/3" if "hands" not in deals[hand] else "indicator"
            game.call("POST", f"/v1/hands/{hand}/openings", {"slots": [slot]})
            game.call("POST", f"/v1/hands/{hand}/reveal", {"next": {"seals": [{"seat": 77, "seal": ""}]}})
            for path in (
                f"/v1/hands/{hand}",
                f"/v1/hands/{hand}/receipt",
                "/metrics",
                "/checkpoint",
                "/tile/entries/000.p/6",
            ):
                game.get(path)
        game.call("GET", "/v1/hands?state=open")
        snapshots.append(stored(running))
        for k, hand in enumerate(hands):
            heard_before[hand], stored_before[hand] = list(http.heard), [*snapshots, stored(running)]
            answer = game.void(hand, "technical") if k == 2 else game.reveal(hand)
            seed = bytes.fromhex(ok(answer)["server_seed"])
            terms = parse_terms(answer.json()["terms"])
            opened = tuple(Contribution(c["seat"], bytes.fromhex(c["seed"])) for c in game.seeds[hand])
            key = deal_key(seed, bytes.fromhex(hand), terms, opened)
            for secret in (seed, key):
                for form in forms(secret):
                    assert [name for name, data in heard_before[hand] if form in data] == []
                    for files in stored_before[hand]:
                        assert [name for name, data in files.items() if form in data] == []
            order = json.dumps(deals[hand]["order"], separators=(",", ":")).encode()
            told = {name for name, data in heard_before[hand] if order in data}
            assert told == {f"POST /v1/hands/{hand}/deal"}
            for files in stored_before[hand]:
                assert [name for name, data in files.items() if order in data] == []
            # A client seed is not known to anyone before the lock, and public after it.
            for contribution in opened:
                for form in forms(contribution.seed):
                    assert [name for name, data in http.heard[:committed] if form in data] == []
                    assert [name for name, data in snapshots[0].items() if form in data] == []
    running.stop()
    assert b"Traceback" not in running.output.read_bytes()


def test_a_deal_answer_and_its_receipt_give_away_nothing_about_the_seed(game: Game) -> None:
    hand = game.committed(seats=(0,))["hand"]
    dealt = game.dealt(hand)
    assert dealt["server_seed"] is None
    assert dealt["receipt"]["deal"] is None
    deal = dealt.pop("deal")
    assert json.dumps(deal["order"]) not in json.dumps(dealt)


def test_reprs_hold_no_seeds(app: FastAPI, http: TestClient, game: Game) -> None:
    _, opened = fresh_seal(0)
    seed = bytes.fromhex(opened["seed"])
    act = LockAct("operator", bytes(16), (Contribution(0, seed),), 60_000)
    row = dict.fromkeys(Hand.__dataclass_fields__, 0)
    hand = Hand(**{**row, "server_seed": seed, "wrapped_seed": seed, "contributions": seed.hex()})  # type: ignore[arg-type]  # only the repr counts
    stored_row = HandRow.model_construct(**{name: getattr(hand, name) for name in COLUMNS})
    service: Service = app.state.service
    for thing in (act, hand, stored_row, service, service.vault, service.signing.keys):
        for form in forms(seed):
            assert form.decode("latin-1") not in repr(thing)
        assert repr(seed)[2:-1] not in repr(thing)
        assert service.signing.keys.signers[0].seed.hex() not in repr(thing)
        assert repr(service.signing.keys.signers[0].seed)[2:-1] not in repr(thing)


def test_key_files_are_private_and_hold_what_they_say(game: Game, app: FastAPI) -> None:
    service: Service = app.state.service
    for path in (
        service.settings.log_key_path,
        service.settings.seed_keys_path,
        service.settings.operator_key_path,
    ):
        assert path.stat().st_mode & 0o777 == 0o600
    assert service.settings.data.stat().st_mode & 0o777 == 0o700
    if service.settings.database_url is None:
        assert (service.settings.data / "fairdeal.db").stat().st_mode & 0o077 == 0


def test_a_service_leaves_no_memory_image(starting: Callable[..., Running]) -> None:
    running = starting()
    limits = Path(f"/proc/{running.process.pid}/limits").read_text()
    assert re.search(r"Max core file size +0 +0 ", limits)
    running.stop()
    # Whether the kernel would pipe an image to a collector is not to be read from outside.
    asked = "import ctypes; from fairdeal_api import hardening as h; c = ctypes.CDLL(None).prctl; "
    asked += "before = c(3, 0, 0, 0, 0); h.no_core_dumps(); print(before, c(3, 0, 0, 0, 0))"
    said = subprocess.run([sys.executable, "-c", asked], check=True, capture_output=True, text=True)
    assert said.stdout.split() == ["1", "0"]

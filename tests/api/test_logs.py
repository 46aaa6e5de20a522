"""Log lines: JSON, with request ids, told from what a client sent, and without anything of it."""

from __future__ import annotations

import json
import logging
import logging.config
from collections.abc import Callable
from typing import Any

import pytest
from fairdeal_api import edge, logs
from fairdeal_api.service import Service
from fairdeal_api.settings import Settings
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.api.support import Game, Running

STORES = ("sqlite",)

SECRET = "5ec2e7" * 10 + "5ec2"


def line(formatter: logging.Formatter, message: str, error: Exception | None = None, **extra: Any) -> str:
    logger = logging.getLogger("fairdeal.test")
    info = (type(error), error, error.__traceback__) if error else None
    record = logger.makeRecord(logger.name, logging.ERROR, __file__, 1, message, (), info, "f", extra or None)
    return formatter.format(record)


def fail() -> None:
    raise ValueError(SECRET)


def failure() -> Exception:
    with pytest.raises(ValueError) as caught:
        fail()
    return caught.value


def test_a_line_is_one_json_object_with_its_request() -> None:
    token = logs.request_id.set("abc-1")
    try:
        found = json.loads(line(logs.JsonFormatter(), "it failed", failure(), status=500, odd=object()))
    finally:
        logs.request_id.reset(token)
    assert (found["level"], found["logger"], found["event"]) == ("error", "fairdeal.test", "it failed")
    assert (found["request"], found["status"], found["odd"]) == ("abc-1", 500, "object")
    assert found["error"] == "ValueError"
    assert found["frames"][-1].endswith(" fail")
    assert found["time"].endswith("Z")
    assert "request" not in json.loads(line(logs.JsonFormatter(), "outside"))


@pytest.mark.parametrize("formatter", [logs.JsonFormatter(), logs.TextFormatter()])
def test_no_line_holds_a_message_of_an_exception_or_a_long_hex_text(formatter: logging.Formatter) -> None:
    token = logs.request_id.set("r-1")
    try:
        text = line(formatter, f"bad key {SECRET}", failure(), status=500)
    finally:
        logs.request_id.reset(token)
    assert SECRET not in text
    assert "(hidden)" in text
    assert "ValueError" in text
    assert "r-1" in text


def test_ids_are_taken_over_only_in_a_harmless_form() -> None:
    assert logs.new_request_id(b"salon-7.hand_1") == "salon-7.hand_1"
    for given in (None, b"", b"a b", b"a\nb", b'{"x":1}', b"x" * 65, b"\xc4\xb0"):
        assert logs.new_request_id(given).startswith(logs._prefix + "-")
    assert logs.new_request_id(None) != logs.new_request_id(None)


def test_terminals_get_text_and_everything_else_json(monkeypatch: pytest.MonkeyPatch) -> None:
    def form(asked: logs.Form, *, tty: bool) -> str:
        monkeypatch.setattr("sys.stderr.isatty", lambda: tty)
        found: str = logs.configuration(asked)["formatters"]["line"]["()"]
        return found.rpartition(".")[2]

    assert form("auto", tty=True) == form("text", tty=False) == "TextFormatter"
    assert form("auto", tty=False) == form("json", tty=True) == "JsonFormatter"


def test_every_answer_has_its_request_id(http: TestClient) -> None:
    assert http.get("/healthz", headers={"X-Request-Id": "mine"}).headers["x-request-id"] == "mine"
    first, second = (http.get("/nothing/here").headers["x-request-id"] for _ in range(2))
    assert first != second


def test_requests_that_fail_or_take_long_get_a_line(
    app: FastAPI,
    http: TestClient,
    game: Game,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level(logging.INFO, "fairdeal")
    hand = game.committed()["hand"]
    assert [r for r in caplog.records if r.name == "fairdeal.requests"] == []
    monkeypatch.setattr(edge, "SLOW", 0.0)
    game.get(f"/v1/hands/{hand}")
    service: Service = app.state.service

    async def fail(_: object) -> None:
        raise RuntimeError(SECRET)

    with monkeypatch.context() as patch:
        patch.setattr(type(service.ledger), "submit", lambda _, act: fail(act))
        game.commit()
    lines = [vars(r) for r in caplog.records if r.name == "fairdeal.requests"]
    assert {"route": "/v1/hands/{hand}", "status": 200, "operator": None}.items() <= lines[0].items()
    assert [item["status"] for item in lines if item["route"] == "/v1/hands"] == [500]
    assert hand not in caplog.text
    assert SECRET not in caplog.text


def test_a_running_service_writes_nothing_but_json(
    starting: Callable[..., Running], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIRDEAL_LOG_REQUESTS", "true")
    running = starting()
    with running.client() as http:
        game = Game(http, running.key)
        played = game.played()
        http.get(
            f"/v1/hands/{SECRET[:32]}", headers={"Authorization": f"Bearer {SECRET}", "X-Request-Id": "q-1"}
        )
        http.request("GET", f"/{SECRET}?{SECRET}")
    running.stop()
    lines = [json.loads(text) for text in running.output.read_text().splitlines()]
    answered = [item for item in lines if item["event"] == "answered"]
    assert {"POST", "GET"} <= {item["method"] for item in answered}
    assert {"/v1/hands", "/v1/hands/{hand}/deal", "/v1/hands/{hand}/reveal"} <= {i["route"] for i in answered}
    assert [item["operator"] for item in answered if item["route"] == "/v1/hands"] == ["operator"]
    assert [item["route"] for item in answered if item["request"] == "q-1"] == ["/v1/hands/{hand}"]
    text = running.output.read_text()
    for secret in (SECRET, SECRET[:32], running.key, played["hand"], played["server_seed"]):
        assert secret not in text

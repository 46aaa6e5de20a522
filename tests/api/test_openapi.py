"""The OpenAPI document is complete, its examples are real, and answers have the form that it states."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fairdeal_api import schemas
from fairdeal_api.examples import examples
from fairdeal_api.problems import CODES
from fastapi.testclient import TestClient
from pydantic import BaseModel

from fairdeal.verify import verify
from tests.api.support import Game, ok

STORES = ("sqlite",)

CALLS = {
    "POST /v1/hands",
    "POST /v1/hands/batch",
    "POST /v1/hands/{hand}/deal",
    "POST /v1/hands/{hand}/openings",
    "POST /v1/hands/{hand}/reveal",
    "POST /v1/hands/{hand}/void",
    "GET /v1/hands",
    "GET /v1/hands/{hand}",
    "GET /v1/hands/{hand}/receipt",
    "GET /v1/tables/{operator}/{table}/hands",
    "GET /checkpoint",
    "GET /tile/{path}",
    "GET /log/key",
    "GET /verify",
    "GET /verify/{hand}",
    "GET /verify-assets/{path}",
    "GET /healthz",
    "GET /readyz",
    "GET /metrics",
}
DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def document(http: TestClient) -> dict[str, Any]:
    return ok(http.get("/openapi.json"))


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            yield f"{method.upper()} {path}", operation


def test_every_call_is_described_with_examples_and_its_problems(document: dict[str, Any]) -> None:
    found = dict(operations(document))
    assert found.keys() == CALLS
    for name, operation in found.items():
        assert operation["summary"], name
        assert operation["description"], name
        for parameter in operation.get("parameters", []):
            assert parameter.get("description") or parameter.get("example") or parameter["schema"], (
                name,
                parameter,
            )
        for status, answer in operation["responses"].items():
            assert answer["description"], (name, status)
            for kind, content in answer["content"].items():
                assert "example" in content or content.get("examples"), (name, status, kind)
                assert (kind == "application/problem+json") == (int(status) >= 400), (name, status, kind)
        if "requestBody" in operation:
            assert {"401", "422", "503"} <= operation["responses"].keys(), name
            assert operation["security"], name


def test_every_code_is_stated_somewhere_and_in_the_docs(document: dict[str, Any]) -> None:
    stated = set(re.findall(r'"code": "(\w+)"', json.dumps(document)))
    # These can come from any address and method, so no operation lists them.
    anywhere = {"bad_request", "method_not_allowed"}
    assert stated == CODES.keys() - anywhere
    text = (DOCS / "api.md").read_text()
    assert [code for code, kind in CODES.items() if f"| `{code}` | {kind.status} |" not in text] == []
    assert [
        call for call in CALLS - {"GET /verify-assets/{path}"} if call.partition("?")[0] not in text
    ] == []


def test_the_example_is_a_hand_that_verifies() -> None:
    assert verify(json.dumps(examples()["receipt"])).verdict == "consistent"


def body_models(document: dict[str, Any]) -> Iterator[tuple[str, list[object]]]:
    for schema in document["components"]["schemas"].items():
        yield schema[0], schema[1].get("examples", [])


def test_request_examples_are_valid_requests(document: dict[str, Any]) -> None:
    given = {name: found for name, found in body_models(document) if found}
    assert {
        "CommitRequest",
        "BatchRequest",
        "DealRequest",
        "OpeningsRequest",
        "RevealRequest",
        "VoidRequest",
    } == given.keys()
    for name, values in given.items():
        model: type[BaseModel] = getattr(schemas, name)
        for value in values:
            model.model_validate(value)


def test_answers_have_the_form_that_is_stated(game: Game) -> None:
    committed = game.committed(seats=(0, 1), terms={"openings": True})
    schemas.HandWithReceipt.model_validate(committed)
    hand = committed["hand"]
    schemas.HandWithReceipt.model_validate(game.dealt(hand))
    opened = game.call("POST", f"/v1/hands/{hand}/openings", {"slots": ["stock/3"]})
    schemas.Openings.model_validate(opened.json())
    schemas.OpenHands.model_validate(ok(game.call("GET", "/v1/hands?state=open")))
    schemas.RevealedHand.model_validate(ok(game.reveal(hand, next={})))
    schemas.Hand.model_validate(ok(game.get(f"/v1/hands/{hand}")))
    schemas.Receipt.model_validate(ok(game.get(f"/v1/hands/{hand}/receipt")))
    schemas.TableHands.model_validate(ok(game.get("/v1/tables/operator/salon:1/hands")))
    batch = game.call("POST", "/v1/hands/batch", {"hands": [{"table": "a"}]})
    schemas.Batch.model_validate(ok(batch, 201))


@pytest.mark.parametrize("path", ["/v1/hands", "/v1/hands/batch"])
def test_a_repeated_commit_is_answered_as_stated(game: Game, document: dict[str, Any], path: str) -> None:
    body = {"table": "a"} if path == "/v1/hands" else {"hands": [{"table": "a"}]}
    stated = document["paths"][path]["post"]["responses"]
    for status in (201, 200, 200):
        answer = game.call("POST", path, body, Idempotency_Key="k")
        assert answer.status_code == status
        name = stated[str(status)]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        getattr(schemas, name).model_validate(answer.json())


def test_models_keep_seeds_out_of_their_repr() -> None:
    item = schemas.SeedItem(seat=0, seed="ab" * 32)
    assert "abab" not in repr(item)
    assert "abab" not in repr(schemas.DealRequest(seeds=[item]))

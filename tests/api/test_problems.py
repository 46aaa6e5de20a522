"""Errors are problems with stable codes, and none of them says back what was sent."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest
from fairdeal_api.service import Service
from fairdeal_api.wire import LARGEST_BODY
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.api.support import Game, problem

STORES = ("sqlite",)

SECRET = "5ec2e7" * 10 + "5ec2"
HAND = "0" * 32


def post(game: Game, path: str, data: str | bytes, content_type: str = "application/json") -> Any:
    headers = {"Authorization": f"Bearer {game.key}", "Content-Type": content_type}
    http: Any = game.http
    return http.post(path, content=data, headers=headers)


@pytest.mark.parametrize(
    "body",
    [
        "{",
        "",
        "nul",
        '{"table": "t", "table": "t"}',
        '{"table": "t", "lock_within": 60.0}',
        '{"table": "t", "lock_within": 1e3}',
        '{"table": "t", "lock_within": NaN}',
        '{"table": "t", "lock_within": -0}',
        '{"table": "t", "lock_within": ' + "9" * 5000 + "}",
        '"\x00"',
        "[" * 60_000,
        b"\xff\xfe{}",
        b'{"table": "\xff"}',
        '{"table": "t"} {}',
        "\ufeff{}",
    ],
)
def test_bodies_that_are_not_strict_json_are_refused(steady: Game, body: str | bytes) -> None:
    answer = post(steady, "/v1/hands", body)
    if not body:
        problem(answer, "invalid", 422)
    else:
        problem(answer, "bad_json", 400)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"table": SECRET + "!"}, "table"),
        ({"table": "t", SECRET: 1}, "?"),
        ({"table": "t", "a" * 33: 1}, "?"),
        ({"table": "t", "terms": {SECRET: SECRET}}, "terms.?"),
        ({"table": "t", "": 1}, "?"),
        ({"table": "t", "a b": 1}, "?"),
        ({"table": "t", "lock_witin": 60}, "lock_witin"),
        ({"table": "t", "terms": {"dealer": 7}}, "terms.dealer"),
        ({"table": "t", "terms": {"dealer": SECRET}}, "terms.dealer"),
        ({"table": "t", "note": SECRET.upper()}, "note"),
        ({"table": "t", "note": SECRET[:-1]}, "note"),
        ({"table": "t", "note": "0x" + SECRET[2:]}, "note"),
        ({"table": "t", "note": SECRET + "\n"}, "note"),
        ({"table": "t", "note": [SECRET]}, "note"),
        ({"table": "t", "lock_within": 59}, "lock_within"),
        ({"table": "t", "lock_within": 2_592_001}, "lock_within"),
        ({"table": "t", "lock_within": "3600"}, "lock_within"),
        ({"table": "t", "lock_within": True}, "lock_within"),
        ({"table": "t", "lock_within": 10**16}, "lock_within"),
        ({"table": "t", "seals": [{"seat": 0, "seal": SECRET + "00"}]}, "seals.0.seal"),
        ({"table": "t", "seals": [{"seat": "0", "seal": SECRET}]}, "seals.0.seat"),
        ({"table": "t", "seals": [{"seat": -1, "seal": SECRET}]}, "seals.0.seat"),
        ({"table": "t", "seals": [{"seat": 16, "seal": SECRET}]}, "seals.0.seat"),
        ({"table": "t", "seals": [{"seat": 0}]}, "seals.0.seal"),
        ({"table": "t", "seals": {"0": SECRET}}, "seals"),
        ({"table": "t", "seals": [{"seat": 0, "seal": SECRET, "name": SECRET}]}, "seals.0.name"),
        ({}, "table"),
        ([SECRET], "body"),
        (SECRET, "body"),
        (None, "body"),
        (7, "body"),
    ],
)
def test_what_is_wrong_is_named_and_never_repeated(steady: Game, body: object, field: str) -> None:
    answer = post(steady, "/v1/hands", json.dumps(body))
    found = problem(answer, "invalid", 422)
    assert found["errors"][0]["field"] == field, found
    assert found["errors"][0]["rule"]
    assert SECRET.lower()[:20] not in answer.text.lower()
    assert "constrained" not in answer.text
    assert "literal[" not in answer.text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.just(SECRET) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "seeds",
                    "seat",
                    "seed",
                    "seals",
                    "seal",
                    "next",
                    "terms",
                    "table",
                    "reason",
                    "slots",
                    "hands",
                    "game",
                    SECRET,
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    body=JSON,
    path=st.sampled_from(
        [
            "/v1/hands",
            "/v1/hands/batch",
            *(f"/v1/hands/{HAND}/{act}" for act in ("deal", "openings", "reveal", "void")),
        ]
    ),
)
def test_no_error_echoes_a_secret_whatever_is_sent(
    steady: Game, caplog: pytest.LogCaptureFixture, body: object, path: str
) -> None:
    with caplog.at_level(logging.DEBUG):
        answer = post(steady, path, json.dumps(body))
    assert answer.status_code < 500, answer.text
    if answer.status_code >= 400:
        assert answer.headers["content-type"] == "application/problem+json"
        assert SECRET[:16] not in answer.text
    assert SECRET[:16] not in caplog.text


def test_seeds_sent_to_deal_are_never_said_back(game: Game) -> None:
    hand = game.committed(seats=(0,))["hand"]
    seeds = [{"seat": 0, "seed": SECRET}]
    for body in (
        {"seeds": seeds},
        {"seeds": [{**seeds[0], "seat": 9}]},
        {"seeds": [{"seat": 0, "seed": SECRET + "0"}]},
        {"seeds": [{"seat": 0, "seed": SECRET.upper()}]},
        {"seeds": seeds, "extra": SECRET},
        {"seeds": [*seeds, *seeds]},
        {"seeds": SECRET},
    ):
        answer = game.call("POST", f"/v1/hands/{hand}/deal", body)
        assert answer.status_code in (409, 422)
        assert SECRET[:16] not in answer.text.lower(), answer.text


def test_other_content_types_and_too_large_bodies_are_refused(game: Game) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""):
        found = problem(post(game, "/v1/hands", json.dumps({"table": "t"}), kind), "invalid", 422)
        assert found["errors"] == [{"field": "Content-Type", "rule": "must be application/json"}]
    answer = post(game, "/v1/hands", json.dumps({"table": "t"}), "Application/JSON; charset=utf-8")
    assert answer.status_code == 201
    problem(post(game, "/v1/hands", b" " * (LARGEST_BODY + 1)), "too_large", 413)


def test_unknown_addresses_and_methods_are_problems_too(http: TestClient) -> None:
    problem(http.get("/nothing"), "not_found", 404)
    problem(http.get("/docs"), "not_found", 404)
    for path in ("/tile/0/000.p/1%0a", "/tile/0/000%0a", "/checkpoint%0a", f"/v1/hands/{HAND}%0a"):
        problem(http.get(path), "not_found", 404)
    problem(http.delete("/v1/hands"), "method_not_allowed", 405)
    problem(http.post("/checkpoint"), "method_not_allowed", 405)


def test_a_failure_inside_is_answered_without_its_cause(
    app: FastAPI, game: Game, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    service: Service = app.state.service

    async def fail(_: object) -> None:
        raise RuntimeError(SECRET)

    monkeypatch.setattr(type(service.ledger), "submit", lambda self, act: fail(act))
    answer = game.commit()
    problem(answer, "internal", 500)
    assert SECRET not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_reads_are_open_to_pages_of_any_origin_and_writes_are_not(game: Game, http: TestClient) -> None:
    hand = game.committed()["hand"]
    for path in (
        f"/v1/hands/{hand}",
        f"/v1/hands/{hand}/receipt",
        "/v1/tables/operator/salon:1/hands",
        "/checkpoint",
        "/log/key",
    ):
        assert (
            http.get(path, headers={"Origin": "https://club.example"}).headers["access-control-allow-origin"]
            == "*"
        )
    assert http.get(f"/v1/hands/{HAND}").headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-origin" not in game.commit().headers
    preflight = http.options(
        "/v1/hands", headers={"Origin": "https://club.example", "Access-Control-Request-Method": "POST"}
    )
    assert preflight.headers["access-control-allow-methods"] == "GET"
    assert "access-control-allow-headers" not in preflight.headers
    assert game.commit().headers["cache-control"] == "no-store"


def test_without_a_key_nothing_is_said_of_the_body(steady: Game) -> None:
    http: Any = steady.http
    for path in ("/v1/hands", "/v1/hands/batch", f"/v1/hands/{HAND}/deal", f"/v1/hands/{HAND}/void"):
        for body in ("{", '{"x": 1}', "{}"):
            answer = http.post(path, content=body, headers={"Content-Type": "application/json"})
            problem(answer, "unauthorized", 401)


def test_a_hand_without_seals_is_dealt_without_a_body(game: Game) -> None:
    hand = game.committed()["hand"]
    answer = game.http.request(
        "POST", f"/v1/hands/{hand}/deal", headers={"Authorization": f"Bearer {game.key}"}
    )
    assert answer.status_code == 200, answer.text
    sealed = game.committed("other", seats=(1,))["hand"]
    answer = game.http.request(
        "POST", f"/v1/hands/{sealed}/deal", headers={"Authorization": f"Bearer {game.key}"}
    )
    problem(answer, "seals_unopened", 409)


def test_query_parameters_that_nobody_knows_are_refused(steady: Game) -> None:
    hand = steady.committed("query")["hand"]
    for path, field in (
        ("/v1/hands?stat=open", "stat"),
        (f"/v1/hands?state=open&{SECRET}=1", "?"),
        ("/v1/tables/operator/query/hands?offset=1", "offset"),
    ):
        found = problem(steady.call("GET", path), "invalid", 422)
        assert found["errors"] == [{"field": field, "rule": "unknown parameter"}]
    listed = steady.call("GET", "/v1/hands?state=open&after=-1&limit=500").json()["hands"]
    assert hand in [one["hand"] for one in listed]


def test_the_front_door_leads_to_the_page(steady: Game) -> None:
    http: Any = steady.http
    answer = http.get("/", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (307, "verify")
    assert http.get("/").url.path == "/verify"


def test_a_seals_position_is_said_for_batches_alone(game: Game) -> None:
    seal = {"seat": 0, "seal": "ab" * 32}
    game.committed(seals=[seal])
    assert "position" not in problem(game.commit("other", seals=[seal]), "seal_used", 409)
    body = {"hands": [{"table": "a"}, {"table": "b", "seals": [seal]}]}
    assert problem(game.call("POST", "/v1/hands/batch", body), "seal_used", 409)["position"] == 1

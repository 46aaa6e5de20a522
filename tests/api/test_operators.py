"""Who may do what: operator keys, other operators' hands, lists."""

from __future__ import annotations

import pytest
from fairdeal_api import operators
from fairdeal_api.auth import FRESH
from fairdeal_api.settings import Settings
from fastapi.testclient import TestClient

from fairdeal.errors import MalformedError, UsageError
from tests.api.support import Game, ok, problem, wait_until

WRITES = [
    "/v1/hands",
    "/v1/hands/batch",
    *(f"/v1/hands/{'0' * 32}/{act}" for act in ("deal", "openings", "reveal", "void")),
]


@pytest.mark.parametrize("path", WRITES)
@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Basic b3BlcmF0b3I6",
        "Bearer fdk_nothing",
        "fdk_nothing",
        "Bearer " + "x" * 5000,
    ],
)
def test_writes_need_an_operators_key(steady: Game, path: str, header: str | None) -> None:
    answer = steady.http.request(
        "POST", path, json={}, headers={} if header is None else {"Authorization": header}
    )
    problem(answer, "unauthorized", 401)
    assert answer.headers["www-authenticate"] == "Bearer"


def test_the_list_of_open_hands_needs_a_key_and_shows_ones_own_only(
    game: Game, other: Game, http: TestClient
) -> None:
    problem(http.get("/v1/hands?state=open"), "unauthorized", 401)
    mine = [game.committed("a", seats=(0,))["hand"] for _ in range(3)]
    theirs = other.committed("a")["hand"]
    game.dealt(mine[0])
    game.dealt(mine[1])
    ok(game.reveal(mine[1]))
    listed = ok(game.call("GET", "/v1/hands?state=open"))
    assert [(h["hand"], h["state"]) for h in listed["hands"]] == [(mine[0], "locked"), (mine[2], "committed")]
    assert {h["deal"] for h in listed["hands"]} == {h["server_seed"] for h in listed["hands"]} == {None}
    assert listed["next"] is None
    assert [h["hand"] for h in ok(other.call("GET", "/v1/hands"))["hands"]] == [theirs]
    page = ok(game.call("GET", "/v1/hands?limit=1"))
    assert [h["hand"] for h in page["hands"]] == mine[:1]
    rest = ok(game.call("GET", f"/v1/hands?limit=1&after={page['next']}"))
    assert ([h["hand"] for h in rest["hands"]], rest["next"]) == (mine[2:], None)
    problem(game.call("GET", "/v1/hands?state=revealed"), "invalid", 422)
    problem(game.call("GET", "/v1/hands?limit=501"), "invalid", 422)


def test_another_operators_hand_is_out_of_reach(game: Game, other: Game) -> None:
    hand = game.committed(seats=(0,), terms={"openings": True})["hand"]
    other.seeds = game.seeds
    problem(other.deal(hand), "not_yours", 403)
    problem(other.void(hand, "technical"), "not_yours", 403)
    game.dealt(hand)
    problem(other.deal(hand), "not_yours", 403)
    problem(other.reveal(hand), "not_yours", 403)
    problem(other.call("POST", f"/v1/hands/{hand}/openings", {"slots": ["indicator"]}), "not_yours", 403)
    ok(game.reveal(hand))
    problem(other.deal(hand), "not_yours", 403)


def test_operators_with_the_same_table_name_have_their_own_numbers(game: Game, other: Game) -> None:
    assert [game.committed("t")["number"], other.committed("t")["number"], game.committed("t")["number"]] == [
        1,
        1,
        2,
    ]
    problem(game.get("/v1/tables/other/u/hands"), "not_found", 404)
    listed = ok(game.get("/v1/tables/other/t/hands"))
    assert [(h["number"], h["state"], h["game"]) for h in listed["hands"]] == [(1, "committed", "okey")]


def test_a_tables_hands_come_in_pages_of_up_to_500(game: Game) -> None:
    ok(game.call("POST", "/v1/hands/batch", {"hands": [{"table": "t"}] * 501}), 201)
    page = ok(game.get("/v1/tables/operator/t/hands?limit=500"))
    assert ([h["number"] for h in page["hands"]], page["next"]) == (list(range(1, 501)), 500)
    rest = ok(game.get("/v1/tables/operator/t/hands?after=500"))
    assert ([h["number"] for h in rest["hands"]], rest["next"]) == ([501], None)
    assert len(ok(game.get("/v1/tables/operator/t/hands"))["hands"]) == 100
    for query in ("limit=0", "limit=501", "after=-1", "after=x"):
        problem(game.get(f"/v1/tables/operator/t/hands?{query}"), "invalid", 422)
    problem(game.get("/v1/tables/Operator/t/hands"), "invalid", 422)


def test_unknown_hands_are_not_found_and_odd_ids_are_invalid(game: Game) -> None:
    for path in ("", "/receipt"):
        problem(game.get(f"/v1/hands/{'0' * 32}{path}"), "not_found", 404)
        for odd in ("0" * 31, "A" * 32, "0x" + "0" * 30):
            problem(game.get(f"/v1/hands/{odd}{path}"), "invalid", 422)
    problem(game.deal("0" * 32), "not_found", 404)
    problem(game.reveal("0" * 32), "not_found", 404)
    problem(game.void("0" * 32, "technical"), "not_found", 404)
    problem(game.call("POST", f"/v1/hands/{'0' * 32}/openings", {"slots": ["indicator"]}), "not_found", 404)


def test_keys_are_shown_once_stored_hashed_and_can_be_revoked(
    game: Game, settings: Settings, http: TestClient
) -> None:
    key = operators.add(settings, "casino")
    casino = Game(http, key)
    ok(casino.commit(), 201)
    stored = b"".join(file.read_bytes() for file in settings.data.iterdir() if "fairdeal.db" in file.name)
    assert key.encode() not in stored
    assert key.removeprefix("fdk_").encode() not in stored
    assert [(o.name, o.active) for o in operators.list_operators(settings)] == [
        ("casino", True),
        ("operator", True),
    ]
    with pytest.raises(UsageError, match="has a key already"):
        operators.add(settings, "casino")
    assert operators.revoke(settings, "casino") == 1
    wait_until(lambda: casino.call("GET", "/v1/hands").status_code == 401, 10 * FRESH)
    assert operators.revoke(settings, "casino") == 0
    assert [(o.name, o.active) for o in operators.list_operators(settings)] == [
        ("casino", False),
        ("operator", True),
    ]
    renewed = operators.add(settings, "casino")
    assert renewed != key
    assert ok(Game(http, renewed).commit(), 201)["number"] == 2
    problem(casino.commit(), "unauthorized", 401)


def test_operator_names_follow_the_protocol(settings: Settings) -> None:
    for name in ("", "Casino", "a b", "-a", "ä", "a" * 65, "a\n"):
        with pytest.raises(MalformedError):
            operators.add(settings, name)
    with pytest.raises(UsageError, match="no operator"):
        operators.revoke(settings, "nobody")

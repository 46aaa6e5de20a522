"""Requests that come twice: repeats answer the same, keys make commits repeatable, nothing happens twice."""

from __future__ import annotations

from fairdeal_api.acts import KEEP_ANSWERS
from fairdeal_api.expiry import PAUSE
from fairdeal_api.tables import IdempotencyRow, table_of
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from tests.api.support import HOUR, Clock, Game, ok, problem, read_log, wait_until


def test_a_commit_with_a_key_answers_the_same_hand_again(game: Game, other: Game, http: TestClient) -> None:
    body = {"table": "t", "seals": [{"seat": 0, "seal": "ab" * 32}]}
    first = game.call("POST", "/v1/hands", body, Idempotency_Key="k1")
    again = game.call("POST", "/v1/hands", body, Idempotency_Key="k1")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.content == again.content
    assert read_log(http).checkpoint.size == 1
    problem(game.call("POST", "/v1/hands", {"table": "u"}, Idempotency_Key="k1"), "idempotency_mismatch", 422)
    problem(
        game.call("POST", "/v1/hands/batch", {"hands": [body]}, Idempotency_Key="k1"),
        "idempotency_mismatch",
        422,
    )
    ok(game.call("POST", "/v1/hands", {"table": "t"}, Idempotency_Key="k2"), 201)
    # Another operator's keys are its own.
    ok(other.call("POST", "/v1/hands", {"table": "t"}, Idempotency_Key="k1"), 201)
    problem(game.call("POST", "/v1/hands", body, Idempotency_Key="x" * 256), "invalid", 422)
    problem(game.call("POST", "/v1/hands", body, Idempotency_Key="two words"), "invalid", 422)


def test_a_batch_with_a_key_answers_the_same_hands_again(game: Game, http: TestClient) -> None:
    body = {"hands": [{"table": "t"}, {"table": "t"}]}
    first = game.call("POST", "/v1/hands/batch", body, Idempotency_Key="k")
    again = game.call("POST", "/v1/hands/batch", body, Idempotency_Key="k")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.content == again.content
    assert read_log(http).checkpoint.size == 2


def test_a_commit_that_was_refused_leaves_its_key_free(game: Game) -> None:
    game.committed(seals=[{"seat": 0, "seal": "ab" * 32}])
    refused = {"table": "t", "seals": [{"seat": 0, "seal": "ab" * 32}]}
    problem(game.call("POST", "/v1/hands", refused, Idempotency_Key="k"), "seal_used", 409)
    ok(game.call("POST", "/v1/hands", {"table": "t"}, Idempotency_Key="k"), 201)


def test_the_answer_under_a_key_stays_what_it_was_when_the_hand_has_moved_on(game: Game) -> None:
    first = game.call("POST", "/v1/hands", {"table": "t"}, Idempotency_Key="k")
    game.dealt(first.json()["hand"])
    assert game.call("POST", "/v1/hands", {"table": "t"}, Idempotency_Key="k").content == first.content


def test_keys_are_kept_for_two_days_and_then_forgotten(game: Game, clock: Clock, app: FastAPI) -> None:
    ok(game.call("POST", "/v1/hands", {"table": "t"}, Idempotency_Key="k"), 201)

    def kept() -> int:
        with app.state.service.reader.begin() as connection:
            found: int = connection.scalar(select(func.count()).select_from(table_of(IdempotencyRow)))
        return found

    clock.tick(24 * HOUR)
    assert game.call("POST", "/v1/hands", {"table": "t"}, Idempotency_Key="k").status_code == 200
    clock.tick(KEEP_ANSWERS)
    wait_until(lambda: kept() == 0, 10 * PAUSE)


def test_a_batch_is_all_or_none(game: Game, http: TestClient) -> None:
    seal = {"seat": 0, "seal": "ab" * 32}
    twice = {"hands": [{"table": "a", "seals": [seal]}, {"table": "b", "seals": [seal]}]}
    assert problem(game.call("POST", "/v1/hands/batch", twice), "seal_used", 409)["position"] == 1
    bad = {"hands": [{"table": "a"}, {"table": "b", "terms": {"seats": 9}}]}
    found = problem(game.call("POST", "/v1/hands/batch", bad), "invalid", 422)
    assert found["errors"][0]["field"] == "hands.1.terms.seats"
    assert read_log(http).checkpoint.size == 0
    hands = ok(game.call("POST", "/v1/hands/batch", {"hands": [{"table": "a"}] * 3 + [{"table": "b"}]}), 201)[
        "hands"
    ]
    assert [(h["table"], h["number"]) for h in hands] == [("a", 1), ("a", 2), ("a", 3), ("b", 1)]
    assert len({h["receipt"]["checkpoint"] for h in hands}) == 1
    problem(game.call("POST", "/v1/hands/batch", {"hands": []}), "invalid", 422)
    problem(game.call("POST", "/v1/hands/batch", {"hands": [{"table": "a"}] * 1001}), "invalid", 422)


def test_a_batch_of_a_thousand(game: Game, http: TestClient) -> None:
    hands = ok(game.call("POST", "/v1/hands/batch", {"hands": [{"table": "a"}] * 1000}), 201)["hands"]
    assert [h["number"] for h in hands] == list(range(1, 1001))
    assert read_log(http).checkpoint.size == 1000


def test_repeated_writes_answer_the_same_and_write_nothing(game: Game, http: TestClient) -> None:
    hand = game.committed(seats=(0,))["hand"]
    dealt = game.dealt(hand)
    assert game.dealt(hand) == dealt
    # Whatever else the repeat asks for, the hand was locked once.
    assert game.dealt(hand, reveal_within=60) == dealt
    problem(game.deal(hand, seeds=[]), "seals_unopened", 409)
    problem(game.deal(hand, seeds=[{"seat": 0, "seed": "00" * 32}]), "seal_mismatch", 422)
    revealed = ok(game.reveal(hand))
    assert ok(game.reveal(hand)) == revealed
    again = game.dealt(hand)
    assert (again["deal"], again["state"]) == (dealt["deal"], "revealed")
    assert again == revealed
    assert read_log(http).checkpoint.size == 3
    ended = problem(game.void(hand, "technical"), "ended", 409)
    assert (ended["outcome"], ended["hand"], ended["reason"]) == ("played", hand, None)
    assert ended["revealed_at"] == revealed["revealed_at"]
    problem(game.deal(hand, seeds=[]), "ended", 409)


def test_a_void_repeats_with_its_own_reason_only(game: Game) -> None:
    hand = game.committed(seats=(0,))["hand"]
    voided = ok(game.void(hand, "seat-silent"))
    assert ok(game.void(hand, "seat-silent")) == voided
    ended = problem(game.void(hand, "technical"), "ended", 409)
    assert (ended["outcome"], ended["reason"]) == ("void", "seat-silent")
    problem(game.reveal(hand), "ended", 409)
    problem(game.deal(hand), "ended", 409)


def test_a_reveal_with_next_commits_one_next_hand_however_often_it_comes(
    game: Game, http: TestClient
) -> None:
    hand = game.committed(seats=(0,))["hand"]
    game.dealt(hand)
    following = {"seals": [{"seat": 1, "seal": "cd" * 32}], "lock_within": 60}
    first = ok(game.reveal(hand, next=following))
    assert first["next"]["number"] == 2
    assert len(first["next"]["receipt"]["entries"]) == 1
    assert ok(game.reveal(hand, next=following)) == first
    assert ok(game.reveal(hand))["next"]["hand"] == first["next"]["hand"]
    problem(game.reveal(hand, next={"lock_within": 61}), "repeat_mismatch", 422)
    assert read_log(http).checkpoint.size == 4
    assert ok(game.get("/v1/tables/operator/salon:1/hands"))["hands"][-1]["number"] == 2


def test_a_reveal_that_asked_for_no_next_hand_gets_none_later(game: Game) -> None:
    hand = game.committed()["hand"]
    game.dealt(hand)
    assert "next" not in ok(game.reveal(hand))
    problem(game.reveal(hand, next={}), "ended", 409)


def test_a_next_hand_that_is_refused_leaves_the_hand_unrevealed(game: Game, http: TestClient) -> None:
    hand = game.committed(seals=[{"seat": 0, "seal": "ab" * 32}])["hand"]
    problem(game.reveal(hand, next={}), "not_locked", 409)
    ok(game.void(hand, "technical"))
    second = game.committed()["hand"]
    game.dealt(second)
    problem(game.reveal(second, next={"seals": [{"seat": 0, "seal": "ab" * 32}]}), "seal_used", 409)
    assert ok(game.get(f"/v1/hands/{second}"))["state"] == "locked"
    assert ok(game.reveal(second, next={"table": "elsewhere"}))["next"]["table"] == "elsewhere"
    assert read_log(http).checkpoint.size == 6

"""Deadlines and clocks: the service ends what is overdue, and the log's times never go backwards."""

from __future__ import annotations

import json
import logging

import pytest
from fairdeal_api.acts import Act
from fairdeal_api.app import create_app
from fairdeal_api.expiry import PAUSE
from fairdeal_api.ledger import Ledger, Result
from fairdeal_api.service import StartupError, open_service
from fairdeal_api.settings import Settings
from fastapi import FastAPI
from fastapi.testclient import TestClient

from fairdeal.verify import verify
from tests.api.support import HOUR, MINUTE, START, Clock, Game, ok, problem, read_log, wait_until


def test_a_hand_that_is_not_locked_in_time_is_ended_by_the_service(game: Game, clock: Clock) -> None:
    hand = game.committed(lock_within=60)["hand"]
    clock.tick(MINUTE)
    wait_until(lambda: ok(game.get(f"/v1/hands/{hand}"))["state"] == "revealed", 10 * PAUSE)
    ended = ok(game.get(f"/v1/hands/{hand}"))
    assert (ended["outcome"], ended["reason"], ended["deal"]) == ("expired", None, None)
    assert ended["server_seed"] is not None
    assert ended["revealed_at"] == START + MINUTE
    assert verify(game.get(f"/v1/hands/{hand}/receipt").text).verdict == "consistent"


def test_the_last_moment_counts_and_the_next_is_too_late(game: Game, clock: Clock) -> None:
    early, late = game.committed("a", lock_within=60)["hand"], game.committed("b", lock_within=60)["hand"]
    clock.tick(MINUTE - 1)
    game.dealt(early, reveal_within=60)
    clock.tick(1)
    # The request itself ends the hand: no sweep is needed for the answer to be right.
    assert problem(game.deal(late), "ended", 409)["outcome"] == "expired"
    clock.tick(MINUTE - 2)
    assert ok(game.get(f"/v1/hands/{early}"))["state"] == "locked"
    clock.tick(1)
    assert problem(game.reveal(early), "ended", 409)["outcome"] == "expired"
    expired = ok(game.get(f"/v1/hands/{early}"))
    assert expired["deal"] is not None
    assert verify(game.get(f"/v1/hands/{early}/receipt").text).verdict == "consistent"
    # The lock did happen: its repeat still answers the deal, which is public now.
    assert game.dealt(early)["deal"] == expired["deal"]


def test_a_void_comes_too_late_as_well(game: Game, clock: Clock) -> None:
    hand = game.committed(lock_within=60)["hand"]
    clock.tick(MINUTE)
    assert problem(game.void(hand, "technical"), "ended", 409)["outcome"] == "expired"


def test_hands_that_went_overdue_while_the_service_was_down_are_ended_at_the_start(
    settings: Settings,
) -> None:
    clock = Clock()
    with TestClient(create_app(settings, clock)) as http:
        game = Game(http, settings.operator_key_path.read_text().strip())
        committed, locked = game.committed("a")["hand"], game.committed("b")["hand"]
        game.dealt(locked)
        spared = game.committed("c", lock_within=86_400)["hand"]
    clock.tick(HOUR)
    with TestClient(create_app(settings, clock)) as http:
        # Nothing is waited for: the first request already sees them ended.
        states = {hand: ok(http.get(f"/v1/hands/{hand}")) for hand in (committed, locked, spared)}
        assert [states[h]["outcome"] for h in (committed, locked, spared)] == ["expired", "expired", None]
        assert states[locked]["deal"] is not None
        assert read_log(http).checkpoint.size == 6


def test_many_overdue_hands_are_ended_in_one_go(settings: Settings) -> None:
    clock = Clock()
    with TestClient(create_app(settings, clock)) as http:
        game = Game(http, settings.operator_key_path.read_text().strip())
        ok(game.call("POST", "/v1/hands/batch", {"hands": [{"table": "a"}] * 1000}), 201)
        ok(game.call("POST", "/v1/hands/batch", {"hands": [{"table": "b"}]}), 201)
    clock.tick(HOUR)
    with TestClient(create_app(settings, clock)) as http:
        log = read_log(http)
        assert log.checkpoint.size == 2002
        assert ok(game_of(http, settings).call("GET", "/v1/hands?state=open"))["hands"] == []


def game_of(http: TestClient, settings: Settings) -> Game:
    return Game(http, settings.operator_key_path.read_text().strip())


def test_a_clock_that_steps_back_never_takes_the_log_along(
    game: Game, clock: Clock, http: TestClient
) -> None:
    first = game.committed()["hand"]
    clock.tick(-HOUR)
    second = game.committed()
    assert second["committed_at"] == START
    clock.tick(-HOUR)
    game.dealt(first)
    revealed = ok(game.reveal(first))
    assert revealed["revealed_at"] == START
    clock.tick(2 * HOUR + 1)
    third = game.committed()
    assert third["committed_at"] == START + 1
    times = [entry.at for entry in read_log(http).parsed]
    assert times == sorted(times)
    assert verify(json.dumps(revealed["receipt"])).verdict == "consistent"


def test_a_clock_set_back_between_starts(settings: Settings) -> None:
    with TestClient(create_app(settings, Clock(START))) as http:
        game_of(http, settings).committed()
    with TestClient(create_app(settings, Clock(START - HOUR))) as http:
        assert game_of(http, settings).committed()["committed_at"] == START


def test_a_seed_that_is_gone_ends_the_hand_as_lost_and_loudly(
    app: FastAPI, settings: Settings, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    with TestClient(app) as http:
        game = game_of(http, settings)
        hand, unlocked, expiring = (
            game.committed(table, terms={"openings": True})["hand"] for table in "abc"
        )
        game.dealt(hand)
    settings.seed_keys_path.write_text("fairdeal-seed-key-1 " + "00" * 32 + "\n")
    with pytest.raises(StartupError, match=r"seed\.keys: does not open the seeds of 3 hands.*ACCEPT_LOST"):
        open_service(settings, clock)
    accepting = settings.model_copy(update={"accept_lost": True})
    openings = f"/v1/hands/{hand}/openings"
    with caplog.at_level(logging.CRITICAL), TestClient(create_app(accepting, clock)) as http:
        game = game_of(http, settings)
        size = read_log(http).checkpoint.size
        # The key file may yet be put back: until its time is past, a hand waits for it.
        for answer in (
            game.deal(unlocked),
            game.void(unlocked, "technical"),
            game.reveal(hand, next={}),
            game.void(hand, "technical"),
            game.call("POST", openings, {"slots": ["indicator"]}),
        ):
            problem(answer, "unavailable", 503)
        assert read_log(http).checkpoint.size == size
        assert ok(game.get(f"/v1/hands/{unlocked}"))["state"] == "committed"
        clock.tick(HOUR)
        assert problem(game.deal(expiring), "ended", 409)["outcome"] == "lost"
        assert problem(game.reveal(hand, next={}), "ended", 409)["outcome"] == "lost"
        assert problem(game.void(unlocked, "technical"), "ended", 409)["outcome"] == "lost"
        for path in (openings, openings.replace(hand, unlocked)):
            assert (
                problem(game.call("POST", path, {"slots": ["indicator"]}), "ended", 409)["outcome"] == "lost"
            )
        assert "ends as lost" in caplog.text
        lost = ok(game.get(f"/v1/hands/{hand}"))
        assert (lost["server_seed"], lost["deal"], lost["reason"]) == (None, None, None)
        assert verify(game.get(f"/v1/hands/{hand}/receipt").text).verdict == "incomplete"
        assert problem(game.deal(hand), "ended", 409)["outcome"] == "lost"
        assert len(ok(game.get("/v1/tables/operator/a/hands"))["hands"]) == 1


def test_a_key_file_that_is_put_back_opens_the_seeds_again(
    app: FastAPI, settings: Settings, clock: Clock
) -> None:
    with TestClient(app) as http:
        game = game_of(http, settings)
        hand = game.committed()["hand"]
        game.dealt(hand)
    right = settings.seed_keys_path.read_text()
    settings.seed_keys_path.write_text("fairdeal-seed-key-1 " + "00" * 32 + "\n")
    with TestClient(create_app(settings.model_copy(update={"accept_lost": True}), clock)) as http:
        problem(game_of(http, settings).reveal(hand), "unavailable", 503)
    settings.seed_keys_path.write_text(right)
    with TestClient(create_app(settings, clock)) as http:
        assert ok(game_of(http, settings).reveal(hand))["outcome"] == "played"


def test_a_sweep_that_fails_is_tried_again(
    app: FastAPI, game: Game, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand = game.committed(lock_within=60)["hand"]
    submit = Ledger.submit
    failures: list[Act] = []

    async def failing(self: Ledger, act: Act) -> Result:
        if len(failures) < 2:
            failures.append(act)
            raise RuntimeError("once or twice")
        return await submit(self, act)

    monkeypatch.setattr(Ledger, "submit", failing)
    clock.tick(MINUTE)
    wait_until(lambda: ok(game.get(f"/v1/hands/{hand}"))["outcome"] == "expired", 10 * PAUSE)
    assert len(failures) == 2

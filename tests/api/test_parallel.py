"""Many requests at once: numbers without gap or twin, one winner where there can be one, quick liveness."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from tests.api.support import Game, Running, ok, problem, read_log


def test_a_hundred_parallel_commits_on_one_table_get_a_hundred_numbers(
    starting: Callable[..., Running],
) -> None:
    running = starting()
    with running.client() as http, ThreadPoolExecutor(100) as pool:
        game = Game(http, running.key)
        hands = list(pool.map(lambda _: game.committed("t", seats=(0,)), range(100)))
        assert sorted(hand["number"] for hand in hands) == list(range(1, 101))
        log = read_log(http)
        assert [entry.number for entry in log.parsed if entry.type == "commit"] == list(range(1, 101))  # type: ignore[union-attr]  # commits have one


def test_parallel_twins_have_one_winner(starting: Callable[..., Running]) -> None:
    running = starting()
    with running.client() as http, ThreadPoolExecutor(32) as pool:
        game = Game(http, running.key)
        body = {"table": "t", "seals": [{"seat": 0, "seal": "ab" * 32}]}
        answers = list(pool.map(lambda _: game.call("POST", "/v1/hands", body), range(32)))
        assert sorted(a.status_code for a in answers) == [201] + [409] * 31
        for answer in answers:
            if answer.status_code == 409:
                problem(answer, "seal_used", 409)
        keyed = list(
            pool.map(lambda _: game.call("POST", "/v1/hands", {"table": "u"}, Idempotency_Key="k"), range(32))
        )
        assert sorted(a.status_code for a in keyed) == [200] * 31 + [201]
        assert len({a.content for a in keyed}) == 1
        hand = game.committed("v", seats=(0,))["hand"]
        deals = list(pool.map(lambda _: game.dealt(hand), range(32)))
        assert all(d["deal"] == deals[0]["deal"] for d in deals)
        reveals = list(pool.map(lambda _: ok(game.reveal(hand, next={})), range(32)))
        assert len({r["next"]["hand"] for r in reveals}) == 1
        assert read_log(http).checkpoint.size == 2 + 4


def test_liveness_stays_quick_while_the_ledger_is_busy(starting: Callable[..., Running]) -> None:
    running = starting()
    with running.client() as http, ThreadPoolExecutor(65) as pool:
        game = Game(http, running.key)
        until = time.monotonic() + 3

        def load(worker: int) -> int:
            count = 0
            while time.monotonic() < until:
                ok(game.commit(f"t{worker}"), 201)
                count += 1
            return count

        loads = [pool.submit(load, worker) for worker in range(64)]
        slowest = 0.0
        while time.monotonic() < until - 0.5:
            started = time.monotonic()
            assert http.get("/healthz").status_code == 200
            slowest = max(slowest, time.monotonic() - started)
            time.sleep(0.05)
        assert slowest < 1.5, slowest
        assert sum(done.result() for done in loads) > 100

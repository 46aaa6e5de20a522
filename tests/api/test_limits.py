"""Request rates: buckets, leases, and one rate for all processes of a log."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fairdeal_api import db
from fairdeal_api.app import create_app
from fairdeal_api.limits import LEASE, LEASE_TIME, LocalAllowances, Rates, draw, take_shared
from fairdeal_api.problems import Problem
from fairdeal_api.settings import Settings
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from tests import coroutines
from tests.api.support import Clock, Game, problem


@given(
    st.integers(1, 5000),
    st.lists(st.tuples(st.integers(-500, 3000), st.integers(1, 600)), min_size=1, max_size=60),
)
def test_a_bucket_never_gives_more_than_the_rate(rate: int, steps: list[tuple[int, int]]) -> None:
    bucket, now, given_out = None, 1_000_000, 0
    first = latest = now + steps[0][0]
    for pause, wanted in steps:
        now += pause
        granted, bucket = draw(bucket, rate, wanted, now)
        assert 0 <= granted <= wanted
        given_out += granted
        latest = max(latest, now)
        assert given_out <= rate + rate * (latest - first) / 1000
    assert bucket is not None
    assert 0 <= bucket[0] <= rate * 1000


def spent(rates: Rates, operator: str, tries: int) -> int:
    async def spend() -> int:
        done = 0
        for _ in range(tries):
            try:
                await rates.spend(operator)
            except Problem as refused:
                if refused.code != "rate_limited":
                    raise
            else:
                done += 1
        return done

    return coroutines.run(spend())


def test_a_rate_is_kept_and_comes_back_with_time() -> None:
    clock = Clock(0)
    seconds = lambda: clock.now / 1000  # noqa: E731 -- the same time, for leases
    rates = Rates(100, LocalAllowances(100, clock).take, seconds)
    assert spent(rates, "a", 500) == 100
    assert spent(rates, "b", 50) == 50
    clock.tick(int(LEASE * 1000))
    assert spent(rates, "a", 500) == 10
    clock.tick(10_000)
    assert spent(rates, "a", 500) == 100


def test_no_rate_asks_nobody() -> None:
    async def never(_operator: str, _wanted: int) -> int:
        raise AssertionError

    assert spent(Rates(0, never), "a", 1000) == 1000


def test_a_lease_is_taken_once_for_all_who_wait_and_ends() -> None:
    taken: list[int] = []
    now = [0.0]

    async def take(_operator: str, wanted: int) -> int:
        await asyncio.sleep(0)
        taken.append(wanted)
        return wanted

    async def crowd() -> None:
        rates = Rates(1000, take, lambda: now[0])
        await asyncio.gather(*(rates.spend("a") for _ in range(100)))
        assert taken == [100]
        await rates.spend("a")
        now[0] += LEASE_TIME
        await rates.spend("a")
        assert taken == [100] * 3

    coroutines.run(crowd())


def test_processes_share_a_rate_through_the_database(postgres_url: str) -> None:
    engine = db.writer_engine(postgres_url)
    db.migrate(engine)

    def take(k: int) -> int:
        with engine.begin() as connection:
            return take_shared(connection, "a", 100, 10, 1_000_000 + k)

    try:
        with engine.begin() as connection:
            assert take_shared(connection, "a", 100, 10, 1_000_000) == 10
        with ThreadPoolExecutor(3) as pool:
            assert sum(pool.map(take, [0] * 20)) == 90
        # A machine whose clock is behind gets nothing that the others have not waited for.
        assert take(-5000) == 0
        assert take(50) == 5
    finally:
        engine.dispose()


@pytest.mark.parametrize("path", ["/v1/hands?state=open", "/v1/hands"])
def test_an_operator_beyond_its_rate_is_told_when_to_come_back(
    tmp_path: Path, store_url: str | None, path: str
) -> None:
    settings = Settings(data=tmp_path / "data", database_url=store_url, operator_rate=5)
    with TestClient(create_app(settings, Clock())) as http:
        game = Game(http, settings.operator_key_path.read_text().strip())
        calls = [game.call("GET" if "?" in path else "POST", path, {"table": "t"}) for _ in range(8)]
        assert [call.status_code < 300 for call in calls] == [True] * 5 + [False] * 3
        problem(calls[-1], "rate_limited", 429)
        assert calls[-1].headers["retry-after"] == "1"
        # Open reads and whoever watches are not an operator's requests.
        assert http.get("/checkpoint").status_code == 200
        assert http.get("/readyz").status_code == 200
        assert 'fairdeal_refused_total{code="rate_limited"} 3.0' in http.get("/metrics").text

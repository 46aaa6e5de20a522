from __future__ import annotations

import hashlib
import importlib
import json
import sys

import numpy as np
import pytest
from scipy import stats

from fairdeal.audit.stats import Battery, DealColumns, Outcome
from fairdeal.audit.stats.battery import TESTS
from fairdeal.audit.stats.blocks import blocks
from fairdeal.audit.stats.columns import Bytes, hands_of
from fairdeal.errors import UsageError
from tests.audit.orders import (
    VARIED,
    Draw,
    at_the_wall,
    chosen,
    dealt,
    honest,
    naive,
    one_byte,
    sattolo,
    shuffled,
)

HANDS = 2000
LOGS = 200


def _run(order: Bytes, rng: np.random.Generator) -> dict[str, Outcome]:
    battery = Battery()
    battery.update(at_the_wall(rng, order))
    results = battery.results()
    assert len(results.tests) == TESTS
    assert set(results.alarms) == {test for test in results.tests if test.alarm}
    return {test.name: test for test in results.tests}


@pytest.mark.parametrize(
    ("draw", "last", "telling"),
    [
        (naive, 0, {"tiles-by-position"}),
        (sattolo, 1, {"tiles-by-position", "fixed-points"}),
        (one_byte, 1, {"tiles-by-position"}),
    ],
)
@pytest.mark.parametrize("seed", range(5))
def test_wrong_shuffles_are_caught_at_2000_hands(draw: Draw, last: int, telling: set[str], seed: int) -> None:
    rng = np.random.default_rng(seed)
    found = _run(shuffled(rng, HANDS, draw, last), rng)
    assert telling <= {name for name, test in found.items() if test.alarm}


def test_honest_logs_raise_no_more_alarms_than_the_level_allows() -> None:
    """200 honest logs of 2,000 hands: alarms within the level, and every test's p-values even."""
    rng = np.random.default_rng(1)
    logs = [_run(honest(rng, HANDS), rng) for _ in range(LOGS)]
    alarms = sum(any(test.alarm for test in log.values()) for log in logs)
    # At 1 % two are due; more than seven would come once in a thousand such series.
    assert alarms <= stats.binom.isf(0.001, LOGS, 0.01)
    for name in logs[0]:
        values = [log[name].p for log in logs]
        if name == "repeats":
            assert set(values) == {1.0}
            continue
        assert stats.kstest(values, "uniform").pvalue > 0.0005, name


def test_deals_of_the_core_itself_raise_no_alarm() -> None:
    _, columns = dealt([hashlib.sha256(b"honest %d" % k).digest() for k in range(1500)], VARIED)
    battery = Battery()
    battery.update(columns)
    results = battery.results()
    assert results.hands == 1500
    assert results.left_out == 0
    assert not results.alarms
    assert (
        sum(test.ran for test in results.tests) == TESTS - 4
    )  # too few hands of each game for tests by seat


def test_too_few_hands_and_a_test_says_so_instead_of_running() -> None:
    battery = Battery()
    nothing = battery.results()
    assert not any(test.ran for test in nothing.tests)
    rng = np.random.default_rng(2)
    battery.update(at_the_wall(rng, honest(rng, 150)))
    results = battery.results()
    by_name = {test.name: test for test in results.tests}
    assert [name for name, test in by_name.items() if test.ran] == [
        "fixed-points",
        "runs",
        "repeats",
        "successive-places",
        "successive-ranks",
        "wall-dice",
    ]
    tiles = by_name["tiles-by-position"]
    assert (tiles.hands, tiles.minimum, tiles.p, tiles.p_adjusted, tiles.power) == (150, 530, None, None, ())


def test_an_order_dealt_twice_is_an_alarm() -> None:
    rng = np.random.default_rng(3)
    order = honest(rng, 50)
    order[30] = order[3]
    assert _run(order, rng)["repeats"].alarm


def test_a_loaded_die_and_a_favoured_seat_are_found() -> None:
    rng = np.random.default_rng(4)
    columns = at_the_wall(rng, honest(rng, 20_000))
    assert columns.dice is not None
    assert columns.dealer is not None
    assert columns.dealer_dice is not None
    thrown = columns.terms_id == 4
    columns.dealer[thrown & (rng.random(20_000) < 0.2)] = 2
    columns.dealer_dice[thrown & (rng.random(20_000) < 0.1), 1] = 6
    columns.dice[rng.random(20_000) < 0.05, 2] = 3
    battery = Battery()
    battery.update(columns)
    assert {"dealers", "dealer-dice", "wall-dice"} <= {test.name for test in battery.results().alarms}


def test_orders_turned_down_until_a_seat_has_its_okey_are_found() -> None:
    rng = np.random.default_rng(5)
    columns = at_the_wall(rng, honest(rng, 6000))
    (block,) = blocks(hands_of(columns))
    indicator = block.hands.indicator.astype(int)
    okey = indicator % 52 // 13 * 13 + (indicator % 13 + 1) % 13
    without = block.owner[okey, np.arange(6000)] != 0
    battery = Battery()
    battery.update(chosen(columns, np.flatnonzero(~without | (rng.random(6000) < 0.6))))
    assert {test.name for test in battery.results().alarms} == {"okeys-by-seat"}


def test_results_are_plain_json() -> None:
    rng = np.random.default_rng(6)
    battery = Battery()
    battery.update(at_the_wall(rng, honest(rng, 700)))
    results = battery.results()
    text = json.dumps(results.as_json(), allow_nan=False)
    assert json.loads(text)["hands"] == 700
    assert {group.thing for group in results.seats} == {"okeys", "jokers", "pairs", "longest"}
    for group in results.seats:
        assert group.as_json()["observed"] == pytest.approx(group.as_json()["expected"], rel=0.2)


def test_columns_that_are_not_given_leave_their_tests_out() -> None:
    rng = np.random.default_rng(7)
    columns = at_the_wall(rng, honest(rng, 800))
    battery = Battery()
    battery.update(DealColumns(columns.order, columns.terms, columns.terms_id, columns.dealer))
    ran = {test.name: test.hands for test in battery.results().tests if test.ran}
    assert "dealers" in ran
    assert not {"dealer-dice", "wall-dice", "indicators", "okeys-by-seat", "pairs-by-seat"} & set(ran)
    assert ran["tiles-by-position"] == 800


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("fairdeal.audit.stats")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(UsageError, match=r"statistics need scipy: pip install '\.\[audit\]'"):
        importlib.import_module("fairdeal.audit.stats")

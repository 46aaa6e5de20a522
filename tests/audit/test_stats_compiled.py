from __future__ import annotations

import hashlib

import numpy as np
import pytest

from fairdeal.audit.stats import Battery, DealColumns, SeatCounts, tally
from fairdeal.audit.stats import compiled as fast
from fairdeal.audit.stats.columns import Flags, hands_of
from fairdeal.audit.stats.counts import OrderCounts, SeatSums
from fairdeal.terms import DeckTerms
from tests.audit.orders import VARIED, at_the_wall, dealt, honest, part


def _results(columns: DealColumns, monkeypatch: pytest.MonkeyPatch, many: int) -> object:
    monkeypatch.setattr(tally, "MANY", many)
    monkeypatch.setattr(tally._Pace, "counted", 0)
    battery, seats = Battery(), SeatCounts()
    for start in range(0, len(columns), 700):
        battery.update(part(columns, start, start + 700))
        seats.update(part(columns, start, start + 700))
    results = battery.results()
    sums = [getattr(seats.sums, name).tolist() for name in SeatSums.NAMES]
    return results.as_json(), results.tiles.tolist(), battery.orders.collected.tolist(), sums


def _broken(columns: DealColumns) -> DealColumns:
    """The same hands with a tile twice, a tile out of range, a deck, no starter and no indicator."""
    terms = (*columns.terms, DeckTerms(size=106, seats=4, openings=False))
    terms_id = columns.terms_id.copy()
    terms_id[9] = len(terms) - 1
    columns.order[2, 0] = columns.order[2, 1]
    columns.order[5, 7] = 200
    assert columns.dealer is not None
    assert columns.indicator is not None
    columns.dealer[7] = 255
    columns.indicator[11] = 255
    return DealColumns(
        columns.order, terms, terms_id, columns.dealer, columns.indicator, columns.dice, columns.dealer_dice
    )


@pytest.mark.parametrize("kind", ["wall", "varied"])
def test_the_compiled_sweep_counts_what_the_blocks_count(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(41)
    if kind == "wall":
        columns = at_the_wall(rng, honest(rng, 2500))
    else:
        columns = dealt([hashlib.sha256(b"compiled %d" % k).digest() for k in range(300)], VARIED)[1]
    columns = _broken(columns)
    by_blocks = _results(columns, monkeypatch, 10**9)
    assert _results(columns, monkeypatch, 0) == by_blocks
    assert _results(columns, monkeypatch, 900) == by_blocks  # turns to the sweep on the way


def test_what_is_compiled_is_what_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """The functions as plain Python: the same again, and every line of them is seen to run."""
    columns = _broken(dealt([hashlib.sha256(b"plain %d" % k).digest() for k in range(60)], VARIED)[1])
    hands = hands_of(columns)

    def counted() -> tuple[Flags, object]:
        orders, seats = OrderCounts(), SeatSums()
        used = fast.tally(hands, seats, orders)
        fast.tally(hands, seats, None)
        sums = [getattr(seats, name).tolist() for name in SeatSums.NAMES]
        return used, (orders.tiles.tolist(), orders.rises, orders.collected.tolist(), orders.hands, sums)

    used, sums = counted()
    for name in ("invert", "sweep_orders", "sweep_seats"):
        monkeypatch.setattr(fast, name, getattr(fast, name).py_func)
    plainly_used, plain_sums = counted()
    assert plain_sums == sums
    assert plainly_used.tolist() == used.tolist()
    assert np.flatnonzero(~used).tolist() == [2, 5, 9]


def test_without_numba_the_blocks_do_it_all(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(42)
    columns = at_the_wall(rng, honest(rng, 600))
    monkeypatch.setattr(tally, "find_spec", lambda name: None)
    monkeypatch.setattr(fast, "tally", None)
    monkeypatch.setattr(tally, "MANY", 0)
    battery = Battery()
    battery.update(columns)
    assert battery.orders.hands == 600

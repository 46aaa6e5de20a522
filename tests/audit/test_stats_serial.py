from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from fairdeal.audit.stats import serial
from fairdeal.audit.stats.columns import Bytes
from fairdeal.audit.stats.of_orders import kept_places, rank_correlation
from fairdeal.audit.stats.serial import OrderPrints, SerialCounts, SerialSums
from tests.audit.orders import honest


def _by_hand(order: Bytes, table: list[int]) -> SerialSums:
    pairs = same = products = 0
    for t in set(table):
        hands = [order[k].astype(int) for k in range(len(order)) if table[k] == t]
        for before, after in pairwise(hands):
            pairs += 1
            same += int((before == after).sum())
            products += int((before * after).sum())
    return SerialSums(pairs, same, products, len(set(table)), 1.0)


def _fed(order: Bytes, table: list[int], size: int) -> SerialCounts:
    counts = SerialCounts()
    for start in range(0, len(order), size):
        counts.update(order[start : start + size], np.array(table[start : start + size], np.uint64))
    return counts


@pytest.mark.parametrize("size", [1, 7, 300])
def test_successive_hands_are_those_of_one_table_in_playing_order(size: int) -> None:
    rng = np.random.default_rng(5)
    order = honest(rng, 300)
    order[40:60, :50] = order[20:40, :50]
    table = [int(t) for t in rng.integers(0, 9, 300)]
    expected = _by_hand(order, table)
    assert _fed(order, table, size).sums() == expected
    first, second = _fed(order[:111], table[:111], size), _fed(order[111:], table[111:], size)
    first.merge(second)
    assert first.sums() == expected


def test_without_tables_the_hands_are_one_row() -> None:
    order = honest(np.random.default_rng(6), 50)
    counts = SerialCounts()
    counts.update(order[:20], None)
    counts.update(order[:0], None)
    counts.update(order[20:], None)
    assert counts.sums() == _by_hand(order, [0] * 50)


def test_too_many_tables_leave_the_same_ones_however_the_hands_are_split(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(serial, "MOST_TABLES", 20)
    rng = np.random.default_rng(7)
    order = honest(rng, 900)
    table = [int(t) for t in rng.integers(0, 90, 900)]
    whole = _fed(order, table, 900)
    assert whole.sums().tables <= 20
    assert whole.sums().followed < 1
    assert "of all tables is followed" in kept_places(whole.sums(), 0.01).note
    assert _fed(order, table, 1).sums() == whole.sums()
    for cut in (10, 450, 880):
        first, second = _fed(order[:cut], table[:cut], 50), _fed(order[cut:], table[cut:], 33)
        first.merge(second)
        assert first.sums() == whole.sums()


def test_a_lazy_shuffle_between_hands_shows_in_both_tests() -> None:
    rng = np.random.default_rng(8)
    lazy = [rng.permutation(106)]
    for _ in range(500):
        after = lazy[-1].copy()
        moved = rng.choice(106, 100, replace=False)
        after[moved] = after[rng.permutation(moved)]
        lazy.append(after)
    counts = SerialCounts()
    counts.update(np.array(lazy, np.uint8), None)
    for outcome in (kept_places(counts.sums(), 0.01), rank_correlation(counts.sums(), 0.01)):
        assert outcome.p is not None
        assert outcome.p < 1e-9
        assert outcome.hands == 500


def test_repeated_orders_are_found_in_any_part() -> None:
    order = honest(np.random.default_rng(9), 4000)
    order[3999] = order[0]
    order[3000] = order[0]
    order[2000] = order[1999]
    prints = OrderPrints()
    assert prints.repeats() == (0, 0)
    for start in range(0, 4000, 1000):
        piece = OrderPrints()
        piece.update(order[start : start + 1000])
        prints.merge(piece)
    assert prints.repeats() == (4000, 3)


def test_too_many_orders_leave_the_same_ones_however_they_are_split(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serial, "MOST_ORDERS", 500)
    order = honest(np.random.default_rng(10), 3000)
    order[1500:] = order[:1500]
    whole, merged = OrderPrints(), OrderPrints()
    whole.update(order)
    for start in range(0, 3000, 250):
        piece = OrderPrints()
        piece.update(order[start : start + 250])
        merged.merge(piece)
    compared, repeated = whole.repeats()
    assert compared == 2 * repeated
    assert 200 < compared <= 500
    assert merged.repeats() == (compared, repeated)

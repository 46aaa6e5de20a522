from __future__ import annotations

import json

import numpy as np
import pytest

from fairdeal.audit.stats import SeatCounts, compare_operators, compare_voids
from fairdeal.audit.stats.blocks import blocks
from fairdeal.audit.stats.columns import DealColumns, hands_of
from tests.audit.orders import at_the_wall, chosen, honest, part


def _counted(columns: DealColumns) -> SeatCounts:
    counts = SeatCounts()
    for start in range(0, len(columns), 100):
        piece = SeatCounts()
        piece.update(part(columns, start, start + 100))
        counts.merge(piece)
    return counts


@pytest.fixture
def columns() -> DealColumns:
    rng = np.random.default_rng(21)
    return at_the_wall(rng, honest(rng, 1200))


def test_hands_voided_for_an_okey_at_one_seat_stand_out(columns: DealColumns) -> None:
    (block,) = blocks(hands_of(columns))
    assert columns.indicator is not None
    indicator = columns.indicator.astype(int)
    okey = indicator % 52 // 13 * 13 + (indicator % 13 + 1) % 13
    hands = np.arange(len(columns))
    held = (block.owner[okey, hands] == 2) | (block.owner[okey + 52, hands] == 2)
    voided = np.flatnonzero(held & (hands % 3 == 0))
    played = np.setdiff1d(hands, voided)
    found = compare_voids(_counted(chosen(columns, played)), _counted(chosen(columns, voided)))
    assert found.alarm
    assert found.voided == len(voided)
    assert found.p is not None
    assert found.p < 1e-6
    assert "seat 2 (Okey, 4 seats) would have held more okeys" in found.text
    (seat,) = [s for s in found.seats if s.thing == "okeys" and s.seat == 2]
    assert seat.voided > 1 > seat.played
    assert json.loads(json.dumps(found.as_json()))["seats"][0]["thing"] == "okeys"


def test_hands_that_nobody_held_a_pair_in_stand_out_too(columns: DealColumns) -> None:
    (block,) = blocks(hands_of(columns))
    pairs = (block.owner[:52] == block.owner[52:104]) & (block.owner[:52] == 0)
    voided = np.flatnonzero(~pairs.any(axis=0))[:150]
    found = compare_voids(SeatCounts(), _counted(chosen(columns, voided)))
    assert found.alarm
    assert "seat 0 (Okey, 4 seats) would have held fewer pairs" in found.text
    assert found.played == 0


def test_chance_voids_are_called_no_more_than_that(columns: DealColumns) -> None:
    found = compare_voids(_counted(part(columns, 0, 1000)), _counted(part(columns, 1000, 1200)))
    assert not found.alarm
    assert "does not differ from the played ones by more than chance explains" in found.text
    assert len(found.seats) == 8


def test_too_few_voids_and_none_are_said(columns: DealColumns) -> None:
    played = _counted(columns)
    few = compare_voids(played, _counted(part(columns, 0, 19)))
    assert (few.p, few.alarm, few.seats) == (None, False, ())
    assert few.text.startswith("19 of the hands that were ended unplayed have a known deal: too few")
    none = compare_voids(played, SeatCounts())
    assert none.text == "No hand with a known deal was ended unplayed, so there is nothing to compare."


def test_chance_alarms_keep_to_their_level() -> None:
    rng = np.random.default_rng(22)
    alarms = 0
    for _ in range(150):
        columns = at_the_wall(rng, honest(rng, 240))
        alarms += compare_voids(
            _counted(part(columns, 0, 200)), _counted(part(columns, 200, 240)), 0.05
        ).alarm
    assert alarms <= 16  # 7.5 are due


def test_many_operators_share_the_level(columns: DealColumns) -> None:
    (block,) = blocks(hands_of(columns))
    pairs = ((block.owner[:52] == block.owner[52:104]) & (block.owner[:52] == 0)).any(axis=0)
    few = np.flatnonzero(~pairs)[:25]
    suspect = (_counted(part(columns, 0, 600)), _counted(chosen(columns, few)))
    alone = compare_operators({"a": suspect})["a"]
    assert alone.p is not None
    assert 0.0001 < alone.p < 0.01
    assert alone.alarm
    idle = (_counted(part(columns, 0, 50)), SeatCounts())
    calm = (_counted(part(columns, 0, 600)), _counted(part(columns, 600, 700)))
    many = {"a": suspect, "idle": idle} | {f"op-{k}": calm for k in range(99)}
    found = compare_operators(many)
    assert "idle" not in found
    assert len(found) == 100
    assert found["a"].p == alone.p
    assert not any(one.alarm for one in found.values())

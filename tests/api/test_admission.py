"""Lanes: who goes on, who waits, who is turned away, and who never has to pay for another's crowd."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps

import pytest
from fairdeal_api import admission
from fairdeal_api.admission import PUBLIC, Gate
from fairdeal_api.problems import Problem

from tests import coroutines


def running(test: Callable[[], Coroutine[None, None, None]]) -> Callable[[], None]:
    @wraps(test)
    def run() -> None:
        coroutines.run(test())

    del run.__wrapped__  # pytest would look for the coroutine behind it
    return run


class Time:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def turns(gate: Gate, operator: str, count: int) -> list[asyncio.Task[None]]:
    """Requests that enter; those that are let in are done after a moment."""
    tasks = [asyncio.create_task(gate.enter(operator)) for _ in range(count)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return tasks


def inside(tasks: list[asyncio.Task[None]]) -> int:
    return sum(task.done() for task in tasks)


async def stop(*groups: list[asyncio.Task[None]]) -> None:
    for task in (task for group in groups for task in group):
        task.cancel()
        await asyncio.wait({task})


@running
async def test_alone_an_operator_has_the_width_of_a_group() -> None:
    gate = Gate()
    tasks = await turns(gate, "a", admission.ALONE + 10)
    assert (inside(tasks), gate.waiting) == (admission.ALONE, 10)
    for _ in range(10):
        gate.leave("a")
    await asyncio.sleep(0)
    assert (inside(tasks), gate.waiting) == (admission.ALONE + 10, 0)


@running
async def test_beside_another_both_have_their_share_until_it_is_gone() -> None:
    time = Time()
    gate = Gate(time)
    first = await turns(gate, "a", 64)
    assert inside(first) == 64
    second = await turns(gate, "b", 64)
    assert inside(second) == admission.SHARED // 2
    for _ in range(64):
        gate.leave("a")
    third = await turns(gate, "a", 64)
    assert inside(third) == admission.SHARED // 2
    time.now += admission.MEMORY
    # b still has requests under way: it is there, however long ago it came.
    assert gate.width("a") == admission.SHARED // 2
    await stop(second)
    for _ in range(admission.SHARED // 2):
        gate.leave("b")
    time.now += admission.MEMORY
    assert gate.width("a") == admission.ALONE
    gate.leave("a")
    await asyncio.sleep(0)
    assert inside(third) == 64


@running
async def test_many_operators_have_a_place_each() -> None:
    gate = Gate()
    for k in range(40):
        assert inside(await turns(gate, f"operator{k}", 1)) == 1
    assert gate.width("operator0") == 1


@running
async def test_a_full_lane_turns_away_its_own_operator_only() -> None:
    gate = Gate()
    waiting = await turns(gate, "a", admission.ALONE + admission.MOST_WAITING)
    with pytest.raises(Problem) as refused:
        await gate.enter("a")
    assert (refused.value.code, refused.value.headers) == ("busy", {"Retry-After": "1"})
    await gate.enter("b")
    await gate.enter(PUBLIC)
    await stop(waiting)
    assert gate.waiting == 0


@running
async def test_what_is_wider_than_its_lane_passes_when_the_lane_is_empty() -> None:
    gate = Gate()
    await gate.enter("b")
    await gate.enter("a", 64)
    rest = await turns(gate, "a", 2)
    assert inside(rest) == 0
    gate.leave("a", 64)
    await asyncio.sleep(0)
    assert inside(rest) == 2


@running
async def test_who_goes_away_while_waiting_takes_no_place_along() -> None:
    gate = Gate()
    await gate.enter("a", admission.ALONE)
    wide = asyncio.create_task(gate.enter("a", admission.ALONE))
    await asyncio.sleep(0)
    small = await turns(gate, "a", 3)
    assert gate.waiting == 4
    # One that is cancelled in the very moment in which it is let in gives its place on.
    gate.leave("a", admission.ALONE)
    wide.cancel()
    await asyncio.wait({wide})
    await asyncio.sleep(0)
    assert (wide.cancelled(), inside(small), gate.waiting) == (True, 3, 0)
    for _ in small:
        gate.leave("a")
    assert inside(await turns(gate, "a", admission.ALONE)) == admission.ALONE


@running
async def test_open_reads_have_a_lane_that_operators_do_not_share() -> None:
    gate = Gate()
    crowd = await turns(gate, PUBLIC, 500)
    assert inside(crowd) == admission.PUBLIC_WIDTH
    assert inside(await turns(gate, "a", admission.ALONE)) == admission.ALONE
    await stop(crowd)

"""Who goes on to the ledger now: bounded, and fair between operators.

Each operator has a lane. Alone, an operator may have as many requests under way as the ledger groups well.
As soon as a second one is there, the lanes share a small budget, so that whoever comes next waits for one
short transaction and not for everything that another operator has sent. What does not go on yet waits in its
lane before its body is read; a full lane answers 503 ``busy`` with ``Retry-After``, and only its own operator
sees that. Open reads have a lane of their own, as wide as the readers' pool (docs/limits.md).
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from fairdeal_api.problems import Problem

ALONE = 256
"""Requests that an operator may have under way while no other is there: one group of the ledger."""

SHARED = 8
"""Requests under way of all operators together while there are several."""

PUBLIC_WIDTH = 8
"""Open reads under way: the readers' pool."""

MOST_WAITING = 1024
"""Requests that wait in one lane before ``busy`` is answered."""

MEMORY = 2.0
"""Seconds after its last request that an operator still counts as there."""

PUBLIC = ""
"""The lane of open reads; no operator has this name."""


@dataclass(slots=True)
class _Lane:
    under_way: int = 0
    seen: float = 0.0
    waiting: deque[tuple[int, asyncio.Future[None]]] = field(default_factory=deque)


class Gate:
    """The lanes of one process. For one event loop; ``clock`` gives monotonic seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lanes: dict[str, _Lane] = {PUBLIC: _Lane()}
        self._swept = clock()

    @property
    def waiting(self) -> int:
        """Requests that wait in all lanes."""
        return sum(len(lane.waiting) for lane in self._lanes.values())

    async def enter(self, operator: str, cost: int = 1) -> None:
        """Take ``cost`` places in a lane, in turn; :meth:`leave` gives them back. Raises ``busy``.

        ``cost`` beyond the lane's width takes the whole lane.
        """
        lane = self._lanes.get(operator)
        if lane is None:
            lane = self._lanes[operator] = _Lane()
        lane.seen = self._clock()
        if not lane.waiting and self._fits(operator, lane, cost):
            lane.under_way += cost
            return
        if len(lane.waiting) >= MOST_WAITING:
            raise Problem("busy", headers={"Retry-After": "1"})
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        lane.waiting.append((cost, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave(operator, cost)
            else:
                lane.waiting = deque(item for item in lane.waiting if item[1] is not turn)
                self._let_in(operator, lane)
            raise

    def leave(self, operator: str, cost: int = 1) -> None:
        """Give places back, and let in who waits for them."""
        lane = self._lanes[operator]
        lane.under_way -= cost
        lane.seen = self._clock()
        if lane.waiting:
            self._let_in(operator, lane)

    def width(self, operator: str) -> int:
        """Places in the operator's lane as things are now."""
        if operator == PUBLIC:
            return PUBLIC_WIDTH
        now = self._clock()
        if now - self._swept >= MEMORY / 4:
            self._sweep(now)
        there = len(self._lanes) - 1
        return ALONE if there <= 1 else max(1, SHARED // there)

    def _fits(self, operator: str, lane: _Lane, cost: int) -> bool:
        # An empty lane takes anything: a request wider than its lane must pass too.
        return lane.under_way == 0 or lane.under_way + cost <= self.width(operator)

    def _let_in(self, operator: str, lane: _Lane) -> None:
        while lane.waiting:
            cost, turn = lane.waiting[0]
            if not self._fits(operator, lane, cost):
                return
            lane.waiting.popleft()
            if not turn.done():
                lane.under_way += cost
                turn.set_result(None)

    def _sweep(self, now: float) -> None:
        """Forget operators that are gone, so that those who stay have the width again."""
        self._swept = now
        gone = [
            name
            for name, lane in self._lanes.items()
            if name != PUBLIC and not lane.under_way and not lane.waiting and now - lane.seen >= MEMORY
        ]
        for name in gone:
            del self._lanes[name]

"""How many requests an operator may make a second, counted once for all workers.

A bucket of tokens for each operator: it fills at the permitted rate, holds one second's worth, and a request
takes one. With one process it is kept in memory. Where several share a PostgreSQL it is a row, and each
process takes a lease of a tenth of a second's tokens at a time: a request costs a subtraction, and the
database sees at most ten short transactions a second for each operator and process (docs/limits.md).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select, update

from fairdeal_api.problems import Problem
from fairdeal_api.tables import AllowanceRow, table_of

LEASE = 0.1
"""Part of a second's tokens that a process takes at once; a refusal is remembered as long, in seconds."""

LEASE_TIME = 1.0
"""Seconds after which tokens of a lease are void: what an idle process took is not hoarded."""

_ALLOWANCES = table_of(AllowanceRow)
_MOST = 4096

Take = Callable[[str, int], Awaitable[int]]
"""Takes up to so many tokens of an operator's; gives how many there were."""


@dataclass(slots=True)
class _Lease:
    tokens: int
    until: float


class Rates:
    """The rate of every operator. ``rate`` is requests a second, 0 for no limit; ``take`` as :data:`Take`."""

    def __init__(self, rate: int, take: Take, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._take, self._clock = rate, take, clock
        self._leases: dict[str, _Lease] = {}
        self._taking: dict[str, asyncio.Future[int]] = {}

    async def spend(self, operator: str) -> None:
        """Take a token; raises ``rate_limited`` where there is none."""
        if not self._rate:
            return
        while True:
            lease, now = self._leases.get(operator), self._clock()
            if lease is None or now >= lease.until:
                await self._renew(operator)
                continue
            if lease.tokens <= 0:
                raise Problem("rate_limited", headers={"Retry-After": "1"})
            lease.tokens -= 1
            if lease.tokens == 0:
                # Empty, not refused: the next request asks for more.
                del self._leases[operator]
            return

    async def _renew(self, operator: str) -> None:
        # Requests that come meanwhile wait for the same lease.
        taking = self._taking.get(operator)
        if taking is None:
            wanted = max(1, int(self._rate * LEASE))
            taking = self._taking[operator] = asyncio.ensure_future(self._take(operator, wanted))
            taking.add_done_callback(lambda _: self._taking.pop(operator, None))
            granted = await asyncio.shield(taking)
            if len(self._leases) >= _MOST:
                self._leases.clear()
            self._leases[operator] = _Lease(granted, self._clock() + (LEASE_TIME if granted else LEASE))
        else:
            await asyncio.shield(taking)


class LocalAllowances:
    """The buckets of a process that has the log to itself."""

    def __init__(self, rate: int, clock: Callable[[], int]) -> None:
        self._rate, self._clock = rate, clock
        self._buckets: dict[str, tuple[int, int]] = {}

    async def take(self, operator: str, wanted: int) -> int:
        """As :data:`Take`."""
        granted, bucket = draw(self._buckets.get(operator), self._rate, wanted, self._clock())
        if len(self._buckets) >= _MOST:
            self._buckets.clear()
        self._buckets[operator] = bucket
        return granted


def take_shared(connection: Connection, operator: str, rate: int, wanted: int, now: int) -> int:
    """Take tokens from the operator's row, in a transaction of its own; gives how many there were.

    Machines whose clocks differ never get more than the rate together: the row's time only goes forward.
    """
    query = select(_ALLOWANCES.c.tokens, _ALLOWANCES.c.at).where(_ALLOWANCES.c.operator == operator)
    row = connection.execute(query.with_for_update()).first()
    granted, (tokens, at) = draw((row[0], row[1]) if row else None, rate, wanted, now)
    if row:
        change = update(_ALLOWANCES).where(_ALLOWANCES.c.operator == operator)
        connection.execute(change.values(tokens=tokens, at=at))
    else:
        connection.execute(insert(_ALLOWANCES), {"operator": operator, "tokens": tokens, "at": at})
    return granted


def draw(bucket: tuple[int, int] | None, rate: int, wanted: int, now: int) -> tuple[int, tuple[int, int]]:
    """Draw from a bucket (thousandths of tokens, milliseconds); gives whole tokens and what is left in it."""
    full = rate * 1000
    tokens, at = bucket or (full, now)
    tokens = min(full, tokens + max(0, now - at) * rate)
    granted = min(wanted, tokens // 1000)
    return granted, (tokens - granted * 1000, max(at, now))

"""Hands past their time are ended by the service itself: at the start, and then every second."""

from __future__ import annotations

import asyncio
import logging

from fairdeal_api.acts import ExpireAct
from fairdeal_api.ledger import Ledger

log = logging.getLogger("fairdeal.expiry")

PAUSE = 1.0
"""Seconds between two looks for overdue hands."""


async def expire_overdue(ledger: Ledger) -> int:
    """End every hand that is overdue now; returns how many."""
    count = 0
    while True:
        act = ExpireAct()
        ended = int((await ledger.submit(act)).body)
        count += ended
        if ended < act.most:
            return count


async def try_to_expire(ledger: Ledger) -> None:
    """:func:`expire_overdue`, where the store answers; where it fails, readiness tells of it."""
    try:
        count = await expire_overdue(ledger)
    except Exception as error:  # noqa: BLE001 -- whoever calls goes on, or hands would stay open for ever
        log.warning("overdue hands could not be ended: %s", type(error).__name__)
        return
    if count:
        log.info("ended %d overdue hands", count)


async def keep_expiring(ledger: Ledger) -> None:
    """Look for overdue hands until cancelled."""
    while True:
        await asyncio.sleep(PAUSE)
        await try_to_expire(ledger)

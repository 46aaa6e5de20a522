"""Whole hands with sealed seats, as a game server plays them through the typed client :mod:`fairdeal.client`.

The raw load (`bench/service_load.py`) shows what the service can do; this one, what a game server in Python
gets from it.
"""

from __future__ import annotations

import asyncio
import time

from fairdeal.client import AsyncClient, Hand, NewHand, Player
from fairdeal.encoding import canonical
from fairdeal.seeds import Contribution
from fairdeal.verify import verify

SEATS = range(4)


class Table:
    """A table that plays one hand after another."""

    def __init__(self, deals: AsyncClient, name: str, tally: dict[str, list[float]]) -> None:
        self.deals, self.name, self.tally = deals, name, tally
        self.last: Hand | None = None

    async def play(self, until: float) -> None:
        """Play until a time; each reveal commits the next hand. Only what was answered in time is counted."""
        players = [Player(seat) for seat in SEATS]
        hand = await self.deals.commit(self.name, seals=[p.seal for p in players])
        while True:
            # Players open their seeds against the receipt in their own clients: not the game server's work.
            began = time.perf_counter()
            await self.deals.deal(hand.hand, [Contribution(p.seat, p.seed) for p in players])
            dealt = time.perf_counter()
            players = [Player(seat) for seat in SEATS]
            self.last = await self.deals.reveal(hand.hand, following=NewHand(seals=[p.seal for p in players]))
            ended = time.perf_counter()
            if ended >= until or self.last.next is None:
                return
            self.tally.setdefault("deal", []).append(dealt - began)
            self.tally.setdefault("reveal", []).append(ended - dealt)
            hand = self.last.next


async def play(port: int, key: str, tables: int, seconds: float) -> dict[str, list[float]]:
    """Seconds of each call, by kind. A hand of every table is verified; a bad one ends the bench."""
    tally: dict[str, list[float]] = {}
    mark = f"{time.time_ns():x}"
    async with AsyncClient(f"http://127.0.0.1:{port}", key) as deals:
        log_key = await deals.log_key()
        seats = [Table(deals, f"{mark}.{k}", tally) for k in range(tables)]
        until = time.perf_counter() + seconds
        await asyncio.gather(*(table.play(until) for table in seats))
    for table in seats:
        report = verify(canonical(table.last.receipt), keys=[log_key]) if table.last else None
        if report is None or report.verdict != "consistent":
            raise SystemExit("a hand that was played does not verify")
    return tally

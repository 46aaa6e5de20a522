"""Counting hands in: block by block with numpy, or in one compiled sweep once there are hands enough.

Both ways give the same counts, so which one is taken shows in nothing but the time.
"""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np

from fairdeal.audit.stats.blocks import blocks
from fairdeal.audit.stats.columns import Hands
from fairdeal.audit.stats.counts import OrderCounts, SeatSums

MANY = 100_000
"""Hands in one process from which loading numba pays; a machine's first sweep compiles for some seconds."""


class _Pace:
    """How many hands this process has counted."""

    counted = 0


def tally(hands: Hands, seats: SeatSums, orders: OrderCounts | None = None) -> Hands:
    """Count hands into the sums, and say which they were: those of Okey whose order holds each tile once."""
    _Pace.counted += len(hands)
    if _Pace.counted >= MANY and find_spec("numba"):
        from fairdeal.audit.stats import compiled  # noqa: PLC0415  # numba is an extra

        return hands.where(compiled.tally(hands, seats, orders))
    kept = np.zeros(len(hands), np.bool_)
    for block in blocks(hands):
        seats.update(block)
        if orders is not None:
            orders.update(block)
        kept[block.rows] = True
    return hands.where(kept)

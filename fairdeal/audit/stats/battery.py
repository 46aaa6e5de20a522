"""The battery: fifteen tests, fixed before any log is looked at (docs/statistics.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fairdeal.audit.stats import of_draws, of_orders, of_seats
from fairdeal.audit.stats.columns import DealColumns, Integers, hands_of
from fairdeal.audit.stats.counts import DrawCounts, OrderCounts, SeatSums
from fairdeal.audit.stats.of_seats import SeatGroup
from fairdeal.audit.stats.outcome import Outcome, holm
from fairdeal.audit.stats.serial import OrderPrints, SerialCounts
from fairdeal.audit.stats.tally import tally

LEVEL = 0.01
"""Chance that an honest log of any size raises one alarm or more: 99 % overall."""

TESTS = 15


@dataclass(frozen=True)
class Statistics:
    """What the battery says of ``hands`` hands; ``left_out`` could not be used.

    ``tiles`` is (106, 106): hands with tile t at position p, for the heat map. ``seats`` are the means by
    seat behind the tests by seat.
    """

    hands: int
    left_out: int
    level: float
    tests: tuple[Outcome, ...]
    seats: tuple[SeatGroup, ...]
    tiles: Integers

    @property
    def alarms(self) -> tuple[Outcome, ...]:
        """The tests that honest deals would not fail, at the level of the whole battery."""
        return tuple(test for test in self.tests if test.alarm)

    def as_json(self) -> dict[str, Any]:
        """Everything but the 106 × 106 counts, as a JSON object."""
        return {
            "hands": self.hands,
            "left_out": self.left_out,
            "level": self.level,
            "alarms": [test.name for test in self.alarms],
            "tests": [test.as_json() for test in self.tests],
            "seats": [group.as_json() for group in self.seats],
        }


class Battery:
    """Counts for all tests, taken in batch by batch; memory does not grow with the number of hands.

    Two batteries over parts of an input merge into the one over the whole, exactly: every count is a whole
    number. The later part is merged into the earlier one, as successive hands are compared.
    """

    def __init__(self) -> None:
        self.given = 0
        self.orders = OrderCounts()
        self.draws = DrawCounts()
        self.seats = SeatSums()
        self.serial = SerialCounts()
        self.prints = OrderPrints()

    def update(self, columns: DealColumns) -> None:
        """Take in a batch of hands, in the order in which they were played."""
        self.given += len(columns)
        hands = tally(hands_of(columns), self.seats, self.orders)
        self.draws.update(hands)
        self.serial.update(hands.order, hands.table)
        self.prints.update(hands.order)

    def merge(self, later: Battery) -> None:
        """Add the hands of a battery that took what came after this one's."""
        self.given += later.given
        self.orders.merge(later.orders)
        self.draws.merge(later.draws)
        self.seats.merge(later.seats)
        self.serial.merge(later.serial)
        self.prints.merge(later.prints)

    def results(self, level: float = LEVEL) -> Statistics:
        """Run the tests on what was counted; ``level`` holds for all of them together."""
        first = level / TESTS  # Holm's first step: what power is stated for
        serial = self.serial.sums()
        outcomes = (
            of_orders.tiles_by_position(self.orders, first),
            of_orders.fixed_points(self.orders, first),
            of_orders.rises(self.orders, first),
            of_orders.collection(self.orders, first),
            of_orders.repeats(*self.prints.repeats()),
            of_orders.kept_places(serial, first),
            of_orders.rank_correlation(serial, first),
            of_draws.indicators(self.draws, first),
            of_draws.wall_dice(self.draws, first),
            of_draws.dealers(self.draws, first),
            of_draws.dealer_dice(self.draws, first),
            *(of_seats.by_seat(self.seats, thing, first) for thing in of_seats.THINGS),
        )
        return Statistics(
            hands=self.orders.hands,
            left_out=self.given - self.orders.hands,
            level=level,
            tests=holm(outcomes, level),
            seats=tuple(group for thing in of_seats.THINGS for group in of_seats.groups(self.seats, thing)),
            tiles=self.orders.tiles,
        )

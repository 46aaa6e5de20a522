"""Whether hands were voided for what they held: the voided hands' deals against the played ones'.

A hand that was locked has a deal, known once its seed is revealed, and so has one that no seat took part in.
Which of those an operator ends unplayed must have nothing to do with the tiles; here it is asked of the two
things that players care about most, okeys and pairs, seat by seat.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairdeal.audit.stats.columns import DealColumns, hands_of
from fairdeal.audit.stats.counts import SeatSums
from fairdeal.audit.stats.of_seats import SeatGroup, groups
from fairdeal.audit.stats.outcome import chi_square
from fairdeal.audit.stats.tally import tally

LEAST_VOIDED = 20
"""Least voided hands of one game and number of seats to be compared: about five okeys a seat are due."""

THINGS = ("okeys", "pairs")


class SeatCounts:
    """What each seat held in one sort of hands, played or voided. Parts merge exactly, in any order."""

    def __init__(self) -> None:
        self.given = 0
        self.sums = SeatSums()

    def update(self, columns: DealColumns) -> None:
        """Take in a batch of hands."""
        self.given += len(columns)
        tally(hands_of(columns), self.sums)

    def merge(self, other: SeatCounts) -> None:
        """Add the hands of another part."""
        self.given += other.given
        self.sums.merge(other.sums)


@dataclass(frozen=True, slots=True)
class VoidedSeat:
    """One thing at one seat: how many a hand in the voided hands, in the played ones, and what is due."""

    thing: str
    game: str
    seat: int
    voided: float
    played: float
    due: float
    error: float

    def as_json(self) -> dict[str, Any]:
        """A JSON object."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class VoidComparison:
    """The outcome. ``p`` is two-sided, for okeys and pairs together (Bonferroni); ``None``: too few hands.

    ``seats`` lists every seat of the games that were compared; ``text`` says it all in a sentence or two.
    """

    voided: int
    played: int
    p: float | None
    alarm: bool
    seats: tuple[VoidedSeat, ...]
    text: str

    def as_json(self) -> dict[str, Any]:
        """A JSON object."""
        return {
            "voided": self.voided,
            "played": self.played,
            "p": self.p,
            "alarm": self.alarm,
            "seats": [seat.as_json() for seat in self.seats],
            "text": self.text,
        }


def compare_voids(played: SeatCounts, voided: SeatCounts, level: float = 0.01) -> VoidComparison:
    """Compare what seats would have held in voided hands with what they held in played ones.

    The difference of the means by seat, in its own exact spread; where no hands were played, the voided
    ones are held against what is due. Games with fewer than :data:`LEAST_VOIDED` voided hands are left out.
    """
    seats: list[VoidedSeat] = []
    values: list[float] = []
    for thing in THINGS:
        ours = {group.game: group for group in groups(voided.sums, thing, LEAST_VOIDED)}
        theirs = {group.game: group for group in groups(played.sums, thing, LEAST_VOIDED)}
        distance, degrees = 0.0, 0
        for game, group in ours.items():
            distance += _distance(group, theirs.get(game))
            degrees += len(group.observed)
            seats += _seats(group, theirs.get(game))
        if degrees:
            values.append(chi_square(distance, degrees))
    p = min(1.0, len(values) * min(values)) if values else None
    n_voided, n_played = int(voided.sums.hands.sum()), int(played.sums.hands.sum())
    return VoidComparison(
        voided=n_voided,
        played=n_played,
        p=p,
        alarm=p is not None and p <= level,
        seats=tuple(seats),
        text=_text(n_voided, p, level, seats),
    )


def compare_operators(
    operators: Mapping[str, tuple[SeatCounts, SeatCounts]], level: float = 0.01
) -> dict[str, VoidComparison]:
    """:func:`compare_voids` for each operator's (played, voided) hands, those without any voided left out.

    The level is divided by the number of comparisons that could be made, so that among a thousand honest
    operators none is accused more often than ``level`` says.
    """
    compared = {name: compare_voids(*hands) for name, hands in sorted(operators.items()) if hands[1].given}
    made = max(1, sum(one.p is not None for one in compared.values()))
    return {name: compare_voids(*operators[name], level / made) for name in compared}


def _distance(voided: SeatGroup, played: SeatGroup | None) -> float:
    off = (voided.observed - voided.expected) / voided.hands
    spread = voided.covariance / voided.hands**2
    if played is not None:
        off = off - (played.observed - played.expected) / played.hands
        spread = spread + played.covariance / played.hands**2
    return float(off @ np.linalg.solve(spread, off))


def _seats(voided: SeatGroup, played: SeatGroup | None) -> list[VoidedSeat]:
    error = np.sqrt(np.diag(voided.covariance)) / voided.hands
    due = voided.expected / voided.hands
    return [
        VoidedSeat(
            thing=voided.thing,
            game=voided.game,
            seat=seat,
            voided=float(voided.observed[seat] / voided.hands),
            played=float(played.observed[seat] / played.hands) if played else float(due[seat]),
            due=float(due[seat]),
            error=float(error[seat]),
        )
        for seat in range(len(due))
    ]


def _text(voided: int, p: float | None, level: float, seats: list[VoidedSeat]) -> str:
    if not voided:
        return "No hand with a known deal was ended unplayed, so there is nothing to compare."
    if p is None:
        return (
            f"{voided:,} of the hands that were ended unplayed have a known deal: too few to compare "
            f"(at least {LEAST_VOIDED} of one game and number of seats are needed)."
        )
    if p > level:
        return (
            f"What the seats would have held in the {voided:,} hands that were ended unplayed does not "
            f"differ from the played ones by more than chance explains (p = {p:.2g}). "
            "That does not show why they were ended."
        )
    most = max(seats, key=lambda seat: abs(seat.voided - seat.due) / seat.error)
    more = "more" if most.voided > most.due else "fewer"
    return (
        f"The {voided:,} hands that were ended unplayed differ from the played ones by more than chance "
        f"explains (p = {p:.2g}). Most of all, seat {most.seat} ({most.game}) would have held {more} "
        f"{most.thing}: {most.voided:.3f} a hand where {most.due:.3f} are due."
    )

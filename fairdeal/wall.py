"""The wall layout: stacks, a spare, two throws, and the line everyone draws from (protocol §4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fairdeal.draws import WallThrows
from fairdeal.terms import OkeyTerms
from fairdeal.tiles import is_false_joker


@dataclass(frozen=True, slots=True)
class Wall:
    """The wall before the spare is placed, and what the throws chose in it.

    ``stacks`` run around the ring from the dealer's leftmost, each bottom first. ``selected`` is the stack
    that the spare goes on; ``level`` counts that taller stack from its bottom, from 0.
    """

    stacks: tuple[tuple[int, ...], ...]
    spare: int
    throws: tuple[tuple[int, ...], ...]
    selected: int
    level: int


@dataclass(frozen=True, slots=True)
class Layout:
    """What a layout makes of an order: ``hands`` by seat in the order taken, ``stock`` next tile first."""

    indicator: int
    hands: tuple[tuple[int, ...], ...]
    stock: tuple[int, ...]


def build(order: Sequence[int], terms: OkeyTerms, dice: WallThrows) -> tuple[Wall, list[int]]:
    """Stacks, throws and indicator (protocol §4.1–§4.3); also the selected stack with the spare on top."""
    height = terms.stack_height
    stacks = tuple(tuple(order[w : w + height]) for w in range(0, terms.size - 1, height))
    spare = order[-1]
    throws = [dice.throw()]
    selected = sum(throws[0]) - 1
    tall = [*stacks[selected], spare]
    while True:
        throws.append(dice.throw())
        level = (sum(throws[-1]) - 1) % len(tall)
        # A false joker can't say which tile is wild: it stays where it is and the dice are thrown again.
        if not is_false_joker(tall[level]):
            break
    return Wall(stacks, spare, tuple(map(tuple, throws)), selected, level), tall


def lay_out(terms: OkeyTerms, starter: int, wall: Wall, tall: Sequence[int]) -> Layout:
    """Hands and stock from a built wall (protocol §4.4, §4.5)."""
    height = terms.stack_height
    ring = wall.stacks[wall.selected + 1 :] + wall.stacks[: wall.selected]
    line = [tile for stack in ring for tile in reversed(stack)]
    seats = [(starter + k) % terms.seats for k in range(terms.seats)]
    hands: list[list[int]] = [[] for _ in seats]
    taken = 0

    def take(seat: int, count: int) -> None:
        nonlocal taken
        hands[seat] += line[taken : taken + count]
        taken += count

    for _ in range(terms.hand_size // height):
        for seat in seats:
            take(seat, height)
    for seat in seats:
        take(seat, terms.hand_size - len(hands[seat]) + (seat == starter))
    face_down = [tile for k, tile in enumerate(tall) if k != wall.level]
    return Layout(
        indicator=tall[wall.level],
        hands=tuple(map(tuple, hands)),
        stock=(*line[taken:], *reversed(face_down)),
    )

"""The wall seen from above, each stack unfolded with its top tile towards the middle of the table.

The dealer sits below, the player at the dealer's right on the right, and so on anticlockwise; the ring of
stacks runs the same way, from the dealer's leftmost (protocol §4.1). Where the picture is too wide, each
player's stacks are drawn as a row of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from fairdeal.tiles import is_false_joker
from fairdeal.wall import Wall
from fairdeal_cli.drawing.blocks import Block, above, beside, block
from fairdeal_cli.drawing.ink import CELL, Ink

_SIDES = {2: ("below", "above"), 3: ("below", "right", "left"), 4: ("below", "right", "above", "left")}
_WIDEST_GAP = 6


@dataclass(frozen=True, slots=True)
class Row:
    """The stacks in front of one seat: numbers around the ring from 1, tiles bottom first, spare in place."""

    seat: int
    label: str
    stacks: tuple[tuple[int, tuple[int, ...]], ...]
    selected: int
    height: int
    """Tiles in the tallest of them."""


def rows(wall: Wall, seats: int, dealer: int, labels: Sequence[str]) -> list[Row]:
    """The stacks before each seat from the dealer on: as even as the count allows, the first ones more."""
    stacks = list(wall.stacks)
    stacks[wall.selected] = (*stacks[wall.selected], wall.spare)
    numbered = [(k + 1, stack) for k, stack in enumerate(stacks)]
    each, more = divmod(len(stacks), seats)
    found, start = [], 0
    for k in range(seats):
        part = tuple(numbered[start : start + each + (k < more)])
        start += len(part)
        seat = (dealer + k) % seats
        tallest = max(len(stack) for _, stack in part)
        found.append(Row(seat, labels[seat], part, wall.selected + 1, tallest))
    return found


def picture(wall: Wall, seated: Sequence[Row], ink: Ink, width: int) -> Block:
    """The wall in at most ``width`` columns, where that can be done at all."""
    sides = dict(zip(_SIDES[len(seated)], seated, strict=True))
    middle = _middle(wall, ink)
    below, right, left = sides["below"], sides.get("right"), sides.get("left")
    centre = [_upright(sides["above"], ink, top_up=False)] if "above" in sides else []
    centre += [block([""]), middle, block([""]), _upright(below, ink, top_up=True)]
    column = above(centre)
    if not (left and right):
        return column if column.width <= width else _strips(seated, ink, middle, width)
    beside_it = [_sideways(left, ink, top_right=True), column, _sideways(right, ink, top_right=False)]
    spare_columns = width - sum(b.width for b in beside_it)
    if spare_columns < 4:
        return _strips(seated, ink, middle, width)
    return beside(beside_it, min(_WIDEST_GAP, spare_columns // 2))


def _middle(wall: Wall, ink: Ink) -> Block:
    """The dice, each with what it chose."""
    tall = (*wall.stacks[wall.selected], wall.spare)
    first, *others = wall.throws
    lines = [Text.assemble((ink.dice(first), "bold"), f" {ink.arrow} stack {wall.selected + 1}")]
    for throw in others:
        level = (sum(throw) - 1) % len(tall)
        line = Text.assemble(
            (ink.dice(throw), "bold"), f" {ink.arrow} tile {level + 1} ", ink.tile(tall[level])
        )
        if is_false_joker(tall[level]):
            line.append("again")
        lines.append(line)
    return block(lines)


def _label(row: Row) -> Text:
    return Text(row.label, style="bold")


def _number(row: Row, number: int, width: int) -> Text:
    """A stack's number, framed where the stack is the selected one."""
    if number == row.selected:
        return Text(f"[{number}]".rjust(width), style="bold reverse")
    return Text(f"{number} ".rjust(width), style="dim")


def _upright(row: Row, ink: Ink, *, top_up: bool) -> Block:
    """Stacks side by side; the dealer's from left to right, the opposite player's from right to left."""
    stacks = row.stacks if top_up else row.stacks[::-1]
    lines = []
    for level in range(row.height):
        cells = [ink.tile(stack[level]) if level < len(stack) else Text(" " * CELL) for _, stack in stacks]
        lines.append(Text().join(cells))
    numbers = Text().join(_number(row, number, CELL) for number, _ in stacks)
    if top_up:
        return block([*reversed(lines), numbers, _label(row)], "centre")
    return block([_label(row), numbers, *lines], "centre")


def _sideways(row: Row, ink: Ink, *, top_right: bool) -> Block:
    """Stacks one above the other; the right player's run upwards, the left player's downwards."""
    lines = []
    for number, stack in row.stacks if top_right else row.stacks[::-1]:
        tiles = Text().join(ink.tile(tile) for tile in (stack if top_right else stack[::-1]))
        room = Text(" " * (CELL * (row.height - len(stack))))
        mark = _number(row, number, CELL)
        lines.append(Text.assemble(mark, tiles, room) if top_right else Text.assemble(room, tiles, mark))
    return block([_label(row), Text(""), *lines], "centre")


def _strips(seated: Sequence[Row], ink: Ink, middle: Block, width: int) -> Block:
    """The narrow form: each seat's stacks upright in lines of their own."""
    parts = [middle]
    for row in seated:
        fits = max(1, width // CELL)
        for k in range(0, len(row.stacks), fits):
            some = row.stacks[k : k + fits]
            label = row.label if k == 0 else ""
            tallest = max(len(stack) for _, stack in some)
            parts += [
                block([""]),
                _upright(Row(row.seat, label, some, row.selected, tallest), ink, top_up=True),
            ]
    return block((line for part in parts for line in part.lines), "left")

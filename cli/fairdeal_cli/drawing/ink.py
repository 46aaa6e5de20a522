"""How a tile, a die and a mark look: in colour with a shape beside it, or in plain ASCII.

Colour is never the only clue. A tile is drawn dark on ivory, as it is on the table, so that black tiles can
be read on dark and on light terminals alike.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.style import Style
from rich.text import Text

from fairdeal.tiles import LETTERS, colour, is_false_joker, number

CELL = 4
"""Columns of a tile: one for its part in the deal, three for its face."""

_IVORY = "#f5efdc"
_GOLD = "#ffd75f"
_INKS = ("#b3161c", "#8a5a00", "#1450a3", "#1a1a1a")
_JOKER_INK = "#7a2a8c"

WILD, FACE_UP, SPARE = "*", "»", "+"


@dataclass(frozen=True, slots=True)
class Ink:
    """What can be drawn with. ``ascii``: the output's encoding has no shapes."""

    ascii: bool
    wild: frozenset[int] = field(default_factory=frozenset)
    """The two okeys."""
    indicator: int | None = None
    spare: int | None = None

    def face(self, tile: int) -> str:
        """The tile's face in three columns, such as ``●13``."""
        if is_false_joker(tile):
            return "J  " if self.ascii else "★  "
        shapes = LETTERS if self.ascii else "●◆▲■"
        return f"{shapes[colour(tile)]}{number(tile):<2}"

    def mark(self, tile: int) -> str:
        """One character: the tile is an okey, the indicator, or the spare."""
        if tile == self.indicator:
            return ">" if self.ascii else FACE_UP
        if tile in self.wild:
            return WILD
        return SPARE if tile == self.spare else " "

    def tile(self, tile: int) -> Text:
        """The tile in :data:`CELL` columns."""
        ink = _JOKER_INK if is_false_joker(tile) else _INKS[colour(tile)]
        special = tile == self.indicator or tile in self.wild
        mark = self.mark(tile)
        return Text.assemble(
            (mark, Style(bold=True)),
            (self.face(tile), Style(color=ink, bgcolor=_GOLD if special else _IVORY, bold=True)),
        )

    def dice(self, values: tuple[int, ...]) -> str:
        """The dice of a throw, such as ``⚄⚁ 7``."""
        if self.ascii:
            return "+".join(map(str, values)) + (f"={sum(values)}" if len(values) > 1 else "")
        return "".join("⚀⚁⚂⚃⚄⚅"[v - 1] for v in values) + f" {sum(values)}"

    @property
    def arrow(self) -> str:
        """What leads from a throw to what it chose."""
        return "->" if self.ascii else "→"

    @property
    def dot(self) -> str:
        """What stands between parts of a line."""
        return "-" if self.ascii else "·"

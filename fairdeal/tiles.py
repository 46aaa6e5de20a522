"""The 106 tiles of Okey, their names, and which of them are wild (protocol §3.6, §3.7).

Tile numbers run through two copies of four colours of thirteen, then the two false jokers:

>>> name(0), name(12), name(13), name(52), name(104)
('R1', 'R13', 'Y1', 'R1', 'J')
>>> [name(t) for t in okey_of(12)]
['R1', 'R1']
"""

from __future__ import annotations

import re

from fairdeal.errors import MalformedError

TILES = 106
FALSE_JOKERS = (104, 105)
COLOURS = ("red", "yellow", "blue", "black")
LETTERS = "RYBK"

_COPY = 52
_NUMBERS = 13
_FACE = re.compile(r"([RYBK])([1-9]|1[0-3])", re.ASCII)


def is_false_joker(tile: int) -> bool:
    """Whether the tile is one of the two false jokers (sahte okey)."""
    return tile in FALSE_JOKERS


def colour(tile: int) -> int:
    """0 red, 1 yellow, 2 blue, 3 black; the false jokers have none."""
    return tile % _COPY // _NUMBERS


def number(tile: int) -> int:
    """1 to 13; the false jokers have none."""
    return tile % _NUMBERS + 1


def name(tile: int) -> str:
    """Colour letter and number such as ``K13``, or ``J`` for a false joker. Both copies share a name."""
    return "J" if is_false_joker(tile) else f"{LETTERS[colour(tile)]}{number(tile)}"


def parse_name(text: str, field: str = "tile") -> tuple[int, int]:
    """The two tiles with this name, ascending. Raises :class:`MalformedError` for any other text."""
    if text == "J":
        return FALSE_JOKERS
    found = _FACE.fullmatch(text)
    if not found:
        raise MalformedError(field, "must be R, Y, B or K and a number from 1 to 13, or J")
    first = LETTERS.index(found[1]) * _NUMBERS + int(found[2]) - 1
    return first, first + _COPY


def twins(tile: int) -> tuple[int, int]:
    """Both copies of the tile's face, ascending."""
    return FALSE_JOKERS if is_false_joker(tile) else (tile % _COPY, tile % _COPY + _COPY)


def okey_of(indicator: int) -> tuple[int, int]:
    """The two wild tiles for an indicator: its colour, one number higher, 13 going to 1 (protocol §3.7).

    The indicator must not be a false joker; the layouts see to that.
    """
    first = colour(indicator) * _NUMBERS + number(indicator) % _NUMBERS
    return first, first + _COPY

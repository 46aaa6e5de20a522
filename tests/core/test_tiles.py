from __future__ import annotations

from collections import Counter

import pytest

from fairdeal import tiles
from fairdeal.errors import MalformedError


def test_the_set() -> None:
    names = Counter(map(tiles.name, range(tiles.TILES)))
    assert names == {"J": 2} | {f"{c}{n}": 2 for c in "RYBK" for n in range(1, 14)}
    assert [tiles.name(t) for t in (0, 12, 13, 25, 26, 38, 39, 51)] == [
        "R1",
        "R13",
        "Y1",
        "Y13",
        "B1",
        "B13",
        "K1",
        "K13",
    ]
    for tile in range(52):
        assert tiles.name(tile) == tiles.name(tile + 52)
        assert tiles.colour(tile) == tile // 13 == tiles.colour(tile + 52)
        assert tiles.number(tile) == tile % 13 + 1 == tiles.number(tile + 52)
    assert [t for t in range(106) if tiles.is_false_joker(t)] == [104, 105]


def test_names_read_back() -> None:
    for tile in range(tiles.TILES):
        assert tile in tiles.parse_name(tiles.name(tile))
        assert tiles.parse_name(tiles.name(tile)) == tiles.twins(tile)
        assert {tiles.name(t) for t in tiles.twins(tile)} == {tiles.name(tile)}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "R",
        "R0",
        "R14",
        "R01",
        "R1 ",
        " R1",
        "r1",
        "R1\n",
        "R+1",
        "R１",
        "R٣",
        "G1",
        "J1",
        "j",
        "JJ",
        "1R",
        "R1R1",
    ],
)
def test_names_that_are_none(text: str) -> None:
    with pytest.raises(MalformedError, match=r"^tile: "):
        tiles.parse_name(text)


@pytest.mark.parametrize(
    ("indicator", "okey"),
    [("R10", "R11"), ("Y6", "Y7"), ("K1", "K2"), ("K12", "K13")] + [(f"{c}13", f"{c}1") for c in "RYBK"],
)
def test_okey(indicator: str, okey: str) -> None:
    for tile in tiles.parse_name(indicator):
        assert tiles.okey_of(tile) == tiles.parse_name(okey)


def test_every_okey_is_another_face_of_the_same_colour() -> None:
    found = [tiles.okey_of(t) for t in range(104)]
    assert Counter(found) == {tiles.twins(t): 2 for t in range(52)}
    for tile, (first, second) in enumerate(found):
        assert second == first + 52
        assert tiles.colour(first) == tiles.colour(tile)
        assert first % 52 != tile % 52

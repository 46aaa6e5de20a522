"""A deal that a document shows but that nothing here derived: drawn if it can be, compared if it differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from fairdeal.audit.findings import plural
from fairdeal.deal import Deal, DeckDeal, OkeyDeal, document_members
from fairdeal.terms import DeckTerms, OkeyTerms, Terms
from fairdeal.tiles import TILES
from fairdeal.wall import Wall
from fairdeal_cli.drawing.ink import Ink

_MOST_LINES = 12


def readable(shown: Mapping[str, Any], terms: Terms) -> Deal | None:
    """A well-formed deal document as a deal, or ``None`` where its parts are not those of the terms.

    Only what drawing relies on is checked: sizes, and that every tile is one of the game's.
    """
    if shown.keys() != set(document_members(terms)) or not _within(shown["order"], terms.size):
        return None
    if isinstance(terms, DeckTerms):
        return DeckDeal(tuple(shown["order"]))
    wall = _wall(shown, terms) if terms.layout == "wall" else None
    tiles = [
        shown["indicator"],
        *shown["okey"],
        *shown["stock"],
        *(t for hand in shown["hands"] for t in hand),
    ]
    sound = (
        _within(tiles, TILES)
        and max(shown["dealer"], shown["starter"]) < terms.seats
        and len(shown["hands"]) == terms.seats
        and len(shown["okey"]) == 2
        and (wall is not None or terms.layout == "plain")
    )
    if not sound:
        return None
    return OkeyDeal(
        order=tuple(shown["order"]),
        dealer=shown["dealer"],
        dealer_throws=tuple(tuple((t["seat"], t["value"]) for t in r) for r in shown["dealer_throws"]),
        starter=shown["starter"],
        indicator=shown["indicator"],
        okey=(shown["okey"][0], shown["okey"][1]),
        hands=tuple(map(tuple, shown["hands"])),
        stock=tuple(shown["stock"]),
        wall=wall,
    )


def _wall(shown: Mapping[str, Any], terms: OkeyTerms) -> Wall | None:
    count, height = (terms.size - 1) // terms.stack_height, terms.stack_height
    stacks = shown["wall"]
    tiles = [shown["spare"], *(t for stack in stacks for t in stack)]
    sound = (
        len(stacks) == count
        and all(len(stack) == height for stack in stacks)
        and _within(tiles, TILES)
        and shown["selected"] < count
        and 2 <= len(shown["throws"]) <= 16
        and all(len(throw) == terms.dice for throw in shown["throws"])
    )
    if not sound:
        return None
    return Wall(
        tuple(map(tuple, stacks)),
        shown["spare"],
        tuple(map(tuple, shown["throws"])),
        shown["selected"],
        shown["level"],
    )


def _within(tiles: Sequence[int], size: int) -> bool:
    return all(tile < size for tile in tiles)


def differences(console: Console, shown: Mapping[str, Any], truth: Deal) -> Iterator[Text]:
    """Where a deal document differs from the true deal, part by part."""
    ink = Ink(console.options.ascii_only)
    true = truth.as_json()
    lines = list(_differences(shown, true, ink, faces=isinstance(truth, OkeyDeal)))
    yield from lines[:_MOST_LINES]
    if len(lines) > _MOST_LINES:
        yield Text(f" and {len(lines) - _MOST_LINES} more")


def _differences(
    shown: Mapping[str, Any], true: Mapping[str, Any], ink: Ink, *, faces: bool
) -> Iterator[Text]:
    for name in sorted(set(shown) ^ set(true)):
        yield Text(f" {name}: {'not shown' if name in true else 'does not belong there'}")
    for name in true:
        if name in shown and shown[name] != true[name]:
            yield from _part(name, shown[name], true[name], ink if faces else None)


def _part(name: str, shown: Any, true: Any, ink: Ink | None) -> Iterator[Text]:
    if name in ("hands", "wall") and len(shown) == len(true):
        what = "hand of seat" if name == "hands" else "stack"
        for k, (one, other) in enumerate(zip(shown, true, strict=True)):
            if one != other:
                yield from _part(f"{what} {k + (name == 'wall')}", one, other, ink)
        return
    if isinstance(true, list) and all(isinstance(t, int) for t in [*shown, *true]):
        yield Text.assemble(f" {name}: ", *_tiles(shown, true, ink))
    elif name in ("indicator", "spare") and ink:
        yield Text.assemble(f" {name}: shown", _tile(shown, ink), ", the seeds give", _tile(true, ink))
    elif isinstance(true, int):
        yield Text(f" {name}: shown {shown}, the seeds give {true}")
    else:
        yield Text(f" {name}: not the ones that the seeds give")


def _tiles(shown: Sequence[int], true: Sequence[int], ink: Ink | None) -> Iterator[str | Text]:
    """Sizes where they differ, else how many places do and the first of them."""
    if len(shown) != len(true):
        yield f"{plural(len(shown), 'tile')} shown, the seeds give {len(true)}"
        return
    places = [k for k, (one, other) in enumerate(zip(shown, true, strict=True)) if one != other]
    k = places[0]
    yield f"{len(places)} of {len(true)} places, first place {k + 1}: shown"
    yield _tile(shown[k], ink)
    yield ", the seeds give"
    yield _tile(true[k], ink)


def _tile(tile: int, ink: Ink | None) -> str | Text:
    if ink is None or tile >= TILES:
        return f" tile {tile}"
    return ink.tile(tile)

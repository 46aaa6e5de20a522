"""From a deal key and terms to the whole deal, and the document that states it (protocol §3–§6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fairdeal import plain, wall
from fairdeal.draws import Picker, Throw, WallThrows, picker, shuffle, throw_dealer
from fairdeal.encoding import integer, listing, members
from fairdeal.errors import MalformedError
from fairdeal.terms import DECK_SIZE, DeckTerms, OkeyTerms, Terms
from fairdeal.tiles import okey_of
from fairdeal.wall import Wall

_COMMON = ("order", "dealer", "dealer_throws", "starter", "indicator", "okey", "hands", "stock")
_WALL = (*_COMMON, "wall", "spare", "throws", "selected", "level")
_DECK = ("order",)


@dataclass(frozen=True, slots=True)
class OkeyDeal:
    """Everything that follows from the seeds of an Okey hand. Tiles are numbers from 0 to 105.

    ``order`` is the shuffle's result; ``hands`` is indexed by seat, tiles in the order taken; ``stock``
    starts with the tile drawn first; ``wall`` is ``None`` in the plain layout.
    """

    order: tuple[int, ...]
    dealer: int
    dealer_throws: tuple[tuple[Throw, ...], ...]
    starter: int
    indicator: int
    okey: tuple[int, int]
    hands: tuple[tuple[int, ...], ...]
    stock: tuple[int, ...]
    wall: Wall | None

    def as_json(self) -> dict[str, Any]:
        """The deal document (protocol §6)."""
        document: dict[str, Any] = {
            "order": list(self.order),
            "dealer": self.dealer,
            "dealer_throws": [
                [{"seat": seat, "value": value} for seat, value in throws] for throws in self.dealer_throws
            ],
            "starter": self.starter,
        }
        if self.wall:
            document |= {
                "wall": [list(stack) for stack in self.wall.stacks],
                "spare": self.wall.spare,
                "throws": [list(throw) for throw in self.wall.throws],
                "selected": self.wall.selected,
                "level": self.wall.level,
            }
        return document | {
            "indicator": self.indicator,
            "okey": list(self.okey),
            "hands": [list(hand) for hand in self.hands],
            "stock": list(self.stock),
        }


@dataclass(frozen=True, slots=True)
class DeckDeal:
    """The order of any other set of tiles or cards, numbered from 0."""

    order: tuple[int, ...]

    def as_json(self) -> dict[str, Any]:
        """The deal document: the order alone (protocol §6)."""
        return {"order": list(self.order)}


Deal = OkeyDeal | DeckDeal


def make_deal(key: bytes, terms: Terms) -> Deal:
    """The deal that a 32-byte deal key gives under the terms (protocol §3–§5)."""
    draw = picker(key)
    return deal_from(draw, terms, shuffle(draw, terms.size))


def deal_from(draw: Picker, terms: Terms, order: Sequence[int]) -> Deal:
    """The rest of the deal where the order is given, as the diagnosis does with wrong orders."""
    if isinstance(terms, DeckTerms):
        return DeckDeal(tuple(order))
    throws: Sequence[Sequence[Throw]] = ()
    if terms.dealer == "throw":
        dealer, throws = throw_dealer(draw, terms.seats)
    else:
        dealer = terms.dealer
    starter = (dealer + 1) % terms.seats
    built: Wall | None = None
    if terms.layout == "wall":
        built, tall = wall.build(order, terms, WallThrows(draw, terms.dice))
        layout = wall.lay_out(terms, starter, built, tall)
    else:
        layout = plain.lay_out(order, terms, starter)
    return OkeyDeal(
        order=tuple(order),
        dealer=dealer,
        dealer_throws=tuple(map(tuple, throws)),
        starter=starter,
        indicator=layout.indicator,
        okey=okey_of(layout.indicator),
        hands=layout.hands,
        stock=layout.stock,
        wall=built,
    )


def document_members(terms: Terms) -> tuple[str, ...]:
    """The members that a deal document has under these terms."""
    if isinstance(terms, OkeyTerms):
        return _WALL if terms.layout == "wall" else _COMMON
    return _DECK


def parse_document(value: object, field: str = "deal") -> dict[str, Any]:
    """A deal document checked for form alone: one of the three sets of members, every value of its type.

    Whether its values are the right ones is for :mod:`fairdeal.verify`. Returns the document as it came.
    """
    if not isinstance(value, dict):
        raise MalformedError(field, "must be an object")
    document = members(value, field, _WALL if "wall" in value else _COMMON if "hands" in value else _DECK)
    _tiles(document["order"], f"{field}.order")
    if document.keys() == set(_DECK):
        return document
    for name in ("dealer", "starter"):
        integer(document[name], f"{field}.{name}", 0, 15)
    for k, throws in enumerate(listing(document["dealer_throws"], f"{field}.dealer_throws", 1024)):
        for i, throw in enumerate(listing(throws, f"{field}.dealer_throws[{k}]", 1024)):
            where = f"{field}.dealer_throws[{k}][{i}]"
            members(throw, where, ("seat", "value"))
            integer(throw["seat"], f"{where}.seat", 0, 15)
            integer(throw["value"], f"{where}.value", 1, 6)
    _tile(document["indicator"], f"{field}.indicator")
    for name in ("okey", "stock"):
        _tiles(document[name], f"{field}.{name}")
    _tile_lists(document["hands"], f"{field}.hands")
    if "wall" in document:
        _tile_lists(document["wall"], f"{field}.wall")
        _tile(document["spare"], f"{field}.spare")
        for k, dice in enumerate(listing(document["throws"], f"{field}.throws", 1024)):
            for i, die in enumerate(listing(dice, f"{field}.throws[{k}]", 1024)):
                integer(die, f"{field}.throws[{k}][{i}]", 1, 6)
        for name in ("selected", "level"):
            integer(document[name], f"{field}.{name}", 0, 1023)
    return document


def _tile(value: object, field: str) -> None:
    integer(value, field, 0, DECK_SIZE[1] - 1)


def _tiles(value: object, field: str) -> None:
    for k, tile in enumerate(listing(value, field, DECK_SIZE[1])):
        # Hundreds in each document: their place is put into words only where it is needed.
        if type(tile) is not int or not 0 <= tile < DECK_SIZE[1]:
            _tile(tile, f"{field}[{k}]")


def _tile_lists(value: object, field: str) -> None:
    for k, tiles in enumerate(listing(value, field, DECK_SIZE[1])):
        _tiles(tiles, f"{field}[{k}]")

"""Hands redone under a mistake that dealers and verifiers elsewhere have made, as deals to compare with.

Everything here is lazy: a deal is made only when the one before it did not explain what was shown.
"""

from __future__ import annotations

import hashlib
import hmac as _hmac
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, permutations, product
from typing import Any

from fairdeal.deal import Deal, deal_from
from fairdeal.draws import Picker, mac, picker, shuffle
from fairdeal.seeds import Contribution
from fairdeal.terms import DECK_SEATS, DECK_SIZE, Dealer, DeckTerms, Game, Layout, OkeyTerms, Terms

MANY = 4
"""Up to so many contributions every subset and permutation is tried; beyond it only the likeliest."""


def sha256(data: bytes) -> bytes:
    """SHA-256."""
    return hashlib.sha256(data).digest()


def hmac(key: bytes, message: bytes) -> bytes:
    """HMAC-SHA256 under a key of any length, which is how such mistakes come about."""
    return _hmac.digest(key, message, "sha256")


def ordered(keys: Iterable[bytes], terms: Terms, order: Sequence[int]) -> Iterator[Deal]:
    """The deals of those keys whose shuffle gives ``order``: the rest need not be worked out."""
    for key in keys:
        draw = picker(key)
        if _shuffles_to(draw, order, terms.size):
            yield deal_from(draw, terms, order)


def _shuffles_to(draw: Picker, order: Sequence[int], n: int) -> bool:
    """Whether the true shuffle gives ``order``. A place is final once passed, so most keys fail early."""
    if len(order) != n:
        return False
    left = list(range(n))
    for i in range(n - 1, 0, -1):
        j = draw(f"r:{i}", i + 1)
        left[i], left[j] = left[j], left[i]
        if left[i] != order[i]:
            return False
    return left[0] == order[0]


def other_terms(stated: Terms, shown: dict[str, Any]) -> Iterator[Terms]:
    """Every other terms that a deal of this shape could come from."""
    found: Iterator[Terms]
    if shown.keys() == {"order"}:
        size = len(shown["order"])
        sizes = [size] if DECK_SIZE[0] <= size <= DECK_SIZE[1] else []
        decks = product(sizes, range(DECK_SEATS[0], DECK_SEATS[1] + 1), (False, True))
        found = (DeckTerms(*chosen) for chosen in decks)
    else:
        layout: Layout = "wall" if "wall" in shown else "plain"
        games: tuple[Game, ...] = ("okey", "okey101")
        found = (
            OkeyTerms(game, layout, seats, dealer, dice, openings)
            for game, seats, dice, openings in product(games, (2, 3, 4), (1, 2), (False, True))
            for dealer in _dealers(seats)
        )
    return (terms for terms in found if terms != stated)


def _dealers(seats: int) -> tuple[Dealer, ...]:
    return (*range(seats), "throw")


def fewer(opened: Sequence[Contribution]) -> Iterator[tuple[Contribution, ...]]:
    """Some of the contributions but not all."""
    count = len(opened)
    sizes = range(count - 1, -1, -1) if count <= MANY else (count - 1, 0)
    for size in sizes:
        yield from combinations(opened, size)


def changed(opened: Sequence[Contribution]) -> Iterator[tuple[Contribution, ...]]:
    """The contributions with seeds given to other seats, or hashed from their hex text."""
    if len(opened) <= MANY:
        for seeds in permutations([c.seed for c in opened]):
            yield tuple(Contribution(c.seat, seed) for c, seed in zip(opened, seeds, strict=True))
    yield tuple(Contribution(c.seat, sha256(c.seed.hex().encode())) for c in opened)


def little_endian(key: bytes, terms: Terms) -> Iterator[Deal]:
    """Draws read with the lowest byte first: all of them, or the shuffle's alone."""

    def draw(label: str, m: int) -> int:
        return int.from_bytes(mac(key, label), "little") % m

    order = shuffle(draw, terms.size)
    yield deal_from(draw, terms, order)
    yield deal_from(picker(key), terms, order)


def ascending(key: bytes, terms: Terms) -> Iterator[Deal]:
    """The shuffle run from the front: below or above the position that is swapped."""
    n = terms.size
    yield from _swapped(key, terms, ((i, f"r:{i}", i + 1, 0) for i in range(1, n)))
    yield from _swapped(key, terms, ((i, f"r:{i}", n - i, i) for i in range(n - 1)))


def off_by_one(key: bytes, terms: Terms) -> Iterator[Deal]:
    """The last step left out, or every draw one short (Sattolo's cycles)."""
    down = range(terms.size - 1, 0, -1)
    yield from _swapped(key, terms, ((i, f"r:{i}", i + 1, 0) for i in down if i > 1))
    yield from _swapped(key, terms, ((i, f"r:{i}", i, 0) for i in down))


def naive(key: bytes, terms: Terms) -> Iterator[Deal]:
    """Any position at every step, from either end, with or without the first position's own step."""
    n = terms.size
    for positions in (range(n - 1, 0, -1), range(n - 1, -1, -1), range(n), range(1, n)):
        yield from _swapped(key, terms, ((i, f"r:{i}", n, 0) for i in positions))


def _swapped(key: bytes, terms: Terms, steps: Iterable[tuple[int, str, int, int]]) -> Iterator[Deal]:
    """The deal from an order made by other steps: (position, label, m, lowest partner)."""
    draw: Picker = picker(key)
    order = list(range(terms.size))
    for i, label, m, low in steps:
        j = low + draw(label, m)
        order[i], order[j] = order[j], order[i]
    yield deal_from(draw, terms, order)

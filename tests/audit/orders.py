"""Orders to feed the statistics with: honest ones, and those of shuffles that are known to be wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from fairdeal.audit.stats.columns import Bytes, DealColumns
from fairdeal.deal import OkeyDeal, make_deal
from fairdeal.terms import OkeyTerms, Terms

TERMS: tuple[OkeyTerms, ...] = tuple(
    OkeyTerms(game="okey", layout="wall", seats=4, dealer=dealer, dice=1, openings=False)
    for dealer in (0, 1, 2, 3, "throw")
)
VARIED: tuple[OkeyTerms, ...] = tuple(
    OkeyTerms(
        game=game,
        layout=layout,
        seats=seats,
        dealer=dealer,
        dice=dice,
        openings=False,
    )
    for game in ("okey", "okey101")
    for layout in ("wall", "plain")
    for seats in (2, 3, 4)
    for dealer in (1, "throw")
    for dice in (1, 2)
)

Draw = Callable[[np.random.Generator, int, int], NDArray[np.integer]]


def fair(rng: np.random.Generator, i: int, n: int) -> NDArray[np.integer]:
    return rng.integers(0, i + 1, n)


def naive(rng: np.random.Generator, i: int, n: int) -> NDArray[np.integer]:
    return rng.integers(0, 106, n)


def sattolo(rng: np.random.Generator, i: int, n: int) -> NDArray[np.integer]:
    return rng.integers(0, i, n)


def one_byte(rng: np.random.Generator, i: int, n: int) -> NDArray[np.integer]:
    return rng.integers(0, 256, n) % (i + 1)


def shuffled(rng: np.random.Generator, n: int, draw: Draw = fair, last: int = 1) -> Bytes:
    """n orders by the protocol's loop, with the draw given."""
    orders = np.tile(np.arange(106, dtype=np.uint8), (n, 1))
    hands = np.arange(n)
    for i in range(105, last - 1, -1):
        j = draw(rng, i, n)
        orders[hands, i], orders[hands, j] = orders[hands, j], orders[hands, i]
    return orders


def honest(rng: np.random.Generator, n: int) -> Bytes:
    """n orders, each as likely as any other; much faster than shuffling by hand."""
    return rng.permuted(np.tile(np.arange(106, dtype=np.uint8), (n, 1)), axis=1)


def at_the_wall(rng: np.random.Generator, order: Bytes) -> DealColumns:
    """Columns for orders played at a wall by four, some dealers thrown for, with one die."""
    n = len(order)
    terms_id = rng.integers(0, len(TERMS), n)
    dice = np.zeros((n, 4), np.uint8)
    dice[:, 0], dice[:, 2] = rng.integers(1, 7, n), rng.integers(1, 7, n)
    dealer = np.array([t.dealer if t.dealer != "throw" else 0 for t in TERMS], np.uint8)[terms_id]
    thrown = np.flatnonzero(terms_id == 4)
    dealer_dice = np.zeros((n, 4), np.uint8)
    dealer_dice[thrown] = rng.integers(1, 7, (len(thrown), 4))
    # Who shares the highest throws again, by symmetry each as likely to win.
    best = dealer_dice[thrown] == dealer_dice[thrown].max(axis=1, keepdims=True)
    dealer[thrown] = (best * rng.random((len(thrown), 4))).argmax(axis=1)
    indicator = np.full(n, 255, np.uint8)
    level = dice[:, 2].astype(np.intp) - 1
    while (again := np.flatnonzero(indicator >= 104)).size:
        position = np.where(level == 5, 105, (dice[:, 0].astype(np.intp) - 1) * 5 + level)
        indicator[again] = order[again, position[again]]
        level = np.where(indicator >= 104, rng.integers(0, 6, n), level)
    return DealColumns(order, TERMS, terms_id, dealer, indicator, dice, dealer_dice)


def dealt(keys: Sequence[bytes], terms: Sequence[Terms]) -> tuple[list[OkeyDeal], DealColumns]:
    """Deals of the core itself, one of each key under the terms in turn, and their columns."""
    deals = []
    for k, key in enumerate(keys):
        deal = make_deal(key, terms[k % len(terms)])
        assert isinstance(deal, OkeyDeal)
        deals.append(deal)
    n = len(deals)
    dice = np.zeros((n, 4), np.uint8)
    dealer_dice = np.zeros((n, 4), np.uint8)
    for k, deal in enumerate(deals):
        if deal.wall:
            for throw in range(2):
                values = deal.wall.throws[throw]
                dice[k, 2 * throw : 2 * throw + len(values)] = values
        for seat, value in deal.dealer_throws[0] if deal.dealer_throws else ():
            dealer_dice[k, seat] = value
    return deals, DealColumns(
        order=np.array([deal.order for deal in deals], np.uint8),
        terms=terms,
        terms_id=np.arange(n) % len(terms),
        dealer=np.array([deal.dealer for deal in deals], np.uint8),
        indicator=np.array([deal.indicator for deal in deals], np.uint8),
        dice=dice,
        dealer_dice=dealer_dice,
    )


def part(columns: DealColumns, start: int, stop: int) -> DealColumns:
    """Some rows of a batch."""
    return chosen(columns, np.arange(start, min(stop, len(columns))))


def chosen(columns: DealColumns, rows: NDArray[np.intp]) -> DealColumns:
    """The rows named, in their order."""

    def cut(values: Bytes | None) -> Bytes | None:
        return None if values is None else values[rows]

    return DealColumns(
        order=columns.order[rows],
        terms=columns.terms,
        terms_id=columns.terms_id[rows],
        dealer=cut(columns.dealer),
        indicator=cut(columns.indicator),
        dice=cut(columns.dice),
        dealer_dice=cut(columns.dealer_dice),
        table=None if columns.table is None else columns.table[rows],
    )

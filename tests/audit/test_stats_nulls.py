from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from itertools import combinations, pairwise
from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray

from fairdeal.audit.stats import nulls
from fairdeal.audit.stats.alternatives import NAIVE, ONE_BYTE, SATTOLO, tile_chances
from fairdeal.draws import picker, shuffle
from tests.audit.orders import Draw, fair, honest, naive, one_byte, sattolo, shuffled

SIZES = (15, 14, 14, 14)
HANDS = 60_000


def _owned(order: NDArray[np.uint8], tiles: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How many of the tiles marked lie in each seat's part of the order, (n, 4)."""
    ends = np.cumsum((0, *SIZES))
    return np.stack([tiles[:, a:b].sum(axis=1) for a, b in pairwise(ends)], axis=1)


@pytest.mark.parametrize("thing", ["okeys", "jokers", "pairs"])
def test_moments_are_those_of_many_hands(thing: str) -> None:
    order = honest(np.random.default_rng(11), HANDS)
    moments: Callable[[Sequence[int]], tuple[nulls.Floats, nulls.Floats]]
    if thing == "jokers":
        seen, moments = _owned(order, order >= 104), nulls.joker_moments
    elif thing == "okeys":
        # As in the plain layout: the indicator is the last tile that is no false joker.
        last = np.where(order[:, 105] < 104, order[:, 105], order[:, 104])
        last = np.where(last < 104, last, order[:, 103]).astype(int)
        okey = last % 52 // 13 * 13 + (last % 13 + 1) % 13
        seen = _owned(order, (order % 52 == okey[:, np.newaxis]) & (order < 104))
        moments = nulls.okey_moments
    else:
        seat = np.searchsorted(np.cumsum(SIZES), np.arange(106), side="right")
        owner = seat[np.argsort(order, axis=1)]
        both = np.concatenate(
            [
                np.where(owner[:, :52] == owner[:, 52:104], owner[:, :52], 9),
                np.where(owner[:, 104:105] == owner[:, 105:], owner[:, 104:105], 9),
            ],
            axis=1,
        )
        seen, moments = np.stack([(both == s).sum(axis=1) for s in range(4)], axis=1), nulls.pair_moments
    mean, covariance = moments(SIZES)
    off = (seen.mean(axis=0) - mean) / np.sqrt(np.diag(covariance) / HANDS)
    assert abs(off).max() < 4
    assert np.cov(seen.T) == pytest.approx(covariance, abs=0.02)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_longest_runs_of_small_hands_by_trying_them_all(size: int) -> None:
    found = np.zeros(14)
    faces = [(t % 52 // 13, t % 13) if t < 104 else None for t in range(106)]
    for hand in combinations(faces, size):
        held = {face for face in hand if face}
        longest = 0
        for colour, number in held:
            run = 1
            while (colour, number + run) in held:
                run += 1
            longest = max(longest, run)
        found[longest] += 1
    assert nulls.longest_run(size) == pytest.approx(found / comb(106, size))


def test_distributions_sum_to_one_and_have_the_means_of_many_hands() -> None:
    order = honest(np.random.default_rng(12), HANDS)
    number = np.where(order < 104, order % 13, 13)
    first = np.stack([(number == k).argmax(axis=1) for k in range(13)], axis=1).max(axis=1) + 1
    chances = np.asarray(nulls.collection())
    assert chances.sum() == pytest.approx(1)
    assert chances[:13].sum() == 0
    mean = chances @ np.arange(107)
    assert first.mean() == pytest.approx(mean, abs=4 * first.std() / HANDS**0.5)
    for size in (14, 15, 21, 22):
        assert sum(nulls.longest_run(size)) == pytest.approx(1)
    assert nulls.longest_run_mean(14) < nulls.longest_run_mean(15) < nulls.longest_run_mean(22) < 13


def test_rises_and_products_have_the_moments_of_many_orders() -> None:
    order = honest(np.random.default_rng(13), HANDS).astype(np.int64)
    rises = (order[:, 1:] > order[:, :-1]).sum(axis=1)
    products = (order[1:] * order[:-1]).sum(axis=1)
    for seen, (mean, variance) in ((rises, nulls.rise_moments()), (products, nulls.product_moments())):
        assert seen.mean() == pytest.approx(mean, abs=4 * (variance / HANDS) ** 0.5)
        assert seen.var() == pytest.approx(variance, rel=0.03)


@pytest.mark.parametrize(
    ("name", "draw", "last"), [(NAIVE, naive, 0), (SATTOLO, sattolo, 1), (ONE_BYTE, one_byte, 1)]
)
def test_chances_of_wrong_shuffles_are_those_of_many_shuffles(name: str, draw: Draw, last: int) -> None:
    chances = tile_chances(name)
    assert chances.sum(axis=0) == pytest.approx(np.ones(106))
    assert chances.sum(axis=1) == pytest.approx(np.ones(106))
    order = shuffled(np.random.default_rng(14), 20_000, draw, last)
    for position in (0, 1, 50, 104, 105):
        seen = np.bincount(order[:, position], minlength=106)
        expected = chances[position] * len(order)
        assert (np.square(seen - expected) / np.maximum(expected, 1e-9)).sum() < 180, position  # 105 degrees
    assert (chances[np.arange(106), np.arange(106)].max() == 0) == (name == SATTOLO)


def test_orders_made_for_tests_follow_the_protocols_loop() -> None:
    draw = picker(hashlib.sha256(b"loop").digest())

    def drawn(rng: np.random.Generator, i: int, n: int) -> NDArray[np.integer]:
        return np.full(n, draw(f"r:{i}", i + 1))

    rng = np.random.default_rng(0)
    assert shuffled(rng, 1, drawn)[0].tolist() == shuffle(draw, 106)
    assert sorted(shuffled(rng, 1, fair)[0]) == list(range(106))

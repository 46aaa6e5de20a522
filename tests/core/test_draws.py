from __future__ import annotations

import hashlib
import hmac
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal import draws
from fairdeal.errors import MalformedError
from tests.core import strategies as own
from tests.core.pickers import Recorded


@given(own.seeds, st.text(alphabet="abr:0123456789", max_size=12), st.integers(1, 1024))
def test_a_draw_is_the_big_endian_mac_modulo_m(key: bytes, label: str, m: int) -> None:
    mac = hmac.new(key, label.encode(), hashlib.sha256).digest()
    assert draws.mac(key, label) == mac
    assert draws.pick(key, label, m) == int(mac.hex(), 16) % m == draws.picker(key)(label, m)


@pytest.mark.parametrize("size", [0, 31, 33, 64, 65])
def test_a_key_of_another_length_is_refused(size: int) -> None:
    # HMAC takes any length, and pads or hashes it to one that another key has too.
    with pytest.raises(MalformedError, match="key: must be exactly 32 bytes"):
        draws.picker(bytes(size))


@given(own.seeds, st.integers(1, 200))
def test_the_shuffle_by_its_plain_definition(key: bytes, n: int) -> None:
    order = list(range(n))
    for i in reversed(range(1, n)):
        j = draws.pick(key, f"r:{i}", i + 1)
        order[i], order[j] = order[j], order[i]
    assert draws.shuffle(draws.picker(key), n) == order
    assert sorted(order) == list(range(n))


def test_the_shuffle_asks_for_exactly_its_draws() -> None:
    draw = Recorded(default=0)
    assert draws.shuffle(draw, 5) == [1, 2, 3, 4, 0]
    assert draw.asked == [("r:4", 5), ("r:3", 4), ("r:2", 3), ("r:1", 2)]
    assert draws.shuffle(Recorded({"r:4": 4, "r:3": 3, "r:2": 2, "r:1": 1}), 5) == [0, 1, 2, 3, 4]


def test_a_dealer_thrown_for_at_once() -> None:
    draw = Recorded({"dealer:0": 1, "dealer:1": 4, "dealer:2": 0, "dealer:3": 3})
    assert draws.throw_dealer(draw, 4) == (1, [[(0, 2), (1, 5), (2, 1), (3, 4)]])
    assert [m for _, m in draw.asked] == [6, 6, 6, 6]


def test_only_those_that_share_the_highest_throw_again() -> None:
    draw = Recorded(
        {"dealer:0": 5, "dealer:1": 2, "dealer:2": 5, "dealer:3": 5}
        | {"dealer:4": 0, "dealer:5": 3, "dealer:6": 3}
        | {"dealer:7": 1, "dealer:8": 4}
    )
    assert draws.throw_dealer(draw, 4) == (
        3,
        [
            [(0, 6), (1, 3), (2, 6), (3, 6)],
            [(0, 1), (2, 4), (3, 4)],
            [(2, 2), (3, 5)],
        ],
    )


def test_all_may_tie() -> None:
    draw = Recorded({"dealer:2": 3}, default=2)
    assert draws.throw_dealer(draw, 2) == (0, [[(0, 3), (1, 3)], [(0, 4), (1, 3)]])


@given(own.seeds, st.integers(2, 4))
def test_the_dealer_is_the_last_to_throw_highest(key: bytes, seats: int) -> None:
    dealer, rounds = draws.throw_dealer(draws.picker(key), seats)
    assert [seat for seat, _ in rounds[0]] == list(range(seats))
    for before, after in pairwise(rounds):
        highest = max(value for _, value in before)
        assert [seat for seat, _ in after] == [seat for seat, value in before if value == highest]
    best = max(value for _, value in rounds[-1])
    assert [seat for seat, value in rounds[-1] if value == best] == [dealer]


def test_throws_at_the_wall_count_their_dice_through_the_hand() -> None:
    throws = draws.WallThrows(Recorded({"die:0": 5, "die:1": 0, "die:2": 3, "die:3": 2}), 2)
    assert [throws.throw(), throws.throw()] == [[6, 1], [4, 3]]
    single = draws.WallThrows(Recorded({"die:0": 5, "die:1": 0}), 1)
    assert [single.throw(), single.throw()] == [[6], [1]]

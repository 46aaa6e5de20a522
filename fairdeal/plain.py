"""The plain layout: hands straight off the shuffled order, no wall and no wall throws (protocol §5)."""

from __future__ import annotations

from collections.abc import Sequence

from fairdeal.terms import OkeyTerms
from fairdeal.tiles import is_false_joker
from fairdeal.wall import Layout


def lay_out(order: Sequence[int], terms: OkeyTerms, starter: int) -> Layout:
    """Whole hands in seat order from the front; the indicator is the last tile that is no false joker."""
    hands: list[tuple[int, ...]] = [()] * terms.seats
    taken = 0
    for k in range(terms.seats):
        seat = (starter + k) % terms.seats
        count = terms.hand_size + (seat == starter)
        hands[seat] = tuple(order[taken : taken + count])
        taken += count
    # Only two false jokers exist, so the last three places always hold a tile that can indicate.
    at = next(k for k in range(terms.size - 1, -1, -1) if not is_false_joker(order[k]))
    return Layout(
        indicator=order[at],
        hands=tuple(hands),
        stock=(*order[taken:at], *order[at + 1 :]),
    )

"""Which of millions of 64-bit numbers are there more than once, compiled: dealt into buckets, then looked up.

Sorting them takes ten times as long: here each is moved once, into a bucket whose table stays in a
processor's inner cache.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import uint64

from fairdeal.audit.kernel.compiled import Array, compiled, inlined

BUCKET = 1 << 11
"""Numbers that a bucket holds, about."""

MOST_BUCKETS = 1 << 11
"""More, and dealing them out would wait for memory at each."""


def doubles(numbers: Array, mixer: int) -> Array:
    """Those of (n,) uint64 that are equal to an earlier one, in any order, once for each time.

    ``mixer`` is odd and unknown to whoever chose the numbers, who could fill one bucket with them otherwise.
    """
    bits = min(max(len(numbers) // BUCKET, 1).bit_length(), MOST_BUCKETS.bit_length() - 1)
    dealt = np.empty_like(numbers)
    ends = np.zeros((1 << bits) + 1, np.int64)
    return dealt[: _doubles(numbers, np.uint64(mixer), bits, ends, dealt)]


@compiled
def _doubles(numbers: Array, mixer: Any, bits: int, ends: Array, dealt: Array) -> int:
    """How many were found; they stand at the beginning of ``dealt``."""
    away = uint64(64 - bits)
    for k in range(len(numbers)):
        ends[((numbers[k] * mixer) >> away) + uint64(1)] += 1
    longest = 0
    for b in range(1, len(ends)):
        longest = max(longest, ends[b])
        ends[b] += ends[b - 1]
    # Now each holds where its bucket begins; afterwards, where it ends.
    for k in range(len(numbers)):
        number = numbers[k]
        b = (number * mixer) >> away
        dealt[ends[b]] = number
        ends[b] += 1
    table = np.empty(2 << _bits_of(longest), np.uint64)
    first = found = zeros = 0
    for b in range(len(ends) - 1):
        # As much of the table as this bucket needs: a number that is there a million times fills one bucket.
        slots = _bits_of(ends[b] - first) + 1
        last, beyond = uint64((1 << slots) - 1), uint64(64 - slots)
        table[: 1 << slots] = uint64(0)
        for k in range(first, ends[b]):
            number = dealt[k]
            if number == uint64(0):
                # Nought marks an empty slot, so it is counted by itself.
                zeros += 1
                continue
            at = ((number * mixer) << uint64(bits)) >> beyond
            while table[at] != uint64(0) and table[at] != number:
                at = (at + uint64(1)) & last
            if table[at] == number:
                dealt[found] = number  # behind k, so what stood there is done with
                found += 1
            table[at] = number
        first = ends[b]
    for _ in range(1, zeros):
        dealt[found] = uint64(0)
        found += 1
    return found


@inlined
def _bits_of(count: Any) -> Any:
    """The exponent of the least power of two that is not below a count."""
    bits = 0
    while (1 << bits) < count:
        bits += 1
    return bits

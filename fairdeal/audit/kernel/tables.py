"""Constants of SHA-256 (FIPS 180-4) and what can be worked out once per label instead of once per hand.

The message ``r:105`` under HMAC is the same block for every hand: its message schedule is a constant.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from fairdeal.audit.kernel.compiled import Array

LARGEST = 256
"""Tiles in the largest deck the compiled kernels shuffle: positions fit in a byte."""


def _primes(count: int) -> list[int]:
    found: list[int] = []
    number = 2
    while len(found) < count:
        if all(number % p for p in found):
            found.append(number)
        number += 1
    return found


def _root_bits(number: int, power: int) -> int:
    """The first 32 bits of the fractional part of the square (2) or cube (3) root."""
    shifted = number << 32 * power
    low, high = 0, 1 << 40
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**power <= shifted else (low, middle)
    return low & 0xFFFFFFFF


K = np.array([_root_bits(p, 3) for p in _primes(64)], np.uint32)
"""The round constants."""

IV = np.array([_root_bits(p, 2) for p in _primes(8)], np.uint32)
"""The initial hash value."""

PAD = np.uint32(0x80000000)
INNER = np.uint32(0x36363636)
OUTER = np.uint32(0x5C5C5C5C)
ZERO = np.uint32(0)
BITS_DIGEST = np.uint32(8 * (64 + 32))
"""Length that the outer hash of an HMAC ends with: the key block and one digest."""


def words(data: Array) -> Array:
    """(n, 4k) bytes as (n, k) words of 32 bits, the first byte highest as SHA-256 reads them."""
    return np.ascontiguousarray(data).view(">u4").astype(np.uint32)


def octets(data: Array) -> Array:
    """The reverse of :func:`words`."""
    return data.astype(">u4").view(np.uint8).reshape(len(data), 4 * data.shape[1])


def padded(message: bytes, before: int = 0) -> bytes:
    """The message with SHA-256's padding, to whole blocks; ``before`` bytes have been hashed already."""
    fill = -(len(message) + 9) % 64
    return message + b"\x80" + bytes(fill) + (8 * (before + len(message))).to_bytes(8, "big")


def _rotated(x: int, n: int) -> int:
    return (x >> n | x << (32 - n)) & 0xFFFFFFFF


def schedule(block: bytes) -> list[int]:
    """The 64 words that go into the rounds of a block of 64 bytes, round constants added."""
    w = [int.from_bytes(block[k : k + 4], "big") for k in range(0, 64, 4)]
    for t in range(16, 64):
        x, y = w[t - 15], w[t - 2]
        small = _rotated(x, 7) ^ _rotated(x, 18) ^ x >> 3
        great = _rotated(y, 17) ^ _rotated(y, 19) ^ y >> 10
        w.append((w[t - 16] + small + w[t - 7] + great) & 0xFFFFFFFF)
    return [(a + int(b)) & 0xFFFFFFFF for a, b in zip(w, K, strict=True)]


class Draws(NamedTuple):
    """Draws under some labels: their schedules and the arithmetic of the modulus.

    A digest modulo m is the sum of its sixteen 16-bit digits, each times 2^(16 k) mod m: below
    16 · 65535 · 1023 < 2^31. What remains is one division by a constant: multiply and shift.
    """

    schedules: Array
    """(labels, 64) uint32."""
    weights: Array
    """(labels, 16) uint32: of the digits, the highest first."""
    moduli: Array
    """(labels,) uint32."""
    reciprocals: Array
    """(labels,) uint64."""
    shifts: Array
    """(labels,) uint64."""


@lru_cache(maxsize=256)
def draws(labels: tuple[bytes, ...], moduli: tuple[int, ...]) -> Draws:
    """What picking ``label`` modulo its m needs, for each label; every label fits one block."""
    reciprocals, shifts = zip(*map(_reciprocal, moduli), strict=True)
    return Draws(
        np.array([schedule(padded(label, 64)) for label in labels], np.uint32),
        np.array([[pow(2, 16 * (15 - k), m) for k in range(16)] for m in moduli], np.uint32),
        np.array(moduli, np.uint32),
        np.array(reciprocals, np.uint64),
        np.array(shifts, np.uint64),
    )


def _reciprocal(m: int) -> tuple[int, int]:
    """(M, s) with x // m == x · M >> s for every x below 2^31 (Granlund and Montgomery 1994)."""
    log = m.bit_length() - 1
    if m == 1 << log:
        return 1, log
    return -(-(1 << 32 + log) // m), 32 + log


def shuffle_draws(size: int) -> Draws:
    """The draws ``r:1`` … ``r:<size - 1>``, at their own index; index 0 is not drawn."""
    positions = range(1, size)
    labels = (b"r:0", *(b"r:%d" % i for i in positions))
    return draws(labels, (1, *(i + 1 for i in positions)))

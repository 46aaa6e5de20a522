"""Draws: every random-looking number of a hand, from its deal key and a label (protocol §3)."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass

from fairdeal.errors import MalformedError

KEY_SIZE = 32
"""Bytes in a deal key."""

Throw = tuple[int, int]
"""One die of one seat while the dealer is thrown for: (seat, value)."""

Picker = Callable[[str, int], int]
"""A function (label, m) → 0 … m − 1."""

# HMAC's two pads (RFC 2104), for every value of a byte.
_INNER, _OUTER = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))


def mac(key: bytes, label: str) -> bytes:
    """HMAC-SHA256 of an ASCII label under the deal key: 32 bytes (RFC 2104)."""
    return hmac.digest(key, label.encode("ascii"), "sha256")


def pick(key: bytes, label: str, m: int) -> int:
    """The MAC as one big-endian integer, modulo ``m`` (protocol §3.1).

    256 bits modulo at most 1024 favour no value by more than 2^-246, so nothing is ever rejected.
    """
    return int.from_bytes(mac(key, label), "big") % m


def picker(key: bytes) -> Picker:
    """:func:`pick` with the key's two HMAC midstates kept: the same values, about three times as fast.

    Raises :class:`MalformedError` where the key has another length than 32 bytes.
    """
    if len(key) != KEY_SIZE:
        # HMAC pads or hashes any other length to one that some other key has, too.
        raise MalformedError("key", f"must be exactly {KEY_SIZE} bytes")
    block = key.ljust(64, b"\0")
    inner = hashlib.sha256(block.translate(_INNER)).copy
    outer = hashlib.sha256(block.translate(_OUTER)).copy
    integer = int.from_bytes

    def draw(label: str, m: int) -> int:
        first, second = inner(), outer()
        first.update(label.encode("ascii"))
        second.update(first.digest())
        return integer(second.digest(), "big") % m

    return draw


def shuffle(draw: Picker, n: int) -> list[int]:
    """Fisher–Yates from the last position to the second, one draw ``r:i`` of i + 1 each (protocol §3.2)."""
    order = list(range(n))
    for i in range(n - 1, 0, -1):
        j = draw(f"r:{i}", i + 1)
        order[i], order[j] = order[j], order[i]
    return order


def throw_dealer(draw: Picker, seats: int) -> tuple[int, list[list[Throw]]]:
    """The dealer's seat and the rounds of throws that chose it (protocol §3.3).

    All seats throw one die, in ascending order; of those that share the highest only they throw again.
    """
    rounds: list[list[Throw]] = []
    throwing = list(range(seats))
    thrown = 0
    while len(throwing) > 1:
        throws = [(seat, draw(f"dealer:{thrown + k}", 6) + 1) for k, seat in enumerate(throwing)]
        thrown += len(throwing)
        rounds.append(throws)
        highest = max(value for _, value in throws)
        throwing = [seat for seat, value in throws if value == highest]
    return throwing[0], rounds


@dataclass(slots=True)
class WallThrows:
    """Successive throws at the wall, ``dice`` dice each, counted through the hand (protocol §3.5)."""

    draw: Picker
    dice: int
    thrown: int = 0

    def throw(self) -> list[int]:
        """The next throw: the value of each die, 1 to 6. It counts as their sum."""
        values = [self.draw(f"die:{self.thrown + k}", 6) + 1 for k in range(self.dice)]
        self.thrown += self.dice
        return values

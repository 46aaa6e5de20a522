"""The audit's kernel: the HMACs of many hands at once (protocol §2.3, §3).

Three backends give the same answers. *hashlib* needs no compiling and wins below some thousands of hands;
*numba lanes* computes 64 hands side by side in whatever vectors the processor has; *SHA instructions* does
the shuffle with the processor's own, where it has them.

    kernel = choose(len(seeds))
    keys = kernel.keys(seeds, transcripts)
    orders = kernel.shuffle(keys, 106)
"""

from __future__ import annotations

from typing import Protocol

from fairdeal.audit.kernel.compiled import Array

FEW_HANDS = 5_000
"""Below so many hands hashlib has finished before numba is loaded and its cache read (measured: 0.5–1 s)."""


class Kernel(Protocol):
    """Hashes for many hands. All arrays are ``uint8``, C-contiguous, one row a hand.

    Every call runs on one core without holding the interpreter's lock; threads share a kernel freely.
    """

    @property
    def name(self) -> str:
        """What it computes on, in words."""

    def __hash__(self) -> int:
        """Kernels of one kind are equal."""

    def digest(self, blocks: Array) -> Array:
        """SHA-256 of messages that carry their padding already: (n, 64 b) → (n, 32)."""

    def keys(self, seeds: Array, transcripts: Array) -> Array:
        """HMAC(seed, transcript), the deal keys (§2.3): (n, 32), (n, 96) → (n, 32)."""

    def shuffle(self, keys: Array, size: int) -> Array:
        """The orders of ``size`` tiles, 2 to 256 (§3.2): (n, 32) → (n, size)."""

    def picks(self, keys: Array, labels: tuple[bytes, ...], m: int) -> Array:
        """Draws modulo ``m`` (1–256) under labels of at most 55 bytes (§3.1): (n, 32) → (n, labels)."""

    def macs(self, keys: Array, labels: tuple[bytes, ...]) -> Array:
        """HMAC(key, label) for each label of at most 55 bytes: (n, 32) → (n, labels, 32)."""


def choose(hands: int) -> Kernel:
    """The fastest backend here for about so many hands. Needs NumPy; numba only where it pays."""
    from fairdeal.audit.kernel.reference import HashlibKernel  # noqa: PLC0415 - NumPy is an extra

    if hands < FEW_HANDS:
        return HashlibKernel()
    try:
        from fairdeal.audit.kernel import instructions  # noqa: PLC0415 - so is numba
    except ImportError:  # NumPy alone is there
        return HashlibKernel()
    if instructions.supported():
        from fairdeal.audit.kernel.sha import ShaKernel  # noqa: PLC0415 - compiles only where it can run

        return ShaKernel()
    from fairdeal.audit.kernel.lanes import LaneKernel  # noqa: PLC0415 - as above

    return LaneKernel()

"""The kernel on hashlib alone: what the compiled ones are compared with, and the faster one for few hands."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairdeal.audit.kernel.compiled import Array
from fairdeal.draws import picker, shuffle


@dataclass(frozen=True)
class HashlibKernel:
    """One hand after another, with the two HMAC midstates of a key copied for each draw."""

    name: ClassVar[str] = "hashlib"

    def digest(self, blocks: Array) -> Array:
        """See :class:`fairdeal.audit.kernel.Kernel`."""
        found = [hashlib.sha256(_unpadded(row.tobytes())).digest() for row in blocks]
        return _rows(found, 32)

    def keys(self, seeds: Array, transcripts: Array) -> Array:
        """See :class:`fairdeal.audit.kernel.Kernel`."""
        pairs = zip(seeds, transcripts, strict=True)
        return _rows([hmac.digest(seed.tobytes(), text.tobytes(), "sha256") for seed, text in pairs], 32)

    def shuffle(self, keys: Array, size: int) -> Array:
        """See :class:`fairdeal.audit.kernel.Kernel`."""
        found = [bytes(shuffle(picker(key.tobytes()), size)) for key in keys]
        return _rows(found, size)

    def picks(self, keys: Array, labels: tuple[bytes, ...], m: int) -> Array:
        """See :class:`fairdeal.audit.kernel.Kernel`."""
        names = [label.decode("ascii") for label in labels]
        found = []
        for key in keys:
            draw = picker(key.tobytes())
            found.append(bytes(draw(name, m) for name in names))
        return _rows(found, len(labels))

    def macs(self, keys: Array, labels: tuple[bytes, ...]) -> Array:
        """See :class:`fairdeal.audit.kernel.Kernel`."""
        found = [hmac.digest(key.tobytes(), label, "sha256") for key in keys for label in labels]
        return _rows(found, 32).reshape(len(keys), len(labels), 32)


def _rows(found: list[bytes], width: int) -> Array:
    return np.frombuffer(b"".join(found), np.uint8).reshape(-1, width)


def _unpadded(blocks: bytes) -> bytes:
    return blocks[: int.from_bytes(blocks[-8:], "big") // 8]

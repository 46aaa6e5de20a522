"""The kernel with the shuffle, nearly all of its work, on the processor's SHA instructions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numba import uint32, uint64

from fairdeal.audit.kernel.compiled import Array, compiled
from fairdeal.audit.kernel.instructions import FEBA, STREAMS, compress, weigh, weight_vectors
from fairdeal.audit.kernel.lanes import LaneKernel
from fairdeal.audit.kernel.tables import INNER, IV, OUTER, Draws, K, shuffle_draws, words

_START = IV[list(FEBA)]


@dataclass(frozen=True)
class ShaKernel(LaneKernel):
    """Only where :func:`fairdeal.audit.kernel.instructions.supported` says so: elsewhere LLVM aborts."""

    name: ClassVar[str] = "SHA instructions"

    def shuffle(self, keys: Array, size: int) -> Array:
        """See :class:`fairdeal.audit.kernel.Kernel`."""
        out = np.empty((len(keys), size), np.uint8)
        draw = shuffle_draws(size)
        _shuffle(words(keys), out, draw._replace(weights=weight_vectors(draw.weights)), K)
        return out


@compiled
def _shuffle(
    keys: Array,
    out: Array,
    draw: Draws,
    constants: Array,
) -> None:
    size = out.shape[1]
    mids = np.empty((STREAMS, 16), np.uint32)
    state = np.empty((STREAMS, 8), np.uint32)
    block = np.empty((STREAMS, 16), np.uint32)
    sums = np.empty(STREAMS, np.uint32)
    order = np.empty((STREAMS, size), np.uint8)
    at_mids, at_sums = uint64(mids.ctypes.data), uint64(sums.ctypes.data)
    at_state, at_block = uint64(state.ctypes.data), uint64(block.ctypes.data)
    at_constants = uint64(constants.ctypes.data)
    at_schedules, at_weights = uint64(draw.schedules.ctypes.data), uint64(draw.weights.ctypes.data)
    hands = len(keys)
    for first in range(0, hands, STREAMS):
        count = min(hands - first, STREAMS)
        for half in range(2):
            mask = OUTER if half else INNER
            for s in range(STREAMS):
                # Spare streams repeat the first hand.
                hand = first + s if s < count else first
                for k in range(8):
                    state[s, k] = _START[k]
                    block[s, k] = keys[hand, k] ^ mask
                    block[s, 8 + k] = mask
            compress(at_state, at_block, at_constants)
            for s in range(STREAMS):
                for k in range(8):
                    mids[s, 8 * half + k] = state[s, k]
        for s in range(STREAMS):
            for position in range(size):
                order[s, position] = position
        for i in range(size - 1, 0, -1):
            at = uint64(i)
            weigh(at_mids, at_schedules + 256 * at, at_constants, at_weights + 64 * at, at_sums)
            for s in range(STREAMS):
                x = sums[s]
                quotient = uint32((uint64(x) * draw.reciprocals[i]) >> draw.shifts[i])
                j = uint32(x - uint32(quotient * draw.moduli[i]))
                tile = order[s, i]
                order[s, i] = order[s, j]
                order[s, j] = tile
        for s in range(count):
            for position in range(size):
                out[first + s, position] = order[s, position]

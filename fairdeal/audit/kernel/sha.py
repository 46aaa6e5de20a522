"""The kernel with nearly all of its work on the processor's SHA instructions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numba import uint32, uint64

from fairdeal.audit.kernel.compiled import Array, compiled, inlined
from fairdeal.audit.kernel.instructions import FEBA, STREAMS, begin, compress, swap, weigh, weight_vectors
from fairdeal.audit.kernel.lanes import LaneKernel
from fairdeal.audit.kernel.tables import BITS_DIGEST, INNER, IV, OUTER, PAD, Draws, K, draws, shuffle_draws

_START = IV[list(FEBA)]
_WORD = np.array(FEBA)
_BITS_TRANSCRIPT = np.uint32(8 * (64 + 96))
"""Length that the inner hash of a deal key ends with: the key block and the transcript (§2.3)."""


class Room(NamedTuple):
    """What the compiled functions work in, lent by whoever calls them.

    Most of it they know by its address alone. An array made inside would be given back to the system after
    its last use by name, and be written to after that, while another thread has it.
    """

    state: Array
    block: Array
    inner: Array
    mids: Array
    sums: Array
    hashed: Array

    @classmethod
    def new(cls) -> Room:
        """Room for one call."""
        widths = 8, 16, 8, 16, 1, 8
        return cls(*(np.empty((STREAMS, width), np.uint32) for width in widths))


@dataclass(frozen=True)
class ShaKernel(LaneKernel):
    """Only where :func:`fairdeal.audit.kernel.instructions.supported` says so: elsewhere LLVM aborts."""

    name: ClassVar[str] = "SHA instructions"

    def digest(self, blocks: Array) -> Array:
        """See :class:`fairdeal.audit.kernel.Kernel`."""
        out = np.empty((len(blocks), 32), np.uint8)
        _digest(_as_words(blocks), out.view(np.uint32), K, Room.new())
        return out

    def keys(self, seeds: Array, transcripts: Array) -> Array:
        """See :class:`fairdeal.audit.kernel.Kernel`."""
        out = np.empty((len(seeds), 32), np.uint8)
        _keys(_as_words(seeds), _as_words(transcripts), out.view(np.uint32), K, Room.new())
        return out

    def shuffle(self, keys: Array, size: int) -> Array:
        """See :class:`fairdeal.audit.kernel.Kernel`."""
        out = np.empty((len(keys), size), np.uint8)
        _shuffle(_as_words(keys), out, _weighed(shuffle_draws(size)), K, Room.new())
        return out

    def picks(self, keys: Array, labels: tuple[bytes, ...], m: int) -> Array:
        """See :class:`fairdeal.audit.kernel.Kernel`."""
        out = np.empty((len(keys), len(labels)), np.uint8)
        if labels:
            _picks(_as_words(keys), out, _weighed(draws(labels, (m,) * len(labels))), K, Room.new())
        return out


def _weighed(draw: Draws) -> Draws:
    return draw._replace(weights=weight_vectors(draw.weights))


def _as_words(data: Array) -> Array:
    """Rows of bytes as words in the processor's own order, the lowest byte first; not copied."""
    return np.ascontiguousarray(data).view(np.uint32)


@inlined
def _swapped(word: Any) -> Any:
    """A word with its bytes the other way round: SHA-256 reads the highest first."""
    return uint32((word << 24) | ((word << 8) & 0xFF0000) | ((word >> 8) & 0xFF00) | (word >> 24))


@compiled
def _digest(blocks: Array, out: Array, constants: Array, room: Room) -> None:
    state, block = room.state, room.block
    at_state, at_block = uint64(state.ctypes.data), uint64(block.ctypes.data)
    at_constants, at_blocks = uint64(constants.ctypes.data), uint64(blocks.ctypes.data)
    size = uint64(4 * blocks.shape[1])
    for first in range(0, len(blocks), STREAMS):
        count = min(len(blocks) - first, STREAMS)
        _begin(state)
        for at in range(0, size, 64):
            for s in range(STREAMS):
                # Spare streams repeat the first row.
                row = first + s if s < count else first
                text = at_blocks + size * uint64(row) + uint64(at)
                for half in range(0, 64, 32):
                    swap(at_block + uint64(64 * s + half), text + uint64(half), uint32(0))
            compress(at_state, at_block, at_constants)
        _finish(state, out, first, count)


@compiled
def _keys(seeds: Array, texts: Array, out: Array, constants: Array, room: Room) -> None:
    state, block, inner = room.state, room.block, room.inner
    at_state, at_block = uint64(state.ctypes.data), uint64(block.ctypes.data)
    at_constants, at_texts = uint64(constants.ctypes.data), uint64(texts.ctypes.data)
    for first in range(0, len(seeds), STREAMS):
        count = min(len(seeds) - first, STREAMS)
        _key_block(seeds, first, count, INNER, state, block)
        compress(at_state, at_block, at_constants)
        for s in range(STREAMS):
            text = at_texts + uint64(96 * (first + s if s < count else first))
            for half in range(0, 64, 32):
                swap(at_block + uint64(64 * s + half), text + uint64(half), uint32(0))
        compress(at_state, at_block, at_constants)
        for s in range(STREAMS):
            text = at_texts + uint64(96 * (first + s if s < count else first))
            swap(at_block + uint64(64 * s), text + uint64(64), uint32(0))
        _pad(block, _BITS_TRANSCRIPT)
        compress(at_state, at_block, at_constants)
        for s in range(STREAMS):
            for k in range(8):
                inner[s, _WORD[k]] = state[s, k]
        _key_block(seeds, first, count, OUTER, state, block)
        compress(at_state, at_block, at_constants)
        for s in range(STREAMS):
            for k in range(8):
                block[s, k] = inner[s, k]
        _pad(block, BITS_DIGEST)
        compress(at_state, at_block, at_constants)
        _finish(state, out, first, count)


@inlined
def _begin(state: Array) -> None:
    for s in range(STREAMS):
        for k in range(8):
            state[s, k] = _START[k]


@inlined
def _key_block(keys: Array, first: Any, count: Any, mask: Any, state: Array, block: Array) -> None:  # noqa: PLR0917 - compiled
    """The first block of HMAC's inner or outer hash, and the state before it."""
    _begin(state)
    at_block, at_keys = uint64(block.ctypes.data), uint64(keys.ctypes.data)
    for s in range(STREAMS):
        row = first + s if s < count else first
        swap(at_block + uint64(64 * s), at_keys + uint64(32 * row), uint32(mask))
        for k in range(8):
            block[s, 8 + k] = mask


@inlined
def _pad(block: Array, bits: Any) -> None:
    """The second half of a block that a message ends in the middle of."""
    for s in range(STREAMS):
        block[s, 8] = PAD
        for k in range(9, 15):
            block[s, k] = 0
        block[s, 15] = bits


@inlined
def _finish(state: Array, out: Array, first: Any, count: Any) -> None:
    for s in range(count):
        for k in range(8):
            out[first + s, _WORD[k]] = _swapped(state[s, k])


@inlined
def _drawn(draw: Draws, i: Any, x: Any) -> Any:
    """What a weighted sum of digits leaves modulo the label's m."""
    quotient = uint32((uint64(x) * draw.reciprocals[i]) >> draw.shifts[i])
    return uint32(x - uint32(quotient * draw.moduli[i]))


@compiled
def _shuffle(keys: Array, out: Array, draw: Draws, constants: Array, room: Room) -> None:
    size = out.shape[1]
    state, block, mids, sums = room.state, room.block, room.mids, room.sums
    order = np.empty((STREAMS, size), np.uint8)
    at_mids, at_sums = uint64(mids.ctypes.data), uint64(sums.ctypes.data)
    at_hashed = uint64(room.hashed.ctypes.data)
    at_state, at_block = uint64(state.ctypes.data), uint64(block.ctypes.data)
    at_constants = uint64(constants.ctypes.data)
    at_schedules, at_weights = uint64(draw.schedules.ctypes.data), uint64(draw.weights.ctypes.data)
    for first in range(0, len(keys), STREAMS):
        count = min(len(keys) - first, STREAMS)
        for half in range(2):
            _key_block(keys, first, count, OUTER if half else INNER, state, block)
            compress(at_state, at_block, at_constants)
            _keep(mids, half, state)
        for s in range(STREAMS):
            for position in range(size):
                order[s, position] = position
        begin(at_mids, at_schedules + 256 * uint64(size - 1), at_hashed)
        for i in range(size - 1, 0, -1):
            # Behind the last draw comes the schedule at index 0, for nothing.
            following, weights = at_schedules + 256 * uint64(i - 1), at_weights + 64 * uint64(i)
            weigh(at_mids, following, at_constants, weights, at_sums, at_hashed)
            for s in range(STREAMS):
                j = _drawn(draw, i, sums[s, 0])
                tile = order[s, i]
                order[s, i] = order[s, j]
                order[s, j] = tile
        for s in range(count):
            for position in range(size):
                out[first + s, position] = order[s, position]


@compiled
def _picks(keys: Array, out: Array, draw: Draws, constants: Array, room: Room) -> None:
    labels = out.shape[1]
    state, block, mids, sums = room.state, room.block, room.mids, room.sums
    at_mids, at_sums = uint64(mids.ctypes.data), uint64(sums.ctypes.data)
    at_hashed = uint64(room.hashed.ctypes.data)
    at_state, at_block = uint64(state.ctypes.data), uint64(block.ctypes.data)
    at_constants = uint64(constants.ctypes.data)
    at_schedules, at_weights = uint64(draw.schedules.ctypes.data), uint64(draw.weights.ctypes.data)
    for first in range(0, len(keys), STREAMS):
        count = min(len(keys) - first, STREAMS)
        for half in range(2):
            _key_block(keys, first, count, OUTER if half else INNER, state, block)
            compress(at_state, at_block, at_constants)
            _keep(mids, half, state)
        begin(at_mids, at_schedules, at_hashed)
        for i in range(labels):
            # Behind the last draw comes the first schedule again, for nothing.
            after = i + 1 if i + 1 < labels else 0
            following, weights = at_schedules + 256 * uint64(after), at_weights + 64 * uint64(i)
            weigh(at_mids, following, at_constants, weights, at_sums, at_hashed)
            for s in range(count):
                out[first + s, i] = _drawn(draw, i, sums[s, 0])


@inlined
def _keep(mids: Array, half: Any, state: Array) -> None:
    for s in range(STREAMS):
        for k in range(8):
            mids[s, 8 * half + k] = state[s, k]

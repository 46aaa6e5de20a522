"""The kernel in numba's vector lanes: 64 hands side by side (see :mod:`fairdeal.audit.kernel.rounds`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairdeal.audit.kernel.compiled import Array, compiled
from fairdeal.audit.kernel.rounds import (
    BLOCK,
    BUFFER,
    INNER_MID,
    LANES,
    STATE,
    mac_of_table,
    midstates,
    outer_hash,
    reduce,
    rounds_of_block,
)
from fairdeal.audit.kernel.tables import IV, Draws, K, draws, octets, padded, shuffle_draws, words


@dataclass(frozen=True)
class LaneKernel:
    """Compiled for whatever vectors this processor has."""

    name: ClassVar[str] = "numba lanes"

    def digest(self, blocks: Array) -> Array:
        """See :class:`fairdeal.audit.kernel.Kernel`."""
        out = np.empty((len(blocks), 8), np.uint32)
        _digest(words(blocks), out)
        return octets(out)

    def keys(self, seeds: Array, transcripts: Array) -> Array:
        """See :class:`fairdeal.audit.kernel.Kernel`."""
        # Only the padding is the same in all rows: make it once and set the messages before it.
        blocks = np.empty((len(seeds), 128), np.uint8)
        blocks[:] = np.frombuffer(padded(bytes(96), 64), np.uint8)
        blocks[:, :96] = transcripts
        out = np.empty((len(seeds), 8), np.uint32)
        _mac(words(seeds), words(blocks), out)
        return octets(out)

    def shuffle(self, keys: Array, size: int) -> Array:
        """See :class:`fairdeal.audit.kernel.Kernel`."""
        out = np.empty((len(keys), size), np.uint8)
        _shuffle(words(keys), out, shuffle_draws(size))
        return out

    def picks(self, keys: Array, labels: tuple[bytes, ...], m: int) -> Array:
        """See :class:`fairdeal.audit.kernel.Kernel`."""
        out = np.empty((len(keys), len(labels)), np.uint8)
        _picks(words(keys), out, draws(labels, (m,) * len(labels)))
        return out

    def macs(self, keys: Array, labels: tuple[bytes, ...]) -> Array:
        """See :class:`fairdeal.audit.kernel.Kernel`."""
        out = np.empty((len(keys), len(labels), 8), np.uint32)
        _macs(words(keys), out, draws(labels, (1,) * len(labels)).schedules)
        return octets(out.reshape(-1, 8)).reshape(len(keys), len(labels), 32)


@compiled
def _digest(blocks: Array, out: Array) -> None:
    buffer = np.empty(BUFFER, np.uint32)
    hands = len(blocks)
    for first in range(0, hands, LANES):
        count = min(hands - first, LANES)
        for k in range(8):
            for lane in range(LANES):
                buffer[STATE + k * LANES + lane] = IV[k]
        for at in range(0, blocks.shape[1], 16):
            for k in range(8):
                for lane in range(LANES):
                    buffer[INNER_MID + k * LANES + lane] = buffer[STATE + k * LANES + lane]
            for k in range(16):
                for lane in range(LANES):
                    hand = first + lane if lane < count else first
                    buffer[BLOCK + k * LANES + lane] = blocks[hand, at + k]
            rounds_of_block(buffer, K)
            for k in range(8):
                for lane in range(LANES):
                    buffer[STATE + k * LANES + lane] += buffer[INNER_MID + k * LANES + lane]
        for lane in range(count):
            for k in range(8):
                out[first + lane, k] = buffer[STATE + k * LANES + lane]


@compiled
def _mac(keys: Array, blocks: Array, out: Array) -> None:
    buffer = np.empty(BUFFER, np.uint32)
    running = np.empty(8 * LANES, np.uint32)
    hands = len(keys)
    for first in range(0, hands, LANES):
        count = min(hands - first, LANES)
        midstates(buffer, keys, first, count)
        running[:] = buffer[INNER_MID : INNER_MID + 8 * LANES]
        for at in range(0, blocks.shape[1], 16):
            for k in range(8 * LANES):
                buffer[STATE + k] = running[k]
            for k in range(16):
                for lane in range(LANES):
                    hand = first + lane if lane < count else first
                    buffer[BLOCK + k * LANES + lane] = blocks[hand, at + k]
            rounds_of_block(buffer, K)
            for k in range(8 * LANES):
                running[k] += buffer[STATE + k]
        for k in range(8 * LANES):
            buffer[STATE + k] = running[k]
        outer_hash(buffer)
        for lane in range(count):
            for k in range(8):
                out[first + lane, k] = buffer[STATE + k * LANES + lane]


@compiled
def _shuffle(
    keys: Array,
    out: Array,
    draw: Draws,
) -> None:
    buffer = np.empty(BUFFER, np.uint32)
    partner = np.empty(LANES, np.uint32)
    size = out.shape[1]
    order = np.empty((size, LANES), np.uint8)
    hands = len(keys)
    for first in range(0, hands, LANES):
        count = min(hands - first, LANES)
        midstates(buffer, keys, first, count)
        for position in range(size):
            for lane in range(LANES):
                order[position, lane] = position
        for i in range(size - 1, 0, -1):
            mac_of_table(buffer, draw.schedules[i])
            reduce(buffer, draw, i, partner)
            for lane in range(LANES):
                j = partner[lane]
                tile = order[i, lane]
                order[i, lane] = order[j, lane]
                order[j, lane] = tile
        for lane in range(count):
            for position in range(size):
                out[first + lane, position] = order[position, lane]


@compiled
def _picks(
    keys: Array,
    out: Array,
    draw: Draws,
) -> None:
    buffer = np.empty(BUFFER, np.uint32)
    rests = np.empty(LANES, np.uint32)
    hands = len(keys)
    for first in range(0, hands, LANES):
        count = min(hands - first, LANES)
        midstates(buffer, keys, first, count)
        for k in range(len(draw.schedules)):
            mac_of_table(buffer, draw.schedules[k])
            reduce(buffer, draw, k, rests)
            for lane in range(count):
                out[first + lane, k] = rests[lane]


@compiled
def _macs(keys: Array, out: Array, schedules: Array) -> None:
    buffer = np.empty(BUFFER, np.uint32)
    hands = len(keys)
    for first in range(0, hands, LANES):
        count = min(hands - first, LANES)
        midstates(buffer, keys, first, count)
        for k in range(len(schedules)):
            mac_of_table(buffer, schedules[k])
            for lane in range(count):
                for word in range(8):
                    out[first + lane, k, word] = buffer[STATE + word * LANES + lane]

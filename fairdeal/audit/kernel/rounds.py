"""SHA-256's rounds over 64 hands at once, for numba: a lane is a hand, and LLVM vectorises across lanes.

All rows of lanes lie in one flat buffer at constant offsets, lanes innermost: LLVM can prove that they do
not overlap. Indices are unsigned: a signed computed index gets a wrap-around test, and a loop with a test
in it is not vectorised. It uses whatever the processor has (16 lanes an instruction with AVX-512, 8 with
AVX2, 4 with SSE2), and no instruction that it has not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types, uint32, uint64

from fairdeal.audit.kernel.compiled import Array, compiled, emitted, inlined
from fairdeal.audit.kernel.tables import BITS_DIGEST, INNER, IV, OUTER, PAD, ZERO, Draws, K

LANES = 64

# Rows of the buffer, as offsets: working state, both halves of the message block, the midstates of an HMAC.
STATE, BLOCK, BLOCK8, INNER_MID, OUTER_MID = (8 * LANES * k for k in range(5))
BUFFER = 40 * LANES
_END = 7 * LANES

_LOW = np.uint32(0xFFFF)
_HALF = np.uint32(16)


@emitted
def rotated(typingctx: Any, x: Any, n: Any) -> Any:  # noqa: ARG001 - numba calls it with the types
    """``x`` rotated right by ``n`` bits: one instruction where the processor has it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        word = ir.IntType(32)
        funnel = builder.module.declare_intrinsic("llvm.fshr", [word], ir.FunctionType(word, [word] * 3))
        return builder.call(funnel, [args[0], args[0], builder.trunc(args[1], word)])

    return types.uint32(types.uint32, types.int64), generate


@inlined
def _round(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any, kw: Any) -> Any:  # noqa: PLR0917 - compiled
    t = uint32(h + kw + (g ^ (e & (f ^ g))) + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)))
    majority = ((a ^ b) & (b ^ c)) ^ b
    return uint32(d + t), uint32(t + (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + majority)


@inlined
def _eight_rounds(s: Any, k: Any) -> Any:
    a, b, c, d, e, f, g, h = s
    d, h = _round(a, b, c, d, e, f, g, h, k[0])
    c, g = _round(h, a, b, c, d, e, f, g, k[1])
    b, f = _round(g, h, a, b, c, d, e, f, k[2])
    a, e = _round(f, g, h, a, b, c, d, e, k[3])
    h, d = _round(e, f, g, h, a, b, c, d, k[4])
    g, c = _round(d, e, f, g, h, a, b, c, k[5])
    f, b = _round(c, d, e, f, g, h, a, b, k[6])
    e, a = _round(b, c, d, e, f, g, h, a, k[7])
    return a, b, c, d, e, f, g, h


@inlined
def _expand(w16: Any, w15: Any, w7: Any, w2: Any) -> Any:
    small = rotated(w15, 7) ^ rotated(w15, 18) ^ (w15 >> uint32(3))
    great = rotated(w2, 17) ^ rotated(w2, 19) ^ (w2 >> uint32(10))
    return uint32(w16 + small + w7 + great)


@inlined
def _next_schedule(u: Any, v: Any) -> Any:
    w0, w1, w2, w3, w4, w5, w6, w7 = u
    w8, w9, wa, wb, wc, wd, we, wf = v
    w0 = _expand(w0, w1, w9, we)
    w1 = _expand(w1, w2, wa, wf)
    w2 = _expand(w2, w3, wb, w0)
    w3 = _expand(w3, w4, wc, w1)
    w4 = _expand(w4, w5, wd, w2)
    w5 = _expand(w5, w6, we, w3)
    w6 = _expand(w6, w7, wf, w4)
    w7 = _expand(w7, w8, w0, w5)
    w8 = _expand(w8, w9, w1, w6)
    w9 = _expand(w9, wa, w2, w7)
    wa = _expand(wa, wb, w3, w8)
    wb = _expand(wb, wc, w4, w9)
    wc = _expand(wc, wd, w5, wa)
    wd = _expand(wd, we, w6, wb)
    we = _expand(we, wf, w7, wc)
    wf = _expand(wf, w0, w8, wd)
    return (w0, w1, w2, w3, w4, w5, w6, w7), (w8, w9, wa, wb, wc, wd, we, wf)


@inlined
def _eight(m: Any, o: Any, step: Any) -> Any:
    return (
        m[o],
        m[o + step],
        m[o + 2 * step],
        m[o + 3 * step],
        m[o + 4 * step],
        m[o + 5 * step],
        m[o + 6 * step],
        m[o + 7 * step],
    )


@inlined
def _put(m: Any, o: Any, v: Any) -> None:
    (
        m[o],
        m[o + LANES],
        m[o + 2 * LANES],
        m[o + 3 * LANES],
        m[o + 4 * LANES],
        m[o + 5 * LANES],
        m[o + 6 * LANES],
        m[o + 7 * LANES],
    ) = v


@inlined
def _sum(u: Any, v: Any) -> Any:
    return (
        uint32(u[0] + v[0]),
        uint32(u[1] + v[1]),
        uint32(u[2] + v[2]),
        uint32(u[3] + v[3]),
        uint32(u[4] + v[4]),
        uint32(u[5] + v[5]),
        uint32(u[6] + v[6]),
        uint32(u[7] + v[7]),
    )


@compiled
def rounds_of_table(buffer: Array, table: Array) -> None:
    """The state through the 64 rounds of a block whose schedule is ``table``, the same for every lane."""
    for g in range(0, 64, 8):
        k = _eight(table, g, 1)
        for lane in range(LANES):
            _put(buffer, STATE + lane, _eight_rounds(_eight(buffer, STATE + lane, LANES), k))


@compiled
def rounds_of_block(buffer: Array, constants: Array) -> None:
    """The state through the 64 rounds of the block in the buffer, which is used up."""
    for g in range(0, 64, 16):
        first = _eight(constants, g, 1)
        second = _eight(constants, g + 8, 1)
        if g:
            for lane in range(LANES):
                u, v = _next_schedule(
                    _eight(buffer, BLOCK + lane, LANES), _eight(buffer, BLOCK8 + lane, LANES)
                )
                _put(buffer, BLOCK + lane, u)
                _put(buffer, BLOCK8 + lane, v)
        for lane in range(LANES):
            kw = _sum(_eight(buffer, BLOCK + lane, LANES), first)
            _put(buffer, STATE + lane, _eight_rounds(_eight(buffer, STATE + lane, LANES), kw))
        for lane in range(LANES):
            kw = _sum(_eight(buffer, BLOCK8 + lane, LANES), second)
            _put(buffer, STATE + lane, _eight_rounds(_eight(buffer, STATE + lane, LANES), kw))


@compiled
def midstates(buffer: Array, keys: Array, first: int, count: int) -> None:
    """Both midstates of HMAC under the keys (n, 8) of ``count`` hands from ``first``; spare lanes repeat."""
    for half in range(2):
        mask = OUTER if half else INNER
        target = OUTER_MID if half else INNER_MID
        for lane in range(LANES):
            hand = first + lane if lane < count else first
            for k in range(8):
                buffer[STATE + k * LANES + lane] = IV[k]
                buffer[BLOCK + k * LANES + lane] = keys[hand, k] ^ mask
                buffer[BLOCK8 + k * LANES + lane] = mask
        rounds_of_block(buffer, K)
        for k in range(8):
            for lane in range(LANES):
                buffer[target + k * LANES + lane] = buffer[STATE + k * LANES + lane] + IV[k]


@compiled
def outer_hash(buffer: Array) -> None:
    """The outer half of an HMAC, from the inner digest's rounds in the state (midstate not yet added)."""
    for at in range(8 * LANES):
        buffer[uint64(BLOCK + at)] = buffer[uint64(STATE + at)]
        buffer[uint64(STATE + at)] = buffer[uint64(OUTER_MID + at)]
        buffer[uint64(BLOCK8 + at)] = ZERO
    for lane in range(LANES):
        buffer[uint64(BLOCK8 + lane)] = PAD
        buffer[uint64(BLOCK8 + _END + lane)] = BITS_DIGEST
    rounds_of_block(buffer, K)
    for at in range(8 * LANES):
        buffer[uint64(STATE + at)] += buffer[uint64(OUTER_MID + at)]


@compiled
def mac_of_table(buffer: Array, table: Array) -> None:
    """The state becomes the HMAC of a label, given by the schedule of its block, under every lane's key."""
    for at in range(8 * LANES):
        buffer[uint64(STATE + at)] = buffer[uint64(INNER_MID + at)]
    rounds_of_table(buffer, table)
    for at in range(8 * LANES):
        buffer[uint64(STATE + at)] += buffer[uint64(INNER_MID + at)]
    outer_hash(buffer)


@compiled
def reduce(buffer: Array, draw: Draws, label: int, rests: Array) -> None:
    """``rests`` become the 256-bit numbers in the state modulo the label's m; see :class:`tables.Draws`."""
    m, reciprocal, shift = draw.moduli[label], draw.reciprocals[label], draw.shifts[label]
    for lane in range(LANES):
        rests[lane] = 0
    for k in range(8):
        high, low = draw.weights[label, 2 * k], draw.weights[label, 2 * k + 1]
        for lane in range(LANES):
            x = buffer[uint64(k * LANES + lane)]
            rests[lane] += uint32(uint32(x >> _HALF) * high) + uint32(uint32(x & _LOW) * low)
    for lane in range(LANES):
        x = rests[lane]
        rests[lane] = uint32(x - uint32(uint32((uint64(x) * reciprocal) >> shift) * m))

"""The processor's own SHA-256 instructions, reached from numba: three hands interleaved hide their latency.

An HMAC's outer hash often waits for its message schedule; an inner one whose schedule is a constant never
does. So the outer hash of a draw runs side by side with the inner hash of the next one, which takes a fifth
less time than one after the other (measured on Zen 4, as is the number of streams).

Where the processor lacks them LLVM would abort the whole process, so the host is asked first; and where
numba's target has been overridden nothing is known about the processor, so they are not used.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
from llvmlite import ir
from numba import types

from fairdeal.audit.kernel.compiled import Array, emitted

STREAMS = 3
"""Hands side by side: each instruction waits for its own stream's last one only."""

FEBA = (5, 4, 1, 0, 7, 6, 3, 2)
"""How the instructions want the eight state words: f e b a, then h g d c (lowest lane first)."""

_i32, _i64 = ir.IntType(32), ir.IntType(64)
_four = ir.VectorType(_i32, 4)


def supported() -> bool:
    """Whether this processor has the instructions and numba compiles for it."""
    settings: Any = numba.config  # filled from the environment when numba is imported
    if settings.CPU_NAME or settings.CPU_FEATURES:
        return False
    if not llvm.get_process_triple().startswith("x86_64"):
        return False
    return host_has("sha", "sse4.1", "ssse3")


@cache
def host_has(*names: str) -> bool:
    """Whether this processor has all these features, in LLVM's names."""
    features = llvm.get_host_cpu_features()
    return all(features.get(name, False) for name in names)


Pair = tuple[Any, Any]


class _Emitter:
    """Builds the rounds of all streams into one function; a state is the pair of vectors FEBA, HGDC."""

    def __init__(self, builder: Any) -> None:
        self.builder = builder
        self.rounds2 = self._declare("rnds2", 3)
        self.message1 = self._declare("msg1", 2)
        self.message2 = self._declare("msg2", 2)

    def _declare(self, name: str, arguments: int) -> Any:
        kind = ir.FunctionType(_four, [_four] * arguments)
        return self.builder.module.declare_intrinsic(f"llvm.x86.sha256{name}", (), kind)

    def constant(self, *values: int) -> Any:
        return ir.Constant(_four, [ir.Constant(_i32, value) for value in values])

    def spread(self, word: Any) -> Any:
        """A word in all four lanes."""
        first = self.builder.insert_element(ir.Constant(_four, ir.Undefined), word, _i32(0))
        return self.shuffled(first, first, 0, 0, 0, 0)

    def _at(self, address: Any, offset: int) -> Any:
        place = self.builder.add(address, ir.Constant(_i64, offset))
        return self.builder.inttoptr(place, _four.as_pointer())

    def load(self, address: Any, offset: int) -> Any:
        value = self.builder.load(self._at(address, offset))
        value.align = 4
        return value

    def store(self, value: Any, address: Any, offset: int) -> None:
        self.builder.store(value, self._at(address, offset)).align = 4

    def shuffled(self, a: Any, b: Any, *lanes: int) -> Any:
        return self.builder.shuffle_vector(a, b, self.constant(*lanes))

    def _upper(self, vector: Any) -> Any:
        return self.shuffled(vector, vector, 2, 3, 2, 3)

    def digest_words(self, state: Pair) -> Pair:
        """The state as a b c d and e f g h, the order in which a digest is hashed again."""
        return self.shuffled(*state, 3, 2, 7, 6), self.shuffled(*state, 1, 0, 5, 4)

    def with_table(self, states: Sequence[Pair], schedule: Any) -> list[Pair]:
        """A block whose schedule (constants added) lies at an address, the same for every stream."""
        call = self.builder.call
        running = [list(state) for state in states]
        for group in range(16):
            w = self.load(schedule, 16 * group)
            upper = self._upper(w)
            for s in running:
                s[1] = call(self.rounds2, [s[1], s[0], w])
            for s in running:
                s[0] = call(self.rounds2, [s[0], s[1], upper])
        return self._sums(states, running)

    def with_blocks(self, states: Sequence[Pair], blocks: Sequence[Any], constants: Any) -> list[Pair]:
        """A block of its own for every stream, as four vectors each."""
        return self.side_by_side(states, blocks, constants)[0]

    def side_by_side(
        self,
        states: Sequence[Pair],
        blocks: Sequence[Any],
        constants: Any,
        others: Sequence[Pair] = (),
        schedule: Any = None,
    ) -> tuple[list[Pair], list[Pair]]:
        """:meth:`with_blocks` of ``states``, and among its instructions :meth:`with_table` of ``others``."""
        call, add = self.builder.call, self.builder.add
        running = [list(state) for state in states]
        beside = [list(state) for state in others]
        messages = [list(block) for block in blocks]
        for group in range(16):
            k = self.load(constants, 16 * group)
            w = self.load(schedule, 16 * group) if beside else None
            for s in beside:
                s[1] = call(self.rounds2, [s[1], s[0], w])
            sums = []
            for s, m in zip(running, messages, strict=True):
                sums.append(add(m[group & 3], k))
                s[1] = call(self.rounds2, [s[1], s[0], sums[-1]])
            if 3 <= group < 15:
                for m in messages:
                    crossing = self.shuffled(m[group - 1 & 3], m[group & 3], 1, 2, 3, 4)
                    expanded = add(m[group + 1 & 3], crossing)
                    m[group + 1 & 3] = call(self.message2, [expanded, m[group & 3]])
            upper = self._upper(w) if beside else None
            for s in beside:
                s[0] = call(self.rounds2, [s[0], s[1], upper])
            for s, own in zip(running, sums, strict=True):
                s[0] = call(self.rounds2, [s[0], s[1], self._upper(own)])
            if 1 <= group < 13:
                for m in messages:
                    m[group - 1 & 3] = call(self.message1, [m[group - 1 & 3], m[group & 3]])
        return self._sums(states, running), self._sums(others, beside)

    def _sums(self, before: Sequence[Pair], after: Sequence[Sequence[Any]]) -> list[Pair]:
        add = self.builder.add
        return [(add(a[0], b[0]), add(a[1], b[1])) for a, b in zip(before, after, strict=True)]


@emitted
def compress(typingctx: Any, states: Any, blocks: Any, constants: Any) -> Any:  # noqa: ARG001 - numba's call
    """Every stream's state (8 words in FEBA order) through its block (16 words), in place, at addresses."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        emit = _Emitter(builder)
        at, block, k = args
        before = [(emit.load(at, 32 * s), emit.load(at, 32 * s + 16)) for s in range(STREAMS)]
        messages = [[emit.load(block, 64 * s + 16 * q) for q in range(4)] for s in range(STREAMS)]
        for s, state in enumerate(emit.with_blocks(before, messages, k)):
            emit.store(state[0], at, 32 * s)
            emit.store(state[1], at, 32 * s + 16)
        return context.get_dummy_value()

    return types.void(*[types.uintp] * 3), generate


@emitted
def swap(typingctx: Any, to: Any, out_of: Any, mask: Any) -> Any:  # noqa: ARG001 - numba's call
    """Eight words at an address, each with its bytes the other way round and then xor ``mask``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        emit = _Emitter(builder)
        kind = ir.FunctionType(_four, [_four])
        swapped = builder.module.declare_intrinsic("llvm.bswap.v4i32", (), kind)
        masks = emit.spread(args[2])
        for half in (0, 16):
            words = builder.call(swapped, [emit.load(args[1], half)])
            emit.store(builder.xor(words, masks), args[0], half)
        return context.get_dummy_value()

    return types.void(types.uintp, types.uintp, types.uint32), generate


@emitted
def begin(typingctx: Any, mids: Any, schedule: Any, hashed: Any) -> Any:  # noqa: ARG001 - numba's call
    """The inner hashes of the first label, for :func:`weigh` to go on from."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        emit = _Emitter(builder)
        at, table, out = args
        inner = [(emit.load(at, 64 * s), emit.load(at, 64 * s + 16)) for s in range(STREAMS)]
        _keep_hashed(emit, emit.with_table(inner, table), out)
        return context.get_dummy_value()

    return types.void(*[types.uintp] * 3), generate


@emitted
def weigh(  # noqa: PLR0917 - numba calls it by position, with the types
    typingctx: Any,  # noqa: ARG001
    mids: Any,  # noqa: ARG001
    following: Any,  # noqa: ARG001
    constants: Any,  # noqa: ARG001
    weights: Any,  # noqa: ARG001
    sums: Any,  # noqa: ARG001
    hashed: Any,  # noqa: ARG001
) -> Any:
    """The HMAC of a label under every stream's midstates, as the weighted sum of its 16-bit digits.

    ``hashed`` (8 words a stream) holds the label's inner hashes and takes those of the ``following`` label's
    schedule. ``mids`` holds 16 words a stream (inner midstate, outer midstate), ``weights`` what
    :func:`weight_vectors` gives, ``sums`` takes one word a stream: see :class:`tables.Draws`.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        emit = _Emitter(builder)
        at, table, k, weight, out, between = args
        inner = [(emit.load(at, 64 * s), emit.load(at, 64 * s + 16)) for s in range(STREAMS)]
        outer = [(emit.load(at, 64 * s + 32), emit.load(at, 64 * s + 48)) for s in range(STREAMS)]
        ending = (emit.constant(0x80000000, 0, 0, 0), emit.constant(0, 0, 0, 768))
        digests = [(emit.load(between, 32 * s), emit.load(between, 32 * s + 16)) for s in range(STREAMS)]
        blocks = [(*digest, *ending) for digest in digests]
        w = [emit.load(weight, 16 * q) for q in range(4)]
        half, low = emit.constant(*[16] * 4), emit.constant(*[0xFFFF] * 4)
        macs, following_hashed = emit.side_by_side(outer, blocks, k, inner, table)
        _keep_hashed(emit, following_hashed, between)
        for s, (feba, hgdc) in enumerate(macs):
            digits = (
                builder.lshr(feba, half),
                builder.and_(feba, low),
                builder.lshr(hgdc, half),
                builder.and_(hgdc, low),
            )
            terms = [builder.mul(d, weight) for d, weight in zip(digits, w, strict=True)]
            total = builder.add(builder.add(terms[0], terms[1]), builder.add(terms[2], terms[3]))
            total = builder.add(total, emit.shuffled(total, total, 2, 3, 0, 1))
            total = builder.add(total, emit.shuffled(total, total, 1, 0, 3, 2))
            place = builder.add(out, ir.Constant(_i64, 4 * s))
            builder.store(builder.extract_element(total, _i32(0)), builder.inttoptr(place, _i32.as_pointer()))
        return context.get_dummy_value()

    return types.void(*[types.uintp] * 6), generate


def _keep_hashed(emit: _Emitter, states: Sequence[Pair], at: Any) -> None:
    for s, state in enumerate(states):
        for half, words in enumerate(emit.digest_words(state)):
            emit.store(words, at, 32 * s + 16 * half)


def weight_vectors(weights: Array) -> Array:
    """(labels, 16) digit weights brought into the sequence that :func:`weigh` multiplies in.

    That is: upper halves of f e b a, their lower halves, upper halves of h g d c, their lower halves.
    """
    by_word = weights.reshape(-1, 8, 2)[:, FEBA].reshape(-1, 2, 4, 2)
    return np.ascontiguousarray(by_word.transpose(0, 1, 3, 2)).reshape(-1, 16)

"""A strict JSON scanner in pieces, compiled: what it takes, the core's parser takes and reads the same.

Every function gets a text of bytes and a position, and gives the position behind what it read, or -1. It
may say -1 to text that is well-formed (an escape in a name, a number of five digits): that line is then
read the slow way. It must never take what :func:`fairdeal.encoding.parse_json` would refuse. Every text
ends with a line feed, which none of the functions steps over: no other test for the end is needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import int64, uint64

from fairdeal.audit.kernel.compiled import Array, compiled, inlined

QUOTE, COMMA, COLON = 0x22, 0x2C, 0x3A
LIST, END_LIST, OBJECT, END_OBJECT = 0x5B, 0x5D, 0x7B, 0x7D
LINE_FEED, BACKSLASH = 0x0A, 0x5C

LARGEST = 2**53 - 1
"""The largest integer there is (:data:`fairdeal.encoding.MAX_INTEGER`)."""


def texts(*words: str) -> Array:
    """Words as rows of bytes for :func:`word`, each followed by its closing quote and filled with zeros."""
    room = max(map(len, words)) + 2
    return np.array([list(f'{word}"'.encode().ljust(room, b"\0")) for word in words], np.uint8)


@inlined
def space(text: Array, at: Any) -> Any:
    """Behind any white space but line feeds."""
    while text[at] == 0x20 or text[at] == 0x09 or text[at] == 0x0D:
        at += 1
    return at


@inlined
def mark(text: Array, at: Any, wanted: Any) -> Any:
    """Behind one mark of structure and the white space around it."""
    at = space(text, at)
    if text[at] != wanted:
        return -1
    return space(text, at + 1)


@inlined
def _same(text: Array, at: Any, row: Array) -> Any:
    k = 0
    while row[k] != 0:
        if text[at + k] != row[k]:
            return -1
        k += 1
    return at + k


@compiled
def word(text: Array, at: Any, words: Array, guess: Any) -> Any:
    """Which of the words stands in quotes here, tried from ``guess`` on: (its row or -1, position)."""
    if text[at] != QUOTE:
        return -1, -1
    for k in range(len(words)):
        row = (guess + k) % len(words)
        behind = _same(text, at + 1, words[row])
        if behind >= 0:
            return row, behind
    return -1, -1


@compiled
def name(text: Array, at: Any, words: Array, guess: Any) -> Any:
    """Like :func:`word`, for a member's name, behind its colon."""
    row, at = word(text, at, words, guess)
    if row >= 0:
        at = mark(text, at, COLON)
        if at < 0:
            return -1, -1
    return row, at


@inlined
def number(text: Array, at: Any) -> Any:
    """An integer of one to four digits, without sign or leading zeros: (value, position)."""
    value = 0
    start = at
    while 0x30 <= text[at] <= 0x39:
        value = value * 10 + (text[at] - 0x30)
        at += 1
        if at - start > 4:
            return 0, -1
    if at == start or (text[start] == 0x30 and at - start > 1):
        return 0, -1
    return value, at


@compiled
def whole(text: Array, at: Any) -> Any:
    """An integer from 0 to :data:`LARGEST`, without sign or leading zeros: (value, position)."""
    value = 0
    start = at
    while 0x30 <= text[at] <= 0x39:
        value = value * 10 + (text[at] - 0x30)
        at += 1
        if at - start > 16:
            return 0, -1
    if at == start or (text[start] == 0x30 and at - start > 1) or value > LARGEST:
        return 0, -1
    return value, at


_HEX = np.full(256, 0xFF, np.uint8)
_HEX[list(b"0123456789abcdef")] = range(16)

_BASE64 = np.full(256, 0xFF, np.uint8)
_BASE64[list(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")] = range(64)


@compiled
def hexes(text: Array, at: int, out: Array) -> int:
    """A string of exactly as many bytes in lower-case hex as ``out`` has room for."""
    if text[at] != QUOTE:
        return -1
    at += 1
    for k in range(len(out)):
        high = _HEX[text[at]]
        if high > 15:
            return -1
        low = _HEX[text[at + 1]]
        if low > 15:
            return -1
        out[k] = high << 4 | low
        at += 2
    if text[at] != QUOTE:
        return -1
    return at + 1


@compiled
def base64(text: Array, at: int, out: Array) -> int:
    """A string that is the one base64 of 32 bytes: 43 digits, the last with two bits to spare, and ``=``."""
    # Every place that is looked at lies within the text then: digits are looked at without a test between.
    if at + 46 > len(text) or text[at] != QUOTE or text[at + 44] != 0x3D or text[at + 45] != QUOTE:
        return -1
    start, to, wrong = uint64(at + 1), uint64(0), 0
    for _ in range(10):
        a, b = int64(_BASE64[text[start]]), int64(_BASE64[text[start + uint64(1)]])
        d, e = int64(_BASE64[text[start + uint64(2)]]), int64(_BASE64[text[start + uint64(3)]])
        wrong |= a | b | d | e
        out[to] = a << 2 | b >> 4
        out[to + uint64(1)] = (b << 4 | d >> 2) & 255
        out[to + uint64(2)] = (d << 6 | e) & 255
        start += uint64(4)
        to += uint64(3)
    a, b = int64(_BASE64[text[start]]), int64(_BASE64[text[start + uint64(1)]])
    d = int64(_BASE64[text[start + uint64(2)]])
    wrong |= a | b | d
    out[30] = a << 2 | b >> 4
    out[31] = (b << 4 | d >> 2) & 255
    if wrong > 63 or d & 3:
        return -1
    return at + 46


@compiled
def string(text: Array, at: int) -> int:
    """Behind a string of whatever kind: what it says is not looked at, but that it ends in this line."""
    if text[at] != QUOTE:
        return -1
    at += 1
    while text[at] != QUOTE:
        if text[at] == BACKSLASH:
            at += 1
        if text[at] < 0x20:
            return -1
        at += 1
    return at + 1


@compiled
def plain(text: Array, at: int, out: Array) -> tuple[int, int]:
    """A string of printable ASCII in which quotes alone are escaped: (how long, position)."""
    if text[at] != QUOTE:
        return 0, -1
    at += 1
    length = 0
    while text[at] != QUOTE:
        letter = text[at]
        if letter == BACKSLASH:
            at += 1
            letter = text[at]
            if letter != QUOTE:
                return 0, -1
        if letter < 0x20 or letter > 0x7E or length == len(out):
            return 0, -1
        out[length] = letter
        length += 1
        at += 1
    return length, at + 1


@compiled
def literal(text: Array, at: Any, wanted: Array) -> Any:
    """``null``, ``true`` or ``false``, as a row of bytes."""
    for k in range(len(wanted)):
        if text[at + k] != wanted[k]:
            return -1
    return at + len(wanted)


@inlined
def more(text: Array, at: Any, end: Any) -> Any:
    """After an item: (0 where the list or object ends here, 1 where another item follows, position or -1)."""
    at = space(text, at)
    if text[at] == COMMA:
        return 1, space(text, at + 1)
    if text[at] == end:
        return 0, at + 1
    return 0, -1


@compiled
def numbers(text: Array, at: int, out: Array, most: int) -> tuple[int, int]:
    """A list of at most ``len(out)`` integers up to ``most`` (a byte): (how many, position)."""
    at = mark(text, at, LIST)
    if at < 0:
        return 0, -1
    if text[at] == END_LIST:
        return 0, at + 1
    for count in range(len(out)):
        # Nearly all of a history is this loop: digits are read here, without number()'s own.
        value = int64(text[at]) - 0x30
        if value < 0 or value > 9:
            return 0, -1
        digit = int64(text[at + 1]) - 0x30
        if 0 <= digit <= 9:
            if value == 0:
                return 0, -1
            value = 10 * value + digit
            digit = int64(text[at + 2]) - 0x30
            if 0 <= digit <= 9:
                value = 10 * value + digit
                at += 1
            at += 1
        at += 1
        if value > most:
            return 0, -1
        out[count] = value
        # A comma and a digit follow nearly always; a fourth digit is neither, and refused as that.
        if text[at] == COMMA and text[at + 1] > 0x20:
            at += 1
            continue
        again, at = more(text, at, END_LIST)
        if at < 0:
            return 0, -1
        if not again:
            return count + 1, at
    return 0, -1

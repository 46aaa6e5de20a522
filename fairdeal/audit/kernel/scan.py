"""A strict JSON scanner in pieces, compiled: what it takes, the core's parser takes and reads the same.

Every function gets a text of bytes and a position, and gives the position behind what it read, or -1. It
may say -1 to text that is well-formed (an escape in a name, a number of five digits): that line is then
read the slow way. It must never take what :func:`fairdeal.encoding.parse_json` would refuse. Every text
ends with a line feed, which none of the functions steps over: no other test for the end is needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fairdeal.audit.kernel.compiled import Array, inlined

QUOTE, COMMA, COLON = 0x22, 0x2C, 0x3A
LIST, END_LIST, OBJECT, END_OBJECT = 0x5B, 0x5D, 0x7B, 0x7D
LINE_FEED = 0x0A


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


@inlined
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


@inlined
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


@inlined
def _digit(c: Any) -> Any:
    if 0x30 <= c <= 0x39:
        return c - 0x30
    if 0x61 <= c <= 0x66:
        return c - 0x57
    return 255


@inlined
def hexes(text: Array, at: Any, out: Array) -> Any:
    """A string of exactly as many bytes in lower-case hex as ``out`` has room for."""
    if text[at] != QUOTE:
        return -1
    at += 1
    for k in range(len(out)):
        high = _digit(text[at])
        if high > 15:
            return -1
        low = _digit(text[at + 1])
        if low > 15:
            return -1
        out[k] = high * 16 + low
        at += 2
    if text[at] != QUOTE:
        return -1
    return at + 1


@inlined
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


@inlined
def numbers(text: Array, at: Any, out: Array, most: Any) -> Any:
    """A list of at most ``len(out)`` integers up to ``most`` (a byte): (how many, position)."""
    at = mark(text, at, LIST)
    if at < 0:
        return 0, -1
    if text[at] == END_LIST:
        return 0, at + 1
    count = 0
    while True:
        value, at = number(text, at)
        if at < 0 or value > most or count == len(out):
            return 0, -1
        out[count] = value
        count += 1
        again, at = more(text, at, END_LIST)
        if at < 0:
            return 0, -1
        if not again:
            return count, at

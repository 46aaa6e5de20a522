"""Damage for texts and bytes: what a fuzzer does, as Hypothesis strategies that shrink.

A damaged text begins as a good one: cut, doubled, spliced with another, its bytes changed; of JSON also a
value somewhere inside replaced by an odd one, members renamed, doubled or dropped.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    255,
    256,
    2**53 - 1,
    2**53,
    -(2**53),
    10**40,
    1.0,
    0.5,
    1e308,
    "",
    "0",
    "null",
    "\u0000",
    "\ud800",
    "é",
    "İ",
    "😀",
    "a" * 5000,
    "00" * 32,
    "AB" * 32,
    "zz" * 32,
    "==",
    [],
    [[]],
    {},
    {"": 0},
    [None] * 2000,
    "throw",
    "commit",
    "𝟙",
    "٣",
)


@st.composite
def damaged(draw: st.DrawFn, good: Sequence[bytes]) -> bytes:
    """Bytes that were one of ``good`` before."""
    data = bytearray(draw(st.sampled_from(good)))
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, len(data)))
        kind = draw(st.sampled_from(("flip", "cut", "double", "insert", "splice", "tail")))
        if kind == "flip" and place < len(data):
            data[place] ^= 1 << draw(st.integers(0, 7))
        elif kind == "cut":
            del data[place : place + draw(st.integers(1, 40))]
        elif kind == "double":
            data[place:place] = data[place : place + draw(st.integers(1, 200))]
        elif kind == "insert":
            data[place:place] = draw(st.binary(min_size=1, max_size=6) | st.sampled_from(BITS))
        elif kind == "splice":
            other = draw(st.sampled_from(good))
            data[place:] = other[draw(st.integers(0, len(other))) :]
        else:
            del data[place:]
    return bytes(data)


BITS = (
    b"\n",
    b"\r\n",
    b"\n\n",
    b"\x00",
    b"\xff",
    b"\xc3\x28",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b" ",
    b"+",
    b"=",
    b"0",
    b"/",
    b"..",
    b"x",
    b"\xe2\x80\xa8",
    b"\xc2\x85",
    b"\\u0000",
    b"\\ud800",
    b"1e3",
    b"-0",
    b"NaN",
    b"[" * 40,
    b'"',
    b"{",
    b"}",
    b",",
    b":",
    b"\xe2\x80\x94 ",
)


@st.composite
def odd_json(draw: st.DrawFn, good: Sequence[Any]) -> Any:
    """A JSON value that was one of ``good`` before; may hold what no JSON text of ours may."""
    value = json.loads(json.dumps(draw(st.sampled_from(good))))
    for _ in range(draw(st.integers(1, 3))):
        value = draw(_changed(value))
    return value


@st.composite
def _changed(draw: st.DrawFn, value: Any) -> Any:
    inside = bool(value) and isinstance(value, (dict, list)) and draw(st.integers(0, 9)) > 0
    if not inside:
        return draw(st.sampled_from(ODD))
    if isinstance(value, dict):
        name = draw(st.sampled_from(sorted(value)))
        what = draw(st.sampled_from(("go", "go", "go", "go", "drop", "rename", "more")))
        if what == "drop":
            return {n: v for n, v in value.items() if n != name}
        if what == "rename":
            return {(f"{n}x" if n == name else n): v for n, v in value.items()}
        if what == "more":
            return {**value, "more": draw(st.sampled_from(ODD))}
        return {**value, name: draw(_changed(value[name]))}
    place = draw(st.integers(0, len(value) - 1))
    if draw(st.booleans()):
        return [*value[:place], draw(_changed(value[place])), *value[place + 1 :]]
    return draw(st.sampled_from((value[:place], value[::-1], [*value, value[place]], value + value)))


def as_text(value: Any) -> str:
    """A value as JSON text, whatever it holds."""
    return json.dumps(value, ensure_ascii=True)

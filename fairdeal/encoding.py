"""Strict text forms: hex, base64, JSON and its canonical form (RFC 8785).

One value has one text here. Every parser re-forms what it read and refuses anything that comes out
otherwise, so that two texts never mean the same bytes and no decoder's leniency can be used to
show one thing to a player and another to an auditor. Python's own decoders are lenient in ways that
matter: ``bytes.fromhex`` skips spaces, ``b64decode`` accepts stray trailing bits, ``json.loads`` keeps
the last of repeated members and reads ``1.0``, ``1e3`` and ``NaN``.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import Any, NoReturn

import rfc8785

from fairdeal.errors import MalformedError

MAX_INTEGER = 2**53 - 1
"""The largest integer that every JSON reader keeps exactly (RFC 7493 §2.2)."""

MAX_DEPTH = 32
"""Nesting beyond this is refused before any recursive code sees it."""

_HEX = re.compile(r"[0-9a-f]*", re.ASCII)
# Possessive, and content with a string that never ends: one pass over any text, however hostile.
_STRUCTURE = re.compile(r'"(?:[^"\\]++|\\.?)*+"?|[\[\]{}]', re.DOTALL)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,31}", re.ASCII)


def parse_hex(text: object, field: str, size: int) -> bytes:
    """Lower-case hex of exactly ``size`` bytes; anything else raises :class:`MalformedError`."""
    if not isinstance(text, str) or len(text) != 2 * size or not _HEX.fullmatch(text):
        raise MalformedError(field, f"must be {2 * size} lower-case hex digits ({size} bytes)")
    return bytes.fromhex(text)


def to_b64(data: bytes) -> str:
    """Standard base64 with padding (RFC 4648 §4)."""
    return binascii.b2a_base64(data, newline=False).decode("ascii")


def parse_b64(text: object, field: str, size: int | None = None) -> bytes:
    """Standard base64 that re-encodes to itself, of ``size`` bytes where a size is given."""
    rule = "must be base64" if size is None else f"must be base64 of {size} bytes"
    if not isinstance(text, str):
        raise MalformedError(field, rule)
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise MalformedError(field, rule) from None
    if to_b64(data) != text or (size is not None and len(data) != size):
        raise MalformedError(field, rule)
    return data


def parse_json(text: str | bytes, field: str = "") -> Any:
    """JSON with every ambiguity refused.

    That is: repeated members, fractions, exponents, ``-0``, ``NaN``, integers beyond ±(2^53 − 1), half
    surrogates, bytes that are not UTF-8, nesting deeper than 32. Raises :class:`MalformedError`.
    """
    try:
        text = text.decode("utf-8") if isinstance(text, bytes) else text
        text.encode("utf-8")
    except UnicodeError:
        raise MalformedError(field, "must be UTF-8 text") from None
    _check_depth(text, field)

    def number(digits: str) -> int:
        # Longer than 2^53 - 1 can be is refused unread: int() of a million digits takes seconds.
        if len(digits) > 17 or abs(int(digits)) > MAX_INTEGER or digits == "-0":
            raise MalformedError(field, "numbers must be integers within ±(2^53 - 1)")
        return int(digits)

    def refuse(_: str) -> NoReturn:
        raise MalformedError(field, "numbers must be integers, without fraction or exponent")

    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(members)
        if len(found) != len(members):
            raise MalformedError(field, "member names must not repeat")
        return found

    try:
        value = json.loads(
            text, parse_int=number, parse_float=refuse, parse_constant=refuse, object_pairs_hook=pairs
        )
    except json.JSONDecodeError as error:
        raise MalformedError(field, f"must be JSON (line {error.lineno}, column {error.colno})") from None
    # The text itself has been encoded already: only an escape can spell half a surrogate pair.
    if "\\u" in text:
        _check_text(value, field)
    return value


def _check_depth(text: str, field: str) -> None:
    depth = 0
    for token in _STRUCTURE.finditer(text):
        mark = token.group()
        depth += (mark in "[{") - (mark in "]}")
        if depth > MAX_DEPTH:
            raise MalformedError(field, f"must not nest deeper than {MAX_DEPTH}")


def _check_text(value: object, field: str) -> None:
    if isinstance(value, str):
        if any("\ud800" <= c <= "\udfff" for c in value):
            raise MalformedError(field, "text must not hold half a surrogate pair")
    elif isinstance(value, list):
        for item in value:
            _check_text(item, field)
    elif isinstance(value, dict):
        for name, item in value.items():
            _check_text(name, field)
            _check_text(item, field)


def canonical(value: Any) -> bytes:
    """The RFC 8785 form of a JSON value whose numbers are integers, as UTF-8."""
    if _plain(value):
        # Many times as fast. What is not plain may differ: names beyond the BMP sort otherwise, fractions are
        # written otherwise, and RFC 8785 refuses large integers and half surrogates.
        return _ENCODER.encode(value).encode("utf-8")
    return rfc8785.dumps(value)


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True, check_circular=False)


def _plain(value: Any) -> bool:
    """Whether the standard library writes a value just as RFC 8785 does."""
    if isinstance(value, dict):
        for name in value:
            if type(name) is not str or not name.isascii():
                return False
        items: Any = value.values()
    elif isinstance(value, list):
        items = value
    else:
        items = (value,)
    for item in items:
        kind = type(item)
        if kind is str:
            if not item.isascii():
                return False
        elif kind is int:
            if not -MAX_INTEGER <= item <= MAX_INTEGER:
                return False
        elif kind is dict or kind is list:
            if not _plain(item):
                return False
        elif item is not None and kind is not bool:
            return False
    return True


def parse_canonical(data: bytes, field: str = "") -> Any:
    """Strict JSON that must be its own RFC 8785 form, byte for byte."""
    value = parse_json(data, field)
    if canonical(value) != data:
        raise MalformedError(field, "must be in canonical form (RFC 8785)")
    return value


def members(value: object, field: str, names: tuple[str, ...]) -> dict[str, Any]:
    """An object with exactly the members ``names``; the error names the first that is unknown or missing."""
    if not isinstance(value, dict):
        raise MalformedError(field, "must be an object")
    for name in value:
        if name not in names:
            # Only what looks like a name is repeated: somebody's seed might stand here by mistake.
            shown = name if _NAME.fullmatch(name) else "?"
            raise MalformedError(f"{field}.{shown}" if field else shown, "unknown field")
    for name in names:
        if name not in value:
            raise MalformedError(f"{field}.{name}" if field else name, "missing field")
    return value


def integer(value: object, field: str, low: int = 0, high: int = MAX_INTEGER) -> int:
    """An integer from ``low`` to ``high``; ``true`` is none."""
    if type(value) is not int or not low <= value <= high:
        raise MalformedError(field, f"must be an integer from {low} to {high}")
    return value


def boolean(value: object, field: str) -> bool:
    """``true`` or ``false``."""
    if not isinstance(value, bool):
        raise MalformedError(field, "must be true or false")
    return value


def string(value: object, field: str) -> str:
    """Any text."""
    if not isinstance(value, str):
        raise MalformedError(field, "must be text")
    return value


def listing(value: object, field: str, most: int) -> list[Any]:
    """A list of at most ``most`` items."""
    if not isinstance(value, list):
        raise MalformedError(field, "must be a list")
    if len(value) > most:
        raise MalformedError(field, f"must have at most {most} items")
    return value

"""Reading what the command line points at: a file, standard input, or a hand's address."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairdeal.encoding import parse_json
from fairdeal.errors import MalformedError
from fairdeal.receipt import RECEIPT_FORMAT, RECORD_FORMAT
from fairdeal_cli.failures import SourceError

MAX_DOCUMENT = 4 * 1024 * 1024
"""Bytes in the largest source that is read; the longest receipt has about a twentieth of that."""

_SEVERAL = "holds several documents; verify takes one hand, and `fairdeal audit` takes such files"


@dataclass(frozen=True)
class Source:
    """A document's exact text, with ``note`` saying what was done to get at it."""

    text: bytes
    note: str | None = None


def is_address(source: str) -> bool:
    """Whether a source is fetched rather than read."""
    return source.lower().startswith(("http://", "https://"))


def read_source(source: str) -> Source:
    """The receipt or record that ``source`` leads to. Raises :class:`SourceError`."""
    if is_address(source):
        # Imported here: only this kind of source needs an HTTP client.
        from fairdeal_cli.fetch import fetch  # noqa: PLC0415

        return document(fetch(source), source)
    if source == "-":
        return document(_bounded(sys.stdin.buffer.read(MAX_DOCUMENT + 1), "standard input"), "standard input")
    return document(read_file(source), source)


def read_file(path: str) -> bytes:
    """A file's bytes, up to :data:`MAX_DOCUMENT`. Raises :class:`SourceError`."""
    try:
        with Path(path).open("rb") as file:
            return _bounded(file.read(MAX_DOCUMENT + 1), path)
    except FileNotFoundError:
        raise SourceError("missing", f"{path}: there is no such file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a file name"
        raise SourceError("unreadable", f"{path}: cannot be read ({reason})") from None


def document(text: bytes, where: str) -> Source:
    """Find the one receipt or record in a text: it, or the service's answer that holds a receipt.

    Raises :class:`SourceError` ``malformed``, ``several`` or ``no-receipt``, with what it found instead.
    """
    try:
        value = parse_json(text)
    except MalformedError as error:
        if _several(text):
            raise SourceError("several", f"{where}: {_SEVERAL}") from None
        raise SourceError("malformed", f"{where}: not a receipt or record: {error}") from None
    if isinstance(value, dict) and "format" in value:
        if value["format"] in (RECEIPT_FORMAT, RECORD_FORMAT):
            return Source(text)
        raise SourceError("no-receipt", f"{where}: its format is neither of the two known here")
    return _unwrapped(value, where)


def _unwrapped(value: Any, where: str) -> Source:
    if isinstance(value, list) or (isinstance(value, dict) and isinstance(value.get("hands"), list)):
        raise SourceError("several", f"{where}: {_SEVERAL}")
    inner = value.get("receipt") if isinstance(value, dict) else None
    if isinstance(inner, dict) and inner.get("format") == RECEIPT_FORMAT:
        # Taken apart strictly and put together again: the same value, whatever its spacing was.
        return Source(json.dumps(inner).encode(), "took the receipt out of the service's answer around it")
    hint = ""
    if isinstance(value, dict) and {"hand", "state"} <= value.keys():
        hint = "; a hand's own address plus /receipt gives its receipt"
    elif isinstance(value, dict) and {"slot", "salt"} <= value.keys():
        hint = "; an opening is something to give as --seen"
    raise SourceError("no-receipt", f"{where}: neither a receipt nor a record{hint}")


def _several(text: bytes) -> bool:
    """Whether a text is JSON Lines of more than one document."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2:
        return False
    try:
        return all(isinstance(parse_json(line), dict) for line in lines[:2])
    except MalformedError:
        return False


def _bounded(data: bytes, where: str) -> bytes:
    if len(data) > MAX_DOCUMENT:
        message = f"{where}: larger than any one receipt (4 MiB); `fairdeal audit` takes files of many hands"
        raise SourceError("too-large", message)
    return data

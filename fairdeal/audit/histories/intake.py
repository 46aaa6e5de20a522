"""Whether a file can be a history at all, before its lines are gone through one by one (protocol §9.3)."""

from __future__ import annotations

from pathlib import Path

from fairdeal.audit.histories.jsonl import stretches
from fairdeal.audit.log.source import SourceError

LOOKED_AT = 1 << 16
"""Bytes at the beginning of a text that tell whether it is one."""

MARK = b"\xef\xbb\xbf"
"""The byte order mark that some editors put before UTF-8."""

_OTHERS = {
    b"PAR1": "a Parquet file, whose name must end in .parquet",
    b"\x1f\x8b": "compressed by gzip, so its name must end in .gz",
    b"\x28\xb5\x2f\xfd": "compressed by Zstandard, so its name must end in .zst",
    b"PK\x03\x04": "a ZIP archive: unpack it",
    b"\xff\xfe": "UTF-16 text, where it must be UTF-8",
    b"\xfe\xff": "UTF-16 text, where it must be UTF-8",
}


def readable(path: Path) -> None:
    """Raise :class:`SourceError` for a file that holds no lines of text. Parquet has its own reader."""
    if path.suffix.lower() == ".parquet":
        return
    part = next(stretches(path, size=LOOKED_AT), None)
    text = part.data if part else b""
    for magic, what in _OTHERS.items():
        if text.startswith(magic):
            raise SourceError("malformed", f"{path}: this is {what}")
    if text.startswith(MARK):
        what = "it begins with a byte order mark, which is no part of JSON (RFC 8259): save it without one"
        raise SourceError("malformed", f"{path}: {what}")
    if b"\0" in text[:LOOKED_AT]:
        what = "this is no text, so there are no receipts or records in it"
        raise SourceError("malformed", f"{path}: {what}")

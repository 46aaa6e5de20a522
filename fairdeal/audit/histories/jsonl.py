"""JSON Lines from a file, plain, ``.gz`` or ``.zst``, in stretches of whole lines (protocol §9.3)."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import IO, Protocol

from fairdeal.audit.histories.lines import Lines
from fairdeal.audit.log.source import SourceError
from fairdeal.errors import UsageError

STRETCH = 4 << 20
"""Bytes read at a time: some thousands of hands, whose columns fit a processor's outer cache."""

LONGEST_LINE = 4 << 20
"""No receipt comes near it. A longer line is reported and passed over, so that memory stays bounded."""

MOST_LINES = 1 << 14
"""Lines in a stretch: more only where hardly any is a hand, and each may become a finding or a row."""

_PIECE = 1 << 9
"""Bytes of Zstandard unpacked at a time: each block of 4 may hold 128 KB, so these at most 16 MB."""

Progress = Callable[[int, int], None]
"""Called with bytes of the file read, and its size."""


class _Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...

    def close(self) -> None: ...


def stretches(
    path: Path, progress: Progress | None = None, size: int = STRETCH, longest: int = LONGEST_LINE
) -> Iterator[Lines]:
    """All lines of a file, numbered from 1.

    Raises :class:`SourceError` ``missing``, ``unreadable``, or ``damaged`` where compressed data breaks off
    or is corrupt (what came before it has been given by then), and :class:`UsageError` where ``.zst`` is
    not installed.
    """
    try:
        total = path.stat().st_size
        with path.open("rb") as raw, closing(_opened(raw, path.suffix.lower())) as stream:
            for part in _cut(stream, path.name, size, longest):
                yield part
                if progress:
                    progress(raw.tell(), total)
    except FileNotFoundError:
        raise SourceError("missing", f"{path}: no such file") from None
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise SourceError("damaged", f"{path}: its compressed data is damaged or breaks off") from None
    except OSError:
        raise SourceError("unreadable", f"{path}: cannot be read") from None


def _opened(raw: IO[bytes], suffix: str) -> _Stream:
    if suffix == ".gz":
        return gzip.GzipFile(fileobj=raw)
    return _zstd(raw) if suffix == ".zst" else raw


def _zstd(raw: IO[bytes]) -> _Stream:
    try:
        import zstandard  # noqa: PLC0415 - an extra
    except ImportError:
        raise UsageError("reading .zst needs the extra: pip install '.[fast]' in fairdeal's folder") from None

    class Frames:
        """Frame after frame; data that breaks off or is corrupt is an error as with gzip."""

        def __init__(self) -> None:
            self._decoder = zstandard.ZstdDecompressor().decompressobj()
            self._started = self._damaged = False

        def read(self, size: int, /) -> bytes:
            found = bytearray()
            while len(found) < size and not self._damaged:
                data = self._decoder.unused_data or raw.read(_PIECE)
                if self._decoder.eof and data:
                    self._decoder = zstandard.ZstdDecompressor().decompressobj()
                    self._started = False
                if not data:
                    self._damaged = self._started and not self._decoder.eof
                    break
                self._started = True
                try:
                    found += self._decoder.decompress(data)
                except zstandard.ZstdError:
                    self._damaged = True
            if self._damaged and not found:
                raise EOFError
            return bytes(found)

        def close(self) -> None:
            """The file is closed by whoever opened it."""

    return Frames()


def _few(data: bytes) -> Iterator[bytes]:
    """Whole lines, no more than :data:`MOST_LINES` at a time."""
    if data.count(b"\n") <= MOST_LINES:
        yield data
        return
    start = 0
    for end in islice(re.finditer(rb"\n", data), MOST_LINES - 1, None, MOST_LINES):
        yield data[start : end.end()]
        start = end.end()
    if start < len(data):
        yield data[start:]


def _cut(stream: _Stream, source: str, size: int, longest: int) -> Iterator[Lines]:
    """Whole lines, and :attr:`Lines.overlong` in the place of a line that is too long."""
    first, rest, skipping = 1, b"", False
    while data := stream.read(size):
        if skipping:
            _, found, data = data.partition(b"\n")
            if not found:
                continue
            skipping = False
        cut = data.rfind(b"\n") + 1
        if cut:
            # Joined from a view: a copy of some megabytes less.
            whole = b"".join((rest, memoryview(data)[:cut]))
            for part in _few(whole):
                yield Lines(source, first, part)
                first += part.count(b"\n")
            rest = data[cut:]
        else:
            rest += data
        if len(rest) > longest:
            yield Lines(source, first, b"", overlong=True)
            first, rest, skipping = first + 1, b"", True
    if rest:
        yield Lines(source, first, rest)

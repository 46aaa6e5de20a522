"""Some hands of a file read a second time, by the core: where two of them are to be compared whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from fairdeal.audit.histories.jsonl import stretches
from fairdeal.errors import MalformedError
from fairdeal.evidence import Evidence, gather
from fairdeal.receipt import parse_document_text


def reread(path: Path, positions: Iterable[int]) -> Iterator[tuple[int, Evidence]]:
    """The hands at these lines or rows (from 1), ascending; those that cannot be read are left out."""
    wanted = frozenset(positions)
    if not wanted:
        return
    if path.suffix.lower() == ".parquet":
        yield from _rows(path, wanted)
        return
    for part in stretches(path):
        lines = part.data.count(b"\n") + 1
        if wanted.isdisjoint(range(part.first, part.first + lines)):
            continue
        for position, text in enumerate(part.data.split(b"\n"), part.first):
            if position in wanted:
                try:
                    yield position, gather(parse_document_text(text))
                except MalformedError:
                    continue


def _rows(path: Path, wanted: frozenset[int]) -> Iterator[tuple[int, Evidence]]:
    from fairdeal.audit.histories.packing import unpack  # noqa: PLC0415 - numpy is an extra
    from fairdeal.audit.histories.parquet import batches, read_rows  # noqa: PLC0415 - so is pyarrow

    for part in batches(path):
        mine = [k for k in range(len(part.rows)) if part.first + k in wanted]
        if mine:
            hands, faults = read_rows(part.rows)
            for row in mine:
                if row not in faults:
                    yield part.first + row, gather(unpack(hands, row))

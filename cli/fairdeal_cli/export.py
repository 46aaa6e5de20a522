"""``fairdeal export``: a service's hands as files that anyone can audit."""

from __future__ import annotations

import gzip
import importlib.util
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol

import typer

from fairdeal.audit.findings import plural
from fairdeal.entries import parse_operator, parse_table
from fairdeal.errors import MalformedError
from fairdeal.evidence import gather
from fairdeal.receipt import Record, parse_document_text
from fairdeal_cli import options, output
from fairdeal_cli.auditview import Progress, compiling_told
from fairdeal_cli.failures import SourceError
from fairdeal_cli.files import whole
from fairdeal_cli.serve import DataOption, settings_for, store_told

if TYPE_CHECKING:
    from fairdeal_api.export import Export
    from rich.console import Console

EXAMPLES = """[bold]Examples[/bold]

Every hand's receipt, compressed:
  fairdeal export hands.jsonl.zst --data fairdeal-data

One table's dealt hands as columns for an audit at full speed:
  fairdeal export hands.parquet --operator okey-salon --table table-7"""

SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.zst", ".parquet")

MOST_TILES, MOST_SEALS = 106, 4
"""What a row of Parquet holds (fairdeal.audit.histories.schema)."""

Take = Callable[[str], bool]
"""Takes a receipt's text; whether it went into the file."""

Writer = Callable[[Path], AbstractContextManager[Take]]
"""Opens a file to be written."""


def export(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help=f"What to write: its ending says how, one of {', '.join(SUFFIXES)}."
        ),
    ],
    data: DataOption = None,
    *,
    operator: Annotated[str | None, typer.Option(metavar="NAME", help="Only this operator's hands.")] = None,
    table: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only hands of tables of this name.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", metavar="", help="Print one JSON document.")] = False,
) -> None:
    """Write receipts as JSON Lines, or dealt hands in columns as Parquet.

    JSON Lines hold every hand as far as it has come, with its log evidence. Parquet holds those whose deal
    is public, one row each, without log evidence; docs/audit.md describes the columns.
    """
    from fairdeal_api.export import Selection, open_export  # noqa: PLC0415  only here

    writer = _writer(file)
    try:
        selection = Selection(
            None if operator is None else parse_operator(operator, "operator"),
            None if table is None else parse_table(table, "table"),
        )
    except MalformedError as error:
        raise options.refused(f"--{error.field}", error.rule) from None
    settings = settings_for(data)
    if settings.database_url is None and not (settings.data / "fairdeal.db").exists():
        raise SourceError("missing", f"{settings.data}: no store there; --data names its folder")
    talk = output.talk()
    told = nullcontext() if as_json else compiling_told(talk)
    with told, store_told(), open_export(settings, selection) as source:
        written, left_out = _write(file, writer, source, talk)
    if as_json:
        output.print_json({"file": str(file), "hands": written, "left_out": left_out})
        return
    output.results().print(f"{plural(written, 'hand')} in {output.plain(str(file))}")
    if left_out:
        output.say(
            f"{plural(left_out, 'hand')} left out: the deal is not public, or does not fit the columns."
        )


def _write(file: Path, writer: Writer, source: Export, talk: Console) -> tuple[int, int]:
    written = left_out = 0
    with whole(file) as draft, writer(draft) as take, Progress(talk) as progress:
        bar, total = progress.bar("Exporting", "hands"), source.count()
        for _, receipt in source.receipts():
            taken = take(receipt)
            written, left_out = written + taken, left_out + (not taken)
            bar(written + left_out, total)
    return written, left_out


def _writer(file: Path) -> Writer:
    name = file.name.lower()
    if name.endswith(".parquet"):
        missing = [need for need in ("numba", "numpy", "pyarrow") if not importlib.util.find_spec(need)]
        if missing:
            raise options.refused(
                "FILE", f"Parquet needs {missing[0]}: pip install '.[fast]' in fairdeal's folder"
            )
        return _parquet
    if name.endswith(".jsonl.zst") and not importlib.util.find_spec("zstandard"):
        raise options.refused("FILE", ".zst needs zstandard: pip install '.[fast]' in fairdeal's folder")
    if not name.endswith(SUFFIXES):
        raise options.refused("FILE", f"must end in one of {', '.join(SUFFIXES)}")
    return {".gz": _gzipped, ".zst": _zstandard}.get(file.suffix.lower(), _plain)


@contextmanager
def _plain(path: Path) -> Iterator[Take]:
    with path.open("wb") as file:
        yield _lines(file)


@contextmanager
def _gzipped(path: Path) -> Iterator[Take]:
    # Without a time in its header the same hands give the same file.
    with path.open("wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as file:
        yield _lines(file)


@contextmanager
def _zstandard(path: Path) -> Iterator[Take]:
    import zstandard  # noqa: PLC0415  an extra

    with path.open("wb") as raw, zstandard.ZstdCompressor(level=6).stream_writer(raw) as file:
        yield _lines(file)


def _lines(file: SupportsWrite) -> Take:
    def take(receipt: str) -> bool:
        file.write(receipt.encode() + b"\n")
        return True

    return take


class SupportsWrite(Protocol):
    """Whatever bytes can be written to."""

    def write(self, data: bytes, /) -> object:
        """Write all of it."""


@contextmanager
def _parquet(path: Path) -> Iterator[Take]:
    from fairdeal.audit.histories.parquetout import ParquetWriter  # noqa: PLC0415  an extra

    with ParquetWriter(str(path)) as out:

        def take(receipt: str) -> bool:
            record = record_of(receipt)
            if record is None or record.terms.size > MOST_TILES or len(record.seals) > MOST_SEALS:
                return False
            out.add(record)
            return True

        yield take


def record_of(receipt: str) -> Record | None:
    """A receipt's hand as a record; ``None`` where nothing was dealt or its seed is not public."""
    evidence = gather(parse_document_text(receipt))
    stated = evidence.stated
    if stated is None or evidence.deal is None or evidence.server_seed is None:
        return None
    return Record(
        hand=stated.hand,
        terms=stated.terms,
        commitment=stated.commitment,
        server_seed=evidence.server_seed,
        seals=stated.seals,
        contributions=evidence.contributions or (),
        deal_root=evidence.deal_root,
        deal=evidence.deal,
    )

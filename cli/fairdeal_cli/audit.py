"""``fairdeal audit``: whole logs and whole histories, with every finding and what was not shown."""

from __future__ import annotations

import platform
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TextIO

import typer

from fairdeal.audit.engine import Engine
from fairdeal.audit.findings import Ledger
from fairdeal.audit.kept import read_kept
from fairdeal.audit.log.source import FolderLog, RemoteLog
from fairdeal.audit.log.source import SourceError as AuditSourceError
from fairdeal.audit.outcome import Outcome
from fairdeal.audit.run import Audit, AuditOptions
from fairdeal.audit.state import State
from fairdeal_cli import options, output
from fairdeal_cli.auditview import Progress, compiling_told, show_audit
from fairdeal_cli.failures import Exit, SourceError
from fairdeal_cli.files import whole
from fairdeal_cli.logfetch import LogFetch
from fairdeal_cli.reading import is_address

if TYPE_CHECKING:
    from rich.console import Console

    from fairdeal.audit.report.summary import AuditSummary

EXAMPLES = """[bold]Examples[/bold]

A live log, and a mirror of one with what was seen of it before:
  fairdeal audit https://okey.example --key @log.vkey
  fairdeal audit mirror/ --key @log.vkey --state audits/ --seen seen.txt

A game server's history, with a report to hand on:
  fairdeal audit history.jsonl.zst --key @log.vkey --report report.html

[bold]Exit codes[/bold]

  0 no findings   1 findings   3 none, but something needed was not shown
  2 a wrong option   4 a source cannot be read   5 our own fault"""

_ENDS = {"refuted": Exit.REFUTED, "incomplete": Exit.SHORT, "consistent": Exit.FINE, "verified": Exit.FINE}

OVERFLOW = Path("fairdeal-findings.jsonl")
"""Where findings go when there are more than a summary holds and no --findings names a file."""


def audit(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE…",
            help="JSON Lines of receipts or records (.jsonl, also .gz and .zst), Parquet, a log's address, "
            "or the folder of a mirrored log.",
        ),
    ],
    *,
    key: Annotated[
        list[str] | None,
        typer.Option(metavar="VKEY|@FILE", help="The log's verifier key, known from elsewhere. May repeat."),
    ] = None,
    seen: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="What players kept from before: a line each, a commitment or a receipt."
        ),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Remembers each log's checkpoint; the next audit is held against it."
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write a report: one file, to print or hand on.")
    ] = None,
    findings: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help=f"Write every finding as it comes, a JSON line each (default, of many: {OVERFLOW}).",
        ),
    ] = None,
    statistics: Annotated[
        bool,
        typer.Option(
            "--statistics/--no-statistics", metavar="", help="Run the statistical tests over all deals."
        ),
    ] = True,
    now: Annotated[
        int | None,
        typer.Option(
            metavar="MS", min=0, help="Your clock, for hands long due (default: the log's last time)."
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Processes to use (default: one a processor).")
    ] = None,
    engine: Annotated[
        Literal["local", "dask"], typer.Option(help="Where to work: this machine or a Dask cluster.")
    ] = "local",
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="The Dask cluster's scheduler, for --engine dask.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", metavar="", help="Print one JSON document.")] = False,
) -> None:
    """Audit whole logs and histories: every hand, every entry, and how they hang together."""
    started = time.time()
    if report is not None and not find_spec("matplotlib"):
        raise options.refused("--report", "it needs the extra: pip install '.[audit]' in fairdeal's folder")
    if report is not None and not report.parent.is_dir():
        raise options.refused("--report", "the folder that it names is not there")
    if len({_place(source) for source in sources}) < len(sources):
        raise options.refused("SOURCE", "one is given twice, and all its hands would be repeats")
    keys = options.keys_from(key or ())
    try:
        kept = read_kept(seen) if seen else []
    except AuditSourceError as error:
        raise options.refused("--seen", str(error)) from None
    talk = output.talk()
    with (
        nullcontext() if as_json else compiling_told(talk),
        _findings(findings) as (stream, overflow),
        _engine(engine, scheduler) as chosen,
    ):
        ledger = Ledger(stream, overflow=overflow.open)
        run = Audit(
            AuditOptions(
                keys=keys,
                kept=kept,
                state=State(state) if state else None,
                several=len(sources) > 1,
                statistics=statistics,
                hash_inputs=report is not None,
                now=now,
                engine=chosen,
                workers=workers,
            ),
            ledger,
        )
        with ExitStack() as opened:
            # Receipts are held against a log, so that must have been read.
            for source in sorted(sources, key=lambda name: not _is_log(name)):
                _add(run, source, opened, talk)
            try:
                results = run.finish()
            except AuditSourceError as error:
                raise SourceError(error.code, str(error)) from None
        outcome = Outcome(results, ledger, len(kept))
    written = str(findings) if findings else str(OVERFLOW) if overflow.opened else None
    if report is not None or not as_json:
        _tell(outcome, report, started, as_json=as_json)
    if as_json:
        output.print_json(outcome.as_json(written))
    elif written and ledger.total:
        output.say(f"Every finding is in {written}.")
    # A finding of the statistics refutes nothing (§10.2), but it is a finding.
    raise typer.Exit(Exit.REFUTED if ledger.total else _ENDS[outcome.verdict])


def _place(source: str) -> str:
    return source.rstrip("/") if is_address(source) else str(Path(source).resolve())


def _is_log(source: str) -> bool:
    return is_address(source) or Path(source).is_dir()


def _add(run: Audit, source: str, opened: ExitStack, talk: Console) -> None:
    path = Path(source)
    unit = "entries" if _is_log(source) else "bytes"
    try:
        with Progress(talk) as progress:
            run.options.progress = progress.bar("Auditing", unit)
            if is_address(source):
                run.log(RemoteLog(opened.enter_context(LogFetch(source)), source))
            elif path.is_dir():
                run.log(FolderLog(path, source))
            else:
                run.history(path, source)
    except AuditSourceError as error:
        raise SourceError(error.code, str(error)) from None


class _Overflow:
    """Opens :data:`OVERFLOW` when it is needed."""

    def __init__(self) -> None:
        self.opened: TextIO | None = None

    def open(self) -> TextIO:
        self.opened = OVERFLOW.open("w", encoding="utf-8")
        return self.opened


@contextmanager
def _findings(path: Path | None) -> Iterator[tuple[TextIO | None, _Overflow]]:
    overflow = _Overflow()
    try:
        stream = path.open("w", encoding="utf-8") if path else None
    except OSError as error:
        raise options.refused("--findings", f"cannot be written ({error.strerror})") from None
    try:
        yield stream, overflow
    finally:
        for file in (stream, overflow.opened):
            if file is not None:
                file.close()


@contextmanager
def _engine(name: str, scheduler: str | None) -> Iterator[Engine | None]:
    if name == "local":
        if scheduler is not None:
            raise options.refused("--scheduler", "goes with --engine dask")
        yield None
        return
    if scheduler is None:
        raise options.refused("--engine", "dask needs --scheduler ADDRESS")
    from fairdeal.audit.cluster import connect  # noqa: PLC0415  # Dask is an extra

    with connect(scheduler) as cluster:
        yield cluster


def _tell(outcome: Outcome, report: Path | None, started: float, *, as_json: bool) -> None:
    summary = _summary(outcome, started)
    if report is not None:
        from fairdeal.audit.report import render_html  # noqa: PLC0415  # slow to load

        page = render_html(summary)
        with whole(report) as draft:
            draft.write_text(page, encoding="utf-8")
        output.say(f"Report: {report}")
    if not as_json:
        show_audit(output.results(), summary)


def _summary(outcome: Outcome, started: float) -> AuditSummary:
    from fairdeal.audit.report.summary import AuditSummary as Summary  # noqa: PLC0415  # as above

    results, ledger = outcome.results, outcome.ledger
    return Summary(
        verdict=outcome.verdict,
        sources=tuple(results.sources),
        hands=results.hands,
        counts=results.counts,
        findings=dict(ledger.counts),
        sample=tuple(ledger.kept),
        rests_on=tuple(outcome.rests_on),
        not_shown=tuple(outcome.not_shown),
        incomplete=outcome.incomplete,
        kept=outcome.kept,
        timeline=results.timeline,
        statistics=results.statistics,
        statistics_note=results.statistics_note,
        voids=results.voids,
        command=shlex.join(["fairdeal", *sys.argv[1:]]),
        versions=_versions(),
        started=int(started * 1000),
        seconds=time.time() - started,
    )


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in ("fairdeal", "numpy", "numba", "scipy", "pyarrow", "zstandard", "matplotlib", "distributed"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found

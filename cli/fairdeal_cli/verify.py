"""``fairdeal verify``: one hand from its receipt or record, and from what was kept."""

from __future__ import annotations

from typing import Annotated

import typer

from fairdeal.errors import MalformedError
from fairdeal.verify import Report
from fairdeal.verify import verify as check
from fairdeal_cli import options, output
from fairdeal_cli.failures import Exit, SourceError
from fairdeal_cli.reading import read_source
from fairdeal_cli.report import show

EXAMPLES = """[bold]Examples[/bold]

A hand by its address, under the log's key:
  fairdeal verify https://okey.example/verify/$HAND --key @log.vkey

A receipt with what was kept from before the hand:
  fairdeal verify receipt.json --seen commit-receipt.json \\
    --seen seed:2=@mine.txt --seen tiles:2=R10,K1,J

[bold]Exit codes[/bold]

  0 verified   1 refuted   3 consistent or incomplete
  2 a wrong option   4 SOURCE cannot be read   5 our own fault"""

_ENDS = {"verified": Exit.FINE, "refuted": Exit.REFUTED, "consistent": Exit.SHORT, "incomplete": Exit.SHORT}


def verify(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE", help="A receipt or record: a file, - for standard input, or a hand's address."
        ),
    ],
    key: Annotated[
        list[str] | None,
        typer.Option(metavar="VKEY|@FILE", help="The log's verifier key, known from elsewhere. May repeat."),
    ] = None,
    seen: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEPT",
            help="What was kept from before the hand: a commitment, a file (receipt, openings), "
            "seed:SEAT=HEX, or tiles:SEAT=R10,K1,J. May repeat.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", metavar="", help="Print one JSON document.")] = False,
) -> None:
    """Verify one hand, and say what the verdict rests on."""
    keys = options.keys_from(key or ())
    kept = options.seen_from(seen or ())
    found = read_source(source)
    if found.note:
        output.say(f"Note: {found.note}.", style="dim")
    try:
        report = check(found.text, keys=keys, seen=kept)
    except MalformedError as error:
        raise SourceError("malformed", f"not a receipt or record: {error}") from None
    if as_json:
        output.print_json(report.as_json())
    else:
        show(output.results(), report, found.text, kept)
    raise typer.Exit(exit_code(report))


def exit_code(report: Report) -> int:
    """The exit code that a verdict gives."""
    return _ENDS[report.verdict]

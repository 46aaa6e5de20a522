"""``fairdeal deal``: a deal from its seeds, without any service."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from fairdeal.deal import Deal, make_deal
from fairdeal.openings import deal_root
from fairdeal.seeds import HAND_SIZE, commitment, deal_key
from fairdeal.terms import Terms
from fairdeal_cli import options, output
from fairdeal_cli.drawing.table import describe, draw

EXAMPLES = """[bold]Examples[/bold]

Draw a deal from its seeds:
  fairdeal deal --terms @terms.json --seed @seed.txt \\
    --hand 75c9486ed26234c35ab1622d31bfc6b4

The same with a client seed at seat 2, as JSON:
  fairdeal deal --terms @terms.json --seed @seed.txt \\
    --hand 75c9486ed26234c35ab1622d31bfc6b4 --client-seed 2=@mine.txt --json

A shuffler that uses HMAC-SHA256(seed, "r:" + i) bare:
  fairdeal deal --terms @terms.json --key @seed.txt

Terms are written out in full, such as:
  {"game": "okey", "layout": "wall", "seats": 4, "dealer": "throw",
   "dice": 1, "openings": false}

Others on the machine can read what stands on a command line;
@FILE and - keep a seed out of it."""


def deal(
    *,
    terms: Annotated[
        str, typer.Option(metavar="JSON|@FILE", help="All terms of the hand, as the commit has them.")
    ],
    seed: Annotated[
        str | None,
        typer.Option(
            metavar="HEX", help="The server seed: 64 hex digits, @FILE with them, or - for standard input."
        ),
    ] = None,
    hand: Annotated[str | None, typer.Option(metavar="ID", help="The hand's id: 32 hex digits.")] = None,
    client_seed: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SEAT=HEX", help="A seat's client seed (or SEAT=@FILE); once for every seat with one."
        ),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(metavar="HEX", help="The deal key itself (or @FILE, -), in place of seeds and hand."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", metavar="", help="Print one JSON document.")] = False,
) -> None:
    """Derive a deal from its seeds and draw the table."""
    read = options.terms_from(terms)
    if key is not None:
        if seed is not None or hand is not None or client_seed:
            raise options.refused("--key", "stands in place of --seed, --hand and --client-seed")
        committed, used = None, options.hex_from("--key", key)
    else:
        if seed is None or hand is None:
            raise options.refused("--seed" if seed is None else "--hand", "is needed, unless --key is given")
        server_seed = options.hex_from("--seed", seed)
        hand_id = options.hex_from("--hand", hand, HAND_SIZE)
        contributions = options.contributions_from(client_seed or (), read)
        committed, used = commitment(server_seed), deal_key(server_seed, hand_id, read, contributions)
    dealt = make_deal(used, read)
    root = deal_root(used, read, dealt) if read.openings else None
    if as_json:
        output.print_json(
            {
                "commitment": committed and committed.hex(),
                "key": used.hex(),
                "deal": dealt.as_json(),
                "deal_root": root and root.hex(),
            }
        )
        return
    _show(read, dealt, {"Commitment": committed, "Deal key": used, "Deal root": root})


def _show(terms: Terms, dealt: Deal, values: dict[str, bytes | None]) -> None:
    console = output.results()
    dot = "-" if console.options.ascii_only else "·"
    console.print(Text(describe(terms, dot), style="bold"), soft_wrap=True)
    console.print()
    for label, value in values.items():
        if value is not None:
            console.print(Text.assemble((f"{label:<12}", "dim"), value.hex()), soft_wrap=True)
    console.print()
    draw(console, terms, dealt)

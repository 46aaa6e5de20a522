"""The commands by name, in the sequence that ``fairdeal --help`` lists them."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from fairdeal_cli import audit, deal, demo, export, keys, log, operator, recover, serve, verifier, verify
from fairdeal_cli.usage import Command, Group

app = typer.Typer(
    cls=Group,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"fairdeal {version('fairdeal')}")
        raise typer.Exit


@app.callback()
def fairdeal(
    show_version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, metavar="", help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Provably fair deals: play a hand, prove it, and check anyone's proof."""


app.command(epilog=demo.EXAMPLES, cls=Command)(demo.demo)
app.command(epilog=serve.EXAMPLES, cls=Command)(serve.serve)
app.add_typer(operator.app, name="operator", help="Add, list and revoke operators.", epilog=operator.EXAMPLES)
app.add_typer(keys.app, name="keys", help="Change keys while the service runs.", epilog=keys.EXAMPLES)
app.command(epilog=deal.EXAMPLES, cls=Command)(deal.deal)
app.command(epilog=verify.EXAMPLES, cls=Command)(verify.verify)
app.command(epilog=audit.EXAMPLES, cls=Command)(audit.audit)
app.command(epilog=export.EXAMPLES, cls=Command)(export.export)
log.app.command("recover", epilog=recover.EXAMPLES, cls=Command)(recover.recover)
app.add_typer(log.app, name="log", help="Copy a log, check it whole, recover it.", epilog=log.EXAMPLES)
app.command(epilog=verifier.EXAMPLES, cls=Command)(verifier.verifier)

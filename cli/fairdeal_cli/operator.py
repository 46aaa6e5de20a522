"""``fairdeal operator``: who may commit hands, and their keys."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from fairdeal.entries import parse_operator
from fairdeal_cli import output
from fairdeal_cli.failures import SourceError
from fairdeal_cli.serve import DataOption, settings_for, store_told
from fairdeal_cli.usage import Command, Group

if TYPE_CHECKING:
    from fairdeal_api.settings import Settings

EXAMPLES = """[bold]Examples[/bold]

  fairdeal operator add okey-salon
  fairdeal operator list --json
  fairdeal operator revoke okey-salon

A key is shown once; the store keeps its hash alone. To change an operator's
key, revoke it and add the operator again."""

Name = Annotated[str, typer.Argument(metavar="NAME", help="1 to 64 of a-z 0-9 . _ -")]
AsJson = Annotated[bool, typer.Option("--json", metavar="", help="Print one JSON document.")]

app = typer.Typer(cls=Group, no_args_is_help=True)


@app.command("add", cls=Command)
def add(name: Name, data: DataOption = None, *, as_json: AsJson = False) -> None:
    """Add an operator and show its key, this once."""
    from fairdeal_api import operators  # noqa: PLC0415  only these commands need the service

    parse_operator(name, "name")
    with _store(settings_for(data)) as settings:
        key = operators.add(settings, name)
    if as_json:
        output.print_json({"operator": name, "key": key})
        return
    output.say(f"Added {name}. This is its key, shown this once:")
    output.results().print(Text(key), soft_wrap=True)


@app.command("list", cls=Command)
def list_(data: DataOption = None, *, as_json: AsJson = False) -> None:
    """List operators."""
    from fairdeal_api import operators  # noqa: PLC0415

    with _store(settings_for(data)) as settings:
        found = operators.list_operators(settings)
    if as_json:
        rows = [{"operator": o.name, "created_at": o.created_at, "active": o.active} for o in found]
        output.print_json({"operators": rows})
        return
    table = [(o.name, _minute(o.created_at), "good" if o.active else "revoked") for o in found]
    output.print_table(("Operator", "Since", "Key"), table)


@app.command("revoke", cls=Command)
def revoke(name: Name, data: DataOption = None, *, as_json: AsJson = False) -> None:
    """End an operator's key; its hands and its place in the log stay."""
    from fairdeal_api import operators  # noqa: PLC0415

    with _store(settings_for(data)) as settings:
        count = operators.revoke(settings, name)
    if as_json:
        output.print_json({"operator": name, "revoked": count})
        return
    output.say(f"Revoked {name}'s key." if count else f"{name} had no good key.")


def _minute(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")


@contextmanager
def _store(settings: Settings) -> Iterator[Settings]:
    if settings.database_url is None and not (settings.data / "fairdeal.db").exists():
        raise SourceError(
            "missing",
            f"{settings.data}: no store there; --data names its folder, and the "
            "first `fairdeal serve` makes it",
        )
    with store_told():
        yield settings

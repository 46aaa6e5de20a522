"""``fairdeal keys``: change the keys that wrap seeds, sign the log, and let operators in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from fairdeal.audit.findings import plural
from fairdeal_cli import output
from fairdeal_cli.failures import SourceError
from fairdeal_cli.serve import DataOption, settings_for, store_told
from fairdeal_cli.usage import Command, Group

if TYPE_CHECKING:
    from pathlib import Path

    from fairdeal_api.settings import Settings

EXAMPLES = """[bold]Examples[/bold]

Put a new key in front for seeds, then let the old one go:
  fairdeal keys seed add
  fairdeal keys seed promote NAME
  fairdeal keys seed rewrap
  fairdeal keys seed retire OLD

See where each key stands:
  fairdeal keys seed list
  fairdeal keys log list

The whole ceremonies, with what to publish when, are in docs/keys.md."""

Name = Annotated[
    str, typer.Argument(metavar="KEY", help="The key's name, eight hex digits; `list` shows it.")
]
Operator = Annotated[str, typer.Argument(metavar="OPERATOR", help="The operator's name.")]
AsJson = Annotated[bool, typer.Option("--json", metavar="", help="Print one JSON document.")]

app = typer.Typer(cls=Group, no_args_is_help=True)
seed = typer.Typer(cls=Group, no_args_is_help=True)
log = typer.Typer(cls=Group, no_args_is_help=True)
operator = typer.Typer(cls=Group, no_args_is_help=True)
app.add_typer(seed, name="seed", help="Keys that encrypt server seeds at rest.")
app.add_typer(log, name="log", help="Keys that sign the log.")
app.add_typer(operator, name="operator", help="An operator's keys, several at a time.")


@seed.command("list", cls=Command)
def seed_list(data: DataOption = None, *, as_json: AsJson = False) -> None:
    """Show the seed keys, the seeds under each, and how many processes have loaded it."""
    from fairdeal_api import seedkeys  # noqa: PLC0415  only these commands need the service

    with opened(data) as settings:
        found = seedkeys.states(settings)
    rows = [
        {
            "key": key.name,
            "use": "wraps" if key.in_use else "unwraps" if key.in_file else "missing",
            "seeds": key.seeds,
            "loaded_by": key.loaded_by,
            "processes": key.processes,
        }
        for key in found
    ]
    _show(("Key", "Use", "Seeds", "Loaded by", "Processes"), rows, as_json=as_json)


@seed.command("add", cls=Command)
def seed_add(data: DataOption = None, *, as_json: AsJson = False) -> None:
    """Make a key. It wraps nothing until it is promoted."""
    from fairdeal_api import seedkeys  # noqa: PLC0415

    with opened(data) as settings:
        name = seedkeys.add(settings)
    _done(
        {"key": name}, f"Added {name}. Copy the key file to every machine, then promote it.", as_json=as_json
    )


@seed.command("promote", cls=Command)
def seed_promote(name: Name, data: DataOption = None, *, as_json: AsJson = False) -> None:
    """Have a key wrap every new seed; refused while a running process has not loaded it."""
    from fairdeal_api import seedkeys  # noqa: PLC0415

    with opened(data) as settings:
        seedkeys.promote(settings, name)
    _done({"key": name}, f"{name} wraps new seeds from now on. Next: rewrap the old ones.", as_json=as_json)


@seed.command("rewrap", cls=Command)
def seed_rewrap(data: DataOption = None, *, as_json: AsJson = False) -> None:
    """Wrap the seeds of all open hands under the key in use; the service goes on meanwhile."""
    from fairdeal_api import seedkeys  # noqa: PLC0415

    with opened(data) as settings:
        done, lost = seedkeys.rewrap(settings)
    _done({"rewrapped": done, "lost": lost}, f"{plural(done, 'seed')} wrapped anew.", as_json=as_json)
    if lost:
        raise SourceError(
            "lost", f"{plural(lost, 'seed')} left that no key in the file opens; put the key of each back"
        )


@seed.command("retire", cls=Command)
def seed_retire(name: Name, data: DataOption = None, *, as_json: AsJson = False) -> None:
    """Take a key out of the key file; refused while a seed or a process needs it."""
    from fairdeal_api import seedkeys  # noqa: PLC0415

    with opened(data) as settings:
        seedkeys.retire(settings, name)
    _done(
        {"key": name},
        f"Retired {name}. Older backups still need it: keep a copy beside them.",
        as_json=as_json,
    )


@log.command("list", cls=Command)
def log_list(data: DataOption = None, *, as_json: AsJson = False) -> None:
    """Show the log's keys and what each does."""
    from fairdeal_api import logkeys  # noqa: PLC0415

    with opened(data) as settings:
        found = logkeys.states(settings)
    rows = [
        {
            "key": key.name,
            "role": key.role,
            "loaded_by": key.loaded_by,
            "processes": key.processes,
            "vkey": key.vkey,
        }
        for key in found
    ]
    _show(("Key", "Role", "Loaded by", "Processes", "Verifier key"), rows, as_json=as_json)


@log.command("add", cls=Command)
def log_add(data: DataOption = None, *, as_json: AsJson = False) -> None:
    """Make a signing key in the key file. It signs nothing yet."""
    from fairdeal_api import logkeys  # noqa: PLC0415

    with opened(data) as settings:
        vkey = logkeys.add(settings)
    _done({"vkey": vkey}, f"Added {vkey}. Copy the key file to every machine, then: cosign.", as_json=as_json)


@log.command("cosign", cls=Command)
def log_cosign(name: Name, data: DataOption = None, *, as_json: AsJson = False) -> None:
    """Have a key sign every checkpoint beside the log's own."""
    _log_step(
        "cosign", name, data, "signs too. Publish its verifier key, and wait until it is known.", as_json
    )


@log.command("promote", cls=Command)
def log_promote(name: Name, data: DataOption = None, *, as_json: AsJson = False) -> None:
    """Name a key that signs in receipts and /log/key; the one there before goes on signing."""
    _log_step("promote", name, data, "is the log's own key now; the one before goes on signing.", as_json)


@log.command("retire", cls=Command)
def log_retire(name: Name, data: DataOption = None, *, as_json: AsJson = False) -> None:
    """Have a key sign no more, and take it out of the key file."""
    _log_step("retire", name, data, "signs no more.", as_json)


@operator.command("list", cls=Command)
def operator_list(name: Operator, data: DataOption = None, *, as_json: AsJson = False) -> None:
    """Show an operator's keys by name, never the keys themselves."""
    from fairdeal_api import operators  # noqa: PLC0415

    with opened(data) as settings:
        found = operators.keys_of(settings, name)
    rows = [
        {"key": key.name, "since": _day(key.created_at), "revoked": key.revoked_at and _day(key.revoked_at)}
        for key in found
    ]
    _show(("Key", "Since", "Revoked"), rows, as_json=as_json)


@operator.command("add", cls=Command)
def operator_add(name: Operator, data: DataOption = None, *, as_json: AsJson = False) -> None:
    """Give an operator one more key and show it, this once; its others stay good."""
    from fairdeal_api import operators  # noqa: PLC0415

    with opened(data) as settings:
        key = operators.add_further(settings, name)
    if as_json:
        output.print_json({"operator": name, "key": key})
        return
    output.say(f"A further key of {name}, shown this once:")
    output.results().print(Text(key), soft_wrap=True)


@operator.command("revoke", cls=Command)
def operator_revoke(name: Operator, key: Name, data: DataOption = None, *, as_json: AsJson = False) -> None:
    """End one of an operator's keys; a running service notices within a second."""
    from fairdeal_api import operators  # noqa: PLC0415

    with opened(data) as settings:
        operators.revoke_key(settings, name, key)
    _done({"operator": name, "key": key}, f"Revoked {key} of {name}.", as_json=as_json)


@contextmanager
def opened(data: Path | None) -> Iterator[Settings]:
    """Settings of a store that is there; what goes wrong with its files comes out as a source's error."""
    from fairdeal_api.head import CorruptionError  # noqa: PLC0415
    from fairdeal_api.keys import KeyFileError  # noqa: PLC0415
    from fairdeal_api.postgres import UnsafeStoreError  # noqa: PLC0415
    from fairdeal_api.signing import MissingKeyError  # noqa: PLC0415

    settings = settings_for(data)
    if settings.database_url is None and not (settings.data / "fairdeal.db").exists():
        raise SourceError("missing", f"{settings.data}: no store there; --data names its folder")
    try:
        with store_told():
            yield settings
    except (KeyFileError, CorruptionError, UnsafeStoreError, MissingKeyError) as error:
        raise SourceError("unreadable", str(error)) from None


def _log_step(step: str, name: str, data: Path | None, words: str, as_json: bool) -> None:
    from fairdeal_api import logkeys  # noqa: PLC0415

    steps = {"cosign": logkeys.cosign, "promote": logkeys.promote, "retire": logkeys.retire}
    with opened(data) as settings:
        head = steps[step](settings, name)
    _done({"key": name, "signing": list(head.signing)}, f"{name} {words}", as_json=as_json)


def _show(headings: Sequence[str], rows: Sequence[Mapping[str, Any]], *, as_json: bool) -> None:
    if as_json:
        output.print_json({"keys": list(rows)})
        return
    output.print_table(headings, [[_cell(value) for value in row.values()] for row in rows])


def _cell(value: str | int | None) -> str:
    return "" if value is None else f"{value:,}" if isinstance(value, int) else value


def _done(document: Mapping[str, Any], words: str, *, as_json: bool) -> None:
    if as_json:
        output.print_json(document)
    else:
        output.say(words)


def _day(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")

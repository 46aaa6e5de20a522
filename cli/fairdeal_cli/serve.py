"""``fairdeal serve``: the service, from its data folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairdeal_cli import output
from fairdeal_cli.failures import SourceError

if TYPE_CHECKING:
    from fairdeal_api.settings import Settings

EXAMPLES = """[bold]Examples[/bold]

Serve from ./fairdeal-data; the first start makes its keys there:
  fairdeal serve

Serve for others, under the name that players know:
  FAIRDEAL_PUBLIC_URL=https://okey.example fairdeal serve \\
    --host 0.0.0.0 --port 8443 --data /var/lib/fairdeal

Settings come from the environment (FAIRDEAL_DATA, FAIRDEAL_DATABASE_URL,
FAIRDEAL_ORIGIN and others); docs/operating.md lists them."""

DATA_HELP = "The data folder; FAIRDEAL_DATA or ./fairdeal-data where it is not given."

DataOption = Annotated[Path | None, typer.Option("--data", metavar="DIR", help=DATA_HELP)]


def serve(
    host: Annotated[str, typer.Option(metavar="HOST", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="PORT", min=1, max=65535, help="The port to listen on.")
    ] = 8080,
    data: DataOption = None,
    workers: Annotated[
        int, typer.Option(metavar="N", min=1, max=64, help="Processes that share the work; needs PostgreSQL.")
    ] = 1,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A published checkpoint: a store that is older, or another, is refused.",
        ),
    ] = None,
) -> None:
    """Run the service until it is told to stop."""
    from fairdeal_api.server import StartupError, prepare, run  # noqa: PLC0415  only this command needs it

    settings = settings_for(data, checkpoint=checkpoint)
    try:
        with store_told():
            started = prepare(settings, workers)
        if started.first_start:
            output.say(f"First start: made keys in {started.data}. Keep copies of them apart from the store.")
            output.say(f"  signs the log          {started.log_key_file}")
            output.say(f"  encrypts server seeds  {started.seed_key_file}")
            output.say(f"  operator key of {started.operator!r}  {started.operator_key_file}")
        output.say(f"Log key: {started.vkey}")
        shown = f"[{host}]" if ":" in host else host
        run(settings, host, port, workers, lambda: output.say(f"Serving on http://{shown}:{port}"))
    except StartupError as error:
        raise SourceError("startup", str(error)) from None
    except SystemExit:
        # The server ends the process itself where the application does not start; the log says why.
        raise SourceError("startup", "the service could not start") from None
    except KeyboardInterrupt:
        output.say("Stopped.")


def settings_for(data: Path | None, **given: object) -> Settings:
    """Settings from the environment, with the data folder from the command line where it is given there."""
    from fairdeal_api.settings import Settings  # noqa: PLC0415
    from pydantic import ValidationError  # noqa: PLC0415  comes with the service's settings

    try:
        chosen = {"data": data, **given}
        return Settings.model_validate({name: value for name, value in chosen.items() if value is not None})
    except ValidationError as error:
        # The value is not repeated: a database's address may hold its password.
        names = {str(part["loc"][0]) for part in error.errors(include_input=False) if part["loc"]}
        listed = ", ".join(f"FAIRDEAL_{name.upper()}" for name in sorted(names))
        raise typer.BadParameter(f"not usable: {listed}", param_hint="environment") from None


@contextmanager
def store_told() -> Iterator[None]:
    """Turn what goes wrong in opening a store into :class:`SourceError`."""
    from fairdeal_api.db import OtherReleaseError  # noqa: PLC0415  comes with the service
    from sqlalchemy.exc import SQLAlchemyError  # noqa: PLC0415

    try:
        yield
    except OtherReleaseError as error:
        raise SourceError("unreadable", str(error)) from None
    except (OSError, SQLAlchemyError, ImportError) as error:
        # The database's own words may repeat its address, and that may hold a password.
        hint = ": its driver is not installed, pip install '.[postgres]' in fairdeal's folder"
        hint = hint if isinstance(error, ImportError) else ""
        name = type(error).__name__
        raise SourceError("unreadable", f"the store cannot be opened ({name}){hint}") from None

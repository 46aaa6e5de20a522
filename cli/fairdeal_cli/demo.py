"""``fairdeal demo``: one whole hand through a real service, proved, tampered with, and served."""

from __future__ import annotations

import signal
import socket
import tempfile
import threading
from pathlib import Path
from typing import Annotated

import typer

from fairdeal_cli import output
from fairdeal_cli.failures import SourceError
from fairdeal_cli.play import Play
from fairdeal_cli.serve import settings_for, store_told
from fairdeal_cli.verify import exit_code

EXAMPLES = """[bold]Examples[/bold]

  fairdeal demo              # play a hand, then serve its page until Ctrl-C
  fairdeal demo --once       # stop after the hand
  fairdeal demo --data DIR   # play it in a data folder, which keeps it

Without --data everything lies in a temporary folder, removed at the end."""

HOST, USUAL_PORT = "127.0.0.1", 8080


def demo(
    *,
    once: Annotated[bool, typer.Option("--once", metavar="", help="Stop after the hand.")] = False,
    port: Annotated[
        int | None,
        typer.Option(metavar="PORT", min=1, max=65535, help="The port to serve on; 8080 or a free one."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="A data folder that stays; a temporary one if not given."),
    ] = None,
) -> None:
    """Play a whole hand through a real service, prove it, and serve its page."""
    from fairdeal_api.server import StartupError, prepare, serving  # noqa: PLC0415  only this command needs it

    with tempfile.TemporaryDirectory(prefix="fairdeal-demo-") as folder:
        settings = settings_for(data or Path(folder, "data"))
        try:
            with store_told():
                key_file = prepare(settings).operator_key_file
            with serving(settings, HOST, _port(port, once=once)) as address:
                play = Play(output.results(), address, _operator_key(key_file), Path(folder, "seat"))
                report = play.run()
                if not once:
                    play.invite()
                    output.say("Serving; Ctrl-C stops.")
                    _wait()
        except StartupError as error:
            raise SourceError("startup", str(error)) from None
    raise typer.Exit(exit_code(report))


def _operator_key(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except OSError:
        raise SourceError(
            "missing", f"{path}: the operator key of this folder is not there any more"
        ) from None


def _port(asked: int | None, *, once: bool) -> int:
    """The port to listen on: the one asked for, else the usual one where it is free, else any."""
    for port in [asked] if asked else [] if once else [USUAL_PORT]:
        try:
            socket.create_server((HOST, port)).close()
        except OSError:
            if asked:
                raise SourceError("startup", f"cannot listen on {HOST}:{port}; something else may") from None
        else:
            return port
    return 0


def _wait() -> None:
    """Until Ctrl-C or SIGTERM, so that the temporary folder is cleared away after either."""
    stopped = threading.Event()
    before = {
        number: signal.signal(number, lambda *_: stopped.set()) for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        stopped.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

"""The ``fairdeal`` command: its subcommands, and what each way of ending means for the exit code."""

from __future__ import annotations

import atexit
import errno
import gc
import os
import sys
import tempfile
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from fairdeal_cli.failures import Exit, SourceError, safe_message
from fairdeal_cli.files import FULL


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and answer its exit code (see :class:`Exit`).

    Python itself ends with 1 on an error that nobody caught, and 1 means refuted here; so nothing gets past
    this function, and even the imports happen inside it.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if arguments is None:
        # The interpreter goes through all that is loaded before it ends, twice: a third of a second after an
        # audit, for nothing.
        atexit.register(gc.freeze)
    as_json = "--json" in given
    try:
        return _run(given, as_json)
    except KeyboardInterrupt:
        return 130
    except (Exception, SystemExit) as error:  # noqa: BLE001  our own fault, whatever it was
        if _reader_gone(error):
            # Nothing is wrong, and nobody is left to tell. Shells expect 141 then.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 141
        if full := _full_disk(error):
            _tell_if_heard("no-room", full, as_json=as_json)
            return Exit.UNREADABLE
        # The error's text may hold a secret: only its kind is told.
        _tell_if_heard(
            "fault", f"something went wrong inside fairdeal ({type(error).__name__})", as_json=as_json
        )
        if os.environ.get("FAIRDEAL_DEBUG"):
            traceback.print_exc()
        return Exit.FAULT


def _reader_gone(error: BaseException) -> bool:
    """Whether stdout's reader went away; Rich and Typer both make an exit with code 1 of that."""
    cause = error.__context__ if isinstance(error, SystemExit) else error
    return isinstance(cause, OSError) and cause.errno == errno.EPIPE


def _full_disk(error: BaseException) -> str | None:
    """What to say where a disk is full, which is no fault of ours."""
    if not isinstance(error, OSError) or error.errno not in FULL:
        return None
    if not isinstance(error.filename, str | bytes):
        return f"no room is left on a disk ({error.strerror})"
    where = Path(os.fsdecode(error.filename))
    told = f"{where} cannot be written ({error.strerror})"
    # Elsewhere lies what was asked for by its name, and no other folder would do for that.
    if where.resolve().is_relative_to(Path(tempfile.gettempdir()).resolve()):
        told += "; TMPDIR names another folder for working files"
    return told


def _tell_if_heard(code: str, message: str, *, as_json: bool) -> None:
    """Tell it, where stdout and stderr still take it: they may be what is full, or gone.

    An error from them would end with Python's own codes, of which 1 means refuted here.
    """
    with suppress(OSError):
        _tell(code, message, as_json=as_json)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _run(arguments: list[str], as_json: bool) -> int:
    import typer  # noqa: PLC0415  inside main, so that a broken installation does not end with 1

    from fairdeal.errors import FairdealError  # noqa: PLC0415
    from fairdeal_cli.commands import app  # noqa: PLC0415
    from fairdeal_cli.output import survive_narrow_encodings  # noqa: PLC0415

    survive_narrow_encodings()
    try:
        ended = app(arguments, prog_name="fairdeal", standalone_mode=False)
        sys.stdout.flush()
    except typer.TyperException as error:
        if not error.format_message():
            # Called without a command: its help is shown already.
            return Exit.USAGE
        _usage(error)
        _tell("usage", safe_message(error.format_message()), as_json=as_json)
        return Exit.USAGE
    except typer.Abort:
        return 130
    except SourceError as error:
        _tell(error.code, safe_message(str(error)), as_json=as_json)
        return Exit.UNREADABLE
    except FairdealError as error:
        _tell(error.code, safe_message(str(error)), as_json=as_json)
        return Exit.USAGE
    return ended if isinstance(ended, int) else Exit.FINE


def _usage(error: Exception) -> None:
    context = getattr(error, "ctx", None)
    if context is not None:
        sys.stderr.write(f"{context.get_usage()}\nTry '{context.command_path} --help' for help.\n\n")


def _tell(code: str, message: str, *, as_json: bool) -> None:
    from fairdeal_cli.output import plain, print_json, say  # noqa: PLC0415

    say(f"Error: {message}", style="bold red")
    if as_json:
        print_json({"error": {"code": code, "message": plain(message)}})

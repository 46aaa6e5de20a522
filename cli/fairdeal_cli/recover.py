"""``fairdeal log recover``, and ``fairdeal log check`` on a service's own log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fairdeal.audit.findings import plural
from fairdeal_cli import output
from fairdeal_cli.failures import SourceError
from fairdeal_cli.keys import AsJson, opened
from fairdeal_cli.serve import DataOption

if TYPE_CHECKING:
    from fairdeal_api.settings import Settings

EXAMPLES = """[bold]Examples[/bold]

After a backup was restored, while the service is stopped:
  fairdeal log recover mirror/"""


def recover(
    folder: Annotated[Path, typer.Argument(metavar="MIRROR", help="A folder made by `fairdeal log mirror`.")],
    data: DataOption = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Bring a restored backup up to what was signed, from a mirror; or say what is missing.

    Seeds of hands committed after the backup are gone: those hands end as lost, and the log says so.
    """
    from fairdeal_api import recovery  # noqa: PLC0415  only these commands need the service

    with _told(data) as settings:
        done = recovery.recover(settings, folder)
    if as_json:
        output.print_json({"before": done.before, "size": done.size, "lost": done.lost})
        return
    new = plural(done.size - done.before, "entry", "entries")
    output.say(f"{new} put in; the log has {done.size:,}, all as signed.")
    if done.lost:
        hands = plural(done.lost, "open hand")
        output.say(f"{hands} without a seed any more: to end as lost.", style="bold red")


def check_store(data: Path | None, *, as_json: bool) -> None:
    """Hash every stored entry again, and compare all tiles, the head and the marks; the service may run."""
    from fairdeal_api.starting import inspect_store  # noqa: PLC0415

    with _told(data) as settings:
        head = inspect_store(settings)
    if as_json:
        output.print_json({"origin": head.origin, "size": head.size})
        return
    output.results().print(
        f"{output.plain(head.origin)}: {plural(head.size, 'stored entry', 'stored entries')}, all as signed."
    )


@contextmanager
def _told(data: Path | None) -> Iterator[Settings]:
    from fairdeal_api.check import ForkError  # noqa: PLC0415
    from fairdeal_api.marks import MarkError  # noqa: PLC0415
    from fairdeal_api.mirror import MirrorError  # noqa: PLC0415
    from fairdeal_api.recovery import RecoveryError  # noqa: PLC0415
    from fairdeal_api.replay import ReplayError  # noqa: PLC0415

    try:
        with opened(data) as settings:
            yield settings
    except (ForkError, MarkError, MirrorError, RecoveryError, ReplayError) as error:
        raise SourceError("unreadable", str(error)) from None

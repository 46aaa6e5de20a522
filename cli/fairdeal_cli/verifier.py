"""``fairdeal verifier``: the verifier page as one file, for a disk without a network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairdeal_cli import output
from fairdeal_cli.files import whole

EXAMPLES = """[bold]Examples[/bold]

Write it, and open it in a browser:
  fairdeal verifier fairdeal-verifier.html

Print its SHA-256 too, to compare with one from elsewhere:
  fairdeal verifier fairdeal-verifier.html && sha256sum fairdeal-verifier.html"""


def verifier(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.html", help="Where to write it; - for standard output.")
    ],
) -> None:
    """Write the offline verifier: one HTML file that uses no network."""
    from fairdeal_api.offline import offline_page  # noqa: PLC0415  only this command needs it

    page = offline_page().encode()
    if str(file) == "-":
        typer.echo(page, nl=False)
        return
    with whole(file) as draft:
        draft.write_bytes(page)
    output.say(f"Wrote {file} ({len(page) // 1000} kB). Open it in any browser; it uses no network.")

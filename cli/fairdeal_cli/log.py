"""``fairdeal log``: copy a transparency log, and work the copy out again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from fairdeal.audit.findings import plural
from fairdeal.audit.log.source import SignedHead
from fairdeal.audit.log.source import SourceError as AuditSourceError
from fairdeal.audit.mirror.check import CheckOutcome
from fairdeal.audit.mirror.check import check as check_folder
from fairdeal.audit.mirror.copying import MirrorOutcome, mirror
from fairdeal.audit.mirror.folder import MirrorFolder
from fairdeal.errors import EvidenceError, MalformedError
from fairdeal.note import Verifier, open_note
from fairdeal_cli import options, output
from fairdeal_cli.auditview import Progress
from fairdeal_cli.failures import Exit, SourceError
from fairdeal_cli.logfetch import LogFetch
from fairdeal_cli.recover import check_store
from fairdeal_cli.serve import DataOption
from fairdeal_cli.usage import Command, Group

EXAMPLES = """[bold]Examples[/bold]

Copy a log and keep the copy up to date (run it again whenever you like):
  fairdeal log mirror https://okey.example mirror/ --key @log.vkey

Work everything in it out again, without any network:
  fairdeal log check mirror/

The same of a service's own store, while it runs:
  fairdeal log check --data data/"""

app = typer.Typer(cls=Group, no_args_is_help=True, rich_markup_mode="rich")

_ENTRY = ("entry", "entries")

_Key = Annotated[
    list[str] | None,
    typer.Option(metavar="VKEY|@FILE", help="The log's verifier key, known from elsewhere. May repeat."),
]
_Json = Annotated[bool, typer.Option("--json", metavar="", help="Print one JSON document.")]


@app.command(name="mirror", epilog=EXAMPLES, cls=Command)
def mirror_command(
    url: Annotated[str, typer.Argument(metavar="URL", help="Where the log's /checkpoint and /tile/ are.")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The mirror: made if need be, else resumed.")],
    key: _Key = None,
    as_json: _Json = False,
) -> None:
    """Copy a log in the tlog-tiles layout, verifying all of it; nothing is kept that does not hold.

    Exit codes: 0 up to date, 1 the log contradicts itself, 4 it cannot be reached or a file here is damaged.
    """
    kept = MirrorFolder(folder)
    try:
        with LogFetch(url) as fetch, Progress(output.talk()) as progress:
            keys = _keys(kept, key or (), fetch)
            outcome = mirror(fetch, kept, keys, progress.bar("Mirroring", "entries"))
            _pin(kept, keys, outcome)
    except AuditSourceError as error:
        raise SourceError(error.code, str(error)) from None
    if as_json:
        output.print_json(_mirrored(outcome))
    else:
        _show(outcome)
    raise typer.Exit(Exit.REFUTED if outcome.findings else Exit.FINE)


@app.command(name="check", epilog=EXAMPLES, cls=Command)
def check_command(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="DIR", help="A mirror made by `fairdeal log mirror`.", show_default=False),
    ] = None,
    data: DataOption = None,
    key: _Key = None,
    as_json: _Json = False,
) -> None:
    """Work out every tile and the head of a log from its entries: of a mirror, or of a service's own store.

    Without DIR it is the store, which is held against its marks, too; its service may run.
    Exit codes: 0 all of it holds, 3 no key to check the signature with, 4 something is damaged or missing.
    """
    if folder is None:
        if key:
            raise options.refused("--key", "a store is checked with its own keys; --key is for a mirror")
        check_store(data, as_json=as_json)
        return
    if data is not None:
        raise options.refused("--data", "give a mirror's DIR or a store's --data, not both")
    kept = MirrorFolder(folder)
    try:
        keys = options.keys_from(key or ()) or _pinned(kept)
        with Progress(output.talk()) as progress:
            outcome = check_folder(kept, keys, progress.bar("Checking", "entries"))
    except AuditSourceError as error:
        raise SourceError(error.code, str(error)) from None
    if as_json:
        output.print_json(_checked(outcome))
    else:
        _show_check(outcome)
    code = Exit.UNREADABLE if outcome.damage else Exit.FINE if outcome.signed else Exit.SHORT
    raise typer.Exit(code)


def _pinned(kept: MirrorFolder) -> list[Verifier]:
    """The keys that the mirror was kept under up to now; none before its first run."""
    found = kept.keys()
    try:
        own = [Verifier.parse(text) for text in found or ()]
    except MalformedError:
        own = []
    if found is not None and not own:
        raise SourceError("damaged", f"{kept.folder / 'key'}: this file is damaged, it holds no key")
    return own


def _pin(kept: MirrorFolder, keys: list[Verifier], outcome: MirrorOutcome) -> None:
    """Keep the keys, known before or given now, that sign the log's newest checkpoint or the mirror's own.

    So a mirror follows a change of keys that it was told of: both while both sign, then the new one alone.
    """
    if outcome.findings:
        return
    heads = [head for head in (kept.head(), outcome.head) if head is not None]
    known = {key.text(): key for key in (*_pinned(kept), *keys)}
    signing = [text for text, key in known.items() if any(_signs(key, head) for head in heads)]
    if signing and signing != kept.keys():
        kept.pin(signing)


def _signs(key: Verifier, head: SignedHead) -> bool:
    try:
        open_note(head.note, [key])
    except EvidenceError:
        return False
    return True


def _keys(kept: MirrorFolder, given: list[str] | tuple[()], fetch: LogFetch) -> list[Verifier]:
    keys, own = options.keys_from(given), _pinned(kept)
    if own:
        if keys and not any(key in keys for key in own):
            raise options.refused("--key", "the mirror in this folder is kept under another key")
        return keys or own
    if keys:
        return keys
    offered = fetch("log/key")
    try:
        key = Verifier.parse((offered or b"").decode("utf-8", "replace").strip())
    except MalformedError:
        raise options.refused("--key", "this log does not offer its key: give it") from None
    output.say(f"Note: no --key was given; trusting the key that the log itself offers: {key.text()}")
    return [key]


def _mirrored(outcome: MirrorOutcome) -> dict[str, object]:
    return {
        "origin": outcome.head.head.origin if outcome.head else None,
        "before": outcome.before,
        "size": outcome.size,
        "older": outcome.older,
        "findings": [finding.as_json() for finding in outcome.findings],
        "evidence": [str(path) for path in outcome.evidence],
        "repaired": outcome.repaired,
    }


def _show(outcome: MirrorOutcome) -> None:
    for repaired in outcome.repaired:
        output.say(f"Note: {repaired} was left damaged by a run that was cut short; fetched again.")
    for finding in outcome.findings:
        output.say(f"{finding.code}: {finding.detail}", style="bold red")
        if finding.expected:
            output.say(f"  expected {finding.expected}")
            output.say(f"  found    {finding.found}")
    for path in outcome.evidence:
        output.say(f"  evidence kept in {path}")
    name = output.plain(outcome.head.head.origin) if outcome.head else "nothing"
    console = output.results()
    if outcome.findings:
        console.print(f"The mirror stays at {plural(outcome.size, *_ENTRY)}.")
    elif outcome.older:
        console.print(
            f"{name}: the log answered an older checkpoint; the mirror has {plural(outcome.size, *_ENTRY)}."
        )
    else:
        new = outcome.size - outcome.before
        console.print(f"{name}: {plural(outcome.size, *_ENTRY)}, {new:,} of them new, all verified.")


def _checked(outcome: CheckOutcome) -> dict[str, object]:
    return {
        "origin": outcome.head.head.origin,
        "size": outcome.head.head.size,
        "tiles": outcome.tiles,
        "signed": outcome.signed,
        "damage": [{"path": item.path, "what": item.what} for item in outcome.damage],
    }


def _show_check(outcome: CheckOutcome) -> None:
    head = outcome.head.head
    for item in outcome.damage:
        output.say(f"damaged: {item.path}: {item.what}", style="bold red")
    console = output.results()
    if outcome.damage:
        files = plural(len(outcome.damage), "file is", "files are")
        console.print(f"{files} damaged on this machine; that says nothing about the log.")
        return
    console.print(
        f"{output.plain(head.origin)}: {plural(head.size, *_ENTRY)} in {plural(outcome.tiles, 'tile')}, "
        "all as signed."
    )
    if not outcome.signed:
        output.say("The signature was not checked: there is no key. Give --key.")

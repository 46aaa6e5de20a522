"""A report on one hand, written for people: the verdict first, then what it rests on, then the table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from rich.console import Console, Group
from rich.padding import Padding
from rich.panel import Panel
from rich.style import Style
from rich.table import Table
from rich.text import Text

from fairdeal.audit.findings import plural
from fairdeal.checks import Check
from fairdeal.entries import Commit, Lock, Reveal
from fairdeal.errors import MalformedError
from fairdeal.evidence import Evidence, first, gather
from fairdeal.receipt import Receipt, parse_document_text
from fairdeal.seeds import seal
from fairdeal.seen import Seen, SeenCommitment, compare
from fairdeal.verify import Report
from fairdeal_cli import words
from fairdeal_cli.drawing.shown import differences, readable
from fairdeal_cli.drawing.table import describe, draw
from fairdeal_cli.output import plain

_WIDEST = 100
_ON = {"green": "black", "cyan": "black", "yellow": "black", "red": "bright_white"}
_COLOURS = {"verified": "green", "consistent": "cyan", "incomplete": "yellow", "refuted": "red"}
_MARKS = {
    "pass": ("✓", "ok", "green"),
    "fail": ("✗", "NO", "bold red"),
    "absent": ("?", "?", "yellow"),
    "none": ("–", "-", "dim"),
}


def show(console: Console, report: Report, text: bytes, seen: Sequence[Seen]) -> None:
    """Print the whole report; ``text`` is the document that it is about."""
    evidence = _evidence(text)
    narrow = console.options.update(width=min(console.width, _WIDEST))
    parts: list[object] = [_verdict(report, evidence)]
    if evidence is not None:
        parts += [_about(evidence)]
    parts += [_heading("Checks"), _checks(console, report.checks, kept=bool(seen)), Text("")]
    if evidence is not None:
        parts += list(_reasons(console, report, evidence, seen))
    for part in parts:
        console.print(part, width=narrow.max_width)
    if evidence is not None:
        _table(console, evidence)


def _evidence(text: bytes) -> Evidence | None:
    try:
        return gather(parse_document_text(text))
    except MalformedError:
        return None


def _verdict(report: Report, evidence: Evidence | None) -> Panel:
    colour = _COLOURS[report.verdict]
    lines: list[Text] = [Text(words.sentence(report, evidence))]
    if report.cause is not None and evidence is not None:
        lines.append(
            Text.assemble(("Cause: ", "bold"), words.CAUSES[report.cause], (f"  [{report.cause}]", "dim"))
        )
    title = Text(f" {report.verdict.upper()} ", style=Style(bold=True, color=_ON[colour], bgcolor=colour))
    return Panel(Group(*lines), title=title, title_align="left", border_style=colour, padding=(0, 1))


def _about(evidence: Evidence) -> Padding:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    if evidence.stated is not None:
        grid.add_row("Hand", evidence.stated.hand.hex())
        grid.add_row("Terms", describe(evidence.stated.terms))
    document = evidence.document
    if isinstance(document, Receipt):
        grid.add_row(
            "Log", plain(f"{document.head.origin}, {plural(document.head.size, 'entry', 'entries')}")
        )
        for label, said in _life(document):
            grid.add_row(label, said)
    else:
        grid.add_row("Source", "a record from a game server's own history")
    return Padding(grid, (0, 0, 1, 1), expand=False)


def _life(receipt: Receipt) -> Iterator[tuple[str, str]]:
    commit, lock = first(receipt.entries, Commit), first(receipt.entries, Lock)
    reveal = first(receipt.entries, Reveal)
    if commit:
        yield "Table", f"{commit.table}, hand number {commit.number}, operator {commit.operator}"
        seats = ", ".join(str(s.seat) for s in commit.seals)
        sealed = f"{plural(len(commit.seals), 'client seed')} sealed by seat {seats}"
        sealed = sealed if seats else "no client seeds sealed"
        yield "Committed", f"{moment(commit.at)}, {sealed}"
    if lock:
        yield "Locked", moment(lock.at)
    if reveal:
        how = f"{reveal.outcome} ({reveal.reason})" if reveal.reason else reveal.outcome
        yield "Ended", f"{moment(reveal.at)}, {how}"


def moment(at: int) -> str:
    """Milliseconds since the Unix epoch as UTC to the second."""
    try:
        return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (ValueError, OverflowError, OSError):
        return f"{at} ms after the Unix epoch"


def _heading(text: str) -> Text:
    return Text(text, style="bold")


_KEPT = {
    "pass": "all that could be compared with what you kept agrees (listed below)",
    "fail": "something that you kept disagrees (listed below)",
    "absent": "no commitment kept from before the hand was among what you gave (listed below)",
}


def _checks(console: Console, checks: Sequence[Check], *, kept: bool) -> Group:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    legend = Text(" ")
    for result, meaning in words.LEGEND:
        legend.append_text(_mark(console, result)).append(f" {meaning}   ", style="dim")
    for check in checks:
        style = "dim" if check.result == "none" else ""
        grid.add_row(
            Text.assemble(" ", _mark(console, check.result)),
            Text(check.name, style=style or "bold"),
            Text(_KEPT[check.result] if kept and check.name == "seen" else plain(check.detail), style=style),
        )
    return Group(grid, legend)


def _mark(console: Console, result: str) -> Text:
    shape, letters, style = _MARKS[result]
    return Text(letters if console.options.ascii_only else shape, style=style)


def _reasons(console: Console, report: Report, evidence: Evidence, seen: Sequence[Seen]) -> Iterator[object]:
    yield _heading("Who could have chosen this deal by trying seeds?")
    said = words.grinding(report, evidence)
    yield Padding(Text(said), (0, 0, 0, 1), expand=False)
    if report.grinding is not None:
        yield Padding(Text(words.STOPPING, style="dim"), (0, 0, 0, 1), expand=False)
    yield Text("")
    yield _heading("What vouches for the log?")
    yield Padding(Text(words.LOG_EVIDENCE[report.log_evidence]), (0, 0, 1, 1), expand=False)
    if seen:
        yield _heading("Compared with what you kept")
        yield _kept(console, evidence, seen)
        yield Text("")


def _kept(console: Console, evidence: Evidence, seen: Sequence[Seen]) -> Table:
    found = compare(seen, evidence)
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    groups = (
        ("pass", "", found.agreed),
        ("fail", "", found.disagreed),
        ("none", "set aside: ", found.set_aside),
        ("absent", "not compared: ", found.not_compared),
    )
    for result, label, items in groups:
        for item in items:
            grid.add_row(Text.assemble(" ", _mark(console, result)), Text(plain(label + item)))
    for seat in _mistaken(evidence, seen):
        said = f"What you gave as a commitment is seat {seat}'s client seed: give it as seed:{seat}=…"
        grid.add_row("", said)
    return grid


def _mistaken(evidence: Evidence, seen: Sequence[Seen]) -> Iterator[int]:
    """Seats whose client seed was given where a commitment belongs, which is easily done: both are hex."""
    given = {seal(item.commitment) for item in seen if isinstance(item, SeenCommitment)}
    for sealed in evidence.stated.seals if evidence.stated else ():
        if sealed.seal in given:
            yield sealed.seat


def _table(console: Console, evidence: Evidence) -> None:
    if evidence.stated is None:
        return
    terms = evidence.stated.terms
    if evidence.truth is not None:
        same = evidence.deal == evidence.true_document
        title = "The deal" if same or evidence.deal is None else "The deal that the seeds give"
        console.print(_heading(title))
        draw(console, terms, evidence.truth)
        if evidence.deal is not None and not same:
            console.print()
            console.print(_heading("Where the deal shown differs from it"))
            for line in differences(console, evidence.deal, evidence.truth):
                console.print(line, soft_wrap=True)
        return
    if evidence.deal is not None:
        dealt = readable(evidence.deal, terms)
        console.print(_heading("The deal as shown; the seeds that would give it are not here"))
        if dealt is None:
            console.print(Text(" It has not the parts that these terms ask for, and is not drawn."))
        else:
            draw(console, terms, dealt)

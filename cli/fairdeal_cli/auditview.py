"""An audit's outcome on one screen, and how far a running one has come."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.progress import BarColumn, ProgressColumn, TaskProgressColumn, TextColumn
from rich.progress import Progress as Bars
from rich.progress import Task as Bar
from rich.style import Style
from rich.table import Table
from rich.text import Text

from fairdeal.audit.compiling import on_compiling
from fairdeal.audit.findings import plural
from fairdeal.audit.report.summary import AuditSummary, share
from fairdeal_cli.output import plain

_WIDEST = 100
_COLOURS = {"verified": "green", "consistent": "cyan", "incomplete": "yellow", "refuted": "red"}
_KINDS = 6
_OPERATORS = 4
_SENTENCES = 4


def show_audit(console: Console, summary: AuditSummary) -> None:
    """Print the summary: the verdict first, then what was found, what it rests on, what cannot be cleared."""
    width = min(console.width, _WIDEST)
    for part in _parts(summary):
        console.print(part, width=width)


def _parts(summary: AuditSummary) -> Iterator[RenderableType]:
    yield _verdict(summary)
    yield _indented(_figures(summary))
    if summary.kinds:
        yield _indented(_findings(summary))
    yield from _sentences("Rests on", summary.rests_on)
    yield from _sentences("Not shown", summary.not_shown)
    yield _indented(_statistics(summary))
    for operator, voids in sorted(summary.voids.items()):
        if voids.alarm:
            yield _indented(
                Text(f"Unplayed hands{f' of {plain(operator)}' if operator else ''}: {voids.text}")
            )
    if summary.uncleared:
        yield _indented(_uncleared(summary))


def _indented(part: RenderableType) -> Padding:
    return Padding(part, (0, 1))


def _verdict(summary: AuditSummary) -> Panel:
    calm = summary.verdict in ("verified", "consistent")
    colour = "yellow" if calm and summary.alarms else _COLOURS[summary.verdict]
    title = Text(f" {summary.verdict.upper()} ", style=Style(bold=True, reverse=True, color=colour))
    lines = Group(Text(f"{summary.headline}.", style="bold"), Text(summary.meaning))
    return Panel(lines, title=title, title_align="left", border_style=colour, padding=(0, 1))


def _figures(summary: AuditSummary) -> Text:
    parts = [plural(summary.hands, "hand")]
    if summary.counts:
        all_hands = summary.total
        ended = all_hands.ended
        parts += [
            f"{all_hands.played:,} played",
            f"{all_hands.voids:,} void ({share(all_hands.voids, ended)})",
            f"{all_hands.expired:,} expired",
            *([f"{all_hands.lost:,} lost"] if all_hands.lost else []),
            *([f"{all_hands.open:,} open"] if all_hands.open else []),
            *([f"{all_hands.unshown:,} whose end is not shown"] if all_hands.unshown else []),
            *([f"{all_hands.late:,} revealed late"] if all_hands.late else []),
        ]
    if summary.seconds:
        parts.append(f"{summary.seconds:.1f} s ({plural(round(summary.hands / summary.seconds), 'hand')}/s)")
    return Text(" · ".join(parts))


def _findings(summary: AuditSummary) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(justify="right", style="bold red", no_wrap=True)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for kind in summary.kinds[:_KINDS]:
        first = kind.shown[0] if kind.shown else None
        at = next(
            (
                f"; first: {label} {plain(str(value))}"
                for label, value in (
                    ("hand", first and first.hand),
                    ("entry", first and first.index),
                    ("line", first and first.line),
                )
                if value is not None
            ),
            "",
        )
        table.add_row(f"{kind.count:,}", kind.code, kind.meaning + at)
    if len(summary.kinds) > _KINDS:
        rest = summary.kinds[_KINDS:]
        table.add_row(f"{sum(kind.count for kind in rest):,}", "", f"of {plural(len(rest), 'other kind')}")
    return table


def _sentences(label: str, sentences: Sequence[str]) -> Iterator[Padding]:
    if not sentences:
        return
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="dim", no_wrap=True, width=9)
    grid.add_column(overflow="fold")
    for k, sentence in enumerate(sentences[:_SENTENCES]):
        grid.add_row("" if k else label, plain(sentence))
    if len(sentences) > _SENTENCES:
        grid.add_row("", f"and {len(sentences) - _SENTENCES} more")
    yield _indented(grid)


def _statistics(summary: AuditSummary) -> Text:
    statistics = summary.statistics
    if statistics is None:
        return Text(f"Statistics: {plain(summary.statistics_note or 'not asked for')}", style="dim")
    ran = [test for test in statistics.tests if test.ran]
    left = len(statistics.tests) - len(ran)
    few = f", {plural(left, 'needs', 'need')} more hands" if left else ""
    if not statistics.alarms:
        on = plural(statistics.hands, "hand")
        return Text(f"Statistics: no alarm from {plural(len(ran), 'test')} on {on}{few}.")
    names = ", ".join(f"{test.title} (p = {test.p:.2g})" for test in statistics.alarms)
    return Text.assemble(("Statistics: ", ""), (f"alarm: {names}", "bold red"), f"{few}.")


def _uncleared(summary: AuditSummary) -> Text:
    lines = summary.uncleared
    names = ", ".join(
        f"{plain(line.operator) or 'not stated'} {line.counts.operator_alone:,}"
        for line in lines[:_OPERATORS]
    )
    more = f" and {len(lines) - _OPERATORS} more" if len(lines) > _OPERATORS else ""
    count = plural(summary.total.operator_alone, "hand")
    return Text.assemble(
        (f"No statistic can clear {count}", "bold yellow"),
        f" (by operator: {names}{more}): the operator alone could have chosen the deal there.",
    )


def compiling_told(talk: Console) -> AbstractContextManager[None]:
    """Say on ``talk`` why it takes longer, if code has to be compiled first; a bar on it stays whole."""

    def tell(kept: bool) -> None:
        later = "later runs load it" if kept else "it cannot be kept here, so later runs take as long"
        talk.print(
            Text(f"Compiling code for this machine, which takes up to a minute; {later}."), soft_wrap=True
        )

    return on_compiling(tell)


class _Rate(ProgressColumn):
    """How many a second, in the task's own unit."""

    def render(self, task: Bar) -> Text:
        done, seconds = task.completed, task.elapsed or 0.0
        if not seconds or not done:
            return Text("")
        if task.fields["unit"] == "bytes":
            return Text(f"{done / seconds / 1e6:,.1f} MB/s")
        return Text(f"{done / seconds:,.0f} {task.fields['unit']}/s")


class _Left(ProgressColumn):
    """How much longer it takes at the rate so far."""

    def render(self, task: Bar) -> Text:
        done, seconds = task.completed, task.elapsed or 0.0
        if not task.total or not done:
            return Text("")
        left = round(seconds * max(task.total - done, 0) / done)
        minutes, seconds = divmod(left, 60)
        hours, minutes = divmod(minutes, 60)
        words = (
            f"{hours} h {minutes} min"
            if hours
            else f"{minutes} min {seconds} s"
            if minutes
            else f"{seconds} s"
        )
        return Text(f"{words} left")


class Progress:
    """A bar with rate and time left for whatever takes longer than a second; nothing where no one looks.

    A context manager. :meth:`bar` gives a function to be told how much is done, and of how much if known.
    """

    def __init__(self, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        """``console`` is where talk goes; unless it is a terminal nothing is drawn at all."""
        self._bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TaskProgressColumn(),
            _Rate(),
            _Left(),
            console=console,
            transient=True,
            expand=True,
            get_time=clock,
        )
        self._drawn = console.is_terminal
        self._clock = clock
        self._since = clock()
        self._started = False

    def __enter__(self) -> Self:
        self._since = self._clock()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._started:
            self._bars.stop()

    def bar(self, label: str, unit: str) -> Callable[[int, int | None], None]:
        """A new bar; ``unit`` is the plural of what is counted, or ``bytes``. It ends at its total."""
        number = self._bars.add_task(plain(label), total=None, unit=unit)

        def update(done: int, total: int | None = None) -> None:
            self._bars.update(number, completed=done, total=total)
            if self._drawn and not self._started and self._clock() - self._since >= 1:
                self._started = True
                self._bars.start()

        return update

"""How far a long run is: a bar with rate and time left, on a terminal, from the first second on."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from fairdeal_cli import output

PATIENCE = 1.0
"""Seconds that pass before anything is drawn."""

OFTEN = 0.1
"""Seconds between two updates."""


class Bar:
    """Is told how much is done of how much, and draws it on stderr if that is a terminal.

    ``unit`` names what is counted, such as ``entries``.
    """

    def __init__(self, what: str, unit: str) -> None:
        self._what = what
        self._unit = unit
        self._started = self._drawn = time.monotonic()
        self._progress: Progress | None = None
        self._task = TaskID(0)
        self._shown = sys.stderr.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress:
            self._progress.stop()

    def __call__(self, done: int, total: int | None) -> None:
        """So much is done; ``total`` is ``None`` where nobody knows."""
        now = time.monotonic()
        finished = total is not None and done >= total
        if not self._shown or now - self._started < PATIENCE or (now - self._drawn < OFTEN and not finished):
            return
        self._drawn = now
        if self._progress is None:
            self._progress = self._begin(total)
        rate = done / (now - self._started)
        self._progress.update(
            self._task, completed=done, total=total, rate=f"{rate:,.0f} {self._unit}/s", refresh=True
        )

    def _begin(self, total: int | None) -> Progress:
        progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=output.talk(),
            transient=True,
            auto_refresh=False,
        )
        self._task = progress.add_task(self._what, total=total, rate="")
        progress.start()
        return progress

from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from fairdeal_cli.auditview import Progress, show_audit
from rich.console import Console

from fairdeal.audit.report import AuditSummary
from tests.audit.orders import naive
from tests.audit.summaries import summary


def _shown(what: AuditSummary, width: int = 80, *, terminal: bool = False) -> str:
    out = io.StringIO()
    show_audit(Console(file=out, width=width, force_terminal=terminal, markup=False, highlight=False), what)
    return out.getvalue()


@pytest.fixture(scope="module")
def everything() -> AuditSummary:
    return summary()


@pytest.mark.parametrize("width", [60, 80, 200])
def test_the_summary_fits_a_screen(everything: AuditSummary, width: int) -> None:
    text = _shown(everything, width)
    lines = text.splitlines()
    assert len(lines) <= (32 if width < 80 else 24)
    assert max(map(len, lines)) <= min(width, 100)
    assert "REFUTED" in lines[0]
    joined = " ".join(text.split())
    assert "10 violations of 2 kinds in 2,000 hands." in joined
    assert "9 revealed-late" in joined
    assert "No statistic can clear 392 hands (by operator: op-b 380, not stated 12)" in joined


def test_colour_only_on_a_terminal(everything: AuditSummary) -> None:
    assert "\x1b[" not in _shown(everything)
    assert "\x1b[" in _shown(everything, terminal=True)


def test_text_from_a_log_cannot_steer_the_terminal() -> None:
    hostile = _shown(summary(lambda words: words + "\x1b[2J\u202e[bold]"))
    assert "\x1b" not in hostile
    assert "\u202e" not in hostile
    assert "[bold]" in hostile


def test_an_alarm_is_named_and_a_bare_summary_is_short(everything: AuditSummary) -> None:
    biased = replace(summary(draw=naive, last=0), findings={}, sample=(), verdict="verified", seconds=None)
    text = " ".join(_shown(biased).split())
    assert re.search("No violation in 2,000 hands, but . statistical tests? raised an alarm", text)
    assert "Statistics: alarm: Tiles by position (p = " in text
    assert "Unplayed hands of op-b: What the seats would have held" in text
    bare = AuditSummary(
        verdict="incomplete", sources=(), hands=2, incomplete=2, statistics_note="too few [hands]"
    )
    assert "Statistics: too few [hands]" in _shown(bare)
    assert len(_shown(bare).splitlines()) <= 8
    assert "2.0 s (1 hand/s)" in _shown(replace(bare, seconds=2.0))
    quiet = _shown(replace(everything, findings={}, sample=(), verdict="consistent", hands=2))
    assert "no alarm from 15 tests" in quiet


def test_long_lists_are_cut_short_and_counted(everything: AuditSummary) -> None:
    one = next(iter(everything.counts.values()))
    codes = ("lost", "overdue", "forked", "shrunk", "bad-line", "no-commit", "lock-late", "after-end")
    many = replace(
        everything,
        findings={code: 9 - k for k, code in enumerate(codes)},
        sample=(),
        rests_on=[f"reason {k}" for k in range(6)],
        counts={(f"op-{k}", "t"): replace(one, operator_alone=5) for k in range(6)},
    )
    text = " ".join(_shown(many).split())
    assert "5 of 2 other kinds" in text
    assert "and 2 more" in text
    assert "op-3 5 and 2 more)" in text


class _Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def _progress(terminal: bool, unit: str, seconds: float, done: int, total: int | None) -> str:
    out, clock = io.StringIO(), _Clock()
    console = Console(file=out, width=100, force_terminal=terminal)
    with Progress(console, clock) as progress:
        update = progress.bar("log", unit)
        update(0, total)
        clock.now += seconds
        update(done, total)
        update(done, total)
    return out.getvalue()


@pytest.mark.parametrize(
    ("seconds", "done", "words"),
    [(2, 50, "38 s left"), (4, 10, "6 min 36 s left"), (40, 10, "1 h 6 min left")],
)
def test_what_takes_longer_than_a_second_shows_rate_and_time_left(
    seconds: int, done: int, words: str
) -> None:
    text = _progress(True, "entries", seconds, done, 1000)
    assert words in text
    assert f"{done / seconds:,.0f} entries/s" in text


def test_bytes_come_in_megabytes_and_an_unknown_total_has_no_time_left() -> None:
    text = _progress(True, "bytes", 2, 5_000_000, None)
    assert "2.5 MB/s" in text
    assert "left" not in text


def test_short_work_and_a_file_show_no_bar() -> None:
    assert _progress(True, "entries", 0.5, 10, 1000) == ""
    assert _progress(False, "entries", 50, 10, 1000) == ""

from __future__ import annotations

import pickle
import random
from dataclasses import replace

import pytest

from fairdeal.audit.counts import Counts
from fairdeal.audit.findings import plural
from fairdeal.audit.report import AuditSummary, Timeline
from fairdeal.audit.report.summary import share, size_words
from fairdeal.audit.report.timeline import BUCKETS, utc

MINUTE = 60_000
DAY = 1440 * MINUTE


def test_a_timeline_widens_its_buckets_with_the_span() -> None:
    timeline = Timeline()
    assert list(timeline.span) == []
    timeline.add("played", [5 * MINUTE + 1, 6 * MINUTE])
    assert (timeline.width_words, timeline.values("played")) == ("one minute", [1, 1])
    timeline.add("void", [300 * DAY])
    assert timeline.width_words == "one week"
    assert sum(timeline.values("played")) == 2
    assert timeline.values("void")[-1] == 1
    assert timeline.label(timeline.span[-1]) == "1970-10-22"


def test_parts_of_a_timeline_merge_into_the_whole_in_any_order() -> None:
    rng = random.Random(1)
    times = [rng.randrange(100 * DAY, 160 * DAY) for _ in range(400)] + [99 * DAY]
    whole = Timeline()
    whole.add("played", times)
    whole.add("late", times[:7])
    for cut in (1, 200, 399):
        first, second = Timeline(), Timeline()
        first.add("played", times[cut:])
        second.add("played", times[:cut])
        second.add("late", times[:7])
        kept = pickle.dumps(second)
        first.merge(second)
        assert first == whole
        assert pickle.loads(kept) == second  # noqa: S301  # what was merged in is left as it was


@pytest.mark.parametrize("times", [[0, 2**53 - 1], [2**53 - 1], [0]])
def test_times_beyond_any_calendar_do_no_harm(times: list[int]) -> None:
    timeline = Timeline()
    timeline.add("played", times)
    assert len(timeline.span) <= BUCKETS
    assert all(timeline.label(bucket) for bucket in timeline.span)
    assert utc(2**53 - 1) == "9007199254740991 ms"
    assert utc(0) == "1970-01-01 00:00"


def test_headlines_say_what_was_found() -> None:
    clean = AuditSummary(verdict="verified", sources=(), hands=1)
    assert clean.headline == "No violation in 1 hand"
    assert replace(clean, hands=0).headline == "There was no hand to audit"
    assert replace(clean, hands=9, incomplete=3).headline == (
        "No violation in 9 hands, but 3 hands could not be checked in full"
    )
    both = replace(clean, hands=9, incomplete=3, findings={"alarm": 1})
    assert both.headline == (
        "No violation in 9 hands, but 1 statistical test raised an alarm "
        "and 3 hands could not be checked in full"
    )
    wrong = replace(both, verdict="refuted", findings={"alarm": 1, "lost": 1, "overdue": 0})
    assert wrong.headline == "1 violation of 1 kind in 9 hands"
    assert [kind.code for kind in wrong.kinds] == ["alarm", "lost"]
    assert "does not hold" in wrong.meaning


def test_the_sentence_of_a_verdict_claims_no_more_than_was_given() -> None:
    one = AuditSummary(verdict="verified", sources=(), hands=1, kept=1)
    assert "each hand is the one that a player saw committed before it" in one.meaning
    assert "not stand behind every hand" in replace(one, verdict="consistent").meaning
    assert "Nothing was given that players kept" in replace(one, verdict="consistent", kept=0).meaning


def test_operators_are_added_up_and_those_that_chose_alone_come_out() -> None:
    summary = AuditSummary(
        verdict="consistent",
        sources=(),
        hands=30,
        counts={
            ("b", "1"): Counts(hands=10, operator_alone=2),
            ("b", "2"): Counts(hands=10, operator_alone=2),
            ("a", "1"): Counts(hands=10, operator_alone=9),
            ("c", "1"): Counts(hands=10),
        },
    )
    assert [(line.operator, line.tables, line.counts.hands) for line in summary.operators] == [
        ("a", 1, 10),
        ("b", 2, 20),
        ("c", 1, 10),
    ]
    assert [line.operator for line in summary.uncleared] == ["a", "b"]
    assert summary.total.operator_alone == 13


def test_counts_shares_and_sizes_in_words() -> None:
    assert [plural(n, "hand") for n in (0, 1, 12_345)] == ["0 hands", "1 hand", "12,345 hands"]
    shares = [share(*pair) for pair in ((1, 0), (0, 5), (1, 100_000), (1, 40), (9, 10))]
    assert shares == ["–", "0 %", "< 0.01 %", "2.50 %", "90 %"]
    assert [size_words(n) for n in (999, 1500, 31_234_567, 5_000_000_000_000)] == [
        "999 bytes",
        "1.5 kB",
        "31.2 MB",
        "5,000.0 GB",
    ]

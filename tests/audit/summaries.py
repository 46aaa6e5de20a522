"""Audit summaries to draw reports of, with or without text that tries to break out of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from fairdeal.audit.counts import Counts
from fairdeal.audit.findings import Finding
from fairdeal.audit.report import AuditSummary, Source, Timeline
from fairdeal.audit.stats import Battery, SeatCounts, compare_voids
from tests.audit.orders import Draw, at_the_wall, fair, honest, shuffled

DAY = 86_400_000
START = 1_764_000_000_000

Words = Callable[[str], str]


def plain(text: str) -> str:
    return text


def summary(words: Words = plain, hands: int = 2000, draw: Draw = fair, last: int = 1) -> AuditSummary:
    """A summary of everything that a report can show; ``words`` makes its texts."""
    rng = np.random.default_rng(31)
    battery, played, voided = Battery(), SeatCounts(), SeatCounts()
    battery.update(at_the_wall(rng, shuffled(rng, hands, draw, last)))
    played.update(at_the_wall(rng, honest(rng, 400)))
    voided.update(at_the_wall(rng, honest(rng, 60)))
    voids = compare_voids(played, voided)
    timeline = Timeline()
    for kind, count in (("played", 500), ("void", 40), ("expired", 9), ("lost", 1), ("late", 5)):
        timeline.add(kind, [START + int(at) for at in rng.integers(0, 20 * DAY, count)])
    findings = [
        *[_finding(words, "revealed-late", k) for k in range(9)],
        _finding(words, "number-gap", 77),
        Finding("alarm", words("a test")),
    ]
    return AuditSummary(
        verdict="refuted",
        sources=(
            Source(words("https://log.example/"), words("live log"), words("origin log.example")),
            Source(words("a.jsonl"), "JSON Lines", size=31_234_567, sha256="ab" * 32),
        ),
        hands=hands,
        counts={
            (words("op-a"), words("t1")): Counts(
                hands=1200, played=1190, void_before_lock=4, void_after_lock=6
            ),
            (words("op-a"), words("t2")): Counts(
                hands=400, played=390, expired_before_lock=8, open=2, late=3
            ),
            (words("op-b"), words("t1")): Counts(hands=400, played=399, lost=1, operator_alone=380),
            ("", ""): Counts(hands=12, played=12, operator_alone=12),
        },
        findings=Counter(finding.code for finding in findings),
        sample=findings,
        rests_on=(words("a key that was given"),),
        not_shown=(words("openings"),),
        timeline=timeline,
        statistics=battery.results(),
        voids={"": voids, words("op-a"): voids, words("op-b"): replace(voids, alarm=True)},
        command=words("fairdeal audit"),
        versions={"fairdeal": "0.1.0", "Python": words("3.11")},
        started=START,
        seconds=1.5,
    )


def _finding(words: Words, code: str, k: int) -> Finding:
    return Finding(
        code,
        words("what is wrong"),
        hand=f"{k:032x}",
        index=k,
        line=k + 1,
        expected=words("one thing"),
        found=words("another"),
        cause=words("tile-twice"),
        source=words("a.jsonl"),
    )

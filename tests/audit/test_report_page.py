from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Request, sync_playwright

from fairdeal.audit.report import AuditSummary, Timeline, render_html
from fairdeal.audit.report.page import amount, percent, probability, visible
from fairdeal.audit.report.pictures import power_of_ten
from fairdeal.audit.stats import Battery
from fairdeal.errors import UsageError
from tests.audit.orders import at_the_wall, honest, naive
from tests.audit.summaries import summary

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</style></svg><iframe src=https://evil.example/>",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:alert(1)//\u202egnp.exe\x00\x1b[31m",
    "&lt;b&gt;",
)


class _Tags(HTMLParser):
    """Elements with the names of their attributes, and every text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.values: list[tuple[str, str]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(sorted(name for name, _ in attrs))))
        self.values += [(name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def _read(page: str) -> _Tags:
    parsed = _Tags()
    parsed.feed(page)
    parsed.close()
    return parsed


@pytest.fixture(scope="module")
def everything() -> AuditSummary:
    return summary()


@pytest.fixture(scope="module")
def page(everything: AuditSummary) -> str:
    return render_html(everything)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert path is not None, "make tools brings a browser"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path)
        yield started
        started.close()


def test_the_verdict_comes_first_and_everything_is_on_the_page(page: str) -> None:
    text = " ".join("".join(_read(page).text).split())
    order = [
        "10 violations of 2 kinds in 2,000 hands",
        "refuted",
        "What no audit of this kind can clear",
        "392 hands",
        "What this rests on",
        "a key that was given",
        "What was not shown",
        "Findings",
        "revealed-late",
        "4 more of this kind are in the list of findings",
        "number-gap",
        "Timeline",
        "Hands over time",
        "Statistics",
        "p-values",
        "Coupon collector",
        "What this many hands would have shown",
        "Tiles by position",
        "What each seat was dealt: Okey, 4 seats",
        "Hands that were ended unplayed",
        "Operators",
        "How to repeat this",
        "fairdeal audit",
        "31.2 MB",
        "ab" * 32,
    ]
    at = text.index("Fairdeal audit report")
    for words in order:
        at = text.index(words, at)


def test_the_same_summary_gives_the_same_page_byte_for_byte(page: str) -> None:
    assert render_html(summary()) == page


def test_nothing_on_the_page_comes_from_outside_it(page: str) -> None:
    parsed = _read(page)
    assert not {tag for tag, _ in parsed.tags} & {"script", "link", "iframe", "object", "embed", "form", "a"}
    for name, value in parsed.values:
        assert not name.startswith("on")
        if name in ("href", "src", "xlink:href"):
            assert value.startswith(("#", "data:image/png;base64,")), value
    assert "url(http" not in page
    assert not re.search(r"@import|@font-face", page)


def test_text_from_a_log_never_becomes_part_of_the_page(page: str) -> None:
    text = " ".join(HOSTILE)
    hostile = _read(render_html(summary(lambda words: words + text)))
    assert hostile.tags == _read(page).tags
    shown = "".join(hostile.text)
    assert shown.count(visible(text)) > 20
    assert "\x1b" not in shown
    assert "\u202e" not in shown


def test_pictures_carry_words_for_those_who_cannot_see_them(page: str) -> None:
    svgs = re.findall(r"<svg ([^>]*)>", page)
    assert len(svgs) == 8  # the sign, time, p-values and seats twice each, the map once
    for attributes in svgs:
        assert 'aria-hidden="true"' in attributes or re.search(
            r'role="img" aria-label="[^"]{40,}"', attributes
        )
    assert page.count("<figcaption>") == 4
    assert "40 void, 9 expired, 1 lost, 5 revealed late" in page


def test_pictures_take_the_pages_colours(page: str) -> None:
    assert "#0a0b" not in page
    for name in set(re.findall(r"var\(--([a-z-]+)\)", page)):
        assert re.search(rf"--{name}:", page), name


def test_an_alarm_alone_is_no_violation() -> None:
    biased = summary(draw=naive, last=0)
    calm = replace(biased, verdict="verified", findings={"alarm": 2}, sample=biased.sample[-1:])
    assert calm.found == 0
    assert calm.headline == "No violation in 2,000 hands, but 3 statistical tests raised an alarm"
    page = render_html(calm)
    assert 'class="verdict warn"' in page
    assert '<span class="tag bad">alarm</span>' in page
    assert "2 tests raised an alarm." in page


def test_a_bare_summary_makes_a_page_too() -> None:
    bare = AuditSummary(verdict="incomplete", sources=(), hands=0)
    page = render_html(bare)
    text = "".join(_read(page).text)
    for words in (
        "There was no hand to audit",
        "Nothing was given to hold the input against",
        "None. Every check",
    ):
        assert words in text
    assert "<figure>" not in page
    few = replace(bare, hands=3, statistics=Battery().results(), timeline=Timeline(), verdict="consistent")
    assert "needs 530 hands" in "".join(_read(render_html(few)).text)


def test_one_hand_in_one_minute_is_drawn_too() -> None:
    battery, timeline = Battery(), Timeline()
    rng = np.random.default_rng(1)
    battery.update(at_the_wall(rng, honest(rng, 1)))
    timeline.add("played", [1_764_000_000_000])
    timeline.add("void", [1_764_000_000_001])
    statistics = battery.results()
    assert not any(test.ran for test in statistics.tests)
    one = AuditSummary("consistent", (), hands=1, statistics=statistics, timeline=timeline)
    assert render_html(one).count("<figure") == 2


def test_many_operators_are_cut_short_and_counted(everything: AuditSummary) -> None:
    one = next(iter(everything.counts.values()))
    many = {(f"op-{k:03}", "t"): replace(one, hands=1200 + k, operator_alone=k) for k in range(230)}
    text = "".join(_read(render_html(replace(everything, counts=many))).text)
    assert "And 217 more operators" in text
    assert "The 200 operators with the most hands" in text
    assert "op-229" in text


def test_the_page_fits_phones_and_asks_for_nothing(browser: Browser, tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    target.write_text(render_html(summary(lambda words: words + HOSTILE[1])), encoding="utf-8")
    for width in (360, 1100):
        tab = browser.new_page(viewport={"width": width, "height": 800})
        asked: list[str] = []
        said: list[str] = []

        def note_request(request: Request, to: list[str] = asked) -> None:
            to.append(request.url)

        def note_message(message: ConsoleMessage, to: list[str] = said) -> None:
            to.append(message.text)

        tab.on("request", note_request)
        tab.on("console", note_message)
        tab.goto(target.as_uri())
        assert tab.evaluate("document.documentElement.scrollWidth") == width
        assert [url for url in asked if not url.startswith("data:")] == [target.as_uri()]
        assert not said
        assert tab.locator("svg:visible").count() == 5
        tab.close()


def test_numbers_for_people() -> None:
    assert [probability(p) for p in (None, 0.0, 1e-300, 3.2e-12, 0.00123, 0.5, 1.0)] == [
        "–",
        "< 10⁻⁹⁹",
        "< 10⁻⁹⁹",
        "3.2 · 10⁻¹²",
        "0.0012",
        "0.50",
        "1.00",
    ]
    assert [amount(v) for v in (0.0, 11025.3, 47.123, 4.5678, -0.000171, 3.0)] == [
        "0",
        "11,025",
        "47.1",
        "4.57",
        "−0.00017",
        "3",
    ]
    assert [percent(v) for v in (0.42, 58.3, 99.6, 100.0)] == ["0.4 %", "58 %", "99.6 %", "> 99.9 %"]
    assert [power_of_ten(v) for v in (1.0, 0.001, 1e-12)] == ["1", "0.001", "10⁻¹²"]


def test_without_the_extra_the_error_names_it(
    monkeypatch: pytest.MonkeyPatch, everything: AuditSummary
) -> None:
    monkeypatch.delitem(sys.modules, "fairdeal.audit.report.page")
    monkeypatch.delattr("fairdeal.audit.report.page")
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(UsageError, match=r"the report needs jinja2: pip install '\.\[audit\]'"):
        render_html(everything)

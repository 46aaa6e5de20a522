"""Every state of the page: its headline, both languages, both colour schemes, both ends of width, and axe."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.web.conftest import MakePage, paste, shown, violations, visit, words
from tests.web.site import Site
from tests.web.states import states

NAMES = [
    "verified",
    "claimed",
    "consistent",
    "openings",
    "plain",
    "okey101",
    "two seats",
    "three seats",
    "deck",
    "void, seat-silent",
    "void, table-closed",
    "void, technical",
    "void, kept",
    "expired",
    "stopped",
    "expired while locked",
    "lost",
    "lost before the lock",
    "locked",
    "committed",
    "misdealt",
    "no deal",
    "malformed",
    "other key",
    "unsupported",
    "foreign tiles",
    "record",
    "bare record",
]
LOOKS = [("en", 1280, False), ("tr", 320, True)]
BOTH = {"verified", "claimed", "misdealt"}
"""States that are looked at in both looks; the others take turns."""
CASES = [
    (name, look) for k, name in enumerate(NAMES) for i, look in enumerate(LOOKS) if name in BOTH or k % 2 == i
]


def test_names_are_all_states() -> None:
    assert set(NAMES) == set(states())


def overflow(page: Page) -> int:
    """Pixels by which the page is wider than its window."""
    found: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return found


@pytest.mark.parametrize(("name", "look"), CASES)
def test_state(open_page: MakePage, site: Site, name: str, look: tuple[str, int, bool]) -> None:
    state = states()[name]
    language, width, dark = look
    page = open_page(width=width, dark=dark, language=language)
    visit(page, site, state.hand, state.text, state.kept, fragment=state.fragment)
    title = words(page, state.title, language)
    expect(page.locator("h1")).to_have_text(title)
    # Only what is verified looks so.
    assert (page.locator(".tone-verified").count() == 1) is (state.title == "verdict.verified")
    assert page.title() == f"{title} – fairdeal"
    assert page.locator("html").get_attribute("lang") == language
    assert title in page.locator("#live").inner_text()
    assert "{" not in page.locator("main").inner_text().replace(state.text, "")
    assert overflow(page) == 0
    assert violations(page) == []


@pytest.mark.parametrize("name", ["verified", "misdealt", "openings", "record", "committed"])
def test_every_check_opens_to_numbers(open_page: MakePage, site: Site, name: str) -> None:
    state = states()[name]
    page = open_page(width=320, language="tr")
    visit(page, site, state.hand, state.text, state.kept)
    # What the last test opened on this page was another hand's.
    expect(page.locator(".check[open]")).to_have_count(0)
    summaries = page.locator(".check > summary")
    assert summaries.count() == 12
    summaries.evaluate_all("all => all.forEach((one) => one.click())")
    expect(page.locator(".check[open] > .disclosed .what")).to_have_count(12)
    assert overflow(page) == 0
    assert violations(page) == []


@pytest.mark.parametrize(("language", "width", "dark"), LOOKS)
def test_first_screen(make_page: MakePage, site: Site, language: str, width: int, dark: bool) -> None:
    page = make_page(width=width, dark=dark, language=language)
    page.goto(f"{site.url}/verify")
    shown(page, "start")
    for details in page.locator("main details > summary").all():
        details.click()
    expect(page.locator("h1")).to_have_text(words(page, "start.title", language))
    assert overflow(page) == 0
    assert violations(page) == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("not JSON at all", "not JSON"),
        ("[1]", "an object"),
        ('{"format":"x"}', "fairdeal/1"),
        ('{"a":1,"a":2}', "occurs twice"),
        ("{", "not JSON"),
        (
            '\ufeff{"format":"x"}',
            "byte order mark (BOM), which is no part of JSON; save the file without one",
        ),
        ("null", "an object"),
        ("1e3", "plain whole number"),
    ],
)
def test_refused(open_page: MakePage, site: Site, text: str, why: str) -> None:
    page = open_page()
    paste(page, site, text, "refused")
    expect(page.locator("h1")).to_have_text("This cannot be read")
    expect(page.locator(".sentence")).to_contain_text("Nothing was verified")
    expect(page.locator("main")).to_contain_text(why)


@pytest.mark.parametrize(("language", "width", "dark"), LOOKS)
def test_refused_and_missing_hands_are_accessible(
    open_page: MakePage, site: Site, language: str, width: int, dark: bool
) -> None:
    page = open_page(width=width, dark=dark, language=language)
    paste(page, site, "not JSON at all", "refused")
    assert overflow(page) == 0
    assert violations(page) == []
    visit(page, site, "ab" * 16, 404)
    assert overflow(page) == 0
    assert violations(page) == []


@pytest.mark.parametrize(
    ("answer", "said"),
    [(404, "knows no hand"), (500, "error (500)"), (503, "error (503)")],
)
def test_no_receipt(open_page: MakePage, site: Site, answer: int, said: str) -> None:
    page = open_page()
    visit(page, site, "ab" * 16, answer)
    expect(page.locator(".sentence")).to_contain_text(said)
    state = states()["consistent"]
    site.receipts["ab" * 16] = state.text
    page.get_by_role("button", name="Try again").click()
    # The server answers, but with another hand: that is no answer either.
    expect(page.locator(".sentence")).to_contain_text("another hand")


@pytest.mark.parametrize("name", ["xyz", "ab" * 15, "ab" * 17])
def test_an_address_that_names_no_hand(page: Page, site: Site, name: str) -> None:
    page.goto(f"{site.url}/verify/{name}")
    shown(page, "problem")
    expect(page.locator(".sentence")).to_contain_text("The address names no hand")


def test_server_that_cannot_be_reached(page: Page, site: Site) -> None:
    page.route("**/v1/hands/**", lambda route: route.abort())
    page.goto(f"{site.url}/verify/{'ab' * 16}")
    shown(page, "problem")
    expect(page.locator(".sentence")).to_contain_text("cannot be reached")


def test_languages_switch_and_stay(page: Page, site: Site) -> None:
    state = states()["verified"]
    visit(page, site, state.hand, state.text, state.kept)
    page.locator(".check > summary").nth(3).click()
    page.get_by_role("button", name="Türkçe").click()
    expect(page.locator("h1")).to_have_text("Dürüst dağıtıldı")
    expect(page.locator("html")).to_have_attribute("lang", "tr")
    expect(page.locator(".check[open]")).to_have_count(1)
    assert page.evaluate("document.activeElement.lang") == "tr"
    page.reload()
    shown(page)
    expect(page.locator("h1")).to_have_text("Dürüst dağıtıldı")


def test_turkish_casing(make_page: MakePage, site: Site) -> None:
    page = make_page(language="tr")
    page.goto(f"{site.url}/verify")
    shown(page, "start")
    assert page.evaluate(
        """async () => {
          const { capital, upper } = await import("/verify-assets/page/i18n.js");
          return [upper("ıstaka"), upper("ilk"), capital("işaret")];
        }"""
    ) == ["ISTAKA", "İLK", "İşaret"]


def test_colours_follow_the_system_until_chosen(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/verify")
    shown(page, "start")
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(background)
    assert light != dark
    page.get_by_role("button", name="Colours: as the system has them").click()
    assert page.evaluate(background) == light
    page.get_by_role("button", name="Colours: light").click()
    page.emulate_media(color_scheme="light")
    assert page.evaluate(background) == dark
    page.reload()
    assert page.evaluate(background) == dark


def test_prints_without_controls(page: Page, site: Site) -> None:
    state = states()["verified"]
    visit(page, site, state.hand, state.text, state.kept)
    page.emulate_media(media="print")
    expect(page.locator("h1")).to_be_visible()
    expect(page.locator(".rack").first).to_be_visible()
    for gone in (".controls", ".switches", ".actions .button", ".another .button"):
        expect(page.locator(gone).first).to_be_hidden()


def test_forced_colours_keep_tiles_and_verdict(make_page: MakePage, site: Site) -> None:
    state = states()["verified"]
    page = make_page(forced_colors="active", reduced_motion="reduce")
    visit(page, site, state.hand, state.text, state.kept)
    expect(page.locator(".verdict h1")).to_be_visible()
    tile = page.locator(".rack .tile-red").first
    assert tile.evaluate("one => getComputedStyle(one).color") == "rgb(179, 25, 15)"
    assert page.locator(".verdict").evaluate("one => getComputedStyle(one).animationName") == "none"

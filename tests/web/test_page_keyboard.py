"""Everything works without a pointer: what can be pressed can be reached, and its focus can be seen."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.web.conftest import MakePage, paste, shown, visit
from tests.web.site import Site
from tests.web.states import states

WHERE = """() => {
  const one = document.activeElement;
  if (one === null || one === document.body) return null;
  all.add(one);
  const style = getComputedStyle(one);
  const box = one.getBoundingClientRect();
  return {
    name: one.getAttribute("aria-label") ?? one.textContent.trim().slice(0, 40),
    visible: box.width > 0 && box.height > 0,
    focus: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 || one.type === "file",
  };
}"""
REACHABLE = """() => [...document.querySelectorAll(
    "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")]
  .filter((one) => one.tabIndex >= 0 && one.checkVisibility() && !one.closest("[hidden]"))
  .filter((one) => !all.has(one)).map((one) => one.outerHTML.slice(0, 120))"""


def walk(page: Page) -> list[dict[str, object]]:
    """Press Tab from the page's beginning until it is left, and tell every stop."""
    page.evaluate("() => { globalThis.all = new Set(); document.activeElement.blur(); scrollTo(0, 0); }")
    stops = []
    for _ in range(400):
        page.keyboard.press("Tab")
        stop = page.evaluate(WHERE)
        if stop is None:
            break
        stops.append(stop)
    return stops


@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize("name", ["start", "verified", "misdealt"])
def test_tab_reaches_everything(make_page: MakePage, site: Site, name: str, width: int) -> None:
    page = make_page(width=width)
    if name == "start":
        page.goto(f"{site.url}/verify")
        shown(page, "start")
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        expect(page.locator("#field-deal")).to_be_visible()
    else:
        state = states()[name]
        visit(page, site, state.hand, state.text, state.kept, anew=True)
    stops = walk(page)
    assert len(stops) > 15
    assert [stop for stop in stops if not stop["visible"]] == []
    assert [stop for stop in stops if not stop["focus"]] == []
    assert page.evaluate(REACHABLE) == []


def test_skip_link_leads_to_the_verdict(page: Page, site: Site) -> None:
    state = states()["verified"]
    visit(page, site, state.hand, state.text, state.kept, anew=True)
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    expect(page.locator("h1")).to_have_text("Dealt honestly")


def test_arrow_keys_go_around_the_wall(page: Page, site: Site) -> None:
    state = states()["verified"]
    visit(page, site, state.hand, state.text)
    buttons = page.locator(".stack button")
    assert page.locator(".stack button[tabindex='0']").count() == 1
    buttons.first.focus()
    stop = {"bottom": "ArrowRight", "right": "ArrowUp", "top": "ArrowLeft", "left": "ArrowDown"}
    sides = buttons.evaluate_all("all => all.map((one) => one.dataset.side)")
    for at, side in enumerate(sides):
        expect(buttons.nth(at)).to_be_focused()
        page.keyboard.press(stop[side])
    expect(buttons.first).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(buttons.last).to_be_focused()
    page.keyboard.press("Home")
    expect(buttons.first).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    expect(page.locator(".stack-detail h3")).to_have_text(f"Stack {len(sides)}")
    expect(page.locator(".stack button[aria-pressed=true]")).to_have_count(1)


def test_a_whole_visit_without_a_pointer(page: Page, site: Site) -> None:
    """From the first screen to the numbers of a check, by keys alone."""
    state = states()["consistent"]
    site.receipts[state.hand] = state.text
    page.goto(f"{site.url}/verify")
    shown(page, "start")

    def tab_to(selector: str) -> None:
        for _ in range(80):
            if page.evaluate("selector => document.activeElement?.matches(selector) ?? false", selector):
                return
            page.keyboard.press("Tab")
        raise AssertionError(selector)

    tab_to("#source-hand")
    page.keyboard.type(state.hand)
    page.keyboard.press("Enter")
    shown(page)
    # The reader's place is the verdict now.
    expect(page.locator("h1")).to_be_focused()
    tab_to(".controls input")
    page.keyboard.press("Home")
    expect(page.locator(".say")).to_contain_text("Step 1 of")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".say")).to_contain_text("Step 2 of")
    tab_to("[data-check=commitment] > summary")
    page.keyboard.press("Enter")
    expect(page.locator("[data-check=commitment] .comparison.same")).to_be_visible()
    tab_to("#mine-text")
    page.keyboard.type("00" * 32)
    tab_to(".give .button-main")
    page.keyboard.press("Enter")
    expect(page.locator(".tone-refuted")).to_be_visible()
    tab_to(".another .button")
    page.keyboard.press("Enter")
    shown(page, "start")


def test_back_to_the_list_leads_to_the_row_that_was_opened(open_page: MakePage, site: Site) -> None:
    page = open_page()
    paste(page, site, "\n".join([states()["plain"].text] * 60 + [states()["deck"].text]), "many")
    expect(page.locator("tbody tr")).to_have_count(61)
    expect(page.locator("h1")).to_be_focused()
    last = page.locator("tbody tr button").last
    last.focus()
    page.keyboard.press("Enter")
    shown(page)
    expect(page.locator("h1")).to_be_focused()
    page.get_by_role("button", name="Back to the list").press("Enter")
    shown(page, "many")
    expect(last).to_be_focused()
    expect(last).to_be_in_viewport()
    # Another file begins at its top.
    paste(page, site, "\n".join([states()["plain"].text] * 60), "many")
    expect(page.locator("h1")).to_be_focused()


def test_a_step_button_keeps_the_focus_at_the_end(page: Page, site: Site) -> None:
    state = states()["verified"]
    visit(page, site, state.hand, state.text)
    forward = page.get_by_role("button", name="Step forward")
    forward.focus()
    expect(forward).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Enter")
    expect(forward).to_be_focused()


@pytest.mark.parametrize("width", [320, 1280])
def test_targets_are_large_enough(make_page: MakePage, site: Site, width: int) -> None:
    state = states()["two seats"]
    page = make_page(width=width)
    visit(page, site, state.hand, state.text)
    small = page.evaluate(
        """() => [...document.querySelectorAll("button, summary, select, input")]
          .filter((one) => one.checkVisibility() && one.type !== "file")
          .map((one) => [one.outerHTML.slice(0, 90), one.getBoundingClientRect()])
          .filter(([, box]) => box.width < 24 || box.height < 24).map(([html]) => html)"""
    )
    assert small == []

"""What is not honest is never shown as honest: every cause in words, every difference side by side."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from fairdeal.diagnose import CAUSES
from tests.dealer import text_of
from tests.web.conftest import MakePage, paste, shown, visit, words
from tests.web.site import Site
from tests.web.states import forked, plants, states


@pytest.mark.parametrize("cause", [cause for cause in CAUSES if cause != "other-hands-seed"])
def test_cause_in_words(open_page: MakePage, site: Site, cause: str) -> None:
    plant = plants()[cause]
    hand = plant.record.hand.hex()
    page = open_page()
    visit(page, site, hand, text_of(plant.receipt))
    for seen in plant.seen:
        page.select_option("#mine-kind", "seed")
        page.fill("#mine-text", getattr(seen, "seed", b"").hex())
        page.locator(".give .button-main").click()
    for language, name in (("en", "English"), ("tr", "Türkçe")):
        page.get_by_role("button", name=name).click()
        expect(page.locator(".verdict.tone-refuted h1")).to_have_text(
            words(page, "verdict.refuted", language)
        )
        expect(page.locator(".sentence")).to_have_text(words(page, f"cause.{cause}", language))


def test_other_hands_seed_is_named_in_a_file(page: Page, site: Site) -> None:
    plant = plants()["other-hands-seed"]
    (other,) = plant.others
    neighbour = {
        **plant.record.as_json(),
        "hand": other.hand.hex(),
        "commitment": other.commitment.hex() if other.commitment else None,
        "server_seed": other.server_seed.hex() if other.server_seed else None,
        "seals": [],
        "contributions": [],
        "deal": None,
    }
    paste(page, site, f"{text_of(plant.receipt)}\n{json.dumps(neighbour)}", "many")
    expect(page.locator("tr.row-refuted")).to_contain_text("other hand’s seed")


def test_unknown_contradiction_names_what_failed(page: Page, site: Site) -> None:
    state = states()["other key"]
    visit(page, site, state.hand, state.text)
    expect(page.locator(".sentence")).to_contain_text("What failed: “Signed log” and “Part of the log”.")


def changed(name: str, change: Any) -> tuple[str, str]:
    state = states()["consistent"]
    document = state.document
    change(document)
    return state.hand, json.dumps(document)


def swap_hands(document: dict[str, Any]) -> None:
    hands = document["deal"]["hands"]
    hands[1][3], hands[2][4] = hands[2][4], hands[1][3]


def test_differences_are_shown_side_by_side(page: Page, site: Site) -> None:
    hand, text = changed("hands", swap_hands)
    visit(page, site, hand, text)
    expect(page.locator(".tile-differs")).to_have_count(2)
    label = page.locator(".tile-differs").first.get_attribute("aria-label")
    assert label is not None
    assert label.endswith(", differs")
    check = page.locator(".check[data-check=hands]")
    check.locator("summary").first.click()
    expect(check.locator(".comparison.other")).to_have_count(2)
    expect(check.locator(".comparison.same")).to_have_count(3)
    expect(check.locator(".comparison.other mark").first).to_be_visible()
    page.get_by_role("button", name="What the document says").click()
    expect(page.locator(".controls")).to_have_count(0)
    expect(page.locator(".tile-differs")).to_have_count(2)


def test_every_byte_of_the_log_evidence_counts(page: Page, site: Site) -> None:
    def flip_entry(document: dict[str, Any]) -> None:
        entry = document["entries"][0]
        entry["entry"] = entry["entry"].replace('"number":1', '"number":2')

    def flip_proof(document: dict[str, Any]) -> None:
        document["entries"][1]["proof"][0] = "A" * 43 + "="

    for change, failing in ((flip_entry, "inclusion"), (flip_proof, "inclusion")):
        hand, text = changed("log", change)
        visit(page, site, hand, text)
        expect(page.locator(".tone-refuted")).to_be_visible()
        check = page.locator(f".check[data-check={failing}]")
        expect(check).to_have_class("check result-fail")
        check.locator("summary").first.click()
        expect(check.locator(".comparison.other")).to_have_count(1)


def test_a_commitment_that_changed_after_it_was_kept_refutes(page: Page, site: Site) -> None:
    state = states()["verified"]
    other = states()["committed"]
    visit(page, site, other.hand, other.text)
    # The operator now shows another log in which this hand's commitment never stood.
    later = json.dumps({**state.document})
    page.evaluate(
        "([hand, kept]) => localStorage.setItem(`fairdeal:hand:${hand}`, kept)",
        [state.hand, json.dumps({"v": 1, "at": 1, "commitment": "00" * 32})],
    )
    visit(page, site, state.hand, later)
    expect(page.locator(".tone-refuted .sentence")).to_contain_text("What you kept from before the hand")


def test_forked_log_is_told(page: Page, site: Site) -> None:
    state = states()["verified"]
    visit(page, site, state.hand, state.text)
    page.fill("#mine-text", forked(state))
    page.locator(".give .button-main").click()
    expect(page.locator(".tone-refuted")).to_be_visible()
    page.locator(".check[data-check=seen] > summary").click()
    expect(page.locator(".seen-list")).to_contain_text("The log was forked.")


def test_nothing_in_a_document_becomes_markup(page: Page, site: Site) -> None:
    paste(page, site, '{"format":"fairdeal/1 receipt","<img src=x onerror=alert(1)>":1}')
    expect(page.locator(".tone-refuted")).to_be_visible()
    assert page.locator("main img").count() == 0


def test_a_defect_in_the_page_is_told_not_hidden(make_page: MakePage, site: Site) -> None:
    page = make_page()
    page.route("**/page/verdict.js", lambda route: route.fulfill(status=404, body=""))
    page.goto(f"{site.url}/verify")
    # The styles show the message by themselves after four seconds.
    expect(page.locator("#failed")).to_be_visible(timeout=8000)
    expect(page.locator("#failed")).to_contain_text("Nothing was verified")
    expect(page.locator("#failed")).to_contain_text("Hiçbir şey doğrulanmadı")


def test_without_javascript_the_page_says_so(make_page: MakePage, site: Site) -> None:
    page = make_page(java_script_enabled=False)
    page.goto(f"{site.url}/verify/{'ab' * 16}")
    expect(page.locator("#failed")).to_be_visible()


def test_engines_that_disagree_give_no_verdict(browser_page: Page, site: Site) -> None:
    page = browser_page
    page.add_init_script("crypto.subtle.digest = async () => new ArrayBuffer(32)")
    state = states()["consistent"]
    site.receipts[state.hand] = state.text
    page.goto(f"{site.url}/verify/{state.hand}")
    expect(page.locator("#failed")).to_be_visible()
    expect(page.locator("#failed-why")).to_contain_text("disagree")
    assert page.locator(".verdict").count() == 0


@pytest.fixture
def browser_page(browser: Any) -> Any:
    """A page that may complain: its errors are the point."""
    context = browser.new_context(locale="en-GB")
    yield context.new_page()
    context.close()


def test_a_shown_hand_waits_for_nobody(page: Page, site: Site) -> None:
    state = states()["consistent"]
    visit(page, site, state.hand, state.text)
    shown(page)
    asked = [path for path in site.asked if path.startswith("/v1/")]
    assert asked == [f"/v1/hands/{state.hand}/receipt"]

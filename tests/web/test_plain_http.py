"""Plain http on another host than localhost has no `crypto.subtle`: the page works, and says what it used."""

from __future__ import annotations

from playwright.sync_api import Playwright, expect

from tests.web.conftest import launch, shown, violations
from tests.web.site import Site
from tests.web.states import states


def test_without_crypto_subtle(playwright: Playwright, site: Site) -> None:
    browser = launch(playwright, "--host-resolver-rules=MAP fair.test 127.0.0.1")
    page = browser.new_page(locale="en-GB")
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
    host = f"http://fair.test:{site.port}"
    state = states()["verified"]
    assert state.kept is not None
    site.receipts[state.hand] = state.kept
    page.goto(f"{host}/verify/{state.hand}")
    shown(page)
    assert page.evaluate("isSecureContext") is False
    assert page.evaluate("crypto.subtle === undefined")
    site.receipts[state.hand] = state.text
    page.reload()
    shown(page)
    expect(page.locator("h1")).to_have_text("Dealt honestly")
    expect(page.locator("#engine")).to_contain_text(
        "built-in implementation, @noble/hashes and @noble/curves"
    )
    # The clipboard is missing there as well: the link is shown to be copied.
    page.get_by_role("button", name="Share").click()
    expect(page.locator(".shared")).to_contain_text("Copy this link:")
    expect(page.get_by_label("Link to this hand")).to_have_value(f"{host}/verify/{state.hand}")
    # A file of hands goes through the same engine, in a worker.
    page.goto(f"{host}/verify")
    shown(page, "start")
    page.fill("#source-text", f"{state.text}\n{states()['consistent'].text}\n{states()['misdealt'].text}")
    page.locator(".sources .field > .button-main").click()
    expect(page.get_by_text("3 lines checked: 1 hand and 2 lines that repeat a hand.")).to_be_visible()
    expect(page.locator("tr.row-verified")).to_have_count(2)
    expect(page.locator("tr.row-refuted")).to_have_count(1)
    assert violations(page) == []
    assert troubles == []
    browser.close()

"""A browser, a site, and pages whose every error is a failure."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Playwright, Request, sync_playwright

from tests.web.site import AXE, Site, serve

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome") or "chromium"
SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

MakePage = Callable[..., Page]


def launch(playwright: Playwright, *switches: str) -> Browser:
    """Debian's Chromium, which asks nobody for anything."""
    return playwright.chromium.launch(executable_path=CHROMIUM, args=[*SWITCHES, *switches])


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    opened = launch(playwright)
    yield opened
    opened.close()


@pytest.fixture
def site() -> Iterator[Site]:
    with serve() as served:
        yield served


@pytest.fixture
def make_page(browser: Browser, site: Site) -> Iterator[MakePage]:
    """Makes pages. When the test ends none of them may have complained, nor asked anyone but the site."""
    contexts = []
    troubles: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        # A missing hand is told by its status, which Chromium writes to the console as well.
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            troubles.append(message.text)

    def watch(request: Request) -> None:
        if not request.url.startswith((site.url, "blob:", "data:", *site.games)):
            troubles.append(f"asked {request.url}")

    def make(*, width: int = 1280, dark: bool = False, language: str = "en", **more: Any) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            locale={"en": "en-GB", "tr": "tr-TR"}[language],
            timezone_id="Europe/Istanbul",
            **more,
        )
        contexts.append(context)
        context.set_default_timeout(15_000)
        page = context.new_page()
        page.on("console", listen)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("request", watch)
        return page

    yield make
    for context in contexts:
        context.close()
    assert troubles == []


@pytest.fixture
def page(make_page: MakePage) -> Page:
    return make_page()


def shown(page: Page, kind: str = "hand") -> None:
    """Wait until the page shows something of this kind."""
    page.wait_for_selector(f"body[data-shown={kind}]")


def visit(
    page: Page, site: Site, hand: str, text: str | int, kept: str | None = None, *, fragment: str = ""
) -> None:
    """Open a hand's address; with ``kept``, after a visit at which the site answered that."""
    if kept is not None:
        site.receipts[hand] = kept
        page.goto(f"{site.url}/verify/{hand}")
        shown(page)
    site.receipts[hand] = text
    page.goto(f"{site.url}/verify/{hand}{fragment}")
    shown(page, "hand" if isinstance(text, str) else "problem")


def paste(page: Page, site: Site, text: str, kind: str = "hand") -> None:
    """Hand a document to the first screen."""
    page.goto(f"{site.url}/verify")
    shown(page, "start")
    page.fill("#source-text", text)
    page.locator(".sources .field > .button-main").click()
    shown(page, kind)


def violations(page: Page) -> list[str]:
    """What axe-core finds, as short texts."""
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate(
        "tags => axe.run(document, {resultTypes: ['violations'], runOnly: {type: 'tag', values: tags}})",
        AXE_TAGS,
    )
    return [
        f"{rule['id']}: {node['html'][:160]} {json.dumps(node['any'])[:300]}"
        for rule in found["violations"]
        for node in rule["nodes"][:3]
    ]


def words(page: Page, key: str, language: str = "en") -> str:
    """A text of the page, from the page's own modules."""
    found: str = page.evaluate(
        """async ([key, language]) => {
          const { EN } = await import("/verify-assets/i18n/en.js");
          const { TR } = await import("/verify-assets/i18n/tr.js");
          return ({ en: EN, tr: TR })[language][key];
        }""",
        [key, language],
    )
    return found

"""A browser, a site, and pages whose every error is a failure."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Playwright,
    Request,
    sync_playwright,
)

from tests.web.chromium import Asker
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


@pytest.fixture(scope="session")
def served() -> Iterator[Site]:
    """One site for all tests of a process, so that the browser's cache outlives a test."""
    with serve() as site:
        yield site


@pytest.fixture
def site(served: Site) -> Site:
    """The site, as if newly opened."""
    served.clean()
    return served


class Desk:
    """The pages of one process: contexts by their options, and pages that stay open from test to test."""

    def __init__(self, browser: Browser, site: Site) -> None:
        self._browser = browser
        self._site = site
        self._contexts: dict[str, BrowserContext] = {}
        self._open: dict[str, Page] = {}
        self.troubles: list[str] = []

    def context(self, options: dict[str, Any], *, fresh: bool) -> BrowserContext:
        """A context with an empty store. A fresh one shares nothing, as another visitor's browser."""
        key = repr(sorted(options.items()))
        if not fresh and key in self._contexts:
            return self._contexts[key]
        context = self._browser.new_context(**options)
        context.set_default_timeout(15_000)
        if not fresh:
            self._contexts[key] = context
        return context

    def new_page(self, context: BrowserContext) -> Page:
        """A page whose every complaint is kept, and every request to anyone but the site."""
        page = context.new_page()
        page.on("console", self._listen)
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("request", self._watch)
        session = context.new_cdp_session(page)
        # The context's other pages had the same origin, and so the same store.
        session.send(
            "Storage.clearDataForOrigin", {"origin": self._site.url, "storageTypes": "local_storage"}
        )
        session.detach()
        return page

    def open_page(self, options: dict[str, Any]) -> Page:
        """The page with these options, at its first screen, its store empty: loaded once, then led back."""
        key = repr(sorted(options.items()))
        page = self._open.get(key)
        if page is None:
            page = self._open[key] = self.new_page(self.context(options, fresh=False))
            page.goto(f"{self._site.url}/verify")
        else:
            page.evaluate(AS_NEW)
        shown(page, "start")
        return page

    def drop(self, page: Page) -> None:
        """A page that a failed test left who knows where is opened anew by the next one."""
        self._open = {key: one for key, one in self._open.items() if one is not page}
        page.close()

    def _listen(self, message: ConsoleMessage) -> None:
        # A missing hand is told by its status, which Chromium writes to the console as well.
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            self.troubles.append(message.text)

    def _watch(self, request: Request) -> None:
        if not request.url.startswith((self._site.url, "blob:", "data:", *self._site.games)):
            self.troubles.append(f"asked {request.url}")


AS_NEW = """async () => {
  localStorage.clear();
  const { preferredLanguage, setLanguage } = await import("/verify-assets/page/i18n.js");
  const { start } = await import("/verify-assets/page/state.js");
  setLanguage(preferredLanguage());
  start();
}"""
LOOK = """async hand => {
  const { look, start } = await import("/verify-assets/page/state.js");
  start();
  await look(hand);
}"""
START = 'async () => (await import("/verify-assets/page/state.js")).start()'


def options_of(width: int, dark: bool, language: str) -> dict[str, Any]:
    return {
        "viewport": {"width": width, "height": 900},
        "color_scheme": "dark" if dark else "light",
        "locale": {"en": "en-GB", "tr": "tr-TR"}[language],
        "timezone_id": "Europe/Istanbul",
    }


@pytest.fixture(scope="session")
def desk(browser: Browser, served: Site) -> Desk:
    return Desk(browser, served)


@pytest.fixture
def watched(desk: Desk, site: Site) -> Iterator[Desk]:
    """The desk during one test, at whose end no page may have complained, nor asked anyone but the site."""
    desk.troubles.clear()
    yield desk
    assert desk.troubles == []


@pytest.fixture
def make_page(watched: Desk) -> Iterator[MakePage]:
    """Makes pages that are closed after the test. ``fresh`` asks for a browser of the page's own."""
    pages: list[Page] = []
    own: list[BrowserContext] = []

    def make(
        *, width: int = 1280, dark: bool = False, language: str = "en", fresh: bool = False, **more: Any
    ) -> Page:
        context = watched.context({**options_of(width, dark, language), **more}, fresh=fresh)
        if fresh:
            own.append(context)
        page = watched.new_page(context)
        pages.append(page)
        return page

    yield make
    for page in pages:
        page.close()
    for context in own:
        context.close()


@pytest.fixture
def open_page(watched: Desk, request: pytest.FixtureRequest) -> Iterator[MakePage]:
    """Pages that stay open from test to test: for what needs neither loading nor a page of its own."""
    taken: list[Page] = []
    failed = request.session.testsfailed

    def take(*, width: int = 1280, dark: bool = False, language: str = "en") -> Page:
        page = watched.open_page(options_of(width, dark, language))
        taken.append(page)
        return page

    yield take
    for page in taken:
        if request.session.testsfailed > failed:
            watched.drop(page)


@pytest.fixture(scope="session")
def chromium(browser: Browser, served: Site) -> Iterator[Asker]:
    """The protocol modules in Chromium."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{served.url}/verify")
    yield Asker(page)
    context.close()


@pytest.fixture
def page(make_page: MakePage) -> Page:
    return make_page()


def shown(page: Page, kind: str = "hand") -> None:
    """Wait until the page shows something of this kind."""
    page.wait_for_selector(f"body[data-shown={kind}]")


def is_open(page: Page, site: Site) -> bool:
    return page.url.startswith(f"{site.url}/verify") and page.evaluate("'shown' in document.body.dataset")


def visit(
    page: Page,
    site: Site,
    hand: str,
    text: str | int,
    kept: str | None = None,
    *,
    fragment: str = "",
    anew: bool = False,
) -> None:
    """Open a hand's address; with ``kept``, after a visit at which the site answered that.

    A page that is open already is led to the hand from within, as by typing its number. What a link carries
    is read only when the page is loaded; ``anew`` loads it without a reason of that kind.
    """
    if kept is not None:
        visit(page, site, hand, kept)
    site.receipts[hand] = text
    if fragment == "" and not anew and is_open(page, site):
        page.evaluate(LOOK, hand)
    else:
        page.goto("about:blank")
        page.goto(f"{site.url}/verify/{hand}{fragment}")
    shown(page, "hand" if isinstance(text, str) else "problem")


def start(page: Page, site: Site) -> None:
    """The first screen."""
    if is_open(page, site):
        page.evaluate(START)
    else:
        page.goto(f"{site.url}/verify")
    shown(page, "start")


def paste(page: Page, site: Site, text: str, kind: str = "hand") -> None:
    """Hand a document to the first screen."""
    start(page, site)
    page.fill("#source-text", text)
    page.locator(".sources .field > .button-main").click()
    shown(page, kind)


def violations(page: Page) -> list[str]:
    """What axe-core finds, as short texts."""
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate(
        """async tags => {
          // What still fades in has the contrast of a moment.
          await Promise.all(document.getAnimations().map((one) => one.finished));
          return axe.run(document, {
            // The rules that need style sheets fetched anew are experimental ones, which do not run here.
            resultTypes: ["violations"], preload: false, runOnly: { type: "tag", values: tags },
          });
        }""",
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

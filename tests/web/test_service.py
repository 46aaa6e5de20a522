"""The page as the service serves it: a hand from before the commit to the verdict, and its headers."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from fairdeal_api.offline import offline_page
from playwright.sync_api import Browser, Page, Request, expect

from tests.api.support import Game, Running, ok, start
from tests.cli.test_running import free_port, started, wait_for
from tests.web.conftest import shown, violations


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("service")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    running = start(folder / "data", port, folder / "output")
    yield running
    running.kill()


@pytest.fixture
def game(service: Running) -> Iterator[Game]:
    with service.client() as client:
        yield Game(client, service.key)


@pytest.fixture
def player(browser: Browser, service: Running) -> Iterator[Page]:
    """A player's page; no error, no broken policy, and no request to anyone but the service."""
    context = browser.new_context(locale="en-GB")
    page = context.new_page()
    troubles: list[str] = []

    def watch(request: Request) -> None:
        if not request.url.startswith((service.url, "blob:")):
            troubles.append(request.url)

    page.on("console", lambda message: troubles.append(message.text) if message.type != "log" else None)
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("request", watch)
    yield page
    context.close()
    assert troubles == []


def test_a_hand_from_commit_to_verdict(player: Page, service: Running, game: Game) -> None:
    hand = game.committed("salon:1", [0, 2])["hand"]
    player.goto(f"{service.url}/verify/{hand}")
    shown(player)
    expect(player.locator("h1")).to_have_text("The hand has not been dealt yet")
    game.dealt(hand)
    player.get_by_role("button", name="Look again").click()
    expect(player.locator("h1")).to_have_text("The hand is still being played")
    ok(game.reveal(hand))
    player.get_by_role("button", name="Look again").click()
    expect(player.locator("h1")).to_have_text("Dealt honestly")
    expect(player.locator(".check.result-pass")).to_have_count(9)
    player.fill("#keys-text", game.get("/log/key").text)
    player.get_by_role("button", name="Trust this key").click()
    expect(player.locator(".check.result-pass")).to_have_count(11)
    expect(player.locator(".rests")).to_contain_text("signed by a key that you trust")
    assert violations(player) == []


def test_an_unplayed_hand(player: Page, service: Running, game: Game) -> None:
    hand = game.committed("salon:2", [1])["hand"]
    ok(game.void(hand, "seat-silent"))
    player.goto(f"{service.url}/verify/{hand}")
    shown(player)
    expect(player.locator("h1")).to_have_text("This hand was never dealt")
    expect(player.locator(".sentence")).to_contain_text("A player did not open their seed in time")


def test_headers(service: Running) -> None:
    page = httpx2.get(f"{service.url}/verify/{'ab' * 16}")
    policy = dict(
        part.strip().split(" ", 1)
        for part in page.headers["content-security-policy"].split(";")
        if part.strip()
    )
    assert policy["default-src"] == "'none'"
    assert (
        policy["script-src"]
        == policy["style-src"]
        == policy["connect-src"]
        == policy["worker-src"]
        == "'self'"
    )
    assert policy["frame-ancestors"] == "'none'"
    assert page.headers["referrer-policy"] == "no-referrer"
    module = httpx2.get(f"{service.url}/verify-assets/badge.js")
    assert module.headers["content-type"].startswith("text/javascript")
    # A game on another origin imports the badge.
    assert module.headers["access-control-allow-origin"] == "*"


def test_offline_verifier_is_offered(player: Page, service: Running, tmp_path: Path) -> None:
    player.goto(f"{service.url}/verify")
    shown(player, "start")
    with player.expect_download() as download:
        player.locator("#footer a").click()
    assert download.value.suggested_filename == "fairdeal-verifier.html"
    assert Path(download.value.path()).read_text("utf-8") == offline_page()


def test_the_demos_link_shows_the_verified_hand(browser: Browser, tmp_path: Path) -> None:
    with started("demo", "--port", str(free_port()), folder=tmp_path) as process:
        link = wait_for(tmp_path / "out", r"http://\S+/verify/[0-9a-f]{32}\S*", process)[0]
        wait_for(tmp_path / "err", "Ctrl-C stops", process)
        page = browser.new_page(locale="en-GB")
        page.goto(link)
        shown(page)
        expect(page.locator("h1")).to_have_text("Dealt honestly, if this is what you kept")
        expect(page.locator(".rests")).to_contain_text("Nobody, if what came with your link is what you kept")
        page.get_by_role("button", name="Yes, this is what I kept before the hand").click()
        expect(page.locator("h1")).to_have_text("Dealt honestly")
        expect(page.locator(".tone-verified .rests")).to_contain_text(
            "Nobody: your own seed is in the shuffle"
        )
        page.close()

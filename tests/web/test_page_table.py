"""The table says what the deal says: every rack, the stock, the stacks, and each step on the way."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from fairdeal.tiles import colour, is_false_joker, number
from tests.web.conftest import MakePage, visit
from tests.web.site import Site
from tests.web.states import states

COLOURS = ("Red", "Yellow", "Blue", "Black")


def said(tile: int, okey: list[int]) -> str:
    """What a screen reader says of a tile."""
    words = "False joker" if is_false_joker(tile) else f"{COLOURS[colour(tile)]} {number(tile)}"
    return f"{words}, okey" if tile in okey else words


def labels(page: Page, selector: str) -> list[str]:
    found: list[str] = page.eval_on_selector_all(
        f"{selector} .tile", "all => all.map((one) => one.getAttribute('aria-label'))"
    )
    return found


def table(page: Page, site: Site, name: str) -> dict[str, Any]:
    state = states()[name]
    visit(page, site, state.hand, state.text)
    deal: dict[str, Any] = state.document["deal"]
    return deal


@pytest.mark.parametrize("name", ["verified", "openings", "plain", "okey101", "two seats", "three seats"])
def test_finished_table(open_page: MakePage, site: Site, name: str) -> None:
    page = open_page()
    deal = table(page, site, name)
    for seat, hand in enumerate(deal["hands"]):
        rack = f'.holder[aria-label="Seat {seat}"]'
        assert labels(page, rack) == [said(tile, deal["okey"]) for tile in hand]
        assert f"{len(hand)} tiles" in page.locator(rack).inner_text()
    assert labels(page, ".stock") == [said(tile, deal["okey"]) for tile in deal["stock"]]
    wild = labels(page, ".wild")
    assert wild == [said(deal["indicator"], []), *(said(tile, deal["okey"]) for tile in deal["okey"])]
    assert page.locator(f'.holder[aria-label="Seat {deal["dealer"]}"]').get_by_text("dealer").count() == 1
    assert page.locator(f'.holder[aria-label="Seat {deal["starter"]}"]').get_by_text("starter").count() == 1
    if "wall" not in deal:
        return
    left = set(deal["stock"])
    buttons = page.locator(".stack button")
    assert buttons.count() == len(deal["wall"])
    for w, stack in enumerate(deal["wall"]):
        lying = [
            tile for tile in [*stack, *([deal["spare"]] if w == deal["selected"] else [])] if tile in left
        ]
        label = buttons.nth(w).get_attribute("aria-label") or ""
        assert label.startswith(f"Stack {w + 1}, {len(lying)} tile")
        assert ("indicator on top" in label) is (w == deal["selected"])


def test_stack_tells_where_its_tiles_went(open_page: MakePage, site: Site) -> None:
    page = open_page()
    deal = table(page, site, "verified")
    selected = deal["selected"]
    page.locator(".stack button").nth(selected).click()
    story = page.locator(".story li")
    expect(story).to_have_count(6)
    texts = story.all_inner_texts()
    assert any("(the spare tile)" in text for text in texts)
    assert sum("indicator" in text for text in texts) == 1
    starter = deal["starter"]
    first = (selected + 1) % len(deal["wall"])
    page.locator(".stack button").nth(first).click()
    expect(story.first).to_contain_text(f"Seat {starter}, tile 1")


def test_seats_stand_around_the_table_anticlockwise(open_page: MakePage, site: Site) -> None:
    page = open_page()
    deal = table(page, site, "verified")
    boxes = {}
    for seat in range(4):
        plate = page.get_by_role("group", name=f"Stacks in front of Seat {seat}")
        box = plate.bounding_box()
        assert box is not None
        boxes[(seat - deal["dealer"]) % 4] = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert boxes[0][1] > boxes[1][1] > boxes[2][1]
    assert boxes[1][0] > boxes[0][0] > boxes[3][0]


@pytest.mark.parametrize("name", ["openings", "plain", "okey101", "deck"])
def test_every_step_forward_and_back(open_page: MakePage, site: Site, name: str) -> None:
    page = open_page()
    deal = table(page, site, name)
    end = page.locator(".board").inner_html()
    page.get_by_role("button", name="To the beginning").click()
    total = int(page.get_by_role("slider").get_attribute("max") or "0")
    assert total > 50
    tiles = len(deal["order"])
    frames: list[str] = page.evaluate(
        """total => {
          const slider = document.querySelector(".controls input");
          const frames = [];
          for (const steps of [[...Array(total + 1).keys()], [...Array(total + 1).keys()].reverse()]) {
            frames.push(steps.map((at) => {
              slider.value = String(at);
              slider.dispatchEvent(new Event("input"));
              return document.querySelector(".say").textContent + document.querySelector(".stage").innerHTML;
            }));
          }
          return [JSON.stringify(frames[0]), JSON.stringify(frames[1].reverse())];
        }""",
        total,
    )
    assert frames[0] == frames[1]
    page.get_by_role("button", name="To the end").click()
    assert page.locator(".board").inner_html() == end
    page.get_by_role("button", name="Shuffle").click()
    expect(page.locator(".felt .grid li")).to_have_count(tiles)
    for _ in range(3):
        page.get_by_role("button", name="Step forward").click()
    expect(page.locator(".say")).to_contain_text("Step 4 of")
    expect(page.locator(".say-draws")).to_contain_text(f'HMAC(key, "r:{tiles - 3}")')


def test_shuffled_order_is_the_deals(open_page: MakePage, site: Site) -> None:
    page = open_page()
    deal = table(page, site, "verified")
    page.get_by_role("button", name="Dealer", exact=True).click()
    page.get_by_role("button", name="Step back").click()
    assert labels(page, ".felt") == [said(tile, []) for tile in deal["order"]]


def test_false_joker_repeats_the_throw(open_page: MakePage) -> None:
    """The page's film of a deal in which the second throw meets a false joker."""
    page = open_page()
    said_of_it = page.evaluate(
        """async () => {
          const { traceDeal, parseTerms } = await import("/verify-assets/protocol/index.js");
          const { framesOf } = await import("/verify-assets/page/frames.js");
          const game = { game: "okey", layout: "wall", seats: 4, dealer: 0, dice: 1, openings: false };
          const terms = parseTerms(game);
          for (let k = 0; k < 2000; k++) {
            const key = new Uint8Array(32).fill(k & 255);
            key[1] = k >> 8;
            const { deal, draws } = traceDeal(key, terms);
            if (deal.throws.length < 3) continue;
            const frames = framesOf(deal, terms, draws);
            const last = frames.at(-1).scene();
            return { say: frames.map(({ say }) => say), throws: deal.throws.length,
              stock: JSON.stringify(last.stock) === JSON.stringify(deal.stock),
              left: last.stacks.flat().length === deal.stock.length };
          }
          return null;
        }"""
    )
    assert said_of_it["say"].count("step.joker") == said_of_it["throws"] - 2
    assert said_of_it["stock"]
    assert said_of_it["left"]


def test_deal_plays_itself_and_can_be_stopped(make_page: MakePage, site: Site) -> None:
    page = make_page(reduced_motion="reduce")
    table(page, site, "verified")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".say")).to_contain_text("Places", timeout=5000)
    page.get_by_role("button", name="Pause").click()
    now = page.locator(".say").inner_text()
    page.wait_for_timeout(400)
    assert page.locator(".say").inner_text() == now

"""What the page keeps, what it is given, and what a link hands over (protocol §10.6, §10.3)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from fairdeal.note import Signer
from fairdeal.tiles import name as tile_name
from tests.dealer import Dealer
from tests.web.conftest import MakePage, shown, violations, visit
from tests.web.site import Site
from tests.web.states import State, states

VERIFIED = "Dealt honestly"
CLAIMED = "Dealt honestly, if this is what you kept"
CONSISTENT = "Nothing contradicts it"


def stored(page: Page, hand: str) -> dict[str, Any] | None:
    text = page.evaluate("hand => localStorage.getItem(`fairdeal:hand:${hand}`)", hand)
    return None if text is None else json.loads(text)


def give(page: Page, text: str, kind: str = "any", seat: int = 0) -> None:
    page.select_option("#mine-kind", kind)
    if kind != "any":
        page.select_option("#mine-seat", str(seat))
    page.fill("#mine-text", text)
    page.locator(".give .button-main").click()


def test_a_visit_before_the_reveal_is_what_verifies_the_hand(page: Page, site: Site) -> None:
    state = states()["verified"]
    assert state.kept is not None
    visit(page, site, state.hand, state.kept)
    expect(page.locator("h1")).to_have_text("The hand has not been dealt yet")
    expect(page.locator(".kept-note")).to_be_visible()
    kept = stored(page, state.hand)
    assert kept is not None
    assert kept["receipt"] == state.kept
    site.receipts[state.hand] = state.text
    page.get_by_role("button", name="Look again").click()
    expect(page.locator("h1")).to_have_text(VERIFIED)
    page.reload()
    shown(page)
    expect(page.locator("h1")).to_have_text(VERIFIED)
    expect(page.locator(".mine .items")).to_contain_text("commit receipt, kept by this browser")
    page.get_by_role("button", name="Forget").click()
    expect(page.locator("h1")).to_have_text(CONSISTENT)
    assert stored(page, state.hand) is None


def test_what_was_kept_first_stays(page: Page, site: Site) -> None:
    state = states()["verified"]
    assert state.kept is not None
    visit(page, site, state.hand, state.kept)
    first = stored(page, state.hand)
    site.receipts[state.hand] = state.kept.replace(" ", "  ")
    page.get_by_role("button", name="Look again").click()
    page.wait_for_timeout(300)
    assert stored(page, state.hand) == first


def test_a_finished_hand_is_not_kept_as_if_from_before(open_page: MakePage, site: Site) -> None:
    page = open_page()
    state = states()["consistent"]
    visit(page, site, state.hand, state.text)
    assert stored(page, state.hand) is None


def test_a_receipt_that_does_not_hold_is_not_kept(open_page: MakePage, site: Site) -> None:
    page = open_page()
    state = states()["committed"]
    document = state.document
    document["vkey"] = Dealer(9).log.signer.verifier.text()
    visit(page, site, state.hand, json.dumps(document))
    expect(page.locator(".tone-refuted")).to_be_visible()
    assert stored(page, state.hand) is None


def test_commitment_receipt_seed_and_tiles_as_text(open_page: MakePage, site: Site) -> None:
    page = open_page()
    state = states()["verified"]
    assert state.kept is not None
    assert state.seed is not None
    visit(page, site, state.hand, state.text)
    commit = json.loads(json.loads(state.kept)["entries"][0]["entry"])
    give(page, commit["commitment"])
    expect(page.locator("h1")).to_have_text(VERIFIED)
    expect(page.locator(".rests")).to_contain_text(
        "Only the operator together with all of these: Seat 0 and Seat 2"
    )
    seat, seed = state.seed
    give(page, seed, "seed", seat)
    expect(page.locator(".rests")).to_contain_text("Nobody: your own seed is in the shuffle")
    expect(page.locator(".holder").first).to_contain_text("you")
    tiles = [tile_name(tile) for tile in state.document["deal"]["hands"][2]]
    give(page, " ".join(reversed(tiles)).lower(), "tiles", 2)
    page.locator(".check[data-check=seen] > summary").click()
    expect(page.locator(".seen-list li")).to_have_count(3)
    expect(page.locator(".seen-list")).to_contain_text("They are the ones that were dealt.")
    expect(page.locator(".mine .items li")).to_have_count(3)
    assert violations(page) == []
    page.locator(".mine .items button").first.click()
    expect(page.locator("h1")).to_have_text(CONSISTENT)
    expect(page.locator(".sentence")).to_contain_text("so does what you kept")


def test_other_tiles_refute(open_page: MakePage, site: Site) -> None:
    page = open_page()
    state = states()["verified"]
    visit(page, site, state.hand, state.text)
    give(page, "R1 R2 R3", "tiles", 1)
    expect(page.locator(".tone-refuted .sentence")).to_contain_text("What you kept")
    page.locator(".check[data-check=seen] > summary").click()
    expect(page.locator(".seen-list")).to_contain_text("Other tiles were dealt to that seat.")


def test_another_hands_receipt_is_set_aside(open_page: MakePage, site: Site) -> None:
    page = open_page()
    state = states()["verified"]
    visit(page, site, state.hand, state.text)
    give(page, commitment_of(state))
    give(page, states()["committed"].text)
    expect(page.locator("h1")).to_have_text(VERIFIED)
    expect(page.locator(".mine .items li").nth(0)).not_to_contain_text("another hand")
    expect(page.locator(".mine .items li").nth(1)).to_contain_text("It belongs to another hand.")
    page.locator(".mine .items button").first.click()
    expect(page.locator("h1")).to_have_text(CONSISTENT)
    expect(page.locator(".mine .items li")).to_contain_text("It belongs to another hand.")
    page.locator(".check[data-check=seen] > summary").click()
    expect(page.locator(".seen-list")).to_contain_text("It belongs to another hand.")


@pytest.mark.parametrize(
    ("kind", "text"), [("any", "zz"), ("seed", "ab"), ("tiles", "X1 R99"), ("any", "{}")]
)
def test_what_cannot_be_used_is_told(open_page: MakePage, site: Site, kind: str, text: str) -> None:
    page = open_page()
    state = states()["consistent"]
    visit(page, site, state.hand, state.text)
    give(page, text, kind)
    expect(page.locator(".give .wrong")).to_contain_text("This cannot be used")
    assert page.evaluate("document.activeElement.id") == "mine-text"


def test_pinned_key(page: Page, site: Site) -> None:
    state = states()["consistent"]
    visit(page, site, state.hand, state.text)
    page.fill("#keys-text", "nonsense")
    page.get_by_role("button", name="Trust this key").click()
    expect(page.locator(".mine .wrong").filter(has_text="not a log key")).to_be_visible()
    page.fill("#keys-text", state.vkey)
    page.get_by_role("button", name="Trust this key").click()
    expect(page.locator(".rests")).to_contain_text("signed by a key that you trust")
    expect(page.locator(".check[data-check=signature]")).to_have_class("check result-pass")
    page.reload()
    shown(page)
    expect(page.locator(".check[data-check=signature]")).to_have_class("check result-pass")
    page.get_by_role("button", name="Remove: log.example").click()
    expect(page.locator(".check[data-check=signature]")).to_have_class("check result-absent")


def test_pinned_key_of_the_same_name_that_did_not_sign_refutes(open_page: MakePage, site: Site) -> None:
    page = open_page()
    state = states()["consistent"]
    name = state.vkey.split("+")[0]
    visit(page, site, state.hand, state.text)
    page.fill("#keys-text", Signer(name, bytes(32)).verifier.text())
    page.get_by_role("button", name="Trust this key").click()
    expect(page.locator(".tone-refuted .sentence")).to_contain_text("“Signed log”")


def test_a_link_hands_over_what_a_game_kept(make_page: MakePage, site: Site) -> None:
    state = states()["verified"]
    page = make_page()
    page.goto(f"{site.url}/verify")
    shown(page, "start")
    packed = page.evaluate(
        """async text => (await import("/verify-assets/page/share.js")).pack(text)""",
        json.dumps({"v": 1, "at": 1_800_000_000_000, "receipt": state.kept}),
    )
    site.receipts[state.hand] = state.text
    page.goto(f"{site.url}/verify/{state.hand}#kept={packed}")
    shown(page)
    expect(page.locator("h1")).to_have_text(CLAIMED)
    # The reader is told that it was the link that brought it, and can put it aside.
    expect(page.locator(".rests")).to_contain_text("What the link says was kept")
    expect(page.locator(".mine .items")).to_contain_text("handed over by the link")
    page.get_by_role("button", name="Remove").click()
    expect(page.locator("h1")).to_have_text(CONSISTENT)


def commitment_of(state: State) -> str:
    found: str = json.loads(state.document["entries"][0]["entry"])["commitment"]
    return found


def test_what_only_a_link_says_was_kept_is_not_green_until_the_reader_confirms_it(
    page: Page, site: Site
) -> None:
    state = states()["claimed"]
    commitment = commitment_of(state)
    assert state.seed is not None
    seat, seed = state.seed
    link = f"#commitment={commitment.upper()}&seed={seat}:{seed.upper()}"
    visit(page, site, state.hand, state.text, fragment=link)
    expect(page.locator("h1")).to_have_text(CLAIMED)
    expect(page.locator(".eyebrow")).to_have_text("Verdict: Verified")
    expect(page.locator(".sentence")).to_contain_text(f"{commitment[:8]}…{commitment[-8:]}")
    expect(page.locator(".rest-pass, .tone-verified")).to_have_count(0)
    expect(page.locator("#link-unread")).to_have_count(0)
    assert stored(page, state.hand) is None
    page.locator("#link-confirm").click()
    expect(page.locator(".tone-verified h1")).to_have_text(VERIFIED)
    expect(page.locator("#link-confirm")).to_have_count(0)
    assert page.evaluate("document.activeElement.id") == "verdict-title"
    expect(page.locator(".rests")).to_contain_text("Nobody: your own seed is in the shuffle")
    expect(page.locator(".mine .items")).to_contain_text("you said on")
    kept = stored(page, state.hand)
    assert kept is not None
    del kept["at"]
    assert kept == {"v": 1, "commitment": commitment, "seat": seat, "seed": seed, "confirmed": True}
    page.reload()
    shown(page)
    expect(page.locator("h1")).to_have_text(VERIFIED)


def test_a_link_beside_what_the_page_kept_asks_nothing(page: Page, site: Site) -> None:
    state = states()["verified"]
    visit(page, site, state.hand, state.text, state.kept, fragment=states()["claimed"].fragment)
    expect(page.locator("h1")).to_have_text(VERIFIED)
    expect(page.locator("#link-confirm")).to_have_count(0)


def test_a_link_confirmed_where_the_store_is_closed_counts_for_the_visit(page: Page, site: Site) -> None:
    close_store(page)
    state = states()["claimed"]
    visit(page, site, state.hand, state.text, fragment=state.fragment)
    page.locator("#link-confirm").click()
    expect(page.locator(".tone-verified h1")).to_have_text(VERIFIED)
    expect(page.locator(".mine .items li")).to_have_count(1)


def test_an_undealt_hand_is_not_proven_by_a_link_either(page: Page, site: Site) -> None:
    state = states()["expired"]
    visit(page, site, state.hand, state.text, fragment=f"#commitment={commitment_of(state)}")
    expect(page.locator(".sentence")).to_contain_text("Anyone can write such a link")
    expect(page.locator(".rests")).to_contain_text("What the link says was kept")
    page.locator("#link-confirm").click()
    expect(page.locator(".rests")).to_contain_text("What was kept before the hand agrees with it.")


@pytest.mark.parametrize(
    "fragment",
    [
        "#commitment=xyz",
        "#commitment=",
        "#seed=0:xyz",
        "#kept=%%%",
        "#kept=AAAA",
        "#commitment={commitment}&commitment={other}",
        "#commitment={other}&commitment={commitment}",
        "#kept=AAAA&commitment={commitment}",
    ],
)
def test_a_link_that_cannot_be_read_says_so(page: Page, site: Site, fragment: str) -> None:
    state = states()["claimed"]
    link = fragment.format(commitment=commitment_of(state), other="ab" * 32)
    visit(page, site, state.hand, state.text, fragment=link)
    expect(page.locator("h1")).to_have_text(CONSISTENT)
    expect(page.locator("#link-unread")).to_contain_text("cannot be read")
    if fragment == "#commitment=xyz":
        assert violations(page) == []
    page.get_by_role("button", name="Türkçe").click()
    expect(page.locator("#link-unread")).to_contain_text("okunamıyor")


def test_what_can_be_read_of_a_link_is_compared_all_the_same(page: Page, site: Site) -> None:
    state = states()["claimed"]
    visit(page, site, state.hand, state.text, fragment=f"#commitment={'ab' * 32}&seed=0:xyz")
    expect(page.locator(".tone-refuted")).to_be_visible()
    expect(page.locator("#link-unread")).to_be_visible()


def close_store(page: Page) -> None:
    page.add_init_script(
        """Object.defineProperty(window, "localStorage", {
          get() { throw new DOMException("closed", "SecurityError"); },
        })"""
    )


def test_a_closed_store_changes_nothing_but_the_keeping(page: Page, site: Site) -> None:
    close_store(page)
    state = states()["committed"]
    visit(page, site, state.hand, state.text)
    expect(page.locator("h1")).to_have_text("The hand has not been dealt yet")
    expect(page.locator(".kept-note")).to_contain_text("Save the document")


@pytest.mark.parametrize("item", ["nonsense", '{"v":2}', '{"v":1,"at":1,"receipt":"broken"}', "[]", "null"])
def test_a_spoilt_store_is_not_the_hands_fault(open_page: MakePage, site: Site, item: str) -> None:
    page = open_page()
    state = states()["consistent"]
    page.evaluate("([hand, item]) => localStorage.setItem(`fairdeal:hand:${hand}`, item)", [state.hand, item])
    visit(page, site, state.hand, state.text)
    expect(page.locator("h1")).to_have_text(CONSISTENT)

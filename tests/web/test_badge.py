"""The badge's life inside a game: seal, commit, seed, lock, reveal; and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from fairdeal.note import Signer
from fairdeal.seeds import Seal, lucky_seed, seal
from tests.dealer import Dealer, Hand, text_of
from tests.web.conftest import MakePage, shown, violations
from tests.web.site import Site, serve

STATE = "document.querySelector('fair-deal-badge').state"
CODE = """async (act) => {
  try { await act(); return "fine"; } catch (error) { return error.code ?? String(error); }
}"""


class Sealed(Hand):
    """A hand with seals of players whose seeds its dealer does not know yet."""

    given: tuple[Seal, ...] = ()

    @property
    def seals(self) -> tuple[Seal, ...]:
        own = [one for one in super().seals if one.seat not in {seal.seat for seal in self.given}]
        return tuple(sorted([*own, *self.given], key=lambda one: one.seat))


class Table(Dealer):
    """A dealer at whose table other people's clients sit."""

    def committed_with(self, given: dict[int, str], sealed: tuple[int, ...] = ()) -> Sealed:
        drawn = self.random("hand", 16), self.random("server seed")
        hand = Sealed(
            drawn[0],
            "table-1",
            len(self.hands) + 1,
            self.commit().terms,
            drawn[1],
            {seat: self.random("client seed") for seat in sealed},
        )
        hand.given = tuple(Seal(seat, bytes.fromhex(one)) for seat, one in given.items())
        self.log_commit(hand)
        return hand


def example(page: Page, site: Site) -> None:
    page.goto(f"{site.url}/verify-assets/badge-example.html")
    until(page, "customElements.get('fair-deal-badge') !== undefined")


def until(page: Page, expression: str) -> None:
    """Wait until an expression holds; the page's policy allows no evaluation of text inside it."""
    for _ in range(200):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    raise AssertionError(expression)


def says(page: Page) -> str:
    return page.locator("fair-deal-badge").locator("span").inner_text()


def prepared(page: Page, seat: int, words: str = "") -> str:
    page.select_option("#seat", str(seat))
    page.fill("#words", words)
    page.click("#prepare")
    return page.input_value("#seal")


def test_the_whole_life_of_a_hand(make_page: MakePage, site: Site) -> None:
    page = make_page()
    example(page, site)
    assert says(page) == "Fair deal: waiting"
    own_seal = prepared(page, 2, "şans İı 🀄")
    assert prepared(page, 2) != own_seal

    dealer = Table(11)
    hand = dealer.committed_with({2: own_seal}, sealed=(0,))
    page.click("#open")
    expect(page.locator("#trouble")).to_contain_text("no commit receipt of this hand was checked")
    assert page.input_value("#seed") == ""

    commit_receipt = text_of(dealer.receipt(hand, upto="commit"))
    site.receipts[hand.hand.hex()] = commit_receipt
    page.fill("#receipt", commit_receipt)
    page.click("#check")
    until(page, f"{STATE} === 'committed'")
    page.click("#open")
    opened = bytes.fromhex(page.input_value("#seed"))
    assert seal(opened).hex() == own_seal
    assert violations(page) == []

    hand.client_seeds[2] = opened
    dealer.lock(hand)
    site.receipts[hand.hand.hex()] = text_of(dealer.receipt(hand, upto="lock"))
    assert page.evaluate("document.querySelector('fair-deal-badge').refresh()") == "locked"
    assert says(page) == "Fair deal: seed is in"
    # Once the hand is locked nothing more is opened.
    page.evaluate("document.getElementById('seed').value = ''")
    page.click("#open")
    expect(page.locator("#trouble")).to_contain_text("locked already")

    dealer.end(hand, "played")
    site.receipts[hand.hand.hex()] = text_of(dealer.receipt(hand))
    assert page.evaluate("document.querySelector('fair-deal-badge').refresh()") == "verified"
    assert page.evaluate("document.querySelector('fair-deal-badge').report.grinding") == "nobody"
    assert says(page) == "Dealt honestly"
    assert violations(page) == []

    # Its link takes along what it kept to the page, whose store is another one.
    until(page, "document.querySelector('fair-deal-badge').shadowRoot.querySelector('a').hash !== ''")
    link = page.evaluate("document.querySelector('fair-deal-badge').shadowRoot.querySelector('a').href")
    other = make_page(fresh=True)
    other.goto(link)
    shown(other)
    expect(other.locator("h1")).to_have_text("Dealt honestly, if this is what you kept")
    expect(other.locator(".rests")).to_contain_text("Nobody, if what came with your link is what you kept")


def test_link_never_holds_a_seed_that_is_not_opened(page: Page, site: Site) -> None:
    example(page, site)
    own_seal = prepared(page, 1)
    dealer = Table(12)
    hand = dealer.committed_with({1: own_seal})
    site.receipts[hand.hand.hex()] = text_of(dealer.receipt(hand, upto="commit"))
    page.fill("#receipt", text_of(dealer.receipt(hand, upto="commit")))
    page.click("#check")
    until(page, "document.querySelector('fair-deal-badge').shadowRoot.querySelector('a').hash !== ''")
    kept = page.evaluate(
        """async () => {
          const { unpack } = await import("/verify-assets/page/share.js");
          const { hash } = document.querySelector("fair-deal-badge").shadowRoot.querySelector("a");
          return JSON.parse(await unpack(hash.slice("#kept=".length)));
        }"""
    )
    assert set(kept) == {"v", "at", "receipt"}


def refusal(page: Page, receipt: str) -> str:
    found: str = page.evaluate(
        f"async receipt => ({CODE})(() => document.querySelector('fair-deal-badge').committed(receipt))",
        receipt,
    )
    return found


def opening(page: Page) -> str:
    found: str = page.evaluate(
        f"async () => ({CODE})(() => document.querySelector('fair-deal-badge').open())"
    )
    return found


def tampered(change: Callable[[dict[str, Any]], None]) -> Callable[[str], str]:
    def apply(text: str) -> str:
        document = json.loads(text)
        change(document)
        return json.dumps(document)

    return apply


def drop_proof(document: dict[str, Any]) -> None:
    document["entries"][0]["proof"] = document["entries"][0]["proof"][1:]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda text: "nonsense", "not-receipt"),
        (lambda text: text[:-2], "not-receipt"),
        (tampered(lambda document: document.update(entries=[])), "not-receipt"),
        (tampered(drop_proof), "refuted"),
        (
            tampered(lambda document: document.update(vkey=Signer("else", bytes(32)).verifier.text())),
            "refuted",
        ),
    ],
    ids=["no JSON", "cut", "no entries", "wrong proof", "another key"],
)
def test_a_receipt_that_does_not_hold_opens_nothing(
    page: Page, site: Site, change: Callable[[str], str], code: str
) -> None:
    example(page, site)
    own_seal = prepared(page, 0)
    dealer = Table(13)
    hand = dealer.committed_with({0: own_seal})
    assert refusal(page, change(text_of(dealer.receipt(hand, upto="commit")))) == code
    assert page.evaluate(STATE) == "trouble"
    assert opening(page) == "not-committed"


def test_a_seal_that_is_missing_or_under_another_seat_opens_nothing(page: Page, site: Site) -> None:
    example(page, site)
    own_seal = prepared(page, 0)
    dealer = Table(14)
    missing = dealer.committed_with({})
    site.receipts[missing.hand.hex()] = text_of(dealer.receipt(missing, upto="commit"))
    assert refusal(page, text_of(dealer.receipt(missing, upto="commit"))) == "fine"
    assert opening(page) == "no-seal"
    elsewhere = dealer.committed_with({3: own_seal})
    site.receipts[elsewhere.hand.hex()] = text_of(dealer.receipt(elsewhere, upto="commit"))
    assert refusal(page, text_of(dealer.receipt(elsewhere, upto="commit"))) == "no-seal"


def test_the_games_key_must_have_signed(page: Page, site: Site) -> None:
    example(page, site)
    own_seal = prepared(page, 0)
    dealer = Table(15)
    hand = dealer.committed_with({0: own_seal})
    receipt = text_of(dealer.receipt(hand, upto="commit"))
    site.receipts[hand.hand.hex()] = receipt
    stranger = Signer("elsewhere", bytes(32)).verifier.text()
    page.evaluate("key => document.querySelector('fair-deal-badge').setAttribute('key', key)", stranger)
    assert refusal(page, receipt) == "refuted"
    own = dealer.log.signer.verifier.text()
    page.evaluate("key => document.querySelector('fair-deal-badge').setAttribute('key', key)", own)
    assert refusal(page, receipt) == "fine"


def test_a_swapped_seed_is_seen_at_the_lock(page: Page, site: Site) -> None:
    example(page, site)
    own_seal = prepared(page, 0)
    dealer = Table(16)
    hand = dealer.committed_with({0: own_seal})
    site.receipts[hand.hand.hex()] = text_of(dealer.receipt(hand, upto="commit"))
    assert refusal(page, site.receipts[hand.hand.hex()]) == "fine"  # type: ignore[arg-type]  # a text, as just set
    hand.client_seeds[0] = bytes(32)
    dealer.lock(hand)
    site.receipts[hand.hand.hex()] = text_of(dealer.receipt(hand, upto="lock"))
    assert page.evaluate("document.querySelector('fair-deal-badge').refresh()") == "refuted"
    assert says(page) == "This does not add up"


def test_two_commits_for_one_hand_are_seen(page: Page, site: Site) -> None:
    example(page, site)
    own_seal = prepared(page, 0)
    first, second = Table(17), Table(17)
    hand = first.committed_with({0: own_seal})
    site.receipts[hand.hand.hex()] = text_of(first.receipt(hand, upto="commit"))
    assert refusal(page, text_of(first.receipt(hand, upto="commit"))) == "fine"
    again = second.committed_with({0: own_seal, 1: "ab" * 32})
    assert again.hand == hand.hand
    assert refusal(page, text_of(second.receipt(again, upto="commit"))) == "refuted"


def test_lucky_words_are_hashed_as_typed(page: Page, site: Site) -> None:
    example(page, site)
    for words in ("  a  b ", "İı", "e\u0301", "é", "🀄", "x" * 10_000, "undefined"):
        found = page.evaluate(
            """async words => {
              const { luckySeed, toHex } = await import("/verify-assets/protocol/index.js");
              return toHex(luckySeed(new Uint8Array(32), words));
            }""",
            words,
        )
        assert found == lucky_seed(bytes(32), words).hex()


def test_badge_speaks_turkish_and_needs_a_seat(page: Page, site: Site) -> None:
    example(page, site)
    page.evaluate("document.documentElement.lang = 'tr'; document.querySelector('fair-deal-badge').refresh()")
    page.evaluate("document.querySelector('fair-deal-badge').setAttribute('poll', '0')")
    assert says(page) == "Adil dağıtım: bekleniyor"
    page.evaluate("document.querySelector('fair-deal-badge').removeAttribute('seat')")
    assert "needs a seat" in page.evaluate(
        f"async () => ({CODE})(() => document.querySelector('fair-deal-badge').prepare())"
    )


def test_embeds_into_another_origin(page: Page, site: Site) -> None:
    """A game on its own origin, with a strict policy that allows just the service."""
    dealer = Table(18)
    hand = dealer.play(sealed=(0,))
    site.receipts[hand.hand.hex()] = text_of(dealer.receipt(hand))
    with serve() as game:
        game.policy = f"default-src 'none'; script-src {site.url}; connect-src {site.url}; img-src data:"
        game.page = f"""<!doctype html><html lang="en"><title>game</title><link rel="icon" href="data:,">
          <script type="module" src="{site.url}/verify-assets/badge.js"></script>
          <fair-deal-badge hand="{hand.hand.hex()}" server="{site.url}/"></fair-deal-badge>"""
        site.games.append(game.url)
        page.goto(game.url)
        until(page, f"{STATE} === 'consistent'")
        assert says(page) == "Nothing contradicts it"

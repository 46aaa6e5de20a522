"""Every way in which a document gets onto the page, and out of it again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.dealer import Dealer, text_of
from tests.web.conftest import MakePage, paste, shown, start, violations, visit
from tests.web.site import Site
from tests.web.states import states


def test_chosen_file(page: Page, site: Site, tmp_path: Path) -> None:
    file = tmp_path / "receipt.json"
    file.write_text(json.dumps(states()["consistent"].document, indent=2))
    start(page, site)
    page.set_input_files("#source-file", file)
    expect(page.locator("h1")).to_have_text("Nothing contradicts it")


def test_dropped_file(page: Page, site: Site) -> None:
    start(page, site)
    page.evaluate(
        """text => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([text], "receipt.json", { type: "application/json" }));
          for (const type of ["dragover", "drop"]) {
            const how = { dataTransfer, bubbles: true, cancelable: true };
            document.body.dispatchEvent(new DragEvent(type, how));
          }
        }""",
        states()["consistent"].text,
    )
    expect(page.locator("h1")).to_have_text("Nothing contradicts it")


def test_a_file_dropped_on_the_list_that_cannot_be_read_is_told(open_page: MakePage, site: Site) -> None:
    page = open_page()
    paste(page, site, f"{states()['consistent'].text}\n{states()['plain'].text}", "many")
    expect(page.locator(".many > [role=status]")).to_have_text("2 lines checked: 2 hands.")
    page.evaluate(
        """() => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([new Uint8Array([0xff, 0xfe])], "photo.jpg"));
          const how = { dataTransfer, bubbles: true, cancelable: true };
          document.body.dispatchEvent(new DragEvent("drop", how));
        }"""
    )
    expect(page.locator(".complaint")).to_have_text("This file is not text. A receipt is a JSON file.")
    # The list is still there.
    expect(page.locator("tbody tr")).to_have_count(2)
    page.locator("tbody tr button").first.click()
    shown(page)
    expect(page.locator(".complaint")).to_have_count(0)


def test_pasting_needs_no_button(page: Page, site: Site) -> None:
    start(page, site)
    page.locator("#source-text").focus()
    page.evaluate(
        """text => {
          const area = document.getElementById("source-text");
          area.value = text;
          area.dispatchEvent(new ClipboardEvent("paste", { bubbles: true }));
        }""",
        states()["record"].text,
    )
    expect(page.locator("h1")).to_have_text("Nothing contradicts it")


def test_bad_files_and_empty_input(page: Page, site: Site, tmp_path: Path) -> None:
    start(page, site)
    page.get_by_role("button", name="Verify").click()
    expect(page.get_by_role("alert").filter(has_text="nothing to verify yet")).to_be_visible()
    binary = tmp_path / "picture.png"
    binary.write_bytes(b"\x89PNG\xff\xfe")
    page.set_input_files("#source-file", binary)
    expect(page.get_by_role("alert").filter(has_text="not text")).to_be_visible()
    page.fill("#source-hand", "twelve")
    page.get_by_role("button", name="Look it up").click()
    expect(page.get_by_role("alert").filter(has_text="no hand’s number")).to_be_visible()


BOM = {
    "en": "it begins with a byte order mark (BOM), which is no part of JSON; save the file without one",
    "tr": "bayt sırası işaretiyle (BOM) başlıyor; dosyayı bu işaret olmadan kaydedin",
}


@pytest.mark.parametrize("language", BOM)
@pytest.mark.parametrize("lines", [1, 2])
def test_a_file_with_a_byte_order_mark_says_how_to_save_it(
    open_page: MakePage, tmp_path: Path, language: str, lines: int
) -> None:
    page = open_page(language=language)
    file = tmp_path / "receipts.jsonl"
    file.write_text("\n".join([states()["consistent"].text, states()["plain"].text][:lines]), "utf-8-sig")
    page.set_input_files("#source-file", file)
    shown(page, "refused" if lines == 1 else "many")
    said = page.locator(".sentence" if lines == 1 else "tbody tr.row-refused")
    expect(said).to_have_count(1)
    expect(said).to_contain_text(BOM[language])


def test_hand_by_its_number_or_link(page: Page, site: Site) -> None:
    state = states()["consistent"]
    site.receipts[state.hand] = state.text
    start(page, site)
    page.fill("#source-hand", f"https://okey.example/verify/{state.hand.upper()}")
    page.get_by_role("button", name="Look it up").click()
    shown(page)
    expect(page.locator("h1")).to_have_text("Nothing contradicts it")


def fill_fields(page: Page, *, everything: bool) -> None:
    record = json.loads(states()["record"].text)
    page.locator(".source-fields > summary").click()
    page.fill("#field-hand", record["hand"])
    page.fill("#field-commitment", record["commitment"])
    page.fill("#field-server_seed", f"  {record['server_seed']}\n")
    page.select_option("#field-dealer", str(record["terms"]["dealer"]))
    for seal in record["seals"]:
        page.fill(f"#field-seal-{seal['seat']}", seal["seal"])
    for opened in record["contributions"]:
        page.fill(f"#field-seed-{opened['seat']}", opened["seed"])
    if everything:
        page.fill("#field-deal", json.dumps(record["deal"]))
    page.locator(".fields > .button-main").click()


def test_fields_by_hand(page: Page, site: Site) -> None:
    start(page, site)
    fill_fields(page, everything=True)
    shown(page)
    expect(page.locator("h1")).to_have_text("Nothing contradicts it")
    assert violations(page) == []


def test_fields_left_empty_are_not_passed(page: Page, site: Site) -> None:
    start(page, site)
    fill_fields(page, everything=False)
    shown(page)
    expect(page.locator("h1")).to_have_text("Not all of it was shown")
    # The seeds give the whole deal all the same.
    expect(page.locator(".rack")).to_have_count(4)


CHARACTERS = "it may hold only digits and the small letters a to f"
CAPITALS = "write the letters a to f small; capital letters are refused"


@pytest.mark.parametrize(
    ("field", "value", "said", "place"),
    [
        ("hand", "zz", f"Hand id: {CHARACTERS}", "hand"),
        ("hand", "", "Hand id: it is needed", "hand"),
        ("commitment", "AB" * 32, f"Commitment (its fingerprint): {CAPITALS}", "commitment"),
        ("commitment", "0x" + "ab" * 31, f"Commitment (its fingerprint): {CHARACTERS}", "commitment"),
        ("server_seed", "ab", "Server seed (the secret): it must be 64 characters, not 2", "server_seed"),
        ("server_seed", "ab " * 22, f"Server seed (the secret): {CHARACTERS}", "server_seed"),
        ("seal-1", "aB" * 32, f"Seat 1, Seal: {CAPITALS}", "seal-1"),
        ("deal_root", "Ab" * 32, f"Fixed by the lock (deal_root): {CAPITALS}", "deal_root"),
        # A client seed without its seal leads to the seal that is missing.
        ("seed-1", "ab" * 32, "Seat 1: a client seed needs its seal", "seal-1"),
        ("deal", '{"order": [1], "order": [2]}', "deal: a name occurs twice", "deal"),
        ("deal", '{"order": [1.0]}', "deal: a number is not a plain whole number", "deal"),
    ],
)
def test_wrong_fields_are_told(open_page: MakePage, field: str, value: str, said: str, place: str) -> None:
    page = open_page()
    page.locator(".source-fields > summary").click()
    page.fill("#field-hand", "ab" * 16)
    page.fill(f"#field-{field}", value)
    page.locator(".fields > .button-main").click()
    expect(page.locator(".fields .wrong")).to_contain_text(said)
    wrong = page.locator(f"#field-{place}")
    expect(wrong).to_be_focused()
    expect(wrong).to_have_attribute("aria-invalid", "true")
    expect(wrong).to_have_accessible_description(page.locator(".fields .wrong").inner_text())
    expect(page.locator("[aria-invalid]")).to_have_count(1)
    shown(page, "start")
    # What is put right is marked no longer.
    page.fill(f"#field-{place}", "" if place != "hand" else "ab" * 16)
    page.fill("#field-seed-1", "")
    page.locator(".fields > .button-main").click()
    shown(page)


def test_deck_fields(page: Page, site: Site) -> None:
    start(page, site)
    page.locator(".source-fields > summary").click()
    page.select_option("#field-game", "deck")
    expect(page.locator("#field-size")).to_be_visible()
    page.select_option("#field-seats", "16")
    expect(page.locator(".seat-fields fieldset")).to_have_count(16)
    page.fill("#field-hand", "ab" * 16)
    page.fill("#field-server_seed", "cd" * 32)
    page.locator(".fields > .button-main").click()
    shown(page)
    expect(page.locator(".felt .card")).to_have_count(52)


DECK_SIZE = {
    "en": "Cards in the deck: it must be a whole number from 2 to 1024.",
    "tr": "Destedeki kart sayısı: 2 ile 1024 arasında bir tam sayı olmalı.",
}


@pytest.mark.parametrize("language", DECK_SIZE)
def test_a_wrong_deck_size_names_its_range(open_page: MakePage, language: str) -> None:
    page = open_page(language=language)
    page.locator(".source-fields > summary").click()
    page.select_option("#field-game", "deck")
    page.fill("#field-hand", "ab" * 16)
    for size in ("1", "1025", "-52", "52.5", ""):
        page.fill("#field-size", size)
        page.locator(".fields > .button-main").click()
        expect(page.locator(".fields .wrong")).to_have_text(DECK_SIZE[language])
        expect(page.locator("#field-size")).to_be_focused()
    page.fill("#field-size", "1024")
    page.locator(".fields > .button-main").click()
    shown(page)


def test_link_carries_a_pasted_document(make_page: MakePage, site: Site) -> None:
    page = make_page(permissions=["clipboard-read", "clipboard-write"])
    paste(page, site, states()["record"].text)
    page.get_by_role("button", name="Share").click()
    expect(page.locator(".shared")).to_contain_text("The link is copied.")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link.startswith(f"{site.url}/verify#doc=")
    other = make_page()
    other.goto(link)
    shown(other)
    expect(other.locator("h1")).to_have_text("Nothing contradicts it")
    other.goto(link[:-40])
    shown(other, "problem")
    expect(other.locator(".sentence")).to_contain_text("damaged")
    # What a link holds is never sent.
    assert not any("doc" in path for path in site.asked)


def test_link_of_a_fetched_hand_is_its_address(page: Page, site: Site) -> None:
    state = states()["consistent"]
    visit(page, site, state.hand, state.text)
    page.get_by_role("button", name="Share").click()
    expect(page.get_by_label("Link to this hand")).to_have_value(f"{site.url}/verify/{state.hand}")


def test_too_long_for_a_link_says_so(page: Page, site: Site) -> None:
    document = states()["consistent"].document
    # Proofs of random bytes, as far as the form allows them: nothing deflates those.
    filler = Dealer(3)
    for entry in document["entries"]:
        entry["proof"] = [__import__("base64").b64encode(filler.random("proof")).decode() for _ in range(64)]
    paste(page, site, json.dumps(document))
    page.get_by_role("button", name="Share").click()
    expect(page.locator(".shared")).to_contain_text("too long for a link")


def test_document_can_be_saved_as_it_was(page: Page, site: Site) -> None:
    state = states()["consistent"]
    visit(page, site, state.hand, state.text)
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save document").click()
    assert saved.value.suggested_filename == f"fairdeal-{state.hand}.json"
    assert Path(saved.value.path()).read_text() == state.text


def test_a_thousand_hands(page: Page, site: Site, tmp_path: Path) -> None:
    dealer = Dealer(8)
    hands = [dealer.play(sealed=(0,)) for _ in range(997)]
    lines = [text_of(dealer.receipt(hand)) for hand in hands]
    wrong = json.loads(lines[500])
    wrong["deal"]["hands"] = wrong["deal"]["hands"][::-1]
    lines[500] = json.dumps(wrong)
    committed = dealer.commit()
    lines += ["no JSON", text_of(dealer.receipt(committed, upto="commit")), states()["lost"].text]
    # One hand is told again, in a record; one line stands twice; and empty lines are no lines.
    lines += [text_of(dealer.record(hands[7])), lines[8]]
    file = tmp_path / "evening.jsonl"
    file.write_text("\n\n" + "\n".join(lines) + "\n\n")
    start(page, site)
    # One of them was kept before.
    kept = text_of(dealer.receipt(hands[3], upto="commit"))
    page.evaluate(
        "([hand, kept]) => localStorage.setItem(`fairdeal:hand:${hand}`, kept)",
        [hands[3].hand.hex(), json.dumps({"v": 1, "at": 1, "receipt": kept})],
    )
    page.set_input_files("#source-file", file)
    shown(page, "many")
    expect(page.locator(".many > [role=status]")).to_have_text(
        "1,002 lines checked: 999 hands, 2 lines that repeat a hand, and 1 line without a readable hand.",
        timeout=60_000,
    )
    chips = page.locator(".many > .chips")
    expect(chips.locator("button")).to_have_text(
        [
            "All (1,002)",
            "verified (1)",
            "consistent (997)",
            "incomplete (2)",
            "refuted (1)",
            "unreadable (1)",
            "repeated (2)",
        ]
    )
    for rows in (200, 700):
        expect(page.locator("tbody tr")).to_have_count(rows)
        page.get_by_role("button", name="Show more").click()
    expect(page.locator("tbody tr")).to_have_count(1002)
    expect(page.get_by_role("button", name="Show more")).to_be_hidden()
    expect(page.locator("tbody tr").first.locator("td").first).to_have_text("3")
    chips.get_by_role("button", name="repeated").click()
    expect(page.locator("tbody tr")).to_have_count(2)
    expect(page.locator("tbody tr .again")).to_have_text(
        ["line 10 shows this hand too", "the same as line 11"]
    )
    chips.get_by_role("button", name="unreadable").click()
    expect(page.locator("tbody tr td").first).to_have_text("1,000")
    expect(page.locator("tbody tr")).to_contain_text("it is not JSON")
    chips.get_by_role("button", name="refuted").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.locator("tbody tr")).to_contain_text("hands misdealt")
    assert violations(page) == []
    page.locator("tbody tr button").click()
    shown(page)
    expect(page.locator("h1")).to_have_text("This does not add up")
    page.get_by_role("button", name="Back to the list").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    chips.get_by_role("button", name="All").click()
    page.fill("#many-words", hands[42].hand.hex()[:9])
    expect(page.locator("tbody tr")).to_have_count(1)


def test_the_address_tells_what_is_shown(page: Page, site: Site) -> None:
    first, second = states()["consistent"], states()["plain"]
    site.receipts |= {first.hand: first.text, second.hand: second.text}
    start(page, site)
    page.fill("#source-hand", first.hand)
    page.keyboard.press("Enter")
    shown(page)
    expect(page).to_have_url(f"{site.url}/verify/{first.hand}")
    page.get_by_role("button", name="Check another hand").click()
    expect(page).to_have_url(f"{site.url}/verify")
    page.fill("#source-hand", second.hand)
    page.keyboard.press("Enter")
    expect(page.locator(".about-hand")).to_contain_text(second.hand)
    page.go_back()
    shown(page, "start")
    page.go_back()
    expect(page.locator(".about-hand")).to_contain_text(first.hand)
    # A jump within the page asks nobody again.
    receipts = [path for path in site.asked if path.startswith("/v1/")]
    page.evaluate("location.hash = 'main'")
    page.wait_for_timeout(200)
    assert [path for path in site.asked if path.startswith("/v1/")] == receipts
    paste(page, site, second.text)
    expect(page).to_have_url(f"{site.url}/verify")

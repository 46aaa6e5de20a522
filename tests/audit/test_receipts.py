"""Receipts by columns: in order exactly where the core finds nothing against them, and noted alike."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given as given_each
from hypothesis import settings
from hypothesis import strategies as st

from fairdeal.audit.histories import documents, lines, receipts, receipttrial, trust
from fairdeal.audit.histories.checked import Given
from fairdeal.audit.histories.columns import pack_terms
from fairdeal.audit.kernel.lanes import LaneKernel
from fairdeal.audit.kernel.paths import heads
from fairdeal.audit.kernel.sha import ShaKernel
from fairdeal.note import Signer
from fairdeal.receipt import Receipt
from fairdeal.seen import SeenReceipt
from fairdeal.terms import DeckTerms
from tests.audit.histories import ALL_TERMS, line, record
from tests.audit.outcomes import checked
from tests.core.tamper import changed_documents
from tests.dealer import DECK, OKEY, PLAIN, STAGES, Dealer, Hand, evening

DEALER = evening(71)
SMALL_DECK = DeckTerms(12, 4, openings=True)
for _sealed in ((), (0, 3)):
    DEALER.play(SMALL_DECK, sealed=_sealed, table="small:deck")
KEY = DEALER.log.signer.verifier
NAMESAKE = Signer(KEY.name, bytes([5]) * 32).verifier
STRANGER = Signer("log.example/other", bytes([6]) * 32).verifier
KEYS = {"its key": (KEY,), "no key": (), "another log's": (STRANGER,), "a namesake's": (NAMESAKE,)}


@pytest.fixture(autouse=True)
def _no_diagnosis(monkeypatch: pytest.MonkeyPatch) -> None:
    # The cause never changes the rest, and looking for thousands of them takes minutes.
    monkeypatch.setattr(sys.modules["fairdeal.verify"], "diagnose", lambda *_: "unknown")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lines that the core was asked about after the compiled way."""
    found: list[int] = []

    class Asked(documents.Documents):
        def check(self, position: int, text: bytes) -> None:
            found.append(position)
            super().check(position, text)

    fast = lines.check_fast

    def noted(task: tuple[lines.Lines, Given]) -> Any:
        with monkeypatch.context() as inner:
            inner.setattr(lines, "Documents", Asked)
            return fast(task)

    monkeypatch.setattr("tests.audit.outcomes.check_fast", noted)
    return found


UNKEYED = Given(deals=True)


def stages(dealer: Dealer, hand: Hand) -> Iterator[Receipt]:
    for upto in STAGES:
        if upto in hand.indexes:
            yield dealer.receipt(hand, upto=upto)


def all_lines(dealer: Dealer) -> list[bytes]:
    return [line(receipt) for hand in dealer.hands for receipt in stages(dealer, hand)]


@pytest.mark.parametrize("keys", KEYS)
def test_every_ending_at_every_stage(keys: str, asked: list[int]) -> None:
    found = checked(b"\n".join(all_lines(DEALER)), Given(keys=KEYS[keys], deals=True))
    wrong = keys == "a namesake's"
    assert (found.verdicts["refuted"] > 0) == wrong
    assert found.verdicts["consistent"] > 5 or wrong
    assert found.verdicts["incomplete"] > 10 or wrong
    assert len(found.evidence) == 1
    assert bool(asked) == wrong


def test_every_kind_of_terms_is_read_by_compiled_code(asked: list[int]) -> None:
    dealer = Dealer(72)
    for k, terms in enumerate(ALL_TERMS):
        dealer.play(terms, sealed=range(k % (terms.seats + 1)))
    found = checked(b"\n".join(all_lines(dealer)), UNKEYED)
    assert found.verdicts == {"consistent": len(ALL_TERMS), "incomplete": 2 * len(ALL_TERMS)}
    assert not asked


def test_decks_larger_than_a_row_and_more_seats_go_to_the_core(asked: list[int]) -> None:
    dealer = Dealer(73)
    dealer.play(DECK, sealed=(0, 1, 2, 3, 9))
    dealer.play(DeckTerms(107, 2, openings=False))
    found = checked(b"\n".join(all_lines(dealer)), UNKEYED)
    assert set(found.verdicts) == {"consistent", "incomplete"}
    assert set(asked) == set(range(7, 13))
    assert found.hands == 6


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 8, 9, 31, 32, 33, 64, 100])
def test_trees_of_every_shape(size: int, asked: list[int]) -> None:
    dealer = Dealer(size)
    while len(dealer.log.entries) < size:
        dealer.commit(OKEY)
    whole = [dealer.receipt(hand, size=size) for hand in dealer.hands]
    found = checked(b"\n".join(map(line, whole)), UNKEYED)
    assert found.verdicts == {"incomplete": size}
    moved = []
    for one in whole:
        document = one.as_json()
        other = random.Random(size).choice(whole).as_json()
        document["entries"][0]["proof"] = other["entries"][0]["proof"]
        moved.append(line(document))
        document["entries"][0] |= {"proof": one.as_json()["entries"][0]["proof"] + ["A" * 43 + "="]}
        moved.append(line(document))
        if document["entries"][0]["proof"][:-2]:
            document["entries"][0]["proof"] = document["entries"][0]["proof"][:-2]
            moved.append(line(document))
    checked(b"\n".join(moved), UNKEYED)


@pytest.mark.parametrize("number", range(len(DEALER.hands)))
def test_every_change_of_one_value_is_told_as_the_core_tells_it(number: int) -> None:
    hand = DEALER.hands[number]
    document = DEALER.receipt(hand).as_json()
    texts = [text.encode() for _, text in changed_documents(document)]
    # All of them together take minutes: a part of each hand's, another one for every hand.
    some = texts[number % 7 :: 7]
    found = checked(b"\n".join(some), Given(keys=(KEY,) if number % 2 else (), deals=True))
    assert found.verdicts["refuted"] > len(some) / 2


PUT = [b"", b"0", b"1", b"9", b"A", b"e", b'"', b"\\", b" ", b"}", b"]", b",", b"-", b"=", b"/"]
PUT += [b"null", b"\xe2\x80\xa8", b"\xff", b"\x00", b"\t", b"\\u0041"]


@settings(max_examples=60)
@given_each(st.sampled_from(all_lines(DEALER)), st.data())
def test_any_characters_changed_anywhere(text: bytes, data: st.DataObject) -> None:
    changed = []
    for _ in range(12):
        at = data.draw(st.integers(0, len(text) - 1))
        put = data.draw(st.sampled_from(PUT))
        changed.append(text[:at] + put + text[at + data.draw(st.integers(0, 2)) :])
    checked(b"\n".join(changed), Given(keys=(KEY,), deals=True))


@settings(max_examples=40)
@given_each(st.lists(st.sampled_from([DEALER.receipt(hand) for hand in DEALER.hands]), min_size=2), st.data())
def test_parts_of_several_receipts_put_together(some: list[Receipt], data: st.DataObject) -> None:
    mixed = []
    for one in some:
        other = data.draw(st.sampled_from(some))
        document, donor = one.as_json(), other.as_json()
        pick = data.draw(st.sampled_from(["vkey", "checkpoint", "entries", "deal", "entry", "drop", "swap"]))
        if pick == "entry":
            document["entries"][-1] = donor["entries"][-1]
        elif pick == "drop":
            document["entries"].pop(data.draw(st.integers(0, len(document["entries"]) - 1)))
        elif pick == "swap":
            document["entries"].reverse()
        else:
            document[pick] = donor[pick]
        mixed.append(line(document))
    checked(b"\n".join(mixed), UNKEYED)


SPELLINGS: list[dict[str, Any]] = [
    {"separators": (",", ":")},
    {"separators": (" ,\t", " :\r")},
    {"sort_keys": True},
    {"ensure_ascii": False},
]


@pytest.mark.parametrize("how", SPELLINGS, ids=str)
def test_spacing_order_and_spelling_are_free(how: dict[str, Any], asked: list[int]) -> None:
    whole = [DEALER.receipt(hand).as_json() for hand in DEALER.hands]
    backwards = [dict(reversed(document.items())) for document in whole]
    found = checked(b"\n".join(line(document, **how) for document in [*whole, *backwards]), UNKEYED)
    assert not found.findings
    assert not asked


def test_other_escapes_and_repeated_members_are_left_to_the_core(asked: list[int]) -> None:
    text = line(DEALER.receipt(DEALER.hands[0]), separators=(",", ":"))
    other = [
        text.replace(b'\\"', b"\\u0022"),
        text.replace(b'"index"', b'"\\u0069ndex"', 1),
        text.replace(b"{", b'{"format":"fairdeal/1 receipt",', 1),
        text.replace(b'"proof":[', b'"proof":[],"proof":[', 1),
        text.replace(b'"index":', b'"index":0', 1),
        text.replace(b'"index":', b'"index":-', 1),
        text.replace(b"fairdeal/1 receipt", b"fairdeal/1 record"),
        text.replace(b"=", b"==", 1),
        b"\xef\xbb\xbf" + text,
        text + b"}",
    ]
    found = checked(b"\n".join(other), UNKEYED)
    assert len(set(asked)) == len(other)
    assert found.verdicts == {"consistent": 2, "refuted": 2, "broken": 6}


def test_base64_has_one_spelling() -> None:
    document = DEALER.receipt(DEALER.hands[0]).as_json()
    texts = []
    for k in range(4):
        other = json.loads(json.dumps(document))
        node = other["entries"][0]["proof"][0]
        last = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".index(node[42])
        stray = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[last + k]
        other["entries"][0]["proof"][0] = node[:42] + stray + "="
        texts.append(line(other))
    assert checked(b"\n".join(texts), UNKEYED).verdicts == {"consistent": 1, "refuted": 3}


def test_checkpoints_of_several_sizes_and_signers_in_one_stretch(asked: list[int]) -> None:
    hand = DEALER.hands[0]
    some = [DEALER.receipt(hand, size=size) for size in (3, 4, 9, 20)]
    foreign = evening(74)
    some += [foreign.receipt(foreign.hands[0]), DEALER.receipt(hand)]
    found = checked(b"\n".join(map(line, some)), Given(keys=(KEY,)))
    assert found.evidence == {"a key that was given": 5, "none": 1}
    assert set(asked) == {11}


def test_what_was_kept_is_held_against_its_receipt() -> None:
    hand, other = DEALER.hands[0], DEALER.hands[1]
    early = DEALER.receipt(hand, upto="commit")
    given = Given(
        keys=(KEY,),
        commitments=frozenset({other.commitment}),
        named=frozenset({hand.commitment}),
        seen={hand.hand: (SeenReceipt(early),)},
        deals=True,
    )
    found = checked(b"\n".join(all_lines(DEALER)), given)
    assert found.verdicts["verified"] == 2
    assert set(found.kept) == {hand.commitment, other.commitment}


def test_receipts_records_and_rubbish_in_one_stretch_come_in_order() -> None:
    rng = random.Random(75)
    some = [*all_lines(DEALER), *(line(record(rng, terms, 2)) for terms in ALL_TERMS[::9])]
    some += [b"", b"{}", b"x" * 400, some[0][:-1], some[0].replace(b"club", b"clue")]
    rng.shuffle(some)
    found = checked(b"\n".join(some), UNKEYED)
    positions = [facts.position for facts in found.receipts]
    assert positions == sorted(positions)
    assert set(found.verdicts) == {"consistent", "incomplete", "refuted", "broken"}


@pytest.mark.parametrize("what", ["digest", "reader", "proofs"])
def test_compiled_code_that_reads_or_proves_wrongly_is_not_used(
    what: str, asked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    caches = (trust.deals_hold, trust.records_hold, receipttrial.receipts_hold)
    for cache in caches:
        cache.cache_clear()
    try:
        if what == "digest":
            honest = LaneKernel.digest
            for kernel in (LaneKernel, ShaKernel):
                monkeypatch.setattr(kernel, what, lambda self, blocks: honest(self, blocks) ^ 1)
        elif what == "reader":
            monkeypatch.setattr(receipttrial, "scan_receipts", lambda *_: None)
        else:
            monkeypatch.setattr(
                receipttrial, "heads", lambda *parts: (heads(*parts)[0] ^ 1, heads(*parts)[1])
            )
        found = checked(b"\n".join(all_lines(DEALER)), UNKEYED)
        assert not found.findings
        assert len(set(asked)) == found.hands
        assert not receipttrial.receipts_hold(LaneKernel(), pack_terms(PLAIN))
    finally:
        for cache in caches:
            cache.cache_clear()


def test_a_short_line_is_no_receipt() -> None:
    dealer = Dealer(1, operator="o", origin="l")
    shortest = line(dealer.receipt(dealer.commit(SMALL_DECK, table="t")), separators=(",", ":"))
    assert len(shortest) > receipts.SHORTEST

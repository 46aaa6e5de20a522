from __future__ import annotations

import hashlib
import hmac
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal import seeds
from fairdeal.errors import MalformedError
from fairdeal.seeds import Contribution, Seal
from fairdeal.terms import DeckTerms, Terms
from tests.core import strategies as own
from tests.dealer import OPENED, Dealer

HAND = bytes(range(16))
TERMS = DeckTerms(52, 4, openings=False)


def test_commitment_is_over_the_raw_bytes() -> None:
    assert seeds.commitment(bytes(32)).hex() == (
        "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"
    )
    assert seeds.seal(bytes(32)) == seeds.commitment(bytes(32))


@pytest.mark.parametrize("size", [0, 1, 16, 31, 33, 64])
@pytest.mark.parametrize("make", [seeds.commitment, seeds.seal])
def test_a_seed_of_another_length_is_refused_everywhere(make: Any, size: int) -> None:
    with pytest.raises(MalformedError, match="must be exactly 32 bytes"):
        make(bytes(size))
    with pytest.raises(MalformedError, match="must be exactly 32 bytes"):
        seeds.deal_key(bytes(size), HAND, TERMS, ())
    with pytest.raises(MalformedError, match="must be exactly 32 bytes"):
        seeds.transcript(HAND, TERMS, [Contribution(0, bytes(size))])
    with pytest.raises(MalformedError, match="must be exactly 32 bytes"):
        seeds.lucky_seed(bytes(size), "words")


@pytest.mark.parametrize("text", ["00" * 32, None, bytearray(32), [0] * 32])
def test_a_seed_that_is_no_bytes_is_refused(text: Any) -> None:
    with pytest.raises(MalformedError, match="must be exactly 32 bytes"):
        seeds.commitment(text)


@pytest.mark.parametrize("size", [0, 15, 17, 32])
def test_a_hand_id_of_another_length_is_refused(size: int) -> None:
    with pytest.raises(MalformedError, match="hand: must be exactly 16 bytes"):
        seeds.transcript(bytes(size), TERMS, ())


@given(own.seeds, own.hands, own.all_terms, own.contributions)
def test_deal_key_is_the_hmac_of_96_bytes(
    seed: bytes, hand: bytes, terms: Terms, opened: tuple[Contribution, ...]
) -> None:
    listed = b"".join(bytes([c.seat]) + c.seed for c in opened)
    expected = (
        b"fairdeal/1 deal\x0a"
        + hand
        + hashlib.sha256(terms.canonical()).digest()
        + hashlib.sha256(listed).digest()
    )
    assert seeds.transcript(hand, terms, opened) == expected
    assert len(expected) == 96
    assert seeds.deal_key(seed, hand, terms, opened) == hmac.digest(seed, expected, "sha256")


@given(own.seeds, own.seeds, own.hands, st.integers(0, 255), st.integers(0, 15))
def test_every_bit_of_every_seed_and_of_the_hand_counts(
    seed: bytes, client: bytes, hand: bytes, bit: int, seat: int
) -> None:
    def flip(data: bytes) -> bytes:
        at, mask = divmod(bit % (8 * len(data)), 8)
        return data[:at] + bytes([data[at] ^ 1 << mask]) + data[at + 1 :]

    key = seeds.deal_key(seed, hand, TERMS, [Contribution(seat, client)])
    others = [
        seeds.deal_key(flip(seed), hand, TERMS, [Contribution(seat, client)]),
        seeds.deal_key(seed, flip(hand), TERMS, [Contribution(seat, client)]),
        seeds.deal_key(seed, hand, TERMS, [Contribution(seat, flip(client))]),
        seeds.deal_key(seed, hand, TERMS, [Contribution(seat ^ 1, client)]),
        seeds.deal_key(seed, hand, DeckTerms(53, 4, openings=False), [Contribution(seat, client)]),
        seeds.deal_key(seed, hand, TERMS, []),
    ]
    assert len({key, *others}) == 7


def test_contributions_out_of_order_are_refused() -> None:
    swapped = [Contribution(1, bytes(32)), Contribution(0, bytes(32))]
    for listed in (swapped, [swapped[0], swapped[0]], [Contribution(256, bytes(32))]):
        with pytest.raises(MalformedError, match="contributions: seats"):
            seeds.transcript(HAND, TERMS, listed)


WORDS = [
    "",
    "lucky",
    " lucky ",
    "lucky\n",
    "\u00e9",
    "e\u0301",
    "İ",
    "i",
    "ı",
    "I",
    "🀄",
    "a+b%2B&c=#",
    "x" * 10_000,
    "undefined",
    "None",
    "null",
]


def test_words_are_taken_as_typed() -> None:
    made = [seeds.lucky_seed(bytes(32), words) for words in WORDS]
    assert len(set(made)) == len(WORDS)
    for words, seed in zip(WORDS, made, strict=True):
        assert seed == hashlib.sha256(bytes(32) + words.encode()).digest()
    assert seeds.lucky_seed(bytes(31) + b"\1", "lucky") not in made


def test_words_with_half_a_character_are_refused() -> None:
    with pytest.raises(MalformedError, match="words: must not hold half a surrogate pair"):
        seeds.lucky_seed(bytes(32), "lucky \ud83d")


@given(own.seated(16))
def test_lists_by_seat_round_trip(pairs: list[tuple[int, bytes]]) -> None:
    seals, opened = [Seal(*p) for p in pairs], [Contribution(*p) for p in pairs]
    assert seeds.parse_seals([s.as_json() for s in seals]) == tuple(seals)
    assert seeds.parse_contributions([c.as_json() for c in opened]) == tuple(opened)


SEED = "00" * 32
NOT_SEATED: dict[str, Any] = {
    "no list": {"0": SEED},
    "null": None,
    "text": "[]",
    "not an object": [SEED],
    "a missing seat": [{"seed": SEED}],
    "a missing seed": [{"seat": 0}],
    "an unknown field": [{"seat": 0, "seed": SEED, "name": "x"}],
    "the other list's field": [{"seat": 0, "seal": SEED}],
    "seat as text": [{"seat": "0", "seed": SEED}],
    "seat as a boolean": [{"seat": False, "seed": SEED}],
    "seat below 0": [{"seat": -1, "seed": SEED}],
    "seat 16": [{"seat": 16, "seed": SEED}],
    "a short seed": [{"seat": 0, "seed": SEED[2:]}],
    "an upper-case seed": [{"seat": 0, "seed": "AA" * 32}],
    "a seat twice": [{"seat": 1, "seed": SEED}, {"seat": 1, "seed": SEED}],
    "seats descending": [{"seat": 2, "seed": SEED}, {"seat": 1, "seed": SEED}],
    "17 seats": [{"seat": k, "seed": SEED} for k in range(17)],
}


@pytest.mark.parametrize("value", NOT_SEATED.values(), ids=NOT_SEATED.keys())
def test_contributions_that_are_refused(value: Any) -> None:
    with pytest.raises(MalformedError, match=r"^contributions") as caught:
        seeds.parse_contributions(value)
    assert SEED not in str(caught.value)


def test_seals_that_are_refused() -> None:
    with pytest.raises(MalformedError, match=r"^seals\[1\]\.seal: "):
        seeds.parse_seals([{"seat": 0, "seal": SEED}, {"seat": 1, "seal": "zz" * 32}])


def test_opens() -> None:
    opened = [Contribution(0, bytes(32)), Contribution(2, bytes([1]) * 32)]
    seals = [Seal(c.seat, seeds.seal(c.seed)) for c in opened]
    assert seeds.opens((), ())
    assert seeds.opens(seals, opened)
    assert not seeds.opens(seals, opened[:1])
    assert not seeds.opens(seals[:1], opened)
    assert not seeds.opens((), opened)
    assert not seeds.opens(seals, [opened[0], Contribution(1, opened[1].seed)])
    assert not seeds.opens(seals, [opened[0], Contribution(2, bytes(32))])


def test_nothing_shown_before_the_reveal_deals_the_hand() -> None:
    dealer = Dealer(9)
    hand = dealer.lock(dealer.commit(OPENED, sealed=(0, 1)))
    public = b"".join(dealer.log.entries)
    shown = {bytes.fromhex(text) for text in re.findall(r"[0-9a-f]{64}", public.decode())}
    shown |= {leaf for row in dealer.log.rows for leaf in row}
    assert hand.commitment in shown
    assert hand.server_seed not in shown
    key = dealer.key_of(hand)
    for guess in shown:
        assert key not in (guess, seeds.deal_key(guess, hand.hand, hand.terms, hand.contributions))


def test_a_seed_as_text_is_another_seed() -> None:
    seed = bytes([0x80, 0xFF]) + bytes(30)
    spelled = [seed.hex().encode(), seed.hex().upper().encode(), b"0x" + seed.hex().encode()]
    for text in spelled:
        with pytest.raises(MalformedError):
            seeds.commitment(text)
        assert hashlib.sha256(text).digest() != seeds.commitment(seed)

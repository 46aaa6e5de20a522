"""The compiled reader of entries takes only what the core takes, and reads the same in it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.audit.histories import columns as c
from fairdeal.audit.kernel import entryscan
from fairdeal.audit.kernel.entryscan import NO_ENTRY, OUTCOMES, REASONS, new_entry, read_entry
from fairdeal.encoding import canonical
from fairdeal.entries import Commit, Lock, Reveal, parse_entry
from fairdeal.errors import MalformedError
from fairdeal.seeds import Contribution, Seal
from tests.audit.histories import ALL_TERMS, DECKS
from tests.audit.test_entrytext import VALUES
from tests.dealer import Dealer, evening

ENTRIES = evening(5).log.entries
KINDS = {Commit: entryscan.COMMIT, Lock: entryscan.LOCK, Reveal: entryscan.REVEAL}


def scanned(data: bytes) -> tuple[int, entryscan.Entry]:
    text = np.zeros(len(data) + 20, np.uint8)
    text[7 : 7 + len(data)] = list(data)
    text[7 + len(data)] = 0x80
    entry = new_entry()
    return int(read_entry(text, 7, 7 + len(data), entry)), entry


def same(data: bytes) -> bool:
    """Whether it is read; what is read is as the core reads it."""
    kind, found = scanned(data)
    if kind == NO_ENTRY:
        return False
    entry = parse_entry(data)
    assert kind == KINDS[type(entry)]
    assert found.hand.tobytes() == entry.hand
    assert found.times[0] == entry.at
    seats = [(int(seat[0]), seat[1:].tobytes()) for seat in found.seats[: found.single[entryscan.SEATED]]]
    hashes = [h.tobytes() if there else None for h, there in zip(found.hashes, found.there, strict=True)]
    if isinstance(entry, Commit):
        text = b"\0" * 7 + data
        names = [text[a:b].decode() for a, b in found.names.reshape(2, 2).tolist()]
        assert names == [entry.operator, entry.table]
        assert c.unpack_terms(int(found.single[entryscan.TERMS])) == entry.terms
        assert (found.times[1], found.single[entryscan.NUMBER]) == (entry.lock_by, entry.number)
        assert hashes == [entry.commitment, entry.note]
        assert tuple(Seal(*seat) for seat in seats) == entry.seals
    elif isinstance(entry, Lock):
        assert found.times[1] == entry.reveal_by
        assert hashes == [entry.deal_root, entry.prev]
        assert tuple(Contribution(*seat) for seat in seats) == entry.contributions
    else:
        assert hashes == [entry.prev, entry.server_seed]
        outcome, reason = found.single[entryscan.OUTCOME], found.single[entryscan.REASON]
        assert (OUTCOMES[outcome], REASONS[reason] or None) == (entry.outcome, entry.reason)
    return True


def as_the_core(data: bytes) -> None:
    """Read exactly where the core reads it: nothing here is longer or has more seats than a row holds."""
    try:
        parse_entry(data)
    except MalformedError:
        assert not same(data)
    else:
        assert same(data)


@pytest.mark.parametrize("index", range(len(ENTRIES)))
def test_every_kind_of_entry_is_read(index: int) -> None:
    assert same(ENTRIES[index])


def test_every_kind_of_terms_is_read_that_a_row_can_hold() -> None:
    dealer = Dealer(6)
    for terms in [*ALL_TERMS, *DECKS]:
        dealer.commit(terms, note=bytes(range(32)))
        assert same(dealer.log.entries[-1]) == (terms.size <= c.MOST_TILES)


@given(index=st.integers(0, len(ENTRIES) - 1), value=st.sampled_from(VALUES), data=st.data())
def test_one_changed_member(index: int, value: object, data: st.DataObject) -> None:
    entry = json.loads(ENTRIES[index])
    entry[data.draw(st.sampled_from(sorted(entry)))] = value
    try:
        text = canonical(entry)
    except ValueError:  # numbers that canonical JSON has no form for
        return
    as_the_core(text)


@given(index=st.integers(0, len(ENTRIES) - 1), at=st.integers(0, 600), byte=st.integers(0, 255))
def test_one_changed_byte(index: int, at: int, byte: int) -> None:
    data = bytearray(ENTRIES[index])
    data[at % len(data)] = byte
    as_the_core(bytes(data))


@given(
    index=st.integers(0, len(ENTRIES) - 1),
    at=st.integers(0, 600),
    gone=st.integers(0, 3),
    put=st.sampled_from(
        [b"", b"0", b"1", b'"', b",", b"}", b"]", b"null", b" ", b"\x80", b"\x01", b"~", b"$"]
    ),
)
def test_bytes_put_in_and_taken_out(index: int, at: int, gone: int, put: bytes) -> None:
    text = ENTRIES[index]
    at %= len(text)
    same(text[:at] + put + text[at + gone :])


@pytest.mark.parametrize("window", [0, 59_999, 60_000, 2_592_000_000, 2_592_000_001, -60_000])
@pytest.mark.parametrize("index", [0, 1])
def test_times_at_the_edges_of_their_windows(index: int, window: int) -> None:
    entry = json.loads(ENTRIES[index])
    entry["lock_by" if index == 0 else "reveal_by"] = entry["at"] + window
    assert same(canonical(entry)) == (60_000 <= window <= 2_592_000_000)


@pytest.mark.parametrize("dealer", [0, 3, 4, 15, "throw", "Throw", None])
def test_a_dealer_by_the_number_that_stands_for_a_throw_is_none(dealer: object) -> None:
    entry = json.loads(ENTRIES[0])
    entry["terms"]["dealer"] = dealer
    assert same(canonical(entry)) == (dealer in (0, 3, "throw"))


@pytest.mark.parametrize("name", ["operator", "table"])
@pytest.mark.parametrize(
    "value", ["a", "A", "0", "a" * 64, "a" * 65, "", ".a", "a.", "a:b", "a-b_c.d", "a b", "é", "a\\", ":a"]
)
def test_names(name: str, value: str) -> None:
    entry = json.loads(ENTRIES[0]) | {name: value}
    as_the_core(canonical(entry))


@pytest.mark.parametrize("number", [0, 1, 9_999_999_999, 2**53 - 1, 2**53])
def test_numbers(number: int) -> None:
    entry = json.loads(ENTRIES[0])
    text = ENTRIES[0].replace(b'"number":%d' % entry["number"], b'"number":%d' % number)
    assert same(text) == (1 <= number < 2**53)


def test_what_is_too_short_is_no_entry() -> None:
    for size in range(12):
        assert not same(b"t" * size)

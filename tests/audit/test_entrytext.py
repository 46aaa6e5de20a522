"""The audit's fast reader of entries takes exactly what the core takes, and reads the same in it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.audit.log.entrytext import Fault, explain, read_entry, terms_of
from fairdeal.encoding import canonical
from fairdeal.entries import Commit, Lock, Reveal, parse_entry
from fairdeal.errors import MalformedError, UnsupportedError
from fairdeal.terms import DeckTerms, OkeyTerms
from tests.dealer import evening

ENTRIES = evening(5).log.entries


def core(data: bytes) -> object:
    try:
        return parse_entry(data)
    except MalformedError as error:
        return error


def same(data: bytes) -> None:
    """Both readers agree on an entry, whatever it is."""
    entry, fast = core(data), read_entry(data)
    if isinstance(entry, MalformedError):
        assert fast is None
        fault = explain(data)
        assert isinstance(fault, Fault)
        assert (fault.code == "unsupported-entry") == isinstance(entry, UnsupportedError)
        return
    assert fast is not None
    assert fast == explain(data)
    assert fast.at == entry.at  # type: ignore[attr-defined]  # one of the three kinds
    assert fast.hand.decode() == entry.hand.hex()  # type: ignore[attr-defined]  # as above
    if isinstance(entry, Commit):
        assert terms_of(fast.terms) == entry.terms  # type: ignore[union-attr]  # a commit
    elif isinstance(entry, Lock):
        assert fast.prev.decode() == entry.prev.hex()  # type: ignore[union-attr]  # a lock
    elif isinstance(entry, Reveal):
        assert fast.outcome.decode() == entry.outcome  # type: ignore[union-attr]  # a reveal


@pytest.mark.parametrize("index", range(len(ENTRIES)))
def test_every_kind_of_entry_is_read_alike(index: int) -> None:
    same(ENTRIES[index])


VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, "", "x", "0" * 64, "A" * 64, 2**53, 2**53 - 1, [], {},
    [{"seat": 0, "seal": "0" * 64}], [{"seat": 16, "seal": "0" * 64}],
    [{"seat": 1, "seed": "0" * 64}, {"seat": 1, "seed": "0" * 64}],
    {"game": "deck", "size": 2, "seats": 1, "openings": True}, "played", "void", "lost", "technical",
)  # fmt: skip


@given(index=st.integers(0, len(ENTRIES) - 1), value=st.sampled_from(VALUES), data=st.data())
def test_one_changed_member(index: int, value: object, data: st.DataObject) -> None:
    entry = json.loads(ENTRIES[index])
    entry[data.draw(st.sampled_from(sorted(entry)))] = value
    try:
        same(canonical(entry))
    except ValueError:  # numbers that canonical JSON has no form for
        return


@given(index=st.integers(0, len(ENTRIES) - 1), at=st.integers(0, 400), byte=st.integers(0, 255))
def test_one_changed_byte(index: int, at: int, byte: int) -> None:
    data = bytearray(ENTRIES[index])
    data[at % len(data)] = byte
    same(bytes(data))


@given(index=st.integers(0, len(ENTRIES) - 1), data=st.data())
def test_times_at_the_edges_of_their_windows(index: int, data: st.DataObject) -> None:
    entry = json.loads(ENTRIES[index])
    deadline = {"commit": "lock_by", "lock": "reveal_by"}.get(entry["type"])
    if deadline:
        entry[deadline] = entry["at"] + data.draw(
            st.sampled_from([0, 59_999, 60_000, 2_592_000_000, 2_592_000_001])
        )
    same(canonical(entry))


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text + "\n",
        lambda text: text.replace('"v":1', '"v":1.0'),
        lambda text: text.replace('"v":1', '"v":2'),
        lambda text: text.replace('"at":', '"at": '),
        lambda text: text.replace('"at":1', '"at":01'),
        lambda text: text.replace('"type"', '"\\u0074ype"'),
        lambda text: text[:-1] + ',"v":1}',
        lambda text: text.replace('"hand"', '"x":1,"hand"'),
        lambda text: "\ufeff" + text,
    ],
    ids=range(9),
)
@pytest.mark.parametrize("index", range(3))
def test_other_spellings(index: int, change: Any) -> None:
    same(change(ENTRIES[index].decode()).encode())


def test_not_canonical_is_told_from_malformed() -> None:
    spaced = json.dumps(json.loads(ENTRIES[0])).encode()
    found = explain(spaced)
    assert isinstance(found, Fault)
    assert found.code == "not-canonical"
    assert found.hand == json.loads(ENTRIES[0])["hand"]
    broken = explain(b"{")
    assert isinstance(broken, Fault)
    assert (broken.code, broken.hand) == ("malformed-entry", None)
    assert read_entry(b"") is None
    assert read_entry(b"x" * 5000) is None


def test_terms_are_read_from_their_canonical_text_alone() -> None:
    okey = OkeyTerms("okey", "wall", 4, "throw", 1, openings=False)
    deck = DeckTerms(52, 10, openings=True)
    for terms in (okey, deck):
        assert terms_of(terms.canonical()) == terms
    assert terms_of(json.dumps(okey.as_json()).encode()) is None
    assert terms_of(b"{}") is None

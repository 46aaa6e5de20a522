from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.encoding import canonical
from fairdeal.entries import Commit, Entry, Lock, Reveal, parse_entry
from fairdeal.errors import MalformedError, UnsupportedError
from fairdeal.seeds import Contribution, Seal
from fairdeal.terms import DeckTerms, OkeyTerms
from tests.core import strategies as own

AT = 1_800_000_000_000
HAND, HASH = bytes(range(16)), bytes(range(32))
TERMS = OkeyTerms("okey", "wall", 4, 0, 1, openings=False)
COMMIT = Commit(
    AT, "club", "Table:1", 1, HAND, TERMS, HASH, (Seal(0, HASH), Seal(3, HASH)), None, AT + 60_000
)
LOCK = Lock(AT, HAND, HASH, (Contribution(0, HASH), Contribution(3, HASH)), None, AT + 60_000)
REVEAL = Reveal(AT, HAND, HASH, "played", None, HASH)


def fields(entry: Entry) -> dict[str, Any]:
    value = json.loads(entry.encode())
    assert isinstance(value, dict)
    return value


@given(own.entries)
def test_round_trip(entry: Entry) -> None:
    data = entry.encode()
    assert parse_entry(data) == entry
    assert parse_entry(data).encode() == data


def test_the_exact_bytes() -> None:
    h = HASH.hex()
    assert COMMIT.encode().decode() == (
        f'{{"at":{AT},"commitment":"{h}","hand":"{HAND.hex()}","lock_by":{AT + 60_000},"note":null,'
        f'"number":1,"operator":"club","seals":[{{"seal":"{h}","seat":0}},{{"seal":"{h}","seat":3}}],"table":"Table:1",'
        f'"terms":{TERMS.canonical().decode()},"type":"commit","v":1}}'
    )
    assert LOCK.encode().decode() == (
        f'{{"at":{AT},"contributions":[{{"seat":0,"seed":"{h}"}},{{"seat":3,"seed":"{h}"}}],"deal_root":null,'
        f'"hand":"{HAND.hex()}","prev":"{h}","reveal_by":{AT + 60_000},"type":"lock","v":1}}'
    )
    assert REVEAL.encode().decode() == (
        f'{{"at":{AT},"hand":"{HAND.hex()}","outcome":"played","prev":"{h}","reason":null,'
        f'"server_seed":"{h}","type":"reveal","v":1}}'
    )


H63, H66 = "0" * 63, "0" * 66
LARGE = 2**53
WRONG_COMMIT: dict[str, list[Any]] = {
    "at": [-1, "0", True, None, LARGE, [0]],
    "operator": ["", "A", "clüb", ".club", "-club", "_c", "a" * 65, "club ", "club\n", "a:b", "ı", None, 1],
    "table": ["", ".t", ":t", "-t", "t t", "t" * 65, "t\n", "t/1", "tæ", "٣", None, 1],
    "number": [0, -1, "1", True, None, LARGE],
    "hand": ["", None, "0" * 31, "0" * 33, "A" * 32, 0],
    "terms": [None, {}, [], "okey", {**TERMS.as_json(), "seats": 5}, {**TERMS.as_json(), "note": None}],
    "commitment": [None, "", H63, H66, "Z" * 64],
    "seals": [None, {}, [1], [{"seat": 4, "seal": HASH.hex()}], [{"seat": 0, "seal": H63}]],
    "note": ["", "0" * 63, "0" * 66, 0, False, "a note"],
    "lock_by": [None, "1", True, AT, AT - 60_000, AT + 59_999, AT + 2_592_000_001],
}
WRONG_LOCK: dict[str, list[Any]] = {
    "at": [-1, "0", True, None],
    "hand": ["", None, "0" * 31],
    "prev": ["", None, H63, H66, "A" * 64],
    "contributions": [None, {}, [1], [{"seat": 16, "seed": HASH.hex()}], [{"seat": 0, "seed": H66}]],
    "deal_root": ["", H63, H66, "A" * 64, 0, False],
    "reveal_by": [None, AT, AT + 59_999, AT + 2_592_000_001, str(AT + 60_000)],
}
WRONG_REVEAL: dict[str, list[Any]] = {
    "at": [-1, "0", True, None],
    "hand": ["", None],
    "prev": ["", None, H63],
    "outcome": [None, "", "Played", "won", 1, ["played"]],
    "reason": ["", "technical", "seat-silent", 0, False],
    "server_seed": [None, "", H63, H66, "A" * 64, "0x" + "0" * 62],
}


@pytest.mark.parametrize(
    ("entry", "name", "values"),
    [
        pytest.param(entry, name, values, id=f"{entry.type}.{name}")
        for entry, wrong in ((COMMIT, WRONG_COMMIT), (LOCK, WRONG_LOCK), (REVEAL, WRONG_REVEAL))
        for name, values in wrong.items()
    ],
)
def test_every_field_of_every_kind_is_checked(entry: Entry, name: str, values: list[Any]) -> None:
    for value in values:
        with pytest.raises(MalformedError) as caught:
            parse_entry(canonical(fields(entry) | {name: value}) if value != LARGE else _large(entry, name))
        assert not isinstance(caught.value, UnsupportedError)
        if value != LARGE:
            assert caught.value.field.startswith(f"entry.{name}")


def _large(entry: Entry, name: str) -> bytes:
    at = fields(entry)[name]
    return entry.encode().replace(f'"{name}":{at}'.encode(), f'"{name}":{LARGE}'.encode())


@pytest.mark.parametrize("entry", [COMMIT, LOCK, REVEAL], ids=["commit", "lock", "reveal"])
def test_fields_are_exactly_those_of_the_kind(entry: Entry) -> None:
    value = fields(entry)
    for name in value:
        with pytest.raises(MalformedError, match=rf"^entry\.{name}: "):
            parse_entry(canonical({k: v for k, v in value.items() if k != name}))
    with pytest.raises(MalformedError, match=r"^entry\.nick: unknown field"):
        parse_entry(canonical(value | {"nick": "x"}))


@pytest.mark.parametrize("entry", [COMMIT, LOCK, REVEAL], ids=["commit", "lock", "reveal"])
def test_only_the_canonical_text_is_an_entry(entry: Entry) -> None:
    data = entry.encode()
    value = fields(entry)
    at = f'"at":{AT}'.encode()
    texts = [
        data + b"\n",
        b" " + data,
        b"\xef\xbb\xbf" + data,
        json.dumps(value).encode(),
        json.dumps(value, separators=(",", ":"), sort_keys=True).encode().replace(b'"v":1', b'"v":1.0'),
        data.replace(b'"v":1', b'"v":1e0'),
        data.replace(at, f'"at":{AT}.0'.encode()),
        data.replace(at, b'"at":-0'),
        data.replace(at, at + b"," + at),
        data.replace(b'"at"', b'"\\u0061t"'),
        data.replace(b"0", "０".encode(), 1),
        data[:-1],
        data + data,
        b"[" + data + b"]",
        b"",
        b"null",
        b"1",
        b'"commit"',
        b"\xff",
    ]
    for text in texts:
        with pytest.raises(MalformedError) as caught:
            parse_entry(text)
        assert not isinstance(caught.value, UnsupportedError)


def test_windows_may_be_as_short_and_as_long_as_allowed() -> None:
    for window in (60_000, 2_592_000_000):
        for entry in (replace(COMMIT, lock_by=AT + window), replace(LOCK, reveal_by=AT + window)):
            assert parse_entry(entry.encode()) == entry


def test_an_entry_has_at_most_4096_bytes() -> None:
    most = tuple(Seal(k, HASH) for k in range(16))
    commit = replace(COMMIT, terms=DeckTerms(1024, 16, openings=True), seals=most, note=HASH)
    assert len(commit.encode()) < 4096
    long = replace(commit, operator="a" * 4000)
    with pytest.raises(MalformedError, match="at most 4096 bytes"):
        long.encode()
    for size in (4097, 5000):
        text = canonical({"type": "later", "v": 2, "x": "a" * (size - 29)})
        assert len(text) == size
        with pytest.raises(MalformedError, match="at most 4096 bytes"):
            parse_entry(text)
    with pytest.raises(UnsupportedError):
        parse_entry(canonical({"type": "later", "v": 2, "x": "a" * (4096 - 29)}))


@pytest.mark.parametrize(
    "value",
    [
        {"type": "commit", "v": 2},
        {"type": "commit", "v": 0},
        {"type": "commit", "v": -1},
        {"type": "witness", "v": 1},
        {"type": "", "v": 1, "at": "whenever"},
        {**fields(COMMIT), "v": 2},
        {**fields(REVEAL), "type": "Reveal"},
    ],
)
def test_another_version_or_type_is_unsupported(value: dict[str, Any]) -> None:
    with pytest.raises(UnsupportedError, match=r"^entry: is of a version or type"):
        parse_entry(canonical(value))


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"type": "later"},
        {"v": 2},
        {"type": 1, "v": 1},
        {"type": None, "v": 2},
        {"type": "later", "v": "2"},
        {"type": "commit", "v": True},
        {"type": "commit", "v": None},
    ],
)
def test_what_has_no_type_and_version_is_malformed(value: dict[str, Any]) -> None:
    with pytest.raises(MalformedError) as caught:
        parse_entry(canonical(value))
    assert not isinstance(caught.value, UnsupportedError)


@pytest.mark.parametrize("outcome", ["played", "void", "expired", "lost"])
@pytest.mark.parametrize("reason", [None, "seat-silent", "table-closed", "technical"])
@pytest.mark.parametrize("seed", [None, HASH.hex()])
def test_reason_and_seed_go_with_the_outcome(outcome: str, reason: str | None, seed: str | None) -> None:
    data = canonical(fields(REVEAL) | {"outcome": outcome, "reason": reason, "server_seed": seed})
    if (outcome == "void") == (reason is not None) and (outcome == "lost") == (seed is None):
        assert parse_entry(data).encode() == data
    else:
        with pytest.raises(MalformedError):
            parse_entry(data)


@given(st.binary(max_size=200))
def test_any_bytes_either_parse_or_are_malformed(data: bytes) -> None:
    try:
        entry = parse_entry(data)
    except MalformedError:
        return
    assert entry.encode() == data

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from fairdeal.encoding import parse_canonical
from fairdeal.errors import MalformedError
from fairdeal.terms import DeckTerms, OkeyTerms, Terms, parse_terms
from tests.core import strategies as own

OKEY: dict[str, Any] = {
    "game": "okey",
    "layout": "wall",
    "seats": 4,
    "dealer": 0,
    "dice": 1,
    "openings": False,
}
DECK: dict[str, Any] = {"game": "deck", "size": 52, "seats": 4, "openings": True}


@given(own.all_terms)
def test_round_trip(terms: Terms) -> None:
    assert parse_terms(terms.as_json()) == terms
    assert parse_terms(parse_canonical(terms.canonical())) == terms


def test_there_are_192_terms_of_okey_and_each_has_its_own_text() -> None:
    assert len({terms.canonical() for terms in own.OKEY_TERMS}) == 192


def test_canonical_form() -> None:
    assert parse_terms(OKEY).canonical() == (
        b'{"dealer":0,"dice":1,"game":"okey","layout":"wall","openings":false,"seats":4}'
    )
    assert parse_terms(DECK).canonical() == b'{"game":"deck","openings":true,"seats":4,"size":52}'


def test_sizes() -> None:
    okey, other = parse_terms(OKEY), parse_terms(OKEY | {"game": "okey101", "dealer": "throw"})
    assert isinstance(okey, OkeyTerms)
    assert isinstance(other, OkeyTerms)
    assert (okey.hand_size, okey.stack_height, okey.size) == (14, 5, 106)
    assert (other.hand_size, other.stack_height, other.size) == (21, 7, 106)
    assert parse_terms(DECK) == DeckTerms(52, 4, openings=True)


VALUES: list[tuple[dict[str, Any], str, list[Any]]] = [
    (OKEY, "game", ["Okey", "okey ", "okey102", "", None, 1, ["okey"], {}]),
    (OKEY, "layout", ["Wall", "", "none", None, 0, ["wall"]]),
    (OKEY, "seats", [0, 1, 5, -4, "4", 4.0, True, None, [4], 2**53]),
    (OKEY, "dealer", [4, -1, "0", "Throw", "throw ", True, False, None, 0.0, ["throw"]]),
    (OKEY, "dice", [0, 3, "1", True, None]),
    (OKEY, "openings", [0, 1, "false", "true", None, []]),
    (DECK, "size", [0, 1, 1025, -2, "52", True, None, 2**53]),
    (DECK, "seats", [0, 17, "4", True, None]),
    (DECK, "openings", [0, 1, "true", None]),
]


@pytest.mark.parametrize(("terms", "name", "values"), VALUES)
def test_values_that_are_refused_by_name(terms: dict[str, Any], name: str, values: list[Any]) -> None:
    for value in values:
        with pytest.raises(MalformedError, match=rf"^terms\.{name}: "):
            parse_terms(terms | {name: value})


@pytest.mark.parametrize("terms", [OKEY, DECK])
def test_every_field_must_be_there_and_no_other(terms: dict[str, Any]) -> None:
    for name in terms:
        with pytest.raises(MalformedError, match=rf"^terms\.{name}: (missing field|must be okey)"):
            parse_terms({k: v for k, v in terms.items() if k != name})
    for name in ("note", "Seats", "size" if terms is OKEY else "layout"):
        with pytest.raises(MalformedError, match=rf"^terms\.{name}: unknown field"):
            parse_terms(terms | {name: 2})


@pytest.mark.parametrize("value", [None, [], "okey", 1, True, [OKEY]])
def test_terms_must_be_an_object(value: Any) -> None:
    with pytest.raises(MalformedError, match=r"^terms: must be an object"):
        parse_terms(value)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_dealer_sits_at_the_table(seats: int) -> None:
    assert parse_terms(OKEY | {"seats": seats, "dealer": seats - 1}).seats == seats
    with pytest.raises(MalformedError, match=r"^terms\.dealer"):
        parse_terms(OKEY | {"seats": seats, "dealer": seats})

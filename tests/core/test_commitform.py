from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.commitform import CommitForm
from fairdeal.encoding import canonical
from fairdeal.entries import Commit
from fairdeal.errors import MalformedError
from fairdeal.terms import OkeyTerms
from tests.core import strategies as own

AT = 1_800_000_000_000
HAND, HASH = bytes(range(16)), bytes(range(32))
TERMS = OkeyTerms("okey", "wall", 4, 0, 1, openings=False)


@given(st.lists(own.commits(), min_size=1, max_size=4))
def test_a_form_gives_the_bytes_of_each_commit_that_it_is_of(entries: list[Commit]) -> None:
    first = entries[0]
    form = CommitForm(first.at, first.operator, first.terms, first.note, first.lock_by)
    assert form.terms == first.terms.canonical().decode()
    for other in entries:
        entry = replace(first, table=other.table, number=other.number, hand=other.hand, seals=other.seals)
        seals = canonical([item.as_json() for item in entry.seals]).decode()
        data = form.fill(entry.table, entry.number, entry.hand, entry.commitment, seals)
        assert data == entry.encode()
        if not entry.seals:
            assert form.fill(entry.table, entry.number, entry.hand, entry.commitment) == data


@pytest.mark.parametrize("table", ['t","terms":{},"x":"', "a\\b", "çalgı", "", "t" * 65, "tab\t"])
def test_a_form_takes_no_name_that_no_table_may_have(table: str) -> None:
    form = CommitForm(AT, "club", TERMS, None, AT + 60_000)
    with pytest.raises(MalformedError, match="table"):
        form.fill(table, 1, HAND, HASH)


def test_a_form_refuses_an_entry_that_is_too_long() -> None:
    form = CommitForm(AT, "club", TERMS, None, AT + 60_000)
    with pytest.raises(MalformedError, match="4096"):
        form.fill("t", 1, HAND, HASH, f"[{'1,' * 2000}1]")

"""Hypothesis strategies for the protocol's values, and every term there is for Okey."""

from __future__ import annotations

from itertools import product

from hypothesis import strategies as st

from fairdeal.entries import VOID_REASONS, Commit, Lock, Reveal
from fairdeal.seeds import Contribution, Seal
from fairdeal.terms import Dealer, DeckTerms, Game, Layout, OkeyTerms, Terms

GAMES: tuple[Game, ...] = ("okey", "okey101")
LAYOUTS: tuple[Layout, ...] = ("wall", "plain")


def dealers(seats: int) -> tuple[Dealer, ...]:
    return (*range(seats), "throw")


OKEY_TERMS = [
    OkeyTerms(game, layout, seats, dealer, dice, openings)
    for game, layout, seats, dice, openings in product(GAMES, LAYOUTS, (2, 3, 4), (1, 2), (False, True))
    for dealer in dealers(seats)
]

LARGEST = 2**53 - 1

seeds = st.binary(min_size=32, max_size=32)
hashes = seeds
hands = st.binary(min_size=16, max_size=16)
numbers = st.integers(0, LARGEST)
times = st.integers(0, LARGEST - 2_592_000_000)
windows = st.integers(60_000, 2_592_000_000)
deck_terms = st.builds(DeckTerms, st.integers(2, 1024), st.integers(1, 16), st.booleans())
small_deck_terms = st.builds(DeckTerms, st.integers(2, 60), st.integers(1, 16), st.booleans())
okey_terms = st.sampled_from(OKEY_TERMS)
all_terms: st.SearchStrategy[Terms] = okey_terms | deck_terms
operators = st.from_regex(r"[a-z0-9][a-z0-9._-]{0,63}", fullmatch=True)
tables = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,63}", fullmatch=True)


def seated(most: int) -> st.SearchStrategy[list[tuple[int, bytes]]]:
    """Some seats below ``most``, ascending, each with 32 bytes."""
    return st.dictionaries(st.integers(0, most - 1), seeds, max_size=most).map(lambda d: sorted(d.items()))


contributions = seated(16).map(lambda pairs: tuple(Contribution(*pair) for pair in pairs))


@st.composite
def commits(draw: st.DrawFn) -> Commit:
    terms = draw(all_terms)
    at = draw(times)
    return Commit(
        at=at,
        operator=draw(operators),
        table=draw(tables),
        number=draw(st.integers(1, LARGEST)),
        hand=draw(hands),
        terms=terms,
        commitment=draw(hashes),
        seals=tuple(Seal(*pair) for pair in draw(seated(terms.seats))),
        note=draw(st.none() | hashes),
        lock_by=at + draw(windows),
    )


@st.composite
def locks(draw: st.DrawFn) -> Lock:
    at = draw(times)
    return Lock(
        at=at,
        hand=draw(hands),
        prev=draw(hashes),
        contributions=draw(contributions),
        deal_root=draw(st.none() | hashes),
        reveal_by=at + draw(windows),
    )


@st.composite
def reveals(draw: st.DrawFn) -> Reveal:
    outcome = draw(st.sampled_from(("played", "void", "expired", "lost")))
    return Reveal(
        at=draw(numbers),
        hand=draw(hands),
        prev=draw(hashes),
        outcome=outcome,  # type: ignore[arg-type]  # sampled_from gives str, not the Literal
        reason=draw(st.sampled_from(VOID_REASONS)) if outcome == "void" else None,
        server_seed=None if outcome == "lost" else draw(seeds),
    )


entries = commits() | locks() | reveals()

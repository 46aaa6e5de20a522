"""Records (protocol §9.2) straight from their JSON text into columns, compiled.

Member order and spacing are free, as the protocol has it. A line that is not read here, for whatever
reason, is marked as not taken and read by the core.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fairdeal.audit.histories import columns as c
from fairdeal.audit.histories.columns import Hands
from fairdeal.audit.kernel.compiled import Array, compiled, inlined
from fairdeal.audit.kernel.dealtext import MEMBERS, read_deal
from fairdeal.audit.kernel.scan import (
    END_LIST,
    END_OBJECT,
    LINE_FEED,
    LIST,
    OBJECT,
    hexes,
    literal,
    mark,
    more,
    name,
    number,
    space,
    texts,
    word,
)
from fairdeal.receipt import RECORD_FORMAT

_RECORD = texts(
    "format",
    "hand",
    "terms",
    "commitment",
    "server_seed",
    "seals",
    "contributions",
    "deal_root",
    "deal",
)
_FORMAT, _HAND, _TERMS, _COMMITMENT, _SEED, _SEALS, _OPENED, _ROOT, _DEAL = range(9)
_TERMS_MEMBERS = texts("game", "layout", "seats", "dealer", "dice", "openings", "size")
_GAME, _LAYOUT, _SEATS, _DEALER, _DICE, _OPENINGS, _SIZE = range(7)
_ALL_RECORD = (1 << 9) - 1
_OKEY_TERMS = (1 << _SIZE) - 1
_DECK_TERMS = 1 << _GAME | 1 << _SEATS | 1 << _OPENINGS | 1 << _SIZE

_FORMATS = texts(RECORD_FORMAT)
_GAME_NAMES = texts("okey", "okey101", "deck")
_LAYOUT_NAMES = texts("wall", "plain")
_THROW = texts("throw")
_SEAL = texts("seat", "seal")
_SEED_OF = texts("seat", "seed")
_TRUE, _FALSE, _NULL = (np.frombuffer(w, np.uint8).copy() for w in (b"true", b"false", b"null"))

GUESSES = 20 + MEMBERS
"""Places in a table of guesses: which member stood where in the line before, for each kind of object."""
_G_RECORD, _G_TERMS, _G_DEAL = 0, 10, 20


@compiled
def read_records(text: Array, starts: Array, hands: Hands, guesses: Array) -> None:
    """Read the record that starts at each position into its row; ``text`` ends with a line feed."""
    for row in range(len(starts)):
        at = _record(text, starts[row], hands, row, guesses)
        if at >= 0 and text[at] == LINE_FEED:
            hands.taken[row] = 1


@inlined
def _or_null(text: Array, at: Any, out: Array, has: Array, row: Any, bit: Any) -> Any:  # noqa: PLR0917 - compiled
    if text[at] == 0x6E:
        return literal(text, at, _NULL)
    has[row] |= bit
    return hexes(text, at, out)


@compiled
def _record(text: Array, at: int, hands: Hands, row: int, guesses: Array) -> int:  # noqa: C901, PLR0912 - one branch a member
    at = mark(text, at, OBJECT)
    found = 0
    place = _G_RECORD
    again = 1
    while again:
        if at < 0 or place > _G_RECORD + 8:
            return -1
        which, at = name(text, at, _RECORD, guesses[place])
        if which < 0 or found >> which & 1:
            return -1
        guesses[place] = which
        place += 1
        found |= 1 << which
        if which == _FORMAT:
            known, at = word(text, at, _FORMATS, 0)
            if known < 0:
                return -1
        elif which == _HAND:
            at = hexes(text, at, hands.hand[row])
        elif which == _TERMS:
            at = _terms(text, at, hands.terms, row, guesses)
        elif which == _COMMITMENT:
            at = _or_null(text, at, hands.commitment[row], hands.has, row, c.HAS_COMMITMENT)
        elif which == _SEED:
            at = _or_null(text, at, hands.seed[row], hands.has, row, c.HAS_SEED)
        elif which == _ROOT:
            at = _or_null(text, at, hands.root[row], hands.has, row, c.HAS_ROOT)
        elif which == _SEALS:
            hands.seal_count[row], at = _seated(text, at, hands.seals[row], _SEAL)
        elif which == _OPENED:
            hands.opened_count[row], at = _seated(text, at, hands.opened[row], _SEED_OF)
        elif text[at] == 0x6E:
            at = literal(text, at, _NULL)
        else:
            at = read_deal(text, at, hands.deal[row], guesses[_G_DEAL:])
        if at < 0:
            return -1
        again, at = more(text, at, END_OBJECT)
    if at < 0 or found != _ALL_RECORD:
        return -1
    seats = hands.terms[row] >> 3 & 31
    last = hands.seal_count[row]
    if last and hands.seals[row, last - 1, 0] >= seats:
        return -1
    end: int = space(text, at)
    return end


@compiled
def _terms(text: Array, at: int, out: Array, row: int, guesses: Array) -> int:  # noqa: C901, PLR0912 - one branch a member
    at = mark(text, at, OBJECT)
    found = game = layout = seats = dealer = dice = openings = size = 0
    place = _G_TERMS
    again = 1
    while again:
        if at < 0 or place > _G_TERMS + 6:
            return -1
        which, at = name(text, at, _TERMS_MEMBERS, guesses[place])
        if which < 0 or found >> which & 1:
            return -1
        guesses[place] = which
        place += 1
        found |= 1 << which
        if which == _GAME:
            game, at = word(text, at, _GAME_NAMES, 0)
        elif which == _LAYOUT:
            layout, at = word(text, at, _LAYOUT_NAMES, 0)
        elif which == _SEATS:
            seats, at = number(text, at)
        elif which == _DEALER:
            if text[at] == 0x22:
                _, at = word(text, at, _THROW, 0)
                dealer = c.THROWN
            else:
                dealer, at = number(text, at)
                if dealer >= c.MOST_SEATS:
                    return -1
        elif which == _DICE:
            dice, at = number(text, at)
        elif which == _SIZE:
            size, at = number(text, at)
        elif text[at] == 0x74:
            openings = 1
            at = literal(text, at, _TRUE)
        else:
            at = literal(text, at, _FALSE)
        if at < 0:
            return -1
        again, at = more(text, at, END_OBJECT)
    if game == c.DECK_GAME:
        if found != _DECK_TERMS or not 1 <= seats <= 16 or not 2 <= size <= c.MOST_TILES:
            return -1
    else:
        known_dealer = dealer < seats or dealer == c.THROWN
        if found != _OKEY_TERMS or not 2 <= seats <= 4 or not 1 <= dice <= 2 or not known_dealer:
            return -1
    out[row] = game | layout << 2 | seats << 3 | dealer << 8 | dice << 12 | openings << 14 | size << 16
    return at


@compiled
def _seated(text: Array, at: int, out: Array, names: Array) -> tuple[int, int]:
    """Seals or contributions, seats ascending: (how many, position)."""
    at = mark(text, at, LIST)
    if at < 0:
        return 0, -1
    if text[at] == END_LIST:
        return 0, at + 1
    count = 0
    again = 1
    while again:
        at = mark(text, at, OBJECT)
        if at < 0 or count == c.MOST_SEATS:
            return 0, -1
        found = 0
        for k in range(2):
            which, at = name(text, at, names, k)
            if which < 0:
                return 0, -1
            found |= 1 << which
            if which:
                at = hexes(text, at, out[count, 1:])
            else:
                seat, at = number(text, at)
                if seat > 15 or (count and seat <= out[count - 1, 0]):
                    return 0, -1
                out[count, 0] = seat
            if at < 0:
                return 0, -1
            another, at = more(text, at, END_OBJECT)
            if at < 0 or another == k:
                return 0, -1
        if found != 3:
            return 0, -1
        count += 1
        again, at = more(text, at, END_LIST)
        if at < 0:
            return 0, -1
    return count, at

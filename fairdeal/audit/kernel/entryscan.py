"""Log entries (protocol §8.1) from their canonical text, compiled: one template for each kind.

Canonical text leaves an entry no freedom but its values, so a template is the text with holes in it. What
is read here, :func:`fairdeal.entries.parse_entry` accepts with the same values; whatever is not, for
whatever reason, has to go to it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fairdeal.audit.histories import columns as c
from fairdeal.audit.kernel.compiled import Array, compiled
from fairdeal.audit.kernel.scan import COMMA, END_LIST, QUOTE, hexes, texts, whole, word
from fairdeal.entries import LONGEST_WINDOW, SHORTEST_WINDOW

NO_ENTRY, COMMIT, LOCK, REVEAL = range(4)
"""The kinds of entry."""

OUTCOMES = ("played", "expired", "void", "lost")
REASONS = ("", "seat-silent", "table-closed", "technical")
"""Outcomes, and reasons of a void, as the number that stands for each; the first reason is ``null``."""
PLAYED, _, VOID, LOST = range(4)
SEAT_SILENT = 1

_SHORTEST, _LONGEST = SHORTEST_WINDOW, LONGEST_WINDOW


class Entry(NamedTuple):
    """What an entry says; one is filled again and again."""

    times: Array
    """(2,) int64: ``at``, and ``lock_by`` or ``reveal_by``."""
    single: Array
    """(6,) int64: number, packed terms, how many seats, outcome, reason, next hash's place."""
    names: Array
    """(4,) int64: where operator and table start and end."""
    hand: Array
    """(16,) uint8."""
    hashes: Array
    """(2, 32) uint8: commitment and note, openings' root and ``prev``, or ``prev`` and seed."""
    there: Array
    """(2,) uint8: 0 where a hash is null."""
    seats: Array
    """(4, 33) uint8: seals or contributions."""


NUMBER, TERMS, SEATED, OUTCOME, REASON, _HOLE = range(6)
"""Places in :attr:`Entry.single`."""


def new_entry() -> Entry:
    """An entry to be filled."""
    return Entry(
        times=np.zeros(2, np.int64),
        single=np.zeros(6, np.int64),
        names=np.zeros(4, np.int64),
        hand=np.zeros(16, np.uint8),
        hashes=np.zeros((2, 32), np.uint8),
        there=np.zeros(2, np.uint8),
        seats=np.zeros((c.MOST_SEATS, 33), np.uint8),
    )


# What may stand in a hole, each with the letter that marks it below.
_AT, _UNTIL, _NTH, _HASH, _OR_NULL, _ID, _OPERATOR = range(1, 8)
_TABLE, _TERMS, _SEALS, _SEEDS, _ENDED, _WHY = range(8, 14)
_MARKS = dict(zip("@>#$?%<^&*+!~", range(1, 14), strict=True))


def _template(text: str) -> Array:
    return np.array([_MARKS.get(letter, ord(letter)) for letter in text], np.uint8)


_COMMIT = _template(
    '{"at":@,"commitment":$,"hand":%,"lock_by":>,"note":?,"number":#,"operator":<,"seals":[*],"table":^,'
    '"terms":&,"type":"commit","v":1}'
)
_LOCK = _template(
    '{"at":@,"contributions":[+],"deal_root":?,"hand":%,"prev":$,"reveal_by":>,"type":"lock","v":1}'
)
_REVEAL = _template('{"at":@,"hand":%,"outcome":!,"prev":$,"reason":~,"server_seed":?,"type":"reveal","v":1}')

_NULL = _template("null")
_SEAL_HASH, _SEAL_SEAT = _template('{"seal":'), _template(',"seat":')
_SEED_SEAT, _SEED_HASH = _template('{"seat":'), _template(',"seed":')
_DEALER, _THROWN, _DICE, _GAME = map(_template, ('{"dealer":', '"throw"', ',"dice":', ',"game":'))
_LAYOUT, _OPENINGS, _SEATS, _SIZE = map(_template, (',"layout":', ',"openings":', ',"seats":', ',"size":'))
_DECK, _TRUE, _FALSE = map(_template, ('{"game":"deck"', "true", "false"))
_GAMES, _LAYOUTS = texts("okey", "okey101"), texts("wall", "plain")
_OUTCOMES, _REASONS = texts(*OUTCOMES), texts(*REASONS[1:])

# Letters that an operator's or table's name may begin with, and go on with.
_LETTERS = np.zeros(256, np.uint8)
for _letters, _bits in (
    (b"abcdefghijklmnopqrstuvwxyz0123456789", 0b1111),
    (b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", 0b1100),
    (b"._-", 0b1010),
    (b":", 0b1000),
):
    _LETTERS[list(_letters)] |= _bits


@compiled
def read_entry(text: Array, first: int, end: int, entry: Entry) -> int:
    """The entry that fills ``text`` from ``first`` to ``end``: its kind, or NO_ENTRY where it is not read.

    Behind the end must follow at least one byte that is no part of any entry.
    """
    if end - first < 9:
        return NO_ENTRY
    entry.single[:] = 0
    # The ninth byte from the end is the last letter of the type.
    last = text[end - 9]
    if last == 0x74 and _fill(text, first, _COMMIT, entry) == end:
        kind = COMMIT
        number, seals = entry.single[NUMBER], entry.single[SEATED]
        if number == 0 or (seals and entry.seats[seals - 1, 0] >= (entry.single[TERMS] >> 3 & 31)):
            return NO_ENTRY
    elif last == 0x6B and _fill(text, first, _LOCK, entry) == end:
        kind = LOCK
    elif last == 0x6C and _fill(text, first, _REVEAL, entry) == end:
        outcome = entry.single[OUTCOME]
        if (outcome == VOID) != (entry.single[REASON] > 0) or (outcome == LOST) == (entry.there[1] != 0):
            return NO_ENTRY
        return REVEAL
    else:
        return NO_ENTRY
    window = entry.times[1] - entry.times[0]
    return kind if _SHORTEST <= window <= _LONGEST else NO_ENTRY


@compiled
def _fill(text: Array, at: int, template: Array, entry: Entry) -> int:  # noqa: C901 - one branch a hole
    """Fill the template's holes from the text: the position behind it, or -1."""
    for k in range(len(template)):
        mark = template[k]
        if mark >= 0x20:
            at = at + 1 if text[at] == mark else -1
        elif mark == _AT:
            entry.times[0], at = whole(text, at)
        elif mark == _UNTIL:
            entry.times[1], at = whole(text, at)
        elif mark == _NTH:
            entry.single[NUMBER], at = whole(text, at)
        elif mark == _ID:
            at = hexes(text, at, entry.hand)
        elif mark in (_HASH, _OR_NULL):
            hole = entry.single[_HOLE]
            entry.single[_HOLE] += 1
            entry.there[hole] = mark == _HASH or text[at] == QUOTE
            at = hexes(text, at, entry.hashes[hole]) if entry.there[hole] else _exactly(text, at, _NULL)
        elif mark == _OPERATOR:
            at = _named(text, at, entry.names[:2], 1)
        elif mark == _TABLE:
            at = _named(text, at, entry.names[2:], 4)
        elif mark == _TERMS:
            entry.single[TERMS], at = _terms(text, at)
        elif mark in (_SEALS, _SEEDS):
            entry.single[SEATED], at = _seated(text, at, mark == _SEALS, entry.seats)
        elif mark == _ENDED:
            entry.single[OUTCOME], at = word(text, at, _OUTCOMES, 0)
        elif text[at] == QUOTE:
            entry.single[REASON], at = word(text, at, _REASONS, 0)
            entry.single[REASON] += 1
        else:
            at = _exactly(text, at, _NULL)
        if at < 0:
            return -1
    return at


@compiled
def _exactly(text: Array, at: int, wanted: Array) -> int:
    """Behind exactly these bytes; -1 also where the position is that already."""
    if at < 0:
        return -1
    for k in range(len(wanted)):
        if text[at + k] != wanted[k]:
            return -1
    return at + len(wanted)


@compiled
def _named(text: Array, at: int, span: Array, begin: int) -> int:
    """A name of 1 to 64 letters; ``begin`` is the bit of those that it may begin with."""
    if text[at] != QUOTE or not _LETTERS[text[at + 1]] & begin:
        return -1
    span[0] = at + 1
    at += 2
    while _LETTERS[text[at]] & (begin << 1):
        at += 1
    span[1] = at
    if text[at] != QUOTE or at - span[0] > 64:
        return -1
    return at + 1


@compiled
def _seated(text: Array, at: int, sealed: bool, seats: Array) -> tuple[int, int]:
    """Seals or contributions, seats ascending, up to the list's end: (how many, position)."""
    if text[at] == END_LIST:
        return 0, at
    for count in range(c.MOST_SEATS):
        out = seats[count]
        at = _exactly(text, at, _SEAL_HASH if sealed else _SEED_SEAT)
        if at >= 0 and sealed:
            at = _exactly(text, hexes(text, at, out[1:]), _SEAL_SEAT)
        if at < 0:
            return 0, -1
        seat, at = whole(text, at)
        if at < 0 or seat > 15 or (count and seat <= seats[count - 1, 0]):
            return 0, -1
        out[0] = seat
        if not sealed:
            at = _exactly(text, at, _SEED_HASH)
            if at < 0:
                return 0, -1
            at = hexes(text, at, out[1:])
        if at < 0 or text[at] != 0x7D:
            return 0, -1
        if text[at + 1] == END_LIST:
            return count + 1, at + 1
        if text[at + 1] != COMMA:
            return 0, -1
        at += 2
    return 0, -1


@compiled
def _after(text: Array, at: int, name: Array) -> tuple[int, int]:
    """A member's name and its number: (number, position)."""
    at = _exactly(text, at, name)
    if at < 0:
        return 0, -1
    value, at = whole(text, at)
    return value, at


@compiled
def _flag(text: Array, at: int) -> tuple[int, int]:
    """The member ``openings``: (0 or 1, position)."""
    at = _exactly(text, at, _OPENINGS)
    if at >= 0 and text[at] == 0x74:
        return 1, _exactly(text, at, _TRUE)
    return 0, _exactly(text, at, _FALSE)


@compiled
def _terms(text: Array, at: int) -> tuple[int, int]:
    """Terms that a row can hold, packed: (their code, position)."""
    behind = _exactly(text, at, _DECK)
    if behind >= 0:
        openings, at = _flag(text, behind)
        seats, at = _after(text, at, _SEATS)
        size, at = _after(text, at, _SIZE)
        if at < 0 or text[at] != 0x7D or not 1 <= seats <= 16 or not 2 <= size <= c.MOST_TILES:
            return 0, -1
        return c.DECK_GAME | seats << 3 | openings << 14 | size << 16, at + 1
    at = _exactly(text, at, _DEALER)
    if at < 0:
        return 0, -1
    if text[at] == QUOTE:
        dealer, at = c.THROWN, _exactly(text, at, _THROWN)
    else:
        dealer, at = whole(text, at)
        if dealer >= c.MOST_SEATS:
            return 0, -1
    dice, at = _after(text, at, _DICE)
    at = _exactly(text, at, _GAME)
    if at < 0:
        return 0, -1
    game, at = word(text, at, _GAMES, 0)
    at = _exactly(text, at, _LAYOUT)
    if at < 0:
        return 0, -1
    layout, at = word(text, at, _LAYOUTS, 0)
    openings, at = _flag(text, at)
    seats, at = _after(text, at, _SEATS)
    if at < 0 or text[at] != 0x7D or not 2 <= seats <= 4 or not 1 <= dice <= 2:
        return 0, -1
    if dealer != c.THROWN and dealer >= seats:
        return 0, -1
    return game | layout << 2 | seats << 3 | dealer << 8 | dice << 12 | openings << 14, at + 1

"""Receipts (protocol §9.1) straight from their JSON text into columns, compiled.

Member order and spacing are free, as the protocol has it; an entry's own text is canonical. A line that is
not read here, for whatever reason, is marked as not taken and read by the core. Key and checkpoint are only
found here, not read: receipts of one log share them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fairdeal.audit.histories import columns as c
from fairdeal.audit.histories.columns import Hands
from fairdeal.audit.kernel.compiled import Array, compiled
from fairdeal.audit.kernel.dealtext import MEMBERS, read_deal
from fairdeal.audit.kernel.entryscan import (
    COMMIT,
    LOCK,
    NO_ENTRY,
    NUMBER,
    OUTCOME,
    PLAYED,
    REASON,
    REVEAL,
    SEAT_SILENT,
    SEATED,
    TERMS,
    Entry,
    new_entry,
    read_entry,
)
from fairdeal.audit.kernel.scan import (
    END_LIST,
    END_OBJECT,
    LINE_FEED,
    LIST,
    OBJECT,
    base64,
    literal,
    mark,
    more,
    name,
    plain,
    space,
    string,
    texts,
    whole,
    word,
)
from fairdeal.receipt import MAX_PROOF, RECEIPT_FORMAT

STAGES = 3
"""A receipt's entries at most: commit, lock and reveal, each in its own place in the columns."""

ROOM = 1024
"""Bytes for an entry as the tree hashes it; more than the longest with four seats and terms of Okey."""

LOCKED, ENDED = 1, 2
"""Bits of ``stage``: which entries there are besides the commit."""

_PADDING = 9


class Logged(NamedTuple):
    """What n receipts hold besides the columns of their hands. Places are those of the stages."""

    spans: Array
    """(n, 4) int64: where vkey and checkpoint start and end in the text, quotes included."""
    stage: Array
    """(n,) uint8 bits LOCKED, ENDED."""
    indexes: Array
    """(n, 3) int64"""
    at: Array
    """(n, 3) int64"""
    number: Array
    """(n,) int64"""
    names: Array
    """(n, 4) int64: where operator and table start and end in the commit's text."""
    ended: Array
    """(n, 2) uint8: outcome and reason."""
    prev: Array
    """(n, 3, 32) uint8: of lock and reveal."""
    text: Array
    """(n, 3, ROOM) uint8: 00, the entry, and SHA-256's padding."""
    blocks: Array
    """(n, 3) int64: blocks of 64 bytes in the text, 0 where there is no entry."""
    proof: Array
    """(n, 3, 2) int64: the first of the proof's nodes, and the one behind its last."""
    nodes: Array
    """(m, 32) uint8: all proofs' nodes."""


def logged(receipts: int, nodes: int) -> Logged:
    """Columns for so many receipts with so many nodes in their proofs together."""

    def numbers(*shape: int) -> Array:
        return np.zeros((receipts, *shape), np.int64)

    return Logged(
        spans=numbers(4),
        stage=np.zeros(receipts, np.uint8),
        indexes=numbers(STAGES),
        at=numbers(STAGES),
        number=numbers(),
        names=numbers(4),
        ended=np.zeros((receipts, 2), np.uint8),
        prev=np.zeros((receipts, STAGES, 32), np.uint8),
        text=np.zeros((receipts, STAGES, ROOM), np.uint8),
        blocks=numbers(STAGES),
        proof=numbers(STAGES, 2),
        nodes=np.empty((nodes, 32), np.uint8),
    )


_RECEIPT = texts("format", "vkey", "checkpoint", "entries", "deal")
_FORMAT, _VKEY, _CHECKPOINT, _ENTRIES, _DEAL = range(5)
_ENTRY = texts("index", "entry", "proof")
_INDEX, _TEXT, _PROOF = range(3)
_FORMATS = texts(RECEIPT_FORMAT)
_NULL = np.frombuffer(b"null", np.uint8).copy()

GUESSES = 10 + MEMBERS
"""Places in a table of guesses, as in :mod:`fairdeal.audit.kernel.records`."""
_G_ENTRY, _G_DEAL = 5, 10


def scan_receipts(text: Array, starts: Array, hands: Hands, found: Logged) -> None:
    """Read the receipt that starts at each position into its row; ``text`` ends with a line feed."""
    _scan(text, np.ascontiguousarray(starts), hands, found, new_entry(), np.zeros(GUESSES, np.int64))


@compiled
def _scan(  # noqa: PLR0917 - compiled
    text: Array, starts: Array, hands: Hands, found: Logged, entry: Entry, guesses: Array
) -> None:
    used = 0
    for row in range(len(starts)):
        at, behind = _receipt(text, starts[row], hands, found, row, used, entry, guesses)
        if at >= 0 and text[at] == LINE_FEED:
            hands.taken[row] = 1
            used = behind


@compiled
def _receipt(  # noqa: PLR0917 - compiled
    text: Array, at: int, hands: Hands, out: Logged, row: int, used: int, entry: Entry, guesses: Array
) -> tuple[int, int]:
    """(position or -1, how many nodes are used)."""
    at = mark(text, at, OBJECT)
    found = 0
    place = 0
    again = 1
    while again:
        if at < 0 or place > 4:
            return -1, used
        which, at = name(text, at, _RECEIPT, guesses[place])
        if which < 0 or found >> which & 1:
            return -1, used
        guesses[place] = which
        place += 1
        found |= 1 << which
        if which == _FORMAT:
            _, at = word(text, at, _FORMATS, 0)
        elif which == _VKEY:
            out.spans[row, 0] = at
            at = string(text, at)
            out.spans[row, 1] = at
        elif which == _CHECKPOINT:
            out.spans[row, 2] = at
            at = string(text, at)
            out.spans[row, 3] = at
        elif which == _ENTRIES:
            at, used = _entries(text, at, hands, out, row, used, entry, guesses)
        elif text[at] == 0x6E:
            at = literal(text, at, _NULL)
        else:
            at = read_deal(text, at, hands.deal[row], guesses[_G_DEAL:])
        if at < 0:
            return -1, used
        again, at = more(text, at, END_OBJECT)
    if at < 0 or found != 31:
        return -1, used
    return space(text, at), used


@compiled
def _entries(  # noqa: PLR0917 - compiled
    text: Array, at: int, hands: Hands, out: Logged, row: int, used: int, entry: Entry, guesses: Array
) -> tuple[int, int]:
    at = mark(text, at, LIST)
    before = -1
    again = 1
    while again:
        if at < 0:
            return -1, used
        # Where it goes is known when its text is read: until then it stands at the earliest place.
        place = before + 1
        if place == STAGES:
            return -1, used
        at, used = _entry(text, at, out, row, place, used, guesses)
        if at < 0:
            return -1, used
        message = out.text[row, place]
        length = out.blocks[row, place]
        kind = read_entry(message, 1, length, entry)
        if kind == NO_ENTRY or kind - 1 < place:
            return -1, used
        if kind - 1 > place:
            # A reveal without a lock: the lock's place stays empty.
            if kind != REVEAL or place != LOCK - 1:
                return -1, used
            _move(out, row)
            place = REVEAL - 1
        out.blocks[row, place] = _pad(out.text[row, place], length)
        if not _take(hands, out, row, place, before, kind, entry):
            return -1, used
        before = place
        again, at = more(text, at, END_LIST)
    return at, used


@compiled
def _move(out: Logged, row: int) -> None:
    """From the lock's place to the reveal's."""
    out.text[row, 2] = out.text[row, 1]
    out.indexes[row, 2] = out.indexes[row, 1]
    out.proof[row, 2] = out.proof[row, 1]
    out.indexes[row, 1] = out.proof[row, 1, 0] = out.proof[row, 1, 1] = out.blocks[row, 1] = 0


@compiled
def _pad(message: Array, length: int) -> int:
    """SHA-256's padding behind a message: how many blocks there are then."""
    blocks = (length + _PADDING + 63) // 64
    # The first byte stands already: it ended the text for whoever read it.
    message[length + 1 : 64 * blocks] = 0
    bits = 8 * length
    message[64 * blocks - 2] = bits >> 8
    message[64 * blocks - 1] = bits & 255
    return blocks


@compiled
def _entry(  # noqa: PLR0917 - compiled
    text: Array, at: int, out: Logged, row: int, place: int, used: int, guesses: Array
) -> tuple[int, int]:
    """One logged entry; ``blocks`` is its length in bytes, the first byte included, until it is padded."""
    at = mark(text, at, OBJECT)
    found = 0
    member = 0
    again = 1
    while again:
        if at < 0 or member > 2:
            return -1, used
        which, at = name(text, at, _ENTRY, guesses[_G_ENTRY + member])
        if which < 0 or found >> which & 1:
            return -1, used
        guesses[_G_ENTRY + member] = which
        member += 1
        found |= 1 << which
        if which == _INDEX:
            out.indexes[row, place], at = whole(text, at)
        elif which == _TEXT:
            message = out.text[row, place]
            message[0] = 0
            length, at = plain(text, at, message[1 : ROOM - _PADDING])
            message[1 + length] = 0x80
            out.blocks[row, place] = 1 + length
        else:
            out.proof[row, place, 0] = used
            at, used = _nodes(text, at, out.nodes, used)
            out.proof[row, place, 1] = used
        if at < 0:
            return -1, used
        again, at = more(text, at, END_OBJECT)
    return (at if found == 7 else -1), used


@compiled
def _nodes(text: Array, at: int, nodes: Array, used: int) -> tuple[int, int]:
    """A proof: (position, how many nodes are used)."""
    at = mark(text, at, LIST)
    if at < 0:
        return -1, used
    if text[at] == END_LIST:
        return at + 1, used
    again = 1
    most = min(used + MAX_PROOF, len(nodes))
    while again:
        if used == most:
            return -1, used
        at = base64(text, at, nodes[used])
        if at < 0:
            return -1, used
        used += 1
        again, at = more(text, at, END_LIST)
        if at < 0:
            return -1, used
    return at, used


@compiled
def _take(  # noqa: PLR0917 - compiled
    hands: Hands, out: Logged, row: int, place: int, before: int, kind: int, entry: Entry
) -> bool:
    """Put an entry that was read into its columns; false where it cannot follow the one before it."""
    out.at[row, place] = entry.times[0]
    if kind == COMMIT:
        hands.hand[row] = entry.hand
        hands.commitment[row] = entry.hashes[0]
        hands.terms[row] = entry.single[TERMS]
        hands.has[row] = c.HAS_COMMITMENT
        hands.seal_count[row] = entry.single[SEATED]
        for k in range(entry.single[SEATED]):
            hands.seals[row, k] = entry.seats[k]
        out.number[row] = entry.single[NUMBER]
        out.names[row] = entry.names
        return True
    if (
        before < 0
        or out.indexes[row, place] <= out.indexes[row, before]
        or entry.times[0] < out.at[row, before]
    ):
        return False
    for k in range(16):
        if entry.hand[k] != hands.hand[row, k]:
            return False
    if kind == LOCK:
        hands.opened_count[row] = entry.single[SEATED]
        for k in range(entry.single[SEATED]):
            hands.opened[row, k] = entry.seats[k]
        out.prev[row, place] = entry.hashes[1]
        out.stage[row] |= LOCKED
        if entry.there[0]:
            hands.root[row] = entry.hashes[0]
            hands.has[row] |= c.HAS_ROOT
        return True
    locked = out.stage[row] & LOCKED
    if entry.single[OUTCOME] == PLAYED and not locked:
        return False
    if entry.single[REASON] == SEAT_SILENT and (locked or hands.seal_count[row] == 0):
        return False
    out.prev[row, place] = entry.hashes[0]
    out.ended[row, 0], out.ended[row, 1] = entry.single[OUTCOME], entry.single[REASON]
    out.stage[row] |= ENDED
    if entry.there[1]:
        hands.seed[row] = entry.hashes[1]
        hands.has[row] |= c.HAS_SEED
    return True

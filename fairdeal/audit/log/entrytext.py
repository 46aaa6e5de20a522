"""Log entries read at the speed of an audit: one regular expression per kind (protocol §8.1).

An entry's canonical text leaves so little freedom that a pattern can describe it whole. What a pattern
accepts, :func:`fairdeal.entries.parse_entry` accepts with the same values (a test holds the two together);
whatever it does not accept goes to the slow parser, which names the rule that is broken.

Entries come out as plain tuples, since an audit makes millions of them. Hashes and ids stay as they stand
in the text, in lower-case hex.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from fairdeal.encoding import MAX_INTEGER, canonical, parse_json
from fairdeal.entries import LONGEST_WINDOW, MAX_ENTRY, SHORTEST_WINDOW, Commit, Lock, parse_entry
from fairdeal.errors import MalformedError, UnsupportedError
from fairdeal.terms import Terms, parse_terms

Seats = tuple[tuple[int, bytes], ...]
"""Seats with a seal or client seed each, in hex."""


class CommitText(NamedTuple):
    """A commit entry; ``terms`` is its canonical text (see :func:`terms_of`)."""

    at: int
    commitment: bytes
    hand: bytes
    lock_by: int
    number: int
    operator: bytes
    seals: Seats
    table: bytes
    terms: bytes


class LockText(NamedTuple):
    """A lock entry."""

    at: int
    contributions: Seats
    deal_root: bytes | None
    hand: bytes
    prev: bytes
    reveal_by: int


class RevealText(NamedTuple):
    """A reveal entry. Its seed is public by now."""

    at: int
    hand: bytes
    outcome: bytes
    prev: bytes
    reason: bytes | None
    server_seed: bytes | None


EntryText = CommitText | LockText | RevealText

_N = rb"(0|[1-9][0-9]{0,15})"
_H32, _H64 = rb"([0-9a-f]{32})", rb"([0-9a-f]{64})"
_OR_NULL = rb'(?:null|"([0-9a-f]{64})")'
_SEAT = rb"(?:[0-9]|1[0-5])"
_NAME = rb"[a-z0-9][a-z0-9._-]{0,63}"
_TABLE = rb"[A-Za-z0-9][A-Za-z0-9._:-]{0,63}"
_SEAL = rb'\{"seal":"[0-9a-f]{64}","seat":' + _SEAT + rb"\}"
_SEED = rb'\{"seat":' + _SEAT + rb',"seed":"[0-9a-f]{64}"\}'

_COMMIT = re.compile(
    rb'\{"at":%b,"commitment":"%b","hand":"%b","lock_by":%b,"note":(?:null|"[0-9a-f]{64}"),"number":%b,'
    rb'"operator":"(%b)","seals":\[((?:%b(?:,%b){0,15})?)\],"table":"(%b)","terms":(\{[^{}]{1,200}\}),'
    rb'"type":"commit","v":1\}' % (_N, _H64, _H32, _N, _N, _NAME, _SEAL, _SEAL, _TABLE)
)
_LOCK = re.compile(
    rb'\{"at":%b,"contributions":\[((?:%b(?:,%b){0,15})?)\],"deal_root":%b,"hand":"%b","prev":"%b",'
    rb'"reveal_by":%b,"type":"lock","v":1\}' % (_N, _SEED, _SEED, _OR_NULL, _H32, _H64, _N)
)
_REVEAL = re.compile(
    rb'\{"at":%b,"hand":"%b","outcome":"(?:(?:(played|expired)","prev":"%b","reason":null,"server_seed":"%b")'
    rb'|(?:(void)","prev":"%b","reason":"(seat-silent|table-closed|technical)","server_seed":"%b")'
    rb'|(?:(lost)","prev":"%b","reason":null,"server_seed":null)),"type":"reveal","v":1\}'
    % (_N, _H32, _H64, _H64, _H64, _H64, _H64)
)
_SEALS = re.compile(rb'"seal":"([0-9a-f]{64})","seat":([0-9]+)')
_SEEDS = re.compile(rb'"seat":([0-9]+),"seed":"([0-9a-f]{64})"')

# Distinct terms are few in any log; a log that makes them up without end must not fill the memory.
_MOST_TERMS = 4096
_terms: dict[bytes, Terms | None] = {}


def terms_of(text: bytes) -> Terms | None:
    """Terms from their canonical text; ``None`` where they are not exactly that."""
    if text not in _terms:
        if len(_terms) >= _MOST_TERMS:
            _terms.clear()
        try:
            terms = parse_terms(parse_json(text))
            _terms[text] = terms if terms.canonical() == text else None
        except MalformedError:
            _terms[text] = None
    return _terms[text]


def read_entry(data: bytes) -> EntryText | None:
    """An entry from its exact bytes, or ``None`` where the slow parser has to look (:func:`explain`)."""
    if len(data) > MAX_ENTRY or len(data) < 9:
        return None
    # The ninth byte from the end is the last letter of the type: "commit", "lock", "reveal".
    last = data[-9]
    if last == 0x74:
        return _read_commit(data)
    if last == 0x6B:
        return _read_lock(data)
    return _read_reveal(data) if last == 0x6C else None


def _read_commit(data: bytes) -> CommitText | None:
    found = _COMMIT.fullmatch(data)
    if found is None:
        return None
    at_, commitment, hand, lock_by_, number_, operator, seals_, table, terms_ = found.groups()
    at, lock_by, number = int(at_), int(lock_by_), int(number_)
    terms = terms_of(terms_)
    if terms is None or not 1 <= number <= MAX_INTEGER or not _in_time(at, lock_by):
        return None
    seals: Seats = ()
    if seals_:
        seals = tuple((int(seat), seal) for seal, seat in _SEALS.findall(seals_))
        if not _ascending(seals) or seals[-1][0] >= terms.seats:
            return None
    return CommitText(at, commitment, hand, lock_by, number, operator, seals, table, terms_)


def _read_lock(data: bytes) -> LockText | None:
    found = _LOCK.fullmatch(data)
    if found is None:
        return None
    at_, contributions_, deal_root, hand, prev, reveal_by_ = found.groups()
    at, reveal_by = int(at_), int(reveal_by_)
    if not _in_time(at, reveal_by):
        return None
    contributions: Seats = ()
    if contributions_:
        contributions = tuple((int(seat), seed) for seat, seed in _SEEDS.findall(contributions_))
        if not _ascending(contributions):
            return None
    return LockText(at, contributions, deal_root, hand, prev, reveal_by)


def _read_reveal(data: bytes) -> RevealText | None:
    found = _REVEAL.fullmatch(data)
    if found is None:
        return None
    at_, hand, plain, prev1, seed1, void, prev2, reason, seed2, lost, prev3 = found.groups()
    at = int(at_)
    if at > MAX_INTEGER:
        return None
    if plain:
        return RevealText(at, hand, plain, prev1, None, seed1)
    if void:
        return RevealText(at, hand, void, prev2, reason, seed2)
    return RevealText(at, hand, lost, prev3, None, None)


def _in_time(at: int, deadline: int) -> bool:
    return SHORTEST_WINDOW <= deadline - at <= LONGEST_WINDOW and deadline <= MAX_INTEGER


def _ascending(seats: Seats) -> bool:
    return all(seats[k - 1][0] < seats[k][0] for k in range(1, len(seats)))


class Fault(NamedTuple):
    """Why an entry cannot be read: a finding's code and words. ``hand`` where the text still names one."""

    code: str
    detail: str
    hand: str | None


def explain(data: bytes) -> Fault | EntryText:
    """What the slow parser says of an entry that :func:`read_entry` left: its fault, or still the entry."""
    try:
        entry = parse_entry(data)
    except UnsupportedError as error:
        return Fault("unsupported-entry", str(error), _hand_in(data))
    except MalformedError as error:
        code = "not-canonical" if _loose(data) else "malformed-entry"
        return Fault(code, str(error), _hand_in(data))
    if isinstance(entry, Commit):
        seals = tuple((s.seat, s.seal.hex().encode()) for s in entry.seals)
        return CommitText(
            entry.at,
            entry.commitment.hex().encode(),
            entry.hand.hex().encode(),
            entry.lock_by,
            entry.number,
            entry.operator.encode(),
            seals,
            entry.table.encode(),
            entry.terms.canonical(),
        )
    hand, prev = entry.hand.hex().encode(), entry.prev.hex().encode()
    if isinstance(entry, Lock):
        opened = tuple((c.seat, c.seed.hex().encode()) for c in entry.contributions)
        root = None if entry.deal_root is None else entry.deal_root.hex().encode()
        return LockText(entry.at, opened, root, hand, prev, entry.reveal_by)
    seed = None if entry.server_seed is None else entry.server_seed.hex().encode()
    reason = None if entry.reason is None else entry.reason.encode()
    return RevealText(entry.at, hand, entry.outcome.encode(), prev, reason, seed)


def _loose(data: bytes) -> bool:
    """Whether only the spelling is wrong: the same value, written canonically, is in order."""
    try:
        parse_entry(canonical(parse_json(data)))
    except MalformedError:
        return False
    return True


def _hand_in(data: bytes) -> str | None:
    found = re.search(rb'"hand"\s*:\s*"([0-9a-f]{32})"', data[: MAX_ENTRY * 4])
    return found[1].decode() if found else None

"""The life of one hand in a log: what may follow what, and when (protocol §8.1, §2.1).

The rules here are told an entry and the hand's state before it, and answer with findings. They keep no
state of their own beyond the hand, so that the parts of a log can be audited apart.
"""

from __future__ import annotations

import binascii
import hashlib
from collections.abc import Iterator

from fairdeal.audit.findings import Finding
from fairdeal.audit.log.entrytext import CommitText, LockText, RevealText, Seats, terms_of
from fairdeal.terms import Terms

GRACE = 60_000
"""Milliseconds after which a reveal that is due counts as late (protocol §10.5)."""


class Hand:
    """A hand from its commit on. Ids and hashes are lower-case hex, as in the log."""

    __slots__ = (
        "commit_index",
        "commitment",
        "committed_at",
        "contributions",
        "deal_root",
        "hand",
        "last",
        "lock_by",
        "lock_index",
        "number",
        "reveal_by",
        "seals",
        "seals_hold",
        "table",
        "terms_text",
    )

    def __init__(self, entry: CommitText, index: int, leaf: bytes, table: bytes) -> None:
        """``leaf`` is the entry's leaf hash in hex, ``table`` operator and table joined by a slash."""
        self.hand = entry.hand
        self.table = table
        self.number = entry.number
        self.commitment = entry.commitment
        self.seals = entry.seals
        self.terms_text = entry.terms
        self.committed_at = entry.at
        self.lock_by = entry.lock_by
        self.commit_index = index
        self.last = leaf
        self.lock_index: int | None = None
        self.contributions: Seats = ()
        self.seals_hold = True
        self.deal_root: bytes | None = None
        self.reveal_by = 0

    @property
    def terms(self) -> Terms:
        """The hand's terms."""
        terms = terms_of(self.terms_text)
        if terms is None:  # pragma: no cover: the commit was read, so its terms are in order
            raise ValueError(self.terms_text)
        return terms

    @property
    def due(self) -> int:
        """When the hand must go on or end, in milliseconds."""
        return self.lock_by if self.lock_index is None else self.reveal_by

    @property
    def key(self) -> tuple[str, str]:
        """Operator and table."""
        operator, _, table = self.table.decode().partition("/")
        return operator, table


def lock_plainly(hand: Hand, entry: LockText, index: int, leaf: bytes) -> bool:
    """Lock a hand where nothing can be wrong with it; the short way for almost all of a log's hands."""
    if (
        hand.lock_index is not None
        or hand.seals
        or entry.contributions
        or entry.deal_root is not None
        or entry.prev != hand.last
        or entry.at >= hand.lock_by
        or hand.terms.openings
    ):
        return False
    hand.lock_index = index
    hand.last = leaf
    hand.reveal_by = entry.reveal_by
    return True


def ends_plainly(hand: Hand, entry: RevealText) -> bool:
    """Whether a hand was locked and played, in time and with its committed seed: then nothing is wrong."""
    return (
        entry.outcome == b"played"
        and hand.lock_index is not None
        and entry.at < hand.reveal_by
        and entry.prev == hand.last
        and entry.server_seed is not None
        and hashlib.sha256(binascii.unhexlify(entry.server_seed)).hexdigest().encode() == hand.commitment
    )


def lock(hand: Hand, entry: LockText, index: int, leaf: bytes) -> Iterator[Finding]:
    """Lock a hand, and say what is wrong with it."""
    name = hand.hand.decode()
    if hand.lock_index is not None:
        yield Finding("second-lock", f"it was locked at entry {hand.lock_index} already", name, index)
        return
    yield from _prev(hand, entry.prev, index)
    if entry.at >= hand.lock_by:
        yield _time("lock-late", "locked at or after its lock_by", hand, index, due=hand.lock_by, at=entry.at)
    hand.lock_index = index
    hand.last = leaf
    hand.reveal_by = entry.reveal_by
    hand.contributions = entry.contributions
    hand.deal_root = entry.deal_root
    if hand.seals or entry.contributions:
        faults = list(_contributions(hand, index))
        hand.seals_hold = not faults
        yield from faults
    wanted = hand.terms.openings
    if wanted and entry.deal_root is None:
        yield Finding(
            "check-openings", "the terms ask for openings, but the lock has no deal_root", name, index
        )
    elif entry.deal_root is not None and not wanted:
        yield Finding("check-openings", "the lock has a deal_root that the terms do not ask for", name, index)


def _contributions(hand: Hand, index: int) -> Iterator[Finding]:
    name = hand.hand.decode()
    seals = dict(hand.seals)
    opened = dict(hand.contributions)
    for seat, seal in hand.seals:
        if seat not in opened:
            yield Finding("seal-unopened", f"seat {seat} sealed a seed that was not opened", name, index)
            continue
        found = hashlib.sha256(binascii.unhexlify(opened[seat])).hexdigest()
        if found != seal.decode():
            what = f"seat {seat}'s contribution does not open its seal"
            yield Finding("contribution-changed", what, name, index, expected=seal.decode(), found=found)
    for seat, _ in hand.contributions:
        if seat >= hand.terms.seats:
            yield Finding("contribution-seat", f"there is no seat {seat} at this table", name, index)
        elif seat not in seals:
            yield Finding("contribution-unsealed", f"seat {seat} sealed no seed", name, index)


def end(hand: Hand, entry: RevealText, index: int) -> Iterator[Finding]:
    """End a hand, and say what is wrong with it."""
    name = hand.hand.decode()
    yield from _prev(hand, entry.prev, index)
    locked = hand.lock_index is not None
    if entry.outcome == b"played" and not locked:
        yield Finding("wrong-outcome", "played, but never locked", name, index)
    elif entry.reason == b"seat-silent" and (locked or not hand.seals):
        why = "it was locked" if locked else "no seat had sealed a seed"
        yield Finding("wrong-outcome", f"void for a silent seat, but {why}", name, index)
    due = hand.due
    if entry.outcome == b"expired":
        if entry.at < due:
            yield _time("outcome-time", "expired before it was due", hand, index, due=due, at=entry.at)
    elif entry.outcome != b"lost" and entry.at >= due:
        what = f"{entry.outcome.decode()} at or after it was due, which only an expired hand may end"
        yield _time("outcome-time", what, hand, index, due=due, at=entry.at)
    if entry.at > due + GRACE:
        yield _time(
            "revealed-late",
            f"revealed {(entry.at - due) // 1000} s after it was due",
            hand,
            index,
            due=due,
            at=entry.at,
        )
    if entry.server_seed is None:
        yield Finding("lost", "the service no longer had this hand's seed", name, index)
        return
    commitment = hashlib.sha256(binascii.unhexlify(entry.server_seed)).hexdigest()
    if commitment != hand.commitment.decode():
        what = "SHA-256 of the server seed is not the commitment"
        yield Finding(
            "check-commitment", what, name, index, expected=hand.commitment.decode(), found=commitment
        )


def overdue(hand: Hand, now: int) -> Finding | None:
    """A finding where an open hand should have ended by ``now``."""
    if now <= hand.due + GRACE:
        return None
    index = hand.commit_index if hand.lock_index is None else hand.lock_index
    return _time("overdue", "still open long after it was due", hand, index, due=hand.due, at=now)


def _prev(hand: Hand, prev: bytes, index: int) -> Iterator[Finding]:
    if prev != hand.last:
        what = "prev is not the leaf hash of the hand's entry before this one"
        found = prev.decode()
        yield Finding("wrong-prev", what, hand.hand.decode(), index, expected=hand.last.decode(), found=found)


def _time(code: str, detail: str, hand: Hand, index: int, *, due: int, at: int) -> Finding:
    return Finding(code, detail, hand.hand.decode(), index, expected=f"due {due}", found=f"at {at}")

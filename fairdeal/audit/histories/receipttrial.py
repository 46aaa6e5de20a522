"""Compiled code that reads and proves receipts, on trial as :mod:`fairdeal.audit.histories.trust` has it."""

from __future__ import annotations

import json
from functools import lru_cache

import numpy as np

from fairdeal.audit.histories import columns as c
from fairdeal.audit.histories.columns import Array, unpack_terms
from fairdeal.audit.histories.packing import unpack
from fairdeal.audit.histories.trust import sample
from fairdeal.audit.kernel import Kernel
from fairdeal.audit.kernel.entryscan import OUTCOMES, REASONS
from fairdeal.audit.kernel.paths import heads, leaf_hashes
from fairdeal.audit.kernel.receiptscan import (
    ENDED,
    LOCKED,
    ROOM,
    STAGES,
    Logged,
    logged,
    scan_receipts,
)
from fairdeal.entries import Commit, Entry, Lock, Reveal
from fairdeal.evidence import Evidence, gather
from fairdeal.merkle import inclusion_proof, leaf_hash, root
from fairdeal.receipt import LoggedEntry, Receipt, Record
from fairdeal.terms import Terms

_AT = 1_700_000_000_000
_WINDOW = 60_000


@lru_cache(maxsize=1024)
def receipts_hold(kernel: Kernel, code: int) -> bool:
    """Whether some receipts under these packed terms are read and proved as the core has them."""
    receipts, size, head = _samples(unpack_terms(code))
    lines = [json.dumps(receipt.as_json()).encode() + b"\n" for receipt in receipts]
    starts = np.cumsum([0, *map(len, lines[:-1])])
    hands, log = c.empty(len(lines)), logged(len(lines), sum(map(len, lines)))
    scan_receipts(np.frombuffer(b"".join(lines), np.uint8), starts, hands, log)
    leaves = leaf_hashes(kernel, log.text.reshape(-1, ROOM), log.blocks.reshape(-1)).reshape(-1, STAGES, 32)
    for row, receipt in enumerate(receipts):
        if not hands.taken[row] or unpack(hands, row) != _stated(gather(receipt)):
            return False
        if _entries(receipt) != _read(log, row, leaves[row]):
            return False
    rows, places = np.nonzero(log.blocks)
    found, fits = heads(
        kernel,
        leaves[rows, places],
        log.indexes[rows, places],
        np.full(len(rows), size),
        log.proof[rows, places],
        log.nodes,
    )
    return bool(fits.all()) and found.tobytes() == head * len(rows)


def _samples(terms: Terms) -> tuple[list[Receipt], int, bytes]:
    """Receipts of a hand that is committed, locked, played, and ended without a lock; their tree."""
    record = sample(terms, 2)
    assert record.commitment is not None  # noqa: S101 - a sample has everything
    hand, until = record.hand, _AT + _WINDOW
    commit = Commit(_AT, "sample", "t:1", 7, hand, terms, record.commitment, record.seals, bytes(32), until)
    start = leaf_hash(commit.encode())
    lock = Lock(_AT + 1, hand, start, record.contributions, record.deal_root, until + 1)
    reveal = Reveal(_AT + 2, hand, leaf_hash(lock.encode()), "played", None, record.server_seed)
    void = Reveal(_AT + 3, hand, start, "void", "technical", record.server_seed)
    entries: tuple[Entry, ...] = (commit, lock, reveal, void)
    texts = [entry.encode() for entry in entries]
    leaves = [leaf_hash(text) for text in texts] * 2
    logged = [
        LoggedEntry(k, text.decode(), tuple(inclusion_proof(leaves, k))) for k, text in enumerate(texts)
    ]
    shown = ((0,), (0, 1), (0, 1, 2), (0, 3))
    receipts = [
        Receipt("key", "note", tuple(logged[k] for k in some), record.deal if 2 in some else None)
        for some in shown
    ]
    return receipts, len(leaves), root(leaves)


def _stated(evidence: Evidence) -> Record:
    """What a receipt states of its hand, as a row has it."""
    stated = evidence.stated
    assert stated is not None  # noqa: S101 - every sample has its commit
    return Record(
        stated.hand,
        stated.terms,
        stated.commitment,
        evidence.server_seed,
        stated.seals,
        evidence.contributions or (),
        evidence.deal_root,
        evidence.deal,
    )


Row = tuple[int, list[tuple[int, int, bytes, bytes, bytes]], tuple[int, str, str], tuple[str, str | None]]


def _entries(receipt: Receipt) -> Row:
    """What a receipt says of the log: stage; index, time, text, leaf and prev; number and names; outcome."""
    stage, listed = 0, []
    named = (0, "", "")
    outcome: tuple[str, str | None] = (OUTCOMES[0], None)
    for item in receipt.entries:
        entry, text = item.content, item.entry.encode()
        assert entry is not None  # noqa: S101 - every sample is of this version
        prev = bytes(32) if isinstance(entry, Commit) else entry.prev
        listed.append((item.index, entry.at, text, leaf_hash(text), prev))
        if isinstance(entry, Commit):
            named = (entry.number, entry.operator, entry.table)
        elif isinstance(entry, Lock):
            stage |= LOCKED
        else:
            stage |= ENDED
            outcome = (entry.outcome, entry.reason)
    return stage, listed, named, outcome


def _read(log: Logged, row: int, leaves: Array) -> Row:
    """The same out of a row."""
    listed = []
    for place in np.flatnonzero(log.blocks[row]).tolist():
        message = log.text[row, place].tobytes()[: 64 * log.blocks[row, place]]
        text = message[1 : int.from_bytes(message[-8:]) // 8]
        index, at = int(log.indexes[row, place]), int(log.at[row, place])
        listed.append((index, at, text, leaves[place].tobytes(), log.prev[row, place].tobytes()))
    commit = log.text[row, 0].tobytes()
    operator, table = (commit[start:end].decode() for start, end in log.names[row].reshape(2, 2).tolist())
    outcome, reason = log.ended[row].tolist()
    ended = OUTCOMES[outcome], REASONS[reason] or None
    return int(log.stage[row]), listed, (int(log.number[row]), operator, table), ended

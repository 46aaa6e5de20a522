"""Receipts in columns, checked; what does not hold is left to the core. Needs ``fast`` (protocol §10.1).

As with records, this may say of a receipt that it is in order only where the core finds nothing against it,
and then notes down what the core would. Receipts of one log mostly share a checkpoint: each is verified once.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from sys import intern
from typing import NamedTuple

import numpy as np

from fairdeal.audit.histories import columns as c
from fairdeal.audit.histories.batches import Batch, owners
from fairdeal.audit.histories.checked import Checked, Given, ReceiptFacts
from fairdeal.audit.histories.columns import Array, Hands
from fairdeal.audit.histories.compare import same
from fairdeal.audit.histories.derive import derive, padded_rows
from fairdeal.audit.histories.fine import absences, judge, undealt_absences
from fairdeal.audit.histories.lines import Lines
from fairdeal.audit.histories.receipttrial import receipts_hold
from fairdeal.audit.histories.trust import deals_hold
from fairdeal.audit.kernel import FEW_HANDS, Kernel, choose
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
from fairdeal.checks import check_signature
from fairdeal.encoding import parse_json
from fairdeal.errors import MalformedError
from fairdeal.note import Verifier
from fairdeal.receipt import Receipt
from fairdeal.verify import GIVEN_KEY, OWN_KEY

SHORTEST = 300
"""Bytes: no receipt with an entry in it is as short. Rows for lines that are none would be a waste."""

_NODE = 46
"""Characters that a proof's node takes in JSON at least."""


class _Head(NamedTuple):
    """A checkpoint whose signature holds; ``given`` where a given key made it."""

    origin: str
    size: int
    root: bytes
    given: bool


@dataclass(frozen=True)
class Receipts:
    """Receipts in columns; ``text`` is what they were read from, ``batch`` their hands and positions."""

    text: bytes
    batch: Batch
    logged: Logged

    def check(self, given: Given, checked: Checked) -> Array:
        """Note down every receipt that is in order; gives the rows of all others, ascending."""
        hands, log = self.batch.hands, self.logged
        kernel = choose(max(FEW_HANDS, len(hands.hand)))
        if not self._tried(kernel):
            return np.arange(len(hands.hand))
        known, which = self._heads(given.keys)
        leaves = leaf_hashes(kernel, log.text.reshape(-1, ROOM), log.blocks.reshape(-1))
        leaves = leaves.reshape(-1, STAGES, 32)
        fine = self._included(kernel, known, which, leaves) & self._chained(leaves) & ~self.batch.kept(given)
        deals = np.zeros((len(fine), c.WIDTH), np.uint8) if given.deals else None
        complete = np.zeros(len(fine), bool)
        locked = (log.stage & LOCKED) != 0
        self._dealt(kernel, np.flatnonzero(fine & locked), fine, complete, deals)
        self._undealt(kernel, np.flatnonzero(fine & ~locked), fine, complete)
        rows = np.flatnonzero(fine)
        if len(rows):
            shown = [head for k in which[rows].tolist() if (head := known[k])]
            self._note(rows, shown, complete, checked)
            self._facts(rows, shown, leaves, checked)
            self.batch.note_values(rows, checked)
            if deals is not None and locked[rows].any():
                self.batch.note_deals(rows[locked[rows]], deals, checked)
        return np.flatnonzero(~fine)

    def _tried(self, kernel: Kernel) -> bool:
        codes = np.unique(self.batch.hands.terms).tolist()
        return all(deals_hold(kernel, code) and receipts_hold(kernel, code) for code in codes)

    def _heads(self, keys: tuple[Verifier, ...]) -> tuple[list[_Head | None], Array]:
        """The checkpoints that there are, and which of them each receipt has."""
        text, places = self.text, dict[tuple[bytes, bytes], int]()
        which = [
            places.setdefault((text[a:b], text[s:e]), len(places))
            for a, b, s, e in self.logged.spans.tolist()
        ]
        return [_head(*shown, keys) for shown in places], np.array(which)

    def _included(self, kernel: Kernel, known: list[_Head | None], which: Array, leaves: Array) -> Array:
        """Whose checkpoint holds, with every entry in its tree."""
        log = self.logged
        holds = np.array([head is not None for head in known])[which]
        size = np.array([head.size if head else 0 for head in known])[which]
        roots = np.array([list(head.root if head else bytes(32)) for head in known], np.uint8)[which]
        rows, places = np.nonzero((log.blocks > 0) & holds[:, None])
        found, fits = heads(
            kernel,
            leaves[rows, places],
            log.indexes[rows, places],
            size[rows],
            log.proof[rows, places],
            log.nodes,
        )
        holds[rows[~(fits & same(found, roots[rows]))]] = False
        return holds

    def _chained(self, leaves: Array) -> Array:
        """Where ``prev`` is the leaf hash of the entry before."""
        log = self.logged
        locked, ended = (log.stage & LOCKED) != 0, (log.stage & ENDED) != 0
        last = np.where(locked[:, None], leaves[:, 1], leaves[:, 0])
        lock_follows = (log.prev[:, 1] == leaves[:, 0]).all(axis=1) | ~locked
        follows: Array = lock_follows & ((log.prev[:, 2] == last).all(axis=1) | ~ended)
        return follows

    def _dealt(self, kernel: Kernel, rows: Array, fine: Array, complete: Array, deals: Array | None) -> None:
        """Judge locked hands, as records are; ``deals`` takes their true deals."""
        if not len(rows):
            return
        hands = self.batch.hands
        some = hands if len(rows) == len(hands.hand) else c.chosen(hands, rows)
        truth = derive(some, kernel, deals=deals is not None)
        judged = judge(some, truth)
        fine[rows], complete[rows] = judged.fine, judged.complete
        if deals is not None:
            deals[rows] = truth.deal

    def _undealt(self, kernel: Kernel, rows: Array, fine: Array, complete: Array) -> None:
        """Judge hands without a lock: still open, or ended with nothing dealt."""
        if not len(rows):
            return
        hands = self.batch.hands
        ended = (self.logged.stage[rows] & ENDED) != 0
        revealed = (hands.has[rows] & c.HAS_SEED) != 0
        shown = hands.deal[rows, c.KIND] != c.NO_DEAL
        opens = same(kernel.digest(padded_rows(hands.seed[rows])), hands.commitment[rows])
        fine[rows] = (opens | ~revealed) & ~(ended & shown)
        complete[rows] = fine[rows] & revealed

    def _note(self, rows: Array, shown: list[_Head], complete: Array, checked: Checked) -> None:
        """Count receipts in order by verdict and log evidence, and the evidence that they lack."""
        hands, stage = self.batch.hands, self.logged.stage
        whole = int(complete[rows].sum())
        given = sum(head.given for head in shown)
        checked.hands += len(rows)
        for counter, counts in (
            (checked.verdicts, {"consistent": whole, "incomplete": len(rows) - whole}),
            (checked.evidence, {GIVEN_KEY: given, OWN_KEY: len(rows) - given}),
        ):
            # Counters that stay empty print and compare as such: nothing is counted where there is nothing.
            counter.update({name: count for name, count in counts.items() if count})
        locked = (stage[rows] & LOCKED) != 0
        checked.absent.update(absences(hands, rows[locked]))
        checked.absent.update(undealt_absences(hands, (stage & ENDED) != 0, rows[~locked]))

    def _facts(self, rows: Array, shown: list[_Head], leaves: Array, checked: Checked) -> None:
        """Note down what receipts say beyond their deals, and who could have chosen these."""
        hands, log = self.batch.hands, self.logged
        texts, hashes = log.text.reshape(-1).data, leaves[rows].tobytes()
        ids = hands.hand[rows].tobytes()
        # Flat lists: some more per receipt would be work for the interpreter's garbage collection.
        names, index = log.names[rows].ravel().tolist(), log.indexes[rows].ravel().tolist()
        at, ended = log.at[rows].ravel().tolist(), log.ended[rows].ravel().tolist()
        listed = zip(
            np.frombuffer(self.batch.positions, np.uint64)[rows].tolist(),
            (STAGES * ROOM * rows).tolist(),
            shown,
            log.number[rows].tolist(),
            log.stage[rows].tolist(),
            hands.opened_count[rows].tolist(),
            strict=True,
        )
        by_whom = Counter[tuple[str, str]]()
        alone = Counter[tuple[str, str]]()
        for k, (position, text, head, number, stage, opened) in enumerate(listed):
            j = STAGES * k
            operator = intern(str(texts[text + names[4 * k] : text + names[4 * k + 1]], "ascii"))
            table = intern(str(texts[text + names[4 * k + 2] : text + names[4 * k + 3]], "ascii"))
            checked.receipts.append(
                ReceiptFacts(
                    position,
                    ids[16 * k : 16 * k + 16],
                    operator,
                    table,
                    number,
                    tuple([(index[j + p], hashes[32 * (j + p) : 32 * (j + p + 1)]) for p in _PLACES[stage]]),
                    head.origin,
                    head.size,
                    head.root,
                    OUTCOMES[ended[2 * k]] if stage & ENDED else None,
                    REASONS[ended[2 * k + 1]] or None,
                    at[j],
                    at[j + 1] if stage & LOCKED else None,
                    at[j + 2] if stage & ENDED else None,
                    opened,
                )
            )
            if stage & LOCKED:
                by_whom[operator, "operator-with-all-seats" if opened else "operator"] += 1
                if not opened:
                    alone[operator, table] += 1
        checked.grinding.update(by_whom)
        checked.alone.update(alone)


_PLACES = ((0,), (0, 1), (0, 2), (0, 1, 2))
"""By stage, the places of the entries that there are."""


def check_receipts(  # noqa: PLR0917 - lines as :func:`fairdeal.audit.histories.lines.check_fast` has them
    part: Lines, text: Array, spans: Array, among: Array, given: Given, checked: Checked
) -> set[int]:
    """Note down the receipts in order among those lines; gives which of the lines (from 0) they were."""
    rows = np.flatnonzero(among)
    hands, found, lines = read_receipts(text, spans[rows])
    if not len(lines):
        return set()
    rows = rows[lines]
    positions = owners(rows.astype(np.uint64) + np.uint64(part.first))
    receipts = Receipts(part.data, Batch(hands, positions, part.source), found)
    return set(rows.tolist()) - set(rows[receipts.check(given, checked)].tolist())


def read_receipts(text: Array, spans: Array) -> tuple[Hands, Logged, Array]:
    """The receipts among lines that start and end at ``spans`` (n, 2): their columns, and which lines."""
    rows = np.flatnonzero(spans[:, 1] - spans[:, 0] >= SHORTEST)
    hands, found = c.empty(len(rows)), logged(len(rows), len(text) // _NODE + 1)
    scan_receipts(text, spans[rows, 0], hands, found)
    taken = np.flatnonzero(hands.taken)
    if len(taken) == len(rows):
        return hands, found, rows
    # The nodes are all proofs' together, whichever receipts are left.
    kept = Logged._make([*(column[taken] for column in found[:-1]), found.nodes])
    return c.chosen(hands, taken), kept, rows[taken]


def _head(vkey: bytes, checkpoint: bytes, keys: tuple[Verifier, ...]) -> _Head | None:
    """A checkpoint from its JSON text; ``None`` where it is malformed or its signature fails."""
    try:
        receipt = Receipt(parse_json(vkey), parse_json(checkpoint), (), None)
        # A given key makes the receipt's own unimportant, as long as it is a key.
        _ = receipt.own_key
        origin, size, root = receipt.head.origin, receipt.head.size, receipt.head.root
        result = check_signature(receipt, keys).result
    except MalformedError:
        return None
    return None if result == "fail" else _Head(origin, size, root, result == "pass")

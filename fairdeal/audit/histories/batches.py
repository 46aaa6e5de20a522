"""A batch of hands in columns, checked; what does not hold is left to the core. Needs ``fast``."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

import numpy as np

from fairdeal.audit.histories import columns as c
from fairdeal.audit.histories.borrowed import borrow
from fairdeal.audit.histories.checked import Checked, Deals, Given
from fairdeal.audit.histories.columns import Array, Hands
from fairdeal.audit.histories.derive import derive
from fairdeal.audit.histories.fine import absences, judge
from fairdeal.audit.histories.trust import deals_hold, records_hold
from fairdeal.audit.kernel import FEW_HANDS, Kernel, choose
from fairdeal.audit.kernel.records import GUESSES, read_records
from fairdeal.verify import NO_KEY


def split_lines(data: bytes) -> tuple[Array, Array]:
    """Whole lines as an array of bytes that ends with a line feed, and where each starts and ends: (n, 2)."""
    # The scanner stops at line feeds, so there must be one behind the last line.
    text = np.frombuffer(data if data.endswith(b"\n") else data + b"\n", np.uint8)
    ends = np.flatnonzero(text == 0x0A)
    starts = np.concatenate((np.zeros(1, np.int64), ends[:-1] + 1))
    return text, np.stack((starts, ends), axis=1)


def read_lines(text: Array, spans: Array) -> Hands:
    """The records among lines, a row for each line, in borrowed columns."""
    hands = borrow(len(spans))
    read_records(text, np.ascontiguousarray(spans[:, 0]), hands, np.zeros(GUESSES, np.int64))
    return hands


@dataclass(frozen=True)
class Batch:
    """Hands in columns, and the line or row that each stands in."""

    hands: Hands
    positions: array[int]
    source: str
    scanned: bool = False
    """Whether they were read from JSON by compiled code."""

    def check(self, given: Given, checked: Checked) -> list[int]:
        """Note down every hand that is in order; gives the rows of all others, ascending.

        Hands that something kept from before names are among the others: they have more to be compared with.
        """
        if not self.hands.taken.all():
            taken = np.flatnonzero(self.hands.taken)
            positions = np.frombuffer(self.positions, np.uint64)[taken]
            inner = Batch(c.chosen(self.hands, taken), owners(positions), self.source, self.scanned)
            rest = taken[inner.check(given, checked)] if len(taken) else taken
            return sorted({*np.flatnonzero(self.hands.taken == 0).tolist(), *rest.tolist()})
        hands = self.hands
        # Compiled code is loaded by now, so even a small last batch is best left to it.
        kernel = choose(max(FEW_HANDS, len(hands.hand)))
        if not all(self._tried(kernel, int(code)) for code in c.distinct(hands.terms)):
            return list(range(len(hands.hand)))
        truth = derive(hands, kernel, deals=given.deals)
        judged = judge(hands, truth)
        fine = judged.fine & ~self.kept(given)
        rows = np.flatnonzero(fine)
        complete = int((judged.complete & fine).sum())
        alone = int((judged.locked_without_seats & fine).sum())
        checked.hands += len(rows)
        checked.evidence[NO_KEY] += len(rows)
        # Counters that stay empty print and compare as such: nothing is counted where there is nothing.
        checked.verdicts.update(
            {k: n for k, n in (("consistent", complete), ("incomplete", len(rows) - complete)) if n}
        )
        by_whom = (("operator", alone), ("operator-with-all-seats", len(rows) - alone))
        checked.grinding.update({("", who): n for who, n in by_whom if n})
        if complete < len(rows):
            checked.absent.update(absences(hands, rows))
        self.note_values(rows, checked)
        if given.deals:
            self.note_deals(rows, truth.deal, checked)
        others: list[int] = np.flatnonzero(~fine).tolist()
        return others

    def _tried(self, kernel: Kernel, code: int) -> bool:
        return deals_hold(kernel, code) and (not self.scanned or records_hold(code))

    def kept(self, given: Given) -> Array:
        """Rows that a kept commitment, receipt or opening speaks of."""
        named = np.zeros(len(self.hands.hand), bool)
        commitments = given.commitments | given.named
        for column, values in ((self.hands.hand, given.seen), (self.hands.commitment, commitments)):
            if values:
                rows = np.ascontiguousarray(column).view(f"V{column.shape[1]}")[:, 0]
                named |= np.isin(rows, np.array(sorted(values), rows.dtype))
        return named

    def note_values(self, rows: Array, checked: Checked) -> None:
        """Note down what may stand only once."""
        hands, positions = self.hands, np.frombuffer(self.positions, np.uint64)
        for kind, column, bit in (
            ("hand", hands.hand, 0),
            ("commitment", hands.commitment, c.HAS_COMMITMENT),
            ("seed", hands.seed, c.HAS_SEED),
        ):
            there = (hands.has & bit) == bit
            if len(rows) == len(there) and there.all():
                # The usual batch: nothing is picked out, so nothing is copied for that.
                checked.add(kind, np.ascontiguousarray(column).data, self.positions)
                continue
            some = rows[there[rows]]
            checked.add(kind, column[some].data, owners(positions[some]))
        for kind, seated, counts in (
            ("seal", hands.seals, hands.seal_count),
            ("client-seed", hands.opened, hands.opened_count),
        ):
            for place in range(c.MOST_SEATS):
                some = rows[counts[rows] > place]
                if not len(some):
                    break
                checked.add(kind, seated[some, place, 1:].tobytes(), owners(positions[some]))

    def note_deals(self, rows: Array, true: Array, checked: Checked) -> None:
        """Note down the deals, as stated where they are stated."""
        stated = self.hands.deal[rows, c.KIND] != c.NO_DEAL
        some = rows[stated | ((self.hands.has[rows] & c.HAS_SEED) != 0)]
        deals = self.hands.deal[some]
        missing = deals[:, c.KIND] == c.NO_DEAL
        deals[missing] = true[some[missing]]
        positions = np.frombuffer(self.positions, np.uint64)[some]
        checked.deals.append(Deals(owners(positions), self.hands.terms[some], deals))


def numbered(first: int, count: int) -> array[int]:
    """So many lines or rows, one after another."""
    return owners(np.arange(first, first + count, dtype=np.uint64))


def owners(positions: Array) -> array[int]:
    """Lines or rows (n,) uint64 as :class:`Checked` keeps them."""
    return array("Q", positions.tobytes())

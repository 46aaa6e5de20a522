"""Deals of a log's hands in columns, and what the statistics add up of them. Needs numpy (extra ``fast``)."""

from __future__ import annotations

import hashlib
from binascii import unhexlify
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from fairdeal.audit import columns as c
from fairdeal.audit.derive import derive
from fairdeal.audit.kernel import choose
from fairdeal.terms import OkeyTerms

if TYPE_CHECKING:
    from fairdeal.audit.logdeals import Dealt
    from fairdeal.audit.stats import Battery, DealColumns, SeatCounts


@dataclass
class OperatorSums:
    """What one operator's seats held: in the hands played, and in those voided, expired or lost to play."""

    played: SeatCounts
    voided: SeatCounts


@dataclass
class Sums:
    """Sums over deals; :meth:`merge` takes in those of what came after."""

    battery: Battery
    operators: dict[str, OperatorSums] = field(default_factory=dict)

    def merge(self, later: Sums) -> None:
        """Add what came after."""
        self.battery.merge(later.battery)
        for name, sums in later.operators.items():
            if name in self.operators:
                self.operators[name].played.merge(sums.played)
                self.operators[name].voided.merge(sums.voided)
            else:
                self.operators[name] = sums


def derive_roots(dealt: Sequence[Dealt], statistics: bool) -> tuple[list[bytes | None], Sums | None]:
    """Each hand's openings root (``None`` where it has none here), and the sums where they are asked for."""
    hands, kept = pack(dealt)
    truth = derive(hands, choose(len(kept)))
    roots: list[bytes | None] = [None] * len(dealt)
    for row, place in enumerate(kept):
        hand = dealt[place].hand
        if truth.sure[row] and hand.terms.openings and hand.lock_index is not None:
            roots[place] = truth.root[row].tobytes()
    sums = add_up([dealt[place] for place in kept], truth.deal, truth.sure) if statistics else None
    return roots, sums


def pack(dealt: Sequence[Dealt]) -> tuple[c.Hands, list[int]]:
    """The hands as columns, and which of ``dealt`` each row is; hands too large for a row are left out."""
    kept = [
        k
        for k, one in enumerate(dealt)
        if one.hand.terms.size <= c.MOST_TILES and len(one.hand.contributions) <= c.MOST_SEATS
    ]
    hands = c.empty(len(kept))
    hands.hand[:] = _rows([unhexlify(dealt[k].hand.hand) for k in kept], 16)
    hands.seed[:] = _rows([dealt[k].seed for k in kept], 32)
    codes: dict[bytes, int] = {}
    for row, k in enumerate(kept):
        hand = dealt[k].hand
        code = codes.get(hand.terms_text)
        if code is None:
            code = codes[hand.terms_text] = c.pack_terms(hand.terms)
        hands.terms[row] = code
        if hand.contributions:
            hands.opened_count[row] = len(hand.contributions)
            for place, (seat, seed) in enumerate(hand.contributions):
                hands.opened[row, place] = np.frombuffer(bytes([seat]) + unhexlify(seed), np.uint8)
    return hands, kept


def _rows(values: list[bytes], size: int) -> c.Array:
    return np.frombuffer(b"".join(values), np.uint8).reshape(len(values), size)


def add_up(dealt: Sequence[Dealt], deals: c.Array, sure: c.Array) -> Sums:
    """Sums over hands whose deals are known, in their order."""
    from fairdeal.audit.stats import Battery, SeatCounts  # noqa: PLC0415  # SciPy is an extra

    sums = Sums(Battery())
    okey = np.array([isinstance(one.hand.terms, OkeyTerms) for one in dealt], bool) & sure
    voided = np.array([one.voided for one in dealt], bool)
    operators = [one.hand.table.partition(b"/")[0] for one in dealt]
    names = sorted(set(operators))
    number = np.array([names.index(name) for name in operators], np.int64) if len(names) > 1 else None
    rows = np.flatnonzero(okey & ~voided)
    if len(rows):
        sums.battery.update(_columns(dealt, deals, rows))
    for k, name in enumerate(names):
        own = okey if number is None else okey & (number == k)
        one = OperatorSums(SeatCounts(), SeatCounts())
        for counts, chosen in ((one.played, own & ~voided), (one.voided, own & voided)):
            rows = np.flatnonzero(chosen)
            if len(rows):
                counts.update(_columns(dealt, deals, rows))
        sums.operators[name.decode()] = one
    return sums


def _columns(dealt: Sequence[Dealt], deals: c.Array, rows: c.Array) -> DealColumns:
    from fairdeal.audit.stats import DealColumns as Columns  # noqa: PLC0415  # SciPy is an extra

    some = deals[rows]
    texts = [dealt[k].hand.terms_text for k in rows]
    distinct = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    terms = [dealt[int(rows[texts.index(text)])].hand.terms for text in distinct]
    prints: dict[bytes, int] = {}
    tables = [dealt[k].hand.table for k in rows]
    for table in set(tables):
        prints[table] = int.from_bytes(hashlib.sha256(table).digest()[:8], "big")
    return Columns(
        order=np.ascontiguousarray(some[:, c.ORDER : c.ORDER + c.MOST_TILES]),
        terms=terms,
        terms_id=np.array([distinct[text] for text in texts], np.int64),
        dealer=some[:, c.DEALER].copy(),
        indicator=some[:, c.INDICATOR].copy(),
        dice=dice(some),
        dealer_dice=dealer_dice(some),
        table=np.array([prints[table] for table in tables], np.uint64),
    )


def dice(deals: c.Array) -> c.Array:
    """The first two throws at the wall, two dice each, 0 where there is no such die: (n, 4)."""
    found = np.zeros((len(deals), 4), np.uint8)
    walled = deals[:, c.KIND] == c.WALL_DEAL
    two = walled & (deals[:, c.DICE] == 2)
    one = walled & ~two
    found[two] = deals[two, c.THROWS : c.THROWS + 4]
    found[one, 0] = deals[one, c.THROWS]
    found[one, 2] = deals[one, c.THROWS + 1]
    return found


def dealer_dice(deals: c.Array) -> c.Array:
    """The first round of throws for the dealer, by seat; 0 where there was none: (n, 4)."""
    found = np.zeros((len(deals), 4), np.uint8)
    thrown = deals[:, c.ROUNDS] > 0
    for seat in range(4):
        took = thrown & (deals[:, c.DEALER_THROWS] > seat)
        found[took, seat] = deals[took, c.DEALER_THROWS + 2 + 2 * seat]
    return found

"""Deals in columns, and what the statistics add up of them. Needs numpy (extra ``fast``)."""

from __future__ import annotations

import hashlib
from binascii import unhexlify
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from fairdeal.audit.histories import columns as c
from fairdeal.audit.histories.derive import derive
from fairdeal.audit.kernel import choose
from fairdeal.terms import OkeyTerms

if TYPE_CHECKING:
    from fairdeal.audit.histories.checked import Checked
    from fairdeal.audit.log.deals import Dealt
    from fairdeal.audit.stats import Battery, DealColumns, SeatCounts


@dataclass
class OperatorSums:
    """What one operator's seats held: in the hands played, and in those voided, expired or lost to play."""

    played: SeatCounts
    voided: SeatCounts


@dataclass
class Sums:
    """Sums over deals; :meth:`merge` takes in those of what came after. The battery is over played hands."""

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


@dataclass(frozen=True)
class Rows:
    """Deals with what the statistics group them by.

    ``deals`` are packed, (n, WIDTH); ``codes`` are terms, (n,); ``tables`` name operator and table by row;
    ``voided`` says which hands were not played, (n,) bool.
    """

    deals: c.Array
    codes: c.Array
    tables: Sequence[tuple[str, str]]
    voided: c.Array


def derive_roots(dealt: Sequence[Dealt], statistics: bool) -> tuple[list[bytes | None], Sums | None]:
    """Each hand's openings root (``None`` where it has none here), and the sums where they are asked for."""
    hands, kept = pack(dealt)
    truth = derive(hands, choose(len(kept)))
    roots: list[bytes | None] = [None] * len(dealt)
    for row, place in enumerate(kept):
        hand = dealt[place].hand
        if truth.sure[row] and hand.lock_index is not None and hand.terms.openings:
            roots[place] = truth.root[row].tobytes()
    if not statistics:
        return roots, None
    sure = np.flatnonzero(truth.sure)
    some = [dealt[kept[row]] for row in sure]
    voided = np.array([one.voided for one in some], bool)
    return roots, add_up(Rows(truth.deal[sure], hands.terms[sure], [one.hand.key for one in some], voided))


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
            opened = b"".join(bytes([seat]) + unhexlify(seed) for seat, seed in hand.contributions)
            hands.opened[row, : len(hand.contributions)] = _rows([opened], len(opened)).reshape(-1, 33)
    return hands, kept


def of_checked(part: Checked) -> Sums | None:
    """Sums over a stretch of receipts and records."""
    if not part.deals:
        return None
    receipts = {receipt.position: receipt for receipt in part.receipts}
    positions = [int(position) for deals in part.deals for position in deals.positions]
    facts = [receipts.get(position) for position in positions]
    # The core's hands come after the columns' in a stretch: put all back in the order of the source.
    order = np.argsort(np.array(positions), kind="stable")
    rows = Rows(
        deals=np.concatenate([deals.deals for deals in part.deals])[order],
        codes=np.concatenate([deals.terms for deals in part.deals])[order],
        tables=[(f.operator, f.table) if (f := facts[k]) else ("", "") for k in order],
        voided=np.array([(f := facts[k]) is not None and f.outcome != "played" for k in order], bool),
    )
    return add_up(rows)


def _rows(values: list[bytes], size: int) -> c.Array:
    return np.frombuffer(b"".join(values), np.uint8).reshape(len(values), size)


def add_up(rows: Rows) -> Sums:
    """Sums over hands in the order in which they were played."""
    from fairdeal.audit.stats import Battery, SeatCounts  # noqa: PLC0415  # SciPy is an extra

    sums = Sums(Battery())
    codes, which = np.unique(rows.codes, return_inverse=True)
    okey = np.array([isinstance(c.unpack_terms(int(code)), OkeyTerms) for code in codes], bool)[which]
    distinct = {table: number for number, table in enumerate(dict.fromkeys(rows.tables))}
    table = np.array([distinct[table] for table in rows.tables], np.int64)
    prints = np.array([_print(table) for table in distinct], np.uint64)
    operator_of = [operator for operator, _ in distinct]
    names = sorted(set(operator_of))
    number = np.array([names.index(operator) for operator in operator_of], np.int64)

    def chosen(mask: c.Array) -> DealColumns | None:
        some = np.flatnonzero(mask)
        return _columns(rows.deals[some], rows.codes[some], prints[table[some]]) if len(some) else None

    played = chosen(okey & ~rows.voided)
    if played:
        sums.battery.update(played)
    for k, name in enumerate(names):
        own = okey & (number[table] == k)
        one = OperatorSums(SeatCounts(), SeatCounts())
        # Where one operator has played every hand, its columns are those that the battery had.
        theirs = played if len(names) == 1 else chosen(own & ~rows.voided)
        others = chosen(own & rows.voided)
        if theirs:
            one.played.update(theirs)
        if others:
            one.voided.update(others)
        sums.operators[name] = one
    return sums


def _print(table: tuple[str, str]) -> int:
    return int.from_bytes(hashlib.sha256("/".join(table).encode()).digest()[:8], "big")


def _columns(deals: c.Array, codes: c.Array, tables: c.Array) -> DealColumns:
    from fairdeal.audit.stats import DealColumns as Columns  # noqa: PLC0415  # SciPy is an extra

    distinct, terms_id = np.unique(codes, return_inverse=True)
    return Columns(
        order=np.ascontiguousarray(deals[:, c.ORDER : c.ORDER + c.MOST_TILES]),
        terms=[c.unpack_terms(int(code)) for code in distinct],
        terms_id=terms_id,
        dealer=deals[:, c.DEALER].copy(),
        indicator=deals[:, c.INDICATOR].copy(),
        dice=dice(deals),
        dealer_dice=dealer_dice(deals),
        table=tables,
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

"""Everything that the seeds of many hands give: keys, deals, openings' roots (protocol §2.3 – §7).

Hands under the same terms are worked on together. Needs the extra ``fast``.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from fairdeal.audit.histories import columns as c
from fairdeal.audit.histories.borrowed import lent
from fairdeal.audit.histories.columns import Array, Hands, unpack_terms
from fairdeal.audit.histories.compare import DEALER_DICE, compare, dealer_steps, same, wall_steps
from fairdeal.audit.kernel import Kernel
from fairdeal.audit.kernel.layout import lay_plain, lay_walls, throw_dealers
from fairdeal.audit.kernel.tables import padded
from fairdeal.audit.kernel.trees import roots
from fairdeal.openings import slots
from fairdeal.seeds import transcript
from fairdeal.terms import DeckTerms, OkeyTerms, Terms

_TREES_AT_ONCE = 2048
"""Hands whose openings' trees are in memory together."""


@dataclass(frozen=True)
class Truth:
    """What the seeds give, one row a hand."""

    commitment: Array
    """(n, 32) SHA-256 of the server seeds."""
    seals_hold: Array
    """(n,) whether the contributions open exactly the seals (§2.1)."""
    keys: Array
    """(n, 32) deal keys."""
    deal: Array
    """(n, WIDTH) packed deals; (0, WIDTH) where they were not asked for."""
    agrees: Array
    """(n,) whether the deal stated is the true one."""
    sure: Array
    """(n,) false where the deal could not be worked out here and must go the slow way."""
    root: Array
    """(n, 32) the openings' roots, zeros where the terms have no openings."""


def derive(hands: Hands, kernel: Kernel, *, deals: bool = True) -> Truth:
    """The truth about each of the hands, from its seed, id, terms and contributions.

    Without ``deals`` the true deals are compared with those stated, and not kept, which takes less time.
    """
    count = len(hands.hand)
    with lent(count, 64) as blocks:
        _lay_out(_padding(32), {0: hands.seed}, blocks)
        commitment = kernel.digest(blocks)
    seals_hold = _seals_hold(hands, kernel)
    opened = _opened_digests(hands, kernel)
    codes = c.distinct(hands.terms)
    if len(codes) == 1:
        # Most histories play under one set of terms: nothing is gathered and put back then.
        return Truth(
            commitment, seals_hold, *_under_terms(hands, opened, unpack_terms(int(codes[0])), kernel, deals)
        )
    truth = Truth(
        commitment,
        seals_hold,
        keys=np.zeros((count, 32), np.uint8),
        deal=np.zeros((count if deals else 0, c.WIDTH), np.uint8),
        agrees=np.zeros(count, bool),
        sure=np.ones(count, bool),
        root=np.zeros((count, 32), np.uint8),
    )
    for code in codes:
        rows = np.flatnonzero(hands.terms == code)
        some = _under_terms(c.chosen(hands, rows), opened[rows], unpack_terms(int(code)), kernel, deals)
        truth.keys[rows], dealt, truth.agrees[rows], truth.sure[rows], truth.root[rows] = some
        if deals:
            truth.deal[rows] = dealt
    return truth


def _under_terms(
    hands: Hands, opened: Array, terms: Terms, kernel: Kernel, deals: bool
) -> tuple[Array, Array, Array, Array, Array]:
    """Keys, deals, which agree with those stated, which are sure, and roots of hands under the same terms."""
    # The label and the terms' hash are the same in all of them; the hand and the contributions are not.
    same_in_all = np.frombuffer(transcript(bytes(16), terms, ()), np.uint8)
    with lent(len(opened), 96) as transcripts:
        _lay_out(same_in_all, {16: hands.hand, 64: opened}, transcripts)
        keys = kernel.keys(hands.seed, transcripts)
    if isinstance(terms, OkeyTerms) and not deals and not terms.openings:
        agrees, sure = compare(keys, terms, hands.deal, kernel)
        return keys, np.zeros((0, c.WIDTH), np.uint8), agrees, sure, np.zeros((len(opened), 32), np.uint8)
    dealt, sure = deal(keys, terms, kernel)
    agrees = same(dealt, hands.deal)
    if terms.openings:
        return keys, dealt, agrees, sure, openings_roots(keys, terms, dealt, kernel)
    return keys, dealt, agrees, sure, np.zeros((len(opened), 32), np.uint8)


def deal(keys: Array, terms: Terms, kernel: Kernel) -> tuple[Array, Array]:
    """The packed deals of (n, 32) deal keys under the same terms, and which of them are sure: (n,) bool."""
    deals = np.zeros((len(keys), c.WIDTH), np.uint8)
    sure = np.ones(len(keys), bool)
    orders = kernel.shuffle(keys, terms.size)
    deals[:, : terms.size] = orders
    deals[:, c.ORDER_LENGTH] = terms.size
    if isinstance(terms, DeckTerms):
        deals[:, c.KIND] = c.DECK_DEAL
        return deals, sure
    if terms.dealer == "throw":
        sure[_throw_for_dealers(keys, terms.seats, deals, kernel)] = False
    else:
        deals[:, c.DEALER] = terms.dealer
    rows = np.flatnonzero(sure)
    if terms.layout == "plain":
        lay_plain(rows, orders, terms.seats, terms.hand_size, deals)
    else:
        sure[_build_walls(rows, keys, orders, terms, deals, kernel)] = False
    return deals, sure


def _throw_for_dealers(keys: Array, seats: int, deals: Array, kernel: Kernel) -> Array:
    """Throws and dealers into ``deals``; gives the rows that would need still more dice."""
    rows = np.arange(len(keys))
    dice = np.zeros((len(keys), DEALER_DICE), np.uint8)
    # The few hands that go on get more dice, so that the many don't pay for them.
    for first, known in dealer_steps(seats):
        labels = tuple(b"dealer:%d" % k for k in range(first, known))
        dice[rows, first:known] = kernel.picks(keys[rows], labels, 6)
        waiting = np.zeros(len(rows), np.uint8)
        throw_dealers(rows, dice, known, seats, deals, waiting)
        rows = rows[waiting != 0]
        if not len(rows):
            break
    return rows


def _build_walls(  # noqa: PLR0917 - the steps of deal() share them
    rows: Array, keys: Array, orders: Array, terms: OkeyTerms, deals: Array, kernel: Kernel
) -> Array:
    """Walls, hands and stocks into ``deals``; gives the rows that would need still more dice."""
    dice = np.zeros((len(keys), c.THROWS_ROOM), np.uint8)
    for first, known in wall_steps(terms.dice):
        labels = tuple(b"die:%d" % k for k in range(first, known))
        dice[rows, first:known] = kernel.picks(keys[rows], labels, 6)
        waiting = np.zeros(len(rows), np.uint8)
        lay_walls(
            rows,
            orders,
            dice,
            known,
            terms.dice,
            terms.seats,
            terms.hand_size,
            terms.stack_height,
            deals,
            waiting,
        )
        rows = rows[waiting != 0]
        if not len(rows):
            break
    return rows


def openings_roots(keys: Array, terms: Terms, deals: Array, kernel: Kernel) -> Array:
    """The openings' roots of packed deals (§7.2): (n, 32)."""
    found = np.zeros((len(keys), 32), np.uint8)
    for starter in np.unique(deals[:, c.STARTER]):
        rows = np.flatnonzero(deals[:, c.STARTER] == starter)
        names = slots(terms, int(starter))
        places = [_place(name) for name in names]
        for at in range(0, len(rows), _TREES_AT_ONCE):
            some = rows[at : at + _TREES_AT_ONCE]
            found[some] = roots(kernel, keys[some], names, deals[some][:, places])
    return found


def _place(slot: str) -> int:
    """Where the tile of a slot stands in a packed deal."""
    kind, *numbers = slot.split("/")
    if kind == "hand":
        return c.HANDS + int(numbers[0]) * c.HAND_ROOM + int(numbers[1])
    if kind == "indicator":
        return c.INDICATOR
    return (c.STOCK if kind == "stock" else c.ORDER) + int(numbers[0])


def padded_rows(messages: Array) -> Array:
    """Messages of one length with SHA-256's padding."""
    template = _padding(messages.shape[1])
    rows = np.empty((len(messages), len(template)), np.uint8)
    _lay_out(template, {0: messages}, rows)
    return rows


def _padding(length: int) -> Array:
    return np.frombuffer(padded(bytes(length)), np.uint8)


def _lay_out(template: Array, columns: dict[int, Array], rows: Array) -> None:
    """A template (w,) into rows (n, w), with other columns (n, k) from some places on."""
    by_place = sorted(columns.items())
    if not all(at % 8 == 0 and one.shape[1] % 8 == 0 and one.flags.c_contiguous for at, one in by_place):
        rows[:] = template
        for at, one in by_place:
            rows[:, at : at + one.shape[1]] = one
        return
    # Word by word down all rows: numpy takes several times as long for a few bytes of each row.
    words = rows.view(np.uint64)
    for k, word in enumerate(template.view(np.uint64)):
        words[:, k] = word
    for at, one in by_place:
        for k, word in enumerate(one.view(np.uint64).T, at // 8):
            words[:, k] = word


def _opened_digests(hands: Hands, kernel: Kernel) -> Array:
    """SHA-256 of each hand's contributions, seat and seed of each (§2.3): (n, 32)."""
    found = np.empty((len(hands.hand), 32), np.uint8)
    none = np.frombuffer(hashlib.sha256(b"").digest(), np.uint8)
    if not hands.opened_count.any():
        found.view(np.uint64)[:] = none.view(np.uint64)
        return found
    for count in np.unique(hands.opened_count):
        rows = np.flatnonzero(hands.opened_count == count)
        if count:
            found[rows] = kernel.digest(padded_rows(hands.opened[rows, :count].reshape(len(rows), -1)))
        else:
            found[rows] = none
    return found


def _seals_hold(hands: Hands, kernel: Kernel) -> Array:
    holds: Array = hands.seal_count == hands.opened_count
    for k in range(int(hands.opened_count.max(initial=0))):
        rows = np.flatnonzero(holds & (hands.opened_count > k))
        seals, opened = hands.seals[rows, k], hands.opened[rows, k]
        same = (seals[:, 1:] == kernel.digest(padded_rows(opened[:, 1:]))).all(axis=1)
        holds[rows] = same & (seals[:, 0] == opened[:, 0])
    return holds

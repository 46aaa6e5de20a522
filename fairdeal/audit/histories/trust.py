"""Compiled code on trial: before a process relies on it, it must give what the core gives.

A result kept by numba from other sources, a compiler's mistake, a processor that computes wrongly: whatever
the reason, code that fails here is not used, and every hand goes the core's way. Once for each kind of terms.
"""

from __future__ import annotations

import json
from functools import lru_cache

import numpy as np

from fairdeal.audit.histories import columns as c
from fairdeal.audit.histories.columns import Hands, unpack_terms
from fairdeal.audit.histories.derive import derive
from fairdeal.audit.histories.packing import pack
from fairdeal.audit.kernel import Kernel
from fairdeal.audit.kernel.records import GUESSES, read_records
from fairdeal.deal import make_deal
from fairdeal.evidence import gather
from fairdeal.openings import deal_root
from fairdeal.receipt import Record
from fairdeal.seeds import Contribution, Seal, commitment, deal_key, seal
from fairdeal.terms import Terms

_TRIALS = 3


@lru_cache(maxsize=1024)
def deals_hold(kernel: Kernel, code: int) -> bool:
    """Whether the kernel deals some hands under these packed terms as the core does."""
    records = [sample(unpack_terms(code), k) for k in range(_TRIALS)]
    hands = _packed(records)
    truth = derive(hands, kernel)
    expected = (hands.commitment, hands.deal, hands.root)
    given = (truth.commitment, truth.deal, truth.root)
    same = all(np.array_equal(a, b) for a, b in zip(expected, given, strict=True))
    compared = derive(hands, kernel, deals=False)
    # One bit of the deal stated, another one in each hand.
    hands.deal[np.arange(_TRIALS), np.arange(_TRIALS)] ^= 1
    spoilt = derive(hands, kernel, deals=False)
    told = compared.agrees.all() and not spoilt.agrees.any()
    return bool(same and told and truth.seals_hold.all() and truth.sure.all() and compared.sure.all())


@lru_cache(maxsize=1024)
def records_hold(code: int) -> bool:
    """Whether the compiled reader reads some records under these packed terms as the core does."""
    records = [sample(unpack_terms(code), k) for k in range(_TRIALS)]
    lines = [json.dumps(record.as_json()).encode() + b"\n" for record in records]
    starts = np.cumsum([0, *map(len, lines[:-1])])
    hands = c.empty(len(lines))
    read_records(np.frombuffer(b"".join(lines), np.uint8), starts, hands, np.zeros(GUESSES, np.int64))
    return all(np.array_equal(a, b) for a, b in zip(hands, _packed(records), strict=True))


def sample(terms: Terms, number: int) -> Record:
    """A hand that nobody plays, number 0 to 127: its seeds are written here."""
    hand, seed = bytes([number] * 16), bytes([0x80 + number] * 32)
    opened = tuple(Contribution(seat, bytes([seat] * 32)) for seat in range(min(number, terms.seats)))
    return honest(hand, seed, terms, opened)


def honest(hand: bytes, seed: bytes, terms: Terms, opened: tuple[Contribution, ...]) -> Record:
    """The record of a hand that was dealt as its seeds give, by the core."""
    key = deal_key(seed, hand, terms, opened)
    deal = make_deal(key, terms)
    return Record(
        hand=hand,
        terms=terms,
        commitment=commitment(seed),
        server_seed=seed,
        seals=tuple(Seal(item.seat, seal(item.seed)) for item in opened),
        contributions=opened,
        deal_root=deal_root(key, terms, deal) if terms.openings else None,
        deal=deal.as_json(),
    )


def _packed(records: list[Record]) -> Hands:
    hands = c.empty(len(records))
    for row, record in enumerate(records):
        pack(gather(record), hands, row)
    return hands

"""Which hands hold in every check, told from columns alone (protocol §10.1, ``commitment`` to ``openings``).

This may say of a hand that it is in order only where the core's verification finds nothing against it. What
it does not call fine is verified again by the core, which names the checks and the cause.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from fairdeal.audit.histories import columns as c
from fairdeal.audit.histories.columns import Array, Hands
from fairdeal.audit.histories.compare import same
from fairdeal.audit.histories.derive import Truth


@dataclass(frozen=True)
class Judged:
    """What columns alone show: all (n,) bool."""

    fine: Array
    """No check from ``commitment`` to ``openings`` fails."""
    complete: Array
    """Nor is the evidence for one absent."""
    locked_without_seats: Array
    """Fine, and the operator alone could have chosen the seed (§10.3)."""


def judge(hands: Hands, truth: Truth) -> Judged:
    """Compare what the hands state with what their seeds give."""
    committed = (hands.has & c.HAS_COMMITMENT) != 0
    revealed = (hands.has & c.HAS_SEED) != 0
    rooted = (hands.has & c.HAS_ROOT) != 0
    dealt = hands.deal[:, c.KIND] != c.NO_DEAL
    openings = (hands.terms >> np.uint32(14) & np.uint32(1)) != 0
    opens = same(truth.commitment, hands.commitment)
    by_seed = (opens | ~committed) & (truth.agrees | ~dealt)
    if openings.any():
        by_seed &= same(truth.root, hands.root) | ~openings
    # Zeros stand for a seed that is not there: nothing follows from them.
    fine = (hands.taken != 0) & truth.sure & truth.seals_hold & (rooted == openings) & (by_seed | ~revealed)
    return Judged(
        fine=fine,
        complete=fine & committed & revealed & dealt,
        locked_without_seats=fine & (hands.opened_count == 0),
    )


def absences(hands: Hands, rows: Array) -> Counter[str]:
    """How often the evidence of each check from ``commitment`` to ``openings`` is absent in fine rows."""
    has = hands.has[rows]
    committed, revealed = (has & c.HAS_COMMITMENT) != 0, (has & c.HAS_SEED) != 0
    dealt = hands.deal[rows, c.KIND] != c.NO_DEAL
    openings = (hands.terms[rows] >> np.uint32(14) & np.uint32(1)) != 0
    decks = (hands.terms[rows] & np.uint32(3)) == c.DECK_GAME
    proved, shown = int((committed & revealed).sum()), int((revealed & dealt).sum())
    count = len(rows)
    counts = {
        "commitment": count - proved,
        "key": count - proved,
        "shuffle": count - shown,
        # A deck has neither table nor hands, whatever is shown of it.
        "table": int((~decks & ~(revealed & dealt)).sum()),
        "hands": int((~decks & ~(revealed & dealt)).sum()),
        "openings": int((openings & ~revealed).sum()),
    }
    return Counter({name: number for name, number in counts.items() if number})


def undealt_absences(hands: Hands, ended: Array, rows: Array) -> Counter[str]:
    """The same of fine rows without a lock: ``ended`` (n,) tells those that nothing was dealt in."""
    waiting = ~ended[rows]
    openings = (hands.terms[rows] >> np.uint32(14) & np.uint32(1)) != 0
    decks = (hands.terms[rows] & np.uint32(3)) == c.DECK_GAME
    unlocked, undealt = int(waiting.sum()), int((waiting & ~decks).sum())
    counts = {
        "commitment": int(((hands.has[rows] & c.HAS_SEED) == 0).sum()),
        "seals": unlocked,
        "key": unlocked,
        "shuffle": unlocked,
        "table": undealt,
        "hands": undealt,
        "openings": int((waiting & openings).sum()),
    }
    return Counter({name: number for name, number in counts.items() if number})

"""The deals behind a log's hands: openings roots recomputed, and sums for the statistics (protocol §7.2, §10.5).

A log states no deal, so each is derived from its seeds. That is done for many hands at once where numpy
is there, and hand by hand where it is not, when only the roots are needed.
"""

from __future__ import annotations

from binascii import unhexlify
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING

from fairdeal.audit.findings import Finding
from fairdeal.deal import make_deal
from fairdeal.openings import deal_root
from fairdeal.seeds import Contribution, deal_key
from fairdeal.terms import OkeyTerms

if TYPE_CHECKING:
    from fairdeal.audit.entrytext import RevealText
    from fairdeal.audit.life import Hand
    from fairdeal.audit.sums import OperatorSums

KINDS = ("played", "void", "expired", "lost", "late")


@dataclass
class DealSums:
    """What statistics and report need to know of the deals, added up; stretch by stretch in the log's order."""

    operators: dict[str, OperatorSums] = field(default_factory=dict)
    times: dict[str, list[int]] = field(default_factory=dict)


@dataclass
class Dealt:
    """A hand that ended, with what its deal follows from. ``voided`` hands are compared with the played ones."""

    hand: Hand
    seed: bytes
    index: int
    voided: bool

    @property
    def contributions(self) -> tuple[Contribution, ...]:
        """The client seeds that went into the deal."""
        return tuple(Contribution(seat, unhexlify(seed)) for seat, seed in self.hand.contributions)


class Deals:
    """Collects a stretch's ended hands."""

    def __init__(self, statistics: bool) -> None:
        """``statistics`` needs numpy; without it only openings roots are recomputed."""
        self._statistics = statistics
        self._dealt: list[Dealt] = []
        self._times: dict[str, list[int]] = {kind: [] for kind in KINDS}

    def add(self, hand: Hand, entry: RevealText, index: int) -> None:
        """A hand that has just ended with ``entry``."""
        outcome = entry.outcome.decode()
        self._times[outcome].append(entry.at)
        if entry.at > hand.due + 60_000:
            self._times["late"].append(entry.at)
        if entry.server_seed is None:
            return
        locked = hand.lock_index is not None
        # Without a lock the deal is known only where no seat had a part in it: the operator knew it from the commit on.
        known = locked or not hand.seals
        rooted = locked and hand.deal_root is not None and hand.terms.openings
        wanted = self._statistics and known and isinstance(hand.terms, OkeyTerms)
        if rooted or wanted:
            self._dealt.append(Dealt(hand, unhexlify(entry.server_seed), index, outcome != "played"))

    def finish(self) -> tuple[list[Finding], DealSums]:
        """Findings about openings roots, and the sums."""
        times = {kind: at for kind, at in self._times.items() if at}
        sums = DealSums(times=times)
        if self._dealt and find_spec("numpy"):
            from fairdeal.audit.sums import sum_deals  # noqa: PLC0415  # numpy is an extra

            roots, sums.operators = sum_deals(self._dealt, self._statistics)
        else:
            roots = [_root(dealt) for dealt in self._dealt]
        findings = [
            wrong for dealt, root in zip(self._dealt, roots, strict=True) if (wrong := _compare(dealt, root))
        ]
        self._dealt, self._times = [], {kind: [] for kind in KINDS}
        return findings, sums


def _root(dealt: Dealt) -> bytes | None:
    hand = dealt.hand
    if hand.deal_root is None or not hand.terms.openings:
        return None
    key = deal_key(dealt.seed, unhexlify(hand.hand), hand.terms, dealt.contributions)
    return deal_root(key, hand.terms, make_deal(key, hand.terms))


def _compare(dealt: Dealt, root: bytes | None) -> Finding | None:
    stated = dealt.hand.deal_root
    if root is None or stated is None or root.hex() == stated.decode():
        return None
    what = "the lock's deal_root is not the one that the seeds and terms give"
    index = dealt.hand.lock_index
    name = dealt.hand.hand.decode()
    return Finding("check-openings", what, name, index, expected=root.hex(), found=stated.decode())

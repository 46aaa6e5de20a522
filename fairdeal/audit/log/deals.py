"""The deals behind a log's hands: openings roots recomputed, sums for the statistics (protocol §7.2, §10.5).

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
    from fairdeal.audit.log.entrytext import RevealText
    from fairdeal.audit.log.life import Hand
    from fairdeal.audit.sums import Sums

FEW = 500
"""Hands that are dealt one by one sooner than numpy is loaded."""

KINDS = ("played", "void", "expired", "lost", "late")


@dataclass
class DealSums:
    """What statistics and report need to know of the deals, added up stretch by stretch."""

    sums: Sums | None = None
    times: dict[str, list[int]] = field(default_factory=dict)


@dataclass
class Dealt:
    """A hand that ended, with what its deal follows from; ``voided`` says that it was not played."""

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
        self._times[entry.outcome.decode()].append(entry.at)
        if entry.at > hand.due + 60_000:
            self._times["late"].append(entry.at)
        if entry.server_seed is None or not (self._statistics or hand.deal_root):
            return
        locked = hand.lock_index is not None
        # Without a lock there is a deal to know only where no seat had a part in it. The operator knew that
        # deal from the commit on.
        known = locked or not hand.seals
        rooted = locked and hand.deal_root is not None and hand.terms.openings
        wanted = self._statistics and known and isinstance(hand.terms, OkeyTerms)
        if rooted or wanted:
            self._dealt.append(Dealt(hand, unhexlify(entry.server_seed), index, entry.outcome != b"played"))

    def finish(self) -> tuple[list[Finding], DealSums]:
        """Findings about openings roots, and the sums."""
        times = {kind: at for kind, at in self._times.items() if at}
        sums = DealSums(times=times)
        roots: list[bytes | None] = [None] * len(self._dealt)
        if self._dealt and (self._statistics or len(self._dealt) > FEW) and find_spec("numpy"):
            from fairdeal.audit.sums import derive_roots  # noqa: PLC0415  # numpy is an extra

            roots, sums.sums = derive_roots(self._dealt, self._statistics)
        # What did not go with the others: games larger than Okey, or all where numpy is not installed.
        roots = [root or _root(dealt) for root, dealt in zip(roots, self._dealt, strict=True)]
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

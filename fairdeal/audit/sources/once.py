"""Which of millions of hands are there for the first time, in 8 bytes a hand (§10.5). Needs numpy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass
class Once:
    """Hands by eight bytes made of their ids, in sorted runs of which each is far shorter than the last.

    Whoever chooses ids must not be able to hide hands from the statistics behind one another. So the halves
    of an id are mixed by numbers that nobody knows beforehand: Python hashes by another secret in each
    process. Chance takes two hands for one in 2^60 of them, and findings about repeats do not rest on this.
    """

    _runs: list[Array] = field(default_factory=list)

    def first(self, hands: bytes) -> Array:
        """For each id (16 bytes) whether it is new, also among these; from now on none of them is."""
        halves = np.frombuffer(hands, "<u8").reshape(-1, 2)
        prints = halves[:, 0] * mixer(b"left") + halves[:, 1] * mixer(b"right")
        unique, places = np.unique(prints, return_index=True)
        new = np.ones(len(unique), bool)
        for run in self._runs:
            at = np.searchsorted(run, unique)
            at[at == len(run)] = 0
            new &= run[at] != unique
        found = np.zeros(len(prints), bool)
        found[places[new]] = True
        self._add(unique[new])
        return found

    def _add(self, run: Array) -> None:
        if not len(run):
            return
        while self._runs and len(self._runs[-1]) < 4 * len(run):
            run = np.sort(np.concatenate((self._runs.pop(), run)), kind="stable")
        self._runs.append(run)


def mixer(name: bytes) -> np.uint64:
    """An odd number that nobody knows beforehand, the same for a name throughout a process."""
    return np.uint64(hash(name) & (1 << 64) - 1 | 1)

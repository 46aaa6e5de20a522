"""Which of millions of hands are there for the first time, in 8 bytes a hand (§10.5). Needs numpy."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass
class Once:
    """Hands by the first eight bytes of their ids, in sorted runs of which each is far shorter than the last.

    Two hands that share eight bytes are taken for one: this is for statistics, which findings about repeats
    do not rest on.
    """

    _runs: list[Array] = field(default_factory=list)

    def first(self, hands: bytes) -> Array:
        """For each id (16 bytes) whether it is new, also among these; from now on none of them is."""
        prints = np.ascontiguousarray(np.frombuffer(hands, np.uint8).reshape(-1, 16)[:, :8]).view("<u8")[:, 0]
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

"""Columns whose memory the next stretch uses again: new memory costs more than filling old with zeros."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from fairdeal.audit.histories.columns import Array, Hands, empty

_LARGEST = 1 << 14
"""Hands in the largest columns that are kept; usual stretches have fewer."""

_MOST = 16
_spare: list[Hands] = []
_rows: list[Array] = []


def borrow(hands: int) -> Hands:
    """Columns as ``columns.empty`` gives them, to be handed to :func:`give_back`.

    Seals and contributions beyond their counts may be anything.
    """
    # Threads take from the list and add to it; each of these steps is one for the interpreter.
    try:
        kept = _spare.pop()
    except IndexError:
        return empty(hands)
    if len(kept.taken) < hands:
        return empty(hands)
    found = Hands(*(column[:hands] for column in kept))
    for column in found:
        if column is not found.seals and column is not found.opened:
            column[...] = 0
    return found


def give_back(hands: Hands) -> None:
    """Nothing may use these columns any more."""
    if len(hands.taken) <= _LARGEST and len(_spare) < _MOST:
        _spare.append(hands)


@contextmanager
def lent(count: int, width: int) -> Iterator[Array]:
    """Room for so many rows of bytes, (count, width) ``uint8`` that may be anything, for a time."""
    size = count * width
    try:
        room = _rows.pop()
    except IndexError:
        room = np.empty(0, np.uint8)
    if len(room) < size:
        room = np.empty(size, np.uint8)
    yield room[:size].reshape(count, width)
    if len(room) <= _LARGEST * 128 and len(_rows) < _MOST:
        _rows.append(room)

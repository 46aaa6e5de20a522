"""A stretch of a history as rows for the prints: each value that may stand only once, with its hand's id.

Values that two documents of one hand share are no repeat, so the hand goes along as each value's tag.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator
from importlib.util import find_spec

from fairdeal.audit.histories.checked import Checked
from fairdeal.audit.sources.plainprints import SIZES, TAG, UNKNOWN, Rows


def rows_of(part: Checked, base: int, left_out: Collection[int]) -> Iterator[Rows]:
    """All values of a stretch, its positions counted from ``base``; not those at positions ``left_out``."""
    if find_spec("numpy"):
        return _by_columns(part, base, left_out)
    return plain_rows(part, base, left_out)


def plain_rows(part: Checked, base: int, left_out: Collection[int]) -> Iterator[Rows]:
    """The way without numpy."""
    ids, positions = part.values["hand"]
    hands = {position: bytes(ids[TAG * k : TAG * k + TAG]) for k, position in enumerate(positions)}
    for kind, (data, owners) in part.values.items():
        size = SIZES[kind]
        kept = [k for k, position in enumerate(owners) if position not in left_out]
        yield Rows(
            kind,
            b"".join(data[size * k : size * k + size] for k in kept),
            array("Q", [base + owners[k] for k in kept]),
            b"".join(hands.get(owners[k], UNKNOWN) for k in kept),
        )


def _by_columns(part: Checked, base: int, left_out: Collection[int]) -> Iterator[Rows]:
    import numpy as np  # noqa: PLC0415  # an extra

    ids, positions = part.values["hand"]
    stands = np.frombuffer(positions, np.uint64)
    if not left_out and all(owners == positions for _, owners in part.values.values() if owners):
        # The usual stretch: every hand has one value of each kind, or none, in the same order.
        numbered = array("Q", (stands + np.uint64(base)).tobytes())
        for kind, (data, owners) in part.values.items():
            yield Rows(kind, data, numbered, ids) if owners else Rows(kind, b"", array("Q"), b"")
        return
    # One more row of zeros, for documents that name no hand.
    hands = np.zeros((len(stands) + 1, TAG), np.uint8)
    hands[:-1] = np.frombuffer(ids, np.uint8).reshape(-1, TAG)
    if (stands[1:] < stands[:-1]).any():
        order = np.argsort(stands, kind="stable")
        stands, hands[:-1] = stands[order], hands[order]
    out = np.array(sorted(left_out), np.uint64)
    for kind, (data, owners) in part.values.items():
        mine = np.frombuffer(owners, np.uint64)
        values = np.frombuffer(data, np.uint8).reshape(-1, SIZES[kind])
        if len(out):
            kept = ~np.isin(mine, out)
            mine, values = mine[kept], values[kept]
        if np.array_equal(mine, stands):
            tags = hands[:-1]  # one value a hand, as the usual kinds have it
        else:
            at = np.searchsorted(stands, mine)
            there = at < len(stands)
            there[there] = stands[at[there]] == mine[there]
            tags = hands[np.where(there, at, len(stands))]
        numbered = array("Q", (mine + np.uint64(base)).tobytes())
        yield Rows(kind, values.tobytes(), numbered, tags.tobytes())

"""The compiled way's outcome of some lines, held against the core's."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from fairdeal.audit.histories.checked import Checked, Given
from fairdeal.audit.histories.lines import Lines, check_fast, check_plainly
from tests.audit.histories import SIGNER

HERE = Given(keys=(SIGNER.verifier,), deals=True)

COUNTED = (
    "hands",
    "verdicts",
    "absent",
    "grinding",
    "alone",
    "evidence",
    "findings",
    "kept",
    "receipts",
)


def checked(data: bytes, given: Given = HERE) -> Checked:
    """The outcome of the compiled way, once it is seen to be the core's."""
    fast = check_fast((Lines("here", 7, data), given))
    # Without deals they are compared in another way.
    bare = check_fast((Lines("here", 7, data), replace(given, deals=False)))
    plain = check_plainly((Lines("here", 7, data), given))
    for found in (fast, bare):
        for name in COUNTED:
            assert getattr(found, name) == getattr(plain, name), name
        for kind, (values, owners) in plain.values.items():
            assert _pairs(*found.values[kind]) == _pairs(values, owners), kind
    assert _deals(fast) == _deals(plain)
    return fast


def _pairs(values: bytearray, owners: object) -> Counter[tuple[int, bytes]]:
    positions = list(owners)  # type: ignore[call-overload]  # an array of them
    size = len(values) // len(positions) if positions else 1
    return Counter((p, bytes(values[k * size : (k + 1) * size])) for k, p in enumerate(positions))


def _deals(found: Checked) -> list[tuple[int, int, bytes]]:
    return sorted(
        (position, int(code), deal.tobytes())
        for part in found.deals
        for position, code, deal in zip(part.positions, part.terms, part.deals, strict=True)
    )

"""A lie in a log, with what an audit must find of it."""

from __future__ import annotations

from dataclasses import dataclass

from fairdeal.note import Verifier
from tests.cheats.house import House
from tests.dealer import Hand

Found = set[tuple[str, str | None]]
"""Codes of findings, each with the hand's id."""


@dataclass
class Lie:
    """A log with a lie in it. ``earlier`` is a checkpoint kept by the auditor, ``key`` the one it trusts."""

    files: dict[str, bytes]
    expected: Found
    key: Verifier
    earlier: str | None = None
    clears: int | None = None
    """Hands that the audit must say it cannot clear, where that is the point."""


def lie(house: House, *codes: str, hand: Hand | None = None, files: dict[str, bytes] | None = None) -> Lie:
    victim = hand or house.tricks.victims[0]
    expected: Found = {(code, victim.hand.hex()) for code in codes}
    return Lie(files or house.log.files(), expected, house.log.signer.verifier)

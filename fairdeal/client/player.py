"""A player's side: seal, check the commit receipt, and only then open (protocol §1.5, §1.6).

A game server must not hold this for its players: it belongs into their own clients. It is here for bots, for
tests, and to show what a player's client does.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any

from fairdeal.encoding import canonical
from fairdeal.entries import Commit
from fairdeal.errors import EvidenceError
from fairdeal.note import Verifier
from fairdeal.receipt import parse_receipt
from fairdeal.seeds import SEED_SIZE, Contribution, Seal, seal
from fairdeal.verify import verify


@dataclass
class Player:
    """One seat's client, for one hand: a seed is drawn anew for each and stays out of the repr."""

    seat: int
    seed: bytes = field(default_factory=lambda: secrets.token_bytes(SEED_SIZE), repr=False)
    kept: dict[str, Any] | None = field(default=None, repr=False)
    """The commit receipt, once it has been checked. Keep it: it is what binds the dealer."""

    @property
    def seal(self) -> Seal:
        """What is handed over before the commit."""
        return Seal(self.seat, seal(self.seed))

    def open(self, receipt: dict[str, Any], log_key: Verifier) -> Contribution:
        """The opened seed, given only against a logged commit that lists this seat's seal.

        ``log_key`` is the key that the player knows the log by, not one that came with the receipt. Raises
        :class:`EvidenceError` ``not-committed`` where the receipt does not show such a commit, and
        :class:`MalformedError` where it is no receipt at all; the seed stays closed then.
        """
        report = verify(canonical(receipt), keys=[log_key])
        logged = all(
            report[name].result == "pass" for name in ("format", "signature", "inclusion", "sequence")
        )
        contents = [item.content for item in parse_receipt(receipt).entries] if logged else []
        if not (len(contents) == 1 and isinstance(contents[0], Commit) and self.seal in contents[0].seals):
            raise EvidenceError("not-committed", f"seat {self.seat} saw no logged commit with its seal")
        self.kept = receipt
        return Contribution(self.seat, self.seed)

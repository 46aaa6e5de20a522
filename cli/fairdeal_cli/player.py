"""What a player's client does: seal, check the commit receipt, and only then open (protocol §1.5, §1.6).

The demo's players are made of this; a real client does the same.
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
from fairdeal.seeds import SEED_SIZE, seal
from fairdeal.verify import verify


@dataclass
class Player:
    """One seat's client. Its seed is drawn anew for every hand and stays out of the repr."""

    seat: int
    seed: bytes = field(default_factory=lambda: secrets.token_bytes(SEED_SIZE), repr=False)
    kept: dict[str, Any] | None = field(default=None, repr=False)
    """The commit receipt, once it has been checked."""

    def seal(self) -> dict[str, Any]:
        """What is handed over before the commit."""
        return {"seat": self.seat, "seal": seal(self.seed).hex()}

    def open(self, receipt: dict[str, Any], log_key: Verifier) -> dict[str, Any]:
        """The opened seed, given only against a logged commit that lists this seat's seal.

        Raises :class:`EvidenceError` ``not-committed`` where the receipt does not show one; the seed stays
        closed then.
        """
        report = verify(canonical(receipt), keys=[log_key])
        logged = all(
            report[name].result == "pass" for name in ("format", "signature", "inclusion", "sequence")
        )
        contents = [item.content for item in parse_receipt(receipt).entries] if logged else []
        sealed = (self.seat, seal(self.seed))
        if not (
            len(contents) == 1
            and isinstance(contents[0], Commit)
            and sealed in [(s.seat, s.seal) for s in contents[0].seals]
        ):
            raise EvidenceError("not-committed", f"seat {self.seat} saw no logged commit with its seal")
        self.kept = receipt
        return {"seat": self.seat, "seed": self.seed.hex()}

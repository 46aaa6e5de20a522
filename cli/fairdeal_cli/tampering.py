"""The demo's cheats: a true receipt with one lie in it each."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

from fairdeal.deal import make_deal
from fairdeal.encoding import canonical
from fairdeal.evidence import Evidence, gather
from fairdeal.note import Signer, Verifier, sign
from fairdeal.receipt import parse_receipt
from fairdeal.seeds import deal_key

Receipt = dict[str, Any]


def cheats(receipt: Receipt) -> Iterator[tuple[str, Receipt]]:
    """Each lie in words, with the receipt that tells it."""
    evidence = gather(parse_receipt(receipt))
    for words, tell in _CHEATS:
        false = deepcopy(receipt)
        tell(false, evidence)
        yield words, false


def _swap_tiles(receipt: Receipt, _: Evidence) -> None:
    hands = receipt["deal"]["hands"]
    hands[0][0], hands[1][0] = hands[1][0], hands[0][0]


def _drop_a_seed(receipt: Receipt, evidence: Evidence) -> None:
    stated, seed = evidence.stated, evidence.server_seed
    if stated is None or seed is None or not evidence.contributions:
        return
    key = deal_key(seed, stated.hand, stated.terms, evidence.contributions[:-1])
    receipt["deal"] = make_deal(key, stated.terms).as_json()


def _other_server_seed(receipt: Receipt, _: Evidence) -> None:
    reveal = json.loads(receipt["entries"][-1]["entry"])
    reveal["server_seed"] = secrets.token_hex(32)
    receipt["entries"][-1]["entry"] = canonical(reveal).decode()


def _other_log(receipt: Receipt, _: Evidence) -> None:
    forger = Signer(Verifier.parse(receipt["vkey"]).name, secrets.token_bytes(32))
    text, *_rest = receipt["checkpoint"].partition("\n\n")
    receipt["vkey"] = forger.verifier.text()
    receipt["checkpoint"] = sign(f"{text}\n", [forger])


_CHEATS: tuple[tuple[str, Callable[[Receipt, Evidence], None]], ...] = (
    ("Two tiles change hands", _swap_tiles),
    ("The last seat's seed is left out of the deal", _drop_a_seed),
    ("Another server seed is revealed", _other_server_seed),
    ("The log is signed again with another key", _other_log),
)

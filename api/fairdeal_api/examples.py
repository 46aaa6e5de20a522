"""The example hand of the OpenAPI document: a real one, with seeds that everybody knows."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, cast

from sqlalchemy import Connection

from fairdeal.checkpoint import Checkpoint
from fairdeal.merkle import leaf_hash
from fairdeal.note import Signer, sign
from fairdeal.openings import deal_root, open_slots
from fairdeal.seeds import Contribution, Seal, commitment, seal
from fairdeal.terms import OkeyTerms
from fairdeal_api.answers import Evidence, deal_text, hand_text, summary
from fairdeal_api.gametable import GameTable
from fairdeal_api.hands import derive
from fairdeal_api.moves import CommitSpec, Draft, commit, end, lock
from fairdeal_api.tree import FullTiles, GrowingTree
from fairdeal_api.vault import Vault
from fairdeal_api.work import Work

_SERVER_SEED, _CLIENT_SEED = bytes(range(32)), bytes(range(32, 64))
_AT = 1_767_225_600_000


@lru_cache(maxsize=1)
def examples() -> dict[str, Any]:
    """Example answers by name: ``commit``, ``deal``, ``reveal``, ``hand``, ``receipt`` and so on."""
    signer, vault = Signer("fairdeal.example/log", bytes(32)), Vault([bytes(32)])
    terms = OkeyTerms("okey", "wall", 4, "throw", 1, True)
    # No statement is run: all that the acts ask for is here already.
    work = Work(cast("Connection", None), vault, _AT, 0)
    work.tables["salon", "salon:7"] = GameTable(1, "salon", "salon:7")
    spec = CommitSpec("salon:7", terms, False, (Seal(0, seal(_CLIENT_SEED)),), None, 3_600_000)
    draft = Draft(
        spec, bytes(range(16)), commitment(_SERVER_SEED), vault.wrap(bytes(range(16)), _SERVER_SEED)
    )
    found: dict[str, Any] = {}

    def evidence() -> Evidence:
        tree = GrowingTree(0, _no_tile, FullTiles())
        tree.extend([leaf_hash(entry) for entry in work.added])
        checkpoint = sign(Checkpoint(signer.name, tree.size, tree.root()).text(), [signer])
        return Evidence(signer.verifier.text(), checkpoint, tree, work.entries)

    hand = commit(work, "salon", draft)
    found["commit"] = json.loads(evidence().with_receipt(hand))
    work.at += 5_000
    opened = (Contribution(0, _CLIENT_SEED),)
    dealt = derive(hand, _SERVER_SEED, opened)
    lock(work, hand, opened, deal_root(dealt.key, terms, dealt.deal), 3_600_000)
    found["deal"] = json.loads(evidence().with_receipt(hand, secret_deal=deal_text(dealt.deal)))
    found["open"] = json.loads(hand_text(hand))
    found["openings"] = [
        o.as_json() for o in open_slots(hand.hand, dealt.key, terms, dealt.deal, ["indicator"])
    ]
    work.at += 600_000
    end(work, hand, "played", None)
    found["reveal"] = json.loads(evidence().with_receipt(hand))
    found["hand"] = json.loads(hand_text(hand))
    found["receipt"] = found["reveal"]["receipt"]
    found["summary"] = summary(hand)
    found["checkpoint"] = evidence().checkpoint
    found["vkey"] = signer.verifier.text()
    return found


def _no_tile(level: int, n: int) -> bytes:
    raise AssertionError((level, n))

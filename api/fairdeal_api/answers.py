"""The JSON that goes out: hand documents, receipts, summaries.

Texts are joined from parts that are JSON already (terms, seals and contributions are stored that way):
several times as fast as building objects first; nothing here is free text, so nothing needs more escaping.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring_ascii as quote
from typing import Any

from fairdeal.deal import Deal
from fairdeal.encoding import to_b64
from fairdeal_api.hands import Hand, public_deal
from fairdeal_api.tables import COMMITTED
from fairdeal_api.tree import BLOCK, TreeView

_COMPACT = json.JSONEncoder(separators=(",", ":"), check_circular=False)

_NOTHING_YET = (
    '"locked_at":null,"reveal_by":null,"contributions":null,"revealed_at":null,"outcome":null,"reason":null,'
    '"server_seed":null'
)
"""What :func:`_since` gives for a hand of which nothing has become."""

STATES = ("committed", "locked", "revealed")


class Evidence:
    """What receipts are made from: the log's key, a checkpoint, its tree, and the entries' exact bytes."""

    def __init__(self, vkey: str, checkpoint: str, tree: TreeView, entries: Mapping[int, bytes]) -> None:
        self.checkpoint, self.tree, self.entries = checkpoint, tree, entries
        head = f'"vkey":{quote(vkey)},"checkpoint":{quote(checkpoint)}'
        self._start = f'{{"format":"fairdeal/1 receipt",{head},"entries":['
        self._nodes: dict[bytes, str] = {}
        """Proof nodes as they are written: the receipts of one transaction share most of them."""
        self._proofs: dict[int, str] = {}

    def prove(self, hands: Sequence[Hand]) -> None:
        """Make the proofs of some hands; their receipts may be made later, whatever becomes of the tree."""
        many = len(hands) >= 1 << BLOCK
        for hand in hands:
            for index in hand.indexes:
                if index in self._proofs:
                    continue
                if many:
                    self._prove_block(index)
                else:
                    self._proofs[index] = self._proof(index)

    def receipt(self, hand: Hand, deal: str = "null") -> str:
        """The hand's receipt as far as it has come (protocol §9.1); ``deal`` is the deal document's text."""
        entries = ",".join(
            [
                f'{{"index":{index},"entry":{quote(self.entries[index].decode())},"proof":[{self._proof(index)}]}}'
                for index in hand.indexes
            ]
        )
        return f'{self._start}{entries}],"deal":{deal}}}'

    def with_receipt(
        self, hand: Hand, *, secret_deal: str | None = None, following: Hand | None = None
    ) -> str:
        """A write's answer: the hand document with its receipt, and the next hand where one was asked for.

        ``secret_deal`` fills ``deal`` in the document of a hand not revealed yet; it is never in the receipt.
        """
        deal = deal_text(public_deal(hand))
        members = f'{hand_members(hand, secret_deal or deal)},"receipt":{self.receipt(hand, deal)}'
        if following:
            members += f',"next":{self.with_receipt(following)}'
        return f"{{{members}}}"

    def _proof(self, index: int) -> str:
        if index in self._proofs:
            return self._proofs[index]
        return ",".join(map(self._node, self.tree.inclusion_proof(index)))

    def _prove_block(self, index: int) -> None:
        """The proofs of an entry and its neighbours, which were mostly written together, from above down."""
        block = self.tree.block(index)
        if block is None or not block[1]:
            self._proofs[index] = self._proof(index)
            return
        rows, above = block
        texts = [",".join(map(self._node, above))]
        for row in reversed(rows):
            nodes = [f'"{to_b64(node)}"' for node in row]
            texts = [f"{nodes[k ^ 1]},{texts[k >> 1]}" for k in range(len(nodes))]
        first = index - index % len(texts)
        self._proofs.update(enumerate(texts, first))

    def _node(self, node: bytes) -> str:
        text = self._nodes.get(node)
        if text is None:
            text = self._nodes[node] = f'"{to_b64(node)}"'
        return text


def deal_text(deal: Deal | None) -> str:
    """A deal document as text; ``null`` where there is none."""
    return "null" if deal is None else _COMPACT.encode(deal.as_json())


def hand_text(hand: Hand) -> str:
    """The public hand document."""
    return f"{{{hand_members(hand, deal_text(public_deal(hand)))}}}"


def hand_members(hand: Hand, deal: str) -> str:
    """The members of a hand document, without the braces."""
    return (
        f'"hand":"{hand.hand.hex()}","operator":"{hand.operator}","table":"{hand.game_table}","number":{hand.number},'
        f'"state":"{STATES[hand.state]}","terms":{hand.terms},"commitment":"{hand.commitment.hex()}",'
        f'"seals":{hand.seals},"note":{_hex(hand.note)},"committed_at":{hand.committed_at},"lock_by":{hand.lock_by},'
        f'{_NOTHING_YET if hand.state == COMMITTED else _since(hand)},"deal":{deal}'
    )


def _since(hand: Hand) -> str:
    """What has become of a hand since its commit."""
    return (
        f'"locked_at":{_number(hand.locked_at)},"reveal_by":{_number(hand.reveal_by)},'
        f'"contributions":{hand.contributions or "null"},"revealed_at":{_number(hand.revealed_at)},'
        f'"outcome":{_word(hand.outcome)},"reason":{_word(hand.reason)},"server_seed":{_hex(hand.server_seed)}'
    )


def summary(hand: Hand) -> dict[str, Any]:
    """A hand in a table's list."""
    return {
        "hand": hand.hand.hex(),
        "number": hand.number,
        "state": STATES[hand.state],
        "game": json.loads(hand.terms)["game"],
        "committed_at": hand.committed_at,
        "locked_at": hand.locked_at,
        "revealed_at": hand.revealed_at,
        "outcome": hand.outcome,
        "reason": hand.reason,
    }


def _hex(data: bytes | None) -> str:
    return "null" if data is None else f'"{data.hex()}"'


def _number(value: int | None) -> str:
    return "null" if value is None else str(value)


def _word(text: str | None) -> str:
    return "null" if text is None else f'"{text}"'

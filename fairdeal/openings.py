"""Openings: one tile of a deal proved while the rest stays secret (protocol §7)."""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass
from typing import Any

from fairdeal.deal import Deal, DeckDeal
from fairdeal.encoding import integer, listing, members, parse_b64, parse_hex, string, to_b64
from fairdeal.entries import Commit, Lock
from fairdeal.errors import EvidenceError, MalformedError, UsageError
from fairdeal.merkle import HASH_SIZE, inclusion_proof, leaf_hash, root, verify_inclusion
from fairdeal.seeds import HAND_SIZE
from fairdeal.terms import DECK_SIZE, DeckTerms, Terms

SALT_SIZE = 32
MAX_PROOF = 10
"""Hashes in the longest path: 1024 slots."""

_SLOT = re.compile(r"(hand/(0|[1-9][0-9]?)|stock|order)/(0|[1-9][0-9]{0,3})|indicator", re.ASCII)


@dataclass(frozen=True, slots=True)
class Opening:
    """The proof that ``slot`` of a locked hand holds ``tile`` (protocol §7.3)."""

    hand: bytes
    slot: str
    tile: int
    salt: bytes
    index: int
    size: int
    proof: tuple[bytes, ...]

    def as_json(self) -> dict[str, Any]:
        """The opening as it is handed out."""
        return {
            "hand": self.hand.hex(),
            "slot": self.slot,
            "tile": self.tile,
            "salt": self.salt.hex(),
            "index": self.index,
            "size": self.size,
            "proof": [to_b64(node) for node in self.proof],
        }


def slots(terms: Terms, starter: int) -> list[str]:
    """Every position of a deal, in the sequence that the openings' tree has them (protocol §7.1).

    ``starter`` is the seat dealt one tile more; a deck's slots do not depend on it.
    """
    if isinstance(terms, DeckTerms):
        return [f"order/{k}" for k in range(terms.size)]
    names = [
        f"hand/{seat}/{k}" for seat in range(terms.seats) for k in range(terms.hand_size + (seat == starter))
    ]
    stock = terms.size - len(names) - 1
    return [*names, "indicator", *(f"stock/{k}" for k in range(stock))]


def starters(terms: Terms) -> range | tuple[int, ...]:
    """The seats that may start before the deal is known: one, or any where the dealer is thrown for."""
    if isinstance(terms, DeckTerms):
        return (0,)
    return range(terms.seats) if terms.dealer == "throw" else ((terms.dealer + 1) % terms.seats,)


def positions(terms: Terms, deal: Deal) -> list[tuple[str, int]]:
    """Each slot with the tile that lies there, in slot sequence."""
    if isinstance(deal, DeckDeal):
        return list(zip(slots(terms, 0), deal.order, strict=True))
    tiles = [tile for hand in deal.hands for tile in hand] + [deal.indicator, *deal.stock]
    return list(zip(slots(terms, deal.starter), tiles, strict=True))


def salt(key: bytes, slot: str) -> bytes:
    """What keeps the leaf of a slot from being guessed: 32 bytes that only the deal key gives."""
    return hmac.digest(key, f"s:{slot}".encode("ascii"), "sha256")


def slot_leaf(slot: str, tile: int, slot_salt: bytes) -> bytes:
    """The leaf hash of one position (protocol §7.2)."""
    return leaf_hash(f"{slot} {tile} {slot_salt.hex()}".encode("ascii"))


def leaves(key: bytes, terms: Terms, deal: Deal) -> list[bytes]:
    """The leaf hashes of a whole deal, in slot sequence."""
    return [slot_leaf(slot, tile, salt(key, slot)) for slot, tile in positions(terms, deal)]


def deal_root(key: bytes, terms: Terms, deal: Deal) -> bytes:
    """The tree head that the lock carries where the terms ask for openings."""
    return root(leaves(key, terms, deal))


def open_slots(hand: bytes, key: bytes, terms: Terms, deal: Deal, wanted: list[str]) -> list[Opening]:
    """The openings of some slots of a deal. Raises :class:`UsageError` for a slot that the deal lacks."""
    placed = positions(terms, deal)
    index_of = {slot: k for k, (slot, _) in enumerate(placed)}
    tree = leaves(key, terms, deal)
    found = []
    for slot in wanted:
        if slot not in index_of:
            raise UsageError("slots: the deal has no such slot")
        index = index_of[slot]
        proof = tuple(inclusion_proof(tree, index))
        found.append(Opening(hand, slot, placed[index][1], salt(key, slot), index, len(tree), proof))
    return found


def parse_opening(value: object, field: str = "opening") -> Opening:
    """An opening from its JSON object; :class:`MalformedError` names what is wrong in it."""
    item = members(value, field, ("hand", "slot", "tile", "salt", "index", "size", "proof"))
    slot = string(item["slot"], f"{field}.slot")
    if not _SLOT.fullmatch(slot):
        raise MalformedError(f"{field}.slot", "must be hand/<seat>/<k>, indicator, stock/<k> or order/<k>")
    return Opening(
        hand=parse_hex(item["hand"], f"{field}.hand", HAND_SIZE),
        slot=slot,
        tile=integer(item["tile"], f"{field}.tile", 0, DECK_SIZE[1] - 1),
        salt=parse_hex(item["salt"], f"{field}.salt", SALT_SIZE),
        index=integer(item["index"], f"{field}.index", 0, DECK_SIZE[1] - 1),
        size=integer(item["size"], f"{field}.size", 1, DECK_SIZE[1]),
        proof=tuple(
            parse_b64(node, f"{field}.proof[{k}]", HASH_SIZE)
            for k, node in enumerate(listing(item["proof"], f"{field}.proof", MAX_PROOF))
        ),
    )


def check_opening(opening: Opening, commit: Commit, lock: Lock) -> None:
    """Check an opening against the hand's commit and lock entries, as a player can before the reveal.

    Raises :class:`EvidenceError`: ``other-hand``, ``no-openings``, ``wrong-size``, ``wrong-index``,
    ``bad-proof``.
    """
    if not opening.hand == commit.hand == lock.hand:
        raise EvidenceError("other-hand", "the opening is of another hand")
    check_against_root(opening, commit.terms, lock.deal_root)


def check_against_root(opening: Opening, terms: Terms, head: bytes | None) -> None:
    """:func:`check_opening` where the hand has been compared already."""
    if head is None:
        raise EvidenceError("no-openings", "the lock commits to no openings")
    possible = [slots(terms, starter) for starter in starters(terms)]
    if opening.size != terms.size:
        raise EvidenceError("wrong-size", "the opening's size is not the number of slots")
    if all(opening.index >= len(p) or p[opening.index] != opening.slot for p in possible):
        raise EvidenceError("wrong-index", "the slot does not stand at this index")
    if opening.tile >= terms.size:
        raise EvidenceError("bad-proof", "there is no such tile in this game")
    leaf = slot_leaf(opening.slot, opening.tile, opening.salt)
    verify_inclusion(opening.index, opening.size, leaf, opening.proof, head)

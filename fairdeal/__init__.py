"""fairdeal: deals that a dealer cannot cheat in unnoticed, and the proof of it.

A hand starts from a server seed, whose SHA-256 is logged before anything is dealt, and from the seeds that
the players' clients sealed beforehand. Together they give the deal key, and the key gives everything else:

>>> from fairdeal import commitment, deal_key, make_deal, parse_terms
>>> terms = parse_terms({"game": "okey", "layout": "wall", "seats": 4, "dealer": 0, "dice": 1,
...                      "openings": False})
>>> seed = bytes(range(32))
>>> commitment(seed).hex()[:16]
'630dcd2966c43366'
>>> deal = make_deal(deal_key(seed, bytes(16), terms, ()), terms)
>>> deal.starter, len(deal.hands[deal.starter]), len(deal.stock)
(1, 15, 48)

``verify`` checks a finished hand from its receipt or record. Nothing here reads a clock, a file or a socket,
and nothing here is random: the same bytes always give the same answer.
"""

from fairdeal.deal import Deal, DeckDeal, OkeyDeal, make_deal
from fairdeal.diagnose import OtherHand
from fairdeal.entries import Commit, Lock, Reveal, parse_entry
from fairdeal.errors import EvidenceError, FairdealError, MalformedError, UnsupportedError, UsageError
from fairdeal.note import Signer, Verifier
from fairdeal.openings import Opening, check_opening, deal_root, open_slots, parse_opening
from fairdeal.receipt import LoggedEntry, Receipt, Record, parse_document_text
from fairdeal.seeds import Contribution, Seal, commitment, deal_key, lucky_seed, seal
from fairdeal.seen import (
    SeenCommitment,
    SeenOpening,
    SeenReceipt,
    SeenSeed,
    SeenTiles,
    parse_seen,
    parse_seen_text,
)
from fairdeal.terms import DeckTerms, OkeyTerms, Terms, parse_terms
from fairdeal.verify import Report, verify

__all__ = [
    "Commit",
    "Contribution",
    "Deal",
    "DeckDeal",
    "DeckTerms",
    "EvidenceError",
    "FairdealError",
    "Lock",
    "LoggedEntry",
    "MalformedError",
    "OkeyDeal",
    "OkeyTerms",
    "Opening",
    "OtherHand",
    "Receipt",
    "Record",
    "Report",
    "Reveal",
    "Seal",
    "SeenCommitment",
    "SeenOpening",
    "SeenReceipt",
    "SeenSeed",
    "SeenTiles",
    "Signer",
    "Terms",
    "UnsupportedError",
    "UsageError",
    "Verifier",
    "check_opening",
    "commitment",
    "deal_key",
    "deal_root",
    "lucky_seed",
    "make_deal",
    "open_slots",
    "parse_document_text",
    "parse_entry",
    "parse_opening",
    "parse_seen",
    "parse_seen_text",
    "parse_terms",
    "seal",
    "verify",
]

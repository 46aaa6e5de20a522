"""Hands and histories for the audit's tests, and ways to spoil them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

from fairdeal.audit.histories.trust import honest
from fairdeal.checkpoint import Checkpoint
from fairdeal.entries import Commit, Lock, Reveal
from fairdeal.merkle import inclusion_proof, leaf_hash, root
from fairdeal.note import Signer, sign
from fairdeal.receipt import LoggedEntry, Receipt, Record
from fairdeal.seeds import Contribution
from fairdeal.terms import DeckTerms, OkeyTerms, Terms

ALL_TERMS: list[Terms] = [
    OkeyTerms(game, layout, seats, dealer, dice, openings)
    for game in ("okey", "okey101")
    for layout in ("wall", "plain")
    for seats in (2, 3, 4)
    for dealer in (*range(seats), "throw")
    for dice in (1, 2)
    for openings in (False, True)
]
DECKS: list[Terms] = [
    DeckTerms(2, 1, True),
    DeckTerms(52, 4, False),
    DeckTerms(106, 16, True),
    DeckTerms(107, 2, False),
]

SIGNER = Signer("log.example/okey", bytes(range(32)))


def record(rng: random.Random, terms: Terms, sealed: int = 0) -> Record:
    """An honest record with that many contributions, or as many as there are seats."""
    seats = sorted(rng.sample(range(terms.seats), min(sealed, terms.seats)))
    opened = tuple(Contribution(seat, rng.randbytes(32)) for seat in seats)
    seed, hand = rng.randbytes(32), rng.randbytes(16)
    return honest(hand, seed, terms, opened)


def receipt(rng: random.Random, terms: Terms, sealed: int = 0) -> Receipt:
    """An honest receipt of a hand played to its end, alone in a small log."""
    made = record(rng, terms, sealed)
    assert made.commitment is not None
    at = 1_700_000_000_000
    commit = Commit(at, "house", "t1", 1, made.hand, terms, made.commitment, made.seals, None, at + 60_000)
    lock = Lock(
        at + 1, made.hand, leaf_hash(commit.encode()), made.contributions, made.deal_root, at + 90_000
    )
    reveal = Reveal(at + 2, made.hand, leaf_hash(lock.encode()), "played", None, made.server_seed)
    entries = [entry.encode() for entry in (commit, lock, reveal)]
    leaves = [leaf_hash(rng.randbytes(9)), *map(leaf_hash, entries)]
    head = Checkpoint(SIGNER.name, len(leaves), root(leaves))
    logged = tuple(
        LoggedEntry(k, entry.decode(), tuple(inclusion_proof(leaves, k)))
        for k, entry in enumerate(entries, 1)
    )
    return Receipt(SIGNER.verifier.text(), sign(head.text(), [SIGNER]), logged, made.deal)


def line(document: Record | Receipt | dict[str, Any], **how: Any) -> bytes:
    """A document's line, without line feed."""
    value = document if isinstance(document, dict) else document.as_json()
    return json.dumps(value, **how).encode()


Spoil = Callable[[random.Random, dict[str, Any]], None]


def _flip(rng: random.Random, document: dict[str, Any], name: str) -> None:
    text = document.get(name)
    if not isinstance(text, str):
        return
    at = rng.randrange(len(text))
    document[name] = text[:at] + rng.choice([d for d in "0123456789abcdef" if d != text[at]]) + text[at + 1 :]


def _number(rng: random.Random, value: Any) -> None:
    """Change one number somewhere in nested lists and objects."""
    while True:
        places = [
            (box, key)
            for box in _boxes(value)
            for key in (box if isinstance(box, dict) else range(len(box)))
            if type(box[key]) is int
        ]
        box, key = rng.choice(places)
        changed = rng.choice([0, 1, 5, 104, 105, box[key] + 1, max(0, box[key] - 1), 255, 256, 300])
        if changed != box[key]:
            box[key] = changed
            return


def _boxes(value: Any) -> list[Any]:
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return ([value] if isinstance(value, (dict, list)) else []) + [
        box for item in inner for box in _boxes(item)
    ]


def _lists(value: Any) -> list[list[Any]]:
    return [box for box in _boxes(value) if isinstance(box, list)]


def _swap(rng: random.Random, document: dict[str, Any]) -> None:
    values = rng.choice([box for box in _lists(document["deal"]) if len(box) > 1] or [[0, 1]])
    i, j = rng.sample(range(len(values)), 2)
    values[i], values[j] = values[j], values[i]


def _shorten(rng: random.Random, document: dict[str, Any]) -> None:
    values = rng.choice([box for box in _lists(document) if box])
    values.pop(rng.randrange(len(values)))


def _repeat(rng: random.Random, document: dict[str, Any]) -> None:
    values = rng.choice([box for box in _lists(document) if box])
    values.insert(rng.randrange(len(values)), rng.choice(values))


def _terms(rng: random.Random, document: dict[str, Any]) -> None:
    document["terms"] = rng.choice([*ALL_TERMS, *DECKS]).as_json()


def _null(rng: random.Random, document: dict[str, Any]) -> None:
    document[rng.choice(["commitment", "server_seed", "deal_root", "deal"])] = None


def _drop(rng: random.Random, document: dict[str, Any]) -> None:
    box = rng.choice([box for box in _boxes(document) if isinstance(box, dict)])
    del box[rng.choice(list(box))]


def _seats(rng: random.Random, document: dict[str, Any]) -> None:
    both = [*document.get("seals", ()), *document.get("contributions", ())]
    if both:
        item = rng.choice(both)
        item["seat"] = rng.choice([0, 1, 2, 3, 4, 15, 16])


def _deal_of_another(rng: random.Random, document: dict[str, Any]) -> None:
    terms = rng.choice(ALL_TERMS)
    document["deal"] = record(rng, terms).deal


def _seal(rng: random.Random, document: dict[str, Any]) -> None:
    if document.get("seals"):
        _flip(rng, rng.choice(document["seals"]), "seal")


def _client_seed(rng: random.Random, document: dict[str, Any]) -> None:
    if document.get("contributions"):
        _flip(rng, rng.choice(document["contributions"]), "seed")


def _dealt(spoil: Callable[[random.Random, Any], None], inner: bool) -> Spoil:
    def only_where_dealt(rng: random.Random, document: dict[str, Any]) -> None:
        if document.get("deal"):
            spoil(rng, document["deal"] if inner else document)

    return only_where_dealt


SPOILS: list[Spoil] = [
    lambda rng, document: _flip(rng, document, "hand"),
    lambda rng, document: _flip(rng, document, "server_seed"),
    lambda rng, document: _flip(rng, document, "commitment"),
    lambda rng, document: _flip(rng, document, "deal_root"),
    _seal,
    _client_seed,
    _dealt(_number, inner=True),
    _dealt(_swap, inner=False),
    _shorten,
    _repeat,
    _terms,
    _null,
    _null,
    _drop,
    _seats,
    _deal_of_another,
]
"""Ways to change a record. Some leave it honest, some only take evidence away."""

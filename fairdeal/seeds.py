"""Seeds, what binds them before the hand, and the deal key they make (protocol §1, §2)."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from fairdeal.encoding import integer, listing, members, parse_hex
from fairdeal.errors import MalformedError
from fairdeal.terms import DECK_SEATS, Terms

SEED_SIZE = 32
"""Bytes in every server seed and client seed."""

HAND_SIZE = 16
"""Bytes in a hand's id."""

_LABEL = b"fairdeal/1 deal\n"


@dataclass(frozen=True, slots=True)
class Seal:
    """What a seat hands over before the commit: SHA-256 of its client seed, 32 bytes (protocol §1.5)."""

    seat: int
    seal: bytes

    def as_json(self) -> dict[str, Any]:
        """``{"seat", "seal"}`` with the seal in hex."""
        return {"seat": self.seat, "seal": self.seal.hex()}


@dataclass(frozen=True, slots=True)
class Contribution:
    """A seat's opened client seed, 32 bytes (protocol §2.1). The seed stays out of the repr."""

    seat: int
    seed: bytes = field(repr=False)

    def as_json(self) -> dict[str, Any]:
        """``{"seat", "seed"}`` with the seed in hex."""
        return {"seat": self.seat, "seed": self.seed.hex()}


def commitment(server_seed: bytes) -> bytes:
    """SHA-256 over the raw 32 bytes of the server seed (protocol §1.2)."""
    return hashlib.sha256(_sized(server_seed, "server_seed", SEED_SIZE)).digest()


def seal(client_seed: bytes) -> bytes:
    """SHA-256 over the raw 32 bytes of a client seed (protocol §1.5)."""
    return hashlib.sha256(_sized(client_seed, "seed", SEED_SIZE)).digest()


def lucky_seed(randomness: bytes, words: str) -> bytes:
    """A client seed that a player's own words went into: SHA-256(32 random bytes, then the words' UTF-8).

    The words are taken as typed, without trimming or folding. The random bytes are what keeps the seal,
    which is public, from being guessed (protocol §1.5).
    """
    try:
        text = words.encode("utf-8")
    except UnicodeEncodeError:
        raise MalformedError("words", "must not hold half a surrogate pair") from None
    return hashlib.sha256(_sized(randomness, "randomness", SEED_SIZE) + text).digest()


def transcript(hand: bytes, terms: Terms, contributions: Iterable[Contribution]) -> bytes:
    """The 96 bytes that the deal key is an HMAC of (protocol §2.3).

    Every part has a fixed length, so no two hands can share a transcript by moving a boundary.
    """
    listed = tuple(contributions)
    if any(not 0 <= c.seat < DECK_SEATS[1] for c in listed) or any(
        one.seat >= other.seat for one, other in pairwise(listed)
    ):
        raise MalformedError("contributions", "seats must be strictly ascending, from 0 to 15")
    opened = b"".join(bytes([c.seat]) + _sized(c.seed, "seed", SEED_SIZE) for c in listed)
    return (
        _LABEL
        + _sized(hand, "hand", HAND_SIZE)
        + hashlib.sha256(terms.canonical()).digest()
        + hashlib.sha256(opened).digest()
    )


def deal_key(server_seed: bytes, hand: bytes, terms: Terms, contributions: Iterable[Contribution]) -> bytes:
    """The 32-byte key that every draw of the hand comes from (protocol §2.3).

    ``contributions`` must be ascending by seat; :class:`MalformedError` where they are not.
    """
    seed = _sized(server_seed, "server_seed", SEED_SIZE)
    return hmac.digest(seed, transcript(hand, terms, contributions), "sha256")


def parse_seals(value: object, field: str = "seals") -> tuple[Seal, ...]:
    """A JSON list of ``{"seat", "seal"}``, seats strictly ascending."""
    return tuple(
        Seal(seat, parse_hex(item["seal"], f"{field}[{k}].seal", SEED_SIZE))
        for k, (seat, item) in enumerate(_by_seat(value, field, "seal"))
    )


def parse_contributions(value: object, field: str = "contributions") -> tuple[Contribution, ...]:
    """A JSON list of ``{"seat", "seed"}``, seats strictly ascending."""
    return tuple(
        Contribution(seat, parse_hex(item["seed"], f"{field}[{k}].seed", SEED_SIZE))
        for k, (seat, item) in enumerate(_by_seat(value, field, "seed"))
    )


def opens(seals: Sequence[Seal], contributions: Sequence[Contribution]) -> bool:
    """Whether the contributions open exactly the seals: each one, once, and nothing else (protocol §2.1)."""
    return [(s.seat, s.seal) for s in seals] == [(c.seat, seal(c.seed)) for c in contributions]


def _by_seat(value: object, field: str, name: str) -> list[tuple[int, dict[str, Any]]]:
    found: list[tuple[int, dict[str, Any]]] = []
    for k, item in enumerate(listing(value, field, DECK_SEATS[1])):
        entry = members(item, f"{field}[{k}]", ("seat", name))
        seat = integer(entry["seat"], f"{field}[{k}].seat", 0, DECK_SEATS[1] - 1)
        if found and seat <= found[-1][0]:
            raise MalformedError(f"{field}[{k}].seat", "seats must be strictly ascending")
        found.append((seat, entry))
    return found


def _sized(data: bytes, field: str, size: int) -> bytes:
    # HMAC pads short keys with zeros and hashes long ones, so a lax length would let two seeds deal alike.
    if not isinstance(data, bytes) or len(data) != size:
        raise MalformedError(field, f"must be exactly {size} bytes")
    return data

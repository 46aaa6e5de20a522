"""Server seeds at rest: AES-256-GCM, bound to their hand, under keys from a file of their own.

A wrapped seed is 4 bytes naming the key, a random nonce of 12 bytes, and the 48 bytes of ciphertext and tag.
The hand's id is the associated data, so a seed moved to another hand's row does not open there. One key is
good for 2^32 seeds before random nonces get too close; docs/operating.md says when to put a new one first.
"""

from __future__ import annotations

import hashlib
import secrets
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from fairdeal.encoding import parse_hex
from fairdeal.errors import MalformedError
from fairdeal.seeds import SEED_SIZE
from fairdeal_api import keys

_PREFIX = "fairdeal-seed-key-1 "
_NAME, _NONCE, _KEY = 4, 12, 32


class SeedLostError(RuntimeError):
    """A wrapped seed that none of the keys opens."""


class Vault:
    """The wrapping keys; the first wraps, any of them unwraps. Neither keys nor seeds are in the repr."""

    def __init__(self, wrapping_keys: list[bytes]) -> None:
        self._ciphers = {_name(key): AESGCM(key) for key in wrapping_keys}
        self._first = _name(wrapping_keys[0])

    @classmethod
    def load(cls, path: Path) -> Vault:
        """The vault of a key file: a line for each key, the one in use first.

        Raises :class:`fairdeal_api.keys.KeyFileError` for a file that is missing, unsafe or malformed.
        """
        lines = [line for line in keys.read(path).split("\n") if line and not line.startswith("#")]
        try:
            found = [
                parse_hex(line.removeprefix(_PREFIX), "key", _KEY)
                for line in lines
                if line.startswith(_PREFIX)
            ]
        except MalformedError:
            found = []
        if not found or len(found) != len(lines) or len(set(found)) != len(found):
            raise keys.KeyFileError(f"{path}: every line must be a different {_PREFIX.strip()}")
        return cls(found)

    @staticmethod
    def new_file_text() -> str:
        """The text of a key file with one new key."""
        return f"{_PREFIX}{secrets.token_bytes(_KEY).hex()}\n"

    def wrap(self, hand: bytes, seed: bytes) -> bytes:
        """A 32-byte seed encrypted for the hand's row (64 bytes)."""
        nonce = secrets.token_bytes(_NONCE)
        return self._first + nonce + self._ciphers[self._first].encrypt(nonce, seed, hand)

    def unwrap(self, hand: bytes, wrapped: bytes | None) -> bytes:
        """The seed again. Raises :class:`SeedLostError` where it is gone or no key opens it."""
        cipher = self._ciphers.get(wrapped[:_NAME]) if wrapped else None
        if cipher is None or wrapped is None:
            raise SeedLostError("no key for this seed")
        try:
            seed = cipher.decrypt(wrapped[_NAME : _NAME + _NONCE], wrapped[_NAME + _NONCE :], hand)
        except (InvalidTag, ValueError):
            raise SeedLostError("the stored seed does not open") from None
        if len(seed) != SEED_SIZE:
            raise SeedLostError("the stored seed is no seed")
        return seed


def _name(key: bytes) -> bytes:
    return hashlib.sha256(b"fairdeal seed key name\n" + key).digest()[:_NAME]

"""Server seeds at rest: AES-256-GCM, bound to their hand, under keys from a file of their own.

A wrapped seed is 4 bytes naming the key, a random nonce of 12 bytes, and the 48 bytes of ciphertext and tag.
The hand's id is the associated data, so a seed moved to another hand's row does not open there. One key is
good for 2^32 seeds before random nonces get too close; docs/operating.md says when to put a new one first.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from fairdeal.encoding import parse_hex
from fairdeal.errors import MalformedError
from fairdeal.seeds import SEED_SIZE
from fairdeal_api import keys

_PREFIX = "fairdeal-seed-key-1 "
_NAME, NONCE_SIZE, _KEY = 4, 12, 32


class SeedLostError(RuntimeError):
    """A wrapped seed that none of the keys opens."""


class SeedGoneError(SeedLostError):
    """No wrapped seed is stored: no key brings it back."""


@dataclass(frozen=True, slots=True)
class SeedKeys:
    """The keys of a file, the one in use first."""

    keys: tuple[bytes, ...] = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """What the keys are called: eight hex digits each."""
        return tuple(name_of(key).hex() for key in self.keys)

    def text(self) -> str:
        """The file's text."""
        return "".join(f"{_PREFIX}{key.hex()}\n" for key in self.keys)


def parse_seed_keys(path: Path, text: str) -> SeedKeys:
    """The keys in a file's text, a line for each; raises :class:`fairdeal_api.keys.KeyFileError`."""
    lines = [line for line in text.split("\n") if line and not line.startswith("#")]
    try:
        found = [
            parse_hex(line.removeprefix(_PREFIX), "key", _KEY) for line in lines if line.startswith(_PREFIX)
        ]
    except MalformedError:
        found = []
    if not found or len(found) != len(lines) or len({name_of(key) for key in found}) != len(found):
        raise keys.KeyFileError(f"{path}: every line must be a different {_PREFIX.strip()}")
    return SeedKeys(tuple(found))


class Vault:
    """The wrapping keys; the first wraps, any of them unwraps. Neither keys nor seeds are in the repr."""

    def __init__(self, wrapping_keys: Sequence[bytes]) -> None:
        self._file: keys.KeyFile[SeedKeys] | None = None
        self._changing = Lock()
        self._use(SeedKeys(tuple(wrapping_keys)))

    @classmethod
    def load(cls, path: Path) -> Vault:
        """The vault of a key file: a line for each key, the one in use first.

        Raises :class:`fairdeal_api.keys.KeyFileError` for a file that is missing, unsafe or malformed.
        """
        file = keys.KeyFile(path, lambda text: parse_seed_keys(path, text))
        vault = cls(file.value.keys)
        vault._file = file
        return vault

    def refresh(self) -> bool:
        """Load the key file again if it has changed; says whether it had."""
        with self._changing:
            if self._file is None or not self._file.refresh():
                return False
            self._use(self._file.value)
            return True

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the loaded keys, the one in use first."""
        return self._names

    def _use(self, found: SeedKeys) -> None:
        # One assignment for what wraps and unwraps: other threads see the keys of before or those of now.
        self._ciphers = {name_of(key): AESGCM(key) for key in found.keys}
        self._names = found.names

    @staticmethod
    def new_file_text() -> str:
        """The text of a key file with one new key."""
        return SeedKeys((new_key(),)).text()

    def wrap(self, hand: bytes, seed: bytes, nonce: bytes | None = None) -> bytes:
        """A 32-byte seed encrypted for the hand's row (64 bytes).

        ``nonce`` is :data:`NONCE_SIZE` random bytes that nothing else was or will be encrypted with.
        """
        first, cipher = next(iter(self._ciphers.items()))
        nonce = nonce or secrets.token_bytes(NONCE_SIZE)
        return first + nonce + cipher.encrypt(nonce, seed, hand)

    def is_under_first(self, wrapped: bytes) -> bool:
        """Whether a seed is wrapped under the key that wraps now."""
        return wrapped[:_NAME] == next(iter(self._ciphers))

    def unwrap(self, hand: bytes, wrapped: bytes | None) -> bytes:
        """The seed again. Raises :class:`SeedLostError` where it is gone or no key opens it."""
        cipher = self._ciphers.get(wrapped[:_NAME]) if wrapped else None
        if wrapped and cipher is None:
            # Another process may use a key before this one's next look at the file.
            self.refresh()
            cipher = self._ciphers.get(wrapped[:_NAME])
        if cipher is None or wrapped is None:
            raise SeedLostError("no key for this seed") if wrapped else SeedGoneError("no seed is stored")
        try:
            seed = cipher.decrypt(wrapped[_NAME : _NAME + NONCE_SIZE], wrapped[_NAME + NONCE_SIZE :], hand)
        except (InvalidTag, ValueError):
            raise SeedLostError("the stored seed does not open") from None
        if len(seed) != SEED_SIZE:
            raise SeedLostError("the stored seed is no seed")
        return seed


def new_key() -> bytes:
    """A new wrapping key."""
    return secrets.token_bytes(_KEY)


def name_of(key: bytes) -> bytes:
    """The four bytes that stand for a key at the start of what it wrapped."""
    return hashlib.sha256(b"fairdeal seed key name\n" + key).digest()[:_NAME]

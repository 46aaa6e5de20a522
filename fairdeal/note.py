"""C2SP signed notes with Ed25519 (signed-note v1.0.0): text, a blank line, signature lines.

A note's text ends with a newline, which is signed too. A key is known by its name and the first four bytes
of a hash over name, type and key, so that one line of a note says whose signature it carries.

    verifier key   <name>+<8 hex digits>+<base64 of 01 ‖ public key>
    signature      — <name> <base64 of key id ‖ signature>
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from fairdeal.encoding import parse_b64, parse_hex, to_b64
from fairdeal.errors import EvidenceError, MalformedError

ED25519 = b"\x01"
MAX_SIGNATURES = 16

_PRIVATE = "PRIVATE+KEY+"
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")
_NOT_IN_NAMES = re.compile(r"[+\s\x00-\x1f\ud800-\udfff]")
_DASH = "\u2014 "


def key_id(name: str, public: bytes) -> bytes:
    """The four bytes that stand for a key in signature lines."""
    return hashlib.sha256(name.encode() + b"\n" + ED25519 + public).digest()[:4]


@dataclass(frozen=True, slots=True)
class Verifier:
    """A named Ed25519 public key (32 bytes)."""

    name: str
    public: bytes

    @property
    def key_id(self) -> bytes:
        """The key's four-byte id."""
        return key_id(self.name, self.public)

    def text(self) -> str:
        """The verifier key as people pass it on; :meth:`parse` reads it back."""
        return f"{self.name}+{self.key_id.hex()}+{to_b64(ED25519 + self.public)}"

    @classmethod
    def parse(cls, text: str, field: str = "vkey") -> Verifier:
        """Read a verifier key. Raises :class:`MalformedError` also where the id is not the key's own."""
        # The name holds no "+", but base64 may: split off the first two parts only.
        parts = text.split("+", 2) if isinstance(text, str) else []
        if len(parts) != 3:
            raise MalformedError(field, "must be a verifier key: name+id+key")
        data = parse_b64(parts[2], field, 33)
        if data[:1] != ED25519:
            raise MalformedError(field, "must be an Ed25519 key (type 1)")
        verifier = cls(_name(parts[0], field), data[1:])
        if parse_hex(parts[1], field, 4) != verifier.key_id:
            raise MalformedError(field, "must carry the id that its name and key give")
        return verifier

    def verifies(self, text: str, signature: bytes) -> bool:
        """Whether ``signature`` (64 bytes) over the note's text is this key's."""
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, text.encode())
        except (InvalidSignature, ValueError):
            return False
        return True


@dataclass(frozen=True, slots=True)
class Signer:
    """A named Ed25519 private key: its 32-byte seed, which stays out of the repr."""

    name: str
    seed: bytes = field(repr=False)

    @property
    def verifier(self) -> Verifier:
        """The public half."""
        key = Ed25519PrivateKey.from_private_bytes(self.seed)
        return Verifier(self.name, key.public_key().public_bytes_raw())

    def private_text(self) -> str:
        """The private key file's text, in the form that Go's note tools write."""
        return f"{_PRIVATE}{self.name}+{self.verifier.key_id.hex()}+{to_b64(ED25519 + self.seed)}"

    @classmethod
    def parse(cls, text: str, field: str = "key") -> Signer:
        """Read a private key file's text. Errors never repeat any of it."""
        parts = text.removeprefix(_PRIVATE).split("+", 2)
        if not text.startswith(_PRIVATE) or len(parts) != 3:
            raise MalformedError(field, "must be a private key: PRIVATE+KEY+name+id+key")
        data = parse_b64(parts[2], field, 33)
        if data[:1] != ED25519:
            raise MalformedError(field, "must be an Ed25519 key (type 1)")
        signer = cls(_name(parts[0], field), data[1:])
        if parse_hex(parts[1], field, 4) != signer.verifier.key_id:
            raise MalformedError(field, "must carry the id that its name and key give")
        return signer


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature line: whose it says it is, and the bytes."""

    name: str
    key_id: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class Note:
    """A parsed note; nothing in it has been verified yet."""

    text: str
    signatures: tuple[Signature, ...]


def sign(text: str, signers: Sequence[Signer]) -> str:
    """The note: ``text``, which must end with a newline, with one signature line per signer."""
    if not text.endswith("\n") or _CONTROL.search(text):
        raise MalformedError("text", "must end with a newline and hold no other control character")
    lines = []
    for signer in signers:
        key = Ed25519PrivateKey.from_private_bytes(signer.seed)
        data = signer.verifier.key_id + key.sign(text.encode())
        lines.append(f"{_DASH}{signer.name} {to_b64(data)}\n")
    return f"{text}\n{''.join(lines)}"


def parse_note(note: str, field: str = "note") -> Note:
    """Split a note into its text and signatures, checking form alone."""
    if not isinstance(note, str) or _CONTROL.search(note):
        raise MalformedError(field, "must be text without control characters")
    text, blank, tail = note.rpartition("\n\n")
    if not blank or not tail.endswith("\n"):
        raise MalformedError(field, "must end with a blank line and signature lines")
    # Not splitlines(): it would also split at U+2028 and its like.
    lines = tail[:-1].split("\n")
    if len(lines) > MAX_SIGNATURES:
        raise MalformedError(field, f"must have at most {MAX_SIGNATURES} signatures")
    return Note(text + "\n", tuple(_signature(line, field) for line in lines))


def open_note(note: Note, verifiers: Sequence[Verifier]) -> tuple[Verifier, ...]:
    """Those of the verifiers that signed the note.

    Lines of unknown keys are ignored. Raises :class:`EvidenceError` ``bad-signature`` where a known key's
    line does not verify, and ``unsigned`` where no known key signed.
    """
    found = []
    for verifier in verifiers:
        for line in note.signatures:
            if (line.name, line.key_id) != (verifier.name, verifier.key_id):
                continue
            if not verifier.verifies(note.text, line.signature):
                raise EvidenceError("bad-signature", f"the signature of {verifier.name} does not verify")
            found.append(verifier)
    if not found:
        raise EvidenceError("unsigned", "none of the known keys has signed")
    return tuple(dict.fromkeys(found))


def _name(name: str, field: str) -> str:
    # A "+" would make the text form ambiguous; half a surrogate pair has no bytes to be hashed.
    if not name or _NOT_IN_NAMES.search(name):
        raise MalformedError(field, "a key's name must not be empty nor hold spaces or +")
    return name


def _signature(line: str, field: str) -> Signature:
    name, space, data = line.removeprefix(_DASH).partition(" ")
    if not line.startswith(_DASH) or not space:
        raise MalformedError(field, "a signature line must be an em dash, a name and base64")
    raw = parse_b64(data, field)
    if len(raw) < 5:
        raise MalformedError(field, "a signature must hold a key id and at least one byte")
    return Signature(_name(name, field), raw[:4], raw[4:])

"""What a log says that other sources of the same audit may say too, as rows for the prints (§10.5)."""

from __future__ import annotations

import hashlib
from array import array
from binascii import unhexlify
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from fairdeal.audit.log.entrytext import CommitText
from fairdeal.audit.log.life import Hand
from fairdeal.audit.sources.plainprints import TAG, Rows

_PRINT = (1 << 64) - 1

UNLOCKED = b"ended unlocked.."
"""What stands in the place of a lock's identity where a hand ended without one."""


@lru_cache(maxsize=4096)
def _named(*parts: str) -> int:
    """128 bits that stand for names; there are few of them among millions of values."""
    return int.from_bytes(hashlib.sha256(" ".join(parts).encode()).digest()[:TAG], "little")


def identity(origin: str, index: int, leaf: bytes) -> bytes:
    """16 bytes that stand for one entry of one log, as far as its leaf hash does."""
    return (_named(origin) ^ int.from_bytes(leaf[:TAG], "little") ^ index).to_bytes(TAG, "little")


def number_print(origin: str, operator: str, table: str, number: int) -> bytes:
    """8 bytes for a hand number of a table in one log. Others may share them: they only lead to a look."""
    return (_named(origin, operator, table) + number & _PRINT).to_bytes(8, "little")


def entry_print(origin: str, index: int) -> bytes:
    """8 bytes for a place in a log, as above."""
    return (_named(origin, "entry") + index & _PRINT).to_bytes(8, "little")


def head_print(origin: str, size: int) -> bytes:
    """8 bytes for a size of a log's tree, as above."""
    return (_named(origin, "head") + size & _PRINT).to_bytes(8, "little")


def stage_print(origin: str, hand: bytes, stage: str) -> bytes:
    """8 bytes for a hand's lock or reveal in a log, as above."""
    return ((_named(origin, stage) ^ int.from_bytes(hand[:8], "little")) & _PRINT).to_bytes(8, "little")


@dataclass
class Shared:
    """Collects the rows of a stretch of a log, in step with the values that may stand only once."""

    origin: str
    _tags: dict[str, list[bytes]] = field(default_factory=dict)
    _numbers: list[bytes] = field(default_factory=list)
    _unlocked: list[Rows] = field(default_factory=list)
    _stages: list[tuple[bytes, int, bytes]] = field(default_factory=list)

    def commit(self, entry: CommitText, index: int, leaf: bytes) -> None:
        """A commit; ``leaf`` is its leaf hash in hex."""
        hand = unhexlify(entry.hand)
        self._tags.setdefault("hand", []).append(identity(self.origin, index, unhexlify(leaf)))
        self._tags.setdefault("commitment", []).append(hand)
        self._tags.setdefault("seal", []).extend([hand] * len(entry.seals))
        operator, table = entry.operator.decode(), entry.table.decode()
        self._numbers.append(number_print(self.origin, operator, table, entry.number))

    def named(self, kind: str, hand: bytes) -> None:
        """A value of a hand (hex)."""
        self._tags.setdefault(kind, []).append(unhexlify(hand))

    def stage(self, name: str, hand: bytes, index: int, leaf: bytes) -> None:
        """A hand's ``lock`` or ``reveal``; its id and the entry's leaf hash are in hex."""
        at = stage_print(self.origin, unhexlify(hand), name)
        self._stages.append((at, index, identity("", index, unhexlify(leaf))))

    def unlocked(self, hand: Hand, index: int) -> None:
        """A hand ended without a lock, at ``index``: nobody can show a deal of it."""
        self._unlocked += unlocked_rows(self.origin, hand, index)

    def rows(self, values: Mapping[str, tuple[bytes, array[int]]]) -> list[Rows]:
        """The rows, the stretch's values among them."""
        found = [
            Rows(kind, data, owners, b"".join(self._tags.get(kind, ())))
            for kind, (data, owners) in values.items()
        ]
        commits, hands = values["commitment"][1], b"".join(self._tags.get("commitment", ()))
        if self._stages:
            places, indexes, tags = zip(*self._stages, strict=True)
            found.append(Rows("stage", b"".join(places), array("Q", indexes), b"".join(tags)))
        return [*found, Rows("number", b"".join(self._numbers), commits, hands), *self._unlocked]


def unlocked_rows(origin: str, hand: Hand, index: int) -> tuple[Rows, Rows]:
    """The rows of a hand that ended without a lock: for records of it, and for receipts that have a lock.

    The first one's tag is another than the commit's, so both are seen.
    """
    tag = identity(origin, index, UNLOCKED)
    place, owner = unhexlify(hand.hand), array("Q", [index])
    lock = stage_print(origin, place, "lock")
    return Rows("hand", place, owner, tag), Rows("stage", lock, owner, UNLOCKED)

"""Equal 64-bit prints of values that may stand only once: the interface, and a way without numpy."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from typing import Protocol

KINDS = ("hand", "commitment", "seal", "seed", "client-seed")
"""What may stand only once in a log or history."""

SIZES = {"hand": 16, "commitment": 32, "seal": 32, "seed": 32, "client-seed": 32}
"""Bytes in a value of each kind."""

WORDS = {
    "hand": "hand id",
    "commitment": "commitment",
    "seal": "seal",
    "seed": "server seed",
    "client-seed": "client seed",
}


class Prints(Protocol):
    """Where equal prints are found."""

    def add(self, kind: str, values: bytes | bytearray, owners: array[int]) -> None:
        """Values one after another, and who owns each."""

    def groups(self) -> Iterable[tuple[str, list[int]]]:
        """The owners of each print that there is more than once, ascending, kind by kind."""


class PlainPrints:
    """Prints in dictionaries: for small logs, and where numpy is not installed."""

    def __init__(self) -> None:
        self._first: dict[str, dict[bytes, int]] = {kind: {} for kind in KINDS}
        self._more: dict[str, dict[bytes, list[int]]] = {kind: {} for kind in KINDS}

    def add(self, kind: str, values: bytes | bytearray, owners: array[int]) -> None:
        """See :class:`Prints`."""
        first, size = self._first[kind], SIZES[kind]
        for k, owner in enumerate(owners):
            value = bytes(values[k * size : k * size + 8])
            if first.setdefault(value, owner) != owner or (k and owner == owners[k - 1]):
                self._again(kind, value, owner)

    def _again(self, kind: str, value: bytes, owner: int) -> None:
        group = self._more[kind].setdefault(value, [self._first[kind][value]])
        if owner not in group[-1:]:
            group.append(owner)

    def groups(self) -> Iterator[tuple[str, list[int]]]:
        """See :class:`Prints`."""
        for kind in KINDS:
            for group in self._more[kind].values():
                yield kind, group


def new_prints() -> Prints:
    """Prints in arrays where numpy is there, else in dictionaries."""
    if not find_spec("numpy"):
        return PlainPrints()
    from fairdeal.audit.prints import NumpyPrints  # noqa: PLC0415  # numpy is an extra

    return NumpyPrints()

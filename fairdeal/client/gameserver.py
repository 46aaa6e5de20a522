"""The synchronous client of game servers."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Self, TypeVar

import httpx2

from fairdeal.client import calls, exchange
from fairdeal.client.calls import Call
from fairdeal.client.models import Hand, NewHand, Page, Summary, VoidReason
from fairdeal.client.talk import Retry, Turn, talk
from fairdeal.note import Verifier
from fairdeal.openings import Opening
from fairdeal.seeds import Contribution, Seal

T = TypeVar("T")

PAGE = 100
"""Items asked for at a time in lists."""


def new_idempotency_key() -> str:
    """A key that no other commit has."""
    return secrets.token_hex(16)


class Client:
    """A service, as one operator calls it. Close it, or use it in a ``with``; threads may share it.

    ``address`` is the service's, such as ``https://deals.example``. Without ``operator_key`` the open calls
    work. ``timeout`` is in seconds for each try. Every call is repeated as ``retry`` says where that can
    help; all raise :class:`fairdeal.client.ClientError`. ``transport`` and ``sleep`` stand in for the network
    and for waiting, in tests and in programs that have their own.
    """

    def __init__(
        self,
        address: str,
        operator_key: str | None = None,
        *,
        timeout: float = 10.0,
        retry: Retry | None = None,
        transport: httpx2.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._http = httpx2.Client(**exchange.settings(address, operator_key, timeout), transport=transport)
        self._retry, self._sleep = retry or Retry(), sleep

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def commit(
        self,
        table: str,
        *,
        terms: Mapping[str, Any] | None = None,
        seals: Sequence[Seal] = (),
        note: bytes | None = None,
        lock_within: int | None = None,
        idempotency_key: str | None = None,
    ) -> Hand:
        """Commit a hand. Without an ``idempotency_key`` one is drawn, so that repeats commit no second hand.

        After :class:`UnreachableError`, call again with the key that it carries.
        """
        new = NewHand(table, terms, seals, note, lock_within)
        return self.call(calls.commit(new, idempotency_key or new_idempotency_key()))

    def commit_batch(
        self, hands: Sequence[NewHand], *, idempotency_key: str | None = None
    ) -> tuple[Hand, ...]:
        """Commit up to 1000 hands, all or none."""
        return self.call(calls.commit_batch(hands, idempotency_key or new_idempotency_key()))

    def deal(
        self, hand: str, seeds: Sequence[Contribution] = (), *, reveal_within: int | None = None
    ) -> Hand:
        """Lock a hand with the seats' opened seeds, and get its deal, for the game server alone."""
        return self.call(calls.deal(hand, seeds, reveal_within))

    def openings(self, hand: str, slots: Sequence[str]) -> tuple[Opening, ...]:
        """Proofs of single tiles of a locked hand."""
        return self.call(calls.openings(hand, slots))

    def reveal(self, hand: str, *, following: NewHand | None = None) -> Hand:
        """End a hand as played; with ``following``, commit the next one (``.next``) in the same step."""
        return self.call(calls.reveal(hand, following))

    def void(self, hand: str, reason: VoidReason) -> Hand:
        """End a hand without play."""
        return self.call(calls.void(hand, reason))

    def hand(self, hand: str) -> Hand:
        """The public hand document."""
        return self.call(calls.read_hand(hand))

    def receipt(self, hand: str) -> dict[str, Any]:
        """A hand's receipt as far as the hand has come."""
        return self.call(calls.read_receipt(hand))

    def open_hands(self) -> Iterator[Hand]:
        """The operator's hands that are not revealed, in log order: what to ask for after a crash."""
        return self._pages(lambda after: calls.open_hands(after, PAGE), -1)

    def table_hands(self, operator: str, table: str, *, after: int = 0) -> Iterator[Summary]:
        """A table's hands by number, those beyond ``after``."""
        return self._pages(lambda number: calls.table_hands(operator, table, number, PAGE), after)

    def log_key(self) -> Verifier:
        """The log's key. Pin it: one fetched anew each time proves nothing."""
        return self.call(calls.log_key())

    def checkpoint(self) -> str:
        """The log's newest checkpoint."""
        return self.call(calls.checkpoint())

    def call(self, call: Call[T]) -> T:
        """Make a call, with its repeats."""
        turns, turn = talk(call, self._retry), None
        try:
            while True:
                pause = turns.send(turn)
                turn = self._send(call) if pause is None else self._sleep(pause)
        except StopIteration as done:
            result: T = done.value
            return result

    def _send(self, call: Call[Any]) -> Turn:
        try:
            return exchange.answered(self._http.request(**exchange.request(call)))
        except httpx2.TransportError as error:
            return exchange.failed(error)

    def _pages(self, page: Callable[[int], Call[Page[T]]], after: int) -> Iterator[T]:
        start: int | None = after
        while start is not None:
            found = self.call(page(start))
            yield from found.items
            start = found.next

"""The asynchronous client of game servers: the same calls, awaited."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, Self, TypeVar

import httpx2

from fairdeal.client import calls, exchange
from fairdeal.client.calls import Call
from fairdeal.client.gameserver import PAGE, new_idempotency_key
from fairdeal.client.models import Hand, NewHand, Page, Summary, VoidReason
from fairdeal.client.talk import Retry, Turn, talk
from fairdeal.note import Verifier
from fairdeal.openings import Opening
from fairdeal.seeds import Contribution, Seal

T = TypeVar("T")


class AsyncClient:
    """:class:`fairdeal.client.Client` for asyncio; close it with :meth:`close`, or use ``async with``."""

    def __init__(
        self,
        address: str,
        operator_key: str | None = None,
        *,
        timeout: float = 10.0,
        retry: Retry | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._http = httpx2.AsyncClient(
            **exchange.settings(address, operator_key, timeout), transport=transport
        )
        self._retry, self._sleep = retry or Retry(), sleep

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def commit(
        self,
        table: str,
        *,
        terms: Mapping[str, Any] | None = None,
        seals: Sequence[Seal] = (),
        note: bytes | None = None,
        lock_within: int | None = None,
        idempotency_key: str | None = None,
    ) -> Hand:
        """As :meth:`fairdeal.client.Client.commit`."""
        new = NewHand(table, terms, seals, note, lock_within)
        return await self.call(calls.commit(new, idempotency_key or new_idempotency_key()))

    async def commit_batch(
        self, hands: Sequence[NewHand], *, idempotency_key: str | None = None
    ) -> tuple[Hand, ...]:
        """As :meth:`fairdeal.client.Client.commit_batch`."""
        return await self.call(calls.commit_batch(hands, idempotency_key or new_idempotency_key()))

    async def deal(
        self, hand: str, seeds: Sequence[Contribution] = (), *, reveal_within: int | None = None
    ) -> Hand:
        """As :meth:`fairdeal.client.Client.deal`."""
        return await self.call(calls.deal(hand, seeds, reveal_within))

    async def openings(self, hand: str, slots: Sequence[str]) -> tuple[Opening, ...]:
        """As :meth:`fairdeal.client.Client.openings`."""
        return await self.call(calls.openings(hand, slots))

    async def reveal(self, hand: str, *, following: NewHand | None = None) -> Hand:
        """As :meth:`fairdeal.client.Client.reveal`."""
        return await self.call(calls.reveal(hand, following))

    async def void(self, hand: str, reason: VoidReason) -> Hand:
        """As :meth:`fairdeal.client.Client.void`."""
        return await self.call(calls.void(hand, reason))

    async def hand(self, hand: str) -> Hand:
        """As :meth:`fairdeal.client.Client.hand`."""
        return await self.call(calls.read_hand(hand))

    async def receipt(self, hand: str) -> dict[str, Any]:
        """As :meth:`fairdeal.client.Client.receipt`."""
        return await self.call(calls.read_receipt(hand))

    def open_hands(self) -> AsyncIterator[Hand]:
        """As :meth:`fairdeal.client.Client.open_hands`."""
        return self._pages(lambda after: calls.open_hands(after, PAGE), -1)

    def table_hands(self, operator: str, table: str, *, after: int = 0) -> AsyncIterator[Summary]:
        """As :meth:`fairdeal.client.Client.table_hands`."""
        return self._pages(lambda number: calls.table_hands(operator, table, number, PAGE), after)

    async def log_key(self) -> Verifier:
        """As :meth:`fairdeal.client.Client.log_key`."""
        return await self.call(calls.log_key())

    async def checkpoint(self) -> str:
        """As :meth:`fairdeal.client.Client.checkpoint`."""
        return await self.call(calls.checkpoint())

    async def call(self, call: Call[T]) -> T:
        """Make a call, with its repeats."""
        turns = talk(call, self._retry)
        turn: Turn = None
        try:
            while True:
                pause = turns.send(turn)
                if pause is None:
                    turn = await self._send(call)
                else:
                    turn = None
                    await self._sleep(pause)
        except StopIteration as done:
            result: T = done.value
            return result

    async def _send(self, call: Call[Any]) -> Turn:
        try:
            return exchange.answered(await self._http.request(**exchange.request(call)))
        except httpx2.TransportError as error:
            return exchange.failed(error)

    async def _pages(self, page: Callable[[int], Call[Page[T]]], after: int) -> AsyncIterator[T]:
        start: int | None = after
        while start is not None:
            found = await self.call(page(start))
            for item in found.items:
                yield item
            start = found.next

"""What clients saw, as JSON lines, and clients that play on through every fault and write it down.

A line is an object with ``did``:

- ``ask``: a call leaves; its number ``ask``, ``call``, ``table``, ``key``, ``hand``, ``next``.
- ``answer``: it was answered; ``ask``, the document's ``hand``, ``number``, ``receipt``, ``deal``, ``next``.
- ``cut``, ``refused``: it was not, or with a problem of ``code``; the same ask is sent again.
- ``checkpoint``: somebody was handed this ``note``.
- ``fault``: what was done to the service.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import httpx2

from fairdeal.client import Client, Hand, NewHand, ProblemError, Retry, UnreachableError
from fairdeal.seeds import Contribution, Seal, seal
from tests.api.support import NO_TLS, client

PASSING = ("unavailable", "internal", "busy")
"""Problems that a client answers with the same request again."""


class History:
    """Writes lines; many threads may."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("a")
        self._lock = threading.Lock()
        self._asks = 0
        self._counts: Counter[str] = Counter()

    def add(self, did: str, **fields: Any) -> None:
        """Write a line; whoever may be killed next is not this process, so it is not synchronised."""
        with self._lock:
            self._file.write(json.dumps({"did": did, **fields}) + "\n")
            self._file.flush()
            self._counts[did] += 1

    def ask(self, **fields: Any) -> int:
        """Write that a call leaves; gives its number."""
        with self._lock:
            self._asks += 1
            number = self._asks
        self.add("ask", ask=number, **fields)
        return number

    def close(self) -> None:
        """No more lines; who writes one all the same is told."""
        self._file.close()

    def events(self) -> list[dict[str, Any]]:
        """All lines so far."""
        with self._lock:
            return [json.loads(line) for line in self.path.read_text().splitlines()]

    def count(self, did: str) -> int:
        """Lines of a kind. Whoever waits for more asks all the time, so that they are not read for it."""
        return self._counts[did]


class Player:
    """A game server with one table. It sends an ask until it is answered, and plays hand after hand."""

    def __init__(self, address: str, key: str, table: str, history: History, over: threading.Event) -> None:
        self.table, self.history, self.over = table, history, over
        own = httpx2.HTTPTransport(verify=NO_TLS)
        self.client = Client(address, key, timeout=30, retry=Retry(attempts=1), transport=own)

    def play(self) -> None:
        """Play until it is over: every third hand is void, the others are revealed with the next."""
        with self.client:
            opened, new = self._new()
            hand = self._commit(new)
            while hand is not None:
                deal = partial(self.client.deal, hand.hand, opened)
                if self._again(deal, call="deal", hand=hand.hand) is None:
                    return
                opened, new = self._new()
                if hand.number % 3 == 0:
                    void = partial(self.client.void, hand.hand, "technical")
                    if self._again(void, call="void", hand=hand.hand) is None:
                        return
                    hand = self._commit(new)
                else:
                    reveal = partial(self.client.reveal, hand.hand, following=new)
                    ended = self._again(reveal, call="reveal", hand=hand.hand, next=True)
                    hand = ended.next if ended else None

    def _new(self) -> tuple[list[Contribution], NewHand]:
        opened = [Contribution(seat, secrets.token_bytes(32)) for seat in (0, 2)]
        return opened, NewHand(self.table, seals=[Seal(c.seat, seal(c.seed)) for c in opened])

    def _commit(self, new: NewHand) -> Hand | None:
        key = secrets.token_hex(16)
        commit = partial(self.client.commit, self.table, seals=new.seals, idempotency_key=key)
        return self._again(commit, call="commit", key=key)

    def _again(self, send: Callable[[], Hand], **about: Any) -> Hand | None:
        ask = self.history.ask(table=self.table, **about)
        while not self.over.is_set():
            try:
                hand = send()
            except UnreachableError:
                self.history.add("cut", ask=ask)
            except ProblemError as problem:
                self.history.add("refused", ask=ask, code=problem.code, status=problem.status)
                if problem.code not in PASSING:
                    raise
            else:
                self.history.add("answer", ask=ask, **_told(hand))
                return hand
            time.sleep(0.05)
        return None


def watch(address: str, history: History, over: threading.Event) -> None:
    """Ask for the log's checkpoint again and again, as a monitor would."""
    with client(address) as http:
        while not over.wait(0.05):
            try:
                answer = http.get("/checkpoint")
            except httpx2.TransportError:
                continue
            if answer.status_code == 200:
                history.add("checkpoint", note=answer.text)


def _told(hand: Hand) -> dict[str, Any]:
    told: dict[str, Any] = {"hand": hand.hand, "number": hand.number, "receipt": hand.receipt}
    if hand.deal is not None:
        told["deal"] = hand.deal
    if hand.next is not None:
        told["next"] = _told(hand.next)
    return told

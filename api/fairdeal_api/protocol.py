"""uvicorn's HTTP protocol with patience that ends: who sends or reads too slowly is cut off.

A connection must bring a request's head within :data:`HEAD_TIME`, and take what it was answered at a pace
that empties the write buffer within :data:`READ_TIME`. A body's time is kept where bodies are read
(:mod:`fairdeal_api.wire`), so that its sender still gets an answer. Nothing here costs a prompt client
anything: timers are set only where something is missing.
"""

from __future__ import annotations

import asyncio
import resource

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_TIME = 10.0
"""Seconds for a request's head, from the first byte or, on a new connection, from its opening."""

READ_TIME = 20.0
"""Seconds in which a client must read what is left of the write buffer beyond its low mark (48 KiB)."""

MOST_CONNECTIONS = 4096
"""Connections of one process; fewer where the system permits fewer open files."""

_SPARE_FILES = 64


def most_connections() -> int:
    """:data:`MOST_CONNECTIONS`, or what the limit on open files leaves for connections."""
    permitted = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if permitted == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return max(16, min(MOST_CONNECTIONS, permitted - _SPARE_FILES))


_MOST = most_connections()


class PatientProtocol(HttpToolsProtocol):
    """One connection."""

    _head: asyncio.TimerHandle | None = None
    _reading: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Begin to wait for a head, unless there are connections enough."""
        super().connection_made(transport)
        if len(self.connections) > _MOST:
            transport.abort()
            return
        self._head = self.loop.call_later(HEAD_TIME, transport.abort)

    def data_received(self, data: bytes) -> None:
        """Take data; where it leaves a head unfinished, the head's time runs."""
        super().data_received(data)
        if (
            self._head is None
            and self.timeout_keep_alive_task is None
            and (self.cycle is None or self.cycle.response_complete)
            and not self.transport.is_closing()
        ):
            self._head = self.loop.call_later(HEAD_TIME, self.transport.abort)

    def on_headers_complete(self) -> None:
        """The head is there."""
        self._forget_head()
        super().on_headers_complete()

    def pause_writing(self) -> None:
        """The client reads more slowly than it is answered."""
        super().pause_writing()
        if self._reading is None:
            self._reading = self.loop.call_later(READ_TIME, self.transport.abort)

    def resume_writing(self) -> None:
        """It has read on."""
        self._forget_reading()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._forget_head()
        self._forget_reading()
        super().connection_lost(exc)

    def _forget_head(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _forget_reading(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

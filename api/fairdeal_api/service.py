"""The running service's parts, opened in order and closed in reverse; what routes get to work with."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import anyio.to_thread
from anyio import CapacityLimiter
from fastapi import Request
from sqlalchemy import Connection, Engine

from fairdeal.errors import MalformedError
from fairdeal.note import Signer
from fairdeal_api import db, keys, operators
from fairdeal_api.admission import Gate
from fairdeal_api.head import Head, create_head, read_head
from fairdeal_api.keys import KeyFileError
from fairdeal_api.ledger import Ledger
from fairdeal_api.limits import LocalAllowances, Rates, take_shared
from fairdeal_api.metrics import Metrics
from fairdeal_api.settings import Settings
from fairdeal_api.tree import FullTiles
from fairdeal_api.vault import Vault

log = logging.getLogger("fairdeal.service")

KEY_READERS = 2
"""Threads for look-ups of operator keys, on the connections that the readers' pool has to spare."""

FIRST_OPERATOR = "operator"
"""Name of the operator that the first start makes."""

KnownKeys = dict[bytes, tuple[float, "asyncio.Future[str | None]"]]
"""By a key's digest: when it was looked up, and the operator that it was found to be of."""

Clock = Callable[[], int]
T = TypeVar("T")


class StartupError(RuntimeError):
    """The service will not start like this; the text says why and what to do."""


@dataclass(slots=True)
class Service:
    """Everything behind the routes."""

    settings: Settings
    writer: Engine
    reader: Engine
    vault: Vault
    signer: Signer
    head: Head
    """The head at the start; its ``origin`` and ``vkey`` never change."""
    full: FullTiles
    metrics: Metrics
    ledger: Ledger
    first_start: bool
    clock: Clock
    rates: Rates
    gate: Gate = field(default_factory=Gate)
    known_keys: KnownKeys = field(default_factory=dict, repr=False)
    _readers: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(db.READERS))
    _key_readers: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(KEY_READERS))

    async def read(self, query: Callable[[Connection], T], *, of_key: bool = False) -> T:
        """Run a read in a thread of its own limited set, in one transaction's view of the store.

        Look-ups of operator keys have a small set for themselves: no crowd of open reads holds them up.
        """

        def run() -> T:
            with self.reader.begin() as connection:
                return query(connection)

        return await anyio.to_thread.run_sync(run, limiter=self._key_readers if of_key else self._readers)

    def close(self) -> None:
        """Finish accepted writes, close the store."""
        self.ledger.close()
        self.writer.dispose()
        self.reader.dispose()


def open_service(settings: Settings, clock: Clock | None = None, metrics: Metrics | None = None) -> Service:
    """Open the store and start the ledger; on the first start, make keys and an operator key.

    Raises :class:`StartupError` where keys and store do not belong together or cannot be used.
    """
    keys.make_folder(settings.data)
    writer = db.writer_engine(settings.store_url)
    try:
        db.migrate(writer)
        with writer.begin() as connection:
            head = read_head(connection)
            first_start = head is None
            signer = _signer(settings, head)
            vault = _vault(settings, head)
            head = head or create_head(connection, signer)
            if not operators.any_operator(connection):
                _first_operator(settings, connection)
    except KeyFileError as error:
        writer.dispose()
        raise StartupError(str(error)) from None
    except BaseException:
        writer.dispose()
        raise
    full, metrics, clock = FullTiles(), metrics or Metrics(), clock or system_clock
    ledger = Ledger(writer, vault=vault, signer=signer, full=full, metrics=metrics, clock=clock)
    ledger.start()
    reader = db.reader_engine(settings.store_url)
    rates = _rates(settings, writer, clock)
    return Service(
        settings, writer, reader, vault, signer, head, full, metrics, ledger, first_start, clock, rates
    )


def service_of(request: Request) -> Service:
    """The service behind a request. Called, not injected: what is injected costs every request some 20 µs."""
    service: Service = request.app.state.service
    return service


def system_clock() -> int:
    """Milliseconds since the Unix epoch."""
    return time.time_ns() // 1_000_000


def _rates(settings: Settings, writer: Engine, clock: Clock) -> Rates:
    rate = settings.operator_rate
    if db.is_sqlite(settings.store_url):
        # The log's only process: nobody to share with, and its writer is not kept waiting.
        return Rates(rate, LocalAllowances(rate, clock).take)

    def take(operator: str, wanted: int) -> int:
        with writer.begin() as connection:
            return take_shared(connection, operator, rate, wanted, clock())

    return Rates(rate, lambda operator, wanted: anyio.to_thread.run_sync(take, operator, wanted))


def _signer(settings: Settings, head: Head | None) -> Signer:
    path = settings.log_key_path
    if head is None and path.exists() and settings.log_key_file is None:
        # The key has signed a log that is not in the store: a second one with it would fork the first.
        raise StartupError(
            f"{path} is there, but the store has no log: restore it, or move the key away to begin anew"
        )
    if head is None and not path.exists():
        keys.write_new(path, Signer(_new_origin(settings), secrets.token_bytes(32)).private_text() + "\n")
        log.info("made the log's signing key: %s", path)
    try:
        signer = Signer.parse(keys.read(path).removesuffix("\n"), "key")
    except MalformedError as error:
        raise StartupError(f"{path}: {error}") from None
    if settings.origin and settings.origin != (head.origin if head else signer.name):
        raise StartupError(f"the log's name is {head.origin if head else signer.name} and cannot be changed")
    if head and signer.verifier.text() != head.vkey:
        raise StartupError(f"{path} is not the key that signed this log; restore the right one")
    return signer


def _new_origin(settings: Settings) -> str:
    if settings.origin:
        return settings.origin
    if settings.public_url:
        return settings.public_url.partition("://")[2].rstrip("/")
    # A log that nobody named gets a name that no other log has.
    return f"localhost/{secrets.token_hex(4)}"


def _vault(settings: Settings, head: Head | None) -> Vault:
    path = settings.seed_keys_path
    if head is None and not path.exists():
        keys.write_new(path, Vault.new_file_text())
        log.info("made the key that encrypts seeds: %s", path)
    return Vault.load(path)


def _first_operator(settings: Settings, connection: Connection) -> None:
    path = settings.operator_key_path
    if path.exists():
        # A first start that was cut short, or a store begun anew: the key that was handed out stays good.
        operators.add_key(connection, FIRST_OPERATOR, keys.read(path).strip())
        return
    keys.write_new(path, operators.add_key(connection, FIRST_OPERATOR) + "\n")
    log.info("made an operator key: %s", path)

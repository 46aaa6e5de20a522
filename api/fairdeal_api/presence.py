"""Which processes run, and which keys each has loaded: what a change of keys must know before it goes on."""

from __future__ import annotations

import asyncio
import logging
import secrets
import socket
import time
from dataclasses import dataclass, field

from sqlalchemy import Connection, delete, insert, select, update

from fairdeal_api.acts import Planned
from fairdeal_api.ledger import Ledger
from fairdeal_api.problems import Problem
from fairdeal_api.signing import Signing
from fairdeal_api.tables import ProcessRow, table_of
from fairdeal_api.vault import Vault
from fairdeal_api.work import Needs, Work

log = logging.getLogger("fairdeal.keys")

PAUSE = 1.0
"""Seconds between two looks at the key files."""

TELL = 10.0
"""Seconds after which a process says again that it runs."""

LIVE = 40.0
"""Seconds of silence after which a process counts as gone."""

LEAVE = 3.0
"""Seconds that the last word may take."""

_PROCESSES = table_of(ProcessRow)


@dataclass(frozen=True, slots=True)
class Process:
    """A running process: names of its loaded keys, the seed key in use first."""

    host: str
    seed_keys: tuple[str, ...]
    log_keys: tuple[str, ...]


@dataclass(slots=True)
class PresenceAct:
    """Write down which keys this process has, in the ledger's turn: nothing it wrapped is missed."""

    process: bytes
    signing: Signing = field(repr=False)
    leave: bool = False

    def prepare(self, vault: Vault) -> None:
        """Nothing to draw."""

    def needs(self) -> Needs:
        """Nothing."""
        return Needs()

    def plan(self, work: Work) -> Planned:
        """Put the row in or renew it; drop those of processes long gone."""
        now = time.time_ns() // 1_000_000
        mine = _PROCESSES.c.id == self.process
        gone = _PROCESSES.c.seen_at < now - 100 * int(LIVE * 1000)
        work.connection.execute(delete(_PROCESSES).where(mine if self.leave else gone))
        row = {
            "host": socket.gethostname()[:255],
            "seen_at": now,
            "seed_keys": " ".join(work.vault.names),
            "log_keys": " ".join(self.signing.keys.vkeys),
        }
        if (
            not self.leave
            and not work.connection.execute(update(_PROCESSES).where(mine).values(row)).rowcount
        ):
            work.connection.execute(insert(_PROCESSES), {"id": self.process, **row})
        return Planned(200, lambda _: "")


def running(connection: Connection) -> list[Process]:
    """The processes that have been heard of lately."""
    since = time.time_ns() // 1_000_000 - int(LIVE * 1000)
    query = select(_PROCESSES.c.host, _PROCESSES.c.seed_keys, _PROCESSES.c.log_keys)
    rows = connection.execute(query.where(_PROCESSES.c.seen_at >= since).order_by(_PROCESSES.c.host))
    return [Process(host, tuple(seed.split()), tuple(log_keys.split())) for host, seed, log_keys in rows]


async def keep_present(ledger: Ledger, vault: Vault, signing: Signing) -> None:
    """Load key files that changed, and tell which keys are loaded, until cancelled."""
    process, told, loaded = secrets.token_bytes(16), -TELL, None
    try:
        while True:
            vault.refresh()
            signing.refresh()
            now, names = time.monotonic(), (vault.names, signing.keys.vkeys)
            if names != loaded or now - told >= TELL:
                try:
                    await ledger.submit(PresenceAct(process, signing))
                    told, loaded = now, names
                except Problem as problem:
                    log.warning("the loaded keys could not be told: %s", problem.code)
            await asyncio.sleep(PAUSE)
    finally:
        try:
            # A writer that is stuck must not keep the process; the row grows old by itself.
            async with asyncio.timeout(LEAVE):
                await ledger.submit(PresenceAct(process, signing, leave=True))
        except (Problem, TimeoutError) as error:
            log.warning("the end could not be told: %s", type(error).__name__)

"""Changing the keys that wrap seeds, while the service runs: add, promote, rewrap, retire.

A step is refused until what it needs is so everywhere: no process wraps under a key that another one lacks,
and no key goes while a seed is wrapped under it (docs/adr/0012-key-changes.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, func, select, update

from fairdeal.errors import UsageError
from fairdeal_api import keys
from fairdeal_api.head import read_head
from fairdeal_api.operators import opened_store
from fairdeal_api.presence import Process, running
from fairdeal_api.settings import Settings
from fairdeal_api.tables import HandRow, is_open, table_of
from fairdeal_api.vault import SeedKeys, SeedLostError, Vault, new_key, parse_seed_keys

_HANDS = table_of(HandRow)
_NAME = func.substr(_HANDS.c.wrapped_seed, 1, 4)

BATCH = 500
"""Seeds wrapped anew in one transaction; the ledger waits that long."""


@dataclass(frozen=True, slots=True)
class SeedKeyState:
    """A seed key: whether it wraps new seeds, how many open hands' seeds are under it, who has loaded it."""

    name: str
    in_file: bool
    in_use: bool
    seeds: int
    loaded_by: int
    processes: int


def states(settings: Settings) -> list[SeedKeyState]:
    """The keys in the file, and any that seeds are still wrapped under, by the file's sequence."""
    found = _read(settings.seed_keys_path)
    with opened_store(settings) as engine, engine.begin() as connection:
        counts, live = _counts(connection), running(connection)
    names = [*found.names, *sorted(counts.keys() - set(found.names))]
    return [
        SeedKeyState(
            name,
            name in found.names,
            name == found.names[0],
            counts.get(name, 0),
            sum(name in process.seed_keys for process in live),
            len(live),
        )
        for name in names
    ]


def add(settings: Settings) -> str:
    """Put a new key at the file's end, where it unwraps and does not wrap yet; returns its name."""
    path = settings.seed_keys_path
    with keys.changing(path):
        found = _read(path)
        grown = SeedKeys((*found.keys, new_key()))
        keys.rewrite(path, grown.text())
    return grown.names[-1]


def promote(settings: Settings, name: str) -> None:
    """Have a key wrap from now on; raises :class:`UsageError` while a running process has not loaded it."""
    path = settings.seed_keys_path
    with keys.changing(path):
        found = _read(path)
        place = _place(found, name)
        with opened_store(settings) as engine, engine.begin() as connection:
            _all_have(running(connection), name)
        rest = found.keys[:place] + found.keys[place + 1 :]
        keys.rewrite(path, SeedKeys((found.keys[place], *rest)).text())


def rewrap(settings: Settings) -> tuple[int, int]:
    """Wrap every open hand's seed under the key in use; returns how many were, and how many do not open.

    In small transactions that each hold the log's head, so that no hand changes in between.
    """
    vault = Vault.load(settings.seed_keys_path)
    first = bytes.fromhex(vault.names[0])
    done, broken, last = 0, 0, -1
    with opened_store(settings) as engine:
        while True:
            with engine.begin() as connection:
                read_head(connection, to_write=True)
                # Open hands that came back from a mirror have no seed.
                wrapped_else = _HANDS.c.wrapped_seed.is_not(None), _NAME.is_distinct_from(first)
                query = select(_HANDS.c.commit_index, _HANDS.c.hand, _HANDS.c.wrapped_seed).where(
                    is_open(_HANDS), *wrapped_else, _HANDS.c.commit_index > last
                )
                rows = connection.execute(query.order_by(_HANDS.c.commit_index).limit(BATCH)).all()
                for index, hand, wrapped in rows:
                    last = index
                    try:
                        seed = vault.unwrap(bytes(hand), bytes(wrapped))
                    except SeedLostError:
                        broken += 1
                        continue
                    anew = vault.wrap(bytes(hand), seed)
                    connection.execute(
                        update(_HANDS).where(_HANDS.c.commit_index == index).values(wrapped_seed=anew)
                    )
                    done += 1
            if len(rows) < BATCH:
                return done, broken


def retire(settings: Settings, name: str) -> None:
    """Take a key out of the file; raises :class:`UsageError` while anything still needs it.

    Copies of the store made before still need it: it belongs beside them, not in the service's reach.
    """
    path = settings.seed_keys_path
    with keys.changing(path):
        found = _read(path)
        place = _place(found, name)
        if place == 0:
            raise UsageError("the key is in use; promote another one first")
        with opened_store(settings) as engine, engine.begin() as connection:
            # The head's lock: what a ledger wraps now, it commits before or sees the file as it is then.
            read_head(connection, to_write=True)
            using = [process.host for process in running(connection) if process.seed_keys[:1] == (name,)]
            if using:
                raise UsageError(f"a process on {using[0]} still wraps under the key; wait until it has not")
            if count := _counts(connection).get(name, 0):
                raise UsageError(f"{count} seeds are wrapped under the key; rewrap them first")
            keys.rewrite(path, SeedKeys(found.keys[:place] + found.keys[place + 1 :]).text())


def _read(path: Path) -> SeedKeys:
    return parse_seed_keys(path, keys.read(path))


def _place(found: SeedKeys, name: str) -> int:
    if name not in found.names:
        raise UsageError("the key file has no key of that name")
    return found.names.index(name)


def _all_have(live: list[Process], name: str) -> None:
    without = sorted({process.host for process in live if name not in process.seed_keys})
    if without:
        raise UsageError(
            f"a process on {without[0]} has not loaded the key: put it into that machine's key file, and wait"
        )


def _counts(connection: Connection) -> dict[str, int]:
    wrapped = is_open(_HANDS), _HANDS.c.wrapped_seed.is_not(None)
    query = select(_NAME, func.count()).where(*wrapped).group_by(_NAME)
    return {bytes(name).hex(): count for name, count in connection.execute(query)}

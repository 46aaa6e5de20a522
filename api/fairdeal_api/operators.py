"""Operators and their keys: a key is shown once, its SHA-256 is what is kept.

A key holds 32 random bytes, so a plain hash is enough: nothing in it can be guessed.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, insert, select, update

from fairdeal.entries import parse_operator
from fairdeal.errors import UsageError
from fairdeal_api import db, keys
from fairdeal_api.settings import Settings
from fairdeal_api.tables import OperatorKeyRow, OperatorRow, table_of

_OPERATORS, _KEYS = table_of(OperatorRow), table_of(OperatorKeyRow)
_PREFIX = "fdk_"


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator; ``active`` says whether any of its keys is good."""

    name: str
    created_at: int
    active: bool


@dataclass(frozen=True, slots=True)
class OperatorKey:
    """One of an operator's keys. ``name``: the first eight hex digits of its SHA-256."""

    name: str
    created_at: int
    revoked_at: int | None


def add(settings: Settings, name: str) -> str:
    """Make an operator, or give one whose keys are all revoked a new key; returns the key, kept nowhere.

    Raises :class:`MalformedError` for a name outside protocol §8.1, :class:`UsageError` where it has one.
    """
    with opened_store(settings) as engine, engine.begin() as connection:
        return add_key(connection, name)


def list_operators(settings: Settings) -> list[Operator]:
    """All operators by name."""
    with opened_store(settings) as engine, engine.begin() as connection:
        good = select(_KEYS.c.operator).where(_KEYS.c.revoked_at.is_(None))
        active = set(connection.scalars(good))
        rows = connection.execute(
            select(_OPERATORS.c.name, _OPERATORS.c.created_at).order_by(_OPERATORS.c.name)
        )
        return [Operator(name, created_at, name in active) for name, created_at in rows]


def revoke(settings: Settings, name: str) -> int:
    """End all of an operator's keys; returns how many were good. A running service notices within a second.

    Raises :class:`UsageError` where there is no such operator.
    """
    with opened_store(settings) as engine, engine.begin() as connection:
        _must_exist(connection, name)
        good = _KEYS.c.operator == name, _KEYS.c.revoked_at.is_(None)
        return connection.execute(update(_KEYS).where(*good).values(revoked_at=_now())).rowcount


def add_further(settings: Settings, name: str) -> str:
    """Give an operator one more key, the others staying good; returns it, kept nowhere.

    Raises :class:`UsageError` where there is no such operator.
    """
    with opened_store(settings) as engine, engine.begin() as connection:
        _must_exist(connection, name)
        return add_key(connection, name, further=True)


def keys_of(settings: Settings, name: str) -> list[OperatorKey]:
    """All keys that an operator has or had, oldest first; raises :class:`UsageError` for an unknown one."""
    with opened_store(settings) as engine, engine.begin() as connection:
        _must_exist(connection, name)
        query = select(_KEYS.c.digest, _KEYS.c.created_at, _KEYS.c.revoked_at).where(_KEYS.c.operator == name)
        rows = connection.execute(query.order_by(_KEYS.c.created_at, _KEYS.c.digest))
        return [OperatorKey(bytes(digest).hex()[:8], created, revoked) for digest, created, revoked in rows]


def revoke_key(settings: Settings, name: str, key: str) -> None:
    """End one of an operator's keys, named as :class:`OperatorKey` has it. Raises :class:`UsageError`."""
    with opened_store(settings) as engine, engine.begin() as connection:
        _must_exist(connection, name)
        query = select(_KEYS.c.digest).where(_KEYS.c.operator == name, _KEYS.c.revoked_at.is_(None))
        found = [digest for digest in connection.scalars(query) if bytes(digest).hex()[:8] == key]
        if len(found) != 1:
            raise UsageError("the operator has no good key of that name")
        connection.execute(update(_KEYS).where(_KEYS.c.digest == found[0]).values(revoked_at=_now()))


def add_key(connection: Connection, name: str, key: str | None = None, *, further: bool = False) -> str:
    """:func:`add` inside a transaction; a key that exists already may be given."""
    parse_operator(name, "name")
    good = select(_KEYS.c.digest).where(_KEYS.c.operator == name, _KEYS.c.revoked_at.is_(None))
    if not further and connection.execute(good).first():
        raise UsageError(
            "the operator has a key already; revoke it first, or add one with `fairdeal keys operator add`"
        )
    if not _exists(connection, name):
        connection.execute(insert(_OPERATORS), {"name": name, "created_at": _now()})
    key = key or _PREFIX + base64.urlsafe_b64encode(secrets.token_bytes(32)).decode("ascii").rstrip("=")
    connection.execute(
        insert(_KEYS), {"digest": key_digest(key), "operator": name, "created_at": _now(), "revoked_at": None}
    )
    return key


def key_digest(key: str) -> bytes:
    """What is stored of a key."""
    return hashlib.sha256(key.encode()).digest()


def find(connection: Connection, digest: bytes) -> str | None:
    """The operator whose good key has this digest."""
    query = select(_KEYS.c.operator).where(_KEYS.c.digest == digest, _KEYS.c.revoked_at.is_(None))
    return connection.scalar(query)


def any_operator(connection: Connection) -> bool:
    """Whether there is an operator at all."""
    return connection.execute(select(_OPERATORS.c.name).limit(1)).first() is not None


@contextmanager
def opened_store(settings: Settings, *, upgrade: bool = False) -> Iterator[Engine]:
    """The store's writing engine; closed after the block. A new store gets its tables.

    Tables of an earlier release are brought to this one's form with ``upgrade``, which is for where no
    service can be running; else raises :class:`fairdeal_api.db.OtherReleaseError`.
    """
    keys.make_folder(settings.data)
    engine = db.writer_engine(settings.store_url)
    try:
        (db.migrate if upgrade else db.make)(engine)
        yield engine
    finally:
        engine.dispose()


def _exists(connection: Connection, name: str) -> bool:
    return connection.execute(select(_OPERATORS.c.name).where(_OPERATORS.c.name == name)).first() is not None


def _must_exist(connection: Connection, name: str) -> None:
    if not _exists(connection, name):
        raise UsageError("there is no operator of that name")


def _now() -> int:
    return time.time_ns() // 1_000_000

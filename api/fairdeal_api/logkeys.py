"""Changing the key that signs the log: a time of two signatures, so that nobody's pinned key fails at once.

A new key is put into every machine's key file, then signs beside the old one (``cosign``), then stands in
receipts in its place (``promote``); at last the old one stops (``retire``). Each step is one change of the
head row with a checkpoint signed anew, so all processes take it in the same transaction.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from fairdeal.errors import UsageError
from fairdeal.note import Signer, Verifier, parse_note, sign
from fairdeal_api import check, keys
from fairdeal_api.head import Head, read_head, replace_head
from fairdeal_api.operators import opened_store
from fairdeal_api.presence import running
from fairdeal_api.settings import Settings
from fairdeal_api.signing import LogKeys, Signing, parse_log_keys

MOST = 4
"""Keys that sign at the same time."""


@dataclass(frozen=True, slots=True)
class LogKeyState:
    """A signing key: ``role`` is ``first`` (in receipts), ``signs``, ``waits`` (in the file) or ``past``."""

    vkey: str
    role: str
    loaded_by: int
    processes: int

    @property
    def name(self) -> str:
        """What the commands call it: its id, eight hex digits."""
        return Verifier.parse(self.vkey).key_id.hex()


def states(settings: Settings) -> list[LogKeyState]:
    """All keys that this log has or had, those that sign first."""
    known = Signing(settings.log_key_path).keys.vkeys
    with opened_store(settings) as engine, engine.begin() as connection:
        head, live = _head(connection), running(connection)
    waiting = [vkey for vkey in known if vkey not in (*head.signing, *head.past_keys)]
    roles = {head.vkey: "first", **dict.fromkeys(head.cosigners, "signs"), **dict.fromkeys(waiting, "waits")}
    roles |= dict.fromkeys(head.past_keys, "past")
    return [
        LogKeyState(vkey, role, sum(vkey in process.log_keys for process in live), len(live))
        for vkey, role in roles.items()
    ]


def add(settings: Settings) -> str:
    """Put a new key into the key file, where it does nothing yet; returns its verifier key."""
    path = settings.log_key_path
    with keys.changing(path):
        found = parse_log_keys(path, keys.read(path))
        signer = Signer(found.signers[0].name, secrets.token_bytes(32))
        keys.rewrite(path, LogKeys.of((*found.signers, signer)).text())
    return signer.verifier.text()


def cosign(settings: Settings, name: str) -> Head:
    """Have a key sign beside the log's own; raises :class:`UsageError` while a process has not loaded it."""

    def change(connection: Connection, head: Head, vkey: str) -> Head:
        if vkey in head.signing:
            raise UsageError("the key signs already")
        if vkey in head.past_keys:
            raise UsageError("the key was retired; a retired key does not come back")
        if len(head.signing) >= MOST:
            raise UsageError(f"at most {MOST} keys sign at the same time")
        without = sorted({p.host for p in running(connection) if vkey not in p.log_keys})
        if without:
            raise UsageError(
                f"a process on {without[0]} has not loaded the key: put it into that machine's key file"
            )
        return replace(head, cosigners=(*head.cosigners, vkey))

    return _change(settings, name, change)


def promote(settings: Settings, name: str) -> Head:
    """Put a key that signs into receipts and ``/log/key``; the one there before goes on signing."""

    def change(_: Connection, head: Head, vkey: str) -> Head:
        if vkey not in head.cosigners:
            raise UsageError("the key must sign first, and not be the log's own")
        rest = tuple(key for key in head.signing if key != vkey)
        return replace(head, vkey=vkey, cosigners=rest)

    return _change(settings, name, change)


def retire(settings: Settings, name: str) -> Head:
    """Have a key sign no more, and take it out of this machine's key file.

    Who pins that key alone is told "not signed" from now on; that is what the time before was for.
    """

    def change(_: Connection, head: Head, vkey: str) -> Head:
        if vkey == head.vkey:
            raise UsageError("the key stands in receipts; promote another one first")
        if vkey not in head.cosigners:
            raise UsageError("the key does not sign")
        rest = tuple(key for key in head.cosigners if key != vkey)
        return replace(head, cosigners=rest, past_keys=(*head.past_keys, vkey))

    head = _change(settings, name, change)
    path = settings.log_key_path
    with keys.changing(path):
        found = parse_log_keys(path, keys.read(path))
        left = tuple(s for s in found.signers if s.verifier.text() not in head.past_keys)
        keys.rewrite(path, LogKeys.of(left).text())
    return head


def _change(settings: Settings, name: str, change: Callable[[Connection, Head, str], Head]) -> Head:
    signing = Signing(settings.log_key_path)
    with opened_store(settings) as engine, engine.begin() as connection:
        head = _head(connection, to_write=True)
        vkeys = [v for v in {*signing.keys.vkeys, *head.signing} if Verifier.parse(v).key_id.hex() == name]
        if len(vkeys) != 1:
            raise UsageError("there is no key of that name")
        check.check_head(connection, head)
        changed = change(connection, head, vkeys[0])
        text = parse_note(head.checkpoint).text
        signed = replace(changed, checkpoint=sign(text, signing.signers(changed)))
        replace_head(connection, head, signed)
        return signed


def _head(connection: Connection, *, to_write: bool = False) -> Head:
    head = read_head(connection, to_write=to_write)
    if head is None:
        raise UsageError("the store has no log")
    return head

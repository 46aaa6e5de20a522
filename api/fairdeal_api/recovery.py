"""A restored backup brought up to what was signed, from a mirror; or a plain word of what is missing.

First everything that the mirror has beyond the store is hashed into the store's tree, and must give the head
that the mirror's checkpoint signs; then it is put in, each hand's row with it. Nothing is put in on trust.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path

from sqlalchemy import Engine, func, select

from fairdeal.errors import UsageError
from fairdeal.merkle import leaf_hash
from fairdeal.note import Verifier
from fairdeal_api import check, db
from fairdeal_api.alone import StoreLock, TakenError
from fairdeal_api.head import Head, advance, need_tile, read_head
from fairdeal_api.marks import Mark, MarkFile
from fairdeal_api.mirror import Mirror
from fairdeal_api.operators import opened_store
from fairdeal_api.replay import replay
from fairdeal_api.settings import Settings
from fairdeal_api.signing import Signing
from fairdeal_api.starting import known_marks
from fairdeal_api.tables import HandRow, is_open, table_of
from fairdeal_api.tree import FullTiles, GrowingTree
from fairdeal_api.vault import Vault
from fairdeal_api.work import Work

_HANDS = table_of(HandRow)

BATCH = 1000
"""Entries in one transaction."""


class RecoveryError(RuntimeError):
    """The store cannot be brought up from this mirror; the text says what is missing."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """What was done: the log's size before and after, and open hands that have no seed any more."""

    before: int
    size: int
    lost: int


def recover(settings: Settings, folder: Path, told: Callable[[int], None] = lambda _: None) -> Recovered:
    """Bring the store up to a mirror's checkpoint. ``told`` is called with the size reached, again and again.

    Raises :class:`RecoveryError`, and what :mod:`fairdeal_api.mirror`, :mod:`fairdeal_api.marks`,
    :mod:`fairdeal_api.check` and key files raise. Until everything is checked nothing is written; what is cut
    short after that goes on from where it was. No service may run on the store.
    """
    try:
        alone = StoreLock.take(settings.store_url)
    except TakenError as error:
        raise RecoveryError(str(error)) from None
    try:
        return _recover(settings, folder, told)
    finally:
        alone.release()


def _recover(settings: Settings, folder: Path, told: Callable[[int], None]) -> Recovered:
    signing, vault = Signing(settings.log_key_path), Vault.load(settings.seed_keys_path)
    with opened_store(settings, upgrade=True) as engine:
        with engine.begin() as connection:
            db.start_alone(connection)
            head = read_head(connection)
            if head is None:
                raise UsageError("the store has no log: restore a backup of it first")
            check.check_head(connection, head)
            check.check_tail(connection, head)
        verifiers = [*head.verifiers(), *map(Verifier.parse, signing.keys.vkeys)]
        mirror = Mirror(folder, verifiers)
        marks = known_marks(settings, verifiers)
        _hash_all(head, mirror, marks)
        _put_all(engine, head, mirror, (signing, vault), told)
        with engine.begin() as connection:
            now = read_head(connection) or head
            check.check_marks(connection, now, marks)
            seedless = (is_open(_HANDS), _HANDS.c.wrapped_seed.is_(None))
            lost = connection.scalar(select(func.count()).select_from(_HANDS).where(*seedless)) or 0
        mark = MarkFile.claim(settings.marks_path)
        mark.write(now.checkpoint)
        mark.close()
        return Recovered(head.size, now.size, lost)


def _hash_all(head: Head, mirror: Mirror, marks: list[Mark]) -> None:
    """Follow the mirror from the store's head to its checkpoint, past every mark on the way."""
    target = mirror.checkpoint
    signed = max([m.checkpoint.size for m in marks], default=0)
    if signed > max(target.size, head.size):
        raise RecoveryError(
            f"the mirror ends at {target.size} entries, but {signed} were signed: the entries "
            f"{max(target.size, head.size)} to {signed - 1} are missing. Find a mirror that has them"
        )
    if target.size < head.size:
        return
    wanted = {m.checkpoint.size: m.checkpoint.root for m in marks if m.checkpoint.size > head.size}
    wanted[target.size] = target.root
    tree = head.frontier()
    differs = tree.size in wanted and wanted[tree.size] != tree.root()
    for entry in mirror.entries(head.size):
        tree.append(leaf_hash(entry))
        differs = differs or (tree.size in wanted and wanted[tree.size] != tree.root())
    if differs or tree.root() != target.root:
        raise RecoveryError(
            f"the mirror does not lead from the store's {head.size} entries to what was signed: either the "
            "mirror is damaged (`fairdeal log check` tells), or the store is not the beginning of this log"
        )


def _put_all(
    engine: Engine,
    head: Head,
    mirror: Mirror,
    keys: tuple[Signing, Vault],
    told: Callable[[int], None],
) -> None:
    """Append what the mirror has more, in transactions of their own."""
    signing, vault = keys
    entries = mirror.entries(head.size)
    while batch := list(islice(entries, BATCH)):
        with engine.begin() as connection:
            now = read_head(connection, to_write=True)
            if now is None or now.checkpoint != head.checkpoint:
                raise RecoveryError("another process writes to the store; stop the service first")
            now = _signed_like(now, mirror)
            read = partial(need_tile, connection)
            tree, work = GrowingTree(now.size, read, FullTiles()), Work(connection, vault, now.at, now.size)
            at = replay(work, batch)
            signers = signing.signers(now)
            work.flush()
            stored = work.stored_entries()
            head = advance(connection, now, tree, signers, entries=batch, stored=stored, at=at)
        told(head.size)


def _signed_like(head: Head, mirror: Mirror) -> Head:
    """The head with the keys that signed the mirror's checkpoint: they may have changed since the backup."""
    if mirror.checkpoint.size < head.size or mirror.signers == head.signing:
        return head
    past = tuple(key for key in (*head.signing, *head.past_keys) if key not in mirror.signers)
    return replace(head, vkey=mirror.signers[0], cosigners=mirror.signers[1:], past_keys=past)

"""What a start does before anything is served: keys, the log's head, and the refusal to fork.

A store that is older than what was signed, or another one, is not served from: see :mod:`fairdeal_api.check`.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from fairdeal.errors import MalformedError, UsageError
from fairdeal.note import Signer, Verifier
from fairdeal_api import check, db, keys, operators
from fairdeal_api.hands import Hand, select_hands, server_seed
from fairdeal_api.head import CorruptionError, Head, create_head, read_head
from fairdeal_api.keys import KeyFileError
from fairdeal_api.marks import Mark, MarkError, read_marks, read_published
from fairdeal_api.settings import Settings
from fairdeal_api.signing import MissingKeyError, Signing
from fairdeal_api.tables import HandRow, is_open, table_of
from fairdeal_api.vault import SeedLostError, Vault

_HANDS = table_of(HandRow)

log = logging.getLogger("fairdeal.service")

FIRST_OPERATOR = "operator"
"""Name of the operator that the first start makes."""


class StartupError(RuntimeError):
    """The service will not start like this; the text says why and what to do."""


class UnreachableError(StartupError):
    """The store does not answer; it may later."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A log that was found sound, or begun, and the keys that go with it."""

    head: Head
    vault: Vault
    signing: Signing
    first_start: bool


def open_log(settings: Settings, connection: Connection) -> Opened:
    """Load keys and check the log in a transaction that writes; begin a log where the store has none.

    Raises :class:`StartupError` where keys and store do not belong together or cannot be used.
    """
    db.start_alone(connection)
    head = read_head(connection, to_write=True)
    try:
        opened = _begin(settings, connection) if head is None else _go_on(settings, connection, head)
        if not operators.any_operator(connection):
            _first_operator(settings, connection)
    except (KeyFileError, MarkError, MissingKeyError, check.ForkError) as error:
        raise StartupError(str(error)) from None
    except CorruptionError as error:
        raise StartupError(f"the store is damaged: {error}. Restore a copy of it") from None
    return opened


def refuse_name(settings: Settings) -> None:
    """Raise :class:`StartupError` for a name that no log can have, before anything is made."""
    name = settings.origin
    if name is None:
        return
    if "://" in name or name != name.strip("/"):
        raise StartupError(
            "FAIRDEAL_ORIGIN: the log's name has no scheme and no slash at its ends, such as "
            "fair.example.com/log"
        )
    try:
        # A name that no note can carry.
        Signer.parse(Signer(name, bytes(32)).private_text())
    except MalformedError:
        raise StartupError(
            "FAIRDEAL_ORIGIN: the log's name must not hold spaces, + or control characters"
        ) from None


def known_marks(settings: Settings, verifiers: Sequence[Verifier]) -> list[Mark]:
    """Every checkpoint that is known to have been signed, outside the store; raises :class:`MarkError`."""
    marks = read_marks(settings.marks_path, verifiers)
    if settings.checkpoint is not None:
        marks.append(read_published(settings.checkpoint, verifiers))
    return marks


def inspect_store(settings: Settings) -> Head:
    """Hash every stored entry again and hold the store to all that was signed; returns its head.

    The service may run meanwhile: the log is looked at as it stands when this begins. Raises
    :class:`CorruptionError`, :class:`fairdeal_api.check.ForkError`, :class:`MarkError`.
    """
    engine = db.reader_engine(settings.store_url)
    try:
        with engine.begin() as connection:
            db.require_current(connection)
            before = _head(connection)
        # In this sequence: what a running service marks after the second look is not held against it.
        marks = known_marks(settings, before.verifiers())
        with engine.begin() as connection:
            head = _head(connection)
            check.check_all(connection, head)
            check.check_marks(connection, head, marks)
            return head
    finally:
        engine.dispose()


def _head(connection: Connection) -> Head:
    head = read_head(connection)
    if head is None:
        raise UsageError("the store has no log")
    return head


def _go_on(settings: Settings, connection: Connection, head: Head) -> Opened:
    signing, vault = Signing(settings.log_key_path), Vault.load(settings.seed_keys_path)
    if settings.origin and settings.origin != head.origin:
        raise StartupError(f"the log's name is {head.origin} and cannot be changed")
    try:
        signing.signers(head)
    except MissingKeyError:
        raise StartupError(
            f"{settings.log_key_path} is not the key that signed this log; restore the right one"
        ) from None
    check.check_head(connection, head)
    check.check_tail(connection, head)
    check.check_marks(connection, head, known_marks(settings, head.verifiers()))
    if not settings.accept_lost and (closed := unopened(connection, vault)):
        raise StartupError(
            f"{settings.seed_keys_path}: does not open the seeds of {closed} hands under way; put the right "
            "file back. If their key is gone for good, FAIRDEAL_ACCEPT_LOST=true starts all the same, and "
            "those hands end as lost"
        )
    return Opened(head, vault, signing, first_start=False)


def unopened(connection: Connection, vault: Vault) -> int:
    """How many open hands' seeds are under keys that are missing, or of which the newest does not open.

    One seed for each key is tried: a start takes no longer with many hands.
    """
    wrapped = is_open(_HANDS), _HANDS.c.wrapped_seed.is_not(None)
    name = func.substr(_HANDS.c.wrapped_seed, 1, 4)
    query = select(func.count(), func.max(_HANDS.c.commit_index)).where(*wrapped).group_by(name)
    closed = 0
    for count, newest in connection.execute(query).all():
        row = connection.execute(select_hands().where(_HANDS.c.commit_index == newest)).one()
        try:
            server_seed(Hand.of(row), vault)
        except SeedLostError:
            closed += count
    return closed


def _begin(settings: Settings, connection: Connection) -> Opened:
    path = settings.log_key_path
    if path.exists() and settings.log_key_file is None:
        # The key has signed a log that is not in the store: a second one with it would fork the first.
        raise StartupError(
            f"{path} is there, but the store has no log: restore it, or move the key away to begin anew"
        )
    if any(settings.marks_path.glob("*.mark")) or settings.checkpoint is not None:
        raise StartupError(
            f"a log was signed before ({settings.checkpoint or settings.marks_path}), but the store has "
            "none: restore it"
        )
    if not path.exists():
        keys.write_new(path, _new_signer(settings).private_text() + "\n")
        log.info("made the log's signing key: %s", path)
    signing = Signing(path)
    signer = signing.keys.signers[0]
    if settings.origin and settings.origin != signer.name:
        raise StartupError(f"the log's name is {signer.name} and cannot be changed")
    if not settings.seed_keys_path.exists():
        keys.write_new(settings.seed_keys_path, Vault.new_file_text())
        log.info("made the key that encrypts seeds: %s", settings.seed_keys_path)
    vault = Vault.load(settings.seed_keys_path)
    return Opened(create_head(connection, signer), vault, signing, first_start=True)


def _new_signer(settings: Settings) -> Signer:
    signer = Signer(_new_origin(settings), secrets.token_bytes(32))
    try:
        # Before anything is written: a name that no note can carry is refused here.
        return Signer.parse(signer.private_text())
    except MalformedError:
        raise StartupError("the log's name must not hold spaces, + or control characters") from None


def _new_origin(settings: Settings) -> str:
    if settings.origin:
        return settings.origin
    if settings.public_url:
        return settings.public_url.partition("://")[2].rstrip("/")
    # A log that nobody named gets a name that no other log has.
    return f"localhost/{secrets.token_hex(4)}"


def _first_operator(settings: Settings, connection: Connection) -> None:
    path = settings.operator_key_path
    if path.exists():
        # A first start that was cut short, or a store begun anew: the key that was handed out stays good.
        operators.add_key(connection, FIRST_OPERATOR, keys.read(path).strip())
        return
    keys.write_new(path, operators.add_key(connection, FIRST_OPERATOR) + "\n")
    log.info("made an operator key: %s", path)

"""The store's tables. These classes are the schema; the ledger's rows go through :mod:`fairdeal_api.bulk`.

Bytes are kept as bytes and times as integer milliseconds. What was signed is kept as the exact bytes that
were signed, never rebuilt from columns (docs/adr/0002-exact-bytes.md).
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ColumnElement,
    ForeignKey,
    FromClause,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
    literal_column,
    text,
)
from sqlmodel import Field, SQLModel

COMMITTED, LOCKED, REVEALED = 0, 1, 2
"""A hand's state as stored."""

# SQLite makes an integer primary key the row's own address only where it is declared INTEGER.
_BIG = BigInteger().with_variant(Integer(), "sqlite")


def _index_where(condition: str, name: str, *columns: str) -> Index:
    return Index(name, *columns, sqlite_where=text(condition), postgresql_where=text(condition))


class OperatorRow(SQLModel, table=True):
    """An operator of tables."""

    __tablename__ = "operators"

    name: str = Field(sa_column=Column(String(64), primary_key=True))
    created_at: int = Field(sa_column=Column(BigInteger, nullable=False))


class OperatorKeyRow(SQLModel, table=True):
    """An operator's key, of which only the SHA-256 is kept; ``revoked_at`` ends its use."""

    __tablename__ = "operator_keys"

    digest: bytes = Field(sa_column=Column(LargeBinary(32), primary_key=True), repr=False)
    operator: str = Field(
        sa_column=Column(String(64), ForeignKey("operators.name"), nullable=False, index=True)
    )
    created_at: int = Field(sa_column=Column(BigInteger, nullable=False))
    revoked_at: int | None = Field(default=None, sa_column=Column(BigInteger))


class HeadRow(SQLModel, table=True):
    """The log's head, one row: the compare-and-swap cell that every transaction of the ledger advances.

    ``edge`` is the tree's right edge (:class:`fairdeal.merkle.Frontier`), its hashes joined; ``at`` the last
    entry's time.
    """

    __tablename__ = "head"
    __table_args__ = (CheckConstraint("id = 1", name="one_head"),)

    id: int = Field(sa_column=Column(Integer, primary_key=True, autoincrement=False))
    origin: str = Field(sa_column=Column(Text, nullable=False))
    vkey: str = Field(sa_column=Column(Text, nullable=False))
    size: int = Field(sa_column=Column(BigInteger, nullable=False))
    edge: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    at: int = Field(sa_column=Column(BigInteger, nullable=False))
    checkpoint: str = Field(sa_column=Column(Text, nullable=False))
    cosigners: str = Field(default="", sa_column=Column(Text, nullable=False, server_default=""))
    past_keys: str = Field(default="", sa_column=Column(Text, nullable=False, server_default=""))


class ProcessRow(SQLModel, table=True):
    """A running process and the names of the keys that it has loaded, the one in use first."""

    __tablename__ = "processes"

    id: bytes = Field(sa_column=Column(LargeBinary(16), primary_key=True))
    host: str = Field(sa_column=Column(String(255), nullable=False))
    seen_at: int = Field(sa_column=Column(BigInteger, nullable=False))
    seed_keys: str = Field(sa_column=Column(Text, nullable=False))
    log_keys: str = Field(sa_column=Column(Text, nullable=False))


class EntryRow(SQLModel, table=True):
    """A log entry: its exact bytes."""

    __tablename__ = "entries"

    idx: int = Field(sa_column=Column(_BIG, primary_key=True, autoincrement=False))
    entry: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class TileRow(SQLModel, table=True):
    """A tile of the tree's hashes: full ones never change, the last of each level grows to its right."""

    __tablename__ = "tiles"

    level: int = Field(sa_column=Column(SmallInteger, primary_key=True, autoincrement=False))
    n: int = Field(sa_column=Column(BigInteger, primary_key=True, autoincrement=False))
    hashes: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class GameTableRow(SQLModel, table=True):
    """A table of an operator: the last public dealer with that hand's number, and where waiting begins.

    Its last number is that of its last hand. ``id`` grows with each new table.
    """

    __tablename__ = "game_tables"
    __table_args__ = (UniqueConstraint("operator", "name", name="table_once"),)

    id: int = Field(sa_column=Column(_BIG, primary_key=True, autoincrement=False))
    operator: str = Field(sa_column=Column(String(64), nullable=False))
    name: str = Field(sa_column=Column(String(64), nullable=False))
    dealer: int | None = Field(default=None, sa_column=Column(SmallInteger))
    dealer_number: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))
    first_waiting: int = Field(default=1, sa_column=Column(BigInteger, nullable=False, server_default="1"))


class HandRow(SQLModel, table=True):
    """A hand. ``wrapped_seed`` is the seed encrypted, until the reveal; ``server_seed`` the public one.

    Operator and table stand in it by name too, so that a hand is read from one row.
    """

    __tablename__ = "hands"
    __table_args__ = (
        UniqueConstraint("hand", name="hand_once"),
        # By the table's id: names would make this index three times as long, and scatter what is new in it.
        UniqueConstraint("table_id", "number", name="number_once"),
        # What is open is a small part of all hands; these indexes hold nothing else.
        _index_where("state < 2", "hands_due", "deadline"),
        _index_where("state < 2", "hands_open", "operator", "commit_index"),
    )

    commit_index: int = Field(sa_column=Column(_BIG, primary_key=True, autoincrement=False))
    hand: bytes = Field(sa_column=Column(LargeBinary(16), nullable=False))
    table_id: int = Field(sa_column=Column(BigInteger, nullable=False))
    operator: str = Field(sa_column=Column(String(64), nullable=False))
    game_table: str = Field(sa_column=Column(String(64), nullable=False))
    number: int = Field(sa_column=Column(BigInteger, nullable=False))
    state: int = Field(sa_column=Column(SmallInteger, nullable=False))
    deadline: int = Field(sa_column=Column(BigInteger, nullable=False))
    terms: str = Field(sa_column=Column(Text, nullable=False))
    commitment: bytes = Field(sa_column=Column(LargeBinary(32), nullable=False))
    seals: str = Field(sa_column=Column(Text, nullable=False))
    note: bytes | None = Field(default=None, sa_column=Column(LargeBinary(32)))
    committed_at: int = Field(sa_column=Column(BigInteger, nullable=False))
    lock_by: int = Field(sa_column=Column(BigInteger, nullable=False))
    wrapped_seed: bytes | None = Field(default=None, sa_column=Column(LargeBinary), repr=False)
    lock_index: int | None = Field(default=None, sa_column=Column(BigInteger))
    locked_at: int | None = Field(default=None, sa_column=Column(BigInteger))
    reveal_by: int | None = Field(default=None, sa_column=Column(BigInteger))
    contributions: str | None = Field(default=None, sa_column=Column(Text), repr=False)
    deal_root: bytes | None = Field(default=None, sa_column=Column(LargeBinary(32)))
    reveal_index: int | None = Field(default=None, sa_column=Column(BigInteger))
    revealed_at: int | None = Field(default=None, sa_column=Column(BigInteger))
    outcome: str | None = Field(default=None, sa_column=Column(String(16)))
    reason: str | None = Field(default=None, sa_column=Column(String(16)))
    server_seed: bytes | None = Field(default=None, sa_column=Column(LargeBinary(32)), repr=False)
    next_hand: bytes | None = Field(default=None, sa_column=Column(LargeBinary(16)))
    next_digest: bytes | None = Field(default=None, sa_column=Column(LargeBinary(32)))


class SealRow(SQLModel, table=True):
    """A seal that the log has: each stands in it once, for ever (protocol §1.5)."""

    __tablename__ = "seals"

    seal: bytes = Field(sa_column=Column(LargeBinary(32), primary_key=True))
    hand: bytes = Field(sa_column=Column(LargeBinary(16), nullable=False))


class IdempotencyRow(SQLModel, table=True):
    """A commit that carried an ``Idempotency-Key``: what was asked (as a digest) and what was answered."""

    __tablename__ = "idempotency"

    operator: str = Field(sa_column=Column(String(64), primary_key=True))
    key: str = Field(sa_column=Column(String(255), primary_key=True))
    digest: bytes = Field(sa_column=Column(LargeBinary(32), nullable=False))
    created_at: int = Field(sa_column=Column(BigInteger, nullable=False, index=True))
    answer: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class AllowanceRow(SQLModel, table=True):
    """What an operator may still ask for, where several workers share a rate (:mod:`fairdeal_api.limits`)."""

    __tablename__ = "allowances"

    operator: str = Field(sa_column=Column(String(64), primary_key=True))
    tokens: int = Field(sa_column=Column(BigInteger, nullable=False))
    at: int = Field(sa_column=Column(BigInteger, nullable=False))


def is_open(hands: FromClause) -> ColumnElement[bool]:
    """The condition of hands not revealed.

    Its number is written out: with a parameter in its place no database can tell that the index over just
    these hands will do, and walks all that a table ever had.
    """
    return hands.c.state < literal_column(str(REVEALED))


def table_of(row: type[SQLModel]) -> Table:
    """The Core table behind a row class."""
    return SQLModel.metadata.tables[str(row.__tablename__)]

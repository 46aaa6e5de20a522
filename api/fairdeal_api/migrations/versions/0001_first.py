"""The store's first form: operators, head, entries, tiles, tables, hands, seals, idempotency keys."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "entries",
        sa.Column(
            "idx", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("entry", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("idx"),
    )
    op.create_table(
        "game_tables",
        sa.Column("operator", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("last_number", sa.BigInteger(), nullable=False),
        sa.Column("dealer", sa.SmallInteger(), nullable=True),
        sa.Column("dealer_number", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("operator", "name"),
    )
    op.create_table(
        "hands",
        sa.Column(
            "commit_index",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=False,
            nullable=False,
        ),
        sa.Column("hand", sa.LargeBinary(length=16), nullable=False),
        sa.Column("operator", sa.String(length=64), nullable=False),
        sa.Column("game_table", sa.String(length=64), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.SmallInteger(), nullable=False),
        sa.Column("deadline", sa.BigInteger(), nullable=False),
        sa.Column("terms", sa.Text(), nullable=False),
        sa.Column("commitment", sa.LargeBinary(length=32), nullable=False),
        sa.Column("seals", sa.Text(), nullable=False),
        sa.Column("note", sa.LargeBinary(length=32), nullable=True),
        sa.Column("committed_at", sa.BigInteger(), nullable=False),
        sa.Column("lock_by", sa.BigInteger(), nullable=False),
        sa.Column("wrapped_seed", sa.LargeBinary(), nullable=True),
        sa.Column("lock_index", sa.BigInteger(), nullable=True),
        sa.Column("locked_at", sa.BigInteger(), nullable=True),
        sa.Column("reveal_by", sa.BigInteger(), nullable=True),
        sa.Column("contributions", sa.Text(), nullable=True),
        sa.Column("deal_root", sa.LargeBinary(length=32), nullable=True),
        sa.Column("reveal_index", sa.BigInteger(), nullable=True),
        sa.Column("revealed_at", sa.BigInteger(), nullable=True),
        sa.Column("outcome", sa.String(length=16), nullable=True),
        sa.Column("reason", sa.String(length=16), nullable=True),
        sa.Column("server_seed", sa.LargeBinary(length=32), nullable=True),
        sa.Column("next_hand", sa.LargeBinary(length=16), nullable=True),
        sa.Column("next_digest", sa.LargeBinary(length=32), nullable=True),
        sa.PrimaryKeyConstraint("commit_index"),
        sa.UniqueConstraint("hand", name="hand_once"),
        sa.UniqueConstraint("operator", "game_table", "number", name="number_once"),
    )
    op.create_index(
        "hands_due",
        "hands",
        ["deadline"],
        unique=False,
        sqlite_where=sa.text("state < 2"),
        postgresql_where=sa.text("state < 2"),
    )
    op.create_index(
        "hands_open",
        "hands",
        ["operator", "commit_index"],
        unique=False,
        sqlite_where=sa.text("state < 2"),
        postgresql_where=sa.text("state < 2"),
    )
    op.create_index(
        "hands_waiting",
        "hands",
        ["operator", "game_table", "number"],
        unique=False,
        sqlite_where=sa.text("state = 0"),
        postgresql_where=sa.text("state = 0"),
    )
    op.create_table(
        "head",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("vkey", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("edge", sa.LargeBinary(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("checkpoint", sa.Text(), nullable=False),
        sa.CheckConstraint("id = 1", name="one_head"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "idempotency",
        sa.Column("operator", sa.String(length=64), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("digest", sa.LargeBinary(length=32), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("answer", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("operator", "key"),
    )
    op.create_index("ix_idempotency_created_at", "idempotency", ["created_at"], unique=False)
    op.create_table(
        "operators",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "seals",
        sa.Column("seal", sa.LargeBinary(length=32), nullable=False),
        sa.Column("hand", sa.LargeBinary(length=16), nullable=False),
        sa.PrimaryKeyConstraint("seal"),
    )
    op.create_table(
        "tiles",
        sa.Column("level", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("n", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("hashes", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("level", "n"),
    )
    op.create_table(
        "operator_keys",
        sa.Column("digest", sa.LargeBinary(length=32), nullable=False),
        sa.Column("operator", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["operator"],
            ["operators.name"],
        ),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_index("ix_operator_keys_operator", "operator_keys", ["operator"], unique=False)

"""Several processes on one log, and keys that change: further signing keys, and who is running with which."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns and the table."""
    op.add_column("head", sa.Column("cosigners", sa.Text(), nullable=False, server_default=""))
    op.add_column("head", sa.Column("past_keys", sa.Text(), nullable=False, server_default=""))
    op.create_table(
        "processes",
        sa.Column("id", sa.LargeBinary(length=16), nullable=False),
        sa.Column("host", sa.String(length=255), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.Column("seed_keys", sa.Text(), nullable=False),
        sa.Column("log_keys", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )

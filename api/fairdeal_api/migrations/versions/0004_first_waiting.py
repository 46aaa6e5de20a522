"""Where a table's waiting hands begin, in place of an index over all of them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column, fill it from the index, and let the index go."""
    op.add_column(
        "game_tables", sa.Column("first_waiting", sa.BigInteger(), nullable=False, server_default="1")
    )
    op.execute(
        "UPDATE game_tables SET first_waiting = COALESCE((SELECT MIN(number) FROM hands WHERE state = 0 "
        "AND hands.operator = game_tables.operator AND hands.game_table = game_tables.name), last_number + 1)"
    )
    op.drop_index("hands_waiting", "hands")

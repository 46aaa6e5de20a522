"""Tables are numbered, and a hand's number is unique by its table's number in place of two names.

The index over (operator, table, number) was the longest of a hand's, with a page of its own for nearly every
table. A table's last number is that of its last hand and is no longer kept a second time.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Number the tables and put the numbers into their hands."""
    if op.get_bind().dialect.name == "sqlite":
        _write_tables_anew()
    else:
        _alter_tables()
    op.add_column("hands", sa.Column("table_id", sa.BigInteger()))
    op.execute(
        "UPDATE hands SET table_id = (SELECT id FROM game_tables "
        "WHERE game_tables.operator = hands.operator AND game_tables.name = hands.game_table)"
    )
    # On SQLite alembic writes the table anew, indexes and all; elsewhere these are three statements.
    with op.batch_alter_table("hands") as hands:
        hands.alter_column("table_id", existing_type=sa.BigInteger(), nullable=False)
        hands.drop_constraint("number_once")
        hands.create_unique_constraint("number_once", ["table_id", "number"])


def _alter_tables() -> None:
    op.add_column("game_tables", sa.Column("id", sa.BigInteger()))
    op.execute(
        "UPDATE game_tables SET id = new.id FROM "
        "(SELECT row_number() OVER (ORDER BY operator, name) AS id, operator, name FROM game_tables) AS new "
        "WHERE game_tables.operator = new.operator AND game_tables.name = new.name"
    )
    op.drop_constraint("game_tables_pkey", "game_tables")
    op.create_primary_key("game_tables_pkey", "game_tables", ["id"])
    op.create_unique_constraint("table_once", "game_tables", ["operator", "name"])
    op.drop_column("game_tables", "last_number")


def _write_tables_anew() -> None:
    """SQLite changes no primary key of a table that is there, nor can alembic without warning of it."""
    op.rename_table("game_tables", "game_tables_before")
    op.create_table(
        "game_tables",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("operator", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("dealer", sa.SmallInteger(), nullable=True),
        sa.Column("dealer_number", sa.BigInteger(), nullable=False),
        sa.Column("first_waiting", sa.BigInteger(), nullable=False, server_default="1"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("operator", "name", name="table_once"),
    )
    op.execute(
        "INSERT INTO game_tables (operator, name, dealer, dealer_number, first_waiting) "
        "SELECT operator, name, dealer, dealer_number, first_waiting FROM game_tables_before "
        "ORDER BY operator, name"
    )
    op.drop_table("game_tables_before")

"""Alembic's entry point: runs the revisions on the connection that :func:`fairdeal_api.db.migrate` opened."""

from __future__ import annotations

from alembic import context
from fairdeal_api import tables

context.configure(connection=context.config.attributes["connection"], target_metadata=tables.HandRow.metadata)
with context.begin_transaction():
    context.run_migrations()

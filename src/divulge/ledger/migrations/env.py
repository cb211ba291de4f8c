"""What Alembic runs: the migrations on a connection that `divulge.ledger.upgrade` hands over."""

from __future__ import annotations

from alembic import context

from divulge.ledger.model import Base

connection = context.config.attributes["connection"]
# SQLite cannot alter most of a table; Alembic then copies it.
context.configure(
    connection=connection,
    target_metadata=Base.metadata,
    render_as_batch=connection.dialect.name == "sqlite",
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()

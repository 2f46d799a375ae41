"""Alembic's way in: the migrations run on the connection that ``service.record.store.database.upgrade`` hands over."""

from alembic import context

from service.record.store.database import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # SQLite changes a table by making it anew.
    render_as_batch=True,
    transaction_per_migration=False,
)
context.run_migrations()

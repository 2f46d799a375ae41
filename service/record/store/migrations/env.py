"""Alembic's way in: migrations run on the connection that ``service.record.store.database.upgrade`` hands over."""

from alembic import context
from sqlalchemy import MetaData

# Constraints need names of their own, or later migrations cannot say which one they change.
_NAMES = {
    "ix": "ix_%(column_0_label)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=MetaData(naming_convention=_NAMES),
    # SQLite changes a table by recreating it.
    render_as_batch=True,
    transaction_per_migration=False,
)
context.run_migrations()

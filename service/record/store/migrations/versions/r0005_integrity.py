"""Answers by the entry that made them, and from which entry on alarms were made, so that both can be checked."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Add an index, and a column that is NULL where alarms were made by an earlier version."""
    op.create_index("ix_record_replies_seq", "record_replies", ["seq"])
    op.add_column("alarms_read", sa.Column("since", _NUMBER))
    empty = op.get_bind().execute(sa.text("SELECT count(*) FROM record_entries WHERE seq < 2")).scalar() == 0
    if empty:
        op.execute("UPDATE alarms_read SET since = 0")

"""What each kept delivery stands behind and since when, who writes to a shared database, what witnesses signed."""

import sqlalchemy as sa
from alembic import op

from service.record.store.chain import timestamp

revision = "0006"
down_revision = "0005"

_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make the tables; a delivery of an earlier version stands where it stood, behind the entry that is there now."""
    op.add_column("deliveries", sa.Column("hash", sa.String(64)))
    op.add_column("deliveries", sa.Column("at", sa.String(27)))
    entries = sa.table("record_entries", sa.column("seq"), sa.column("hash"))
    kept = sa.table("deliveries", sa.column("seq"), sa.column("hash"), sa.column("at"))
    there = sa.select(entries.c.hash).where(entries.c.seq == kept.c.seq).scalar_subquery()
    op.get_bind().execute(sa.update(kept).values(hash=there, at=timestamp()))
    op.create_table(
        "record_lease",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("number", _NUMBER, nullable=False),
        sa.Column("holder", sa.String(300), nullable=False),
        sa.Column("since", sa.String(27), nullable=False),
    )
    op.create_table(
        "record_cosignatures",
        sa.Column("seq", _NUMBER, primary_key=True, autoincrement=False),
        sa.Column("witness", sa.String(200), primary_key=True),
        sa.Column("line", sa.Text, nullable=False),
    )

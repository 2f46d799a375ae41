"""Recorded rounds that are read again: the runs, and each round of a run, which is its job and its result."""

import sqlalchemy as sa
from alembic import op

revision = "f0003"
down_revision = "f0002"

_DUE = sa.text("state IN ('waiting', 'taken')")


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "floor_rereadings",
        sa.Column("id", sa.BigInteger, sa.Identity(always=True), primary_key=True),
        sa.Column("begun_at", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        # What is read again with, and which rounds were asked for (JSON).
        sa.Column("told", sa.Text, nullable=False),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("patience_s", sa.Float, nullable=False),
        sa.Column("most_tries", sa.Integer, nullable=False),
        sa.Column("stopped_at", sa.Text),
    )
    op.create_table(
        "floor_reread_rounds",
        sa.Column("run", sa.BigInteger, sa.ForeignKey("floor_rereadings.id"), nullable=False),
        sa.Column("table_id", sa.Integer, sa.ForeignKey("floor_tables.id"), nullable=False),
        sa.Column("round", sa.Text, nullable=False),
        # Of the revision that is read again.
        sa.Column("position", sa.BigInteger, nullable=False),
        sa.Column("state", sa.Text, nullable=False, server_default="waiting"),
        sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        # Names one taking: whoever took it before can no longer say what came of it.
        sa.Column("taking", sa.Text),
        sa.Column("worker", sa.Text),
        # Why it could not be read, each time (JSON).
        sa.Column("failures", sa.Text, nullable=False, server_default="[]"),
        sa.Column("outcome", sa.Text),
        sa.Column("result", sa.Text),
        sa.Column("done_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("run", "table_id", "round"),
    )
    op.create_index("ix_floor_reread_due", "floor_reread_rounds", ["run", "position"], postgresql_where=_DUE)
    op.create_index("ix_floor_reread_outcome", "floor_reread_rounds", ["run", "outcome", "position"])

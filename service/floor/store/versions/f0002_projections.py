"""What is made of the entries for pages and programs, and who has taken what to decide."""

import sqlalchemy as sa
from alembic import op

revision = "f0002"
down_revision = "f0001"

_WAITS = sa.text("status = 'needs_review'")
_OPEN = sa.text("answered_at IS NULL")
_STANDS = sa.text("over_at IS NULL OR answered_at IS NULL")


def upgrade() -> None:
    """Make the tables."""
    # A table's record is read by kind and by round, as it is at the table itself.
    op.create_index("ix_floor_entries_kind", "floor_entries", ["table_id", "kind", "seq"])
    op.create_index("ix_floor_entries_round", "floor_entries", ["table_id", "round", "seq"])
    op.create_table("floor_projections", sa.Column("version", sa.Integer, nullable=False))
    op.execute("INSERT INTO floor_projections (version) VALUES (0)")
    op.create_table(
        "floor_followed",
        sa.Column("table_id", sa.Integer, sa.ForeignKey("floor_tables.id"), primary_key=True),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("own_name", sa.Text, nullable=False),
    )
    op.create_table(
        "floor_rounds",
        sa.Column("table_id", sa.Integer, sa.ForeignKey("floor_tables.id"), nullable=False),
        sa.Column("round", sa.Text, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("first", sa.BigInteger, nullable=False),
        sa.Column("position", sa.BigInteger, nullable=False),
        sa.Column("opened_at", sa.Text, nullable=False),
        sa.Column("changed_at", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("verdict", sa.Text, nullable=False),
        sa.Column("doubts", sa.Text, nullable=False),
        sa.Column("ever_wrong", sa.Boolean, nullable=False),
        sa.Column("decided_wrong", sa.Boolean),
        sa.PrimaryKeyConstraint("table_id", "round"),
    )
    op.create_index("ix_floor_rounds_opened", "floor_rounds", ["opened_at", "first"])
    op.create_index("ix_floor_rounds_table", "floor_rounds", ["table_id", "opened_at", "first"])
    op.create_index("ix_floor_rounds_waiting", "floor_rounds", ["opened_at", "first"], postgresql_where=_WAITS)
    _make_alarms()
    op.create_table(
        "floor_claims",
        sa.Column("table_id", sa.Integer, sa.ForeignKey("floor_tables.id"), nullable=False),
        sa.Column("what", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "what"),
    )


def _make_alarms() -> None:
    op.create_table(
        "floor_alarms",
        sa.Column("table_id", sa.Integer, sa.ForeignKey("floor_tables.id"), nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("position", sa.BigInteger, nullable=False),
        # Names it on the floor, as its number does at its table: the later it was raised, the larger.
        sa.Column(
            "listed", sa.BigInteger, sa.Computed("position * 1000 + number % 1000", persisted=True), nullable=False
        ),
        sa.Column("table", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("round", sa.Text),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("line", sa.Text, nullable=False),
        sa.Column("parts", sa.Text, nullable=False),
        sa.Column("details", sa.Text, nullable=False),
        sa.Column("times", sa.Integer, nullable=False),
        sa.Column("raised_at", sa.Text, nullable=False),
        sa.Column("last_raised_at", sa.Text, nullable=False),
        sa.Column("over_at", sa.Text),
        sa.Column("answered_at", sa.Text),
        sa.Column("answered_by", sa.Text),
        sa.Column("answer", sa.Text),
        sa.Column("reason", sa.Text),
        sa.PrimaryKeyConstraint("table_id", "number"),
    )
    op.create_index("ix_floor_alarms_listed", "floor_alarms", ["listed"], unique=True)
    op.create_index("ix_floor_alarms_table", "floor_alarms", ["table_id", "listed"])
    op.create_index("ix_floor_alarms_open", "floor_alarms", ["listed"], postgresql_where=_OPEN)
    op.create_index("ix_floor_alarms_stand", "floor_alarms", ["table_id", "round"], postgresql_where=_STANDS)

"""Alarms as the record's entries raise, end and answer them, and how far the record was read for that."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_ROUNDS_BEFORE = 50
"""Rounds of an earlier version whose alarms are taken over: what its page showed."""


def upgrade() -> None:
    """Make the tables; a record that has entries already is read from the alarms that its page showed."""
    op.create_table(
        "alarms",
        sa.Column("number", _NUMBER, primary_key=True, autoincrement=False),
        sa.Column("table", sa.String(40), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("round", sa.String(64)),
        sa.Column("subject", sa.String(200), nullable=False),
        sa.Column("line", sa.String(200), nullable=False),
        sa.Column("parts", sa.Text, nullable=False),
        sa.Column("details", sa.Text, nullable=False),
        sa.Column("times", sa.Integer, nullable=False),
        sa.Column("raised_at", sa.String(27), nullable=False),
        sa.Column("last_raised_at", sa.String(27), nullable=False),
        sa.Column("over_at", sa.String(27)),
        sa.Column("answered_at", sa.String(27)),
        sa.Column("answered_by", sa.String(300)),
        sa.Column("answer", sa.String(20)),
        sa.Column("reason", sa.Text),
    )
    op.create_index("ix_alarms_round", "alarms", ["round"])
    op.create_index("ix_alarms_standing", "alarms", ["table", "kind", "over_at"])
    op.create_index("ix_alarms_listed", "alarms", ["table", "number"])
    unanswered = sa.text("answered_at IS NULL")
    op.create_index(
        "ix_alarms_open",
        "alarms",
        ["table", "kind", "number"],
        sqlite_where=unanswered,
        postgresql_where=unanswered,
    )
    op.create_table("alarms_read", sa.Column("through", _NUMBER, nullable=False))
    entries = sa.table("record_entries", sa.column("seq"), sa.column("kind"), sa.column("subject"))
    read = sa.table("alarms_read", sa.column("through"))
    op.get_bind().execute(sa.insert(read).values(through=_begin(entries)))


def _begin(entries: sa.TableClause) -> int:
    columns, connection = entries.c, op.get_bind()
    rounds = sa.select(columns.seq).where(columns.kind == "round", columns.subject == "1").order_by(columns.seq.desc())
    first = connection.execute(rounds.offset(_ROUNDS_BEFORE - 1).limit(1)).scalar()
    return 0 if first is None else int(first) - 1

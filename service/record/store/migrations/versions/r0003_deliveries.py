"""How far each subscriber of webhooks and MQTT has been told, and what was laid aside."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "deliveries",
        sa.Column("subscriber", sa.String(60), primary_key=True),
        sa.Column("seq", _NUMBER, nullable=False),
        sa.Column("part", sa.Integer, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
    )
    op.create_table(
        "dead_letters",
        sa.Column("subscriber", sa.String(60), primary_key=True),
        sa.Column("id", sa.String(120), primary_key=True),
        sa.Column("seq", _NUMBER, nullable=False),
        sa.Column("part", sa.Integer, nullable=False),
        sa.Column("at", sa.String(27), nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("error", sa.Text, nullable=False),
    )

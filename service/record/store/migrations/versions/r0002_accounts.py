"""Accounts of persons, keys of machines, sessions of the page."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "accounts",
        sa.Column("name", sa.String(40), primary_key=True),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("password", sa.String(200), nullable=False),
        sa.Column("initial", sa.Boolean, nullable=False),
        sa.Column("disabled", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.String(27), nullable=False),
        sa.Column("sessions_since", sa.String(27), nullable=False),
    )
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(12), primary_key=True),
        sa.Column("name", sa.String(60), nullable=False),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("created_at", sa.String(27), nullable=False),
        sa.Column("created_by", sa.String(100), nullable=False),
        sa.Column("expires_at", sa.String(27), nullable=False),
        sa.Column("revoked_at", sa.String(27)),
    )
    op.create_table(
        "page_sessions",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("account", sa.String(40), sa.ForeignKey("accounts.name"), nullable=False),
        sa.Column("begun_at", sa.String(27), nullable=False),
        sa.Column("ends_at", sa.String(27), nullable=False),
    )

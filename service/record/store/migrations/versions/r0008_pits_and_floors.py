"""Accounts and keys limited to pits, and accounts of an identity provider."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the columns; an account or key that has nothing in them is as it was."""
    for table in ("accounts", "api_keys"):
        op.add_column(table, sa.Column("pits", sa.Text))
    op.add_column("accounts", sa.Column("origin", sa.String(10)))
    op.add_column("accounts", sa.Column("subject", sa.String(600)))

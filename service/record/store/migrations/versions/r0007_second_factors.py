"""Second factors of accounts, passwords made for somebody, where one is signed in, webhooks that want nothing more."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_MOMENT = sa.String(27)


def upgrade() -> None:
    """Add the columns, and make the tables."""
    op.add_column("deliveries", sa.Column("stopped_at", _MOMENT))
    op.add_column("accounts", sa.Column("password_until", _MOMENT))
    op.add_column("page_sessions", sa.Column("used_at", _MOMENT))
    op.add_column("page_sessions", sa.Column("browser", sa.String(200)))
    op.add_column("page_sessions", sa.Column("address", sa.String(60)))
    op.create_table(
        "second_factors",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("account", sa.String(40), sa.ForeignKey("accounts.name"), nullable=False, index=True),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("name", sa.String(60), nullable=False),
        sa.Column("secret", sa.Text, nullable=False),
        sa.Column("credential", sa.Text, nullable=False),
        sa.Column("site", sa.String(255), nullable=False),
        sa.Column("counter", _NUMBER, nullable=False),
        sa.Column("added_at", _MOMENT, nullable=False),
        sa.Column("used_at", _MOMENT),
    )
    op.create_table(
        "recovery_codes",
        sa.Column("account", sa.String(40), sa.ForeignKey("accounts.name"), primary_key=True),
        sa.Column("digest", sa.String(64), primary_key=True),
    )

"""What the floor co-signed: of each table the checkpoints, as their entries were held then."""

import sqlalchemy as sa
from alembic import op

revision = "f0004"
down_revision = "f0002"


def upgrade() -> None:
    """Make the table; what was signed is never forgotten."""
    op.create_table(
        "floor_cosignatures",
        sa.Column("id", sa.BigInteger, sa.Identity(always=True), primary_key=True),
        sa.Column("table_id", sa.Integer, sa.ForeignKey("floor_tables.id"), nullable=False),
        sa.Column("record", sa.Text, nullable=False),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        # That the table signed it with, and the co-signature.
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("line", sa.Text, nullable=False),
    )
    op.create_index("ix_floor_cosignatures_table", "floor_cosignatures", ["table_id", "id"])
    op.create_index("ix_floor_cosignatures_same", "floor_cosignatures", ["table_id", "hash"], unique=True)
    op.execute(
        "CREATE TRIGGER floor_cosignatures_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON floor_cosignatures "
        "FOR EACH STATEMENT EXECUTE FUNCTION floor_entries_stay()"
    )

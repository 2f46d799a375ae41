"""Who dealt each round; what was made of the entries before is made anew, as its version says."""

import sqlalchemy as sa
from alembic import op

revision = "f0005"
down_revision = "f0004"


def upgrade() -> None:
    """Add the column."""
    op.add_column("floor_rounds", sa.Column("dealer", sa.Text))

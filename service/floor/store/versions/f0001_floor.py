"""The floor: its tables and their entries, what is made of these, and what was refused and co-signed.

Nobody changes or removes entries or co-signatures.
"""

import sqlalchemy as sa
from alembic import op

revision = "floor1"  # not a number: databases of earlier versions are numbered
down_revision = None

_RESULTS = sa.text("kind IN ('round', 'review')")
_NAMING = sa.text("kind IN ('record', 'signing_key', 'epoch')")
_WAITS = sa.text("status = 'needs_review'")
_OPEN = sa.text("answered_at IS NULL")
_STANDS = sa.text("over_at IS NULL OR answered_at IS NULL")


def upgrade() -> None:
    """Make the tables and set their guards."""
    _make_entries()
    _guard()
    _make_projections()
    _make_alarms()
    _make_cosignatures()


def _make_entries() -> None:
    op.create_table(
        "floor_tables",
        sa.Column("id", sa.Integer, sa.Identity(always=True), primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        # What is known of its record: the next entry is held against this.
        sa.Column("record", sa.Text, nullable=False, server_default=""),
        sa.Column("key", sa.Text, nullable=False, server_default=""),
        sa.Column("seq", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("hash", sa.Text, nullable=False, server_default="0" * 64),
        sa.Column("epoch", sa.Text, nullable=False, server_default=""),
        sa.Column("due", sa.Text),
        # How it is.
        sa.Column("state", sa.Text, nullable=False, server_default="unreachable"),
        sa.Column("since", sa.Text, nullable=False),
        sa.Column("told", sa.Text, nullable=False, server_default="{}"),
        # Up to which position the pictures of its entries were copied.
        sa.Column("copied", sa.BigInteger, nullable=False, server_default="0"),
    )
    op.create_table(
        "floor_entries",
        sa.Column("position", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("table_id", sa.Integer, sa.ForeignKey("floor_tables.id"), nullable=False),
        sa.Column("seq", sa.BigInteger, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("monotonic_ns", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("table", sa.Text, nullable=False),
        sa.Column("round", sa.Text),
        sa.Column("subject", sa.Text),
        sa.Column("supersedes", sa.BigInteger),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("previous", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.Column("signature", sa.Text, nullable=False),
        sa.Column("received_at", sa.Text, nullable=False),
        sa.Column("gone", sa.Text),
    )
    op.create_index("ix_floor_entries_hash", "floor_entries", ["table_id", "hash"], unique=True)
    op.create_index(
        "ix_floor_entries_seq",
        "floor_entries",
        ["table_id", "seq"],
        unique=True,
        postgresql_where=sa.text("gone IS NULL"),
    )
    op.create_index("ix_floor_entries_table", "floor_entries", ["table_id", "position"])
    op.create_index("ix_floor_entries_results", "floor_entries", ["position"], postgresql_where=_RESULTS)
    op.create_index("ix_floor_entries_naming", "floor_entries", ["table_id", "seq"], postgresql_where=_NAMING)
    # A table's record is read by kind and by round, as it is at the table itself.
    op.create_index("ix_floor_entries_kind", "floor_entries", ["table_id", "kind", "seq"])
    op.create_index("ix_floor_entries_round", "floor_entries", ["table_id", "round", "seq"])
    # Which table has a picture; made of the entries, so that nobody has to look through them.
    op.create_table(
        "floor_pictures",
        sa.Column("sha256", sa.LargeBinary, primary_key=True),
        sa.Column("table_id", sa.Integer, sa.ForeignKey("floor_tables.id"), primary_key=True, autoincrement=False),
        sa.Column("position", sa.BigInteger, nullable=False),
        sa.Column("bytes", sa.BigInteger, nullable=False),
        sa.Column("media_type", sa.Text, nullable=False),
    )
    op.create_table(
        "floor_refused",
        sa.Column("id", sa.BigInteger, sa.Identity(always=True), primary_key=True),
        sa.Column("table_id", sa.Integer, sa.ForeignKey("floor_tables.id"), nullable=False),
        sa.Column("sha256", sa.Text, nullable=False),
        sa.Column("line", sa.LargeBinary, nullable=False),
        sa.Column("code", sa.Text, nullable=False),
        sa.Column("told", sa.Text, nullable=False),
        sa.Column("first_at", sa.Text, nullable=False),
        sa.Column("last_at", sa.Text, nullable=False),
        sa.Column("times", sa.Integer, nullable=False, server_default="1"),
    )
    op.create_index("ix_floor_refused_same", "floor_refused", ["table_id", "sha256", "code"], unique=True)


def _guard() -> None:
    """Let entries only be added, without a gap between their positions, and only be marked as gone."""
    op.execute(
        "CREATE FUNCTION floor_entries_stay() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'what was collected is append-only'; END $$"
    )
    op.execute(
        "CREATE FUNCTION floor_entry_goes() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN IF OLD.gone IS NOT NULL OR NEW.gone IS NULL "
        "OR to_jsonb(NEW) - 'gone' <> to_jsonb(OLD) - 'gone' "
        "THEN RAISE EXCEPTION 'what was collected is append-only'; END IF; RETURN NEW; END $$"
    )
    op.execute(
        "CREATE FUNCTION floor_entries_follow() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ DECLARE first bigint; last bigint; added bigint; before bigint; BEGIN "
        "SELECT min(position), max(position), count(*) INTO first, last, added FROM new_entries; "
        "SELECT coalesce(max(position), 0) INTO before FROM floor_entries WHERE position < first; "
        "IF added > 0 AND (first <> before + 1 OR last - first + 1 <> added) "
        "THEN RAISE EXCEPTION 'positions have a gap'; END IF; RETURN NULL; END $$"
    )
    op.execute(
        "CREATE TRIGGER floor_entries_stay BEFORE DELETE OR TRUNCATE ON floor_entries "
        "FOR EACH STATEMENT EXECUTE FUNCTION floor_entries_stay()"
    )
    op.execute(
        "CREATE TRIGGER floor_entry_goes BEFORE UPDATE ON floor_entries "
        "FOR EACH ROW EXECUTE FUNCTION floor_entry_goes()"
    )
    op.execute(
        "CREATE TRIGGER floor_entries_follow AFTER INSERT ON floor_entries REFERENCING NEW TABLE AS new_entries "
        "FOR EACH STATEMENT EXECUTE FUNCTION floor_entries_follow()"
    )


def _make_projections() -> None:
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
        sa.Column("dealer", sa.Text),
        sa.PrimaryKeyConstraint("table_id", "round"),
    )
    op.create_index("ix_floor_rounds_opened", "floor_rounds", ["opened_at", "first"])
    op.create_index("ix_floor_rounds_table", "floor_rounds", ["table_id", "opened_at", "first"])
    op.create_index("ix_floor_rounds_waiting", "floor_rounds", ["opened_at", "first"], postgresql_where=_WAITS)
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


def _make_cosignatures() -> None:
    """What was signed is never forgotten."""
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

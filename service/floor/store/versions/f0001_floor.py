"""The floor: its tables and their entries, what is made of these, and what was refused and co-signed.

Nobody changes or removes entries or co-signatures.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision = "floor1"  # not a number: databases of earlier versions are numbered
down_revision = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_HAS = "gone IS NULL"
_RESULTS = "kind IN ('round', 'review')"
_NAMING = "kind IN ('record', 'signing_key', 'epoch')"
_WAITS = "status = 'needs_review'"
_OPEN = "answered_at IS NULL"
_STANDS = "over_at IS NULL OR answered_at IS NULL"
_ENTRY = (
    *("position", "table_id", "seq", "at", "monotonic_ns", "kind", "table", "round", "subject", "supersedes", "body"),
    *("previous", "hash", "signature", "received_at"),
)
_FOLLOWS = "NEW.position <> (SELECT coalesce(max(position), 0) + 1 FROM floor_entries)"
_GOES_ONCE = "OLD.gone IS NOT NULL OR NEW.gone IS NULL"
_STAYS = "what was collected is append-only"
_GAP = "positions have a gap"


def upgrade() -> None:
    """Make the tables and set their guards."""
    _make_entries()
    _make_cosignatures()
    _guard()
    _make_projections()
    _make_alarms()


def _make_entries() -> None:
    op.create_table(
        "floor_tables",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        # What is known of its record: the next entry is held against this.
        sa.Column("record", sa.Text, nullable=False, server_default=""),
        sa.Column("key", sa.Text, nullable=False, server_default=""),
        sa.Column("seq", _NUMBER, nullable=False, server_default="0"),
        sa.Column("hash", sa.Text, nullable=False, server_default="0" * 64),
        sa.Column("epoch", sa.Text, nullable=False, server_default=""),
        sa.Column("due", sa.Text),
        # How it is.
        sa.Column("state", sa.Text, nullable=False, server_default="unreachable"),
        sa.Column("since", sa.Text, nullable=False),
        sa.Column("told", sa.Text, nullable=False, server_default="{}"),
        # Up to which position the pictures of its entries were copied.
        sa.Column("copied", _NUMBER, nullable=False, server_default="0"),
    )
    op.create_table(
        "floor_entries",
        sa.Column("position", _NUMBER, primary_key=True, autoincrement=False),
        sa.Column("table_id", sa.Integer, sa.ForeignKey("floor_tables.id"), nullable=False),
        sa.Column("seq", _NUMBER, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("monotonic_ns", _NUMBER, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("table", sa.Text, nullable=False),
        sa.Column("round", sa.Text),
        sa.Column("subject", sa.Text),
        sa.Column("supersedes", _NUMBER),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("previous", sa.Text, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.Column("signature", sa.Text, nullable=False),
        sa.Column("received_at", sa.Text, nullable=False),
        sa.Column("gone", sa.Text),
    )
    op.create_index("ix_floor_entries_hash", "floor_entries", ["table_id", "hash"], unique=True)
    _index("ix_floor_entries_seq", "floor_entries", ["table_id", "seq"], _HAS, unique=True)
    op.create_index("ix_floor_entries_table", "floor_entries", ["table_id", "position"])
    _index("ix_floor_entries_results", "floor_entries", ["position"], _RESULTS)
    _index("ix_floor_entries_naming", "floor_entries", ["table_id", "seq"], _NAMING)
    # A table's record is read by kind and by round, as it is at the table itself.
    op.create_index("ix_floor_entries_kind", "floor_entries", ["table_id", "kind", "seq"])
    op.create_index("ix_floor_entries_round", "floor_entries", ["table_id", "round", "seq"])
    # Which entries name a picture as evidence.
    op.create_table(
        "floor_pictures",
        sa.Column("position", _NUMBER, sa.ForeignKey("floor_entries.position"), primary_key=True, autoincrement=False),
        sa.Column("sha256", sa.String(64), primary_key=True),
        sa.Column("bytes", _NUMBER, nullable=False),
        sa.Column("media_type", sa.Text, nullable=False),
    )
    op.create_index("ix_floor_pictures_sha256", "floor_pictures", ["sha256"])
    op.create_table(
        "floor_refused",
        sa.Column("id", _NUMBER, primary_key=True),
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
    """Let entries only be added, without a gap between their positions, and only be marked as gone, once."""
    columns = ", ".join(f'"{name}"' for name in _ENTRY)
    changes = (
        f"UPDATE OF {columns} ON floor_entries",
        "DELETE ON floor_entries",
        "UPDATE ON floor_cosignatures",
        "DELETE ON floor_cosignatures",
    )
    if op.get_bind().dialect.name == "postgresql":
        _guard_postgresql(changes)
    else:
        _guard_sqlite(changes)


def _guard_sqlite(changes: Sequence[str]) -> None:
    refuse = f"BEGIN SELECT RAISE(ABORT, '{_STAYS}'); END"
    for number, change in enumerate(changes):
        op.execute(f"CREATE TRIGGER floor_stays_{number} BEFORE {change} {refuse}")
    op.execute(f"CREATE TRIGGER floor_entry_goes BEFORE UPDATE OF gone ON floor_entries WHEN {_GOES_ONCE} {refuse}")
    op.execute(
        f"CREATE TRIGGER floor_entries_follow BEFORE INSERT ON floor_entries WHEN {_FOLLOWS} "
        f"BEGIN SELECT RAISE(ABORT, '{_GAP}'); END"
    )
    # INSERT OR REPLACE removes rows without asking the triggers above, so what is inserted must be new.
    new = "SELECT 1 FROM floor_entries WHERE table_id = NEW.table_id"
    op.execute(
        "CREATE TRIGGER floor_entries_new BEFORE INSERT ON floor_entries "
        f"WHEN EXISTS ({new} AND hash = NEW.hash) OR EXISTS ({new} AND seq = NEW.seq AND {_HAS}) "
        f"{refuse}"
    )
    same = "id = NEW.id OR (table_id = NEW.table_id AND hash = NEW.hash)"
    op.execute(
        "CREATE TRIGGER floor_cosignatures_new BEFORE INSERT ON floor_cosignatures "  # noqa: S608  constants of this file
        f"WHEN EXISTS (SELECT 1 FROM floor_cosignatures WHERE {same}) "
        f"{refuse}"
    )


def _guard_postgresql(changes: Sequence[str]) -> None:
    op.execute(
        f"CREATE FUNCTION floor_stays() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '{_STAYS}'; END $$"
    )
    op.execute(
        "CREATE FUNCTION floor_entry_follows() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN IF {_FOLLOWS} THEN RAISE EXCEPTION '{_GAP}'; END IF; RETURN NEW; END $$"
    )
    emptied = ("TRUNCATE ON floor_entries", "TRUNCATE ON floor_cosignatures")
    for number, change in enumerate((*changes, *emptied)):
        op.execute(
            f"CREATE TRIGGER floor_stays_{number} BEFORE {change} FOR EACH STATEMENT EXECUTE FUNCTION floor_stays()"
        )
    op.execute(
        "CREATE TRIGGER floor_entry_goes BEFORE UPDATE OF gone ON floor_entries "
        f"FOR EACH ROW WHEN ({_GOES_ONCE}) EXECUTE FUNCTION floor_stays()"
    )
    op.execute(
        "CREATE TRIGGER floor_entries_follow BEFORE INSERT ON floor_entries "
        "FOR EACH ROW EXECUTE FUNCTION floor_entry_follows()"
    )


def _index(name: str, table: str, columns: list[str], where: str, *, unique: bool = False) -> None:
    """An index of the rows of which something holds."""
    only = sa.text(where)
    op.create_index(name, table, columns, unique=unique, sqlite_where=only, postgresql_where=only)


def _make_projections() -> None:
    op.create_table("floor_projections", sa.Column("version", sa.Integer, nullable=False))
    op.execute("INSERT INTO floor_projections (version) VALUES (0)")
    op.create_table(
        "floor_followed",
        sa.Column("table_id", sa.Integer, sa.ForeignKey("floor_tables.id"), primary_key=True),
        sa.Column("seq", _NUMBER, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("own_name", sa.Text, nullable=False),
    )
    op.create_table(
        "floor_rounds",
        sa.Column("table_id", sa.Integer, sa.ForeignKey("floor_tables.id"), nullable=False),
        sa.Column("round", sa.Text, nullable=False),
        sa.Column("number", _NUMBER, nullable=False),
        sa.Column("first", _NUMBER, nullable=False),
        sa.Column("position", _NUMBER, nullable=False),
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
    _index("ix_floor_rounds_waiting", "floor_rounds", ["opened_at", "first"], _WAITS)
    op.create_table(
        "floor_claims",
        sa.Column("table_id", sa.Integer, sa.ForeignKey("floor_tables.id"), nullable=False),
        sa.Column("what", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("since", sa.Text, nullable=False),
        sa.Column("seen_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("table_id", "what"),
    )


def _make_alarms() -> None:
    op.create_table(
        "floor_alarms",
        sa.Column("table_id", sa.Integer, sa.ForeignKey("floor_tables.id"), nullable=False),
        sa.Column("number", _NUMBER, nullable=False),
        sa.Column("position", _NUMBER, nullable=False),
        # Names it on the floor, as its number does at its table: the later it was raised, the larger.
        sa.Column("listed", _NUMBER, sa.Computed("position * 1000 + number % 1000", persisted=True), nullable=False),
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
    _index("ix_floor_alarms_open", "floor_alarms", ["listed"], _OPEN)
    _index("ix_floor_alarms_stand", "floor_alarms", ["table_id", "round"], _STANDS)


def _make_cosignatures() -> None:
    """What was signed is never forgotten."""
    op.create_table(
        "floor_cosignatures",
        sa.Column("id", _NUMBER, primary_key=True),
        sa.Column("table_id", sa.Integer, sa.ForeignKey("floor_tables.id"), nullable=False),
        sa.Column("record", sa.Text, nullable=False),
        sa.Column("seq", _NUMBER, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        # That the table signed it with, and the co-signature.
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("line", sa.Text, nullable=False),
    )
    op.create_index("ix_floor_cosignatures_table", "floor_cosignatures", ["table_id", "id"])
    op.create_index("ix_floor_cosignatures_same", "floor_cosignatures", ["table_id", "hash"], unique=True)

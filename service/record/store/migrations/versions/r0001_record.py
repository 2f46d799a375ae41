"""The record: entries, checkpoints, pictures and replies, none of which can be changed or removed."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_GUARDED = ("record_entries", "record_checkpoints", "record_pictures", "record_replies")
_FOLLOWS = """
    NEW.seq <> (SELECT coalesce(max(seq), 0) + 1 FROM record_entries)
    OR NEW.previous <> coalesce(
        (SELECT hash FROM record_entries WHERE seq = NEW.seq - 1),
        '0000000000000000000000000000000000000000000000000000000000000000')
"""


def upgrade() -> None:
    """Make the tables and set their guards."""
    op.create_table(
        "record_entries",
        sa.Column("seq", _NUMBER, primary_key=True, autoincrement=False),
        sa.Column("at", sa.String(27), nullable=False),
        sa.Column("monotonic_ns", _NUMBER, nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("table", sa.String(40), nullable=False),
        sa.Column("round", sa.String(64)),
        sa.Column("subject", sa.String(200)),
        sa.Column("supersedes", _NUMBER),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("previous", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
    )
    op.create_index("ix_record_entries_round", "record_entries", ["round", "seq"])
    op.create_index("ix_record_entries_kind", "record_entries", ["kind", "seq"])
    op.create_table(
        "record_checkpoints",
        sa.Column("seq", _NUMBER, sa.ForeignKey("record_entries.seq"), primary_key=True, autoincrement=False),
        sa.Column("signature", sa.String(128), nullable=False),
    )
    op.create_table(
        "record_pictures",
        sa.Column("seq", _NUMBER, sa.ForeignKey("record_entries.seq"), primary_key=True, autoincrement=False),
        sa.Column("sha256", sa.String(64), primary_key=True),
        sa.Column("bytes", _NUMBER, nullable=False),
        sa.Column("media_type", sa.String(40), nullable=False),
    )
    op.create_index("ix_record_pictures_sha256", "record_pictures", ["sha256"])
    op.create_table(
        "record_replies",
        sa.Column("scope", sa.String(200), primary_key=True),
        sa.Column("key", sa.String(200), primary_key=True),
        sa.Column("request", sa.String(64), nullable=False),
        sa.Column("seq", _NUMBER, sa.ForeignKey("record_entries.seq"), nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
    )
    if op.get_bind().dialect.name == "postgresql":
        _guard_postgresql()
    else:
        _guard_sqlite()


def _guard_sqlite() -> None:
    for table in _GUARDED:
        for act in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{act.lower()} BEFORE {act} ON {table} "
                "BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END"
            )
    # INSERT OR REPLACE removes rows without asking the triggers above, so what is inserted must be new.
    op.execute(
        f"CREATE TRIGGER record_entries_follow BEFORE INSERT ON record_entries WHEN {_FOLLOWS} "
        "BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END"
    )
    for table in _GUARDED[1:]:
        same = "scope = NEW.scope AND key = NEW.key" if table == "record_replies" else "seq = NEW.seq"
        same += " AND sha256 = NEW.sha256" if table == "record_pictures" else ""
        op.execute(
            f"CREATE TRIGGER {table}_new BEFORE INSERT ON {table} "  # noqa: S608  constants of this file
            f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {same}) "
            "BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END"
        )


def _guard_postgresql() -> None:
    op.execute(
        "CREATE FUNCTION record_is_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'the record is append-only'; END $$"
    )
    op.execute(
        "CREATE FUNCTION record_entry_follows() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN IF {_FOLLOWS} THEN RAISE EXCEPTION 'the record is append-only'; END IF; RETURN NEW; END $$"
    )
    for table in _GUARDED:
        op.execute(
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION record_is_append_only()"
        )
    op.execute(
        "CREATE TRIGGER record_entries_follow BEFORE INSERT ON record_entries "
        "FOR EACH ROW EXECUTE FUNCTION record_entry_follows()"
    )

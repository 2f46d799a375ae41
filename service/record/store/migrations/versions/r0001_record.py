"""The store: entries of this service's log and of the logs that it follows, accounts, deliveries and alarms.

Entries, pictures and replies can be neither changed nor removed; only an entry of a followed log whose service was
restored is marked as gone.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "record2"  # not a number: databases of earlier versions are numbered
down_revision = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_MOMENT = sa.String(27)
_GUARDED = ("record_pictures", "record_replies", "log_cosignatures")
_RESULTS = "kind IN ('round', 'review')"
_TIMED = "kind IN ('review', 'alarm', 'outage')"
_NAMING = "kind IN ('record', 'signing_key', 'epoch')"
_WAITS = "status = 'needs_review'"
_OPEN = "answered_at IS NULL"
_STANDS = "over_at IS NULL OR answered_at IS NULL"
_SAME = {
    "record_pictures": "position = NEW.position AND sha256 = NEW.sha256",
    "record_replies": "scope = NEW.scope AND key = NEW.key",
    "log_cosignatures": "id = NEW.id OR (log = NEW.log AND hash = NEW.hash)",
}
"""What makes a row of a guarded table the same as one that is there."""
_ENTRY = (
    *("position", "log", "seq", "at", "monotonic_ns", "kind", "table", "round", "subject", "supersedes", "body"),
    *("previous", "hash", "signature", "received_at"),
)
_OUT_OF_ORDER = """
    NEW.position <> (SELECT coalesce(max(position), 0) + 1 FROM record_entries)
    OR EXISTS (SELECT 1 FROM record_entries WHERE log = NEW.log AND seq >= NEW.seq AND gone IS NULL)
    OR EXISTS (SELECT 1 FROM record_entries WHERE log = NEW.log AND hash = NEW.hash)
    OR NOT (
        (NEW.seq = 1 AND NEW.previous = '0000000000000000000000000000000000000000000000000000000000000000')
        OR EXISTS (
            SELECT 1 FROM record_entries WHERE log = NEW.log AND hash = NEW.previous AND seq = NEW.seq - 1
        )
    )
"""


def upgrade() -> None:
    """Make the tables and set their guards."""
    _make_logs()
    _make_record()
    _make_cosignatures()
    if op.get_bind().dialect.name == "postgresql":
        _guard_postgresql()
    else:
        _guard_sqlite()
    _make_accounts()
    _make_deliveries()
    _make_projections()
    _make_alarms()


def _make_logs() -> None:
    op.create_table(
        "logs",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        # Head of the table's record: the next entry is checked against it.
        sa.Column("record", sa.Text, nullable=False, server_default=""),
        sa.Column("key", sa.Text, nullable=False, server_default=""),
        sa.Column("seq", _NUMBER, nullable=False, server_default="0"),
        sa.Column("hash", sa.Text, nullable=False, server_default="0" * 64),
        sa.Column("epoch", sa.Text, nullable=False, server_default=""),
        sa.Column("due", sa.Text),
        # Up to which position the pictures of its entries were copied.
        sa.Column("copied", _NUMBER, nullable=False, server_default="0"),
    )
    # This service's own log has the number 1; how far it has come is known from its entries.
    op.execute("INSERT INTO logs (id, name) VALUES (1, '')")
    op.create_table(
        "refused_entries",
        sa.Column("id", _NUMBER, primary_key=True),
        sa.Column("log", sa.Integer, sa.ForeignKey("logs.id"), nullable=False),
        sa.Column("sha256", sa.Text, nullable=False),
        sa.Column("line", sa.LargeBinary, nullable=False),
        sa.Column("code", sa.Text, nullable=False),
        sa.Column("fault", sa.Text, nullable=False),
        sa.Column("first_at", sa.Text, nullable=False),
        sa.Column("last_at", sa.Text, nullable=False),
        sa.Column("times", sa.Integer, nullable=False, server_default="1"),
    )
    op.create_index("ix_refused_entries_same", "refused_entries", ["log", "sha256", "code"], unique=True)


def _make_record() -> None:
    op.create_table(
        "record_entries",
        # Its place among the entries of all logs, from 1, without gaps: what cursors name.
        sa.Column("position", _NUMBER, primary_key=True, autoincrement=False),
        sa.Column("log", sa.Integer, sa.ForeignKey("logs.id"), nullable=False),
        sa.Column("seq", _NUMBER, nullable=False),
        sa.Column("at", _MOMENT, nullable=False),
        sa.Column("monotonic_ns", _NUMBER, nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("table", sa.String(40), nullable=False),
        sa.Column("round", sa.String(64)),
        sa.Column("subject", sa.String(200)),
        sa.Column("supersedes", _NUMBER),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("previous", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("signature", sa.String(128)),
        sa.Column("received_at", _MOMENT),  # null in this service's own log
        sa.Column("gone", sa.String(40)),  # the epoch in which a followed log no longer has it
    )
    op.create_index("ix_record_entries_hash", "record_entries", ["log", "hash"], unique=True)
    op.create_index("ix_record_entries_seq", "record_entries", ["log", "seq"], unique=True, **_where("gone IS NULL"))
    op.create_index("ix_record_entries_round", "record_entries", ["log", "round", "seq"])
    op.create_index("ix_record_entries_kind", "record_entries", ["log", "kind", "seq"])
    op.create_index("ix_record_entries_log", "record_entries", ["log", "position"])
    op.create_index("ix_record_entries_results", "record_entries", ["position"], **_where(_RESULTS))
    op.create_index("ix_record_entries_timed", "record_entries", ["log", "at"], **_where(_TIMED))
    op.create_index("ix_record_entries_naming", "record_entries", ["log", "seq"], **_where(_NAMING))
    op.create_table(
        "record_pictures",
        sa.Column("position", _NUMBER, sa.ForeignKey("record_entries.position"), primary_key=True, autoincrement=False),
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
        sa.Column("seq", _NUMBER, nullable=False),  # in this service's own log
        sa.Column("answer", sa.Text, nullable=False),
    )
    op.create_index("ix_record_replies_seq", "record_replies", ["seq"])
    op.create_table(
        "record_lease",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("number", _NUMBER, nullable=False),
        sa.Column("holder", sa.String(300), nullable=False),
        sa.Column("since", _MOMENT, nullable=False),
    )
    op.create_table(
        "record_cosignatures",
        sa.Column("seq", _NUMBER, primary_key=True, autoincrement=False),
        sa.Column("witness", sa.String(200), primary_key=True),
        sa.Column("line", sa.Text, nullable=False),
    )


def _where(condition: str) -> dict[str, Any]:
    """A partial index, on both databases."""
    return {"sqlite_where": sa.text(condition), "postgresql_where": sa.text(condition)}


def _guard_sqlite() -> None:
    refuse = "BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END"
    for table in ("record_entries", *_GUARDED):
        op.execute(f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} {refuse}")
    for table in _GUARDED:
        op.execute(f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} {refuse}")
        # INSERT OR REPLACE removes rows without running the triggers above, so what is inserted must be new.
        op.execute(
            f"CREATE TRIGGER {table}_new BEFORE INSERT ON {table} "  # noqa: S608  constants of this file
            f"WHEN EXISTS (SELECT 1 FROM {table} WHERE {_SAME[table]}) {refuse}"
        )
    changed = " OR ".join(f'NEW."{name}" IS NOT OLD."{name}"' for name in _ENTRY)
    op.execute(
        "CREATE TRIGGER record_entries_no_update BEFORE UPDATE ON record_entries "
        f"WHEN OLD.log = 1 OR OLD.gone IS NOT NULL OR NEW.gone IS NULL OR {changed} {refuse}"
    )
    op.execute(f"CREATE TRIGGER record_entries_follow BEFORE INSERT ON record_entries WHEN {_OUT_OF_ORDER} {refuse}")


def _guard_postgresql() -> None:
    op.execute(
        "CREATE FUNCTION record_is_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'the record is append-only'; END $$"
    )
    op.execute(
        "CREATE FUNCTION record_entry_follows() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN IF {_OUT_OF_ORDER} THEN RAISE EXCEPTION 'the record is append-only'; END IF; RETURN NEW; END $$"
    )
    changed = " OR ".join(f'NEW."{name}" IS DISTINCT FROM OLD."{name}"' for name in _ENTRY)
    op.execute(
        "CREATE FUNCTION record_entry_stays() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN IF OLD.log = 1 OR OLD.gone IS NOT NULL OR NEW.gone IS NULL OR {changed} "
        "THEN RAISE EXCEPTION 'the record is append-only'; END IF; RETURN NEW; END $$"
    )
    for table in _GUARDED:
        op.execute(
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION record_is_append_only()"
        )
    op.execute(
        "CREATE TRIGGER record_entries_append_only BEFORE DELETE OR TRUNCATE ON record_entries "
        "FOR EACH STATEMENT EXECUTE FUNCTION record_is_append_only()"
    )
    op.execute(
        "CREATE TRIGGER record_entries_stay BEFORE UPDATE ON record_entries "
        "FOR EACH ROW EXECUTE FUNCTION record_entry_stays()"
    )
    op.execute(
        "CREATE TRIGGER record_entries_follow BEFORE INSERT ON record_entries "
        "FOR EACH ROW EXECUTE FUNCTION record_entry_follows()"
    )


def _make_accounts() -> None:
    op.create_table(
        "accounts",
        sa.Column("name", sa.String(40), primary_key=True),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("password", sa.String(200), nullable=False),
        sa.Column("initial", sa.Boolean, nullable=False),
        sa.Column("disabled", sa.Boolean, nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("sessions_since", _MOMENT, nullable=False),
        sa.Column("password_until", _MOMENT),
        sa.Column("pits", sa.Text),
        sa.Column("origin", sa.String(10)),
        sa.Column("subject", sa.String(600)),
    )
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(12), primary_key=True),
        sa.Column("name", sa.String(60), nullable=False),
        sa.Column("role", sa.String(20), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("created_by", sa.String(100), nullable=False),
        sa.Column("expires_at", _MOMENT, nullable=False),
        sa.Column("revoked_at", _MOMENT),
        sa.Column("pits", sa.Text),
    )
    op.create_table(
        "page_sessions",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("account", sa.String(40), sa.ForeignKey("accounts.name"), nullable=False),
        sa.Column("started_at", _MOMENT, nullable=False),
        sa.Column("ends_at", _MOMENT, nullable=False),
        sa.Column("used_at", _MOMENT),
        sa.Column("browser", sa.String(200)),
        sa.Column("address", sa.String(60)),
    )
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
    op.create_table(
        "telephones",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("account", sa.String(40), sa.ForeignKey("accounts.name"), nullable=False, index=True),
        sa.Column("endpoint", sa.Text, nullable=False),
        sa.Column("p256dh", sa.String(100), nullable=False),
        sa.Column("auth", sa.String(40), nullable=False),
        sa.Column("site", sa.String(255), nullable=False),
        sa.Column("language", sa.String(20), nullable=False),
        sa.Column("browser", sa.String(200), nullable=False),
        sa.Column("added_at", _MOMENT, nullable=False),
    )


def _make_deliveries() -> None:
    op.create_table(
        "deliveries",
        sa.Column("subscriber", sa.String(60), primary_key=True),
        sa.Column("position", _NUMBER, nullable=False),
        sa.Column("part", sa.Integer, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("hash", sa.String(64)),
        # Number of the entry at the position, if it is of this service's own log.
        sa.Column("own", _NUMBER),
        sa.Column("at", _MOMENT),
        sa.Column("stopped_at", _MOMENT),
    )
    op.create_table(
        "dead_letters",
        sa.Column("subscriber", sa.String(60), primary_key=True),
        sa.Column("id", sa.String(120), primary_key=True),
        sa.Column("position", _NUMBER, nullable=False),
        sa.Column("part", sa.Integer, nullable=False),
        sa.Column("at", _MOMENT, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("error", sa.Text, nullable=False),
    )


def _make_projections() -> None:
    op.create_table("projections", sa.Column("version", sa.Integer, nullable=False))
    op.execute("INSERT INTO projections (version) VALUES (0)")
    op.create_table(
        "followed",
        sa.Column("log", sa.Integer, sa.ForeignKey("logs.id"), primary_key=True),
        sa.Column("seq", _NUMBER, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("own_name", sa.Text, nullable=False),  # of the table, in a followed log
    )
    op.create_table(
        "rounds",
        sa.Column("log", sa.Integer, sa.ForeignKey("logs.id"), nullable=False),
        sa.Column("round", sa.Text, nullable=False),
        sa.Column("table", sa.Text, nullable=False),
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
        sa.Column("wrong_rules", sa.Text, nullable=False),
        sa.Column("dealer", sa.Text),
        sa.Column("verified", sa.Text, nullable=False),
        sa.Column("verified_hand_at", sa.Text),
        sa.Column("house_hand", sa.Text, nullable=False),
        sa.Column("boxes", sa.Text, nullable=False),
        sa.Column("lasted_s", sa.Float),
        sa.PrimaryKeyConstraint("log", "round"),
    )
    op.create_index("ix_rounds_opened", "rounds", ["opened_at", "first"])
    op.create_index("ix_rounds_table", "rounds", ["table", "opened_at", "first"])
    op.create_index("ix_rounds_number", "rounds", ["table", "number"])
    op.create_index(
        "ix_rounds_verified", "rounds", ["table", "verified_hand_at"], **_where("verified_hand_at IS NOT NULL")
    )
    op.create_index("ix_rounds_house_hand", "rounds", ["table", "opened_at"], **_where("house_hand <> ''"))
    op.create_index("ix_rounds_wrong", "rounds", ["table", "opened_at", "first"], **_where("ever_wrong"))
    op.create_index("ix_rounds_waiting", "rounds", ["opened_at", "first"], **_where(_WAITS))
    op.create_index("ix_rounds_waiting_table", "rounds", ["table", "opened_at", "first"], **_where(_WAITS))
    op.create_table(
        "claims",
        sa.Column("log", sa.Integer, sa.ForeignKey("logs.id"), nullable=False),
        sa.Column("what", sa.Text, nullable=False),
        sa.Column("by", sa.Text, nullable=False),
        sa.Column("since", sa.Text, nullable=False),
        sa.Column("seen_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("log", "what"),
    )


def _make_alarms() -> None:
    op.create_table(
        "alarms",
        # Names it in this service: the position of the entry that raised it, times a thousand, and which of its alarms.
        sa.Column("number", _NUMBER, primary_key=True, autoincrement=False),
        sa.Column("log", sa.Integer, sa.ForeignKey("logs.id"), nullable=False),
        # The same by the number that the entry has in its log, as the entries of that log name it.
        sa.Column("own_number", _NUMBER, nullable=False),
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
    )
    op.create_index("ix_alarms_own_number", "alarms", ["log", "own_number"], unique=True)
    op.create_index("ix_alarms_table", "alarms", ["table", "number"])
    op.create_index("ix_alarms_round", "alarms", ["round"])
    op.create_index("ix_alarms_open", "alarms", ["number"], **_where(_OPEN))
    op.create_index("ix_alarms_open_table", "alarms", ["table", "kind", "number"], **_where(_OPEN))
    op.create_index("ix_alarms_lasting", "alarms", ["table", "kind", "number"], **_where("over_at IS NULL"))
    op.create_index("ix_alarms_stand", "alarms", ["log", "round"], **_where(_STANDS))


def _make_cosignatures() -> None:
    """What was signed is never forgotten."""
    op.create_table(
        "log_cosignatures",
        sa.Column("id", _NUMBER, primary_key=True),
        sa.Column("log", sa.Integer, sa.ForeignKey("logs.id"), nullable=False),
        sa.Column("record", sa.Text, nullable=False),
        sa.Column("seq", _NUMBER, nullable=False),
        sa.Column("hash", sa.Text, nullable=False),
        # That the table signed it with, and the co-signature.
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("line", sa.Text, nullable=False),
    )
    op.create_index("ix_log_cosignatures_table", "log_cosignatures", ["log", "id"])
    op.create_index("ix_log_cosignatures_same", "log_cosignatures", ["log", "hash"], unique=True)

"""The tables of the store, for queries; :mod:`service.record.store.migrations` creates them.

One store holds the entries of several logs: this service's own, and those of the services that it follows. The rounds
and alarms of all logs are in the same tables, each with the name that its table has in this service.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import and_, column, func, literal, or_, select, table

from service.record.store.entries import Entry, Reply

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import BindParameter, ColumnElement, FromClause, TableClause
    from sqlalchemy.sql.base import ReadOnlyColumnCollection

    Columns = ReadOnlyColumnCollection[str, Any]

OWN_LOG: Final = 1
"""Number of this service's own log."""
TIMED: Final = ("review", "alarm", "outage")
"""Kinds of entries that are also found by their time."""
KNOWN: Final = ("record", "key", "seq", "hash", "epoch", "due")
"""Columns of ``logs`` with the head of a followed log."""
ENTRY: Final[Sequence[str]] = Entry.__slots__
"""Columns of an entry."""


def _table(name: str, *columns: str) -> TableClause:
    return table(name, *map(column, columns))


logs = _table("logs", "id", "name", *KNOWN, "copied")
entries = _table("record_entries", "position", "log", *ENTRY, "signature", "received_at", "gone")
pictures = _table("record_pictures", "position", "sha256", "bytes", "media_type")
replies = _table("record_replies", "seq", *Reply.__slots__)
"""Answers to requests that were sent to this service."""
cosignatures = _table("record_cosignatures", "seq", "witness", "line")
"""Signatures of witnesses on this service's own checkpoints."""

refused = _table("refused_entries", "id", "log", "sha256", "line", "code", "fault", "first_at", "last_at", "times")
"""What was not accepted from followed services."""
log_cosignatures = _table("log_cosignatures", "id", "log", "record", "seq", "hash", "key", "line")
"""Signatures that this service made as a witness of followed logs."""

deliveries = _table("deliveries", "subscriber", "position", "part", "attempts", "stopped_at", "hash", "own", "at")
dead_letters = _table("dead_letters", "subscriber", "id", "position", "part", "at", "attempts", "error")

projections = _table("projections", "version")
"""One row: the version that derived rounds and alarms. It is locked while they are changed."""
followed = _table("followed", "log", "seq", "hash", "at", "own_name")
"""The last entry followed of each log, when it was recorded, and what a followed log calls its table."""
ROUND: Final = (
    "log",
    "round",
    "table",
    "number",
    "first",  # position of its first entry
    "position",  # of its newest revision
    "opened_at",
    "changed_at",
    "state",
    "status",
    "verdict",
    "doubts",  # places in doubt, with blanks between them
    "ever_wrong",  # a hand lay against the House Way in some revision
    "decided_wrong",  # it does on a person's word; null if no person decided
    "wrong_rules",  # the rules that hands were set against, one a line
    "dealer",  # null if nobody said who dealt
    "verified",  # places of hands that are verified, with blanks between them
    "verified_hand_at",  # when a hand was last newly verified; null if none is
    "house_hand",  # how the House hand lies, as LOW / HIGH; empty unless it is sure
    "boxes",  # numbers of the boxes with hands, a digit each
    "lasted_s",  # from the deal until the tiles were put away, seconds; null if either was not seen
)
rounds = _table("rounds", *ROUND)
alarms = _table(
    "alarms",
    "number",  # position of the entry that raised it, times a thousand, and which of that entry's alarms it is
    "log",
    "own_number",  # the same by the number of the entry in its log: what entries of that log name it by
    "table",
    "kind",
    "round",
    "subject",
    "line",
    "parts",  # as JSON
    "details",  # as JSON
    "times",
    "raised_at",
    "last_raised_at",
    "over_at",
    "answered_at",
    "answered_by",
    "answer",
    "reason",
)
claims = _table("claims", "log", "what", "by", "since", "seen_at")


def is_mistake(columns: Columns) -> ColumnElement[bool]:
    """Whether a hand of a round lay against the House Way at some time; where a person decided, on that word."""
    return and_(columns.ever_wrong, func.coalesce(columns.decided_wrong, columns.ever_wrong))


def of_present_log(rows: TableClause, local: Collection[str]) -> ColumnElement[bool]:
    """Rounds or alarms from the log that a table's entries are appended to now.

    A table may have been local before its service was followed, or the other way round; then both logs have rows under
    its name. Rows of tables that are neither local nor followed now are included.
    """
    log, name = rows.c.log, rows.c.table
    followed = select(logs.c.name).where(logs.c.id != OWN_LOG)
    return or_(
        and_(log == OWN_LOG, or_(name.in_(local), name.not_in(followed))), and_(log != OWN_LOG, name.not_in(local))
    )


@dataclass(frozen=True, slots=True)
class LogTables:
    """The entries that a log has now, with the columns of an entry and by the numbers of that log.

    Attributes:
        signatures: ``seq`` and ``signature``.
        pictures: ``seq``, ``sha256``, ``bytes`` and ``media_type``.
    """

    entries: FromClause
    signatures: FromClause
    pictures: FromClause


def tables_of(log: int) -> LogTables:
    columns, named = entries.c, pictures.c
    of_log = (columns.log == log, columns.gone.is_(None))
    of_pictures = (
        select(columns.seq, named.sha256, named.bytes, named.media_type)
        .join_from(pictures, entries, named.position == columns.position)
        .where(*of_log)
    )
    return LogTables(
        select(*(columns[name] for name in ENTRY)).where(*of_log).subquery("entries"),
        select(columns.seq, columns.signature).where(*of_log).subquery("signatures"),
        of_pictures.subquery("pictures"),
    )


OWN: Final = tables_of(OWN_LOG)


def of_index(value: str) -> BindParameter[str]:
    """A value written into the statement: without it SQLite cannot see that a partial index has all rows asked for."""
    return literal(value, literal_execute=True)

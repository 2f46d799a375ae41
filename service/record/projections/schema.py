"""The tables of rounds and alarms, for queries; the migrations of the store create them.

The rows of all logs are in the same tables, each with the name that its table has in this service.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import column, literal, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import BindParameter

VERSION: Final = 4
"""Raised whenever different rows are derived from the same entries."""

ROUND: Final[Sequence[str]] = (
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
    "dealer",  # null if nobody said who dealt
    "verified",  # places of hands that are verified, with blanks between them
    "verified_hand_at",  # when a hand was last newly verified; null if none is
)
ALARM: Final[Sequence[str]] = (
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

projections = table("projections", column("version"))
"""One row: the version that derived them. It is locked while they are changed."""
followed = table("followed", *map(column, ("log", "seq", "hash", "at", "own_name")))
"""The last entry followed of each log, when it was recorded, and what a followed log calls its table."""
rounds = table("rounds", *map(column, ROUND))
alarms = table("alarms", *map(column, ALARM))
claims = table("claims", *map(column, ("log", "what", "by", "since", "seen_at")))


def of_index(value: str) -> BindParameter[str]:
    """A value written into the statement: without it SQLite cannot see that a partial index has all rows asked for."""
    return literal(value, literal_execute=True)

"""The tables of what is made of the entries, for queries; the migrations of the store make them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import column, literal, select, table

from service.alarms import alarm_tables
from service.floor.store import schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import BindParameter

VERSION: Final = 2
"""Of what is made of the entries: a program that makes something else of the same ones has another number here."""

ROUND: Final[Sequence[str]] = (
    "log",
    "round",
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
)

projections = table("projections", column("version"))
"""One row: which version made them. Whoever changes them holds it."""
followed = table("followed", *map(column, ("log", "seq", "hash", "at", "own_name")))
"""Up to which entry of each table they are made, when the table recorded that, and what it calls itself."""
rounds = table("rounds", *map(column, ROUND))
alarms = table("log_alarms", *map(column, ("log", "position", "listed", *alarm_tables.COLUMNS)))
claims = table("claims", *map(column, ("log", "what", "by", "since", "seen_at")))

_OF_FLOOR: Final = {"number": alarms.c.listed.label("number"), "table": schema.tables.c.name.label("table")}
alarms_of_floor = (
    select(
        *(_OF_FLOOR.get(name, alarms.c[name]) for name in alarm_tables.COLUMNS),
        alarms.c.log,
        alarms.c.number.label("own_number"),
    )
    .join_from(alarms, schema.tables, schema.tables.c.id == alarms.c.log)
    .subquery("alarms")
)
"""The alarms of all tables as those of one: each has a number of the floor's, and its table's name there."""


def of_index(value: str) -> BindParameter[str]:
    """A value written into the statement: without it SQLite cannot see that a partial index has all rows asked for."""
    return literal(value, literal_execute=True)

"""The tables of alarms, beside the record's own: what they hold follows from its entries, and can be made anew."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from sqlalchemy import column, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import ColumnElement, TableClause

COLUMNS: Final[Sequence[str]] = (
    "number",  # of the entry that raised it, times a thousand, and which of that entry's alarms it is
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
alarms = table("alarms", *map(column, COLUMNS))
read = table("alarms_read", column("through"))
"""One row: the last entry in ``alarms``."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where the alarms of one record are kept: in a table of their own, or in one with those of others.

    Attributes:
        alarms: the table.
        whose: columns that say in the table whose alarms they are, with what they hold.
        noted: columns that are set beside when an alarm is raised.
    """

    alarms: TableClause
    whose: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    noted: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))

    def own(self) -> Iterator[ColumnElement[bool]]:
        """What only these alarms fit."""
        return (self.alarms.c[name] == value for name, value in self.whose.items())


OWN: Final = Shelf(alarms)
"""The alarms of a record that has its database to itself."""

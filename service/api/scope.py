"""The tables that a caller may see: all, or those of the pits that the account or key is limited to.

Routes and pages find tables here only; tables outside are answered like unknown ones.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.api.permissions import caller_of
from service.api.problems import ProblemError
from service.hub.fleet import ordered
from service.record.ledger import UnknownRoundError
from service.record.projections.alarms import KINDS, AlarmList, AlarmPage
from service.record.store.database_reader import record_of_log
from service.record.store.schema import OWN_LOG
from service.words.wording import words

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from fastapi import Request

    from service.api.local_table import LocalTable
    from service.api.parts import Parts
    from service.hub.fleet import FleetRow
    from service.hub.overview import Overview
    from service.record.projections.alarms import Alarm
    from service.record.store.stored_logs import HeldTable
    from service.system.remote_settings import PitConfig
    from service.system.settings import TableConfig
    from service.system.subscriber_settings import AlarmKind


@dataclass(frozen=True, slots=True)
class Scope:
    """The tables that a caller may see.

    Attributes:
        of_pits: names of the pits that the caller is limited to; empty for no limit.
    """

    parts: Parts
    of_pits: tuple[str, ...] = ()

    @property
    def tables(self) -> tuple[TableConfig, ...]:
        """The tables, local and remote, as the settings list them."""
        return tuple(each for each in self.parts.config.tables if not self.of_pits or each.pit in self.of_pits)

    @property
    def local(self) -> tuple[LocalTable, ...]:
        """The local tables."""
        return tuple(table for table in self.parts.tables.values() if self.sees(table.settings.pit, None))

    @property
    def pits(self) -> tuple[PitConfig, ...]:
        """The pits, as the settings list them."""
        return tuple(each for each in self.parts.config.pits if not self.of_pits or each.name in self.of_pits)

    @property
    def named(self) -> dict[str, object]:
        """Names and links of tables and pits, for templates."""
        return {
            "at_table": "/tables/{}".format,
            "titles": {table.name: table.title for table in self.tables},
            "pit_titles": {pit.name: pit.title for pit in self.pits},
        }

    @property
    def bounds(self) -> frozenset[str] | None:
        """Names of the tables; None for all, including former ones."""
        # Alarms of a renamed local table could not be acknowledged.
        return frozenset(each.name for each in self.tables) if self.of_pits or self.parts.tables else None

    def sees(self, pit: str | None, asked: str | None) -> bool:
        """Whether a table in a pit is visible, and in the requested pit if there is one."""
        return (not self.of_pits or pit in self.of_pits) and asked in {None, pit}

    async def overview(self) -> Overview:
        """The current states of the tables."""
        whole = await self.parts.overview.now()
        return whole.within(self.of_pits) if self.of_pits else whole

    async def fleet(self, pit: str | None, sort: str) -> tuple[FleetRow, ...]:
        """The equipment of the tables, sorted by a column; ProblemError for an unknown pit."""
        tables = self.tables_in(None, pit)
        rows = ordered(await self.parts.fleet.now(), sort)
        return tuple(row for row in rows if tables is None or row.name in tables)

    def table_of(self, name: str) -> TableConfig:
        """A table's settings by its name; ProblemError for an unknown table."""
        found = next((table for table in self.tables if table.name == name), None)
        if found is None:
            unknown = words("There is no table %(table)s here.", table=repr(name))
            raise ProblemError("unknown_table", unknown)
        return found

    def local_table(self, name: str) -> LocalTable:
        """A local table by its name; ProblemError for a remote or unknown one."""
        found = next((table for table in self.local if table.name == name), None)
        if found is None and any(table.name == name for table in self.tables):
            title = self.table_of(name).title
            raise ProblemError(
                "table_elsewhere",
                words("Another Houseway service runs the table %(table)s. Only that service has this.", table=title),
            )
        if found is None:
            detail = f"There is no table {name!r} here; this service watches {self._local_names}."
            raise ProblemError("unknown_table", detail)
        return found

    def asked_table(self, name: str | None) -> LocalTable:
        """The named local table, or without a name the only one; ProblemError."""
        if name is None and self.parts.single is not None:
            name = self.parts.single.name
        if name is None:
            raise ProblemError("table_needed", f"Name the table: this service watches {self._local_names}.")
        return self.local_table(name)

    @property
    def _local_names(self) -> str:
        return ", ".join(repr(table.name) for table in self.local) or "no tables"

    def held_table(self, name: str) -> HeldTable:
        """A remote table in the store; ProblemError if it is unknown, or nothing has been collected from it."""
        self.table_of(name)
        found = self.parts.hub.reader.table(name)
        if found is None:
            nothing = words("Nothing has been collected from the table %(table)s yet.", table=repr(name))
            raise ProblemError("unknown_table", nothing)
        return found

    def log_of(self, name: str) -> int:
        """Number of the log with a table's entries; raises like `held_table`."""
        if name not in self.parts.tables:
            return self.held_table(name).id
        self.table_of(name)
        return OWN_LOG

    def log_of_round(self, table: str, round_id: str) -> int:
        """Number of the log with a table's round; UnknownRoundError if the table has no such round."""
        log, local = self.log_of(table), self.parts.tables.get(table)
        known = record_of_log(self.parts.projector.database, log).of_rounds((round_id,))
        if not known or (local is not None and self.parts.table_of(round_id) != table):
            raise UnknownRoundError(words("No round %(round)s is in the record.", round=repr(round_id)))
        return log

    def tables_in(self, table: str | None, pit: str | None) -> list[str] | None:
        """Names of the selected tables; None for all. ProblemError for an unknown table or pit."""
        if pit is not None and pit not in {each.name for each in self.pits}:
            raise ProblemError("unknown_pit", words("There is no pit %(pit)s here.", pit=repr(pit)))
        if table is not None:
            of = self.table_of(table)
            return [table] if pit in {None, of.pit} else []
        if pit is None and self.bounds is None:
            return None
        return [each.name for each in self.tables if pit in {None, each.pit}]

    def alarms_of(self, tables: Collection[str] | None) -> AlarmList:
        """The recorded alarms of some tables, or of all."""
        return AlarmList(self.parts.record.database, tables)

    def alarms_in(self, table: str | None, pit: str | None) -> AlarmsNow:
        """The alarms of a table, of a pit, or of all tables.

        ProblemError for an unknown table or pit; RecordUnavailableError.
        """
        meant = self.tables_in(table, pit)
        standing = [each.alarms.standing() for each in self.local if meant is None or each.name in meant]
        new = tuple(alarm for of_table in standing for alarm in of_table.open if alarm.id is None)
        return AlarmsNow(new, self.alarms_of(meant))


@dataclass(frozen=True, slots=True)
class AlarmsNow:
    """The alarms of some tables.

    Attributes:
        new: failed checks of local tables that are not recorded yet.
        recorded: all other alarms.
    """

    new: tuple[Alarm, ...]
    recorded: AlarmList

    def counts(self) -> dict[AlarmKind, int]:
        """Number of open alarms by kind, most severe first; kinds without any are omitted."""
        found = Counter(self.recorded.counts())
        found.update(alarm.kind for alarm in self.new)
        return {kind: found[kind] for kind in KINDS if found[kind]}

    def page(
        self,
        *,
        kind: AlarmKind | None = None,
        days: tuple[datetime, datetime] | None = None,
        only_open: bool = False,
        limit: int = 50,
        cursor: str | None = None,
    ) -> AlarmPage:
        """On the first page alarms not recorded yet, then those of :meth:`AlarmList.page`."""
        found = self.recorded.page(kind=kind, days=days, only_open=only_open, limit=limit, cursor=cursor)
        if cursor is not None:
            return found
        new = tuple(
            alarm
            for alarm in self.new
            if kind in {None, alarm.kind} and (days is None or days[0] <= alarm.raised_at < days[1])
        )
        return AlarmPage((*new, *found.alarms), found.next)


def scope_of(request: Request, parts: Parts) -> Scope:
    """The tables that the sender of a request may see."""
    return Scope(parts, caller_of(request).pits)

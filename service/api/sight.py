"""What a caller sees of a service: all of its tables, or those of the pits that the account or key is limited to.

Every route and page asks by it; what lies outside is answered as if it were not there.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request

from service.api.deps import Parts, PartsDep  # noqa: TC001  FastAPI resolves annotations
from service.api.errors import ProblemError
from service.api.permissions import caller_of
from service.hub.fleet import ordered
from service.record.ledger import UnknownRoundError
from service.record.projections.alarms import KINDS, AlarmList, AlarmPage
from service.record.store.database_reader import record_of_log
from service.record.store.schema import OWN_LOG
from service.words.wording import words

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from service.api.local_table import LocalTable
    from service.hub.fleet import FleetRow
    from service.hub.shown.overview import Overview
    from service.record.projections.alarms import Alarm
    from service.record.store.stored_logs import HeldTable
    from service.system.remote_settings import PitConfig
    from service.system.settings import TableConfig
    from service.system.subscriber_settings import AlarmKind


@dataclass(frozen=True, slots=True)
class Sight:
    """What somebody sees.

    Attributes:
        parts: of the application.
        of_pits: names of the pits; none for all tables.
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
        """What templates need to name tables and pits, and to link to them."""
        return {
            "at_table": "/tables/{}".format,
            "titles": {table.name: table.title for table in self.tables},
            "pit_titles": {pit.name: pit.title for pit in self.pits},
        }

    @property
    def bounds(self) -> frozenset[str] | None:
        """Names of the tables; None for all that there are and ever were."""
        # A local table that has another name now leaves alarms that nobody could answer.
        return frozenset(each.name for each in self.tables) if self.of_pits or self.parts.tables else None

    def sees(self, pit: str | None, asked: str | None) -> bool:
        """Whether a table in a pit is seen, and is in the pit that is asked about, if any."""
        return (not self.of_pits or pit in self.of_pits) and asked in {None, pit}

    async def overview(self) -> Overview:
        """How the tables are now."""
        whole = await self.parts.overview.now()
        return whole.within(self.of_pits) if self.of_pits else whole

    async def fleet(self, pit: str | None, sort: str) -> tuple[FleetRow, ...]:
        """What the tables run on now, in the order of a column; ProblemError if there is no such pit."""
        tables = self.tables_in(None, pit)
        rows = ordered(await self.parts.fleet.now(), sort)
        return tuple(row for row in rows if tables is None or row.name in tables)

    def table_of(self, name: str) -> TableConfig:
        """A table of the settings by its name; ProblemError if there is none."""
        found = next((table for table in self.tables if table.name == name), None)
        if found is None:
            unknown = words("There is no table %(table)s here.", table=repr(name))
            raise ProblemError(404, "unknown_table", unknown)
        return found

    def held_table(self, name: str) -> HeldTable:
        """A remote table as the store has it; ProblemError also if nothing of it was ever collected."""
        self.table_of(name)
        found = self.parts.hub.reader.table(name)
        if found is None:
            nothing = words("Nothing has been collected from the table %(table)s yet.", table=repr(name))
            raise ProblemError(404, "unknown_table", nothing)
        return found

    def log_of(self, name: str) -> int:
        """Number of the log that a table's entries are in; raises as `held_table`."""
        if name not in self.parts.tables:
            return self.held_table(name).id
        self.table_of(name)
        return OWN_LOG

    def log_of_round(self, table: str, round_id: str) -> int:
        """The same for a round of a table; UnknownRoundError if the table has no such round."""
        log, local = self.log_of(table), self.parts.tables.get(table)
        known = record_of_log(self.parts.projector.database, log).of_rounds((round_id,))
        if not known or (local is not None and self.parts.table_of(round_id) != table):
            raise UnknownRoundError(words("No round %(round)s is in the record.", round=repr(round_id)))
        return log

    def tables_in(self, table: str | None, pit: str | None) -> list[str] | None:
        """Names of the tables that are meant; None for all. ProblemError if there is no such table or pit."""
        if pit is not None and pit not in {each.name for each in self.pits}:
            raise ProblemError(404, "unknown_pit", words("There is no pit %(pit)s here.", pit=repr(pit)))
        if table is not None:
            of = self.table_of(table)
            return [table] if pit in {None, of.pit} else []
        if pit is None and self.bounds is None:
            return None
        return [each.name for each in self.tables if pit in {None, each.pit}]

    def alarms_of(self, tables: Collection[str] | None) -> AlarmList:
        """The recorded alarms of some tables, or of all of them."""
        return AlarmList(self.parts.record.database, tables)

    def alarms_in(self, table: str | None, pit: str | None) -> AlarmsNow:
        """The current alarms of a table, of a pit, or of all tables.

        ProblemError if there is no such table or pit; RecordUnavailableError.
        """
        meant = self.tables_in(table, pit)
        standing = [each.alarms.standing() for each in self.local if meant is None or each.name in meant]
        new = tuple(alarm for of_table in standing for alarm in of_table.open if alarm.id is None)
        return AlarmsNow(new, self.alarms_of(meant))


@dataclass(frozen=True, slots=True)
class AlarmsNow:
    """The alarms of some tables.

    Attributes:
        new: failed checks of local tables that the record does not have yet.
        recorded: all others.
    """

    new: tuple[Alarm, ...]
    recorded: AlarmList

    def counts(self) -> dict[AlarmKind, int]:
        """How many of each kind nobody answered, the worst first; only kinds that have any."""
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
        """Those not recorded yet, and behind them a page as of :meth:`AlarmList.page`."""
        found = self.recorded.page(kind=kind, days=days, only_open=only_open, limit=limit, cursor=cursor)
        if cursor is not None:
            return found
        new = tuple(
            alarm
            for alarm in self.new
            if kind in {None, alarm.kind} and (days is None or days[0] <= alarm.raised_at < days[1])
        )
        return AlarmPage((*new, *found.alarms), found.next)


def sight_of(request: Request, parts: Parts) -> Sight:
    """What whoever sends a request sees."""
    return Sight(parts, caller_of(request).pits)


async def _sight(request: Request, parts: PartsDep) -> Sight:
    return sight_of(request, parts)


SightDep = Annotated[Sight, Depends(_sight)]

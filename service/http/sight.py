"""What of a floor a caller sees: all of it, or the tables of the pits that the account or key is bounded to.

Every route and page asks by it; what lies outside is answered as if it were not there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request

from service.floor.fleet import ordered
from service.http.deps import Parts, PartsDep  # noqa: TC001  FastAPI resolves annotations
from service.http.errors import ProblemError
from service.http.permissions import caller_of
from service.projections.alarm_list import AlarmList
from service.words.wording import words

if TYPE_CHECKING:
    from collections.abc import Collection

    from service.config.remote_settings import PitConfig, RemoteTableConfig
    from service.floor.fleet import FleetRow
    from service.floor.shown.tables import Floor
    from service.record.store.held import HeldTable


@dataclass(frozen=True, slots=True)
class Sight:
    """What somebody sees.

    Attributes:
        parts: of the floor.
        of_pits: names of the pits; none for the whole floor.
    """

    parts: Parts
    of_pits: tuple[str, ...] = ()

    @property
    def tables(self) -> tuple[RemoteTableConfig, ...]:
        """The tables, as the settings list them."""
        return tuple(each for each in self.parts.config.remote if not self.of_pits or each.pit in self.of_pits)

    @property
    def pits(self) -> tuple[PitConfig, ...]:
        """The pits, as the settings list them."""
        return tuple(each for each in self.parts.config.pits if not self.of_pits or each.name in self.of_pits)

    @property
    def named(self) -> dict[str, object]:
        """What templates need to name tables and pits, and to link to them."""
        return {
            "review_at": "/reviews",
            "at_table": "/tables/{}".format,
            "titles": {table.name: table.title for table in self.tables},
            "pit_titles": {pit.name: pit.title for pit in self.pits},
        }

    @property
    def bounds(self) -> frozenset[str] | None:
        """Names of the tables; None for all that there are and ever were."""
        # Tables with a camera here have their own pages.
        return frozenset(each.name for each in self.tables) if self.of_pits or self.parts.tables else None

    def sees(self, pit: str | None, asked: str | None) -> bool:
        """Whether a table in a pit is seen, and is in the pit that is asked about, if any."""
        return (not self.of_pits or pit in self.of_pits) and asked in {None, pit}

    async def floor(self) -> Floor:
        """How the tables are now."""
        whole = await self.parts.hub.view.now()
        return whole.within(self.of_pits) if self.of_pits else whole

    async def fleet(self, pit: str | None, sort: str) -> tuple[FleetRow, ...]:
        """What the tables run on now, in the order of a column; ProblemError if there is no such pit."""
        tables = self.tables_in(None, pit)
        rows = ordered(await self.parts.hub.fleet.now(), sort)
        return tuple(row for row in rows if tables is None or row.name in tables)

    def table_of(self, name: str) -> RemoteTableConfig:
        """A table of the settings by its name; ProblemError if there is none."""
        found = next((table for table in self.tables if table.name == name), None)
        if found is None:
            unknown = words("There is no table %(table)s on this floor.", table=repr(name))
            raise ProblemError(404, "unknown_table", unknown)
        return found

    def held_table(self, name: str) -> HeldTable:
        """The same as the store has it; ProblemError also if nothing of it was ever collected."""
        self.table_of(name)
        found = self.parts.hub.reader.table(name)
        if found is None:
            nothing = words("Nothing has been collected from the table %(table)s yet.", table=repr(name))
            raise ProblemError(404, "unknown_table", nothing)
        return found

    def tables_in(self, table: str | None, pit: str | None) -> list[str] | None:
        """Names of the tables that are meant; None for all. ProblemError if there is no such table or pit."""
        if pit is not None and pit not in {each.name for each in self.pits}:
            raise ProblemError(404, "unknown_pit", words("There is no pit %(pit)s on this floor.", pit=repr(pit)))
        if table is not None:
            of = self.table_of(table)
            return [table] if pit in {None, of.pit} else []
        if pit is None and self.bounds is None:
            return None
        return [each.name for each in self.tables if pit in {None, each.pit}]

    def alarms_of(self, tables: Collection[str] | None) -> AlarmList:
        """The alarms of some tables, or of all of them."""
        return AlarmList(self.parts.hub.reader.database, tables)


def sight_of(request: Request, parts: Parts) -> Sight:
    """What whoever sends a request sees."""
    return Sight(parts, caller_of(request).pits)


async def _sight(request: Request, parts: PartsDep) -> Sight:
    return sight_of(request, parts)


SightDep = Annotated[Sight, Depends(_sight)]

"""What routes are handed: the pieces of one application, never module globals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, cast

from fastapi import Depends, Path, Query, Request

from service.api.cookies import cookie_of
from service.api.errors import ProblemError
from service.api.local_table import LocalTable
from service.api.permissions import caller_of
from service.record.ledger import table_of_round
from service.rounds.judge.rules_in_force import rules_of, rules_of_tables
from service.rounds.served import RoundOut

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.access.access import Access, Caller
    from service.api.desk import Desk
    from service.api.notify.notices import NoticeFeed
    from service.hub.fleet import Fleet
    from service.hub.hub import Hub
    from service.hub.shown.live_overview import LiveOverview
    from service.record.checkpoints.history import RecordHistory
    from service.record.feed import Feed
    from service.record.projections.projector import Projector
    from service.record.projections.round_search import FoundRound
    from service.record.store.record import Record
    from service.record.waiting import News
    from service.rounds.judge.rules_in_force import RulesInForce
    from service.rounds.reports import RoundReport
    from service.system.limited_process import AnswerCache
    from service.system.settings import Config
    from service.table.metrics import Metrics
    from service.table.sent_pictures import SentPictureReader


@dataclass(frozen=True, slots=True)
class Parts:
    """The pieces of one running application: what all of its tables have in common, and the tables.

    Attributes:
        record: of all tables; each entry names its own.
        news: what the service notifies of.
        tables: those with a camera here, by name.
        projector: makes rounds and alarms of the record.
        desk: has tables record what people decide and acknowledge.
        reads: reads pictures that are sent.
        counting: counts the exact figures of House Ways.
        overview: how all tables are.
        following: follows the tables of other services; None if there are none.
        fleet: what all tables run on.
    """

    config: Config
    record: Record
    access: Access
    metrics: Metrics
    news: News
    tables: Mapping[str, LocalTable]
    projector: Projector
    desk: Desk
    feed: Feed
    notices: NoticeFeed
    history: RecordHistory
    reads: SentPictureReader
    counting: AnswerCache
    overview: LiveOverview
    following: Hub | None
    fleet: Fleet

    @property
    def hub(self) -> Hub:
        """What follows the tables of other services: routes that need it are there only if there are such tables."""
        assert self.following is not None  # noqa: S101  see service.web.app
        return self.following

    @property
    def only(self) -> LocalTable | None:
        """The table, if the service has no other, also none of another service."""
        return next(iter(self.tables.values())) if len(self.config.tables) == len(self.tables) == 1 else None

    @property
    def title(self) -> str:
        """What people call the service."""
        return self.config.service.title

    @property
    def cookie(self) -> str:
        """Name of the page's cookie."""
        return cookie_of(self.config)

    @property
    def begins_at(self) -> str:
        """A table that has no camera yet is set up first."""
        return next((f"{table.at}/setup" for table in self.tables.values() if not table.setting_up.chosen), "/")

    @property
    def handles(self) -> int:
        """File handles needed for the tables of other services."""
        return 0 if self.following is None else self.following.handles

    def table(self, name: str, caller: Caller) -> LocalTable:
        """A local table by its name; ProblemError if there is none that the caller may see."""
        seen = self._seen_by(caller)
        if (found := seen.get(name)) is None:
            known = _listed(seen)
            raise ProblemError(404, "unknown_table", f"There is no table {name!r} here; this service watches {known}.")
        return found

    def asked_table(self, name: str | None, caller: Caller) -> LocalTable:
        """The table that is named; the only one if none is; ProblemError."""
        if name is None and self._single is not None:
            name = self._single.name
        if name is None:
            known = _listed(self._seen_by(caller))
            raise ProblemError(422, "table_needed", f"Name the table: this service watches {known}.")
        return self.table(name, caller)

    def table_of(self, round_id: str) -> str:
        """The name of the table of a recorded round; UnknownRoundError, RecordUnavailableError."""
        # The only table has all rounds, also those recorded while it had another name.
        return table_of_round(self.record, round_id) if self._single is None else self._single.name

    def rules_of(self, played: RoundReport) -> RulesInForce:
        """The rules by which a recorded round was judged."""
        return rules_of_tables({name: table.rules for name, table in self.tables.items()})(played)

    def served(self, found: FoundRound) -> RoundOut:
        """A round in English, under the name that its table has here."""
        local = self.tables.get(found.table)
        said = RoundOut.from_report(found.played, None if local is None else local.rules.of_round(found.played))
        return said.model_copy(update={"table": found.table})

    def low_lies(self, table: str, played: RoundReport) -> str:
        """How a low hand lay in a round: as the settings of a local table say, else as the rulebook has it."""
        local = self.tables.get(table)
        if local is None:
            return rules_of(played).low_hand(None).value
        return local.rules.of_round(played).low_hand(local.settings.low_hand).value

    def is_kept(self, table: str, sha256: str) -> bool:
        """Whether a picture is still there; pictures of another service's table are assumed to be."""
        return table not in self.tables or self.record.evidence.path(sha256).exists()

    @property
    def _single(self) -> LocalTable | None:
        """The table with a camera here, if there is exactly one."""
        return next(iter(self.tables.values())) if len(self.tables) == 1 else None

    def _seen_by(self, caller: Caller) -> dict[str, LocalTable]:
        """The local tables that a caller may see: those of its pits, if it is limited to some."""
        return {
            name: table for name, table in self.tables.items() if not caller.pits or table.settings.pit in caller.pits
        }

    def stop_waiting(self) -> None:
        """Answer whoever waits for news."""
        self.news.close()
        self.overview.news.close()
        if self.following is not None:
            self.following.stop_waiting()

    def close(self) -> None:
        """End what runs beside the service."""
        for table in self.tables.values():
            table.setting_up.close()
        self.reads.close()
        self.counting.close()
        if self.following is not None:
            self.following.close()


def _listed(tables: Mapping[str, LocalTable]) -> str:
    return ", ".join(map(repr, tables)) or "no tables"


async def _parts(request: Request) -> Parts:
    # A plain function would be run in a thread of its own for every request.
    return cast("Parts", request.app.state.parts)


PartsDep = Annotated[Parts, Depends(_parts)]

TableName = Annotated[str, Path(max_length=40, description="the table's name, as /v1/tables lists it")]
AskedTableName = Annotated[
    str | None,
    Query(alias="table", max_length=40, description="the table's name; may be left out if there is only one"),
]
RoundId = Annotated[str, Path(max_length=64, description="the round's id", examples=["r1"])]


async def _table(request: Request, table: TableName, parts: PartsDep) -> LocalTable:
    return parts.table(table, caller_of(request))


async def _asked_table(request: Request, parts: PartsDep, table: AskedTableName = None) -> LocalTable:
    return parts.asked_table(table, caller_of(request))


def _table_of_round(request: Request, round_id: RoundId, parts: PartsDep) -> LocalTable:
    return parts.table(parts.table_of(round_id), caller_of(request))


TableDep = Annotated[LocalTable, Depends(_table)]
"""The table in the path."""
AskedTableDep = Annotated[LocalTable, Depends(_asked_table)]
"""The table that the query names; the only one if it names none."""
RoundTableDep = Annotated[LocalTable, Depends(_table_of_round)]
"""The table of the round in the path."""

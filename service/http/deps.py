"""What routes are handed: the pieces of one application, never module globals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Protocol, cast

from fastapi import Depends, Path, Query, Request

from service.http.cookies import cookie_of
from service.http.errors import ProblemError
from service.http.local_table import LocalTable
from service.record.ledger import table_of_round

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.house_way import HouseWay
    from service.access.access import Access
    from service.alarms.alarm_book import AlarmBook
    from service.config.service_settings import LimitsConfig, PageConfig, ServerConfig
    from service.config.settings import Config
    from service.notify.notices import NoticeFeed
    from service.notify.record_history import RecordHistory
    from service.ops.limited_process import AnswerCache
    from service.ops.metrics import Metrics, ServerMetrics
    from service.record.feed import Feed
    from service.record.store.record import Record
    from service.sent.sent_pictures import SentPictureReader
    from service.table.change_notifier import News


class SharedConfig(Protocol):
    """What the settings of every service say."""

    @property
    def server(self) -> ServerConfig:
        """Where it listens, and what it accepts."""
        ...

    @property
    def limits(self) -> LimitsConfig:
        """How often it may be asked."""
        ...

    @property
    def page(self) -> PageConfig:
        """What its pages look like."""
        ...


class SharedParts(Protocol):
    """What serving, signing in and accounts need of an application: a table's, or the floor's."""

    @property
    def config(self) -> SharedConfig:
        """Its settings."""
        ...

    @property
    def access(self) -> Access:
        """Who may come in."""
        ...

    @property
    def record(self) -> Record:
        """Its own record, which has the accounts."""
        ...

    @property
    def metrics(self) -> ServerMetrics:
        """What it counts."""
        ...

    @property
    def title(self) -> str:
        """What people call it."""
        ...

    @property
    def cookie(self) -> str:
        """Name of its pages' cookie."""
        ...

    @property
    def begins_at(self) -> str:
        """The page to begin with, for whoever signs in with the link of the first start."""
        ...

    @property
    def handles(self) -> int:
        """File handles that it needs for more than every service does."""
        ...

    def stop_waiting(self) -> None:
        """Answer whoever waits for news: the service is stopping."""
        ...


@dataclass(frozen=True, slots=True)
class Parts:
    """The pieces of one running application: what all of its tables have in common, and the tables.

    Attributes:
        record: of all tables; each entry names its own.
        news: what the service notifies of.
        tables: those with a camera here, by name.
        book: the alarms of all tables.
        reads: reads pictures that are sent.
        counting: counts the exact figures of House Ways.
    """

    config: Config
    record: Record
    access: Access
    metrics: Metrics
    news: News
    tables: Mapping[str, LocalTable]
    book: AlarmBook
    feed: Feed
    notices: NoticeFeed
    history: RecordHistory
    reads: SentPictureReader
    counting: AnswerCache

    @property
    def only(self) -> LocalTable | None:
        """The table, where there is exactly one."""
        return next(iter(self.tables.values())) if len(self.tables) == 1 else None

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
        """Tables with a camera here need none."""
        return 0

    def table(self, name: str) -> LocalTable:
        """A table by its name; ProblemError if there is none."""
        if (found := self.tables.get(name)) is None:
            known = ", ".join(map(repr, self.tables))
            raise ProblemError(404, "unknown_table", f"There is no table {name!r} here; this service watches {known}.")
        return found

    def asked_table(self, name: str | None) -> LocalTable:
        """The table that is named; the only one if none is; ProblemError."""
        if name is not None:
            return self.table(name)
        if self.only is None:
            known = ", ".join(map(repr, self.tables))
            raise ProblemError(422, "table_needed", f"Name the table: this service watches {known}.")
        return self.only

    def table_of(self, round_id: str) -> LocalTable:
        """The table of a recorded round; UnknownRoundError, RecordUnavailableError, ProblemError."""
        # The only table has all rounds, also those recorded while it had another name.
        return self.only or self.table(table_of_round(self.record, round_id))

    def way_of(self, table: str) -> HouseWay | None:
        """The House Way of a table; None if that table is not here."""
        return self.tables[table].house_way if table in self.tables else None

    def stop_waiting(self) -> None:
        """Answer whoever waits for news."""
        self.news.close()

    def close(self) -> None:
        """End what runs beside the service."""
        for table in self.tables.values():
            table.setting_up.close()
        self.reads.close()
        self.counting.close()
        if (lent := self.access.accounts.record) is not self.record:
            lent.close()


async def _parts(request: Request) -> Parts:
    # A plain function would be run in a thread of its own for every request.
    return cast("Parts", request.app.state.parts)


async def _shared_parts(request: Request) -> SharedParts:
    return cast("SharedParts", request.app.state.parts)


PartsDep = Annotated[Parts, Depends(_parts)]
SharedPartsDep = Annotated[SharedParts, Depends(_shared_parts)]

TableName = Annotated[str, Path(max_length=40, description="the table's name, as /v1/tables lists it")]
AskedTableName = Annotated[
    str | None,
    Query(alias="table", max_length=40, description="the table's name; may be left out if there is only one"),
]
RoundId = Annotated[str, Path(max_length=64, description="the round's id", examples=["r1"])]


async def _table(table: TableName, parts: PartsDep) -> LocalTable:
    return parts.table(table)


async def _asked_table(parts: PartsDep, table: AskedTableName = None) -> LocalTable:
    return parts.asked_table(table)


def _table_of_round(round_id: RoundId, parts: PartsDep) -> LocalTable:
    return parts.table_of(round_id)


TableDep = Annotated[LocalTable, Depends(_table)]
"""The table in the path."""
AskedTableDep = Annotated[LocalTable, Depends(_asked_table)]
"""The table that the query names; the only one if it names none."""
RoundTableDep = Annotated[LocalTable, Depends(_table_of_round)]
"""The table of the round in the path."""

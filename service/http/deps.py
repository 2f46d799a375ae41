"""What routes are handed: the pieces of one application, never module globals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Protocol, cast

from fastapi import Depends, Request

from service.config.settings import Config  # noqa: TC001  FastAPI resolves annotations while the service runs
from service.http.conditional import Newest
from service.http.cookies import cookie_of
from service.monitor.camera_watch import CameraWatch  # noqa: TC001
from service.monitor.set_watch import SetWatch  # noqa: TC001
from service.setup.set_up import SetUp  # noqa: TC001
from service.table.live_state import LiveState  # noqa: TC001

if TYPE_CHECKING:
    from engine.house_way import HouseWay
    from service.access.access import Access
    from service.alarms.alarms import Alarms
    from service.audit.answering import Answering
    from service.config.service_settings import LimitsConfig, PageConfig, ServerConfig
    from service.monitor.calibrating import Calibrating
    from service.notify.notices import NoticeFeed
    from service.notify.record_history import RecordHistory
    from service.ops.limited_process import AnswerCache
    from service.ops.metrics import Metrics, ServerMetrics
    from service.record.feed import Feed
    from service.record.ledger import Ledger
    from service.record.newest_hands import NewestHands
    from service.record.store.record import Record
    from service.sent.sent_pictures import SentPictureReader
    from vision.reading import PictureReader


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
    """The pieces of one running application."""

    config: Config
    live: LiveState
    reader: PictureReader
    reads: SentPictureReader
    counting: AnswerCache
    house_way: HouseWay
    ledger: Ledger
    feed: Feed
    alarms: Alarms
    calibrating: Calibrating
    access: Access
    metrics: Metrics
    notices: NoticeFeed
    answering: Answering
    setting_up: SetUp
    history: RecordHistory
    newest_hands: NewestHands
    tiles: SetWatch | None = None
    camera: CameraWatch | None = None
    current: Newest = field(default_factory=Newest)

    @property
    def record(self) -> Record:
        """What the ledger is kept in."""
        return self.ledger.record

    @property
    def title(self) -> str:
        """What people call the table."""
        return self.config.table.title or self.config.table.name

    @property
    def cookie(self) -> str:
        """Name of the page's cookie."""
        return cookie_of(self.config)

    @property
    def begins_at(self) -> str:
        """A table that has no camera yet is set up first."""
        return "/" if self.setting_up.chosen else "/setup"

    @property
    def handles(self) -> int:
        """A table needs none."""
        return 0

    def stop_waiting(self) -> None:
        """Answer whoever waits for news."""
        self.live.close()

    def close(self) -> None:
        """End what runs beside the service."""
        self.setting_up.close()
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

"""What routes are handed: the pieces of one application, never module globals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, cast

from fastapi import Depends, Request

from service.config.settings import Config  # noqa: TC001  FastAPI resolves annotations while the service runs
from service.monitor.set_watch import SetWatch  # noqa: TC001
from service.setup.set_up import SetUp  # noqa: TC001
from service.table.live_state import LiveState  # noqa: TC001

if TYPE_CHECKING:
    from engine.house_way import HouseWay
    from service.access.access import Access
    from service.alarms.alarms import Alarms
    from service.audit.answering import Answering
    from service.monitor.calibrating import Calibrating
    from service.notify.history import History
    from service.notify.notices import NoticeFeed
    from service.ops.kept_answers import KeptAnswers
    from service.ops.metrics import Metrics
    from service.record.feed import Feed
    from service.record.ledger import Ledger
    from service.record.store.record import Record
    from service.sent.reading import ReadsSent
    from vision.reading import PictureReader


@dataclass(frozen=True, slots=True)
class Parts:
    """The pieces of one running application."""

    config: Config
    live: LiveState
    reader: PictureReader
    reads: ReadsSent
    counting: KeptAnswers
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
    history: History
    tiles: SetWatch | None = None

    @property
    def record(self) -> Record:
        """What the ledger is kept in."""
        return self.ledger.record

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


PartsDep = Annotated[Parts, Depends(_parts)]

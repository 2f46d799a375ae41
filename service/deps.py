"""What routes are handed: the pieces of one application, never module globals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Protocol, cast

from fastapi import Depends, Request

from service.config import Config  # noqa: TC001  FastAPI resolves annotations while the service runs
from service.desk import Desk  # noqa: TC001
from service.set_watch import SetWatch  # noqa: TC001

if TYPE_CHECKING:
    from calibration.store import TableCalibration
    from engine.house_way import HouseWay
    from service.access.access import Access
    from service.alarms import Alarms
    from service.calibrating import Calibrating
    from service.feed import Feed
    from service.ledger import Ledger
    from service.metrics import Metrics
    from service.notify.notices import NoticeFeed
    from service.store.record import Record
    from vision.frames import Image
    from vision.reading import Reading


class PictureReader(Protocol):
    """Whatever reads a picture; :class:`vision.pipeline.Reader` in the running service, a stand-in in tests."""

    def read(self, image: Image, *, calibration: TableCalibration | None = None, name: str = "") -> Reading:
        """What lies in the picture."""
        ...


@dataclass(frozen=True, slots=True)
class Parts:
    """The pieces of one running application."""

    config: Config
    desk: Desk
    reader: PictureReader
    house_way: HouseWay
    ledger: Ledger
    feed: Feed
    alarms: Alarms
    calibrating: Calibrating
    access: Access
    metrics: Metrics
    notices: NoticeFeed
    tiles: SetWatch | None = None

    @property
    def record(self) -> Record:
        """What the ledger is kept in."""
        return self.ledger.record


async def _parts(request: Request) -> Parts:
    # A plain function would be run in a thread of its own for every request.
    return cast("Parts", request.app.state.parts)


PartsDep = Annotated[Parts, Depends(_parts)]

"""What the floor's routes are handed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, cast

from fastapi import Depends, Request

if TYPE_CHECKING:
    from service.access.access import Access
    from service.config.settings import Config
    from service.floor.collect.collector import Collector
    from service.floor.desk import Desk
    from service.floor.evidence import FloorEvidence
    from service.floor.feed import FloorFeed
    from service.floor.fleet import Fleet
    from service.floor.metrics import FloorMetrics
    from service.floor.notify.checks import FloorChecks
    from service.floor.projections.projector import Projector
    from service.floor.shown.view import FloorView
    from service.floor.store.reader import FloorReader
    from service.floor.store.writer import FloorWriter
    from service.floor.witness.witness import FloorWitness
    from service.record.store.record import Record


@dataclass(frozen=True, slots=True)
class FloorParts:
    """The pieces of one running floor; what they have in common with a table's is ``SharedParts``.

    Attributes:
        record: the floor's own.
        writer: takes what is collected.
        reader: reads it.
        collector: asks the tables, and knows how they are.
        feed: answers whoever polls for results.
        evidence: finds pictures of the tables.
        projector: makes of what is collected what is shown.
        view: what is shown of all tables.
        desk: has tables record what people do here.
        witness: co-signs the tables' checkpoints.
        checks: how subscribers are.
        fleet: what the tables run on.
    """

    config: Config
    access: Access
    record: Record
    metrics: FloorMetrics
    writer: FloorWriter
    reader: FloorReader
    collector: Collector
    feed: FloorFeed
    evidence: FloorEvidence
    projector: Projector
    view: FloorView
    desk: Desk
    witness: FloorWitness
    checks: FloorChecks
    fleet: Fleet

    @property
    def title(self) -> str:
        """What people call the floor."""
        return self.config.service.title

    @property
    def cookie(self) -> str:
        """Name of the pages' cookie; no table's begins so."""
        return f"houseway-floor_{self.config.service.name}"

    @property
    def begins_at(self) -> str:
        """The page to begin with."""
        return "/"

    @property
    def handles(self) -> int:
        """A connection to each table, and one more for its pictures."""
        return 2 * len(self.config.remote)

    def stop_waiting(self) -> None:
        """Answer whoever waits for news."""
        self.writer.appended.close()
        self.collector.states.changes.close()
        self.projector.changes.close()
        self.view.news.close()
        self.checks.changes.close()

    def close(self) -> None:
        """Let go of the database."""
        self.writer.stop()
        self.record.close()
        self.reader.close()


async def _floor(request: Request) -> FloorParts:
    return cast("FloorParts", request.app.state.parts)


FloorDep = Annotated[FloorParts, Depends(_floor)]

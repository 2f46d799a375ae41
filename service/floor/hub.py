"""The hub of a service: follows the logs of remote tables, and shows all of them together."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from service.floor.collect.collector import Collector
from service.floor.copies import copies_of
from service.floor.desk import Desk
from service.floor.evidence import FloorEvidence
from service.floor.feed import FloorFeed
from service.floor.fleet import Fleet
from service.floor.fleet_exports import FleetCollector
from service.floor.metrics import FloorCollector, HubMetrics
from service.floor.notify.checks import FloorChecks
from service.floor.notify.notices import FloorNoticeReader, hash_collected
from service.floor.shown.view import FloorView
from service.floor.store.reader import FloorReader
from service.floor.store.writer import FloorWriter
from service.floor.witness.signing import FloorSigner
from service.floor.witness.witness import FloorWitness
from service.notify.outbox import Outbox
from service.notify.subscribers import Subscribers
from service.ops.background import in_background

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from service.config.settings import Config
    from service.ops.metrics import Metrics
    from service.projections.projector import Projector
    from service.record.store.record import Record


@dataclass(frozen=True, slots=True)
class Hub:
    """What collects remote tables, and what is made of that.

    Attributes:
        writer: appends what is collected.
        reader: reads it.
        collector: asks the tables, and knows how they are.
        feed: answers whoever polls for results.
        evidence: finds pictures of the tables.
        projector: derives rounds and alarms from the entries.
        view: what is shown of all tables.
        desk: has tables record what people do here.
        witness: co-signs the tables' checkpoints.
        checks: how subscribers are.
        fleet: what the tables run on.
        subscribers: deliveries to webhooks and the broker.
    """

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
    subscribers: Subscribers

    @classmethod
    def open(cls, config: Config, record: Record, metrics: Metrics, projector: Projector) -> Self:
        """The hub of a service that follows remote tables.

        Raises:
            ConfigError: a key of a table, or a secret of a subscriber, cannot be read.
            KeyFileError: the key that checkpoints are co-signed with cannot be read.
        """
        reader = FloorReader(record.settings.database_url)
        writer = FloorWriter(record, [table.name for table in config.remote])
        collector = Collector(config, writer, reader, record)
        writer.committed = HubMetrics(metrics.registry).committed
        evidence = FloorEvidence(config.evidence, copies_of(config), reader, writer, collector)
        checks = FloorChecks(writer.appended, collector.states)
        view = FloorView(reader.database, config, collector.states)
        signer = FloorSigner.open(config.record_folder, config.service.name)
        fleet = Fleet(collector, view)
        metrics.registry.register(FloorCollector(collector.states, writer, evidence, checks))
        metrics.registry.register(FleetCollector(fleet))
        return cls(
            writer=writer,
            reader=reader,
            collector=collector,
            feed=FloorFeed(reader),
            evidence=evidence,
            projector=projector,
            view=view,
            desk=Desk(reader.database, record, collector.clients, projector.changes),
            witness=FloorWitness(signer, config.record.cosigned_every_s, writer, reader, collector),
            checks=checks,
            fleet=fleet,
            subscribers=Subscribers(
                *(config.webhooks, config.mqtt, config.service.name),
                *(FloorNoticeReader(reader), Outbox(reader.database, hash_collected), checks),
                {config.service.name: checks.health},
            ),
        )

    @property
    def handles(self) -> int:
        """File handles: a connection to each table, and one more for its pictures."""
        return 2 * len(self.collector.states.tables)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Collect, project, show and co-sign while the block runs."""
        self.writer.start()
        async with AsyncExitStack() as work:
            for running in (
                self.collector.running(),
                self.evidence.running(),
                self.witness.running(),
                in_background(self.projector.run(self.writer.appended), *self.subscribers.work()),
                self.view.running(self.projector.changes),
                self.fleet.running(),
            ):
                await work.enter_async_context(running)
            yield

    def stop_waiting(self) -> None:
        """Answer every caller that waits for news."""
        self.writer.appended.close()
        self.collector.states.changes.close()
        self.projector.changes.close()
        self.view.news.close()
        self.checks.changes.close()

    def close(self) -> None:
        """Write what waits, and close the database."""
        self.writer.stop()
        self.reader.close()

"""The hub of a service: follows the logs of remote tables."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from service.hub.collect.collector import Collector
from service.hub.copied_evidence import FloorEvidence
from service.hub.hub_metrics import HubMetrics
from service.hub.store.writer import FloorWriter
from service.hub.witness.cosigner import FloorSigner
from service.hub.witness.witness import FloorWitness
from service.record.health import Check, SubscriberChecks
from service.record.store.all_logs import LogsReader
from service.system.background import in_background

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from prometheus_client import CollectorRegistry

    from service.record.projections.projector import Projector
    from service.record.store.record import Record
    from service.record.waiting import News
    from service.system.settings import Config


@dataclass(frozen=True, slots=True)
class Hub:
    """What collects remote tables, and what is made of that.

    Attributes:
        writer: appends what is collected.
        reader: reads it.
        collector: asks the tables, and knows how they are.
        evidence: finds pictures of the tables.
        projector: derives rounds and alarms from the entries.
        witness: co-signs the tables' checkpoints.
        checks: how subscribers are.
    """

    writer: FloorWriter
    reader: LogsReader
    collector: Collector
    evidence: FloorEvidence
    projector: Projector
    witness: FloorWitness
    checks: SubscriberChecks

    @classmethod
    def open(
        cls,
        config: Config,
        record: Record,
        registry: CollectorRegistry,
        news: News,
        checks: SubscriberChecks,
        projector: Projector,
    ) -> Self:
        """The hub of a service that follows remote tables.

        Raises:
            ConfigError: a key of a table, or a secret of a subscriber, cannot be read.
            KeyFileError: the key that checkpoints are co-signed with cannot be read.
        """
        # A service that follows no tables loads no client of buckets.
        from service.hub.copies import copies_of  # noqa: PLC0415

        reader = LogsReader(record.settings.database_url)
        writer = FloorWriter(record, [table.name for table in config.remote], news.recorded)
        collector = Collector(config, writer, reader, record)
        writer.committed = HubMetrics(registry).committed
        evidence = FloorEvidence(config.evidence, copies_of(config), reader, writer, collector)
        signer = FloorSigner.open(config.record_folder, config.service.name)
        return cls(
            writer=writer,
            reader=reader,
            collector=collector,
            evidence=evidence,
            projector=projector,
            witness=FloorWitness(signer, config.record.cosigned_every_s, writer, reader, collector),
            checks=checks,
        )

    def health(self) -> tuple[Check, ...]:
        """How deliveries to each subscriber go, and every table of which nothing is collected."""
        away = tuple(
            Check(f"table {table.name}", ok=False, findings=(table.why,), blocks=False)
            for table in self.collector.states.tables.values()
            if table.why is not None
        )
        return (*self.checks.subscribers, *away)

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
                in_background(self.projector.run(self.writer.appended)),
            ):
                await work.enter_async_context(running)
            yield

    def stop_waiting(self) -> None:
        """Answer every caller that waits for news."""
        self.collector.states.changes.close()
        self.projector.changes.close()

    def close(self) -> None:
        """Write what waits, and close the database."""
        self.writer.stop()
        self.reader.close()

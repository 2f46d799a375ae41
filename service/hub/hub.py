"""The hub of a service: follows the logs of remote tables."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from service.hub.collector import Collector
from service.hub.cosigning import HubSigner, HubWitness
from service.hub.hub_metrics import HubMetrics
from service.hub.remote_evidence import RemoteEvidence
from service.hub.writer import HubWriter
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
    """Collects remote tables.

    Attributes:
        writer: appends collected entries.
        reader: reads them.
        collector: collects them, and knows the states of the tables.
        evidence: finds and copies pictures of the tables.
        projector: derives rounds and alarms from the entries.
        witness: co-signs the tables' checkpoints.
        checks: checks of the subscribers.
    """

    writer: HubWriter
    reader: LogsReader
    collector: Collector
    evidence: RemoteEvidence
    projector: Projector
    witness: HubWitness
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
        """The hub of a service with remote tables.

        Raises:
            ConfigError: a secret of the bucket cannot be read.
            KeyFileError: the key for co-signatures cannot be read.
        """
        # A service without remote tables does not load the client of buckets.
        from service.hub.copies import copies_of  # noqa: PLC0415

        reader = LogsReader(record)
        writer = HubWriter(record, [table.name for table in config.remote], news.recorded)
        collector = Collector(config, writer, reader, record)
        writer.committed = HubMetrics(registry).committed
        evidence = RemoteEvidence(config.evidence, copies_of(config), reader, writer, collector)
        signer = HubSigner.open(config.record_folder, config.service.name)
        return cls(
            writer=writer,
            reader=reader,
            collector=collector,
            evidence=evidence,
            projector=projector,
            witness=HubWitness(signer, config.record.cosigned_every_s, writer, reader, collector),
            checks=checks,
        )

    def health(self) -> tuple[Check, ...]:
        """Checks of the subscribers, and a failed one for each table that is refused or unreachable."""
        away = tuple(
            Check(f"table {table.name}", ok=False, findings=(table.why,), blocks=False)
            for table in self.collector.states.tables.values()
            if table.why is not None
        )
        return (*self.checks.subscribers, *away)

    @property
    def handles(self) -> int:
        """File handles: for each table a connection, and one more for its pictures."""
        return 2 * len(self.collector.states.tables)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Collect, derive, copy and co-sign while the block runs."""
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
        """End the wait of every caller."""
        self.collector.states.changes.close()
        self.projector.changes.close()

    def close(self) -> None:
        """Write what waits."""
        self.writer.stop()

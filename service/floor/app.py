"""The floor's application, put together from its parts; nothing is made at import."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from starlette.concurrency import run_in_threadpool

from service.access.access import Access
from service.access.credentials import names_of
from service.floor.collect.collector import Collector
from service.floor.copies import copies_of
from service.floor.desk import Desk
from service.floor.evidence import FloorEvidence
from service.floor.feed import FloorFeed
from service.floor.fleet import Fleet
from service.floor.fleet_exports import FleetCollector
from service.floor.http.routes import (
    alarms,
    events,
    fleet,
    pictures,
    readiness,
    results,
    reviews,
    rounds,
    tables,
    witnessed,
)
from service.floor.metrics import FloorCollector, FloorMetrics
from service.floor.notify.checks import FloorChecks
from service.floor.notify.notices import FloorNoticeReader, hash_collected
from service.floor.parts import FloorParts
from service.floor.projections.projector import Projector
from service.floor.shown.view import FloorView
from service.floor.store.reader import FloorReader
from service.floor.store.writer import FloorWriter
from service.floor.web.around import around_floor
from service.floor.web.routes import alarms as alarms_page
from service.floor.web.routes import fleet as fleet_page
from service.floor.web.routes import handover as handover_page
from service.floor.web.routes import reviews as reviews_page
from service.floor.web.routes import rounds as rounds_page
from service.floor.web.routes import several_reviews
from service.floor.web.routes import tables as tables_page
from service.floor.witness.signing import FloorSigner
from service.floor.witness.witness import FloorWitness
from service.http.routes import changes, health, openapi
from service.notify.notifier import Subscribers
from service.notify.outbox import Outbox
from service.ops.background import in_background
from service.ops.host import supervised
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.web.application import new_application, put_together
from service.web.routes import accounts, choices, sign_in, single_sign_on
from service.web.routes.second_factor import own_factors, second_step
from service.web.templating import make_ready

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from fastapi import FastAPI

    from service.config.settings import Config

_log = logging.getLogger(__name__)

_OF_RECORDS: Final = (reviews, rounds, results, pictures, witnessed)
_API: Final = (health, readiness, tables, fleet, events, alarms, *_OF_RECORDS, openapi, changes)
_OF_FLOOR: Final = (
    tables_page,
    alarms_page,
    several_reviews,
    reviews_page,
    rounds_page,
    handover_page,
    fleet_page,
)
_PAGES: Final = (*_OF_FLOOR, choices, sign_in, single_sign_on, second_step, own_factors, accounts)


def create_floor_app(config: Config) -> FastAPI:
    """The floor service.

    Args:
        config: its settings.

    Raises:
        DatabaseError: the database's URL is none.
        ConfigError: a key of a table, or a secret of a subscriber, cannot be read.
        KeyFileError: the key that the floor co-signs with cannot be read.
    """
    where = RecordSettings.of(config)
    record, reader, metrics = Record(where), FloorReader(where.database_url), FloorMetrics()
    writer = FloorWriter(record, [table.name for table in config.remote])
    record.appended = metrics.record_seconds.observe
    access = Access(
        record,
        config.limits,
        config.server.session_hours,
        config.accounts,
        names_of(*config.names),
        pits=[pit.name for pit in config.pits],
    )
    collector = Collector(config, writer, reader, record)
    writer.committed = metrics.committed
    evidence = FloorEvidence(config.evidence, copies_of(config), reader, writer, collector)
    checks = FloorChecks(writer.appended, collector.states)
    metrics.registry.register(FloorCollector(collector.states, writer, evidence, checks))
    outbox = Outbox(reader.database, hash_collected)
    told = (config.webhooks, config.mqtt, config.service.name)
    subscribers = Subscribers(*told, FloorNoticeReader(reader), outbox, checks, {config.service.name: checks.health})
    projector = Projector(reader.database)
    view = FloorView(reader.database, config, collector.states)
    signer = FloorSigner.open(config.record_folder, config.service.name)
    witness = FloorWitness(signer, config.record.cosigned_every_s, writer, reader, collector)
    desk = Desk(reader.database, record, collector.clients, projector.changes)
    equipment = Fleet(collector, view)
    metrics.registry.register(FleetCollector(equipment))
    about = (FloorFeed(reader), evidence, projector, view, desk, witness, checks, equipment)
    parts = FloorParts(config, access, record, metrics, writer, reader, collector, *about)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        writer.start()
        async with (
            collector.running(),
            evidence.running(),
            witness.running(),
            in_background(projector.run(writer.appended), *subscribers.work(), run_in_threadpool(make_ready, "floor")),
            view.running(projector.changes),
            equipment.running(),
            supervised(lambda: None),
        ):
            yield
        # What was cancelled while a thread worked for it still has its connection until the thread is done.
        loop = asyncio.get_running_loop()
        await loop.shutdown_default_executor()
        with ThreadPoolExecutor(1) as last:
            await loop.run_in_executor(last, parts.close)

    app = new_application("Houseway floor service", "The tables of a casino, collected and proven", lifespan)
    put_together(app, parts, (*_API, *_PAGES), around_floor, None)
    return app

"""The service of local tables, put together from its parts; nothing is made at import."""

from __future__ import annotations

import asyncio
import math
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from starlette.concurrency import run_in_threadpool

from service.access.access import Access
from service.access.credentials import names_of
from service.api.api_description import FILE as EXAMPLES
from service.api.collectors import FigureCollector, HubCollector, LocalCollector
from service.api.desk import Desk
from service.api.local_table import LocalTable
from service.api.notify.mail import MailChannel
from service.api.notify.notices import NoticeFeed, NoticeReader
from service.api.notify.notifier import Notifier
from service.api.notify.web_push import KEY_FILE as PUSH_KEY
from service.api.notify.web_push import PushSender
from service.api.parts import Parts
from service.api.routes import (
    alarms,
    audit,
    bank_and_dealer,
    checkpoints,
    equipment,
    event_stream,
    evidence,
    house_way,
    own_dice,
    read,
    record,
    rounds,
    service,
    settlement,
    tables,
    tiles_set,
    witness,
)
from service.api.routes.equipment import equipment_of
from service.api.routes.tables import status_of
from service.hub.fleet import Fleet
from service.hub.hub import Hub
from service.hub.live_overview import LiveOverview, LocalSource
from service.record.checkpoints.witness_client import requesting_signatures
from service.record.feed import Feed
from service.record.health import Check, SubscriberChecks
from service.record.integrity.guard import Guard
from service.record.ledger import Ledger, open_record
from service.record.projections.compare import compare_own
from service.record.projections.projector import Projector
from service.record.results import NewestHands
from service.record.store.entries import RecordUnavailableError
from service.record.waiting import News
from service.rounds.judge.rules_in_force import TableRules, rules_of_tables
from service.system.background import in_background
from service.system.host import supervised
from service.system.limited_process import AnswerCache, LimitedProcess, ProcessLimits
from service.system.settings_file import ConfigError
from service.table.audit.audit_log import AuditLog
from service.table.audit.auditor import Answering, Auditor
from service.table.live_state import AllTables, LiveState
from service.table.metrics import Metrics, TableMetrics
from service.table.monitor.monitors import EvidenceWatch
from service.table.monitor.table_status import status_logged
from service.table.sent_pictures import InProcessReader
from service.table.setup.set_up import SetUp, calibrating_of
from service.table.source import open_timeout_s
from service.table.standing_alarms import Alarms
from service.table.worker import Worker
from service.web.application import new_application, put_together
from service.web.letter import MorningLetter
from service.web.routes import (
    account,
    accounts,
    api,
    calibration,
    figures,
    game,
    setup,
    setup_table,
    shared,
    shifts,
    sign_in,
    telephones,
    tiles,
)
from service.web.routes import alarms as alarms_page
from service.web.routes import audit as audit_page
from service.web.routes import health as health_page
from service.web.routes import reviews as reviews_page
from service.web.routes import rounds as rounds_page
from service.web.routes import tables as tables_page
from service.web.telephone_calls import calling_telephones
from service.web.templating import around_page, compile_templates
from service.words.codes import ServiceCode

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager
    from types import ModuleType

    from fastapi import FastAPI

    from service.record.checkpoints.note import Note
    from service.record.store.record import Record
    from service.system.settings import Config
    from service.system.subscriber_settings import AlarmKind
    from service.table.sent_pictures import SentPictureReader
    from service.table.setup.set_up import SettingsPlace
    from service.table.worker import Instruments

_COUNTING: Final = ProcessLimits(memory_bytes=400_000_000, work_s=180.0, idle_s=30.0, waiting=4)
"""Limits of the process that counts the exact figures of House Ways."""
_FILMING: Final = ProcessLimits(memory_bytes=600_000_000, work_s=120.0, idle_s=5.0, waiting=2)
"""Limits of the process that makes films of rounds."""
_API: Final = (
    service,
    tables,
    evidence,
    event_stream,
    tiles_set,
    own_dice,
    bank_and_dealer,
    record,
    rounds,
    checkpoints,
    equipment,
    alarms,
    read,
    house_way,
    settlement,
    audit,
)
_PAGES: Final = (
    tables_page,
    alarms_page,
    reviews_page,
    rounds_page,
    health_page,
    game,
    shifts,
    figures,
    setup,
    setup_table,
    calibration,
    tiles,
    audit_page,
    sign_in,
    account,
    telephones,
    shared,
    accounts,
    api,
)


def create_app(
    config: Config,
    instruments: Callable[[Config], Instruments],
    *,
    watch: bool = True,
    place: SettingsPlace | None = None,
    reads: SentPictureReader | None = None,
) -> FastAPI:
    """The service of all tables of the settings: those with a camera here, and those of other services.

    Args:
        config: the settings.
        instruments: makes what a table is read with, of the settings with that table as the only one.
        watch: whether to read the tables' sources in threads while the application runs.
        place: the settings file, which the set-up pages change; None to forbid that.
        reads: reads uploaded pictures; by default the tables' readers in this process.

    Raises:
        UnknownRulebookError: there is no rulebook or House Way of a configured name, or the rulebook prints none and
            none is named.
        DatabaseError: the record's URL is invalid.
        RecordVersionError: the record's database is not of this version.
        ConfigError: a secret that the settings name cannot be read.
    """
    configs = {table.name: config.of_table(table) for table in config.local}
    rules = {
        name: TableRules.of(of.table.rulebook, of.table.house_way, config.page.zone, of.table.variant)
        for name, of in configs.items()
    }
    news, metrics, record = News(), Metrics(), open_record(config)
    lives = {name: _live(of, news) for name, of in configs.items()}
    shared = AllTables(news, lives.values())
    metrics.registry.register(LocalCollector(lives, news))
    record.appended = _noting(metrics, news)
    access = _access(config, record)
    guard, projector = Guard(record, access.accounts.reload, shared, (compare_own,)), Projector(record)
    rules_of = rules_of_tables(rules)
    notices = NoticeReader(record, rules_of)
    checks = SubscriberChecks(shared)
    letter = _letter(config, checks, record)
    hub = Hub.open(config, record, metrics.registry, news, checks, projector) if config.remote else None
    notifier = _notifier(config, shared, checks, lives, record, notices, hub)

    def table_of(of: Config) -> LocalTable:
        name, table = of.table.name, instruments(of)
        live, ledger, counted = lives[name], Ledger(record, name, rules[name]), TableMetrics(metrics, name)
        with suppress(RecordUnavailableError):  # its state says so, and is shown
            live.publish_rounds(*ledger.rounds(of.table.rounds.keep))
            ledger.dealers.in_force()
            live.report_bank(ledger.reported_bank())
        watches = (*table.watches(of, record), guard.check)
        for each in watches:
            live.check(each())
        if of.table.source is None:
            live.check(Check.of("source", ServiceCode.SOURCE_NOT_CHOSEN, ok=False))
        worker = Worker(of, live, rules[name], ledger, table, counted, watches)
        own = None if place is None else place.of_table(config, name)
        calibrating = calibrating_of(of, table.calibration, record, live, worker, own)
        return LocalTable(
            of,
            rules[name],
            live,
            table.reader,
            ledger,
            worker,
            Alarms(live, record, name, projector),
            Answering(record, AuditLog(record, name)),
            calibrating,
            SetUp(own, of, record, calibrating, live, table.open_frames),
            NewestHands(record, name),
            table.tiles,
            table.dice,
            table.camera,
        )

    tables = {name: table_of(of) for name, of in configs.items()}
    watched = [table for table in tables.values() if watch and table.settings.source is not None]
    overview, fleet = _overview(config, record, metrics, tables, hub)
    parts = Parts(
        config,
        record,
        access,
        metrics,
        news,
        tables,
        rules_of,
        projector,
        Desk(record, projector, tables, {} if hub is None else hub.collector.clients),
        Feed(record, rules_of),
        NoticeFeed(notices),
        notifier.history,
        reads or InProcessReader(config, {table.name: table.reader for table in tables.values()}),
        AnswerCache(LimitedProcess("exact figures", _COUNTING)),
        LimitedProcess("films", _FILMING),
        overview,
        hub,
        fleet,
        PushSender(record.settings.folder / PUSH_KEY),
    )

    def lost(source: str, note: Note) -> object:
        return notifier.history.check(((source, note),))

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        asked = requesting_signatures(config, shared, record, lost)
        async with notifier.running(watched={table.name for table in watched}), asked, AsyncExitStack() as work:
            for table in watched:
                table.worker.start()
            for running in _beside(parts, shared, watched, guard if watch else None, letter):
                await work.enter_async_context(running)
            async with supervised(lambda: _stalled(watched)):
                yield
            for table in tables.values():
                table.worker.stop()
        # A thread still has its connection after its task was cancelled, until it is done.
        await asyncio.get_running_loop().shutdown_default_executor()
        with ThreadPoolExecutor(1) as last:
            await asyncio.get_running_loop().run_in_executor(last, _close, parts)

    app = new_application(
        "Houseway",
        "What lies on Pai Gow tables, and whether the House hand is set the House Way",
        lifespan,
    )
    put_together(app, parts, _routes(hub), around_page, EXAMPLES)
    return app


def _routes(hub: Hub | None) -> tuple[ModuleType, ...]:
    return (*(() if hub is None else (witness,)), *_API, *_PAGES)


def _overview(
    config: Config, record: Record, metrics: Metrics, tables: Mapping[str, LocalTable], hub: Hub | None
) -> tuple[LiveOverview, Fleet]:
    """How all tables are, and what they run on, also for Prometheus."""
    local = {
        name: LocalSource(partial(status_of, table), partial(_unanswered, table)) for name, table in tables.items()
    }
    overview = LiveOverview(record.database, config, None if hub is None else hub.collector.states, local)
    metrics.registry.register(FigureCollector(overview))
    measures = {name: partial(equipment_of, table) for name, table in tables.items()}
    if hub is None:
        return overview, Fleet(overview, measures)
    fleet = Fleet(overview, measures, hub.collector)
    metrics.registry.register(HubCollector(hub, fleet))
    return overview, fleet


def _unanswered(table: LocalTable) -> Mapping[AlarmKind, int]:
    return table.alarms.standing().counts


def _close(parts: Parts) -> None:
    parts.close()
    parts.record.close()


def _live(config: Config, news: News) -> LiveState:
    """The live state of a table; without a camera no picture is late."""
    source = config.table.source
    if source is None:
        return LiveState(config.table.rounds.keep, math.inf, news)
    stale_after_s = 10 + 5 * source.interval_s
    return LiveState(
        config.table.rounds.keep, stale_after_s, news, first_after_s=stale_after_s + open_timeout_s(source)
    )


def _beside(
    parts: Parts,
    shared: AllTables,
    watched: Sequence[LocalTable],
    guard: Guard | None,
    letter: Callable[[Parts], MorningLetter] | None,
) -> Iterator[AbstractAsyncContextManager[None]]:
    """What runs beside the reading of tables."""
    config, record = parts.config, parts.record
    if guard is not None:
        yield guard.running()
    if parts.following is not None:
        yield parts.following.running()
        yield in_background(run_in_threadpool(compile_templates, "tables.html", "tables_now.html"))
    yield parts.overview.running(parts.projector.changes, parts.news.changes)
    yield parts.fleet.running()
    yield calling_telephones(parts)
    if letter is not None:
        yield in_background(letter(parts).run())
    if not watched:
        return
    yield status_logged(lambda: {table.name: status_of(table) for table in watched})
    yield EvidenceWatch(record, shared, parts.metrics, config.record.warn_days).running()
    for table in watched:
        yield Auditor(record, table.answering.log, config.audit.hands_a_day, config.audit.throws_a_day).running()
        yield table.alarms.running()


def _letter(config: Config, checks: SubscriberChecks, record: Record) -> Callable[[Parts], MorningLetter] | None:
    """What sends the morning letter; if its secret cannot be read, the record is let go of again."""
    settings = config.letter
    if settings is None:
        return None
    try:
        channel = MailChannel(settings)
    except ConfigError:
        record.close()
        raise
    return lambda parts: MorningLetter(parts, settings, channel, checks)


def _stalled(watched: Sequence[LocalTable]) -> str | None:
    """What has stopped so that only a new start helps, at the first table where something has."""
    stalled = ((table.name, table.worker.stalled()) for table in watched)
    return next((f"{name}: {fault}" for name, fault in stalled if fault is not None), None)


def _noting(metrics: Metrics, news: News) -> Callable[[float], None]:
    """Return the callback that measures how long an append took and wakes waiting readers."""

    def noted(seconds: float) -> None:
        metrics.record_seconds.observe(seconds)
        news.appended.notify()

    return noted


def _access(config: Config, record: Record) -> Access:
    """Accounts, sessions and rate limits."""
    return Access(
        record,
        config.limits,
        config.server.session_hours,
        config.accounts,
        names_of(*config.names),
        pits=[pit.name for pit in config.pits],
    )


def _notifier(
    config: Config,
    shared: AllTables,
    checks: SubscriberChecks,
    lives: Mapping[str, LiveState],
    record: Record,
    notices: NoticeReader,
    hub: Hub | None,
) -> Notifier:
    """What delivers to subscribers; where a secret of theirs cannot be read, the record is let go of again."""
    try:
        healths = {} if hub is None else {config.service.name: hub.health}
        return Notifier(config, shared, checks, lives, record, notices, healths)
    except ConfigError:
        record.close()
        raise

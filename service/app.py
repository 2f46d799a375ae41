"""The table service, put together from its parts; nothing is made at import."""

from __future__ import annotations

import math
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

from service.access.access import Access
from service.access.credentials import names_of
from service.alarms.alarms import Alarms
from service.alarms.compare import compare_alarms
from service.audit.answering import Answering
from service.audit.audit_log import AuditLog
from service.audit.auditor import Auditor
from service.codes import ServiceCode
from service.config.settings_file import ConfigError
from service.http.api_description import FILE as EXAMPLES
from service.http.deps import Parts
from service.http.routes import (
    alarms,
    audit,
    bank,
    changes,
    checkpoints,
    dealer,
    descriptions,
    entries,
    equipment,
    event_stream,
    health,
    house_way,
    openapi,
    read,
    readiness,
    results,
    settlement,
    tables,
    tiles_set,
)
from service.http.routes.tables import status_of
from service.http.table_metrics import TableCollector
from service.integrity.guard import Guard
from service.judge.house_way_choice import house_way_of
from service.monitor.evidence_room import EvidenceWatch
from service.monitor.table_status import status_logged
from service.notify.notices import NoticeFeed, NoticeReader
from service.notify.notifier import Notifier
from service.ops.host import supervised
from service.ops.limited_process import AnswerCache, LimitedProcess, ProcessLimits
from service.ops.metrics import Metrics
from service.record.feed import Feed
from service.record.ledger import Ledger, open_record
from service.record.newest_hands import NewestHands
from service.record.store.entries import RecordUnavailableError
from service.sent.sent_pictures import InProcessReader
from service.setup.set_up import SetUp, calibrating_of
from service.table.live_state import Check, LiveState
from service.table.source import open_table
from service.table.worker import Worker
from service.web.application import new_application, put_together
from service.web.routes import (
    accounts,
    api,
    calibration,
    checkpoint,
    choices,
    downloads,
    figures,
    game,
    handover,
    review,
    rounds,
    setup,
    setup_hand,
    setup_table,
    sign_in,
    single_sign_on,
    tiles,
)
from service.web.routes import alarms as alarms_page
from service.web.routes import audit as audit_page
from service.web.routes import live as live_page
from service.web.routes.second_factor import own_factors, second_step
from service.web.templating import around_table
from service.witness.witness_client import requesting_signatures

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from fastapi import FastAPI

    from calibration.files.calibration_file import TableCalibration
    from service.config.settings import Config
    from service.learning.table_learning import TableLearning
    from service.monitor.camera_watch import CameraWatch
    from service.monitor.self_test import Watch
    from service.monitor.set_watch import SetWatch
    from service.record.store.record import Record
    from service.sent.sent_pictures import SentPictureReader
    from service.setup.set_up import SettingsPlace
    from vision.capture import FrameSource
    from vision.reading import PictureReader

_COUNTING: Final = ProcessLimits(memory_bytes=400_000_000, work_s=180.0, idle_s=30.0, waiting=4)
"""Limits of the process that counts the exact figures of House Ways."""
_API: Final = (
    health,
    readiness,
    tables,
    event_stream,
    tiles_set,
    bank,
    dealer,
    results,
    entries,
    checkpoints,
    equipment,
    alarms,
    read,
    house_way,
    settlement,
    openapi,
    descriptions,
    changes,
    audit,
)
_PAGES: Final = (
    live_page,
    choices,
    alarms_page,
    downloads,
    review,
    rounds,
    figures,
    game,
    handover,
    setup,
    setup_table,
    setup_hand,
    calibration,
    tiles,
    audit_page,
    checkpoint,
    sign_in,
    single_sign_on,
    second_step,
    own_factors,
    accounts,
    api,
)


def create_app(
    config: Config,
    *,
    reader: PictureReader,
    watcher: PictureReader | None = None,
    calibration: TableCalibration | None = None,
    watch: bool = True,
    watches: Callable[[Config, Record], tuple[Watch, ...]] = lambda _config, _record: (),
    camera: CameraWatch | None = None,
    tiles: SetWatch | None = None,
    open_frames: Callable[[Config], FrameSource] = open_table,
    learning: Callable[[Config, Record, Metrics], TableLearning | None] = lambda _config, _record, _metrics: None,
    place: SettingsPlace | None = None,
    reads: SentPictureReader | None = None,
) -> FastAPI:
    """The table service.

    Args:
        config: the table's settings.
        reader: reads a picture of the table that somebody asks about.
        watcher: reads the table's pictures, one after the other; the same if left out.
        calibration: of the table's camera.
        watch: whether to read the table's source in a thread while the application runs.
        watches: makes what else every verified result needs.
        camera: inspects the table's pictures; None where there is nothing to compare them with.
        tiles: follows the table's set; None without a calibration.
        open_frames: opens the table's source.
        learning: makes what keeps crops to learn from and has a candidate read.
        place: the settings file, for who sets the table up in the page; None if it is not to be changed. Nothing is
            watched until it names a source.
        reads: reads a picture that somebody sends; ``reader`` in this process if left out.

    Raises:
        UnknownRulebookError: there is no rulebook or House Way of the configured name, or the rulebook prints none and
            none is named.
        DatabaseError: the record's URL is none.
        ConfigError: a secret that the settings name cannot be read.
    """
    way = house_way_of(config.table.rulebook, config.table.house_way)
    chosen = place is None or place.chosen
    # Before there is a camera, no picture is late.
    live = LiveState(config.rounds.keep, stale_after_s=10 + 5 * config.source.interval_s if chosen else math.inf)
    ledger = Ledger(open_record(config), config.table.name, way)
    with suppress(RecordUnavailableError):  # its state says so, and is shown
        live.record(*ledger.rounds(config.rounds.keep))
        ledger.dealers.in_force()
    metrics = Metrics()
    metrics.registry.register(TableCollector(live))
    ledger.record.appended = _noting(metrics, live)
    access = _access(config, ledger.record)
    guard = Guard(ledger.record, access.accounts, live, (compare_alarms,))
    watching = (*watches(config, ledger.record), guard.check)
    live.check_all(watching)
    worker = Worker(
        config,
        live,
        watcher or reader,
        way,
        ledger,
        calibration,
        metrics,
        watching,
        camera,
        tiles,
        open_frames,
        learning(config, ledger.record, metrics),
    )
    watch = watch and chosen
    if not chosen:
        live.check(Check.of("source", ServiceCode.SOURCE_NOT_CHOSEN, ok=False))
    notices = NoticeReader(ledger.record, way)
    notifier = _notifier(config, live, ledger.record, notices)
    answering = Answering(ledger.record, AuditLog(ledger.record, config.table.name))
    auditor = Auditor(ledger.record, answering.log, config.audit.hands_a_day, config.audit.throws_a_day)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        asked = requesting_signatures(
            config, live, ledger.record, lambda source, note: notifier.history.check(((source, note),))
        )
        async with notifier.running(watch=watch), asked, AsyncExitStack() as work:
            if watch:
                await work.enter_async_context(guard.running())
                worker.start()
                for running in (
                    status_logged(lambda: status_of(app.state.parts)),
                    auditor.running(),
                    told.running(),
                    EvidenceWatch(ledger.record, live, metrics, config.record.warn_days).running(),
                ):
                    await work.enter_async_context(running)
            async with supervised(worker.stalled if watch else lambda: None):
                yield
            app.state.parts.close()
            worker.stop()
        ledger.record.close()

    app = new_application(
        "Houseway table service",
        "What lies on a Pai Gow table, and whether the House hand is set the House Way",
        lifespan,
    )
    calibrating = calibrating_of(config, calibration, ledger.record, live, worker, place)
    setting_up = SetUp(place, config, ledger.record, calibrating, live.pictures, open_frames)
    feed, noticed, told = Feed(ledger.record, way), NoticeFeed(notices), Alarms(live, ledger.record, config.table.name)

    parts = Parts(
        config,
        live,
        reader,
        reads or InProcessReader(config, reader),
        AnswerCache(LimitedProcess("exact figures", _COUNTING)),
        way,
        ledger,
        feed,
        told,
        calibrating,
        access,
        metrics,
        noticed,
        answering,
        setting_up,
        notifier.history,
        NewestHands(ledger.record, config.table.name),
        tiles,
        camera,
    )
    put_together(app, parts, (*_API, *_PAGES), around_table, EXAMPLES)
    return app


def _noting(metrics: Metrics, live: LiveState) -> Callable[[float], None]:
    """What notes how long an entry took, and wakes whoever waits for one."""

    def noted(seconds: float) -> None:
        metrics.record_seconds.observe(seconds)
        live.appended.notify()

    return noted


def _access(config: Config, record: Record) -> Access:
    """Accounts, sessions and rate limits of this table."""
    return Access(
        record,
        config.limits,
        config.server.session_hours,
        config.accounts,
        names_of(*config.names),
    )


def _notifier(config: Config, live: LiveState, record: Record, notices: NoticeReader) -> Notifier:
    """What delivers to subscribers; where a secret of theirs cannot be read, the record is let go of again."""
    try:
        return Notifier(config, live, record, notices)
    except ConfigError:
        record.close()
        raise

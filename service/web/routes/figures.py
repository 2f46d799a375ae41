"""How the table does, on the page: its health now, and the figures of a day."""

import shutil
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Form, Path, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from service.access.roles import Permission
from service.api.parts import Parts
from service.api.permissions import CallerDep, requires
from service.record.outbox import NotStoppedError, Outbox, resume_webhook, stopped_webhooks
from service.record.shifts.shift import FIRST_DAY, LAST_DAY, shift_on
from service.record.shifts.shift_figures import count
from service.record.store.entries import RecordUnavailableError
from service.system.versions import service_versions
from service.web.left_empty import LEFT_EMPTY
from service.web.templating import TablePage, TablePageDep, zone_name
from service.words.wording import Words, words

router = APIRouter(prefix="/tables/{table}", include_in_schema=False)

_FINDINGS = 10
_Day = Annotated[date | None, LEFT_EMPTY, Query()]


@router.get("/charts", dependencies=[requires(Permission.RESULTS)])
def read_charts(page: TablePageDep, day: _Day = None) -> HTMLResponse:
    """A gaming day's figures by hour, by shift and by dealer; today's if none is named."""
    config, step = page.parts.config, timedelta(days=1)
    table = page.table.name
    zone, shifts = config.page.zone, config.page.shifts
    today = shift_on(datetime.now(UTC), zone, shifts).day
    shown = min(max(day or today, FIRST_DAY), LAST_DAY)
    return page.answer(
        "charts.html",
        figures=count(page.parts.projector, shown, zone, shifts, [table]).of([table]),
        shown=shown,
        today=today,
        earlier=shown - step,
        later=shown + step,
        named_shifts=bool(shifts),
    )


@router.get("/health", dependencies=[requires(Permission.HEALTH)])
def read_health(page: TablePageDep) -> HTMLResponse:
    """What the table service runs on, and how that is."""
    return _health(page)


@router.post("/health/webhooks/{name}/begin", dependencies=[requires(Permission.ACCOUNTS)])
def begin_webhook_again(
    page: TablePageDep,
    caller: CallerDep,
    name: Annotated[str, Path(max_length=40)],
    reason: Annotated[str, Form(max_length=500)],
) -> Response:
    """Send to a webhook again that had said that it wants nothing more."""
    try:
        resume_webhook(page.parts.record, name, caller.attribution(reason))
    except NotStoppedError as error:
        return _health(page, words("Not changed: %(why)s.", why=error.words), 422)
    return RedirectResponse(f"{page.table.at}/health", status_code=303)


def _health(page: TablePage, fault: Words | None = None, status: int = 200) -> HTMLResponse:
    parts, table, state = page.parts, page.table, page.table.live.state
    source = table.settings.source
    now = datetime.now(UTC)
    read_by = state.reading.versions if state.reading else {}
    versions = service_versions(table.config) | table.rules.at(now).versions | read_by
    return page.answer(
        "health.html",
        status=status,
        fault=fault,
        stopped_webhooks=_stopped(parts),
        source=source and (source.kind if source.kind != "path" else str(source.path)),
        interval_s=source and source.interval_s,
        reading=state.reading,
        calibration=table.calibrating,
        now=now,
        zone_words=zone_name(now.astimezone(parts.config.page.zone), page.language),
        versions=dict(sorted(versions.items())),
        findings=[(played, found) for played in state.recent for found in played.findings][:_FINDINGS],
        **_record(parts),
    )


def _stopped(parts: Parts) -> frozenset[str]:
    try:
        return frozenset(stopped_webhooks(Outbox(parts.record.database)))
    except RecordUnavailableError:
        return frozenset()


def _record(parts: Parts) -> dict[str, Any]:
    record, settings = parts.record, parts.record.settings
    try:
        head = record.head()
    except RecordUnavailableError:
        head = None  # its state says why
    try:
        free = shutil.disk_usage(settings.folder).free
    except OSError:
        free = None
    return {
        "record": record.state,
        "record_id": record.id,
        "head": head,
        "used_mb": record.evidence.used / 1e6,
        "most_mb": settings.max_bytes / 1e6,
        "free_mb": None if free is None else free / 1e6,
    }

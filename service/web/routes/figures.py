"""How the table does, on the page: its health now, and the figures of a day."""

import shutil
from datetime import UTC, date, datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse
from pydantic import BeforeValidator

from service.access.roles import Permission
from service.http.deps import Parts, PartsDep
from service.http.permissions import requires
from service.ops.versions import service_versions
from service.record.store.entries import RecordUnavailableError
from service.web.day_figures import count
from service.web.templating import answer, language_of, zone_name

router = APIRouter(include_in_schema=False)

_FINDINGS = 10
_Day = Annotated[date | None, BeforeValidator(lambda said: said or None), Query()]


@router.get("/charts", dependencies=[requires(Permission.RESULTS)], response_class=HTMLResponse)
def read_charts(request: Request, parts: PartsDep, day: _Day = None) -> HTMLResponse:
    """A day's figures by hour and by shift; today's if none is named."""
    zone = parts.config.page.zone
    today = datetime.now(zone).date()
    # The calendar's ends have no day beyond them.
    shown = min(max(day or today, date.min + timedelta(days=2)), date.max - timedelta(days=2))
    figures = count(parts.record, parts.config.table.name, shown, zone, parts.config.page.shifts)
    step = timedelta(days=1)
    return answer(
        request,
        parts,
        "charts.html",
        {
            "figures": figures,
            "shown": shown,
            "today": today,
            "earlier": shown - step,
            "later": shown + step,
            "named_shifts": bool(parts.config.page.shifts),
        },
    )


@router.get("/health", dependencies=[requires(Permission.HEALTH)], response_class=HTMLResponse)
def read_health(request: Request, parts: PartsDep) -> HTMLResponse:
    """What the table service runs on, and how that is."""
    config, state = parts.config, parts.desk.state
    now = datetime.now(UTC)
    versions = service_versions(config, parts.house_way)
    if state.reading is not None:
        versions |= state.reading.versions
    return answer(
        request,
        parts,
        "health.html",
        {
            "source": config.source.kind if config.source.kind != "path" else str(config.source.path),
            "interval_s": config.source.interval_s,
            "reading": state.reading,
            "calibration": parts.calibrating,
            "now": now,
            "zone_words": zone_name(now.astimezone(config.page.zone), language_of(request, parts)),
            "versions": dict(sorted(versions.items())),
            "findings": [(played, found) for played in state.recent for found in played.findings][:_FINDINGS],
            **_record(parts),
        },
    )


def _record(parts: Parts) -> dict[str, object]:
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

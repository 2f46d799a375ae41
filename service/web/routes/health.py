"""The health of a table: what it runs on, its record and webhooks; the newest checkpoint as a picture."""

import io
import shutil
from datetime import UTC, datetime
from typing import Annotated, Any

import segno
from fastapi import APIRouter, Form, Path
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from service.access.roles import Permission
from service.api.deps import PartsDep
from service.api.parts import Parts
from service.api.permissions import CallerDep, requires
from service.api.problems import ProblemError
from service.record.checkpoints.checkpoint_store import newest_note, newest_witnessed, note_at
from service.record.outbox import NotStoppedError, Outbox, resume_webhook, stopped_webhooks
from service.record.store.entries import RecordUnavailableError
from service.system.versions import service_versions
from service.web.templating import PageDep, TablePage, TablePageDep, zone_name
from service.words.wording import Words, words

router = APIRouter(include_in_schema=False)

_TABLE = "/tables/{table}"
_FINDINGS = 10


@router.get(f"{_TABLE}/health", dependencies=[requires(Permission.HEALTH)])
def read_health(page: TablePageDep) -> HTMLResponse:
    """What the table service runs on, and how that is."""
    return _health(page)


@router.post(f"{_TABLE}/health/webhooks/{{name}}/begin", dependencies=[requires(Permission.ACCOUNTS)])
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
    room: tuple[int, int] | None
    try:
        room = shutil.disk_usage(settings.folder).free, record.evidence.limit
    except OSError:
        room = None
    return {
        "record": record.state,
        "record_id": record.id,
        "head": head,
        "used_mb": record.evidence.used / 1e6,
        "most_mb": None if room is None else room[1] / 1e6,
        "free_mb": None if room is None else room[0] / 1e6,
    }


@router.get("/checkpoint", dependencies=[requires(Permission.RESULTS)])
def read_checkpoint(page: PageDep, parts: PartsDep) -> HTMLResponse:
    """The newest checkpoint, to be photographed, with how far witnesses have signed."""
    note, witnessed = newest_note(parts.record), newest_witnessed(parts.record)
    return page.answer("checkpoint.html", note=note, witnessed=witnessed)


@router.get("/checkpoint/{entry}.svg", dependencies=[requires(Permission.RESULTS)])
def draw_checkpoint(entry: int, parts: PartsDep) -> Response:
    """The checkpoint of an entry as a QR code."""
    note = note_at(parts.record, parts.record.entry(entry) if entry < 10**18 else None)
    if note is None:
        raise ProblemError("no_checkpoint", "There is no such checkpoint yet.")
    drawn = io.BytesIO()
    code = segno.make(note.text, error="m", micro=False, encoding="utf-8")
    code.save(drawn, kind="svg", scale=6, border=4, light="white")
    return Response(drawn.getvalue(), media_type="image/svg+xml", headers={"Cache-Control": "private, max-age=3600"})

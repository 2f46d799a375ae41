"""The table, its rounds and its picture."""

import hashlib
import time
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Response

from service.access.needs import needs
from service.access.roles import Permission
from service.http.deps import Parts, PartsDep
from service.http.errors import ProblemError, problems
from service.http.schemas import CheckOut, TableOut, TablesOut
from service.rounds.reports import FindingReport, RoundReport

router = APIRouter(prefix="/v1", tags=["tables"])

TableName = Annotated[str, Path(max_length=40, description="the table's name, as /v1/tables lists it")]
Responses = dict[int | str, dict[str, Any]]
IfNoneMatch = Annotated[str | None, Header(max_length=1000, description="ETags already held; 304 if one still holds")]

_JPEG: Responses = {200: {"content": {"image/jpeg": {"schema": {"type": "string", "format": "binary"}}}}}
NOT_MODIFIED: Responses = {304: {"description": "Not Modified"}}


@router.get("/tables", dependencies=[needs(Permission.WATCH)])
def list_tables(parts: PartsDep) -> TablesOut:
    """Every table of this service."""
    return TablesOut(tables=(describe_table(parts),))


@router.get("/tables/{table}", dependencies=[needs(Permission.WATCH)], responses=problems(404, 422))
def read_table(table: TableName, parts: PartsDep) -> TableOut:
    """One table's state, rulebook and health."""
    known_table(table, parts)
    return describe_table(parts)


@router.get(
    "/tables/{table}/rounds/current",
    dependencies=[needs(Permission.WATCH)],
    response_model=RoundReport,
    responses={**NOT_MODIFIED, **problems(404, 422)},
)
async def read_current_round(
    table: TableName,
    parts: PartsDep,
    if_none_match: IfNoneMatch = None,
    wait: Annotated[float, Query(ge=0, le=300, description="seconds to wait for news before answering")] = 0,
) -> Response:
    """The open round, or the last one closed; with ``wait`` held until it differs from ``If-None-Match``."""
    known_table(table, parts)
    signal = parts.desk.signal
    ends = time.monotonic() + min(wait, parts.config.server.max_wait_s)
    while True:
        heard = signal.count
        current = parts.desk.state.current
        if current is not None and not matches(if_none_match, etag_of(current)):
            return round_response(current)
        left = ends - time.monotonic()
        if left <= 0 or signal.closed:
            break
        await signal.wait_beyond(heard, left)
    if current is None:
        raise ProblemError(404, "no_round_yet", "No round has been seen at this table since the service was started.")
    return Response(status_code=304, headers={"ETag": etag_of(current), "Cache-Control": "no-cache"})


@router.get(
    "/tables/{table}/view.jpg",
    dependencies=[needs(Permission.WATCH)],
    response_class=Response,
    responses={**_JPEG, **NOT_MODIFIED, **problems(404, 422)},
)
def read_view(table: TableName, parts: PartsDep, if_none_match: IfNoneMatch = None) -> Response:
    """The last picture with what was read drawn on it."""
    known_table(table, parts)
    view = parts.desk.state.view
    if view is None:
        raise ProblemError(404, "no_picture_yet", "No picture has been read yet; /v1/tables says how the source is.")
    headers = {"ETag": f'"view-{view.number}"', "Cache-Control": "no-cache"}
    if matches(if_none_match, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    return Response(view.jpeg, media_type="image/jpeg", headers=headers)


def describe_table(parts: Parts) -> TableOut:
    """The table as it is now."""
    table, state, checks = parts.config.table, parts.desk.state, parts.desk.health()
    capture = parts.desk.capture
    well = all(check.ok for check in checks)
    if any(check.blocks and not check.ok for check in checks):
        phase = "not_reading"
    elif state.current is None:
        phase = "waiting"
    else:
        phase = "round_open" if state.current.state == "open" else "between_rounds"
    return TableOut.model_validate(
        {
            "name": table.name,
            "title": table.title,
            "rulebook": parts.house_way.played_under,
            "house_way": parts.house_way.rulebook,
            "state": phase,
            "healthy": well,
            "checks": tuple(
                CheckOut(
                    name=check.name,
                    ok=check.ok,
                    message=check.message,
                    findings=tuple(map(FindingReport.of, check.findings)),
                )
                for check in checks
            ),
            "pictures_read": 0 if state.view is None else state.view.number,
            "last_picture_at": None if state.view is None else state.view.taken_at,
            "read_ms": None if state.reading is None else state.reading.elapsed_ms.get("total"),
            "current_round": None if state.current is None else state.current.id,
            "capture": None if capture is None else asdict(capture),
        }
    )


def etag_of(played: RoundReport) -> str:
    """A strong ETag: the hash of the very bytes that are sent."""
    return f'"{hashlib.sha256(_body(played)).hexdigest()[:32]}"'


def _body(played: RoundReport) -> bytes:
    return played.model_dump_json().encode()


def round_response(played: RoundReport, if_none_match: str | None = None) -> Response:
    """A round as JSON with its ETag, or 304 if that is held already."""
    headers = {"ETag": etag_of(played), "Cache-Control": "no-cache"}
    if matches(if_none_match, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    return Response(_body(played), media_type="application/json", headers=headers)


def matches(if_none_match: str | None, etag: str) -> bool:
    """Whether ``If-None-Match`` names this ETag (RFC 9110: weak comparison, ``*`` matches anything)."""
    if if_none_match is None:
        return False
    held = {part.strip().removeprefix("W/") for part in if_none_match.split(",")}
    return "*" in held or etag in held


def known_table(table: str, parts: Parts) -> None:
    """Refuse a table that this service does not watch."""
    if table != parts.config.table.name:
        raise ProblemError(
            404, "unknown_table", f"There is no table {table!r} here; this service watches {parts.config.table.name!r}."
        )

"""The set of tiles: how it is, and having it checked, enrolled or answered for."""

import asyncio
from typing import Final

from fastapi import APIRouter

from service.access.access import Caller
from service.access.roles import Permission
from service.http.deps import Parts, PartsDep
from service.http.errors import ProblemError, problems
from service.http.permissions import CallerDep, requires
from service.http.routes.tables import TableName, known_table
from service.http.schemas import SetIn, SetOut, SetReportOut
from service.monitor.set_watch import PATIENCE_S, Act, Asked, SetReport, SetWatch
from service.words.wording import words

router = APIRouter(prefix="/v1", tags=["tables"])

_NO_PICTURE_S: Final = PATIENCE_S + 4.0


@router.get("/tables/{table}/tiles", dependencies=[requires(Permission.WATCH)], responses=problems(404, 409, 422))
def read_set(table: TableName, parts: PartsDep) -> SetOut:
    """Which set is enrolled, whether anything speaks against it, and what was found or done last."""
    tiles = _watched(table, parts)
    last = tiles.last
    return SetOut(
        enrolment=tiles.version,
        ok=tiles.check.ok,
        message=tiles.check.message,
        last=None if last is None else SetReportOut.model_validate(last.written()),
    )


@router.post(
    "/tables/{table}/tiles/check",
    dependencies=[requires(Permission.TILES)],
    responses=problems(400, 404, 409, 413, 422, 503),
)
async def check_set(table: TableName, asked: SetIn, parts: PartsDep, caller: CallerDep) -> SetReportOut:
    """Check the set that lies at the display, tile by tile; answered after the next pictures, and recorded."""
    return await _answer("check", table, asked, parts, caller)


@router.post(
    "/tables/{table}/tiles/enrolment",
    dependencies=[requires(Permission.TILES)],
    responses=problems(400, 404, 409, 413, 422, 503),
)
async def enrol_set(table: TableName, asked: SetIn, parts: PartsDep, caller: CallerDep) -> SetReportOut:
    """Enrol the set that lies at the display, if it is whole; it is the table's own from the next picture on."""
    return await _answer("enrol", table, asked, parts, caller)


@router.post(
    "/tables/{table}/tiles/confirmation",
    dependencies=[requires(Permission.REVIEW)],
    responses=problems(400, 404, 409, 413, 422, 503),
)
async def confirm_set(table: TableName, asked: SetIn, parts: PartsDep, caller: CallerDep) -> SetReportOut:
    """Answer for the tiles in play: what spoke against them is set aside, with a name and a reason, and recorded."""
    return await _answer("confirm", table, asked, parts, caller)


async def ask_set(act: Act, tiles: SetWatch, by: str, reason: str) -> SetReport:
    """Have something done about a set with the next pictures.

    Raises:
        ProblemError: no picture came in time.
    """
    request = Asked(act, by, reason)
    tiles.ask(request)
    try:
        return await asyncio.wait_for(asyncio.wrap_future(request.answer), _NO_PICTURE_S)
    except TimeoutError:
        raise ProblemError(
            503, "no_pictures", words("No picture came in time; /v1/tables says how the camera is.")
        ) from None


async def _answer(act: Act, table: str, asked: SetIn, parts: Parts, caller: Caller) -> SetReportOut:
    found = await ask_set(act, _watched(table, parts), caller.name, asked.reason)
    return SetReportOut.model_validate(found.written())


def _watched(table: str, parts: Parts) -> SetWatch:
    known_table(table, parts)
    return watched_set(parts)


def watched_set(parts: Parts) -> SetWatch:
    """The set of the table.

    Raises:
        ProblemError: there is none to be followed.
    """
    if parts.tiles is None:
        raise ProblemError(409, "not_calibrated", words("Without a calibration of the camera no set can be followed."))
    return parts.tiles

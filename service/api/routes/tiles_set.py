"""The set of tiles: how it is, and having it checked, enrolled or answered for."""

import asyncio
from typing import Annotated, Final, Literal, Self

from fastapi import APIRouter, Depends
from pydantic import Field, StringConstraints

from service.access.access import Caller
from service.access.roles import Permission
from service.api.deps import TableDep
from service.api.permissions import CallerDep, requires
from service.api.problems import ProblemError, problems
from service.rounds.reports import FrozenModel
from service.table.monitor.set_watch import LONGEST_PATIENCE_S, Act, SetReport, SetRequest, SetWatch
from service.words.doubts import Param
from service.words.findings import words_of
from service.words.wording import words

router = APIRouter(prefix="/v1", tags=["tables"])

_PATH: Final = "/tables/{table}/tiles"
_REFUSALS: Final = problems(400, 404, 409, 413, 422, 503)
_NO_PICTURE_S: Final = LONGEST_PATIENCE_S + 4.0


class SetIn(FrozenModel):
    """Why something is asked about the set of tiles."""

    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)] = Field(
        examples=["Opening of the table"]
    )


class SetFaultOut(FrozenModel):
    """One thing wrong with a set at the display.

    Attributes:
        code: ``missing_tile``, ``extra_tile``, ``duplicate_tile``, ``swapped_tiles``, ``misplaced_tile``,
            ``unread_tile``, ``face_down_tile``, ``foreign_tile`` or ``not_in_rank_order``.
        params: by name, the tiles and where they lie.
        places: places in the order of rank, 1 to 32.
    """

    code: str
    message: str
    params: dict[str, Param]
    places: tuple[int, ...]


class SetReportOut(FrozenModel):
    """What was found of the set, or done about it.

    Attributes:
        act: ``check``, ``enrol``, ``confirm``, or ``alarm`` when other tiles were seen in play.
        ok: whether all was as it should be.
        code: what it was, of a closed list; ``message`` says the same in words.
        params: by name.
        blocks: whether nothing is verified from then on; null if that stayed as it was.
        enrolment: what the set was held against, or what was learnt.
        faults: one by one.
    """

    act: Literal["check", "enrol", "confirm", "alarm"]
    ok: bool
    code: str
    message: str
    params: dict[str, Param]
    blocks: bool | None
    faults: tuple[SetFaultOut, ...]
    by: str | None
    reason: str | None
    enrolment: str | None

    @classmethod
    def said(cls, report: SetReport) -> Self:
        """A report with its English sentences."""
        written = report.written()
        faults = [
            {**each, "message": str(words_of(fault.finding))}
            for each, fault in zip(written["faults"], report.faults, strict=True)
        ]
        return cls.model_validate({**written, "message": str(words_of(report.finding)), "faults": faults})


class SetOut(FrozenModel):
    """The set of a table.

    Attributes:
        enrolment: which is enrolled; null if none is.
        ok: whether nothing speaks against it; while something does, nothing is verified.
        last: what was found or done last since the service was started.
    """

    enrolment: str | None
    ok: bool
    message: str
    last: SetReportOut | None


async def watched_set(table: TableDep) -> SetWatch:
    """The set of the table.

    Raises:
        ProblemError: there is none to be followed.
    """
    if table.tiles is None:
        raise ProblemError(
            "not_calibrated",
            words("Calibrate the camera first: without a calibration the set of tiles cannot be checked."),
        )
    return table.tiles


SetDep = Annotated[SetWatch, Depends(watched_set)]


@router.get(_PATH, dependencies=[requires(Permission.WATCH)], responses=problems(404, 409, 422))
def get_tile_set(tiles: SetDep) -> SetOut:
    """Which set is enrolled, whether anything speaks against it, and what was found or done last."""
    last = None if tiles.last is None else SetReportOut.said(tiles.last)
    return SetOut(enrolment=tiles.version, ok=tiles.check.ok, message=tiles.check.message, last=last)


@router.post(f"{_PATH}/check", dependencies=[requires(Permission.TILES)], responses=_REFUSALS)
async def check_tile_set(asked: SetIn, tiles: SetDep, caller: CallerDep) -> SetReportOut:
    """Check the set that lies at the display, tile by tile; answered after the next pictures, and recorded."""
    return await _answer("check", asked, tiles, caller)


@router.post(f"{_PATH}/enrolment", dependencies=[requires(Permission.TILES)], responses=_REFUSALS)
async def enrol_tile_set(asked: SetIn, tiles: SetDep, caller: CallerDep) -> SetReportOut:
    """Enrol the set that lies at the display, if it is whole; it is the table's own from the next picture on."""
    return await _answer("enrol", asked, tiles, caller)


@router.post(f"{_PATH}/confirmation", dependencies=[requires(Permission.REVIEW)], responses=_REFUSALS)
async def confirm_tile_set(asked: SetIn, tiles: SetDep, caller: CallerDep) -> SetReportOut:
    """Accept the tiles in play: ends the doubt about them. Recorded with a name and a reason."""
    return await _answer("confirm", asked, tiles, caller)


async def _answer(act: Act, asked: SetIn, tiles: SetWatch, caller: Caller) -> SetReportOut:
    return SetReportOut.said(await ask_set(act, tiles, caller, asked.reason))


async def ask_set(act: Act, tiles: SetWatch, caller: Caller, reason: str) -> SetReport:
    """Have something done about a set with the next pictures.

    Raises:
        ProblemError: no picture came in time.
    """
    request = SetRequest(act, caller.name, reason)
    tiles.ask(request)
    try:
        return await asyncio.wait_for(asyncio.wrap_future(request.answer), _NO_PICTURE_S)
    except TimeoutError:
        detail = words("No picture arrived in time; /v1/tables shows the state of the camera.")
        raise ProblemError("no_pictures", detail) from None

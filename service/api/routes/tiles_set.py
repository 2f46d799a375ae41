"""The set of tiles: its state, and requests to check, enrol or confirm it."""

from typing import Annotated, Final, Literal, Self

from fastapi import APIRouter, Depends
from pydantic import Field, StringConstraints

from service.access.access import Caller
from service.access.roles import Permission
from service.api.deps import TableDep, answer_from_pictures
from service.api.permissions import CallerDep, requires
from service.api.problems import ProblemError, problems
from service.rounds.reports import FrozenModel
from service.table.monitor.set_watch import Act, SetReport, SetRequest, SetWatch
from service.words.doubts import Param
from service.words.findings import words_of
from service.words.wording import words

router = APIRouter(prefix="/v1", tags=["tables"])

_PATH: Final = "/tables/{table}/tiles"
_REFUSALS: Final = problems(400, 404, 409, 413, 422, 503)


class SetIn(FrozenModel):
    """The reason for a request about the set of tiles."""

    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)] = Field(
        examples=["Opening of the table"]
    )


class SetFaultOut(FrozenModel):
    """A fault of a displayed set.

    Attributes:
        code: ``missing_tile``, ``extra_tile``, ``duplicate_tile``, ``swapped_tiles``, ``misplaced_tile``,
            ``unread_tile``, ``face_down_tile``, ``foreign_tile`` or ``not_in_rank_order``.
        message: the fault in English.
        params: the values of the code, by name.
        places: affected places in rank order, 1 to 32.
    """

    code: str
    message: str
    params: dict[str, Param]
    places: tuple[int, ...]


class SetReportOut(FrozenModel):
    """The result of a check of the set, or of a request about it.

    Attributes:
        act: ``check``, ``enrol``, ``confirm``, or ``alarm`` if other tiles were seen in play.
        ok: whether there was no fault.
        code: the result, for programs.
        message: the result in English.
        params: the values of the code, by name.
        blocks: whether verification is blocked from now on; null if that did not change.
        by: the person who requested it; null for an alarm.
        reason: the person's reason.
        enrolment: id of the enrolment that the set was compared with, or that was made.
        faults: the faults found.
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
    def of(cls, report: SetReport) -> Self:
        """The report with English sentences."""
        written = report.written()
        faults = [
            {**each, "message": str(words_of(fault.finding))}
            for each, fault in zip(written["faults"], report.faults, strict=True)
        ]
        return cls.model_validate({**written, "message": str(words_of(report.finding)), "faults": faults})


class SetOut(FrozenModel):
    """The set of tiles at a table.

    Attributes:
        enrolment: id of the enrolment; null without one.
        ok: whether the set is in order; otherwise nothing is verified.
        message: its state in English.
        last: the latest check or request since the service started; null before the first.
    """

    enrolment: str | None
    ok: bool
    message: str
    last: SetReportOut | None


async def watched_set(table: TableDep) -> SetWatch:
    """The watch of the table's set; ProblemError without a calibration."""
    if table.tiles is None:
        raise ProblemError(
            "not_calibrated",
            words("Calibrate the camera first: without a calibration the set of tiles cannot be checked."),
        )
    return table.tiles


SetDep = Annotated[SetWatch, Depends(watched_set)]


@router.get(_PATH, dependencies=[requires(Permission.WATCH)], responses=problems(404, 409, 422))
def get_tile_set(tiles: SetDep) -> SetOut:
    """The enrolled set, whether it is in order, and the latest check or request."""
    last = None if tiles.last is None else SetReportOut.of(tiles.last)
    return SetOut(enrolment=tiles.version, ok=tiles.check.ok, message=tiles.check.message, last=last)


@router.post(f"{_PATH}/check", dependencies=[requires(Permission.TILES)], responses=_REFUSALS)
async def check_tile_set(asked: SetIn, tiles: SetDep, caller: CallerDep) -> SetReportOut:
    """Check the displayed set tile by tile. Answered after the next pictures, and recorded."""
    return await _answer("check", asked, tiles, caller)


@router.post(f"{_PATH}/enrolment", dependencies=[requires(Permission.TILES)], responses=_REFUSALS)
async def enrol_tile_set(asked: SetIn, tiles: SetDep, caller: CallerDep) -> SetReportOut:
    """Enrol the displayed set if it is complete. It is in force from the next picture on."""
    return await _answer("enrol", asked, tiles, caller)


@router.post(f"{_PATH}/confirmation", dependencies=[requires(Permission.REVIEW)], responses=_REFUSALS)
async def confirm_tile_set(asked: SetIn, tiles: SetDep, caller: CallerDep) -> SetReportOut:
    """Confirm the tiles in play, which ends the doubt about them. Recorded with name and reason."""
    return await _answer("confirm", asked, tiles, caller)


async def _answer(act: Act, asked: SetIn, tiles: SetWatch, caller: Caller) -> SetReportOut:
    return SetReportOut.of(await ask_set(act, tiles, caller, asked.reason))


async def ask_set(act: Act, tiles: SetWatch, caller: Caller, reason: str) -> SetReport:
    """Pass a request to the watch of the set, and wait for the result; ProblemError if no picture comes in time."""
    request = SetRequest(act, caller.name, reason)
    tiles.ask(request)
    return await answer_from_pictures(request.answer)

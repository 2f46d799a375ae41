"""The house's own dice: what is learnt about them, and the request to enrol others."""

from typing import Annotated, Final, Literal, Self

from fastapi import APIRouter, Depends
from pydantic import Field, StringConstraints

from service.access.access import Caller
from service.access.roles import Permission
from service.api.deps import TableDep, answer_from_pictures
from service.api.permissions import CallerDep, requires
from service.api.problems import ProblemError, problems
from service.rounds.reports import FrozenModel
from service.table.monitor.dice_watch import DiceReport, DiceRequest, DiceWatch
from service.words.doubts import Param
from service.words.findings import words_of
from service.words.wording import words

router = APIRouter(prefix="/v1", tags=["tables"])

_PATH: Final = "/tables/{table}/dice"


class DiceIn(FrozenModel):
    """The reason for enrolling the dice that lie there, and which is the cut die.

    Attributes:
        reason: why.
        cut_value: what the cut die shows, where no other die shows it; null to find it out.
    """

    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)] = Field(
        examples=["New dice"]
    )
    cut_value: Annotated[int, Field(ge=1, le=6)] | None = None


class DiceKindOut(FrozenModel):
    """Dice that look alike.

    Attributes:
        role: ``box`` or ``cut``; null while the dice cannot be distinguished.
        side_mm: length of an edge in millimetres.
        values: values whose upper face was seen.
    """

    role: Literal["box", "cut"] | None
    side_mm: float
    values: tuple[int, ...]


class DiceReportOut(FrozenModel):
    """What was learnt about the dice.

    Attributes:
        act: ``add`` of a confirmed throw, or ``enrol`` by a person.
        ok: whether something was learnt.
        code: the outcome, for programs.
        message: the outcome in English.
        params: the values of the code, by name.
        by: the person who requested it; null for a confirmed throw.
        reason: the person's reason.
        dice: id of the dice in use; null without any.
    """

    act: Literal["add", "enrol"]
    ok: bool
    code: str
    message: str
    params: dict[str, Param]
    by: str | None
    reason: str | None
    dice: str | None

    @classmethod
    def of(cls, report: DiceReport) -> Self:
        """The report with English sentences."""
        return cls.model_validate({**report.written(), "message": str(words_of(report.finding))})


class DiceOut(FrozenModel):
    """The house's own dice.

    Attributes:
        dice: id of what was learnt; null if no dice are enrolled.
        throws: number of throws that were learnt from.
        kinds: the kinds of dice.
        last: the latest report since the service started; null before the first.
    """

    dice: str | None
    throws: int
    kinds: tuple[DiceKindOut, ...]
    last: DiceReportOut | None


async def watched_dice(table: TableDep) -> DiceWatch:
    """The watch of the table's dice; ProblemError without a calibration."""
    if table.dice is None:
        raise ProblemError(
            "not_calibrated", words("Calibrate the camera first: without a calibration dice cannot be compared.")
        )
    return table.dice


DiceDep = Annotated[DiceWatch, Depends(watched_dice)]


@router.get(_PATH, dependencies=[requires(Permission.WATCH)], responses=problems(404, 409, 422))
def get_own_dice(dice: DiceDep) -> DiceOut:
    """What is learnt about the house's dice, and the latest report."""
    own = dice.own
    kinds = (
        ()
        if own is None
        else tuple(
            DiceKindOut(role=role, side_mm=round(side_mm, 1), values=tuple(sorted(values)))
            for role, side_mm, values in zip(own.roles, own.sides_mm, own.values, strict=True)
        )
    )
    last = None if dice.last is None else DiceReportOut.of(dice.last)
    return DiceOut(dice=dice.version, throws=0 if own is None else len(own.throws), kinds=kinds, last=last)


@router.post(
    f"{_PATH}/enrolment",
    dependencies=[requires(Permission.TILES)],
    responses=problems(400, 404, 409, 413, 422, 503),
)
async def enrol_own_dice(asked: DiceIn, dice: DiceDep, caller: CallerDep) -> DiceReportOut:
    """Enrol the dice that lie there, instead of those before. They are in force from the next picture on, and recorded.

    Each further confirmed throw adds to what is learnt.
    """
    return DiceReportOut.of(await ask_dice(dice, caller, asked.reason, asked.cut_value))


async def ask_dice(dice: DiceWatch, caller: Caller, reason: str, cut_value: int | None) -> DiceReport:
    """Pass a request to the watch of the dice, and wait for the result; ProblemError if no picture comes in time."""
    request = DiceRequest(caller.name, reason, cut_value)
    dice.ask(request)
    return await answer_from_pictures(request.answer)

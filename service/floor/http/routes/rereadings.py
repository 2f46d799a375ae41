"""Recorded rounds read again: the runs, and what would have been decided otherwise."""

from typing import Annotated

from fastapi import APIRouter, Path, Query

from service.access.roles import Permission
from service.floor.http.reread_schemas import (
    ReadingAgainOut,
    ReadingsAgainOut,
    RoundAgainOut,
    RoundsAgainOut,
    RoundsAgainQuery,
)
from service.floor.parts import FloorDep, FloorParts
from service.floor.reread.results import count, page
from service.floor.reread.runs import Run, run_of, runs
from service.http.errors import ProblemError, problems
from service.http.permissions import requires
from service.words.wording import words

router = APIRouter(prefix="/v1/rereadings", tags=["record"])

RunId = Annotated[int, Path(ge=1, le=2**63 - 1, description="number of the run")]


def run_named(parts: FloorParts, number: int) -> Run:
    """A run; ProblemError if there is none."""
    found = run_of(parts.reader.database, number)
    if found is None:
        raise ProblemError(404, "unknown_run", words("There is no run %(number)s.", number=number))
    return found


@router.get("", dependencies=[requires(Permission.REREADINGS)], responses=problems(503))
def list_rereadings(parts: FloorDep) -> ReadingsAgainOut:
    """Re-readings of recorded rounds, newest first; `houseway floor reread` starts them and works on them."""
    return ReadingsAgainOut(runs=tuple(map(ReadingAgainOut.of, runs(parts.reader.database))))


@router.get("/{run}", dependencies=[requires(Permission.REREADINGS)], responses=problems(404, 422, 503))
def get_rereading(parts: FloorDep, run: RunId) -> ReadingAgainOut:
    """A run, its progress, and which decisions would be different."""
    return ReadingAgainOut.of(run_named(parts, run), count(parts.reader.database, run))


@router.get("/{run}/rounds", dependencies=[requires(Permission.REREADINGS)], responses=problems(404, 422, 503))
def list_reread_rounds(parts: FloorDep, run: RunId, asked: Annotated[RoundsAgainQuery, Query()]) -> RoundsAgainOut:
    """The finished rounds of a run, with what would be different in each."""
    run_named(parts, run)
    found = page(parts.reader.database, run, asked.which, after=asked.after, limit=asked.limit + 1)
    given = found[: asked.limit]
    more = given[-1].position if len(found) > asked.limit else None
    return RoundsAgainOut(rounds=tuple(map(RoundAgainOut.of, given)), next=more)

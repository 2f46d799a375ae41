"""Rounds of all tables that wait for a person: who has taken one, and deciding it."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.concurrency import run_in_threadpool

from service.access.roles import Permission
from service.api.alarm_schemas import ClaimOut
from service.api.claims import of_round
from service.api.deps import PartsDep, RoundId, TableName
from service.api.errors import problems
from service.api.hub_schemas import ReviewOut, ReviewsOut, ReviewsQuery
from service.api.permissions import CallerDep, requires
from service.api.refusals import refusals
from service.api.routes.results import signed_by
from service.api.sight import SightDep
from service.record.projections.round_search import Wanted, count_waiting, find_rounds
from service.rounds.review import ReviewIn
from service.rounds.served import RoundOut

router = APIRouter(prefix="/v1/reviews", tags=["record"])

_WAITING = Wanted(status="needs_review")


@router.get("", dependencies=[requires(Permission.RESULTS)], responses=problems(404, 422, 503))
def list_reviews(parts: PartsDep, sight: SightDep, asked: Annotated[ReviewsQuery, Query()]) -> ReviewsOut:
    """Rounds of all tables that wait for a person, newest first, with who has taken each."""
    tables = sight.tables_in(asked.table, asked.pit)
    found = find_rounds(parts.projector, _WAITING, tables, before=asked.cursor, limit=asked.limit)
    taken = parts.desk.taken_rounds(found.rounds)
    reviews = tuple(
        ReviewOut(
            table=each.table,
            round=parts.served(each),
            taken=ClaimOut.of(taken.get((each.table, each.played.id))),
        )
        for each in found.rounds
    )
    waiting = count_waiting(parts.projector, sight.bounds)
    return ReviewsOut(reviews=reviews, next=found.next, waiting=waiting)


@router.post(
    "/{table}/{round_id}/claim", dependencies=[requires(Permission.REVIEW)], responses=problems(404, 409, 422, 503)
)
def take_review(table: TableName, round_id: RoundId, parts: PartsDep, sight: SightDep, caller: CallerDep) -> ClaimOut:
    """Claim a round to decide it. Repeat to keep it: a claim expires after five minutes.

    If another person has it, that is said (409).
    """
    log = sight.log_of_round(table, round_id)
    with refusals():
        claim = parts.desk.take(log, of_round(round_id), caller.name)
    return ClaimOut(by=claim.by, since=claim.since)


@router.delete(
    "/{table}/{round_id}/claim",
    dependencies=[requires(Permission.REVIEW)],
    status_code=204,
    responses=problems(404, 422, 503),
)
def release_review(table: TableName, round_id: RoundId, parts: PartsDep, sight: SightDep, caller: CallerDep) -> None:
    """Give a round back."""
    parts.desk.claims.release(sight.log_of(table), of_round(round_id), caller.name)


@router.post(
    "/{table}/{round_id}",
    dependencies=[requires(Permission.REVIEW)],
    responses=problems(400, 404, 408, 409, 413, 422, 503),
)
async def review_round_of_table(
    table: TableName, round_id: RoundId, asked: ReviewIn, parts: PartsDep, sight: SightDep, caller: CallerDep
) -> RoundOut:
    """Confirm what was read, or correct it: the table records it in that person's name, as a new revision.

    Where the table cannot be asked nothing is recorded (503). Sent again, it is recorded once.
    """
    log = await run_in_threadpool(sight.log_of_round, table, round_id)
    with refusals():
        return await parts.desk.decide(table, log, round_id, asked, signed_by(asked.by, caller))

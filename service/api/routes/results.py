"""What is in the record: rounds, their revisions, evidence, and what persons decided."""

from typing import Annotated

from fastapi import APIRouter, Header, Query, Response
from starlette.concurrency import run_in_threadpool

from service.access.access import Caller
from service.access.roles import Permission
from service.api.conditional import (
    NOT_MODIFIED,
    IfNoneMatch,
    model_response,
)
from service.api.deps import PartsDep, RoundId, RoundTableDep
from service.api.errors import ProblemError, problems
from service.api.permissions import CallerDep, requires
from service.api.record_schemas import RevisionsOut, RoundQuery, RoundsOut, RoundsQuery
from service.api.sight import SightDep
from service.record.projections.round_search import find_rounds
from service.rounds.review import ReviewIn
from service.rounds.served import RoundOut

router = APIRouter(prefix="/v1", tags=["record"])

IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=100,
        pattern=r"^[\x21-\x7e]+$",
        description="names this request; sent again with the same key it is done once and answered alike",
        examples=["6f1c2e0a-1"],
    ),
]


@router.get("/rounds", dependencies=[requires(Permission.RESULTS)], responses=problems(404, 422, 503))
def list_rounds(parts: PartsDep, sight: SightDep, asked: Annotated[RoundsQuery, Query()]) -> RoundsOut:
    """Rounds of all tables that fit all filters, newest first, each in its newest revision.

    To be told of every revision as it comes, use `/v1/results`.
    """
    wanted = asked.in_zone(parts.config.page.zone)
    tables = sight.tables_in(asked.table, asked.pit)
    found = find_rounds(parts.projector, wanted, tables, before=asked.cursor, limit=asked.limit)
    return RoundsOut(
        rounds=tuple(map(parts.served, found.rounds)),
        next=found.next,
        looked_back_to=found.looked_back_to,
    )


@router.get(
    "/rounds/{round_id}",
    dependencies=[requires(Permission.RESULTS)],
    response_model=RoundOut,
    responses={**NOT_MODIFIED, **problems(404, 422, 503)},
)
def get_round(
    round_id: RoundId, table: RoundTableDep, asked: Annotated[RoundQuery, Query()], if_none_match: IfNoneMatch = None
) -> Response:
    """A round as it stands, or as it stood at an earlier revision."""
    ledger = table.ledger
    found = ledger.newest(round_id) if asked.revision is None else ledger.revision(round_id, asked.revision)
    return model_response(RoundOut.from_report(found, table.rules.of_round(found)), if_none_match)


@router.get(
    "/rounds/{round_id}/revisions", dependencies=[requires(Permission.RESULTS)], responses=problems(404, 422, 503)
)
def list_revisions(round_id: RoundId, parts: PartsDep, table: RoundTableDep) -> RevisionsOut:
    """All that was recorded of a round, oldest first; each revision supersedes the one before it."""
    return RevisionsOut(revisions=parts.feed.revisions([entry.seq for entry, _ in table.ledger.revisions(round_id)]))


@router.post(
    "/rounds/{round_id}/review",
    dependencies=[requires(Permission.REVIEW)],
    responses=problems(400, 404, 408, 409, 413, 422, 503),
)
async def review_round(
    round_id: RoundId, asked: ReviewIn, table: RoundTableDep, caller: CallerDep, idempotency_key: IdempotencyKey = None
) -> RoundOut:
    """Confirm what was read, or correct it, with a name and a reason; recorded as that person's, as a new revision."""
    signed = asked.model_copy(update={"by": signed_by(asked.by, caller)})
    return await run_in_threadpool(table.decide, round_id, signed, idempotency_key, caller.name)


def signed_by(by: str, caller: Caller) -> str:
    """Whose decision it is: nobody decides in another person's name."""
    if caller.session is None:
        return f"{by} ({caller.name})" if by else caller.name
    if by not in {"", caller.name}:
        raise ProblemError(
            422, "another_person", f"You are signed in as {caller.name!r}; leave 'by' out, or sign in as {by!r}."
        )
    return caller.name

"""Recorded rounds of all tables: search, revisions, and people's reviews of the doubtful ones."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from service.access.roles import Permission
from service.api.claims import Claim, of_round
from service.api.conditional import NOT_MODIFIED, IfNoneMatch, model_response
from service.api.deps import IdempotencyKey, PartsDep, RoundId, RoundTableDep, ScopeDep, TableName
from service.api.permissions import CallerDep, requires, signed_by
from service.api.problems import problems
from service.record.projections.round_search import PAGE, PlaceInRounds, RoundFilter, Wanted, count_waiting, find_rounds
from service.record.results import ResultOut
from service.rounds.reports import FrozenModel
from service.rounds.review import ReviewIn
from service.rounds.served import RoundOut
from service.system.section import Name

router = APIRouter(prefix="/v1", tags=["record"])

_RESULTS = requires(Permission.RESULTS)
_REVIEW = requires(Permission.REVIEW)
_WAITING = Wanted(status="needs_review")

_Table = Annotated[Name | None, Field(description="only rounds of this table", examples=["test"])]
_Pit = Annotated[Name | None, Field(description="only rounds of this pit's tables", examples=["high-limit"])]
_Limit = Annotated[int, Field(ge=1, le=100, description="maximum number of rounds per page")]
_Cursor = Annotated[
    PlaceInRounds | None,
    Field(
        examples=["2026-01-31T23:59:59.123456Z~7"],
        description="`next` of the previous page; omit it to start with the newest round",
    ),
]


class RoundsQuery(RoundFilter):
    """Selects rounds."""

    table: _Table = None
    pit: _Pit = None
    limit: _Limit = PAGE
    cursor: _Cursor = None


class RoundsOut(FrozenModel):
    """Rounds in their newest revisions, newest first.

    Attributes:
        rounds: the matching rounds.
        next: send this as ``cursor`` for the next page; null on the last page. A page may have fewer rounds than
            ``limit``, or none, even if it is not the last.
        looked_back_to: opening time of the oldest round that was searched, if the search continues on the next page;
            otherwise null.
    """

    rounds: tuple[RoundOut, ...]
    next: str | None
    looked_back_to: datetime | None


class RoundQuery(FrozenModel):
    """Selects a revision of a round."""

    revision: Annotated[int, Field(ge=1, le=1_000_000)] | None = Field(
        default=None, description="an earlier revision; omit it for the newest"
    )


class RevisionsOut(FrozenModel):
    """All revisions of a round.

    Attributes:
        revisions: oldest first.
    """

    revisions: tuple[ResultOut, ...]


class ReviewsQuery(FrozenModel):
    """Selects rounds that need review."""

    table: _Table = None
    pit: _Pit = None
    limit: _Limit = PAGE
    cursor: _Cursor = None


class ReviewOut(FrozenModel):
    """A round that needs review, with its claim."""

    table: str = Field(description="the table's name in this service")
    round: RoundOut = Field(description="the round as its table recorded it")
    taken: Claim | None = Field(description="its claim; null if nobody has claimed it")


class ReviewsOut(FrozenModel):
    """Rounds that need review, newest first."""

    reviews: tuple[ReviewOut, ...] = Field(description="the rounds")
    next: str | None = Field(description="send this as `cursor` for older rounds; null on the last page")
    waiting: int = Field(description="number of rounds of all tables that need review")


@router.get("/rounds", dependencies=[_RESULTS], responses=problems(404, 422, 503))
def list_rounds(parts: PartsDep, scope: ScopeDep, asked: Annotated[RoundsQuery, Query()]) -> RoundsOut:
    """Rounds of all tables that match all filters, newest first, each in its newest revision.

    To receive every revision, use `/v1/results`.
    """
    wanted = asked.in_zone(parts.config.page.zone)
    tables = scope.tables_in(asked.table, asked.pit)
    found = find_rounds(parts.projector, wanted, tables, before=asked.cursor, limit=asked.limit)
    return RoundsOut(
        rounds=tuple(map(parts.served, found.rounds)),
        next=found.next,
        looked_back_to=found.looked_back_to,
    )


@router.get(
    "/rounds/{round_id}",
    dependencies=[_RESULTS],
    response_model=RoundOut,
    responses={**NOT_MODIFIED, **problems(404, 422, 503)},
)
def get_round(
    round_id: RoundId, table: RoundTableDep, asked: Annotated[RoundQuery, Query()], if_none_match: IfNoneMatch = None
) -> Response:
    """A round in its newest or an earlier revision."""
    ledger = table.ledger
    found = ledger.newest(round_id) if asked.revision is None else ledger.revision(round_id, asked.revision)
    return model_response(RoundOut.from_report(found, table.rules.of_round(found)), if_none_match)


@router.get("/rounds/{round_id}/revisions", dependencies=[_RESULTS], responses=problems(404, 422, 503))
def list_revisions(round_id: RoundId, parts: PartsDep, table: RoundTableDep) -> RevisionsOut:
    """All recorded revisions of a round, oldest first; each supersedes the previous one."""
    return RevisionsOut(revisions=parts.feed.revisions([entry.seq for entry, _ in table.ledger.revisions(round_id)]))


@router.post("/rounds/{round_id}/review", dependencies=[_REVIEW], responses=problems(400, 404, 408, 409, 413, 422, 503))
async def review_round(
    round_id: RoundId,
    asked: ReviewIn,
    table: RoundTableDep,
    parts: PartsDep,
    caller: CallerDep,
    idempotency_key: IdempotencyKey = None,
) -> RoundOut:
    """Confirm or correct the reading of a round, with a reason, or report what was done about a finding or a hand.

    Recorded in the person's name as a new revision. A decision is refused (409) if another person has claimed the
    round; a report of an outcome is not.
    """
    signed = asked.model_copy(update={"by": signed_by(asked.by, caller)})

    def decide() -> RoundOut:
        if signed.outcome is None and not table.ledger.reviewed_before(round_id, signed, idempotency_key, caller.name):
            parts.desk.check_free(round_id, {caller.name, signed.by})
        return table.decide(round_id, signed, idempotency_key, caller.name)

    return await run_in_threadpool(decide)


@router.get("/reviews", dependencies=[_RESULTS], responses=problems(404, 422, 503))
def list_reviews(parts: PartsDep, scope: ScopeDep, asked: Annotated[ReviewsQuery, Query()]) -> ReviewsOut:
    """Rounds of all tables that need review, newest first, with their claims."""
    tables = scope.tables_in(asked.table, asked.pit)
    found = find_rounds(parts.projector, _WAITING, tables, before=asked.cursor, limit=asked.limit)
    taken = parts.desk.taken_rounds(found.rounds)
    reviews = tuple(
        ReviewOut(table=each.table, round=parts.served(each), taken=taken.get((each.table, each.played.id)))
        for each in found.rounds
    )
    waiting = count_waiting(parts.projector, scope.bounds)
    return ReviewsOut(reviews=reviews, next=found.next, waiting=waiting)


@router.post("/reviews/{table}/{round_id}/claim", dependencies=[_REVIEW], responses=problems(404, 409, 422, 503))
def take_review(table: TableName, round_id: RoundId, parts: PartsDep, scope: ScopeDep, caller: CallerDep) -> Claim:
    """Claim a round for review. Repeat to keep the claim: it expires after five minutes.

    Refused (409) if another person has claimed it.
    """
    return parts.desk.take(scope.log_of_round(table, round_id), of_round(round_id), caller.name)


@router.delete(
    "/reviews/{table}/{round_id}/claim", dependencies=[_REVIEW], status_code=204, responses=problems(404, 422, 503)
)
def release_review(table: TableName, round_id: RoundId, parts: PartsDep, scope: ScopeDep, caller: CallerDep) -> None:
    """Release the claim on a round."""
    parts.desk.claims.release(scope.log_of(table), of_round(round_id), caller.name)


@router.post(
    "/reviews/{table}/{round_id}", dependencies=[_REVIEW], responses=problems(400, 404, 408, 409, 413, 422, 503)
)
async def review_round_of_table(
    table: TableName, round_id: RoundId, asked: ReviewIn, parts: PartsDep, scope: ScopeDep, caller: CallerDep
) -> RoundOut:
    """Confirm or correct the reading, or report an outcome.

    The table records it in the person's name as a new revision.

    If the table cannot be reached, nothing is recorded (503). A repeated request is recorded once.
    """
    log = await run_in_threadpool(scope.log_of_round, table, round_id)
    return await parts.desk.decide(table, log, round_id, asked, signed_by(asked.by, caller))

"""What is in the record: results in order, the revisions of a round, evidence, and what persons decided."""

import hashlib
from typing import Annotated

from fastapi import APIRouter, Header, Path, Query, Response
from starlette.concurrency import run_in_threadpool

from service.access.access import Caller
from service.access.roles import Permission
from service.http.conditional import (
    JPEG_OR_CLIP,
    NOT_MODIFIED,
    IfNoneMatch,
    conditional,
    long_poll,
    matches,
    model_response,
)
from service.http.deps import PartsDep, RoundId, RoundTableDep
from service.http.errors import ProblemError, problems
from service.http.permissions import CallerDep, requires
from service.http.record_schemas import ResultsQuery, RevisionsOut, RoundQuery, RoundsOut, RoundsQuery
from service.record.feed import ResultsOut, position_of
from service.record.results import START, cursor_of, read_cursor, result_of
from service.record.round_search import find_rounds
from service.rounds.review import ReviewIn
from service.words.served import RoundOut

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


@router.get(
    "/results",
    dependencies=[requires(Permission.RESULTS)],
    response_model=ResultsOut,
    responses=problems(404, 409, 422, 503),
)
async def list_results(parts: PartsDep, asked: Annotated[ResultsQuery, Query()]) -> Response:
    """Every revision of every round, oldest first, nothing skipped and nothing repeated.

    Keep `next` and send it as `since`: it stays valid for ever, also after restarts.
    """
    if asked.table is not None:
        parts.table(asked.table)
    since = START if asked.since is None else read_cursor(asked.since)
    body = await long_poll(
        parts.news.recorded,
        min(asked.wait, parts.config.server.max_wait_s),
        lambda changes: parts.feed.page(since, asked.table, asked.limit, changes),
    )
    return Response(body, media_type="application/json", headers={"Cache-Control": "no-store"})


@router.get("/rounds", dependencies=[requires(Permission.RESULTS)], responses=problems(404, 409, 422, 503))
def list_rounds(parts: PartsDep, asked: Annotated[RoundsQuery, Query()]) -> RoundsOut:
    """Rounds that fit all filters, newest first, each in its newest revision.

    To be told of every revision as it comes, use `/v1/results`.
    """
    config, record, table = parts.config, parts.record, parts.asked_table(asked.table)
    wanted = asked.in_zone(config.page.zone)
    before = None if asked.cursor is None else position_of(record, read_cursor(asked.cursor))
    found = find_rounds(record, table.name, wanted, before=before, limit=asked.limit)
    behind = None if found.next is None else record.entry(found.next)
    return RoundsOut(
        rounds=tuple(RoundOut.from_report(each, table.house_way) for each in found.rounds),
        next=None if behind is None else cursor_of(behind.seq, behind.hash),
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
    return model_response(RoundOut.from_report(found, table.house_way), if_none_match)


@router.get(
    "/rounds/{round_id}/revisions", dependencies=[requires(Permission.RESULTS)], responses=problems(404, 422, 503)
)
def list_revisions(round_id: RoundId, table: RoundTableDep) -> RevisionsOut:
    """All that was recorded of a round, oldest first; each revision supersedes the one before it."""
    return RevisionsOut(
        revisions=tuple(result_of(entry, table.house_way) for entry, _ in table.ledger.revisions(round_id))
    )


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
    decided = await run_in_threadpool(table.ledger.review, round_id, signed, idempotency_key, caller.name)
    table.live.record_if_newer(decided)
    return RoundOut.from_report(decided, table.house_way)


@router.get(
    "/evidence/{sha256}",
    dependencies=[requires(Permission.EVIDENCE)],
    response_class=Response,
    responses={**JPEG_OR_CLIP, **NOT_MODIFIED, **problems(404, 422, 503)},
)
def get_evidence(
    sha256: Annotated[
        str,
        Path(
            pattern="^[0-9a-f]{64}$",
            description="hash of the picture, as the round names it",
            examples=[hashlib.sha256(b"").hexdigest()],
        ),
    ],
    parts: PartsDep,
    if_none_match: IfNoneMatch = None,
) -> Response:
    """A picture or a clip that shows what was seen, by the hash that the round names it with."""
    etag, cache_control = f'"{sha256}"', "private, max-age=31536000, immutable"
    if matches(if_none_match, etag) and (media_type := parts.record.media_type(sha256)) is not None:
        return conditional(if_none_match, etag, bytes, media_type, cache_control)
    picture = parts.record.picture(sha256)
    if picture is None:
        raise ProblemError(
            404, "unknown_picture", "There is no such picture here: never recorded, or removed after it was exported."
        )
    return conditional(None, etag, lambda: picture.data, picture.media_type, cache_control)


def signed_by(by: str, caller: Caller) -> str:
    """Whose decision it is: nobody decides in another person's name."""
    if caller.session is None:
        return f"{by} ({caller.name})" if by else caller.name
    if by not in {"", caller.name}:
        raise ProblemError(
            422, "another_person", f"You are signed in as {caller.name!r}; leave 'by' out, or sign in as {by!r}."
        )
    return caller.name

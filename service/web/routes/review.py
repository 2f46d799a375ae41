"""The queue of rounds that wait for a person, and the confirmation of several of them with one reason."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from service.access.roles import Permission
from service.http.local_table import LocalTableRoute
from service.http.permissions import CallerDep, requires
from service.projections.round_search import PlaceInRounds, Wanted, find_rounds
from service.record.ledger import NewerRevisionError
from service.rounds.reports import RoundReport
from service.rounds.review import ReviewError, ReviewIn
from service.web.deciding.queue import groups_of
from service.web.deciding.reasons import reason_of
from service.web.decision_form import read_ticks
from service.web.routes.rounds import decided_before, is_kept
from service.web.templating import TablePage, TablePageDep
from service.words.wording import Sayable

router = APIRouter(prefix="/tables/{table}/review", route_class=LocalTableRoute, include_in_schema=False)

_WAITING = Wanted(status="needs_review")
_ON_A_PAGE = 200


@dataclass(frozen=True, slots=True)
class NotConfirmed:
    """A round that was ticked and could not be confirmed, as it is now, and why."""

    played: RoundReport
    why: Sayable


@router.get("", dependencies=[requires(Permission.RESULTS)])
def read_queue(
    page: TablePageDep,
    before: Annotated[PlaceInRounds | None, Query()] = None,
    confirmed: Annotated[int, Query(ge=0, le=10_000)] = 0,
    decided: Annotated[str, Query(max_length=90)] = "",
) -> HTMLResponse:
    """Rounds that need review, by cause."""
    return _queue(page, before=before, confirmed=confirmed, decided=decided)


@router.post("", dependencies=[requires(Permission.REVIEW)])
async def confirm(page: TablePageDep, caller: CallerDep) -> Response:
    """Confirm the rounds that are ticked, each as its own decision of the same person."""
    sent = await page.request.form()
    ticks = [tick for tick in sent.getlist("tick") if isinstance(tick, str)]
    reason = reason_of(str(sent.get("because", "")), str(sent.get("more", "")))
    return await run_in_threadpool(_confirm, page, ticks, reason, caller.name)


def _confirm(page: TablePage, ticks: list[str], reason: str, by: str) -> Response:
    try:
        asked = read_ticks(ticks, reason, by)
    except ReviewError as error:
        return _queue(page, status=422, refused=error.words, ticked=ticks)
    refused = [found for round_id, each in asked if (found := _confirmed(page, round_id, each, by)) is not None]
    if refused:
        return _queue(page, status=409, confirmed=len(asked) - len(refused), not_confirmed=refused)
    return RedirectResponse(f"{page.table.at}/review?confirmed={len(asked)}", status_code=303)


def _confirmed(page: TablePage, round_id: str, asked: ReviewIn, by: str) -> NotConfirmed | None:
    """Record one decision; what keeps it from being recorded, if anything does."""
    ledger = page.table.ledger
    try:
        decided = ledger.review(round_id, asked, None, by)
    except (NewerRevisionError, ReviewError) as error:
        return NotConfirmed(ledger.newest(round_id), error.words)
    page.table.live.record_if_newer(decided)
    return None


def _queue(
    page: TablePage,
    *,
    status: int = 200,
    before: str | None = None,
    confirmed: int = 0,
    decided: str = "",
    refused: Sayable | None = None,
    not_confirmed: list[NotConfirmed] | None = None,
    ticked: list[str] | None = None,
) -> HTMLResponse:
    parts = page.parts
    found = find_rounds(parts.projector, _WAITING, [page.table.name], before=before, limit=_ON_A_PAGE)
    return page.answer(
        "review.html",
        status=status,
        found=found,
        groups=groups_of(("", played) for played in found.played),
        is_kept=lambda sha256: is_kept(parts, sha256),
        confirmed=confirmed,
        decided=decided_before(page.table, decided),
        refused=refused,
        not_confirmed=not_confirmed or [],
        ticked=ticked or [],
    )

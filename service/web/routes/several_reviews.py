"""Confirming several rounds of any tables with one reason, each as its own decision of the same person."""

import asyncio
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from service.access.roles import Permission
from service.floor.desk import CutError, NotDoneError, TakenError
from service.http.errors import ProblemError
from service.http.permissions import CallerDep, requires
from service.projections.round_search import Wanted, find_rounds
from service.rounds.reports import RoundReport
from service.rounds.review import ReviewError, ReviewIn
from service.web.deciding.queue import groups_of
from service.web.deciding.reasons import reason_of
from service.web.decision_form import read_ticks
from service.web.hub_page import FloorPage, FloorPageDep
from service.web.routes.hub_alarms import Table
from service.web.routes.hub_reviews import Before
from service.web.routes.hub_tables import Pit
from service.web.shown_round import low_lies_of
from service.words.wording import Quote, Sayable

router = APIRouter(include_in_schema=False)

_WAITING = Wanted(status="needs_review")
_ON_A_PAGE = 50
_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class NotConfirmed:
    """A round that was ticked and could not be confirmed, and why."""

    table: str
    round_id: str
    why: Sayable


@router.get("/reviews/several", dependencies=[requires(Permission.RESULTS)])
def read_several(
    page: FloorPageDep,
    caller: CallerDep,
    pit: Pit = None,
    table: Table = None,
    before: Before = None,
    confirmed: Annotated[int, Query(ge=0, le=10_000)] = 0,
) -> HTMLResponse:
    """Rounds of all tables that wait, by cause, without those that another person has taken."""
    return _several(page, caller.name, pit=pit, table=table, before=before, confirmed=confirmed)


@router.post("/reviews/several", dependencies=[requires(Permission.REVIEW)])
async def confirm(page: FloorPageDep, caller: CallerDep) -> Response:
    """Confirm the rounds that are ticked; what could not be is told."""
    sent = await page.request.form()
    ticks = [tick for tick in sent.getlist("tick") if isinstance(tick, str)]
    tables, named = zip(*(tick.partition(" ")[::2] for tick in ticks), strict=True) if ticks else ((), ())
    try:
        asked = read_ticks(named, reason_of(str(sent.get("because", "")), str(sent.get("more", ""))), caller.name)
    except ReviewError as error:
        said, shown = error.words, ticks
        return await run_in_threadpool(lambda: _several(page, caller.name, status=422, refused=said, ticked=shown))
    free = asyncio.Semaphore(_AT_ONCE)
    work = (
        _confirm(page, free, table, round_id, each, caller.name)
        for table, (round_id, each) in zip(tables, asked, strict=True)
    )
    done = await asyncio.gather(*work)
    refused = [each for each in done if isinstance(each, NotConfirmed)]
    for table, answer in zip(tables, done, strict=True):
        if isinstance(answer, RoundReport):
            held = await run_in_threadpool(page.sight.held_table, table)
            await page.parts.hub.desk.decided_here(held.id, answer)
    count = len(done) - len(refused)
    if refused:
        return await run_in_threadpool(
            lambda: _several(page, caller.name, status=409, confirmed=count, not_confirmed=refused)
        )
    return RedirectResponse(f"/reviews/several?confirmed={count}", status_code=303)


async def _confirm(
    page: FloorPage, free: asyncio.Semaphore, table: str, round_id: str, asked: ReviewIn, by: str
) -> RoundReport | NotConfirmed:
    async with free:
        try:
            held = await run_in_threadpool(page.sight.held_table, table)
            return await page.parts.hub.desk.decide(table, held.id, round_id, asked, by)
        except (TakenError, CutError, NotDoneError) as error:
            return NotConfirmed(table, round_id, error.words)
        except ProblemError as error:  # there is no such table
            return NotConfirmed(table, round_id, Quote(str(error.detail)))


def _several(
    page: FloorPage,
    by: str,
    *,
    status: int = 200,
    pit: str | None = None,
    table: str | None = None,
    before: str | None = None,
    confirmed: int = 0,
    refused: Sayable | None = None,
    not_confirmed: list[NotConfirmed] | None = None,
    ticked: list[str] | None = None,
) -> HTMLResponse:
    parts, asked = page.parts, {"pit": pit, "table": table}
    found = find_rounds(parts.projector, _WAITING, page.sight.tables_in(table, pit), before=before, limit=_ON_A_PAGE)
    taken = parts.hub.desk.taken_rounds(found.rounds)
    free = [
        (each.table, each.played)
        for each in found.rounds
        if (claim := taken.get((each.table, each.played.id))) is None or claim.by == by
    ]
    return page.answer(
        "floor/several_reviews.html",
        status=status,
        groups=groups_of(free),
        low_lies_of=low_lies_of,
        next=found.next,
        # Whether a picture is still there only its table knows: the page takes the box away where one does not come.
        seen=lambda _: True,
        confirmed=confirmed,
        refused=refused,
        not_confirmed=not_confirmed or [],
        ticked=ticked or [],
        pit=pit,
        table=table,
        asked={name: value for name, value in asked.items() if value is not None},
    )

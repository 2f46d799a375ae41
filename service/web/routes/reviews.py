"""The queue of rounds that wait for a person, by cause, and confirming several of them with one reason."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from service.access.access import Caller
from service.access.roles import Permission
from service.api.desk import TableRefusedError, TableUnreachableError, TakenError
from service.api.permissions import CallerDep, requires
from service.api.problems import ProblemError
from service.record.ledger import NewerRevisionError, UnknownRoundError
from service.record.projections.round_search import PlaceInRounds, Wanted, count_waiting, find_rounds
from service.rounds.reports import RoundReport
from service.rounds.review import ReviewError, ReviewIn
from service.web.parameters import EMPTY_AS_NONE, AskedPit, AskedTable
from service.web.review_forms import read_ticks
from service.web.review_questions import groups_of, reason_of
from service.web.round_page import RoundPage, decided_before
from service.web.templating import Page, PageDep
from service.words.wording import Quote, Sayable

router = APIRouter(prefix="/reviews", include_in_schema=False)

_REFUSALS = (
    TakenError,
    TableUnreachableError,
    TableRefusedError,
    NewerRevisionError,
    ReviewError,
    UnknownRoundError,
)
_WAITING = Wanted(status="needs_review")
_ON_A_PAGE = 100
_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class NotConfirmed:
    """A ticked round that was not confirmed, and why; an unknown round has no ``number``."""

    table: str
    round_id: str
    number: int | None
    why: Sayable


@router.get("", dependencies=[requires(Permission.RESULTS)])
def read_queue(
    page: PageDep,
    caller: CallerDep,
    pit: AskedPit = None,
    table: AskedTable = None,
    before: Annotated[PlaceInRounds | None, EMPTY_AS_NONE, Query()] = None,
    confirmed: Annotated[int, Query(ge=0, le=10_000)] = 0,
    decided: Annotated[str, Query(max_length=140)] = "",
) -> HTMLResponse:
    """Rounds that need review, by cause, with their claims."""
    return _queue(page, caller, pit=pit, table=table, before=before, confirmed=confirmed, decided=decided)


@router.post("", dependencies=[requires(Permission.REVIEW)])
async def confirm(page: PageDep, caller: CallerDep, pit: AskedPit = None, table: AskedTable = None) -> Response:
    """Confirm the rounds that are ticked, each as its own decision of the same person."""
    sent = await page.request.form()
    ticks = [tick for tick in sent.getlist("tick") if isinstance(tick, str)]
    reason = reason_of(str(sent.get("because", "")), str(sent.get("more", "")))

    async def again(status: int, **context: object) -> Response:
        return await run_in_threadpool(
            lambda: _queue(page, caller, pit=pit, table=table, status=status, **context)  # type: ignore[arg-type]
        )

    try:
        asked = read_ticks(ticks, reason, caller.name)
    except ReviewError as error:
        return await again(422, refused=error.words, ticked=ticks)
    free = asyncio.Semaphore(_AT_ONCE)
    done = await asyncio.gather(*(_confirm(page, caller, free, *each) for each in asked))
    refused = [each for each in done if each is not None]
    count = len(done) - len(refused)
    if refused:
        return await again(409, confirmed=count, not_confirmed=refused)
    of = "".join(f"&{name}={value}" for name, value in (("pit", pit), ("table", table)) if value is not None)
    return RedirectResponse(f"/reviews?confirmed={count}{of}", status_code=303)


async def _confirm(
    page: Page, caller: Caller, free: asyncio.Semaphore, table: str, round_id: str, asked: ReviewIn
) -> NotConfirmed | None:
    """Have one decision recorded; the reason if it is not."""
    desk, shown = page.parts.desk, None
    async with free:
        try:
            shown = await run_in_threadpool(RoundPage, page, caller, table, round_id)
            decided = await desk.decide(table, shown.log, round_id, asked, caller.name)
        except (
            TakenError,
            TableUnreachableError,
            TableRefusedError,
            NewerRevisionError,
            ReviewError,
            UnknownRoundError,
        ) as error:
            return NotConfirmed(table, round_id, shown.newest.number if shown is not None else None, error.words)
        except ProblemError as error:  # there is no such table
            return NotConfirmed(table, round_id, None, Quote(str(error.detail)))
    await desk.decided_here(shown.log, decided)
    return None


def _queue(
    page: Page,
    caller: Caller,
    *,
    status: int = 200,
    pit: str | None = None,
    table: str | None = None,
    before: str | None = None,
    confirmed: int = 0,
    decided: str = "",
    refused: Sayable | None = None,
    not_confirmed: Collection[NotConfirmed] = (),
    ticked: Collection[str] = (),
) -> HTMLResponse:
    parts, scope = page.parts, page.scope
    tables = scope.tables_in(table, pit)
    found = find_rounds(parts.projector, _WAITING, tables, before=before, limit=_ON_A_PAGE)
    taken = parts.desk.taken_rounds(found.rounds)

    def is_free(table: str, played: RoundReport) -> bool:
        claim = taken.get((table, played.id))
        return claim is None or claim.by == caller.name

    return page.answer(
        "reviews.html",
        status=status,
        found=found,
        groups=groups_of((each.table, each.played) for each in found.rounds),
        waiting=count_waiting(parts.projector, tables),
        taken=taken,
        is_free=is_free,
        is_kept=parts.is_kept,
        lies=parts.low_lies,
        confirmed=confirmed,
        decided=decided_before(page, caller, decided),
        refused=refused,
        not_confirmed=not_confirmed,
        ticked=ticked,
        pit=pit,
        table_asked=table,
        asked={name: value for name, value in {"pit": pit, "table": table}.items() if value is not None},
        **scope.named,
    )

"""The queue of rounds of all tables that wait for a person, and deciding one that a person has taken."""

from typing import Annotated

from anyio import from_thread
from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from service.access.access import Caller
from service.access.roles import Permission
from service.floor.claims import of_round
from service.floor.collect.client import TableAwayError
from service.floor.desk import CutError, NotDoneError, TakenError
from service.http.deps import Parts, PartsDep, RoundId, TableName
from service.http.local_table import HubRoute
from service.http.permissions import CallerDep, requires
from service.http.routes.evidence import away, find_picture
from service.http.sight import SightDep
from service.projections.round_search import PlaceInRounds, Wanted, find_rounds
from service.rounds.review import ReviewError, ReviewIn
from service.web.deciding.questions import questions
from service.web.decision_form import read_choice, read_decision
from service.web.hub_page import FloorPage, FloorPageDep
from service.web.left_empty import LEFT_EMPTY
from service.web.routes.hub_alarms import Table
from service.web.routes.hub_tables import Pit
from service.web.shown_round import ShownRound
from service.words.wording import Sayable

router = APIRouter(route_class=HubRoute, include_in_schema=False)

_RESULTS = requires(Permission.RESULTS)
_REVIEW = requires(Permission.REVIEW)
_WAITING = Wanted(status="needs_review")
_ON_A_PAGE = 50
Before = Annotated[PlaceInRounds | None, LEFT_EMPTY, Query()]
_Part = Annotated[str, Query(max_length=20)]


@router.get("/reviews", dependencies=[_RESULTS])
async def read_queue(
    page: FloorPageDep,
    pit: Pit = None,
    table: Table = None,
    before: Before = None,
    decided: Annotated[str, Query(max_length=140)] = "",
) -> HTMLResponse:
    """Rounds of all tables that wait, newest first, with who has taken which."""
    return await _queue(page, pit=pit, table=table, before=before, decided=decided)


@router.get("/page/reviews", dependencies=[_RESULTS])
async def read_list(page: FloorPageDep, pit: Pit = None, table: Table = None, before: Before = None) -> HTMLResponse:
    """The part of the page that changes."""
    return await _queue(page, pit=pit, table=table, before=before, template="floor/review_list.html")


@router.get("/tables/{table}/rounds/{round_id}", dependencies=[_RESULTS])
def read_round(
    page: FloorPageDep,
    table: TableName,
    round_id: RoundId,
    caller: CallerDep,
    place: _Part = "",
    decided: Annotated[str, Query(max_length=90)] = "",
    because: _Part = "",
    whole: bool = False,  # noqa: FBT001, FBT002  a query
) -> HTMLResponse:
    """A round of a table at the moment that matters, and the form to decide it for whoever has taken it."""
    return ShownRound(page, caller, table, round_id).answer(
        place, decided=decided, sent={"because": because}, whole=whole
    )


@router.get("/tables/{table}/rounds/{round_id}/incident.pdf", dependencies=[requires(Permission.EVIDENCE)])
def read_incident(
    page: FloorPageDep, parts: PartsDep, table: TableName, round_id: RoundId, caller: CallerDep
) -> Response:
    """The incident sheet of a round, with the pictures that the floor or the table has."""

    def picture(sha256: str) -> bytes | None:
        found = from_thread.run(find_picture, parts, page.sight, sha256)
        return None if found is None else found.data

    try:
        return ShownRound(page, caller, table, round_id).incident(picture)
    except TableAwayError as error:
        raise away(error) from None


@router.get("/tables/{table}/rounds/{round_id}/next", dependencies=[_RESULTS])
def skip(page: FloorPageDep, table: TableName, round_id: RoundId, caller: CallerDep, place: _Part = "") -> Response:
    """Go on to what is in doubt behind a place of a round, and leave that as it is."""
    shown = ShownRound(page, caller, table, round_id)
    return RedirectResponse(shown.behind(shown.newest, place), status_code=303)


@router.post("/tables/{table}/rounds/{round_id}/take", dependencies=[_REVIEW])
def take(page: FloorPageDep, parts: PartsDep, table: TableName, round_id: RoundId, caller: CallerDep) -> Response:
    """Take a round to decide it."""
    shown = ShownRound(page, caller, table, round_id)
    try:
        parts.hub.desk.take(shown.held.id, of_round(round_id), caller.name)
    except TakenError as error:
        return shown.answer(status=409, refused=error.words)
    return RedirectResponse(f"{shown.at}#decide", status_code=303)


@router.post("/tables/{table}/rounds/{round_id}/release", dependencies=[_REVIEW])
def release(parts: PartsDep, sight: SightDep, table: TableName, round_id: RoundId, caller: CallerDep) -> Response:
    """Let go of a round."""
    parts.hub.desk.claims.release(sight.held_table(table).id, of_round(round_id), caller.name)
    return RedirectResponse("/reviews", status_code=303)


@router.post("/tables/{table}/rounds/{round_id}/decide", dependencies=[_REVIEW])
async def decide_part(page: FloorPageDep, table: TableName, round_id: RoundId, caller: CallerDep) -> Response:
    """Take a decision about one hand or die."""
    return await _decide(page, table, round_id, caller, whole=False)


@router.post("/tables/{table}/rounds/{round_id}/review", dependencies=[_REVIEW])
async def decide(page: FloorPageDep, table: TableName, round_id: RoundId, caller: CallerDep) -> Response:
    """Take a decision from the whole form."""
    return await _decide(page, table, round_id, caller, whole=True)


async def _decide(page: FloorPage, table: str, round_id: str, caller: Caller, *, whole: bool) -> Response:
    sent = await page.form()
    part = "" if whole else sent.get("part", "")
    shown = await run_in_threadpool(ShownRound, page, caller, table, round_id)

    async def again(status: int, refused: Sayable) -> Response:
        return await run_in_threadpool(
            lambda: shown.answer(part, status=status, refused=refused, sent=sent, whole=whole and status == 422)
        )

    try:
        read = read_decision if whole else read_choice
        asked: ReviewIn = read(sent, shown.newest, caller.name)
        decided = await page.parts.hub.desk.decide(table, shown.held.id, round_id, asked, caller.name)
    except ReviewError as error:
        return await again(422, error.words)
    except TakenError as error:
        return await again(409, error.words)
    except CutError as error:
        return await again(503, error.words)
    except NotDoneError as error:
        return await again(error.status, error.words)
    await page.parts.hub.desk.decided_here(shown.held.id, decided)
    if whole:
        return RedirectResponse(f"{shown.at}?decided=true", status_code=303)
    told = {"decided": f"{round_id}:{part}", "because": sent.get("because", "")}
    return RedirectResponse(shown.behind(decided, part, told), status_code=303)


async def _queue(
    page: FloorPage,
    *,
    pit: str | None,
    table: str | None,
    before: str | None,
    decided: str = "",
    template: str = "floor/reviews.html",
) -> HTMLResponse:
    parts: Parts = page.parts
    floor = await page.sight.floor()

    def made() -> HTMLResponse:
        tables = page.sight.tables_in(table, pit)
        found = find_rounds(parts.projector, _WAITING, tables, before=before, limit=_ON_A_PAGE)
        asked = {"pit": pit, "table": table}
        of, _, round_id = decided.partition(":")
        return page.answer(
            template,
            found=found,
            questions=questions,
            taken=parts.hub.desk.taken_rounds(found.rounds),
            waiting=floor.waiting,
            decided=(of, round_id) if round_id else None,
            pit=pit,
            table=table,
            before=before,
            asked={name: value for name, value in asked.items() if value is not None},
        )

    return await run_in_threadpool(made)

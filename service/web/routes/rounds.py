"""Recorded rounds on the page: the history, and one round at the moment that matters with the form that decides it."""

from typing import Annotated, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Path, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from service.access.roles import Permission
from service.http.deps import Parts, RoundTableDep, TableDep
from service.http.local_table import LocalTable, LocalTableRoute
from service.http.permissions import CallerDep, requires
from service.projections.round_search import find_rounds, next_waiting
from service.record.ledger import NewerRevisionError, UnknownRoundError
from service.rounds.reports import RoundReport
from service.rounds.review import ReviewError, doubtful_parts
from service.web.decision_form import read_choice, read_decision
from service.web.round_history import Search
from service.web.round_page import round_page
from service.web.templating import TablePage, TablePageDep
from service.words.wording import Sayable, words

router = APIRouter(prefix="/tables/{table}", route_class=LocalTableRoute, include_in_schema=False)

_RESULTS = requires(Permission.RESULTS)

RoundId = Annotated[str, Path(max_length=64)]


def _of_table(table: TableDep, of_round: RoundTableDep, round_id: RoundId) -> None:
    if of_round is not table:
        raise UnknownRoundError(words("No round %(round)s is in the record.", round=repr(round_id)))


OF_TABLE: Final = Depends(_of_table)
"""The round in the path is one of the table in it."""
Part = Annotated[str, Query(max_length=20)]


@router.get("/history", dependencies=[_RESULTS])
def read_history(page: TablePageDep, asked: Annotated[Search, Query()]) -> HTMLResponse:
    """Rounds that somebody looks for."""
    config = page.parts.config
    wanted = asked.in_zone(config.page.zone)
    found = find_rounds(page.parts.projector, wanted, [page.table.name], before=asked.before)
    return page.answer("history.html", asked=asked, found=found)


@router.get("/rounds/{round_id}", dependencies=[_RESULTS, OF_TABLE])
def read_round(
    page: TablePageDep,
    round_id: RoundId,
    place: Part = "",
    decided: Annotated[str, Query(max_length=90)] = "",
    because: Part = "",
    whole: bool = False,  # noqa: FBT001, FBT002  a query
) -> HTMLResponse:
    """A round at the moment that matters, or at a place of it, and the form to decide it.

    Args:
        page: for this request.
        round_id: the round.
        place: of a hand, ``dice``, or a die such as ``die2``; what is worst if it is left out.
        decided: what was decided a moment ago, as ROUND:PART, or ``true`` for the whole form.
        because: the usual reason that was chosen then.
        whole: whether the whole form is open.
    """
    return _round(page, round_id, place, decided=decided, sent={"because": because}, whole=whole)


@router.get("/rounds/{round_id}/next", dependencies=[_RESULTS, OF_TABLE])
def skip(page: TablePageDep, round_id: RoundId, place: Part = "") -> Response:
    """Go on to what is in doubt behind a place of a round, and leave that as it is."""
    return RedirectResponse(_behind(page, page.table.ledger.newest(round_id), place), status_code=303)


@router.post("/rounds/{round_id}/decide", dependencies=[requires(Permission.REVIEW), OF_TABLE])
async def decide_part(page: TablePageDep, round_id: RoundId, caller: CallerDep) -> Response:
    """Take a decision about one hand or die."""
    return await run_in_threadpool(_decide_part, page, round_id, await page.form(), caller.name)


@router.post("/rounds/{round_id}/review", dependencies=[requires(Permission.REVIEW), OF_TABLE])
async def decide(page: TablePageDep, round_id: RoundId, caller: CallerDep) -> Response:
    """Take a decision from the whole form."""
    return await run_in_threadpool(_decide, page, round_id, await page.form(), caller.name)


def _decide_part(page: TablePage, round_id: str, sent: dict[str, str], by: str) -> Response:
    ledger, part = page.table.ledger, sent.get("part", "")
    try:
        decided = ledger.review(round_id, read_choice(sent, ledger.newest(round_id), by), None, by)
    except NewerRevisionError as error:
        return _round(page, round_id, part, status=409, refused=error.words)
    except ReviewError as error:
        return _round(page, round_id, part, status=422, refused=error.words, sent=sent)
    page.table.live.record_if_newer(decided)
    told = {"decided": f"{round_id}:{part}", "because": sent.get("because", "")}
    return RedirectResponse(_behind(page, decided, part, told), status_code=303)


def _decide(page: TablePage, round_id: str, sent: dict[str, str], by: str) -> Response:
    ledger = page.table.ledger
    try:
        decided = ledger.review(round_id, read_decision(sent, ledger.newest(round_id), by), None, by)
    except NewerRevisionError as error:
        return _round(page, round_id, status=409, refused=error.words)
    except ReviewError as error:
        return _round(page, round_id, status=422, refused=error.words, sent=sent, whole=True)
    page.table.live.record_if_newer(decided)
    return RedirectResponse(f"{page.table.at}/rounds/{round_id}?decided=true", status_code=303)


def _behind(page: TablePage, played: RoundReport, part: str, told: dict[str, str] | None = None) -> str:
    """Where the next doubt is decided: of this round, then of the next that waits, and the queue if there is none."""
    said = told or {}
    doubtful = doubtful_parts(played)
    left = [each for each in doubtful if each != part]
    if part in doubtful:  # skipped: what comes before it was decided, or skipped too
        left = list(doubtful[doubtful.index(part) + 1 :])
    if left:
        return _at(page, played, left[0], said)
    found = next_waiting(page.parts.projector, page.table.name, played.id)
    if found is None:
        return f"{page.table.at}/review?{urlencode(said)}"
    return _at(page, found, doubtful_parts(found)[0], said)


def _at(page: TablePage, played: RoundReport, part: str, told: dict[str, str]) -> str:
    return f"{page.table.at}/rounds/{played.id}?{urlencode({'place': part} | told)}#decide"


def _round(
    page: TablePage,
    round_id: str,
    place: str = "",
    *,
    status: int = 200,
    refused: Sayable | None = None,
    sent: dict[str, str] | None = None,
    decided: str = "",
    whole: bool = False,
) -> HTMLResponse:
    parts = page.parts
    entries = page.table.ledger.revisions(round_id)
    return page.answer(
        "round.html",
        status=status,
        path=f"{page.table.at}/rounds/{round_id}",
        refused=refused,
        decided=decided_before(page.table, decided),
        recorded=decided == "true",
        sent=sent or {},
        whole=whole,
        **round_page(entries, parts.record.id, lambda sha256: is_kept(parts, sha256), place),
    )


def decided_before(table: LocalTable, said: str) -> tuple[RoundReport, str] | None:
    """The round that was decided a moment ago, and the part of it; none for the whole form."""
    round_id, _, part = said.partition(":")
    try:
        return (table.ledger.newest(round_id), part) if part else None
    except UnknownRoundError:
        return None


def is_kept(parts: Parts, sha256: str) -> bool:
    """Whether a picture is still there."""
    return parts.record.evidence.path(sha256).exists()

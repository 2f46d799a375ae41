"""Recorded rounds: finding them, the page of each with the forms that decide it, and the incident sheet."""

import logging
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from pydantic import ConfigDict, model_validator
from starlette.concurrency import run_in_threadpool

from service.access.access import Caller
from service.access.roles import Permission
from service.access.second_factors import SealError
from service.api.claims import of_round
from service.api.deps import PartsDep, RoundId, TableName
from service.api.desk import TableRefusedError, TableUnreachableError, TakenError
from service.api.permissions import CallerDep, requires
from service.record.ledger import NewerRevisionError
from service.record.projections.round_search import PlaceInRounds, RoundFilter, find_rounds
from service.rounds.reports import RoundReport
from service.rounds.review import ReviewError, ReviewIn
from service.rounds.round_history import hand_at
from service.rounds.rounds_csv import rounds_csv
from service.table.clips import FILM_TYPE
from service.web.parameters import AskedPit, AskedTable
from service.web.review_forms import read_choice, read_decision, read_outcome
from service.web.round_page import RoundPage
from service.web.routes.shared import LINK_LASTS, ROUND
from service.web.routes.sign_in import address_of
from service.web.templating import Page, PageDep
from service.words.wording import Sayable


class Search(RoundFilter):
    """What somebody looks for in a page's form; browsers send fields that were left empty."""

    model_config = ConfigDict(extra="ignore")

    before: PlaceInRounds | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_empty_fields(cls, sent: dict[str, object]) -> dict[str, object]:
        return {name: value for name, value in sent.items() if value != ""}

    @property
    def asked(self) -> dict[str, str]:
        """What is looked for, as parameters of an address; without the place in the answer."""
        return {
            name: str(value)
            for name, value in self.model_dump(mode="json", exclude={"before"}, exclude_defaults=True).items()
        }


_log = logging.getLogger(__name__)
router = APIRouter(include_in_schema=False)

_RESULTS = requires(Permission.RESULTS)


@router.get("/rounds", dependencies=[_RESULTS])
def read_rounds(
    page: PageDep, asked: Annotated[Search, Query()], pit: AskedPit = None, table: AskedTable = None
) -> HTMLResponse:
    """Rounds that somebody looks for."""
    wanted, tables = asked.in_zone(page.parts.config.page.zone), page.scope.tables_in(table, pit)
    found = find_rounds(page.parts.projector, wanted, tables, before=asked.before)
    more = {name: value for name, value in {"pit": pit, "table": table}.items() if value is not None}
    context: dict[str, Any] = page.scope.named
    return page.answer(
        "rounds.html",
        asked=asked,
        found=found,
        pit=pit,
        table_asked=table,
        query=asked.asked | more,
        with_table=page.parts.only is None,
        **context,
    )


@router.get("/rounds.csv", dependencies=[_RESULTS])
def read_rounds_table(
    page: PageDep, asked: Annotated[Search, Query()], pit: AskedPit = None, table: AskedTable = None
) -> Response:
    """The rounds that somebody looks for, all of them, newest first."""
    lines = rounds_csv(_all(page, asked, page.scope.tables_in(table, pit)))
    return attached(StreamingResponse(lines, media_type="text/csv; charset=utf-8"), "rounds.csv")


def _all(page: Page, asked: Search, tables: list[str] | None) -> Iterator[tuple[str, RoundReport]]:
    before, wanted = asked.before, asked.in_zone(page.parts.config.page.zone)
    while True:
        found = find_rounds(page.parts.projector, wanted, tables, before=before)
        yield from ((each.table, each.played) for each in found.rounds)
        if (before := found.next) is None:
            return


def attached(answer: Response, name: str) -> Response:
    """An answer as a file to keep, under a name."""
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    answer.headers["Cache-Control"] = "no-store"
    return answer


_ROUND = "/tables/{table}/rounds/{round_id}"
_REVIEW = requires(Permission.REVIEW)
_Part = Annotated[str, Query(max_length=20)]


@router.get(_ROUND, dependencies=[_RESULTS])
def read_round(
    page: PageDep,
    table: TableName,
    round_id: RoundId,
    caller: CallerDep,
    place: _Part = "",
    decided: Annotated[str, Query(max_length=140)] = "",
    because: _Part = "",
    whole: bool = False,  # noqa: FBT001, FBT002  a query
) -> HTMLResponse:
    """A round at the moment that matters, or at a place of it, and the form to decide it.

    Args:
        page: for this request.
        table: name of its table.
        round_id: the round.
        caller: the signed-in person.
        place: of a hand, ``dice``, or a die such as ``die2``; the worst if it is omitted.
        decided: the part that was decided a moment ago, as TABLE:ROUND:PART, or ``true`` for the whole form.
        because: the usual reason that was chosen then.
        whole: whether the whole form is open.
    """
    shown = RoundPage(page, caller, table, round_id)
    return shown.answer(place, decided=decided, sent={"because": because}, whole=whole)


@router.get(f"{_ROUND}/incident.pdf", dependencies=[requires(Permission.EVIDENCE)])
def read_incident(page: PageDep, table: TableName, round_id: RoundId, caller: CallerDep) -> Response:
    """The incident sheet of a round."""
    shown = RoundPage(page, caller, table, round_id)
    return attached(shown.incident(), f"{table}-round-{shown.newest.number}.pdf")


@router.get(f"{_ROUND}/replay.webm", dependencies=[requires(Permission.EVIDENCE)])
def read_film(page: PageDep, table: TableName, round_id: RoundId, caller: CallerDep) -> Response:
    """The replay of a round as one film."""
    shown = RoundPage(page, caller, table, round_id)
    answer = Response(shown.film(), media_type=FILM_TYPE)
    return attached(answer, f"{table}-round-{shown.newest.number}.webm")


@router.post(f"{_ROUND}/link", dependencies=[requires(Permission.EVIDENCE)])
def make_link(page: PageDep, table: TableName, round_id: RoundId, caller: CallerDep) -> HTMLResponse:
    """Show a link that opens the replay without signing in, until it expires."""
    shown, until = RoundPage(page, caller, table, round_id), datetime.now(UTC) + LINK_LASTS
    try:
        token = page.parts.access.links.make(until, ROUND, table, round_id)
    except SealError as error:
        return shown.answer(status=503, refused=error.words)
    _log.info("%s made a link to the replay of round %s of table %s", caller.name, shown.newest.number, table)
    return shown.answer(shared=(f"{address_of(page)}/shared/round?{urlencode({'link': token})}", until))


@router.get(f"{_ROUND}/next", dependencies=[_RESULTS])
def skip(page: PageDep, table: TableName, round_id: RoundId, caller: CallerDep, place: _Part = "") -> Response:
    """Go on to the next doubt after a place of a round, and leave that one undecided."""
    shown = RoundPage(page, caller, table, round_id)
    return RedirectResponse(shown.after(shown.newest, place), status_code=303)


@router.post(f"{_ROUND}/take", dependencies=[_REVIEW])
def take(page: PageDep, parts: PartsDep, table: TableName, round_id: RoundId, caller: CallerDep) -> Response:
    """Take a round to decide it."""
    shown = RoundPage(page, caller, table, round_id)
    try:
        parts.desk.take(shown.log, of_round(round_id), caller.name)
    except TakenError as error:
        return shown.answer(status=409, refused=error.words)
    return RedirectResponse(f"{shown.at}#decide", status_code=303)


@router.post(f"{_ROUND}/release", dependencies=[_REVIEW])
def release(page: PageDep, parts: PartsDep, table: TableName, round_id: RoundId, caller: CallerDep) -> Response:
    """Give a round back."""
    shown = RoundPage(page, caller, table, round_id)
    parts.desk.claims.release(shown.log, of_round(round_id), caller.name)
    return RedirectResponse("/reviews", status_code=303)


@router.post(f"{_ROUND}/decide", dependencies=[_REVIEW])
async def decide_part(page: PageDep, table: TableName, round_id: RoundId, caller: CallerDep) -> Response:
    """Take a decision about one hand or die."""
    return await _decide(page, table, round_id, caller, read_choice)


@router.post(f"{_ROUND}/review", dependencies=[_REVIEW])
async def decide(page: PageDep, table: TableName, round_id: RoundId, caller: CallerDep) -> Response:
    """Take a decision from the whole form."""
    return await _decide(page, table, round_id, caller, read_decision)


@router.post(f"{_ROUND}/outcome", dependencies=[_REVIEW])
async def report_outcome(page: PageDep, table: TableName, round_id: RoundId, caller: CallerDep) -> Response:
    """Report what was done about a finding, or about a hand set wrongly."""
    return await _decide(page, table, round_id, caller, read_outcome)


async def _decide(
    page: Page,
    table: str,
    round_id: str,
    caller: Caller,
    read: Callable[[Mapping[str, str], RoundReport, str], ReviewIn],
) -> Response:
    sent, whole = await page.form(), read is read_decision
    part, desk = "" if whole else sent.get("part", ""), page.parts.desk
    shown = await run_in_threadpool(RoundPage, page, caller, table, round_id)

    async def again(status: int, refused: Sayable) -> Response:
        newest = await run_in_threadpool(RoundPage, page, caller, table, round_id)
        kept, opened = (sent, whole) if status == 422 else ({}, False)
        return await run_in_threadpool(
            lambda: newest.answer(part, status=status, refused=refused, sent=kept, whole=opened)
        )

    try:
        asked = read(sent, shown.newest, caller.name)
        decided = await desk.decide(table, shown.log, round_id, asked, caller.name)
    except ReviewError as error:
        return await again(422, error.words)
    except (TakenError, NewerRevisionError) as error:
        return await again(409, error.words)
    except TableUnreachableError as error:
        return await again(503, error.words)
    except TableRefusedError as error:
        return await again(error.status, error.words)
    await desk.decided_here(shown.log, decided)
    if asked.outcome is not None and sent.get("then") == "table":
        to = f"/tables/{table}"
    elif asked.outcome is not None:
        to = f"{shown.at}?{urlencode({'place': part})}#{'outcome' if hand_at(shown.newest, part) else 'findings-title'}"
    elif whole:
        to = f"{shown.at}?decided=true"
    else:
        query = {"decided": f"{table}:{round_id}:{part}", "because": sent.get("because", "")}
        to = await run_in_threadpool(shown.after, decided, part, query)
    return RedirectResponse(to, status_code=303)

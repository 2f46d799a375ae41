"""The game on the page, for its owner: the house edge of House Ways, and what sets two of them apart."""

import asyncio
from datetime import date
from fractions import Fraction
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Depends, Query
from fastapi.responses import HTMLResponse, Response
from starlette.concurrency import run_in_threadpool

from engine.analysis.edge import rate
from engine.books.house_ways import known_ids
from service.access.roles import Permission
from service.api.deps import TableDep
from service.api.permissions import requires
from service.api.problems import ProblemError
from service.system.limited_process import ProcessBusyError, WorkStoppedError
from service.web.game_figures import LARGEST, Game, count_game
from service.web.parameters import EMPTY_AS_NONE
from service.web.templating import TablePage, TablePageDep
from service.words.wording import words

router = APIRouter(prefix="/tables/{table}/game", include_in_schema=False)

_ANSWERED_S = 20.0
"""Longest time until a request for figures is answered: proxies give up on longer ones."""
_BUSY = words("Figures are being computed for others; try again in a minute.")
_USUAL_COMMISSION = "5%"

_Way = Annotated[str | None, EMPTY_AS_NONE, Query(max_length=200)]
_Commission = Annotated[str, Query(max_length=20)]


class _Question(NamedTuple):
    """What somebody asks; arguments of `count_game`."""

    table: tuple[str, str | None]
    day: date
    names: tuple[str, ...]
    pair: tuple[str, str]
    commission: Fraction


async def _question(
    table: TableDep, first: _Way = None, second: _Way = None, commission: _Commission = _USUAL_COMMISSION
) -> _Question:
    day = table.rules.today
    names = tuple(dict.fromkeys((table.rules.on(day).house_way.rulebook, *known_ids())))
    one = table.rules.way(first or names[0], day).rulebook
    other = table.rules.way(second or next(name for name in names if name != one), day).rulebook
    named = (table.settings.rulebook, table.settings.house_way)
    return _Question(named, day, names, (one, other), rate(commission))


_QuestionDep = Annotated[_Question, Depends(_question)]


@router.get("", dependencies=[requires(Permission.ASK)])
async def read_game(
    page: TablePageDep, asked: _QuestionDep, commission: _Commission = _USUAL_COMMISSION
) -> HTMLResponse:
    """Return the page at once, with the figures if they are known; otherwise start counting them."""
    try:
        game = page.parts.counting.get_or_start(count_game, *asked)
    except ProcessBusyError:
        game = None  # the request for the figures reports it
    return await run_in_threadpool(_answer, page, "game.html", asked, commission, game)


@router.get("/figures", dependencies=[requires(Permission.ASK)])
async def read_figures(
    page: TablePageDep, asked: _QuestionDep, commission: _Commission = _USUAL_COMMISSION
) -> Response:
    """The figures of the page once they are counted; 202 if they are not yet, and it should be asked again."""
    try:
        async with asyncio.timeout(_ANSWERED_S):
            game = await page.parts.counting.get(count_game, *asked)
    except TimeoutError:
        return Response(status_code=202)
    except (ProcessBusyError, WorkStoppedError):
        raise ProblemError("busy", _BUSY, headers={"Retry-After": "30"}) from None
    return await run_in_threadpool(_answer, page, "game_figures.html", asked, commission, game)


def _answer(page: TablePage, template: str, asked: _Question, commission: str, game: Game | None) -> HTMLResponse:
    one, other = asked.pair
    return page.answer(
        template, commission=commission, names=asked.names, one=one, other=other, game=game, largest=LARGEST
    )

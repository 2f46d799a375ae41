"""The game on the page, for its owner: the house edge of House Ways, what sets two of them apart, and one's own."""

import asyncio
from datetime import date
from fractions import Fraction
from typing import Annotated, Literal, NamedTuple

from fastapi import APIRouter, Depends, Form, Query
from fastapi.responses import HTMLResponse, Response
from starlette.concurrency import run_in_threadpool

from engine.analysis.edge import rate
from engine.books.house_ways import known_ids
from engine.house_way.written.sheet import LARGEST as LARGEST_FILE
from service.access.roles import Permission
from service.api.deps import TableDep
from service.api.permissions import requires
from service.api.problems import ProblemError
from service.rounds.judge.rules_in_force import LoadedRules
from service.system.limited_process import ProcessBusyError, WorkStoppedError
from service.web.game_figures import LARGEST, Game, count_game
from service.web.own_way import OwnWay, examine
from service.web.parameters import EMPTY_AS_NONE
from service.web.templating import TablePage, TablePageDep
from service.words.wording import Sayable, words

router = APIRouter(prefix="/tables/{table}/game", include_in_schema=False)

_ANSWERED_S = 20.0
"""Longest time until a request for figures is answered: proxies give up on longer ones."""
_BUSY = words("Figures are being computed for others; try again in a minute.")
_STOPPED = words("The check was stopped, because it took too long or too much memory. Try again, or simplify the file.")
_NOT_YET = words("The check takes longer, because the computer is busy. Press “Check” again in a few seconds.")
_NOTHING = words("Paste a House Way, or choose a file.")
_USUAL_COMMISSION = "5%"

_Way = Annotated[str | None, EMPTY_AS_NONE, Query(max_length=200)]
_Commission = Annotated[str, Query(max_length=20)]
_Written = Annotated[str, Form(max_length=2 * LARGEST_FILE)]


class _Question(NamedTuple):
    """What somebody asks; arguments of `count_game`."""

    table: LoadedRules
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
    return _Question(table.rules.as_loaded, day, names, (one, other), rate(commission))


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


@router.get("/own", dependencies=[requires(Permission.ASK)])
def read_own_way(page: TablePageDep) -> HTMLResponse:
    """A form for a House Way that somebody wrote."""
    return _own_page(page)


@router.post("/own", dependencies=[requires(Permission.ASK)])
async def check_own_way(
    page: TablePageDep, written: _Written = "", card: Annotated[Literal["", "true"], Form()] = ""
) -> Response:
    """Check a House Way, and compare it with the one at the table; its card to print if that is asked for."""
    written = written.replace("\r\n", "\n")  # as forms are sent
    if not written.strip():
        return await run_in_threadpool(_own_page, page, refused=_NOTHING)
    rules = page.table.rules
    question = (rules.as_loaded, rules.today, written[: LARGEST_FILE + 1])
    own = refused = None
    try:
        async with asyncio.timeout(_ANSWERED_S):
            own = await page.parts.counting.get(examine, *question)
    except TimeoutError:
        refused = _NOT_YET
    except ProcessBusyError:
        refused = _BUSY
    except WorkStoppedError:
        refused = _STOPPED
    if card and own is not None and own.card:
        headers = {"Content-Disposition": 'attachment; filename="house-way.html"'}
        return Response(own.card, media_type="text/html", headers=headers)
    return await run_in_threadpool(_own_page, page, written, own, refused)


def _own_page(
    page: TablePage, written: str = "", own: OwnWay | None = None, refused: Sayable | None = None
) -> HTMLResponse:
    return page.answer("own_way.html", written=written, own=own, refused=refused, largest=LARGEST_FILE)

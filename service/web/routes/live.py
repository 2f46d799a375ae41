"""The supervisor's page: the table as it is, and the parts of it that change."""

import hashlib
from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Form, Header, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from service.access.roles import Permission
from service.http.deps import Parts, PartsDep
from service.http.permissions import CallerDep, requires
from service.monitor.alarms import UnknownAlarmError
from service.rounds.reports import RoundReport
from service.web.routes import calibration as page_calibration
from service.web.routes import figures as page_figures
from service.web.routes import rounds as page_rounds
from service.web.routes import tiles as page_tiles
from service.web.templating import THEME_COOKIE, THEMES, WEB, answer, inside, render
from service.words import languages

__all__ = ["WEB", "router"]

router = APIRouter(include_in_schema=False)
router.include_router(page_rounds.router)
router.include_router(page_figures.router)
router.include_router(page_calibration.router)
router.include_router(page_tiles.router)

_WATCH = requires(Permission.WATCH)
_YEAR_S = 365 * 24 * 3600

Next = Annotated[str, Query(max_length=500, alias="next")]


@router.get("/", dependencies=[_WATCH], response_class=HTMLResponse)
def read_page(request: Request, parts: PartsDep) -> HTMLResponse:
    """The page, with the table as it is now."""
    return answer(request, parts, "page.html", _table(parts))


@router.get("/page/board", dependencies=[_WATCH], response_class=HTMLResponse)
def read_board(request: Request, parts: PartsDep, if_none_match: Annotated[str | None, Header()] = None) -> Response:
    """The parts of the page that change with the table."""
    return _part(render(request, parts, "board.html", _table(parts)), if_none_match)


@router.get("/page/status", dependencies=[_WATCH], response_class=HTMLResponse)
def read_status(request: Request, parts: PartsDep, if_none_match: Annotated[str | None, Header()] = None) -> Response:
    """The parts that change on every other page: the state of the table, and its alarms."""
    return _part(render(request, parts, "status.html"), if_none_match)


@router.post("/page/alarms/acknowledge", dependencies=[requires(Permission.ACKNOWLEDGE)])
def acknowledge(parts: PartsDep, caller: CallerDep, alarm: Annotated[str, Form(max_length=200)]) -> Response:
    """Record that somebody saw an alarm."""
    with suppress(UnknownAlarmError):  # it is over, so nobody need be told
        parts.alarms.acknowledge(alarm, caller.name)
    return RedirectResponse("/", status_code=303)


@router.get("/language/{language}", dependencies=[_WATCH])
def choose_language(request: Request, language: str, then: Next = "/") -> Response:
    """Remember the language that somebody chose."""
    return _remember(request, languages.COOKIE, language if language in languages.LANGUAGES else None, then)


@router.get("/theme/{theme}", dependencies=[_WATCH])
def choose_theme(request: Request, theme: str, then: Next = "/") -> Response:
    """Remember how bright the page is to be; ``device`` leaves it to the device."""
    return _remember(request, THEME_COOKIE, theme if theme in (*THEMES, "device") else None, then)


def _remember(request: Request, cookie: str, choice: str | None, path: str) -> Response:
    chosen = RedirectResponse(inside(path), status_code=303)
    if choice is not None:
        secure = request.url.scheme == "https"
        chosen.set_cookie(cookie, choice, max_age=_YEAR_S, httponly=True, samesite="strict", secure=secure)
    return chosen


def _part(body: str, if_none_match: str | None) -> Response:
    headers = {"ETag": f'"{hashlib.sha256(body.encode()).hexdigest()[:32]}"', "Cache-Control": "no-cache"}
    if if_none_match == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return HTMLResponse(body, headers=headers)


def _table(parts: Parts) -> dict[str, object]:
    state = parts.desk.state
    current = state.current
    now = state.now
    # Once a round is over and tiles are moved again, they and the dice are the next round's.
    is_next = current is not None and current.state == "closed" and now is not None and now.step is not None
    played = None if is_next else current
    thrown = played if played is not None and played.dice else now
    return {
        "parts_at": "/page/board",
        "reading": state.reading,
        "view": state.view,
        "now": now,
        "played": played,
        "thrown": thrown if thrown is not None and thrown.dice else None,
        "recent": tuple(played for played in state.recent if _is_earlier(played, current))[:6],
    }


def _is_earlier(played: RoundReport, current: RoundReport | None) -> bool:
    return current is None or played.id != current.id

"""The supervisor's page: the table as it is, and the parts of it that change."""

import hashlib
from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Form, Header, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from service.alarms import UnknownAlarmError
from service.deps import Parts, PartsDep
from service.page import languages
from service.page.templates import WEB, answer, render
from service.report import RoundReport
from service.routes import page_figures, page_rounds
from service.routes.page_faults import PageRoute
from service.security import COOKIE, SESSION_S, new_session, token_is

__all__ = ["WEB", "router"]

router = APIRouter(include_in_schema=False, route_class=PageRoute)
router.include_router(page_rounds.router)
router.include_router(page_figures.router)

_YEAR_S = 365 * 24 * 3600


@router.get("/", response_class=HTMLResponse)
def read_page(request: Request, parts: PartsDep) -> HTMLResponse:
    """The page, with the table as it is now."""
    return answer(request, parts, "page.html", _table(parts))


@router.get("/page/board", response_class=HTMLResponse)
def read_board(request: Request, parts: PartsDep, if_none_match: Annotated[str | None, Header()] = None) -> Response:
    """The parts of the page that change with the table."""
    return _part(render(request, parts, "board.html", _table(parts)), if_none_match)


@router.get("/page/status", response_class=HTMLResponse)
def read_status(request: Request, parts: PartsDep, if_none_match: Annotated[str | None, Header()] = None) -> Response:
    """The parts that change on every other page: the state of the table, and its alarms."""
    return _part(render(request, parts, "status.html"), if_none_match)


@router.post("/page/alarms/acknowledge")
def acknowledge(
    request: Request,
    parts: PartsDep,
    alarm: Annotated[str, Form(max_length=200)],
    by: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Record that somebody saw an alarm."""
    caller = getattr(request.state, "caller", None)
    name = by.strip() if caller is None else caller.name
    if not name:
        return answer(request, parts, "fault.html", {"code": "no_name", "detail": ""}, status=422)
    with suppress(UnknownAlarmError):  # it is over, so nobody need be told
        parts.alarms.acknowledge(alarm, name)
    return RedirectResponse("/", status_code=303)


@router.get("/language/{language}")
def choose_language(
    request: Request,
    language: str,
    then: Annotated[str, Query(max_length=500, alias="next")] = "/",
) -> Response:
    """Remember the language that somebody chose."""
    inside = then.startswith("/") and not then.startswith(("//", "/\\"))
    chosen = RedirectResponse(then if inside else "/", status_code=303)
    if language in languages.LANGUAGES:
        secure = request.url.scheme == "https"
        chosen.set_cookie(languages.COOKIE, language, max_age=_YEAR_S, httponly=True, samesite="strict", secure=secure)
    return chosen


@router.get("/sign-in", response_class=HTMLResponse)
def read_sign_in(request: Request, parts: PartsDep) -> HTMLResponse:
    """The form that takes the token."""
    return answer(request, parts, "sign_in.html", {"failed": False})


@router.post("/sign-in", response_class=HTMLResponse)
def sign_in(request: Request, parts: PartsDep, token: Annotated[str, Form(max_length=1000)]) -> Response:
    """Trade the token for a signed cookie."""
    expected = parts.config.server.token
    if expected is None:
        return RedirectResponse("/", status_code=303)
    if not token_is(expected.get_secret_value(), token):
        return answer(request, parts, "sign_in.html", {"failed": True}, status=401)
    signed_in = RedirectResponse("/", status_code=303)
    signed_in.set_cookie(
        COOKIE,
        new_session(expected.get_secret_value()),
        max_age=SESSION_S,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return signed_in


def _part(body: str, if_none_match: str | None) -> Response:
    headers = {"ETag": f'"{hashlib.sha256(body.encode()).hexdigest()[:32]}"', "Cache-Control": "no-cache"}
    if if_none_match == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return HTMLResponse(body, headers=headers)


def _table(parts: Parts) -> dict[str, object]:
    state = parts.desk.state
    current = state.current
    return {
        "parts_at": "/page/board",
        "reading": state.reading,
        "view": state.view,
        "recent": tuple(played for played in state.recent if _is_earlier(played, current))[:6],
    }


def _is_earlier(played: RoundReport, current: RoundReport | None) -> bool:
    return current is None or played.id != current.id

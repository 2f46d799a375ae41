"""The supervisor's page: one document, and the part of it that changes."""

import hashlib
import re
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Form, Header, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from service import __version__
from service.deps import Parts, PartsDep
from service.report import RoundReport
from service.routes.tables import describe_table
from service.security import COOKIE, SESSION_S, new_session, token_is
from service.tiles import tile_svg

WEB = Path(__file__).resolve().parents[1] / "web"

router = APIRouter(include_in_schema=False)

_PLACES = {"house": "House", "box": "Box {}", "hand": "Hand {}"}
_DICE_COLOURS = ("red", "blue", "green", "purple", "black", "yellow", "white", "ivory")
_PHASES = {
    "waiting": "Waiting for the first hands",
    "round_open": "Round open",
    "between_rounds": "Between rounds",
    "not_reading": "Not reading",
}
_SOURCES = {
    "opening": "is being opened",
    "running": "running",
    "bad_picture": "gives bad pictures",
    "waiting": "failed and is tried again",
    "closed": "closed",
}
_BETWEEN_DIGITS = re.compile(r"(?<=[0-9])-(?=[0-9])|(?<=[a-z])-(?=[0-9])")
_VERDICTS = {"correct": "Correct", "wrong": "Wrong", "needs_review": "Needs review"}


def place_name(place: str) -> str:
    """A place as people say it.

    >>> place_name("house"), place_name("box3")
    ('House', 'Box 3')
    """
    word = place.rstrip("0123456789")
    return _PLACES.get(word, place).format(place.removeprefix(word))


def unbroken(text: str) -> str:
    """Text whose tiles and rule numbers do not break across lines."""
    return _BETWEEN_DIGITS.sub("\N{NON-BREAKING HYPHEN}", text)


def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(WEB / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(
        colours=_DICE_COLOURS, tile=tile_svg, phases=_PHASES, verdicts=_VERDICTS, sources=_SOURCES, version=__version__
    )
    made.filters.update(place=place_name, unbroken=unbroken)
    return made


_TEMPLATES = _environment()


@router.get("/", response_class=HTMLResponse)
def read_page(parts: PartsDep) -> HTMLResponse:
    """The page, with the table as it is now."""
    return HTMLResponse(_TEMPLATES.get_template("page.html").render(_context(parts)))


@router.get("/page/board", response_class=HTMLResponse)
def read_board(parts: PartsDep, if_none_match: Annotated[str | None, Header()] = None) -> Response:
    """The part of the page that changes with the table."""
    body = _TEMPLATES.get_template("board.html").render(_context(parts))
    headers = {"ETag": f'"{hashlib.sha256(body.encode()).hexdigest()[:32]}"', "Cache-Control": "no-cache"}
    if if_none_match == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return HTMLResponse(body, headers=headers)


@router.get("/sign-in", response_class=HTMLResponse)
def read_sign_in() -> HTMLResponse:
    """The form that takes the token."""
    return _sign_in_page(failed=False)


@router.post("/sign-in", response_class=HTMLResponse)
def sign_in(request: Request, parts: PartsDep, token: Annotated[str, Form(max_length=1000)]) -> Response:
    """Trade the token for a signed cookie."""
    expected = parts.config.server.token
    if expected is None:
        return RedirectResponse("/", status_code=303)
    if not token_is(expected.get_secret_value(), token):
        return _sign_in_page(failed=True)
    answer = RedirectResponse("/", status_code=303)
    answer.set_cookie(
        COOKIE,
        new_session(expected.get_secret_value()),
        max_age=SESSION_S,
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return answer


def _sign_in_page(*, failed: bool) -> HTMLResponse:
    body = _TEMPLATES.get_template("sign_in.html").render(failed=failed)
    return HTMLResponse(body, status_code=401 if failed else 200)


def _context(parts: Parts) -> dict[str, object]:
    state = parts.desk.state
    current = state.current
    return {
        "table": describe_table(parts),
        "reading": state.reading,
        "view": state.view,
        "current": current,
        "judged": () if current is None else current.judged,
        "others": () if current is None else tuple(hand for hand in current.hands if hand.house_way is None),
        "box_dice": () if current is None else tuple(die for die in current.dice if die.role != "cut"),
        "cut_dice": () if current is None else tuple(die for die in current.dice if die.role == "cut"),
        "recent": tuple(_summary(played) for played in state.recent if current is None or played.id != current.id)[:8],
    }


def _summary(played: RoundReport) -> dict[str, object]:
    house = played.house
    return {
        "number": played.number,
        "at": played.opened_at,
        "hand": house,
        "verdict": "none" if house is None or house.house_way is None else house.house_way.verdict,
    }

"""The supervisor's page: one document, and the part of it that changes."""

import hashlib
import re
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Header
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from service import __version__
from service.access.access import Caller
from service.access.needs import CallerDep, needs
from service.access.roles import Permission
from service.deps import Parts, PartsDep
from service.report import RoundReport
from service.routes.tables import describe_table
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


TEMPLATES = _environment()


@router.get("/", dependencies=[needs(Permission.WATCH)], response_class=HTMLResponse)
def read_page(parts: PartsDep, caller: CallerDep) -> HTMLResponse:
    """The page, with the table as it is now."""
    return HTMLResponse(TEMPLATES.get_template("page.html").render(_context(parts), **told_of(caller)))


@router.get("/page/board", dependencies=[needs(Permission.WATCH)], response_class=HTMLResponse)
def read_board(parts: PartsDep, if_none_match: Annotated[str | None, Header()] = None) -> Response:
    """The part of the page that changes with the table."""
    body = TEMPLATES.get_template("board.html").render(_context(parts))
    headers = {"ETag": f'"{hashlib.sha256(body.encode()).hexdigest()[:32]}"', "Cache-Control": "no-cache"}
    if if_none_match == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return HTMLResponse(body, headers=headers)


def told_of(caller: Caller) -> dict[str, object]:
    """What every page says of whoever looks at it."""
    return {"me": caller, "may": {permission.value: caller.may(permission) for permission in Permission}}


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

"""Setting up a table: the first hand, check by check, until it is verified."""

from typing import Any

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, Response

from service.access.roles import Permission
from service.http.conditional import IfNoneMatch, hashed_response
from service.http.deps import Parts
from service.http.permissions import requires
from service.setup.steps import check_first_hand
from service.web.templating import PageDep

router = APIRouter(prefix="/setup/hand", include_in_schema=False, dependencies=[requires(Permission.CALIBRATE)])


@router.get("")
def read_hand(page: PageDep) -> HTMLResponse:
    """What to lay, and how far it is."""
    return page.answer("setup_hand.html", path="/setup", **_now(page.parts))


@router.get("/now")
def read_hand_now(page: PageDep, if_none_match: IfNoneMatch = None) -> Response:
    """How far the first hand is."""
    return hashed_response(page.render("setup_hand_now.html", **_now(page.parts)), "text/html", if_none_match)


def _now(parts: Parts) -> dict[str, Any]:
    return {
        "hand": check_first_hand(parts.live, parts.calibrating),
        "settle": parts.config.rounds.settle_frames,
        "ready": parts.setting_up.finished,
    }

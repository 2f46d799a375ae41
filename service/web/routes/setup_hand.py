"""Setting up a table: the first hand, check by check, until it is verified."""

from typing import Any

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, Response

from service.access.roles import Permission
from service.api.conditional import IfNoneMatch, hashed_response
from service.api.local_table import LocalTable
from service.api.permissions import requires
from service.table.setup.steps import check_first_hand
from service.web.templating import TablePageDep

router = APIRouter(
    prefix="/tables/{table}/setup/hand", include_in_schema=False, dependencies=[requires(Permission.CALIBRATE)]
)


@router.get("")
def read_hand(page: TablePageDep) -> HTMLResponse:
    """What to lay, and how far it is."""
    return page.answer("setup_hand.html", path=f"{page.table.at}/setup", **_now(page.table))


@router.get("/now")
def read_hand_now(page: TablePageDep, if_none_match: IfNoneMatch = None) -> Response:
    """How far the first hand is."""
    return hashed_response(page.render("setup_hand_now.html", **_now(page.table)), "text/html", if_none_match)


def _now(table: LocalTable) -> dict[str, Any]:
    return {
        "hand": check_first_hand(table.live, table.calibrating),
        "settle": table.settings.rounds.settle_frames,
        "ready": table.setting_up.finished,
    }

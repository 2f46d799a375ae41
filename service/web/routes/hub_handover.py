"""Handing a shift over for a pit: what whoever takes over must know, a note, and both signatures."""

import threading
from datetime import date, time
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from service.access.roles import Permission
from service.api.permissions import PersonDep, requires
from service.record.shifts.hand_over import Act, HandOverError, Note, sign
from service.record.shifts.happened import AllHappened, happened_at
from service.record.shifts.shift import Shift
from service.web.handing_over import AskedBegins, AskedDay, around_shift, asked_shift
from service.web.hub_page import FloorPage, FloorPageDep
from service.web.routes.tables import Pit
from service.words.wording import Sayable

router = APIRouter(include_in_schema=False)

_one_at_a_time = threading.Lock()
"""Whether a shift waits to be taken over depends on what was signed before."""


@router.get("/handover", dependencies=[requires(Permission.RESULTS)])
def read_handover(
    page: FloorPageDep,
    day: Annotated[AskedDay, Query()] = None,
    shift: Annotated[AskedBegins, Query()] = None,
    pit: Pit = None,
) -> HTMLResponse:
    """A shift of a gaming day, by the time at which it begins; the one that is on now if none is named."""
    return _handover(page, _shift(page, day, shift), _pit(page, pit))


@router.post("/handover", dependencies=[requires(Permission.ACKNOWLEDGE)])
def sign_handover(
    page: FloorPageDep,
    person: PersonDep,
    day: Annotated[date, Form()],
    shift: Annotated[time, Form()],
    act: Annotated[Act, Form()],
    pit: Annotated[str, Form(max_length=40)] = "",
    text: Annotated[Note, Form()] = "",
) -> Response:
    """Hand a shift over with a note, or take it over, under the name of whoever is signed in."""
    named, of = _shift(page, day, shift), _pit(page, pit or None)
    stood = _happened(page, named, of).standing()
    try:
        with _one_at_a_time:
            said = text.replace("\r\n", "\n")
            sign(page.parts.record, _signed_for(page, of), named, act=act, by=person.name, text=said, stood=stood)
    except HandOverError as error:
        return _handover(page, named, of, status=409, refused=error.words, text=text)
    return RedirectResponse(f"{_address(named, of)}&signed=true", status_code=303)


def _pit(page: FloorPage, asked: str | None) -> str | None:
    """The pit that is meant: the first if none is named; None for a floor without pits."""
    page.scope.tables_in(None, asked)
    return asked or next((each.name for each in page.scope.pits), None)


def _signed_for(page: FloorPage, pit: str | None) -> str:
    floor = page.parts.config.service.name
    return floor if pit is None else f"{floor}/{pit}"


def _happened(page: FloorPage, shift: Shift, pit: str | None) -> AllHappened:
    meant = page.scope.tables_in(None, pit)
    tables = [each.name for each in page.scope.tables if meant is None or each.name in meant]
    return happened_at(page.parts.projector, tables, shift)


def _shift(page: FloorPage, day: date | None, begins: time | None) -> Shift:
    return asked_shift(page.parts.config.page, day, begins)


def _address(shift: Shift, pit: str | None) -> str:
    return f"/handover?{urlencode({'day': shift.day, 'shift': f'{shift.begins:%H:%M}', 'pit': pit or ''})}"


def _handover(
    page: FloorPage,
    shift: Shift,
    pit: str | None,
    *,
    status: int = 200,
    refused: Sayable | None = None,
    text: str = "",
) -> HTMLResponse:
    parts, signed_for = page.parts, _signed_for(page, pit)
    return page.answer(
        "floor/handover.html",
        status=status,
        pit=pit,
        happened=_happened(page, shift, pit),
        refused=refused,
        text=text,
        **around_shift(parts.config.page, parts.record, signed_for, shift, lambda other: _address(other, pit)),
    )

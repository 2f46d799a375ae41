"""Handing a shift over on the page: what whoever takes over must know, a note, and both signatures."""

import threading
from datetime import date, time
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Form, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from service.access.roles import Permission
from service.api.permissions import PersonDep, requires
from service.record.shifts.hand_over import Act, HandOverError, Note, sign
from service.record.shifts.happened import happened_at
from service.record.shifts.shift_figures import Shift
from service.web.handing_over import AskedBegins, AskedDay, around_shift, asked_shift
from service.web.templating import TablePage, TablePageDep
from service.words.wording import Sayable

router = APIRouter(prefix="/tables/{table}/handover", include_in_schema=False)

_one_at_a_time = threading.Lock()
"""Whether a shift waits to be taken over depends on what was signed before."""


@router.get("", dependencies=[requires(Permission.RESULTS)])
def read_handover(
    page: TablePageDep, day: Annotated[AskedDay, Query()] = None, shift: Annotated[AskedBegins, Query()] = None
) -> HTMLResponse:
    """A shift of a gaming day, by the time at which it begins; the one that is on now if none is named."""
    return _handover(page, _shift(page, day, shift))


@router.post("", dependencies=[requires(Permission.ACKNOWLEDGE)])
def sign_handover(
    page: TablePageDep,
    person: PersonDep,
    day: Annotated[date, Form()],
    shift: Annotated[time, Form()],
    act: Annotated[Act, Form()],
    text: Annotated[Note, Form()] = "",
) -> Response:
    """Hand a shift over with a note, or take it over, under the name of whoever is signed in."""
    parts, named = page.parts, _shift(page, day, shift)
    record, table = parts.record, page.table.name
    stood = happened_at(parts.projector, [table], named, local=True).standing()
    try:
        with _one_at_a_time:
            sign(record, table, named, act=act, by=person.name, text=text.replace("\r\n", "\n"), stood=stood)
    except HandOverError as error:
        return _handover(page, named, status=409, refused=error.words, text=text)
    return RedirectResponse(f"{_address(page, named)}&signed=true", status_code=303)


def _shift(page: TablePage, day: date | None, begins: time | None) -> Shift:
    return asked_shift(page.parts.config.page, day, begins)


def _address(page: TablePage, shift: Shift) -> str:
    return f"{page.table.at}/handover?day={shift.day}&shift={shift.begins:%H:%M}"


def _handover(
    page: TablePage, shift: Shift, *, status: int = 200, refused: Sayable | None = None, text: str = ""
) -> HTMLResponse:
    parts, table = page.parts, page.table.name
    return page.answer(
        "handover.html",
        status=status,
        happened=happened_at(parts.projector, [table], shift, local=True).of_tables[table],
        refused=refused,
        text=text,
        **around_shift(parts.config.page, parts.record, table, shift, partial(_address, page)),
    )

"""Handing a shift over on the page: what whoever takes over must know, a note, and both signatures."""

import threading
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated

from fastapi import APIRouter, Form, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import BeforeValidator

from service.access.roles import Permission
from service.http.permissions import PersonDep, requires
from service.shifts.hand_over import LONGEST_NOTE, Act, HandOverError, Note, sign, signatures, standing, waits_for_taker
from service.shifts.happened import happened_in
from service.shifts.shift import FIRST_DAY, LAST_DAY, Shift, shift_named, shift_on, shifts_of
from service.web.templating import Page, PageDep
from service.words.wording import Sayable

router = APIRouter(include_in_schema=False)

# A form sends fields that were left empty.
_Empty = BeforeValidator(lambda said: said or None)
_Day = Annotated[date | None, _Empty]
_Begins = Annotated[time | None, _Empty]

_one_at_a_time = threading.Lock()
"""Whether a shift waits to be taken over depends on what was signed before."""


@router.get("/handover", dependencies=[requires(Permission.RESULTS)])
def read_handover(
    page: PageDep, day: Annotated[_Day, Query()] = None, shift: Annotated[_Begins, Query()] = None
) -> HTMLResponse:
    """A shift of a gaming day, by the time at which it begins; the one that is on now if none is named."""
    return _handover(page, _shift(page, day, shift))


@router.post("/handover", dependencies=[requires(Permission.ACKNOWLEDGE)])
def sign_handover(
    page: PageDep,
    person: PersonDep,
    day: Annotated[date, Form()],
    shift: Annotated[time, Form()],
    act: Annotated[Act, Form()],
    text: Annotated[Note, Form()] = "",
) -> Response:
    """Hand a shift over with a note, or take it over, under the name of whoever is signed in."""
    parts, named = page.parts, _shift(page, day, shift)
    record, table = parts.record, parts.config.table.name
    stood = standing(happened_in(named, record, parts.alarms, table))
    try:
        with _one_at_a_time:
            sign(record, table, named, act=act, by=person.name, text=text.replace("\r\n", "\n"), stood=stood)
    except HandOverError as error:
        return _handover(page, named, status=409, refused=error.words, text=text)
    return RedirectResponse(f"{_address(named)}&signed=true", status_code=303)


def _shift(page: Page, day: date | None, begins: time | None) -> Shift:
    config = page.parts.config.page
    on = shift_on(datetime.now(UTC), config.zone, config.shifts)
    if day is None and begins is None:
        return on
    wanted = min(max(day or on.day, FIRST_DAY), LAST_DAY)
    plain = (begins or on.begins).replace(tzinfo=None)
    return shift_named(wanted, plain, config.zone, config.shifts)


def _address(shift: Shift) -> str:
    return f"/handover?day={shift.day}&shift={shift.begins:%H:%M}"


def _handover(
    page: Page, shift: Shift, *, status: int = 200, refused: Sayable | None = None, text: str = ""
) -> HTMLResponse:
    parts, config = page.parts, page.parts.config.page
    now = datetime.now(UTC)
    signed = signatures(parts.record, parts.config.table.name, shift)
    handed = waits_for_taker(signed)
    return page.answer(
        "handover.html",
        status=status,
        shift=shift,
        now=now,
        earlier=_address(shift_on(shift.began - timedelta(seconds=1), config.zone, config.shifts)),
        later=_address(shift_on(shift.ended, config.zone, config.shifts)) if shift.ended <= now else None,
        shifts=shifts_of(shift.day, config.zone, config.shifts),
        happened=happened_in(shift, parts.record, parts.alarms, parts.config.table.name),
        signed=signed,
        handed=handed,
        refused=refused,
        text=text,
        longest=LONGEST_NOTE,
        named_shifts=bool(config.shifts),
    )

"""Handing a shift over for a pit: what whoever takes over must know, a note, and both signatures."""

import threading
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from pydantic import BeforeValidator

from service.access.roles import Permission
from service.floor.shown.handing_over import AllHappened, happened_at
from service.floor.web.around import FloorPage, FloorPageDep
from service.floor.web.routes.tables import Pit
from service.floor.web.shown_round import way_of
from service.http.permissions import PersonDep, requires
from service.shifts.hand_over import LONGEST_NOTE, Act, HandOverError, Note, sign, signatures, waits_for_taker
from service.shifts.shift import FIRST_DAY, LAST_DAY, Shift, shift_named, shift_on, shifts_of
from service.words.wording import Sayable

router = APIRouter(include_in_schema=False)

_Empty = BeforeValidator(lambda said: said or None)
_Day = Annotated[date | None, _Empty]
_Begins = Annotated[time | None, _Empty]

_one_at_a_time = threading.Lock()
"""Whether a shift waits to be taken over depends on what was signed before."""


@router.get("/handover", dependencies=[requires(Permission.RESULTS)])
def read_handover(
    page: FloorPageDep,
    day: Annotated[_Day, Query()] = None,
    shift: Annotated[_Begins, Query()] = None,
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
    page.sight.tables_in(None, asked)
    return asked or next((each.name for each in page.sight.pits), None)


def _signed_for(page: FloorPage, pit: str | None) -> str:
    floor = page.parts.config.floor.name
    return floor if pit is None else f"{floor}/{pit}"


def _happened(page: FloorPage, shift: Shift, pit: str | None) -> AllHappened:
    meant = page.sight.tables_in(None, pit)
    tables = [each.name for each in page.sight.tables if meant is None or each.name in meant]
    return happened_at(page.parts.reader.database, tables, shift)


def _shift(page: FloorPage, day: date | None, begins: time | None) -> Shift:
    config = page.parts.config.page
    on = shift_on(datetime.now(UTC), config.zone, config.shifts)
    if day is None and begins is None:
        return on
    wanted = min(max(day or on.day, FIRST_DAY), LAST_DAY)
    plain = (begins or on.begins).replace(tzinfo=None)
    return shift_named(wanted, plain, config.zone, config.shifts)


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
    parts, config = page.parts, page.parts.config.page
    now = datetime.now(UTC)
    signed = signatures(parts.record, _signed_for(page, pit), shift)
    return page.answer(
        "floor/handover.html",
        status=status,
        shift=shift,
        now=now,
        pit=pit,
        earlier=_address(shift_on(shift.began - timedelta(seconds=1), config.zone, config.shifts), pit),
        later=_address(shift_on(shift.ended, config.zone, config.shifts), pit) if shift.ended <= now else None,
        shifts=shifts_of(shift.day, config.zone, config.shifts),
        happened=_happened(page, shift, pit),
        way_of=way_of,
        signed=signed,
        handed=waits_for_taker(signed),
        refused=refused,
        text=text,
        longest=LONGEST_NOTE,
        named_shifts=bool(config.shifts),
    )

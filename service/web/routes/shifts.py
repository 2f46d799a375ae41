"""The shifts of a gaming day: their figures, and handing one over with a note and both signatures."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from service.access.roles import Permission
from service.api.permissions import PersonDep, requires
from service.record.shifts.hand_over import (
    LONGEST_NOTE,
    Act,
    HandOverError,
    Note,
    SignedScope,
    sign,
    signatures,
    waits_for_taker,
)
from service.record.shifts.happened import AllHappened, happened_at
from service.record.shifts.round_figures import RoundCounts
from service.record.shifts.shift_figures import (
    FIRST_DAY,
    LAST_DAY,
    Day,
    Shift,
    count,
    shift_named,
    shift_on,
    shifts_of,
)
from service.web.parameters import EMPTY_AS_NONE, AskedDay, AskedPit, AskedTable
from service.web.templating import Page, PageDep
from service.words.wording import Sayable

router = APIRouter(include_in_schema=False)

_AskedTime = Annotated[time | None, EMPTY_AS_NONE, Query()]
_FormName = Annotated[str, Form(max_length=40)]
_signing = threading.Lock()
"""Whether a shift waits to be taken over depends on what was signed before."""


@router.get("/shifts", dependencies=[requires(Permission.RESULTS)])
def read_shifts(page: PageDep, day: AskedDay = None, pit: AskedPit = None, table: AskedTable = None) -> HTMLResponse:
    """The figures of a gaming day by shift, pit and table; today's if none is named."""
    config, step = page.parts.config.page, timedelta(days=1)
    tables = _tables(page, pit, table)
    today = shift_on(datetime.now(UTC), config.zone, config.shifts).day
    shown = min(max(day or today, FIRST_DAY), LAST_DAY)
    figures = count(page.parts.projector, shown, config.zone, config.shifts, tables)
    whole, pits = figures.of(tables), () if pit or table else page.scope.pits
    in_pit = {each.name: [of.name for of in page.scope.tables if of.pit == each.name] for each in pits}
    return page.answer(
        "shifts.html",
        whole=whole,
        by_shift=_by_shift,
        by_pit={name: figures.of(of) for name, of in in_pit.items()},
        by_table={name: figures.of([name]).whole for name in tables if name in figures.counted}
        if len(tables) > 1
        else {},
        shown=shown,
        today=today,
        earlier=shown - step,
        later=shown + step,
        pit=pit,
        table_asked=table,
        asked=_named(pit, table),
        named_shifts=bool(config.shifts),
    )


@router.get("/handover", dependencies=[requires(Permission.RESULTS)])
def read_handover(
    page: PageDep, day: AskedDay = None, shift: _AskedTime = None, pit: AskedPit = None, table: AskedTable = None
) -> HTMLResponse:
    """A shift of a gaming day, by the time at which it starts; the current one if none is named."""
    return _handover(page, _HandOver.of(page, day, shift, pit, table))


@router.post("/handover", dependencies=[requires(Permission.ACKNOWLEDGE)])
def sign_handover(
    page: PageDep,
    person: PersonDep,
    day: Annotated[date, Form()],
    shift: Annotated[time, Form()],
    act: Annotated[Act, Form()],
    pit: _FormName = "",
    table: _FormName = "",
    text: Annotated[Note, Form()] = "",
) -> Response:
    """Hand a shift over with a note, or take it over, under the name of the signed-in person."""
    asked = _HandOver.of(page, day, shift, pit or None, table or None)
    status, note = asked.happened(page).standing(), text.replace("\r\n", "\n")
    try:
        with _signing:
            sign(
                page.parts.record,
                asked.signed_scope(page),
                asked.shift,
                act=act,
                by=person.name,
                text=note,
                stood=status,
            )
    except HandOverError as error:
        return _handover(page, asked, status=409, refused=error.words, text=text)
    return RedirectResponse(f"{asked.address(asked.shift)}&signed=true", status_code=303)


@dataclass(frozen=True, slots=True)
class _HandOver:
    """A shift of a table, of a pit, or of all tables."""

    shift: Shift
    pit: str | None
    table: str | None

    @classmethod
    def of(cls, page: Page, day: date | None, starts: time | None, pit: str | None, table: str | None) -> "_HandOver":
        """What is asked for; without a pit or table all tables, or the first pit if the person is limited to pits."""
        page.scope.tables_in(table, pit)
        if table is not None:
            pit = None
        elif pit is None and page.scope.of_pits:
            pit = next((each.name for each in page.scope.pits), None)
        config = page.parts.config.page
        current = shift_on(datetime.now(UTC), config.zone, config.shifts)
        if day is None and starts is None:
            return cls(current, pit, table)
        wanted = min(max(day or current.day, FIRST_DAY), LAST_DAY)
        at = (starts or current.starts).replace(tzinfo=None)
        return cls(shift_named(wanted, at, config.zone, config.shifts), pit, table)

    def happened(self, page: Page) -> AllHappened:
        return happened_at(page.parts.projector, _tables(page, self.pit, self.table), self.shift)

    def signed_scope(self, page: Page) -> SignedScope:
        """The table, the pit or all tables, as signatures name them."""
        only = page.parts.only
        return SignedScope(only.name if only is not None else self.table, self.pit)

    def address(self, shift: Shift) -> str:
        """The page of another shift."""
        named = {"day": shift.day, "shift": f"{shift.starts:%H:%M}"} | _named(self.pit, self.table)
        return f"/handover?{urlencode(named)}"


def _handover(
    page: Page, asked: _HandOver, *, status: int = 200, refused: Sayable | None = None, text: str = ""
) -> HTMLResponse:
    now, shift, config = datetime.now(UTC), asked.shift, page.parts.config.page
    signed = signatures(page.parts.record, asked.signed_scope(page), shift)
    return page.answer(
        "handover.html",
        status=status,
        shift=shift,
        pit=asked.pit,
        table_asked=asked.table,
        limited=bool(page.scope.of_pits),
        happened=asked.happened(page),
        now=now,
        earlier=asked.address(shift_on(shift.started - timedelta(seconds=1), config.zone, config.shifts)),
        later=asked.address(shift_on(shift.ended, config.zone, config.shifts)) if shift.ended <= now else None,
        shifts=shifts_of(shift.day, config.zone, config.shifts),
        named_shifts=bool(config.shifts),
        signed=signed,
        handed=waits_for_taker(signed),
        longest=LONGEST_NOTE,
        refused=refused,
        text=text,
    )


def _tables(page: Page, pit: str | None, table: str | None) -> list[str]:
    """Names of the tables in a pit, or of all that the caller sees; ProblemError if there is no such pit or table."""
    meant = page.scope.tables_in(table, pit)
    return [each.name for each in page.scope.tables if meant is None or each.name in meant]


def _named(pit: str | None, table: str | None) -> dict[str, object]:
    return {name: value for name, value in {"pit": pit, "table": table}.items() if value is not None}


def _by_shift(day: Day) -> Iterator[tuple[Shift, RoundCounts]]:
    return zip(day.spans, day.shifts, strict=True)

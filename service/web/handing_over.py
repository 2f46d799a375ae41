"""What the pages on which a shift is handed over have in common, at a table and on a floor."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, Annotated, Any

from service.record.shifts.hand_over import LONGEST_NOTE, signatures, waits_for_taker
from service.record.shifts.shift_figures import FIRST_DAY, LAST_DAY, shift_named, shift_on, shifts_of
from service.web.left_empty import LEFT_EMPTY

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.record.shifts.shift_figures import Shift
    from service.record.store.record import Record
    from service.system.service_settings import PageConfig

AskedDay = Annotated[date | None, LEFT_EMPTY]
AskedBegins = Annotated[time | None, LEFT_EMPTY]


def asked_shift(config: PageConfig, day: date | None, begins: time | None) -> Shift:
    """A shift of a gaming day, by the time at which it begins; the one that is on now if none is named."""
    on = shift_on(datetime.now(UTC), config.zone, config.shifts)
    if day is None and begins is None:
        return on
    wanted = min(max(day or on.day, FIRST_DAY), LAST_DAY)
    plain = (begins or on.begins).replace(tzinfo=None)
    return shift_named(wanted, plain, config.zone, config.shifts)


def around_shift(
    config: PageConfig, record: Record, signed_for: str, shift: Shift, address: Callable[[Shift], str]
) -> dict[str, Any]:
    """What the page shows beside what happened: who signed, and the shifts before and after. RecordUnavailableError.

    Args:
        config: of the page.
        record: in which it is signed.
        signed_for: the table, or part of the floor, that is handed over.
        shift: the one shown.
        address: of the page with a shift.
    """
    now, signed = datetime.now(UTC), signatures(record, signed_for, shift)
    return {
        "shift": shift,
        "now": now,
        "earlier": address(shift_on(shift.began - timedelta(seconds=1), config.zone, config.shifts)),
        "later": address(shift_on(shift.ended, config.zone, config.shifts)) if shift.ended <= now else None,
        "shifts": shifts_of(shift.day, config.zone, config.shifts),
        "signed": signed,
        "handed": waits_for_taker(signed),
        "longest": LONGEST_NOTE,
        "named_shifts": bool(config.shifts),
    }

"""Alarms: those that nobody answered and those that were, and saying that they were seen."""

from typing import Annotated

from fastapi import APIRouter, Query

from service.access.roles import Permission
from service.http.alarm_schemas import AcknowledgedOut, AcknowledgementIn, AlarmOut, AlarmsOut, AlarmsQuery
from service.http.deps import PartsDep
from service.http.errors import ProblemError, problems
from service.http.permissions import CallerDep, requires
from service.http.routes.results import IdempotencyKey, signed_by

router = APIRouter(prefix="/v1/alarms", tags=["alarms"])


@router.get("", dependencies=[requires(Permission.WATCH)], responses=problems(404, 422, 503))
def list_alarms(parts: PartsDep, asked: Annotated[AlarmsQuery, Query()]) -> AlarmsOut:
    """Alarms, newest first: those that nobody answered, then, with `state=all`, those that were.

    An alarm is raised when its cause is first recorded, and stays until somebody acknowledges it or decides the round
    in doubt, also when its cause is over. `unanswered` counts all of them, whatever was asked for. A failed check that
    the record has not taken yet comes first, without an id.
    """
    if asked.table is not None and asked.table != parts.config.table.name:
        raise ProblemError(404, "unknown_table", f"There is no table {asked.table!r} here.")
    standing = parts.alarms.standing()
    found = parts.alarms.page(kind=asked.kind, only_open=asked.state == "open", limit=asked.limit, cursor=asked.cursor)
    unrecorded = tuple(
        alarm
        for alarm in standing.open
        if alarm.id is None and asked.cursor is None and asked.kind in {None, alarm.kind}
    )
    alarms = tuple(map(AlarmOut.said, (*unrecorded, *found.alarms)))
    return AlarmsOut(alarms=alarms, next=found.next, unanswered=standing.counts)


@router.post(
    "/acknowledgement",
    dependencies=[requires(Permission.ACKNOWLEDGE)],
    responses=problems(400, 404, 408, 413, 422, 503),
)
def acknowledge_alarms(
    said: AcknowledgementIn, parts: PartsDep, caller: CallerDep, idempotency_key: IdempotencyKey = None
) -> AcknowledgedOut:
    """Say that somebody saw these alarms; all of them are recorded in one entry, or none.

    An id that is not known, or under which an alarm was raised again since, is refused (404), and nothing is recorded.
    """
    by = signed_by(said.by, caller)
    taken = parts.alarms.acknowledge(said.alarms, by, reason=said.reason, key=idempotency_key, sender=caller.name)
    return AcknowledgedOut(acknowledged=taken, by=by)

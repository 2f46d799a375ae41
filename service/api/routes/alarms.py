"""Alarms of all tables, open and answered, their claims, and acknowledgement."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.concurrency import run_in_threadpool

from service.access.roles import Permission
from service.api.alarm_schemas import (
    AcknowledgedOut,
    AcknowledgementIn,
    AlarmOut,
    AlarmsOut,
    AlarmsQuery,
    ClaimOut,
    NotAnsweredOut,
)
from service.api.claims import Claim
from service.api.deps import PartsDep
from service.api.desk import UNKNOWN_ALARM
from service.api.errors import ProblemError, problems
from service.api.permissions import CallerDep, requires
from service.api.refusals import refusals
from service.api.routes.results import IdempotencyKey, signed_by
from service.api.sight import Sight, SightDep

router = APIRouter(prefix="/v1/alarms", tags=["alarms"])

AlarmId = Annotated[
    str,
    Path(max_length=30, pattern=r"^[0-9]{1,18}\.[0-9]{1,9}$", description="the alarm's id", examples=["20001.1"]),
]


@router.get("", dependencies=[requires(Permission.WATCH)], responses=problems(404, 422, 503))
def list_alarms(sight: SightDep, asked: Annotated[AlarmsQuery, Query()]) -> AlarmsOut:
    """Alarms of all tables, newest first: open ones, then, with `state=all`, answered ones.

    An alarm is raised when its cause is first recorded, and stays until somebody acknowledges it or decides the round
    in doubt, also when its cause is over. A failed check of a local table that is not recorded yet comes first,
    without an id. Alarms of remote tables are in the order in which this service learned of them.
    """
    listed = sight.alarms_in(asked.table, asked.pit)
    found = listed.page(kind=asked.kind, only_open=asked.state == "open", limit=asked.limit, cursor=asked.cursor)
    taken = sight.parts.desk.taken_alarms([each.id for each in found.alarms if each.id is not None])
    return AlarmsOut(
        alarms=tuple(AlarmOut.said(each, taken.get(each.id or "")) for each in found.alarms),
        next=found.next,
        unanswered=listed.counts(),
    )


@router.post(
    "/acknowledgement",
    dependencies=[requires(Permission.ACKNOWLEDGE)],
    responses=problems(400, 404, 408, 413, 422, 503),
)
async def acknowledge_alarms(
    said: AcknowledgementIn,
    parts: PartsDep,
    sight: SightDep,
    caller: CallerDep,
    idempotency_key: IdempotencyKey = None,
) -> AcknowledgedOut:
    """Record that somebody saw these alarms: those of each table in one entry of its log, or none of them.

    What could not be recorded is listed in `not_answered` and stays open. If a service without remote tables knows none
    of the ids, it refuses (404).
    """
    by = signed_by(said.by, caller)
    done = await parts.desk.acknowledge(
        said.alarms, by, said.reason, sight.bounds, key=idempotency_key, sender=caller.name
    )
    if parts.following is None and all(name in done.unknown for name in said.alarms):
        raise ProblemError(404, "unknown_alarm", UNKNOWN_ALARM)
    refused = tuple(
        NotAnsweredOut(table=each.table, alarms=each.alarms, code=each.code, message=str(each.why))
        for each in done.not_answered
    )
    return AcknowledgedOut(acknowledged=done.alarms, by=by, not_answered=refused)


@router.post("/{alarm}/claim", dependencies=[requires(Permission.ACKNOWLEDGE)], responses=problems(404, 409, 422, 503))
async def take_alarm(alarm: AlarmId, sight: SightDep, caller: CallerDep) -> ClaimOut:
    """Claim an alarm, so that others see who handles it. Repeat to keep it: a claim expires after five minutes.

    If another person has it, that is said (409).
    """
    claim = await run_in_threadpool(_take, sight, alarm, caller.name)
    return ClaimOut(by=claim.by, since=claim.since)


@router.delete(
    "/{alarm}/claim",
    dependencies=[requires(Permission.ACKNOWLEDGE)],
    status_code=204,
    responses=problems(404, 422, 503),
)
def release_alarm(alarm: AlarmId, parts: PartsDep, sight: SightDep, caller: CallerDep) -> None:
    """Give an alarm back."""
    parts.desk.release_alarm(alarm, caller.name, sight.bounds)


def _take(sight: Sight, alarm: str, by: str) -> Claim:
    with refusals():
        claim = sight.parts.desk.take_alarm(alarm, by, sight.bounds)
    if claim is None:
        raise ProblemError(404, "unknown_alarm", UNKNOWN_ALARM)
    return claim

"""Alarms of all tables: those that nobody answered and those that were, who has taken one, and answering them."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.concurrency import run_in_threadpool

from service.access.roles import Permission
from service.floor.claims import Claim
from service.http.alarm_schemas import AcknowledgementIn
from service.http.deps import PartsDep
from service.http.errors import ProblemError, problems
from service.http.hub_schemas import (
    ClaimOut,
    FloorAcknowledgedOut,
    FloorAlarmOut,
    FloorAlarmsOut,
    FloorAlarmsQuery,
    NotAnsweredOut,
)
from service.http.permissions import CallerDep, requires
from service.http.refusals import refusals
from service.http.routes.results import signed_by
from service.http.sight import Sight, SightDep
from service.words.wording import words

router = APIRouter(prefix="/v1/alarms", tags=["alarms"])

AlarmId = Annotated[str, Path(max_length=30, pattern=r"^[0-9]{1,18}\.[0-9]{1,9}$", description="the alarm's id")]


@router.get("", include_in_schema=False, dependencies=[requires(Permission.WATCH)], responses=problems(404, 422, 503))
def list_alarms(parts: PartsDep, sight: SightDep, asked: Annotated[FloorAlarmsQuery, Query()]) -> FloorAlarmsOut:
    """Alarms of all tables, newest first: open ones, then, with `state=all`, answered ones.

    They are in the order in which the floor came to know of them.
    """
    alarms = sight.alarms_of(sight.tables_in(asked.table, asked.pit))
    found = alarms.page(kind=asked.kind, only_open=asked.state == "open", limit=asked.limit, cursor=asked.cursor)
    taken = parts.desk.taken_alarms([each.id for each in found.alarms if each.id is not None])
    told = tuple(FloorAlarmOut(alarm=each, taken=ClaimOut.of(taken.get(each.id or ""))) for each in found.alarms)
    return FloorAlarmsOut(alarms=told, next=found.next, unanswered=alarms.counts())


@router.post(
    "/acknowledgement",
    include_in_schema=False,
    dependencies=[requires(Permission.ACKNOWLEDGE)],
    responses=problems(400, 408, 413, 422, 503),
)
async def acknowledge_alarms(
    said: AcknowledgementIn, parts: PartsDep, sight: SightDep, caller: CallerDep
) -> FloorAcknowledgedOut:
    """Acknowledge alarms: each table records its own in that person's name, all of them or none.

    What could not be recorded is told in `not_answered`, and stays open; ask again, and nothing is recorded twice.
    """
    by = signed_by(said.by, caller)
    done = await parts.desk.acknowledge(said.alarms, by, said.reason, sight.bounds)
    refused = tuple(
        NotAnsweredOut(table=each.table, alarms=each.alarms, code=each.code, message=str(each.why))
        for each in done.not_answered
    )
    return FloorAcknowledgedOut(acknowledged=done.alarms, by=by, not_answered=refused)


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
        unknown = words("This alarm no longer exists, or was raised again: load the page again.")
        raise ProblemError(404, "unknown_alarm", unknown)
    return claim

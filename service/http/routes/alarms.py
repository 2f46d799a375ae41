"""Alarms: those that nobody answered and those that were, and saying that they were seen."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Annotated

from fastapi import APIRouter, Query

from service.access.roles import Permission
from service.config.subscriber_settings import AlarmKind
from service.http.alarm_schemas import AcknowledgedOut, AcknowledgementIn, AlarmOut, AlarmsOut, AlarmsQuery
from service.http.deps import Parts, PartsDep
from service.http.errors import problems
from service.http.local_table import LocalTable
from service.http.permissions import CallerDep, requires
from service.http.routes.results import IdempotencyKey, signed_by
from service.projections.alarm import KINDS
from service.projections.alarm_list import AlarmList
from service.projections.standing_alarms import Standing, UnknownAlarmError
from service.record.store.record_tables import OWN_LOG

router = APIRouter(prefix="/v1/alarms", tags=["alarms"])


@router.get("", dependencies=[requires(Permission.WATCH)], responses=problems(404, 422, 503))
def list_alarms(parts: PartsDep, asked: Annotated[AlarmsQuery, Query()]) -> AlarmsOut:
    """Alarms, newest first: those that nobody answered, then, with `state=all`, those that were.

    An alarm is raised when its cause is first recorded, and stays until somebody acknowledges it or decides the round
    in doubt, also when its cause is over. `unanswered` counts all of them, whatever was asked for. A failed check that
    the record has not taken yet comes first, without an id.
    """
    tables = tuple(parts.tables.values()) if asked.table is None else (parts.table(asked.table),)
    standing = [table.alarms.standing() for table in tables]
    listed = AlarmList(parts.record.database, [table.name for table in tables])
    found = listed.page(kind=asked.kind, only_open=asked.state == "open", limit=asked.limit, cursor=asked.cursor)
    unrecorded = tuple(
        alarm
        for of_table in standing
        for alarm in of_table.open
        if alarm.id is None and asked.cursor is None and asked.kind in {None, alarm.kind}
    )
    alarms = tuple(map(AlarmOut.said, (*unrecorded, *found.alarms)))
    return AlarmsOut(alarms=alarms, next=found.next, unanswered=counts_of(standing))


@router.post(
    "/acknowledgement",
    dependencies=[requires(Permission.ACKNOWLEDGE)],
    responses=problems(400, 404, 408, 413, 422, 503),
)
def acknowledge_alarms(
    said: AcknowledgementIn, parts: PartsDep, caller: CallerDep, idempotency_key: IdempotencyKey = None
) -> AcknowledgedOut:
    """Say that somebody saw these alarms; those of a table are recorded in one entry.

    An id that is not known, or under which an alarm was raised again since, is refused (404), and nothing is recorded.
    """
    by = signed_by(said.by, caller)
    taken = [
        table.alarms.acknowledge(names, by, reason=said.reason, key=idempotency_key, sender=caller.name)
        for table, names in _by_table(parts, said.alarms)
    ]
    return AcknowledgedOut(acknowledged=tuple(chain(*taken)), by=by)


def counts_of(standing: Iterable[Standing]) -> dict[AlarmKind, int]:
    """How many alarms of several tables nobody answered, by kind, without kinds that have none."""
    found: Counter[AlarmKind] = Counter()
    for each in standing:
        found.update(each.counts)
    return {kind: found[kind] for kind in KINDS if found[kind]}


def _by_table(parts: Parts, names: Sequence[str]) -> list[tuple[LocalTable, list[str]]]:
    """The ids of alarms by the table that they are of; UnknownAlarmError where one is of none."""
    if parts.only is not None:
        return [(parts.only, list(names))]
    parts.projector.catch_up(OWN_LOG)
    known = AlarmList(parts.record.database, parts.tables).named(names)
    if unknown := [name for name in names if name not in known]:
        raise UnknownAlarmError(unknown)
    of_tables = {
        table.name: (table, [name for name in names if known[name].table == table.name])
        for table in parts.tables.values()
    }
    return [(table, own) for table, own in of_tables.values() if own]

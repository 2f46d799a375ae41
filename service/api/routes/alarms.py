"""Alarms of all tables, open and answered, their claims, and acknowledgement."""

from collections.abc import Sequence
from typing import Annotated, Literal, Self

from fastapi import APIRouter, Path, Query
from pydantic import Field, StringConstraints
from starlette.concurrency import run_in_threadpool

from service.access.roles import Permission
from service.api.claims import Claim
from service.api.deps import IdempotencyKey, PartsDep, ScopeDep
from service.api.desk import UNKNOWN_ALARM
from service.api.permissions import CallerDep, requires, signed_by
from service.api.problems import ProblemError, problems
from service.api.scope import Scope
from service.record.projections.alarms import Alarm
from service.rounds.judge.rules_in_force import book_of
from service.rounds.judge.verdicts import remedies_at
from service.rounds.reports import FrozenModel
from service.rounds.review import Name
from service.rounds.served import FindingOut, findings_out
from service.system.subscriber_settings import AlarmKind
from service.words.rule_sentences import correction_words
from service.words.wording import Sayable, place_name

router = APIRouter(prefix="/v1/alarms", tags=["alarms"])

AlarmId = Annotated[
    str,
    Path(max_length=30, pattern=r"^[0-9]{1,18}\.[0-9]{1,9}$", description="the alarm's id", examples=["20001.1"]),
]


class AlarmsQuery(FrozenModel):
    """Selects alarms."""

    state: Literal["open", "all"] = Field(
        default="open", description="`open` for open alarms only, `all` to include answered ones"
    )
    kind: AlarmKind | None = Field(default=None, description="only alarms of this kind")
    table: Annotated[str, Field(max_length=40)] | None = Field(
        default=None, description="only this table's alarms", examples=["test"]
    )
    pit: Annotated[str, Field(max_length=40)] | None = Field(
        default=None, description="only alarms of this pit's tables", examples=["high-limit"]
    )
    limit: int = Field(default=50, ge=1, le=200, description="maximum number of alarms per page")
    cursor: Annotated[str, Field(max_length=60, pattern=r"^(open|answered)\.[0-9]{1,18}\.[0-9]{1,9}$")] | None = Field(
        default=None,
        examples=["open.20001.1"],
        description="`next` of the previous page; omit it to start with the newest",
    )


class AlarmOut(Alarm):
    """An alarm with its English text and its claim."""

    message: str = Field(description="the alarm in English")
    findings: tuple[FindingOut, ...] = Field(description="the departure from the rulebook, or the result of the check")

    remedy: str | None = Field(
        description="what to do now about a hand that lies against the House Way, at the stage that its round has "
        "reached; null once it lies so no more, and for any other alarm"
    )
    taken: Claim | None = Field(description="its claim; null if nobody has claimed it")

    @classmethod
    def of(cls, alarm: Alarm, claim: Claim | None = None) -> Self:
        """The alarm with English sentences."""
        fields = {name: getattr(alarm, name) for name in Alarm.model_fields}
        book = book_of(alarm.rulebook, alarm.rulebook_version)
        findings, remedy = findings_out(alarm.findings, book), alarm_remedy(alarm)
        added = {
            "findings": findings,
            "message": _message(alarm, findings),
            "remedy": None if remedy is None else str(remedy),
            "taken": claim,
        }
        return cls.model_construct(**fields | added)


def alarm_remedy(alarm: Alarm) -> Sayable | None:
    """What to do now about a hand that still lies against the House Way; None for other alarms."""
    if alarm.kind != "house_hand_wrong" or alarm.over_at is not None:
        return None
    remedies = remedies_at(alarm.subject, book_of(alarm.rulebook, alarm.rulebook_version), alarm.moment)
    return None if remedies is None else correction_words(remedies)


def _message(alarm: Alarm, findings: Sequence[FindingOut]) -> str:
    found = "; ".join(each.message for each in findings)
    if alarm.round is None:
        return f"{alarm.subject}: {found}"
    places = ", ".join(str(place_name(place)) for place in alarm.places)
    if alarm.kind == "house_hand_wrong":
        laid = f"{' '.join(alarm.low or ())} / {' '.join(alarm.high or ())}"
        return f"Round {alarm.round.number}: {places} hand set wrongly ({laid})"
    if alarm.kind == "needs_review":
        return f"Round {alarm.round.number} needs review: {places}"
    return f"Round {alarm.round.number}: {found}"


class AlarmsOut(FrozenModel):
    """Alarms, newest first, open ones before answered ones."""

    alarms: tuple[AlarmOut, ...] = Field(description="the alarms")
    next: str | None = Field(description="send this as `cursor` for older alarms; null on the last page")
    unanswered: dict[AlarmKind, int] = Field(
        description="number of open alarms of the selected tables, by kind; kinds without any are omitted"
    )


class AcknowledgementIn(FrozenModel):
    """Acknowledges alarms."""

    alarms: Annotated[
        tuple[Annotated[str, Field(max_length=40, pattern=r"^[0-9]+\.[0-9]+$")], ...], Field(max_length=200)
    ] = Field(min_length=1, description="the ids of the alarms")
    by: Name | Literal[""] = Field(
        default="",
        description="the person; for signed-in people the account's name, for machines the person they act for",
    )
    reason: Annotated[str, StringConstraints(strip_whitespace=True, max_length=500)] = Field(
        default="", description="the person's reason; optional"
    )


class NotAnsweredOut(FrozenModel):
    """Alarms that were not acknowledged."""

    table: str = Field(description="name of the table; empty for unknown alarms")
    alarms: tuple[str, ...] = Field(description="their ids")
    code: str = Field(
        description="the reason: `taken` (claimed by another person), `unknown_alarm` (also if it was raised again), "
        "`table_unreachable`, or the problem code from the remote table"
    )
    message: str = Field(description="the reason in English")


class AcknowledgedOut(FrozenModel):
    """The outcome of an acknowledgement."""

    acknowledged: tuple[str, ...] = Field(
        description="the ids of the alarms acknowledged now; alarms answered before are omitted"
    )
    by: str = Field(description="the recorded person")
    not_answered: tuple[NotAnsweredOut, ...] = Field(description="the alarms that were not acknowledged")


@router.get("", dependencies=[requires(Permission.WATCH)], responses=problems(404, 422, 503))
def list_alarms(scope: ScopeDep, asked: Annotated[AlarmsQuery, Query()]) -> AlarmsOut:
    """Alarms of all tables, newest first: open ones, then, with `state=all`, answered ones.

    An alarm is raised when its cause is first recorded. It stays open until somebody acknowledges it or reviews the
    round, even if the cause has ended. Failed checks of local tables that are not recorded yet come first, without an
    id. Alarms of remote tables are in the order of collection.
    """
    listed = scope.alarms_in(asked.table, asked.pit)
    found = listed.page(kind=asked.kind, only_open=asked.state == "open", limit=asked.limit, cursor=asked.cursor)
    taken = scope.parts.desk.taken_alarms([each.id for each in found.alarms if each.id is not None])
    return AlarmsOut(
        alarms=tuple(AlarmOut.of(each, taken.get(each.id or "")) for each in found.alarms),
        next=found.next,
        unanswered=listed.counts(),
    )


@router.post(
    "/acknowledgement",
    dependencies=[requires(Permission.ACKNOWLEDGE)],
    responses=problems(400, 404, 408, 413, 422, 503),
)
async def acknowledge_alarms(
    sent: AcknowledgementIn,
    parts: PartsDep,
    scope: ScopeDep,
    caller: CallerDep,
    idempotency_key: IdempotencyKey = None,
) -> AcknowledgedOut:
    """Acknowledge alarms: those of a table are recorded in one entry of its log, all or none.

    Alarms that were not acknowledged are listed in `not_answered` and stay open. If a service without remote tables
    knows none of the ids, it refuses (404).
    """
    by = signed_by(sent.by, caller)
    done = await parts.desk.acknowledge(
        sent.alarms, by, sent.reason, scope.bounds, key=idempotency_key, sender=caller.name
    )
    if parts.following is None and all(name in done.unknown for name in sent.alarms):
        raise ProblemError("unknown_alarm", UNKNOWN_ALARM)
    refused = tuple(
        NotAnsweredOut(table=each.table, alarms=each.alarms, code=each.code, message=str(each.why))
        for each in done.not_answered
    )
    return AcknowledgedOut(acknowledged=done.alarms, by=by, not_answered=refused)


@router.post("/{alarm}/claim", dependencies=[requires(Permission.ACKNOWLEDGE)], responses=problems(404, 409, 422, 503))
async def take_alarm(alarm: AlarmId, scope: ScopeDep, caller: CallerDep) -> Claim:
    """Claim an alarm, so that others see who handles it. Repeat to keep the claim: it expires after five minutes.

    Refused (409) if another person has claimed it.
    """
    return await run_in_threadpool(_take, scope, alarm, caller.name)


@router.delete(
    "/{alarm}/claim",
    dependencies=[requires(Permission.ACKNOWLEDGE)],
    status_code=204,
    responses=problems(404, 422, 503),
)
def release_alarm(alarm: AlarmId, parts: PartsDep, scope: ScopeDep, caller: CallerDep) -> None:
    """Release the claim on an alarm."""
    parts.desk.release_alarm(alarm, caller.name, scope.bounds)


def _take(scope: Scope, alarm: str, by: str) -> Claim:
    claim = scope.parts.desk.take_alarm(alarm, by, scope.bounds)
    if claim is None:
        raise ProblemError("unknown_alarm", UNKNOWN_ALARM)
    return claim

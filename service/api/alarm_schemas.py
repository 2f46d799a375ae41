"""Requests and answers about alarms."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints

from service.api.claims import Claim
from service.record.projections.alarms import Alarm
from service.rounds.judge.rules_in_force import book_of
from service.rounds.reports import FrozenModel
from service.rounds.review import Name
from service.rounds.served import FindingOut, findings_out
from service.system.subscriber_settings import AlarmKind
from service.words.wording import place_name


class AlarmsQuery(FrozenModel):
    """Which alarms."""

    state: Literal["open", "all"] = Field(
        default="open", description="`open` for those that nobody answered, `all` for those answered too"
    )
    kind: AlarmKind | None = Field(default=None, description="only alarms of this kind")
    table: Annotated[str, Field(max_length=40)] | None = Field(
        default=None, description="only this table's alarms", examples=["test"]
    )
    pit: Annotated[str, Field(max_length=40)] | None = Field(
        default=None, description="only alarms of the tables of this pit", examples=["high-limit"]
    )
    limit: int = Field(default=50, ge=1, le=200, description="the most alarms in one answer")
    cursor: Annotated[str, Field(max_length=60, pattern=r"^(open|answered)\.[0-9]{1,18}\.[0-9]{1,9}$")] | None = Field(
        default=None, examples=["open.20001.1"], description="'next' of the answer before; left out, from the newest"
    )


class ClaimOut(FrozenModel):
    """A person's claim on a round or an alarm."""

    by: str = Field(description="who")
    since: datetime = Field(description="since when, UTC")

    @classmethod
    def of(cls, claim: Claim | None) -> Self | None:
        """The claim for an answer, if there is one."""
        return None if claim is None else cls(by=claim.by, since=claim.since)


class AlarmOut(Alarm):
    """An alarm, in English as well, with its claim."""

    message: str = Field(description="the alarm in English")
    findings: tuple[FindingOut, ...] = Field(description="the departure from the rulebook, or how the check is")

    taken: ClaimOut | None = Field(description="its claim; null if nobody claimed it")

    @classmethod
    def said(cls, alarm: Alarm, claim: Claim | None = None) -> Self:
        """An alarm with its English sentences."""
        fields = {name: getattr(alarm, name) for name in Alarm.model_fields}
        findings = findings_out(alarm.findings, book_of(alarm.rulebook, alarm.rulebook_version))
        said = {"findings": findings, "message": _message(alarm, findings), "taken": ClaimOut.of(claim)}
        return cls.model_construct(**fields | said)


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
    """Alarms, newest first, open ones before those answered."""

    alarms: tuple[AlarmOut, ...] = Field(description="the alarms")
    next: str | None = Field(description="send this as `cursor` for older ones; null if there are none")
    unanswered: dict[AlarmKind, int] = Field(
        description="number of open alarms of the selected tables, by kind; kinds without any are omitted"
    )


class AcknowledgementIn(FrozenModel):
    """That somebody saw alarms."""

    alarms: Annotated[
        tuple[Annotated[str, Field(max_length=40, pattern=r"^[0-9]+\.[0-9]+$")], ...], Field(max_length=200)
    ] = Field(min_length=1, description="the ids of the alarms that were seen")
    by: Name | Literal[""] = Field(
        default="",
        description="who saw them; a signed-in person is named by the account, a machine names whom it speaks for",
    )
    reason: Annotated[str, StringConstraints(strip_whitespace=True, max_length=500)] = Field(
        default="", description="what that person says of it; may be left out"
    )


class NotAnsweredOut(FrozenModel):
    """Alarms that could not be acknowledged: nothing was recorded of them."""

    table: str = Field(description="name of the table; empty for unknown alarms")
    alarms: tuple[str, ...] = Field(description="their ids")
    code: str = Field(
        description="why: `taken` by another person, `unknown_alarm` also if it was raised again since, "
        "`table_unreachable`, or the code of the problem that the table's own service answered"
    )
    message: str = Field(description="the same in English")


class AcknowledgedOut(FrozenModel):
    """What was acknowledged."""

    acknowledged: tuple[str, ...] = Field(
        description="the ids acknowledged now; those that had been answered before are left out"
    )
    by: str = Field(description="whose acknowledgement is recorded")
    not_answered: tuple[NotAnsweredOut, ...] = Field(description="what was not recorded")

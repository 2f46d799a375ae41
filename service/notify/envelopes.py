"""The envelope of everything that is told: CloudEvents 1.0, structured JSON, and what is inside."""

from datetime import datetime
from typing import Literal, TypeAlias

from service.record.checkpoints.epochs import EntryNamed
from service.record.results import ResultOut
from service.rounds.reports import FacePair, FrozenModel, SettingReport
from service.words.served import FindingOut

EventType: TypeAlias = Literal[
    "houseway.result",
    "houseway.alarm.house_hand_wrong",
    "houseway.alarm.needs_review",
    "houseway.alarm.health",
    "houseway.alarm.procedure",
    "houseway.epoch",
]
CONTENT_TYPE = "application/cloudevents+json"


class RoundNamed(FrozenModel):
    """Which revision of which round."""

    id: str
    number: int
    revision: int


class HouseHandAlarm(FrozenModel):
    """A hand that must lie the House Way does not, or does again.

    Attributes:
        state: ``raised`` when it is found wrong or laid wrong in another way, ``cleared`` when it no longer is.
        expected: how the rulebook sets these tiles.
        choices: other settings that the dealer may choose instead.
        remedy: what the rulebook allows.
    """

    state: Literal["raised", "cleared"]
    round: RoundNamed
    place: str
    low: FacePair
    high: FacePair
    expected: SettingReport | None
    choices: tuple[SettingReport, ...] = ()
    rule: str | None
    explanation: str
    remedy: str | None


class ReviewAlarm(FrozenModel):
    """A round waits for a person, or no longer does."""

    state: Literal["raised", "cleared"]
    round: RoundNamed
    reasons: tuple[str, ...]


class ProcedureAlarm(FrozenModel):
    """A round was not dealt as the rulebook has it, or counts as dealt so again.

    Attributes:
        finding: what was not done by the rulebook, with its rule and what must or may be done now.
    """

    state: Literal["raised", "cleared"]
    round: RoundNamed
    finding: FindingOut


class CheckTold(FrozenModel):
    """A check that is not well, and what to do."""

    name: str
    message: str


class HealthAlarm(FrozenModel):
    """A check of the table service turned bad, or all are well again.

    Attributes:
        checks: those that are not well; of a time in which nothing could be recorded, why that was.
        since: from when nothing could be recorded, if that is what is told.
        until: and until when.
    """

    state: Literal["raised", "cleared"]
    checks: tuple[CheckTold, ...]
    since: datetime | None = None
    until: datetime | None = None


class EpochTold(FrozenModel):
    """The record was restored from a copy, or lost its end, and goes on in a new epoch.

    What was told before of entries beyond ``common`` is not in the record any more: keep it, and have it compared.

    Attributes:
        name: of the new epoch.
        common: the last entry that is known to be common.
        cursor: ``since`` for ``/v1/results``, to go on: from the common entry where the record is this service's own.
        lost: the newest entry that was signed and is gone, as far as known.
        by: who said so; empty where the service found out by itself.
        reason: why.
    """

    name: str
    common: EntryNamed
    cursor: str
    lost: EntryNamed | None
    by: str
    reason: str


class CloudEvent(FrozenModel):
    """The envelope.

    Attributes:
        id: names this event for ever; who gets it again knows it by that.
        source: the record it comes from, the table's own.
        type: ``houseway.result``, ``houseway.epoch``, or ``houseway.alarm.`` with what it is about.
        subject: the table, and the round if it is about one.
        time: when it was recorded.
        table: name of the table in this service.
        sequence: sorts as text in the order in which events are told, also from epoch to epoch.
        epoch: the epoch of the table's record that the entry belongs to.
        cursor: ``since`` for ``/v1/results``, behind this event.
        checkpoint: the table's signed checkpoint of the entry, a C2SP note in base64.
    """

    specversion: Literal["1.0"] = "1.0"
    id: str
    source: str
    type: EventType
    subject: str
    time: str
    table: str
    datacontenttype: Literal["application/json"] = "application/json"
    sequence: str
    epoch: str
    cursor: str
    checkpoint: str | None
    data: ResultOut | HouseHandAlarm | ReviewAlarm | ProcedureAlarm | HealthAlarm | EpochTold

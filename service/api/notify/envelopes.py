"""Contents of notices and their envelope: CloudEvents 1.0, structured JSON."""

from datetime import datetime
from typing import Literal, TypeAlias

from service.record.checkpoints.epochs import EntryNamed
from service.record.results import ResultOut
from service.rounds.reports import FacePair, FrozenModel, SettingReport
from service.rounds.served import FindingOut

EventType: TypeAlias = Literal[
    "houseway.result",
    "houseway.alarm.house_hand_wrong",
    "houseway.alarm.needs_review",
    "houseway.alarm.health",
    "houseway.alarm.procedure",
    "houseway.epoch",
]
CONTENT_TYPE = "application/cloudevents+json"


class RoundRevision(FrozenModel):
    """A revision of a round."""

    id: str
    number: int
    revision: int


class HouseHandAlarm(FrozenModel):
    """A hand is not set by the House Way although it must be, or now is.

    Attributes:
        state: ``raised`` when it is set wrong, or wrong in another way than before, ``cleared`` when it is right.
        expected: the rulebook's setting of these tiles.
        choices: other settings that the dealer may choose instead.
        remedy: what the rulebook allows.
    """

    state: Literal["raised", "cleared"]
    round: RoundRevision
    place: str
    low: FacePair
    high: FacePair
    expected: SettingReport | None
    choices: tuple[SettingReport, ...] = ()
    rule: str | None
    explanation: str
    remedy: str | None


class ReviewAlarm(FrozenModel):
    """A round needs review, or no longer does."""

    state: Literal["raised", "cleared"]
    round: RoundRevision
    reasons: tuple[str, ...]


class ProcedureAlarm(FrozenModel):
    """The procedure of a round departed from the rulebook, or no longer counts as departing.

    Attributes:
        finding: the departure, with its rule and what must or may be done now.
    """

    state: Literal["raised", "cleared"]
    round: RoundRevision
    finding: FindingOut


class FailedCheck(FrozenModel):
    """A failed check, and what to do."""

    name: str
    message: str


class HealthAlarm(FrozenModel):
    """A check of the table service failed, or all checks pass again.

    Attributes:
        checks: the failed checks; for an outage, why nothing could be recorded.
        since: start of an outage in which nothing could be recorded.
        until: its end.
    """

    state: Literal["raised", "cleared"]
    checks: tuple[FailedCheck, ...]
    since: datetime | None = None
    until: datetime | None = None


class EpochStarted(FrozenModel):
    """The record was restored from a copy, or lost its end, and continues in a new epoch.

    Earlier notices of entries after ``common`` are no longer in the record: keep them, and have them compared.

    Attributes:
        name: of the new epoch.
        common: the last entry known to be common.
        cursor: ``since`` for ``/v1/results``, to continue: after the common entry if the record is this service's own.
        lost: the newest entry known to be lost.
        by: who declared the restore; empty if the service detected it.
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
        id: identifies this event for ever, so that receivers recognise repetitions.
        source: the record it comes from, the table's own.
        type: ``houseway.result``, ``houseway.epoch``, or ``houseway.alarm.`` and the kind of alarm.
        subject: the table, and the round if it is about one.
        time: when it was recorded.
        table: name of the table in this service.
        sequence: sorts as text in the order of events, also from epoch to epoch.
        epoch: the epoch of the table's record that the entry belongs to.
        cursor: ``since`` for ``/v1/results``, to continue after this event.
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
    data: ResultOut | HouseHandAlarm | ReviewAlarm | ProcedureAlarm | HealthAlarm | EpochStarted

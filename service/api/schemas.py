"""Requests and answers of the HTTP side that are not readings or rounds."""

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from service.record.ledger import DealerName
from service.rounds.reports import FacePair, SettingReport
from service.rounds.served import FindingOut, RoundBankOut
from service.system.subscriber_settings import AlarmKind
from service.table.monitor.set_watch import SetReport
from service.words.doubts import Param
from service.words.findings import words_of

FaceName = Annotated[str, Field(max_length=8, examples=["6-5"])]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CheckOut(_Model):
    """One thing that must be well; ``findings`` say its state as values.

    Attributes:
        name: what is looked at, such as ``source`` or ``record``.
        findings: its state as values.
    """

    name: str
    ok: bool
    message: str
    findings: tuple[FindingOut, ...] = ()


class CaptureOut(_Model):
    """How the source is and what it has done since the service was started.

    Attributes:
        state: ``opening``, ``running``, ``bad_picture`` (it shows nothing or cannot be read), ``waiting`` (to be tried
            again) or ``closed``.
        frames: pictures that the source gave.
        delivered: of these, handed to the reader.
        dropped: of these, passed over for newer ones.
        bad: of these, black, frozen or unreadable.
        gaps: times that a camera gave no picture for longer than a second.
        lag_ms: median age of the last pictures when the reader had them.
        restarts: how often the source was opened anew.
        last_error: what went wrong last.
        longest_gap_ms: the longest of them, in milliseconds; null if there was none.
        worst_lag_ms: the greatest age; null before the first picture.
        fps: pictures a second lately; null before the second picture.
        last_error_at: when that was.
    """

    state: Literal["opening", "running", "bad_picture", "waiting", "closed"]
    frames: int
    delivered: int
    dropped: int
    bad: int
    gaps: int
    longest_gap_ms: float | None
    lag_ms: float | None
    worst_lag_ms: float | None
    fps: float | None
    restarts: int
    last_error: str | None
    last_error_at: datetime | None


class StatusOut(_Model):
    """How a table is, in one line.

    Attributes:
        pictures: where the table's pictures come from: a camera (``live``), a file (``recording``), or a table that
            does not exist (``simulation``).
        level: ``fault`` while nothing can be verified, ``attention`` while something else fails, or ``well``.
        verifying: whether a hand that is read clearly can be verified now.
        code: why not, or what needs attention, or that all is well.
        message: the same in words.
        more: how many other checks fail.
    """

    pictures: Literal["live", "recording", "simulation"]
    level: Literal["well", "attention", "fault"]
    verifying: bool
    code: str
    message: str
    more: int


class LocalTableOut(_Model):
    """A table with a camera here: what it is, how it is, where its round is found.

    Attributes:
        status: the most important of its checks, in one line.
        phase: ``waiting`` for the first hands, ``round_open``, ``between_rounds``, or ``not_reading`` while a check
            fails.
        dealer: who deals, as the table was told: a name or a staff number; null while nobody is named.
        healthy: whether every check is well.
        checks: what must be well for anything to be verified, and what else is watched.
        pictures_read: since the service was started.
        last_picture_at: when the newest picture was taken; null before the first.
        read_ms: how long reading it took, in milliseconds.
        current_round: id of the open round, or of the last one closed; null before the first.
        capture: how the source is; null where the table is not watched.
    """

    rulebook: str
    house_way: str
    dealer: str | None
    phase: Literal["waiting", "round_open", "between_rounds", "not_reading"]
    status: StatusOut
    healthy: bool
    checks: tuple[CheckOut, ...]
    pictures_read: int
    last_picture_at: datetime | None
    read_ms: float | None
    current_round: str | None
    capture: CaptureOut | None


class SetIn(_Model):
    """Why something is asked about the set of tiles."""

    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)] = Field(
        examples=["Opening of the table"]
    )


class SetFaultOut(_Model):
    """One thing wrong with a set at the display.

    Attributes:
        code: ``missing_tile``, ``extra_tile``, ``duplicate_tile``, ``swapped_tiles``, ``misplaced_tile``,
            ``unread_tile``, ``face_down_tile``, ``foreign_tile`` or ``not_in_rank_order``.
        params: by name, the tiles and where they lie.
        places: places in the order of rank, 1 to 32.
    """

    code: str
    message: str
    params: dict[str, Param]
    places: tuple[int, ...]


class SetReportOut(_Model):
    """What was found of the set, or done about it.

    Attributes:
        act: ``check``, ``enrol``, ``confirm``, or ``alarm`` when other tiles were seen in play.
        ok: whether all was as it should be.
        code: what it was, of a closed list; ``message`` says the same in words.
        params: by name.
        blocks: whether nothing is verified from then on; null if that stayed as it was.
        enrolment: what the set was held against, or what was learnt.
        faults: one by one.
    """

    act: Literal["check", "enrol", "confirm", "alarm"]
    ok: bool
    code: str
    message: str
    params: dict[str, Param]
    blocks: bool | None
    faults: tuple[SetFaultOut, ...]
    by: str | None
    reason: str | None
    enrolment: str | None

    @classmethod
    def said(cls, report: SetReport) -> Self:
        """A report with its English sentences."""
        written = report.written()
        faults = [
            {**each, "message": str(words_of(fault.finding))}
            for each, fault in zip(written["faults"], report.faults, strict=True)
        ]
        return cls.model_validate({**written, "message": str(words_of(report.finding)), "faults": faults})


class SetOut(_Model):
    """The set of a table.

    Attributes:
        enrolment: which is enrolled; null if none is.
        ok: whether nothing speaks against it; while something does, nothing is verified.
        last: what was found or done last since the service was started.
    """

    enrolment: str | None
    ok: bool
    message: str
    last: SetReportOut | None


class BankIn(_Model):
    """What somebody says of the bank of a round; what is left out stays not known.

    Attributes:
        held: which way the bank is held.
        box: the banker's box.
        out_of_play: boxes out of play.
        adjustment: value of the plus/minus button.
    """

    held: Literal["house", "player", "co-bank"] | None = None
    box: Annotated[int, Field(ge=1, le=8, strict=True)] | None = None
    out_of_play: Annotated[tuple[Annotated[int, Field(ge=1, le=8, strict=True)], ...], Field(max_length=8)] = ()
    adjustment: Annotated[int, Field(ge=-4, le=4, strict=True)] | None = None


class TableBankOut(_Model):
    """What is known of the bank.

    Attributes:
        bank: who banks and which boxes are out of play; what is null is not known.
    """

    bank: RoundBankOut


class DealerIn(_Model):
    """Who deals from now on.

    Attributes:
        dealer: a name or a staff number; null where nobody is to be named.
    """

    dealer: DealerName | None = Field(examples=["D-1042"])


class DealerOut(_Model):
    """Who deals.

    Attributes:
        dealer: a name or a staff number; null while nobody is named.
        by: who said so; null where nobody said anything yet.
    """

    dealer: str | None
    by: str | None


class HealthOut(_Model):
    """That the process answers; nothing about the table.

    Attributes:
        status: always ``alive``.
        version: of Houseway.
    """

    status: Literal["alive"] = "alive"
    version: str


class ReadyOut(_Model):
    """That pictures are being read.

    Attributes:
        status: always ``ready``; a service that is not answers with a problem.
    """

    status: Literal["ready"] = "ready"


class SettingIn(_Model):
    """A setting to be judged."""

    low: tuple[FaceName, FaceName]
    high: tuple[FaceName, FaceName]


class HouseWayIn(_Model):
    """Four tiles, and if wanted how they were set.

    Attributes:
        tiles: four tiles by their faces.
        setting: how they lie, to be judged; left out, nothing is judged.
    """

    tiles: Annotated[tuple[FaceName, ...], Field(min_length=4, max_length=4, examples=[("6-6", "6-3", "5-4", "2-1")])]
    rulebook: Annotated[str, Field(max_length=100)] | None = Field(
        default=None, description="id of a rulebook; the table's own if left out", examples=["crown-6.1"]
    )
    house_way: Annotated[str, Field(max_length=100)] | None = Field(
        default=None, description="id of the House Way played under the rulebook; its own if left out"
    )
    setting: SettingIn | None = None


class RuleOut(_Model):
    """A rule, cited.

    Attributes:
        cite: rulebook and number of the rule.
        text: the rule in its book's words or close to them.
    """

    cite: str
    text: str


class RefusedOut(_Model):
    """A setting that is not the House Way, and why."""

    low: FacePair
    high: FacePair
    reason: str


class VerdictOut(_Model):
    """Whether the setting asked about is the House Way.

    Attributes:
        verdict: whether it is the House Way.
        remedy: what the rulebook allows now; null where nothing is wrong.
    """

    verdict: Literal["correct", "wrong"]
    explanation: str
    remedy: str | None


class HouseWayOut(_Model):
    """The House Way of four tiles.

    Attributes:
        setting: how the House Way sets them.
        rule: the rule that decides.
        refused: settings that a rule speaks against, and why.
        verdict: on the setting that was sent; null if none was.
    """

    rulebook: str
    house_way: str
    setting: SettingReport
    choices: tuple[SettingReport, ...] = Field(
        default=(), description="other settings that the dealer may choose; any of them is the House Way too"
    )
    rule: RuleOut
    explanation: str
    refused: tuple[RefusedOut, ...]
    verdict: VerdictOut | None


class EventOut(_Model):
    """What changed, sent to the page as it happens.

    Attributes:
        picture: number of the picture to look at now; another one four times a second at most.
        round: id and revision of the current round.
        healthy: whether every check is well.
        alarms: names what nobody has acknowledged yet; another one, or none, is another name.
    """

    table: str
    picture: int
    round: str | None
    healthy: bool
    alarms: str


class TablesEventOut(_Model):
    """That something changed at the tables of a service with several, and what there is now.

    Attributes:
        states: number of tables in each state.
        unanswered: number of open alarms, by kind.
        waiting: rounds that wait for a person.
        moment: counts these events of a connection.
    """

    states: dict[str, int]
    unanswered: dict[AlarmKind, int]
    waiting: int
    moment: int


class ResetOut(_Model):
    """Sent to who comes back with an id that is not known here: events may have been missed."""

    reason: str


class HeartbeatOut(_Model):
    """That the connection lives."""

    at: datetime

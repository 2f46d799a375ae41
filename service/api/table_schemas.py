"""Requests and answers about the state of tables."""

from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field, create_model

from service.hub.overview import PitSummary, TableSummary
from service.hub.table_figures import FIGURES
from service.hub.table_states import State, TableNow
from service.record.projections.round_search import RoundStatus
from service.record.store.stored_logs import Known
from service.rounds.reports import FindingReport, FrozenModel, RoundVerdict
from service.rounds.served import FindingOut
from service.system.section import Name
from service.system.subscriber_settings import AlarmKind
from service.words.findings import words_of


class CheckOut(FrozenModel):
    """The result of a check.

    Attributes:
        name: what is checked, such as ``source`` or ``record``.
        ok: whether it passes.
        message: the result in English.
        findings: the result as codes, for programs.
    """

    name: str
    ok: bool
    message: str
    findings: tuple[FindingOut, ...] = ()


class CaptureOut(FrozenModel):
    """The state of the source, and its counters since the service started.

    Attributes:
        state: ``opening``, ``running``, ``bad_picture`` (black, frozen or unreadable), ``waiting`` (for the next
            attempt) or ``closed``.
        frames: pictures from the source.
        delivered: of these, pictures passed to the reader.
        dropped: of these, pictures dropped in favour of newer ones.
        bad: of these, pictures that were black, frozen or unreadable.
        gaps: number of times that no picture came for over a second.
        lag_ms: median age of the latest pictures on delivery, in milliseconds; null before the first.
        restarts: number of times that the source was reopened.
        last_error: the latest error; null if there was none.
        longest_gap_ms: longest gap in milliseconds; null if there was none.
        worst_lag_ms: maximum age of the latest pictures on delivery, in milliseconds; null before the first.
        fps: current pictures per second; null before the second picture.
        last_error_at: time of the latest error, UTC.
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


class StatusOut(FrozenModel):
    """The status of a table: its most important check.

    Attributes:
        pictures: origin of the pictures: a camera (``live``), a file (``recording``), or a simulated table
            (``simulation``).
        level: ``fault`` while nothing can be verified, ``attention`` while something else fails, or ``well``.
        verifying: whether a clearly readable hand can be verified now.
        code: the reason, for programs.
        message: the reason in English.
        more: number of other failing checks.
    """

    pictures: Literal["live", "recording", "simulation"]
    level: Literal["well", "attention", "fault"]
    verifying: bool
    code: str
    message: str
    more: int


class LocalTableOut(FrozenModel):
    """The state of a local table.

    Attributes:
        rulebook: id of the rulebook in force.
        variant: variant of the rulebook that is played, such as ``crown-pai-gow``; null for Pai Gow itself.
        house_way: id of the House Way that hands are judged by.
        status: its most important check.
        phase: ``waiting`` for the first hands, ``round_open``, ``between_rounds``, or ``not_reading`` while a check
            fails.
        dealer: name or staff number of the dealer; null if none was entered.
        healthy: whether every check passes.
        checks: all checks, also those that do not affect verification.
        pictures_read: number of pictures read since the service started.
        last_picture_at: time of the newest picture, UTC; null before the first.
        read_ms: time to read that picture, in milliseconds.
        current_round: id of the open round, or of the last closed round; null before the first.
        capture: state of the source; null if the table is not being read.
    """

    rulebook: str
    variant: str | None
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


class TablesQuery(FrozenModel):
    """Selects tables."""

    pit: Name | None = Field(default=None, description="only tables of this pit", examples=["high-limit"])
    state: State | None = Field(default=None, description="only tables in this state", examples=["alarm"])


class LastRoundOut(FrozenModel):
    """The newest round of a table."""

    id: str = Field(description="id of the round")
    number: int = Field(description="number of the round in the table's record")
    opened_at: datetime = Field(description="time of its first tiles, UTC, by the table's clock")
    state: Literal["open", "closed"] = Field(description="`open` until the round ends")
    status: RoundStatus = Field(description="status of the round")
    verdict: RoundVerdict = Field(description="verdict on the House hand; `none` if it was not seen")
    dealer: str | None = Field(description="who dealt; null if nobody was named")
    boxes: tuple[int, ...] = Field(description="numbers of the boxes with hands")


class RemoteTableOut(FrozenModel):
    """The state of a remote table."""

    url: str | None = Field(description="URL of its service; null if the settings have none")
    message: str = Field(description="why it is refused or unreachable, in English; empty if neither")
    findings: tuple[FindingReport, ...] = Field(description="the reason as codes, for programs")
    record: str = Field(description="id of its record; empty before the first contact")
    entries: int = Field(description="number of the newest collected entry")
    epoch: str = Field(description="its record's current epoch")
    behind_s: float = Field(description="age difference of its newest entry and the last collected one, seconds")
    clock_s: float | None = Field(
        description="seconds that its clock is ahead of this service's; null if it was not reached since this "
        "service started"
    )
    status: str | None = Field(
        description="code of its most important check, as it reports; null if it was not reached"
    )
    version: str = Field(description="last reported version of its program; empty if never")

    @classmethod
    def of(cls, url: str | None, now: TableNow, known: Known) -> Self:
        """``known`` is the collected part of its record."""
        return cls(
            url=url,
            message="" if now.why is None else str(words_of(now.why)),
            findings=() if now.why is None else (FindingReport.of(now.why),),
            record=known.record,
            entries=known.seq,
            epoch=known.epoch,
            behind_s=now.behind_s,
            clock_s=None if now.report is None else now.report.clock_s,
            status=None if now.report is None else now.report.status,
            version=now.version,
        )


class _TableOut(FrozenModel):
    """A table, local or remote, without its figures."""

    name: str = Field(description="the table's name in this service")
    title: str = Field(description="the table's name for people")
    pit: str | None = Field(description="name of its pit; null if it is in none")
    state: State = Field(
        description="the most severe of: `refused` (its entries failed verification), `unreachable`, `behind` (over a "
        "minute of entries not collected yet), `cannot_verify` (by its own checks), `alarm` (open alarms), `look` "
        "(rounds that need review, or a failing check), `well`; `standby` while another, active service follows "
        "the table; the first three only for remote tables"
    )
    since: datetime = Field(
        description="start of this state, UTC; for an unreachable table, its last contact; for a local table not "
        "before the start of this service"
    )
    unanswered: dict[AlarmKind, int] = Field(description="number of open alarms by kind; kinds without any are omitted")
    round: LastRoundOut | None = Field(description="its newest round; null before the first")
    recorded_at: datetime | None = Field(
        description="recording time of the newest collected entry of a remote table, or of the newest round of a local "
        "one, UTC, by the table's clock"
    )
    local: LocalTableOut | None = Field(description="further state of a local table; null for a remote one")
    remote: RemoteTableOut | None = Field(description="further state of a remote table; null for a local one")

    @classmethod
    def of(cls, shown: TableSummary, *, local: LocalTableOut | None, remote: RemoteTableOut | None) -> Self:
        own = ("name", "title", "pit", "state", "since", "unanswered", "recorded_at")
        values: dict[str, Any] = {name: getattr(shown, name) for name in own} | dict(shown.figures)
        return cls(
            **values,
            round=None if shown.round is None else LastRoundOut.model_validate(asdict(shown.round)),
            local=local,
            remote=remote,
        )


if TYPE_CHECKING:

    class TableOut(_TableOut):
        """A table with its figures."""

else:
    TableOut = create_model(
        "TableOut",
        __base__=_TableOut,
        __doc__="A table, local or remote.",
        **{
            figure.name: (int, Field(description=figure.meaning))
            if figure.unit is int
            else (float | None, Field(description=f"{figure.meaning}; null without any"))
            if figure.unit is float
            else (datetime | None, Field(description=f"{figure.meaning}, UTC; null if never"))
            for figure in FIGURES
        },
    )


class TablesOut(FrozenModel):
    """The tables of this service, the most severe first."""

    service: str = Field(description="the service's name")
    title: str = Field(description="the service's name for people")
    tables: tuple[TableOut, ...] = Field(description="the selected tables")
    states: dict[State, int] = Field(description="number of tables by state, whether selected or not")
    outdated: bool = Field(description="true while the database cannot be read: rounds and alarms may be out of date")


class PitOut(FrozenModel):
    """A pit with the states of its tables."""

    name: str = Field(description="the pit's name; `-` for tables outside any pit")
    title: str = Field(description="the pit's name for people")
    tables: int = Field(description="number of its tables")
    states: dict[State, int] = Field(description="number of tables by state; states without tables are omitted")
    alarms: int = Field(description="number of open alarms of its tables")
    waiting: int = Field(description="number of rounds of its tables that need review")

    @classmethod
    def of(cls, pit: PitSummary) -> Self:
        return cls.model_validate({name: getattr(pit, name) for name in cls.model_fields})


class PitsOut(FrozenModel):
    """All pits."""

    pits: tuple[PitOut, ...] = Field(description="in the order of the settings")

"""Requests and answers about the state of tables."""

from dataclasses import asdict
from datetime import datetime
from typing import Literal, Self

from pydantic import Field

from service.hub.collect.states import State, TableNow
from service.hub.shown.overview import TableSummary
from service.hub.shown.table_figures import BY_NAME, FIGURES
from service.record.projections.round_search import RoundStatus
from service.record.store.held import Known
from service.rounds.reports import FindingReport, FrozenModel, RoundVerdict
from service.rounds.served import FindingOut
from service.system.section import Name
from service.system.subscriber_settings import AlarmKind
from service.words.findings import words_of


class CheckOut(FrozenModel):
    """One thing that must be well; ``findings`` say its state as values.

    Attributes:
        name: what is looked at, such as ``source`` or ``record``.
        findings: its state as values.
    """

    name: str
    ok: bool
    message: str
    findings: tuple[FindingOut, ...] = ()


class CaptureOut(FrozenModel):
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


class StatusOut(FrozenModel):
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


class LocalTableOut(FrozenModel):
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


class TablesQuery(FrozenModel):
    """Which tables."""

    pit: Name | None = Field(default=None, description="only the tables of this pit", examples=["high-limit"])
    state: State | None = Field(default=None, description="only tables in this state", examples=["alarm"])


class LastRoundOut(FrozenModel):
    """The newest round of a table, as it stands."""

    id: str = Field(description="names the round for ever")
    number: int = Field(description="counts the table's rounds since its record began")
    opened_at: datetime = Field(description="when its first tiles were seen, UTC, by the table's clock")
    state: Literal["open", "closed"] = Field(description="`open` as long as it is played")
    status: RoundStatus = Field(description="of the whole round")
    verdict: RoundVerdict = Field(description="on the House hand; `none` where it was not seen")


class RemoteTableOut(FrozenModel):
    """What is known of a table of another service."""

    url: str | None = Field(description="URL of its own service; null if the settings have none")
    message: str = Field(description="why it is refused or cannot be reached, in English; empty if it is neither")
    findings: tuple[FindingReport, ...] = Field(description="the same as codes, for programs")
    record: str = Field(description="id of its record; empty before the first contact")
    entries: int = Field(description="number of the newest entry that was collected")
    epoch: str = Field(description="its record's current epoch")
    behind_s: float = Field(
        description="how much older than its newest entry the last one that was collected is, seconds"
    )
    clock_s: float | None = Field(
        description="how far its clock is ahead of this service's, seconds; null if it was not reached since this "
        "service was started"
    )
    status: str | None = Field(
        description="code of the most important of its checks, as it says itself; null if it was not reached"
    )
    version: str = Field(description="version of its program, as last reported; empty if never")

    @classmethod
    def of(cls, url: str | None, now: TableNow, known: Known) -> Self:
        """A remote table as it is given out; ``known`` is of its record."""
        return cls(
            url=url,
            message="" if now.why is None else str(words_of(now.why)),
            findings=() if now.why is None else (FindingReport.of(now.why),),
            record=known.record,
            entries=known.seq,
            epoch=known.epoch,
            behind_s=now.behind_s,
            clock_s=None if now.told is None else now.told.clock_s,
            status=None if now.told is None else now.told.status,
            version=now.version,
        )


class TableOut(FrozenModel):
    """A table, with a camera here or of another service."""

    name: str = Field(description="the table's name in this service")
    title: str = Field(description="the name people read")
    pit: str | None = Field(description="name of its pit; null if it is in none")
    state: State = Field(
        description="the worst that is known: `refused` for one that sent what does not hold, `unreachable`, `behind` "
        "for one of which more than a minute is not collected yet, `cannot_verify` by its own checks, `alarm` for one "
        "with alarms that nobody answered, `look` for one with rounds to decide or a check to look at, `well`; a table "
        "with a camera here is none of the first three"
    )
    since: datetime = Field(
        description="since when, UTC; for an unreachable table, its last contact; for a table with a camera here, at "
        "the earliest since this service was started"
    )
    unanswered: dict[AlarmKind, int] = Field(
        description="how many alarms nobody answered, by kind; kinds without any are left out"
    )
    waiting: int = Field(description=BY_NAME["waiting"].meaning)
    round: LastRoundOut | None = Field(description="its newest round; null before the first")
    recorded_at: datetime | None = Field(
        description="when the newest entry that this service has of it, or the newest round of a table with a camera "
        "here, was recorded, UTC, by the table's clock"
    )
    verified_hand_at: datetime | None = Field(description=f"{BY_NAME['verified_hand_at'].meaning}, UTC; null if never")
    local: LocalTableOut | None = Field(description="of a table with a camera here; null for any other")
    remote: RemoteTableOut | None = Field(description="of a table of another service; null for any other")

    @classmethod
    def of(cls, shown: TableSummary, *, local: LocalTableOut | None, remote: RemoteTableOut | None) -> Self:
        """A table as it is given out."""
        own = ("name", "title", "pit", "state", "since", "unanswered", "recorded_at")
        told = {name: getattr(shown, name) for name in own} | {figure.name: figure.value(shown) for figure in FIGURES}
        return cls(
            **told,
            round=None if shown.round is None else LastRoundOut.model_validate(asdict(shown.round)),
            local=local,
            remote=remote,
        )


class TablesOut(FrozenModel):
    """The tables of this service, the most severe first."""

    service: str = Field(description="the service's name")
    title: str = Field(description="its name for people")
    tables: tuple[TableOut, ...] = Field(description="the selected tables")
    states: dict[State, int] = Field(description="number of all tables in each state")
    outdated: bool = Field(
        description="true while the database cannot be read: rounds and alarms are those that were known last"
    )

"""Requests and answers of the floor."""

from dataclasses import asdict
from datetime import datetime
from typing import Literal, Self

from pydantic import Field

from service.api.alarm_schemas import ClaimOut
from service.api.schemas import LocalTableOut
from service.hub.collect.states import State, TableNow
from service.hub.shown.overview import PitSummary, TableSummary
from service.hub.shown.table_figures import BY_NAME, FIGURES
from service.record.projections.round_search import PAGE, PlaceInRounds, RoundStatus
from service.record.store.stored_logs import Known
from service.rounds.reports import FindingReport, FrozenModel, RoundVerdict
from service.rounds.served import RoundOut
from service.system.section import Name
from service.system.subscriber_settings import AlarmKind
from service.words.findings import words_of

_TABLE = "only this table"
_PIT = "only the tables of this pit"


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


class PitOut(FrozenModel):
    """A pit and how its tables are."""

    name: str = Field(description="the pit's name; `-` for the tables that are in none")
    title: str = Field(description="the name people read")
    tables: int = Field(description="number of its tables")
    states: dict[State, int] = Field(description="number of tables in each state; states without tables are left out")
    alarms: int = Field(description="open alarms of its tables")
    waiting: int = Field(description="rounds of its tables that wait for a person")

    @classmethod
    def of(cls, pit: PitSummary) -> Self:
        """A pit as it is given out."""
        return cls.model_validate({name: getattr(pit, name) for name in cls.model_fields})


class TablesOut(FrozenModel):
    """The tables of this service, the most severe first."""

    service: str = Field(description="the service's name")
    title: str = Field(description="its name for people")
    tables: tuple[TableOut, ...] = Field(description="the selected tables")
    states: dict[State, int] = Field(description="number of all tables in each state")
    outdated: bool = Field(
        description="true while the database cannot be read: rounds and alarms are those that were known last"
    )


class PitsOut(FrozenModel):
    """The pits of the floor."""

    pits: tuple[PitOut, ...] = Field(description="in the order of the settings")


class ReviewsQuery(FrozenModel):
    """Which rounds that wait."""

    table: Name | None = Field(default=None, description=_TABLE, examples=["pg12"])
    pit: Name | None = Field(default=None, description=_PIT, examples=["high-limit"])
    limit: int = Field(default=PAGE, ge=1, le=100, description="the most rounds in one answer")
    cursor: PlaceInRounds | None = Field(
        default=None,
        examples=["2026-01-31T23:59:59.123456Z~7"],
        description="`next` of the previous answer; without it, from the newest",
    )


class ReviewOut(FrozenModel):
    """A round that waits for a person, and who has taken it."""

    table: str = Field(description="name of its table in this service")
    round: RoundOut = Field(description="the round as its table recorded it")
    taken: ClaimOut | None = Field(description="who has taken it; null if nobody did")


class ReviewsOut(FrozenModel):
    """Rounds that wait for a person, the newest first."""

    reviews: tuple[ReviewOut, ...] = Field(description="the rounds")
    next: str | None = Field(description="send this as `cursor` for older ones; null if there are none")
    waiting: int = Field(description="rounds of all tables that wait for a person")

"""Requests and answers about the fleet and about releases."""

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import Field

from service.config.section import Name
from service.floor.collect.states import State
from service.floor.fleet.giving import Given
from service.floor.fleet.rings import Ring, RollOut, Stage
from service.floor.fleet.shelf import Shelved
from service.floor.fleet.shown import Attention, FleetRow
from service.http.equipment_schemas import EquipmentOut
from service.rounds.reports import FrozenModel

Sort = Literal["worst", "table", "version", "release", "hands", "calibration", "drift", "disk", "temperature", "clock"]
RingName = Annotated[str, Field(max_length=50, pattern=r"^((table|pit):)?[a-z0-9][a-z0-9-]*$")]
ReleaseName = Annotated[str, Field(max_length=40, pattern=r"^[a-z0-9][a-z0-9.-]*$")]
Reason = Annotated[str, Field(min_length=1, max_length=500)]


class FleetQuery(FrozenModel):
    """Which tables, and in which order."""

    pit: Annotated[Name, Field(description="only the tables of this pit", examples=["high-limit"])] | None = None
    sort: Sort = Field(default="worst", description="in which order; the worst first in each")


class FleetTableOut(FrozenModel):
    """A table of the fleet."""

    name: str = Field(description="the table's name on the floor")
    title: str = Field(description="the name people read")
    pit: str | None = Field(description="name of its pit; null if it is in none")
    state: State = Field(description="its state, as in /v1/tables")
    since: datetime = Field(description="since when, UTC")
    attention: tuple[Attention, ...] = Field(
        description="what needs attention: `undone` for one that rolled back or refused its release, `restart`, "
        "`disk`, `hot`, `clock`, `differs`, `silent` for one that has not reported since the floor was started"
    )
    differs: tuple[str, ...] = Field(description="what differs from most tables of its ring, or of the tables in none")
    ring: str | None = Field(description="its ring of the newest release; null if it is in none")
    stage: Stage | None = Field(description="its progress with that release")
    stage_reason: str = Field(description="why, in the table's own words; empty if there is nothing to say")
    clock_s: float | None = Field(description="how far its clock is ahead of the floor's, seconds; null if not known")
    verified_share: float | None = Field(description="share of its newest hands that was verified; null if none")
    told_at: datetime | None = Field(description="when it last reported what it runs on, UTC; null if never")
    equipment: EquipmentOut | None = Field(description="what it reported; null if it never did")

    @classmethod
    def of(cls, row: FleetRow) -> Self:
        """A row as it is given out."""
        shown = row.shown
        own = ("attention", "ring", "stage", "stage_reason", "clock_s", "verified_share", "equipment")
        return cls(
            **{name: getattr(shown, name) for name in ("name", "title", "pit", "state", "since")},
            **{name: getattr(row, name) for name in own},
            differs=tuple(sorted(row.differs)),
            told_at=row.at,
        )


class FleetOut(FrozenModel):
    """The fleet."""

    tables: tuple[FleetTableOut, ...] = Field(description="the selected tables, in the requested order")


class RingOut(FrozenModel):
    """A ring of a release."""

    name: str = Field(description="a table, a pit, or `all`")
    tables: tuple[str, ...] = Field(description="names of its tables")
    open: bool = Field(description="whether the release is offered there")
    held: bool = Field(description="whether all of its tables passed their trials, or are accepted as they are")
    stages: dict[Stage, int] = Field(
        description="number of its tables in each stage; stages without tables are left out"
    )

    @classmethod
    def of(cls, ring: Ring) -> Self:
        """A ring as it is given out."""
        stages = {stage: count for stage, count in ring.stages.items() if count}
        return cls(name=ring.name, tables=ring.tables, open=ring.open, held=ring.held, stages=stages)


class ReleaseOut(FrozenModel):
    """A release that the floor has."""

    name: str = Field(description="its name")
    number: int = Field(description="higher than that of every release before")
    digest: str = Field(description="SHA-256 of its manifest, hexadecimal")
    made_at: datetime = Field(description="when it was made, UTC")
    made_by: str = Field(description="who made it")
    reason: str = Field(description="why")
    files: tuple[str, ...] = Field(description="its files")
    rings: tuple[RingOut, ...] = Field(description="rings of its rollout, in order; empty before the rollout")
    stopped: bool = Field(description="whether it is no longer offered to other tables")
    stopped_by: str | None = Field(description="who stopped it; null if nobody did")
    undone_at: tuple[str, ...] = Field(
        description="tables that rolled it back or refused it, and were not accepted as they are"
    )

    @classmethod
    def of(cls, shelved: Shelved, roll_out: RollOut | None) -> Self:
        """A release as it is given out."""
        manifest = shelved.manifest
        own = {name: getattr(manifest, name) for name in ("name", "number", "made_at", "made_by", "reason")}
        return cls(
            **own,
            digest=shelved.signed.digest,
            files=tuple(sorted(manifest.paths)),
            rings=() if roll_out is None else tuple(map(RingOut.of, roll_out.rings)),
            stopped=roll_out is not None and roll_out.stopped,
            stopped_by=None if roll_out is None else roll_out.stopped_by,
            undone_at=() if roll_out is None else roll_out.bad,
        )


class ReleasesOut(FrozenModel):
    """The releases that the floor has."""

    releases: tuple[ReleaseOut, ...] = Field(description="newest first")

    @classmethod
    def of(cls, given: Given) -> Self:
        """All of them."""
        found = (ReleaseOut.of(each, given.of(each.signed.digest)) for each in reversed(given.shelved))
        return cls(releases=tuple(found))


class GiveIn(FrozenModel):
    """Rings that a release is given to."""

    rings: Annotated[tuple[RingName, ...], Field(min_length=1, max_length=20)] = Field(
        description="in order: each is a table, a pit or `all`, and starts when the one before has passed"
    )
    reason: Reason = Field(description="why; it is recorded")


class ReasonIn(FrozenModel):
    """Why something is done."""

    reason: Reason = Field(description="why; it is recorded")


class OfferedOut(FrozenModel):
    """A release that a table may fetch."""

    manifest: str = Field(description="the manifest as it was signed")
    signature: str = Field(description="its signature, hexadecimal")


class OfferOut(FrozenModel):
    """What is offered to the table whose name the key has."""

    offer: OfferedOut | None = Field(description="null for nothing")

"""Requests and answers about what the tables run on."""

from datetime import datetime
from typing import Literal, Self

from pydantic import Field

from service.hub.collect.states import State
from service.hub.fleet import Attention, FleetRow
from service.record.health import EquipmentOut
from service.rounds.reports import FrozenModel
from service.system.section import Name

Sort = Literal["worst", "table", "version", "hands", "calibration", "drift", "disk", "temperature", "clock"]


class FleetQuery(FrozenModel):
    """Which tables, and in which order."""

    pit: Name | None = Field(default=None, description="only the tables of this pit", examples=["high-limit"])
    sort: Sort = Field(default="worst", description="in which order; the worst first in each", examples=["worst"])


class FleetTableOut(FrozenModel):
    """A table of the fleet."""

    name: str = Field(description="the table's name on the floor")
    title: str = Field(description="the name people read")
    pit: str | None = Field(description="name of its pit; null if it is in none")
    state: State = Field(description="its state, as in /v1/tables")
    since: datetime = Field(description="since when, UTC")
    attention: tuple[Attention, ...] = Field(
        description="what needs attention: `disk`, `hot`, `clock`, `differs`, `silent` for one that has not reported "
        "since the floor was started"
    )
    differs: tuple[str, ...] = Field(description="what differs from most tables of the floor")
    clock_s: float | None = Field(description="how far its clock is ahead of the floor's, seconds; null if not known")
    verified_share: float | None = Field(description="share of its newest hands that was verified; null if none")
    reported_at: datetime | None = Field(description="when it last reported what it runs on, UTC; null if never")
    equipment: EquipmentOut | None = Field(description="what it reported; null if it never did")

    @classmethod
    def of(cls, row: FleetRow) -> Self:
        """A row for the answer."""
        shown = row.shown
        return cls(
            **{name: getattr(shown, name) for name in ("name", "title", "pit", "state", "since")},
            attention=row.attention,
            differs=tuple(sorted(row.differs)),
            clock_s=row.clock_s,
            verified_share=row.verified_share,
            reported_at=None if row.reported is None else row.reported.at,
            equipment=row.equipment,
        )


class FleetOut(FrozenModel):
    """The fleet."""

    tables: tuple[FleetTableOut, ...] = Field(description="the selected tables, in the requested order")

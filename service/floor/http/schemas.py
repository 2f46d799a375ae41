"""Requests and answers of the floor."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from service.floor.collect.states import State
from service.rounds.reports import FindingReport, FrozenModel


class FloorResultsQuery(FrozenModel):
    """Which results; a parameter that is misspelt is refused, for without its cursor a poller would begin anew."""

    since: Annotated[str, Field(max_length=100)] | None = Field(
        default=None, description="'next' of the answer before; left out, from the beginning"
    )
    limit: int = Field(default=50, ge=1, le=200, description="the most results in one answer")
    wait: float = Field(default=0, ge=0, le=300, description="seconds to wait for a result before answering")
    table: Annotated[str, Field(max_length=40)] | None = Field(
        default=None, description="only this table's results", examples=["pit4-table1"]
    )


class FloorTableOut(FrozenModel):
    """A table of the floor.

    Attributes:
        name: its name on the floor.
        title: its name for people.
        pit: name of its pit; null if it belongs to none.
        url: where its own service is.
        state: how it is, the worst of what is known: ``refused`` (it sent what does not hold, and nothing more is taken
            from it), ``unreachable``, ``behind`` (more than a minute of its entries is not collected),
            ``cannot_verify``, ``alarm``, ``look`` or ``well``.
        since: since when, UTC; of a table that is unreachable, when it was reached last.
        findings: why it is refused, or cannot be reached.
        record: id of its record; empty before the first contact.
        entries: number of the newest entry that was taken.
        epoch: in which its record goes on.
        behind_s: how much older than its newest entry the last one that was taken is, seconds.
        clock_s: how far its clock is ahead of the floor's, seconds; null if it was not reached since the floor started.
        version: of its program; empty if it was never reached.
        status: the code of the most important of its checks, as it says itself; null if it was not reached.
        unanswered: how many alarms nobody answered, by kind.
    """

    name: str
    title: str
    pit: str | None
    url: str
    state: State
    since: datetime
    message: str
    findings: tuple[FindingReport, ...]
    record: str
    entries: int
    epoch: str
    behind_s: float
    clock_s: float | None
    version: str
    status: str | None
    unanswered: dict[str, int]


class PitOut(FrozenModel):
    """A part of the floor.

    Attributes:
        name: its name.
        title: its name for people.
    """

    name: str
    title: str


class FloorTablesOut(FrozenModel):
    """All tables of the floor.

    Attributes:
        floor: name of the floor.
        title: its name for people.
        pits: its parts.
        tables: in the order of the settings.
    """

    floor: str
    title: str
    pits: tuple[PitOut, ...]
    tables: tuple[FloorTableOut, ...]

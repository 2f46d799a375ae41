"""The alarms as every page shows them: those of the kind that was chosen, and what may be acknowledged at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from service.api.local_table import LocalTable
    from service.record.projections.alarm import Alarm
    from service.system.subscriber_settings import AlarmKind

ALARM_KIND: Final = "alarms"
"""The parameter in an address that names the kind of alarms to be shown."""
SHOWN_AT_MOST: Final = 50


@dataclass(frozen=True, slots=True)
class AlarmPanel:
    """The alarms of every page.

    Attributes:
        shown: those in scope, the worst kind first and in it the newest.
        kind: the kind that was chosen; None for all.
        counts: how many of each kind nobody answered.
        rings: the kind whose tone is to be heard, whatever kind was chosen; None for silence.
        seen: what somebody answered of the round on the table, and of checks that still fail.
    """

    shown: tuple[Alarm, ...]
    kind: AlarmKind | None
    counts: dict[AlarmKind, int]
    rings: AlarmKind | None
    seen: tuple[Alarm, ...]

    @property
    def total(self) -> int:
        """How many alarms of all kinds nobody answered."""
        return sum(self.counts.values())

    @property
    def hidden(self) -> int:
        """How many there are of what was chosen beside those in scope."""
        return (self.total if self.kind is None else self.counts[self.kind]) - len(self.shown)

    @property
    def ids(self) -> tuple[str, ...]:
        """What can be acknowledged of what is in scope."""
        return tuple(alarm.id for alarm in self.shown if alarm.id is not None)


def panel_of(table: LocalTable, kind: str | None) -> AlarmPanel:
    """The alarms as they are now; a kind that none has is no choice."""
    standing = table.alarms.standing()
    chosen = next((each for each in standing.counts if each == kind), None)
    shown = tuple(alarm for alarm in standing.open if chosen is None or alarm.kind == chosen)
    return AlarmPanel(
        shown=shown[:SHOWN_AT_MOST],
        kind=chosen,
        counts=standing.counts,
        rings=next((alarm.kind for alarm in standing.open if alarm.sounds), None),
        seen=standing.seen,
    )

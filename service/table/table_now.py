"""What the table does at this moment, for who watches it: how far the round is, where its tiles lie, the throw."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from calibration.table.places import HOUSE
from service.rounds.bank import known_bank
from service.rounds.judge.throws import report_throw
from service.rounds.readings import die_of
from vision.tracking.phases import Phase

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from calibration.table.places import Place
    from engine.books.book import Rulebook
    from engine.game.box_order import BoxOrder
    from service.rounds.reports import BankReport, DieReport, ThrowReport
    from vision.tracking import Seen, Track

Lies: TypeAlias = Literal["closed", "open", "away"]

STAGES: Final[tuple[str, ...]] = ("mixing", "stacks", "dice", "delivery", "setting", "house", "players", "over")
"""The parts of a round as people follow it, in their order."""

_STAGE_OF: Final[dict[Phase, str]] = {
    Phase.DISPLAY: "mixing",
    Phase.SHUFFLE: "mixing",
    Phase.STACKS: "stacks",
    Phase.DICE_SHOWN: "dice",
    Phase.DELIVERY: "delivery",
    Phase.SETTING: "setting",
    Phase.HOUSE_EXPOSED: "house",
    Phase.HOUSE_SET: "house",
    Phase.PLAYER_EXPOSED: "players",
    Phase.MATCHED: "players",
    Phase.PUT_AWAY: "players",
}


@dataclass(frozen=True, slots=True)
class StepNow:
    """A phase of the round, when it was first seen (UTC), and whose hand it is about; None for the whole table."""

    phase: Phase
    since: datetime
    place: Place | None = None

    @property
    def stage(self) -> str:
        """The part of the round that it belongs to; once the bank's hand is put away, the round is as good as over."""
        return "over" if self.phase is Phase.PUT_AWAY and self.place == HOUSE else _STAGE_OF[self.phase]


@dataclass(frozen=True, slots=True)
class TableNow:
    """The table at this moment.

    Attributes:
        steps: the phases of the round, in the order in which they started.
        places: how the tiles lie at each place that has some, or had some that were put away.
        dice: as they came to rest since the round before.
        throw: what they decide; None without dice, or where the rulebook is not one with dice.
        bank: who banks now, and what is out of play; None where no marker is enrolled and nobody said so.
    """

    steps: tuple[StepNow, ...] = ()
    places: Mapping[Place, Lies] = field(default_factory=dict)
    dice: tuple[DieReport, ...] = ()
    throw: ThrowReport | None = None
    bank: BankReport | None = None

    @property
    def step(self) -> StepNow | None:
        """What is done now."""
        return self.steps[-1] if self.steps else None


def table_now(
    seen: Seen,
    tracks: Iterable[Track],
    at: datetime,
    t_s: float,
    book: Rulebook | None,
    box_order: BoxOrder | None = None,
    bank: BankReport | None = None,
) -> TableNow:
    """Return the state of the round at the last picture: at ``at`` in UTC, at ``t_s`` in the seconds of ``seen``."""
    dice = () if seen.throw is None else tuple(map(die_of, seen.throw.dice))
    steps = (StepNow(step.phase, at - timedelta(seconds=t_s - step.since_s), step.place) for step in seen.steps)
    throw = report_throw(dice, book, box_order, known_bank(bank))
    return TableNow(tuple(steps), _places(seen, tracks), dice, throw, bank)


def _places(seen: Seen, tracks: Iterable[Track]) -> dict[Place, Lies]:
    lying: dict[Place, Lies] = {}
    for track in tracks:
        place = track.tile.place
        if place is not None and place.has_hand:
            lying[place] = "closed"
    # A hand that was opened stays so while an arm is over it.
    lying.update({hand.place: "away" if hand.away else "open" for hand in seen.hands})
    return {place: lying[place] for place in sorted(lying)}

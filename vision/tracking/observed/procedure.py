"""Checking an observed round against the table's rulebook."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from calibration.table.places import Place, PlaceKind
from engine.observed import DepartureKind, ObservedRound
from engine.observed.possible import THE_HOUSE, KnownBank
from vision.findings import Code, Finding

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engine.books.book import Rulebook
    from engine.game.box_order import BoxOrder
    from engine.observed import Departure
    from engine.observed.observations import Observation
    from vision.tracking.observed.delivery import TimedObservation


@dataclass(slots=True)
class Procedure:
    """Checks the dealing procedure of one table.

    Attributes:
        book: the table's rulebook.
        order: layout of its boxes; None if unknown, in which case order is not judged.
        side_wagers: whether it may take side wagers, for which a lost hand may stay open.
    """

    book: Rulebook
    order: BoxOrder | None
    side_wagers: bool = True
    _last: ObservedRound | None = field(default=None)

    def observed(
        self, seen: Sequence[TimedObservation], bank: KnownBank = THE_HOUSE, before: Sequence[Observation] = ()
    ) -> ObservedRound | None:
        """The observed round with the known facts about its bank; None if no order is known.

        `before` was observed before the service was stopped.
        """
        if self.order is None:
            return None
        # A book that does not allow fewer boxes counts all of its own, even if not all are visible.
        boxes = self.order.boxes if self.book.play.fewer_boxes else self.book.play.boxes.value
        now = ObservedRound(
            self.book,
            boxes,
            self.order.box1_at_dealers_right,
            bank,
            (*before, *(observation for _, observation in seen)),
            self.side_wagers,
        )
        if now != self._last:
            self._last = now
        return self._last


def finding_of(departure: Departure) -> Finding:
    params: dict[str, str | tuple[str, ...]] = {}
    for name in _SAID.get(departure.kind, ()):
        match name:
            case "place":
                params[name] = str(_place(departure.box))
            case "seen":
                params[name] = _places(departure.seen)
            case _:
                params[name] = _places(departure.due)
    return Finding.of(Code(departure.kind.value), **params)


_SAID: Final[Mapping[DepartureKind, tuple[str, ...]]] = {
    DepartureKind.WRONG_FIRST_BOX: ("seen", "due"),
    DepartureKind.DELIVERED_OUT_OF_ORDER: ("seen",),
    DepartureKind.TILES_MISCOUNTED: ("place",),
    DepartureKind.EXPOSED_BEFORE_BANK: ("place",),
    DepartureKind.EXPOSED_OUT_OF_TURN: ("place", "waiting"),
    DepartureKind.LOST_HAND_LEFT: ("place",),
    DepartureKind.STAND_OFF_LEFT: ("place",),
    DepartureKind.WON_HAND_TAKEN: ("place", "waiting"),
    DepartureKind.BANK_AWAY_EARLY: ("waiting",),
    DepartureKind.LEFT_AS_DEALT: ("place",),
    DepartureKind.CHUNG_ELSEWHERE: ("place", "due"),
}
"""The parameters of the finding for each kind; none for others. Boxes due are also the ones waiting."""


def _place(box: int | None) -> Place:
    return Place(PlaceKind.HOUSE) if box is None else Place(PlaceKind.BOX, box)


def _places(boxes: Sequence[int]) -> tuple[str, ...]:
    return tuple(str(_place(box)) for box in boxes)

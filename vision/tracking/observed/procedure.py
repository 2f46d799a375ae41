"""Checking an observed round against the table's rulebook."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from calibration.table.places import Place, PlaceKind
from engine.observed import DepartureKind, ObservedRound
from engine.observed.possible import THE_HOUSE, KnownBank
from vision.findings import Code, Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    code = Code(departure.kind.value)
    match departure.kind:
        case DepartureKind.EXPOSED_BEFORE_BANK | DepartureKind.LOST_HAND_LEFT | DepartureKind.TILES_MISCOUNTED:
            return Finding.of(code, place=str(_place(departure.box)))
        case DepartureKind.EXPOSED_OUT_OF_TURN:
            return Finding.of(code, place=str(_place(departure.box)), waiting=_places(departure.due))
        case DepartureKind.WRONG_FIRST_BOX:
            return Finding.of(code, seen=_places(departure.seen), due=_places(departure.due))
        case DepartureKind.DELIVERED_OUT_OF_ORDER:
            return Finding.of(code, seen=_places(departure.seen))
        case DepartureKind.BANK_AWAY_EARLY:
            return Finding.of(code, waiting=_places(departure.due))
        case _:
            return Finding(code)


def _place(box: int | None) -> Place:
    return Place(PlaceKind.HOUSE) if box is None else Place(PlaceKind.BOX, box)


def _places(boxes: Sequence[int]) -> tuple[str, ...]:
    return tuple(str(_place(box)) for box in boxes)

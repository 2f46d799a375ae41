"""The hands of one round, by place and in the order in which they were opened."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from vision.tracking.lays.hand_history import Hand

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from calibration.table.places import Place
    from vision.findings import Finding


@dataclass(slots=True)
class RoundHands:
    """What is known of each place of a round.

    Attributes:
        by_place: the hands, in the order in which they were first known.
    """

    by_place: dict[Place, Hand] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Hand]:
        """The hands known now; what is put meanwhile does not disturb."""
        return iter(tuple(self.by_place.values()))

    def __getitem__(self, place: Place) -> Hand:
        """What is known of a place; a hand of which nothing is known if that is nothing."""
        return self.by_place.get(place, Hand(place))

    def put(self, hand: Hand) -> None:
        """Know a hand so from now on."""
        self.by_place[hand.place] = hand

    def open(self, hand: Hand, since_s: float) -> None:
        """Know a hand as the latest that was opened."""
        number = 1 + max((each.opened for each in self), default=0)
        self.put(replace(hand, exposed_s=since_s, opened=number))

    def doubt(self, place: Place, doubt: Finding) -> None:
        """Put the last lay of a hand in doubt."""
        self.put(self[place].doubted(doubt))

    def hide(self, shown: Collection[Place], t_s: float, unseen_s: float) -> None:
        """Know hands to be hidden that do not lie whole now, nor did since a moment ago."""
        for hand in self:
            if hand.present and hand.place not in shown and t_s - hand.seen_s > unseen_s:
                self.put(replace(hand, present=False))

    def opened(self, place: Place) -> bool:
        """Whether the hand at a place was opened in this round."""
        return self[place].exposed_s is not None

    def in_order(self) -> tuple[Hand, ...]:
        """The hands that were opened, in that order."""
        return tuple(sorted((each for each in self if each.exposed_s is not None), key=lambda each: each.opened))

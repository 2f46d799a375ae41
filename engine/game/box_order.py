"""Counter-clockwise order of a table's boxes.

In every book "counter-clockwise" is a direction on the table, seen from above: from the dealer's right round to his
left. Felts number their boxes from either end (ruling 38), so no order follows from the numbers alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

BOXES: Final = 8
"""Places that tiles are dealt to, four each of the 32; counted counter-clockwise from the dealer's right."""


@dataclass(frozen=True, slots=True)
class BoxOrder:
    """The boxes of one table, by the numbers on its felt.

    The books count eight places, spots 1 to 8 counter-clockwise from the dealer's right; the boxes are the first of
    them. An unused spot keeps its number: 8 is the dealer's own (UK poster), the others have no place.

    Attributes:
        boxes: how many players' boxes the table has.
        box1_at_dealers_right: whether they are numbered from the dealer's right rather than from the left.
    """

    boxes: int = BOXES
    box1_at_dealers_right: bool = True

    @property
    def numbers(self) -> tuple[int, ...]:
        """The boxes counter-clockwise, from the dealer's right to his left."""
        return tuple(map(self.at, range(1, self.boxes + 1)))

    def at(self, spot: int) -> int:
        """The box number at a spot, or the spot of a box number (the mapping is its own inverse).

        >>> BoxOrder(6, box1_at_dealers_right=False).at(1), BoxOrder(6, box1_at_dealers_right=False).at(8)
        (6, 8)
        """
        return spot if self.box1_at_dealers_right or spot > self.boxes else self.boxes + 1 - spot

    def one(self, *, by_number: bool) -> int:
        """The box a book starts with: number 1, or the one furthest to the dealer's right."""
        return 1 if by_number else self.at(1)

    def counted(self, total: int, start: int) -> int:
        """The box that a total falls on, counting counter-clockwise with `start` as 1, 9 and 17.

        Totals below 1 count on backwards (ruling 26).

        >>> BoxOrder().counted(9, start=3), BoxOrder().counted(10, start=8), BoxOrder().counted(0, start=1)
        (3, 1, 8)
        >>> BoxOrder(box1_at_dealers_right=False).counted(2, start=8)
        7
        """
        return self.at((self.at(start) - 1 + total - 1) % BOXES + 1)

    def counted_round(self, total: int, start: int) -> int:
        """The box that a total falls on when counting the table's own boxes instead of eight places.

        >>> BoxOrder(6).counted_round(7, start=1), BoxOrder(6, box1_at_dealers_right=False).counted_round(2, start=6)
        (1, 5)
        """
        return self.at((self.at(start) - 1 + total - 1) % self.boxes + 1)

    def starting_at(self, first: int) -> tuple[int, ...]:
        """All eight places counter-clockwise, starting with the box `first`."""
        return tuple(self.counted(count, first) for count in range(1, BOXES + 1))

    def steps(self, box: int, start: int) -> int:
        """Number of places from `start` counter-clockwise to `box`: 0 to 7."""
        return (self.at(box) - self.at(start)) % BOXES


FROM_RIGHT: Final = BoxOrder()
"""Eight boxes numbered from the dealer's right."""

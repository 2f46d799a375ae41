"""Removal of a box from play when players communicate about their hands, chosen by the three box dice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.errors import IrregularityError
from engine.game.box_order import FROM_RIGHT, BoxOrder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.vocabulary.citations import Cite
    from engine.vocabulary.facts import Bank


@dataclass(frozen=True, slots=True)
class BoxRemoved:
    """A throw that takes a box out of play.

    Attributes:
        total: of the three dice.
        counted: the box counted to.
        box: the box out of play; None if it was the bank's, and the dice are shaken again.
        cite: the rule.
    """

    total: int
    counted: int
    box: int | None
    cite: Cite


@dataclass(frozen=True, slots=True)
class BoxRemoval:
    """How a book chooses the box that goes out of play when players communicate.

    Attributes:
        cite: the rule of the count.
        again: the rule for a total that indicates the bank's box.
        banks: who must hold the bank.
        from_number_one: whether counting starts at the box of number 1 rather than the one furthest to the dealer's
            right.
    """

    cite: Cite
    again: Cite
    banks: frozenset[Bank]
    from_number_one: bool = True

    def throw(self, dice: Sequence[int], bank: Bank, bank_box: int = 1, order: BoxOrder = FROM_RIGHT) -> BoxRemoved:
        """Count the total counter-clockwise from the book's first box, going round the table as often as needed.

        On eight boxes that box is 1, 9 and 17. The rules specify only the start of the count, so a table of six counts
        its six: 7 is the first again.

        Args:
            dice: the three box dice, 1 to 6 each.
            bank: who holds the bank.
            bank_box: the box where the bank's tiles are dealt; the House's is box 1.
            order: the layout of the table's boxes.

        Raises:
            IrregularityError: not three dice, no such box, or boxes are not removed under this bank.
        """
        if bank not in self.banks:
            allowed = " or ".join(sorted(each.value for each in self.banks))
            raise IrregularityError(
                f"no box is taken out of play while the bank is {bank.value}: only for {allowed}", self.cite
            )
        if len(dice) != 3 or not all(1 <= die <= 6 for die in dice):
            raise IrregularityError(f"{list(dice)} are not three dice of 1 to 6: read the box dice again", self.cite)
        if not 1 <= bank_box <= order.boxes:
            reason = f"there is no box {bank_box}: the bank's box is one of 1 to {order.boxes}"
            raise IrregularityError(reason, self.cite)
        total = sum(dice)
        counted = order.counted_round(total, order.one(by_number=self.from_number_one))
        if counted == bank_box:
            return BoxRemoved(total, counted, None, self.again)
        return BoxRemoved(total, counted, counted, self.cite)

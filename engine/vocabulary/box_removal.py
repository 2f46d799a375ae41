"""The box that goes out of play when players tell each other of their hands: chosen by the three box dice."""

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
        box: the box out of play; None where it was the bank's, and the dice are shaken again.
        cite: the rule that says so.
    """

    total: int
    counted: int
    box: int | None
    cite: Cite


@dataclass(frozen=True, slots=True)
class BoxRemoval:
    """How a book chooses the box that goes out of play when players communicate: by the three box dice.

    Attributes:
        cite: the rule of the count.
        again: the rule for a total that indicates the bank's box.
        banks: who must hold the bank.
        from_number_one: whether that is the box of number 1, not the one furthest to the dealer's right.
    """

    cite: Cite
    again: Cite
    banks: frozenset[Bank]
    from_number_one: bool = True

    def throw(self, dice: Sequence[int], bank: Bank, bank_box: int = 1, order: BoxOrder = FROM_RIGHT) -> BoxRemoved:
        """Count the total counter-clockwise from the book's first box, and round the table as often as it takes.

        On eight boxes that one is 1, 9 and 17. The rules say no more than from where boxes are counted, so a table of
        six counts its six: 7 is the first again.

        Args:
            dice: the three box dice, 1 to 6 each.
            bank: who holds the bank.
            bank_box: the box that the bank's tiles are dealt to; the House's is box 1.
            order: where the boxes of the table lie.

        Raises:
            IrregularityError: not three dice, no such box, or no box is taken out while this bank is held.
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

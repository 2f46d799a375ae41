"""Variants of a game: their own dice and dealing; the book's other rules apply to everything else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.errors import DealError, DiceError
from engine.game.box_order import BOXES, FROM_RIGHT, BoxOrder
from engine.vocabulary.dice import Role

if TYPE_CHECKING:
    from collections.abc import Collection

    from engine.vocabulary.citations import Cite
    from engine.vocabulary.dice import Cup, Dice
    from engine.vocabulary.facts import Fact


@dataclass(frozen=True, slots=True)
class DealtBoxes:
    """The delivery of tiles.

    Attributes:
        order: the boxes in the order of dealing; the first gets the first group of four.
        in_play: boxes whose tiles are played: with a wager, and the bank's.
        taken_back: boxes whose tiles are retrieved unseen.
        left: groups of four not dealt.
    """

    order: tuple[int, ...]
    in_play: tuple[int, ...]
    taken_back: tuple[int, ...]
    left: int


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant of a book's game.

    Attributes:
        name: such as ``crown-pai-gow``.
        title: as the rulebook prints it.
        thrown: number of dice thrown without and with Big/Small.
        other_rules: the book's other rules apply unless these differ.
        dealt: every box gets four tiles, seated or not, and the remaining tiles are put to one side.
        taken_back: tiles of boxes without a wager join them.
        may_add: side wagers that may be offered with it.
    """

    name: str
    title: str
    dice: Dice
    thrown: Fact[tuple[int, int]]
    other_rules: Cite
    dealt: Fact[int]
    taken_back: Cite
    may_add: Fact[str]

    def check_cup(self, cup: Cup, *, big_small: bool) -> None:
        """Require the number of dice thrown at a table with or without Big/Small.

        Raises:
            DiceError: with the rule.
        """
        lie = sum(len(cup.of(role)) for role in Role)
        required = self.thrown.value[big_small]
        if lie != required:
            offered = "offered" if big_small else "not offered"
            raise DiceError(f"{required} dice are thrown where Big/Small is {offered}, not {lie} ({self.thrown.where})")

    def deal(self, die: int, chung: int, wagered: Collection[int], table: BoxOrder = FROM_RIGHT) -> DealtBoxes:
        """Deal a round: crown-6.1 14.3.2(c), 14.3.2(c)(i), 14.4.1, 14.4.2.

        Args:
            die: the box die, counted counter-clockwise from the chung's box as 1.
            chung: the bank's box.
            wagered: the boxes with a wager.
            table: the layout of its boxes; the count goes round those.

        Raises:
            DealError: no such box.
        """
        first, boxes = table.counted_round(die, chung), table.boxes
        order = tuple(box for box in table.starting_at(first) if box <= boxes)
        for box in (chung, *wagered):
            if box not in order:
                raise DealError(f"there is no box {box}: this table's boxes are 1 to {boxes} ({self.dealt.where})")
        in_play = tuple(box for box in order if box in wagered or box == chung)
        back = tuple(box for box in order if box not in in_play)
        return DealtBoxes(order, in_play, back, BOXES - len(order))

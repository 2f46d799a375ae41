"""The possible ways of banking an observed round: all that agree with the known facts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.observed.departures import Departure, DepartureKind
from engine.observed.observations import HandOpened, HandPutAway
from engine.round.state.house_table import Setup, Table
from engine.settlement.wagers import TableTerms
from engine.vocabulary.facts import Bank

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from engine.books.book import Rulebook
    from engine.observed.observations import Observation


@dataclass(frozen=True)
class KnownBank:
    """Known facts about the bank of a round; None for unknown.

    Attributes:
        method: who banks.
        box: where the chung lies.
        button: what the banker adds to the dice, 0 for nothing.
        other_cut: whether a person accepted another cut than the die's (star-2024 8.4.5); None if nobody said.
    """

    method: Bank | None = None
    box: int | None = None
    button: int | None = None
    other_cut: bool | None = None


THE_HOUSE = KnownBank(Bank.HOUSE)


@dataclass(frozen=True)
class Possible:
    """A possible way of banking a round, with a numbering of the boxes.

    Attributes:
        chung: the bank's box.
        buttons: the possible adjustments to the dice.
        other_cut: whether another cut than the die's was accepted; None if unknown.
    """

    setup: Setup
    method: Bank
    chung: int
    buttons: tuple[int, ...] = (0,)
    other_cut: bool | None = None

    def is_banks(self, box: int | None) -> bool:
        """Whether a hand opened there is the bank's: before the float, or at the box of a player-banker."""
        return box is None or box == self.chung

    def without_dealers_hand(self, seen: Sequence[Observation]) -> tuple[Observation, ...]:
        """The observations without those of the dealer's own hand, before the float.

        Where no rule moves a player-banker's tiles, and they are seen at his box, the dealer's place has its own. He
        plays them if he bets against the banker (uk-poster points 4 and 28), and no order applies to them.
        """
        place = self.setup.banking.house_box.value
        looks = [each for each in seen if isinstance(each, HandOpened | HandPutAway)]
        at_box = any(each.box == self.chung or self.chung in each.closed for each in looks)
        if self.method in self.setup.play.to_float or self.chung == place or not at_box:
            return tuple(seen)
        return tuple(
            replace(each, closed=tuple(box for box in each.closed if box is not None))
            if isinstance(each, HandOpened | HandPutAway)
            else each
            for each in seen
            if not (isinstance(each, HandOpened | HandPutAway) and each.box is None)
        )

    def first_boxes(self, box_dice: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        """For each possible button, the boxes that may get the first tiles, the one by our ruling first.

        Raises:
            DiceError: dice that do not belong to the game.
        """
        dice, order = self.setup.dice, self.setup.order
        return tuple(dice.first_boxes(box_dice, self.method, self.chung, button, order) for button in self.buttons)


def possible(book: Rulebook, boxes: int, *, from_right: bool | None, bank: KnownBank) -> tuple[Possible, ...]:
    """All ways that agree with the known facts; empty if the book contradicts them.

    Args:
        book: the rulebook.
        boxes: number of players' boxes.
        from_right: whether they are numbered from the dealer's right; None if unknown.
        bank: known facts about the bank.
    """
    found = []
    for numbered in (True, False) if from_right is None else (from_right,):
        terms = TableTerms(boxes=boxes, box1_at_dealers_right=numbered)
        setup = Setup(book, Table(boxes=boxes, terms=terms))
        for method in sorted(setup.methods, key=lambda each: each.value):
            if bank.method not in (None, method):
                continue
            buttons = _buttons(setup, method, bank.button)
            found += [
                Possible(setup, method, box, buttons, bank.other_cut)
                for box in sorted(_boxes(setup, method))
                if buttons and bank.box in (None, box)
            ]
    return tuple(found)


def bank_departures(book: Rulebook, boxes: int, *, from_right: bool | None, bank: KnownBank) -> tuple[Departure, ...]:
    """A chung at another box, or a button in use, although the House banks."""
    if bank.method is not Bank.HOUSE:
        return ()
    banks = possible(book, boxes, from_right=from_right, bank=THE_HOUSE)
    found = []
    # Where the House has a place of its own, its book has no chung (uk-poster point 3).
    chungs = {way.chung: way.setup.banking.chung[Bank.HOUSE].cite for way in banks if way.chung <= boxes}
    if bank.box is not None and chungs and bank.box not in chungs:
        rule = next(iter(chungs.values()))
        found.append(Departure(DepartureKind.CHUNG_ELSEWHERE, rule, bank.box, due=tuple(chungs)))
    for dice in {way.setup.book.id: way.setup.dice for way in banks}.values():
        buttons = dice.buttons
        if bank.button and buttons.value.banks and Bank.HOUSE not in buttons.value.banks:
            found.append(Departure(DepartureKind.BUTTON_UNDER_HOUSE_BANK, buttons.cite))
    return tuple(found)


def _boxes(setup: Setup, method: Bank) -> Collection[int]:
    places = range(1, setup.places + 1)
    return setup.banking.chung[method].value & set(places)


def _buttons(setup: Setup, method: Bank, known: int | None) -> tuple[int, ...]:
    """Possible adjustments to the dice; empty if the known button is not one of the book's."""
    buttons = setup.dice.buttons.value
    values = tuple(sorted({0, *buttons.values})) if method in buttons.banks else (0,)
    if known is None:
        return values
    return (known,) if known in values else ()

"""The dice: content of the cup, the first box, the buttons that move it, and Big/Small.

Differences between the books are declared in a `Dice` for each. Boxes are 1 to 8, counter-clockwise as seen by the
dealer; if a book also deals to the dealer's own place, that is box 8. The cuts of a cut die are in
`engine.vocabulary.cuts`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from engine.errors import DiceError
from engine.game.box_order import BOXES, FROM_RIGHT, BoxOrder

if TYPE_CHECKING:
    from collections.abc import Collection

    from engine.vocabulary.banking import Banking
    from engine.vocabulary.citations import Cite
    from engine.vocabulary.facts import Bank, Fact, Milestone

PIPS: Final = range(1, 7)


class Leaning(Enum):
    """A die that does not lie flat has no value."""

    COCKED = "cocked"


COCKED: Final = Leaning.COCKED
Face = int | Leaning
"""Face of a die: 1 to 6, or `COCKED`."""


class Role(Enum):
    """Purpose of a die."""

    BOX = "box"
    CUT = "cut"
    BIG_SMALL = "big-small"

    def __str__(self) -> str:
        return "Big/Small" if self is Role.BIG_SMALL else self.value


class BigSmall(Enum):
    """Which side wager wins by three dice; both lose on a triple."""

    BIG = "big"
    SMALL = "small"
    TRIPLE = "triple"


@dataclass(frozen=True, slots=True)
class DiceOf:
    """The dice of one role.

    Attributes:
        number: how many dice.
        cite: the rule that requires them.
        one_colour: whether the book requires them to be of one colour, different from the dice of other roles.
        least_mm: minimum edge length in millimetres; None if the book gives none.
        where_offered: they are in the cup only if Big/Small is offered.
    """

    role: Role
    number: int
    cite: Cite
    one_colour: bool = False
    least_mm: int | None = None
    where_offered: bool = False


@dataclass(frozen=True, slots=True)
class Buttons:
    """The plus and minus buttons, with which a player-banker moves the first box ("stealing the cut").

    Attributes:
        values: allowed values; empty if the book has no buttons.
        banks: banking methods that allow them.
        after: milestones required before one is nominated.
        before: milestones that end the opportunity.
        where_offered: the casino may omit them.
    """

    values: frozenset[int] = frozenset()
    banks: frozenset[Bank] = frozenset()
    after: Milestone | None = None
    before: Milestone | None = None
    where_offered: bool = False


@dataclass(frozen=True, slots=True)
class Cup:
    """The dice under the lifted cover, by role.

    Attributes:
        box: the dice that determine the first box, in any order.
        cut: the cut die; None otherwise.
        big_small: Crown Pai Gow's third die; None otherwise.
    """

    box: tuple[Face, ...]
    cut: Face | None = None
    big_small: Face | None = None

    def of(self, role: Role) -> tuple[Face, ...]:
        single = {Role.CUT: self.cut, Role.BIG_SMALL: self.big_small}.get(role)
        return self.box if role is Role.BOX else () if single is None else (single,)


@dataclass(frozen=True, slots=True)
class ShakeAgain:
    """A die leans: the throw is not read and the cup is shaken again.

    Attributes:
        role: of the leaning die.
        cite: the rule; if the book has none, the rule under which the throw is made.
        printed: whether the book says so; if not, it follows from an unreadable total.
    """

    role: Role
    cite: Cite
    printed: bool

    @property
    def words(self) -> str:
        silent = "" if self.printed else "; the rulebook does not mention it, but no total can be read"
        return f"a {self.role} die is cocked: the dice must be shaken again ({self.cite}{silent})"


@dataclass(frozen=True, slots=True)
class Thrown:
    """Result of a throw.

    Attributes:
        chung: the banker's box, counted as 1.
        button: the nominated plus or minus value; 0 for none.
        total: of the box dice (3 to 18; 1 to 6 with a single die).
        first_box: the box that gets the first four tiles.
        also: the box that gets them by the book's own words, if those count this total differently; None otherwise.
        big_small: whether Big or Small wins; None if the book does not have the wager or its die is not thrown.
        counting: the rule by which the boxes are counted.
        doubt: why another reading of the book would count differently; None otherwise.
        order: the layout of the table's boxes.
        fewer: whether the table has fewer boxes than the book's eight.
        left_open: what the book then leaves open about the count; None if nothing.
    """

    cup: Cup
    bank: Bank
    chung: int
    button: int
    total: int
    first_box: int
    big_small: BigSmall | None
    counting: Fact[int]
    doubt: Fact[str] | None = None
    order: BoxOrder = FROM_RIGHT
    fewer: bool = False
    left_open: Fact[str] | None = None
    also: int | None = None

    @property
    def first_boxes(self) -> tuple[int, ...]:
        """The boxes that may get the first tiles: one, or two by a total that the book counts in two ways."""
        return (self.first_box,) if self.also is None else (self.first_box, self.also)

    @property
    def adjusted(self) -> int:
        """The total including the button: -1 to 22."""
        return self.total + self.button

    @property
    def cut_die(self) -> int | None:
        return next(iter(_flat(self.cup.of(Role.CUT))), None)

    @property
    def boxes(self) -> tuple[int, ...]:
        return tuple(box for box in self.order.starting_at(self.first_box) if not self.fewer or box <= self.order.boxes)


def big_or_small(dice: Collection[int]) -> BigSmall:
    """Big for three dice totalling 11 or more, Small for 10 or less, neither for a triple."""
    if len(set(dice)) == 1:
        return BigSmall.TRIPLE
    return BigSmall.BIG if sum(dice) > 10 else BigSmall.SMALL


@dataclass(frozen=True)
class Dice:
    """The dice of one game, as printed in its book.

    Attributes:
        cup: the dice by role.
        faces: the rule that numbers a die's sides.
        flat: the rule by which the cup is shaken again if a die leans; None if the book is silent.
        counting: the number of the banker's box in the count; the others follow counter-clockwise.
        banking: who may bank, and the position of the chung.
        buttons: the plus and minus buttons.
        big_small: the dice used for Big/Small; None if the book does not have the wager.
        doubtful: totals that the book's own words may count differently; None for none.
        doubt: the reason.
        doubtful_start: the number of the banker's box in the count by those words.
        fewer: what the book leaves open if a table has fewer boxes; None if nothing.
        counts_round: whether a table may have fewer boxes and the count goes round those.
        shaken_again: the rule that the cup is shaken once more after the delivery.
    """

    cup: tuple[DiceOf, ...]
    faces: Cite
    flat: Cite | None
    counting: Fact[int]
    banking: Banking
    buttons: Fact[Buttons]
    big_small: Fact[tuple[Role, ...]] | None = None
    doubtful: frozenset[int] = frozenset()
    doubt: Fact[str] | None = None
    doubtful_start: int | None = None
    fewer: Fact[str] | None = None
    counts_round: bool = False
    shaken_again: Cite | None = None

    @property
    def fewest(self) -> int:
        """Number of dice in the cup, without those that may be omitted."""
        return sum(dice.number for dice in self.cup if not dice.where_offered)

    @property
    def leaning(self) -> Cite:
        """The rule that invalidates a throw with a leaning die; if the book is silent, that of the count."""
        return self.flat or self.counting.cite

    def read(
        self, cup: Cup, bank: Bank, chung: int | None = None, button: int = 0, order: BoxOrder = FROM_RIGHT
    ) -> Thrown | ShakeAgain:
        """The result of a throw, or that the cup must be shaken again.

        Args:
            cup: the dice.
            bank: who banks.
            chung: the banker's box; optional if only one is possible.
            button: the nominated plus or minus value; 0 for none.
            order: the layout of the table's boxes.

        Raises:
            DiceError: dice, chung or button that the book does not know.
        """
        self._check_cup(cup)
        for dice in self.cup:
            if COCKED in cup.of(dice.role):
                self._check_chung(chung, bank, order)
                self.check_button(button, bank)
                return ShakeAgain(dice.role, self.leaning, printed=self.flat is not None)
        return self._thrown(cup, bank, chung, button, order)

    def first_boxes(
        self,
        box_dice: tuple[int, ...],
        bank: Bank,
        chung: int | None = None,
        button: int = 0,
        order: BoxOrder = FROM_RIGHT,
    ) -> tuple[int, ...]:
        """The boxes that may get the first tiles, by the box dice alone.

        The cut die decides nothing about them (ruling 47). Arguments and errors as for `read`.
        """
        cup = Cup(box_dice)
        self._check_role(Role.BOX, cup)
        return self._thrown(cup, bank, chung, button, order).first_boxes

    def _thrown(self, cup: Cup, bank: Bank, chung: int | None, button: int, order: BoxOrder) -> Thrown:
        start = self._check_chung(chung, bank, order)
        fewer = order.boxes < BOXES and (self.counts_round or self.fewer is not None)
        if fewer and start > order.boxes:
            raise DiceError(f"there is no box {start}: boxes are 1 to {order.boxes} ({self.counting.where})")
        count = order.counted_round if self.counts_round else order.counted
        self.check_button(button, bank)
        total = sum(_flat(cup.box))
        doubtful = total in self.doubtful
        # The banker counts as 1 in `count`.
        other = None if self.doubtful_start is None or not doubtful else total + button + 1 - self.doubtful_start
        return Thrown(
            cup=cup,
            bank=bank,
            chung=start,
            button=button,
            total=total,
            first_box=count(total + button, start),
            big_small=self._big_small(cup),
            counting=self.counting,
            doubt=self.doubt if doubtful else None,
            left_open=self.fewer if fewer else None,
            order=order,
            fewer=fewer,
            also=None if other is None else count(other, start),
        )

    def check_button(self, button: int, bank: Bank) -> None:
        """Check that the book has this button and that this bank may use it; 0 means no button.

        Raises:
            DiceError: it does not, or may not.
        """
        if button == 0:
            return
        rule, where = self.buttons.value, self.buttons.where
        if not rule.values:
            raise DiceError(f"button {button:+d}: the book has no plus or minus buttons ({where})")
        if button not in rule.values:
            known = ", ".join(f"{value:+d}" for value in sorted(rule.values))
            raise DiceError(f"there is no button {button:+d}; there are {known} ({where})")
        if bank not in rule.banks:
            raise DiceError(f"button {button:+d}: only a player who banks may nominate one ({where})")

    def _check_cup(self, cup: Cup) -> None:
        for role in Role:
            self._check_role(role, cup)

    def _check_role(self, role: Role, cup: Cup) -> None:
        faces, dice = cup.of(role), next((each for each in self.cup if each.role is role), None)
        if dice is None:
            if faces:
                raise DiceError(f"this cup has no {role} die: leave it out ({self.cup[0].cite})")
            return
        if len(faces) != dice.number and (faces or not dice.where_offered):
            named = f"{dice.number} {role} {'die' if dice.number == 1 else 'dice'}"
            raise DiceError(f"{named} must be thrown, not {len(faces)} ({dice.cite})")
        for face in faces:
            if face is not COCKED and face not in PIPS:
                raise DiceError(f"a die shows 1 to 6, not {face} ({self.faces})")

    def _check_chung(self, chung: int | None, bank: Bank, order: BoxOrder) -> int:
        if bank not in self.banking.chung:
            raise DiceError(f"the book knows no {_named(bank)} ({self.banking.methods.where})")
        places = self.banking.at(order).chung[bank]
        if chung is None:
            if len(places.value) > 1:
                raise DiceError(f"a {_named(bank)} may be at several boxes: say where the chung lies ({places.where})")
            return min(places.value)
        if chung not in places.value:
            first, last = min(places.value), max(places.value)
            known = str(first) if first == last else f"{first} to {last}"
            raise DiceError(f"with a {_named(bank)} the chung lies on box {known}, not {chung} ({places.where})")
        return chung

    def _big_small(self, cup: Cup) -> BigSmall | None:
        if self.big_small is None:
            return None
        faces = [face for role in self.big_small.value for face in _flat(cup.of(role))]
        return big_or_small(faces) if len(faces) == 3 else None


def _flat(faces: tuple[Face, ...]) -> list[int]:
    return [face for face in faces if isinstance(face, int)]


def _named(bank: Bank) -> str:
    return bank.value if bank.value.endswith("bank") else f"{bank.value} bank"

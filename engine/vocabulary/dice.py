"""The dice: what the cup holds, the first box, the buttons that move it, and Big/Small.

What differs between the books is declared in a `Dice` for each. Boxes are 1 to 8, counter-clockwise as the dealer sees
them; where a book also deals to the dealer's own place, that is box 8. Which cut a cut die names is in
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
    """A die that does not lie flat; it shows no number."""

    COCKED = "cocked"


COCKED: Final = Leaning.COCKED
Face = int | Leaning
"""What a die shows: 1 to 6, or `COCKED`."""


class Role(Enum):
    """What a die is thrown for."""

    BOX = "box"
    CUT = "cut"
    BIG_SMALL = "big-small"

    def __str__(self) -> str:
        """In words: ``Big/Small``."""
        return "Big/Small" if self is Role.BIG_SMALL else self.value


class BigSmall(Enum):
    """Which side wager three dice make win; a triple makes both lose."""

    BIG = "big"
    SMALL = "small"
    TRIPLE = "triple"


@dataclass(frozen=True, slots=True)
class DiceOf:
    """The dice of one role.

    Attributes:
        role: what they are thrown for.
        number: how many.
        cite: the rule that asks for them.
        told_apart: whether the book wants them of one colour, and of another colour than the dice of other roles.
        least_mm: the least length of an edge, in millimetres; None where the book names none.
        where_offered: they lie in the cup only where Big/Small is offered.
    """

    role: Role
    number: int
    cite: Cite
    told_apart: bool = False
    least_mm: int | None = None
    where_offered: bool = False


@dataclass(frozen=True, slots=True)
class Buttons:
    """The plus and minus buttons, with which a banking player moves the first box ("stealing the cut").

    Attributes:
        values: what may be nominated; empty where the book has no buttons.
        banks: whose bank it may be.
        after: what must have happened before one is nominated.
        before: what must not have happened yet.
        where_offered: the casino may leave them out.
    """

    values: frozenset[int] = frozenset()
    banks: frozenset[Bank] = frozenset()
    after: Milestone | None = None
    before: Milestone | None = None
    where_offered: bool = False


@dataclass(frozen=True, slots=True)
class Cup:
    """The dice under the lifted cover, by what they were thrown for.

    Attributes:
        box: the dice that find the first box, in any order.
        cut: the cut die; None where there is none.
        big_small: Crown Pai Gow's third die; None where there is none.
    """

    box: tuple[Face, ...]
    cut: Face | None = None
    big_small: Face | None = None

    def of(self, role: Role) -> tuple[Face, ...]:
        """The dice of a role."""
        single = {Role.CUT: self.cut, Role.BIG_SMALL: self.big_small}.get(role)
        return self.box if role is Role.BOX else () if single is None else (single,)


@dataclass(frozen=True, slots=True)
class ShakeAgain:
    """A die leans: nothing is read, the cup is shaken again.

    Attributes:
        role: what the leaning die was thrown for.
        cite: the rule; where the book has none, the rule that the throw is made under.
        printed: whether the book says so itself; if not, it follows from a total that cannot be read.
    """

    role: Role
    cite: Cite
    printed: bool

    @property
    def words(self) -> str:
        """In a sentence."""
        silent = "" if self.printed else "; the rulebook does not mention it, but no total can be read"
        return f"a {self.role} die leans: the dice must be shaken again ({self.cite}{silent})"


@dataclass(frozen=True, slots=True)
class Thrown:
    """What a throw decides.

    Attributes:
        cup: the dice.
        bank: who banks.
        chung: the banker's box, which is counted 1.
        button: the nominated plus or minus value; 0 for none.
        total: of the box dice (3 to 18; 1 to 6 with a single die).
        first_box: the box that gets the first four tiles.
        big_small: which of Big and Small wins; None where the book does not know the wager or its die is not thrown.
        counting: the rule that the boxes are counted by.
        doubt: why another reading of the book would count otherwise; None where none would.
        order: where the boxes of the table lie that they were counted at.
        fewer: whether the table has fewer boxes than the book's eight.
        left_open: what the book then leaves open about the count; None where it does not.
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

    @property
    def adjusted(self) -> int:
        """The total with the button: -1 to 22."""
        return self.total + self.button

    @property
    def cut_die(self) -> int | None:
        """What the cut die shows; None where there is none."""
        return next(iter(_flat(self.cup.of(Role.CUT))), None)

    @property
    def boxes(self) -> tuple[int, ...]:
        """All boxes in the order in which they get their tiles."""
        return tuple(box for box in self.order.around(self.first_box) if not self.fewer or box <= self.order.boxes)


def big_or_small(dice: Collection[int]) -> BigSmall:
    """What three dice say: 11 and more is Big, 10 and less Small, a triple neither."""
    if len(set(dice)) == 1:
        return BigSmall.TRIPLE
    return BigSmall.BIG if sum(dice) > 10 else BigSmall.SMALL


@dataclass(frozen=True)
class Dice:
    """The dice of one game, as its book prints them.

    Attributes:
        cup: the dice, role by role.
        faces: the rule that numbers a die's sides.
        flat: the rule by which a leaning die means that the cup is shaken again; None where the book is silent.
        counting: what the banker's box counts as; the others follow it counter-clockwise.
        banking: who may bank, and where the chung then lies.
        buttons: the plus and minus buttons.
        big_small: the dice that Big/Small is read from; None where the book does not know the wager.
        doubtful: totals that the book's own words can be read to count otherwise; None for none.
        doubt: why.
        fewer: what the book leaves open where a table has fewer boxes; None where it does not.
        counts_round: whether a table may have fewer boxes and the count goes round those.
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
    fewer: Fact[str] | None = None
    counts_round: bool = False

    @property
    def leaning(self) -> Cite:
        """The rule by which a throw with a leaning die does not count; where the book is silent, that of the count."""
        return self.flat or self.counting.cite

    def read(
        self, cup: Cup, bank: Bank, chung: int | None = None, button: int = 0, order: BoxOrder = FROM_RIGHT
    ) -> Thrown | ShakeAgain:
        """What the dice say, or that they are to be shaken again.

        Args:
            cup: the dice as they lie.
            bank: who banks.
            chung: the banker's box; may be left out when there is only one it can be.
            button: the nominated plus or minus value; 0 for none.
            order: where the boxes of the table lie.

        Raises:
            DiceError: dice, chung or button that the book does not know.
        """
        self._check_cup(cup)
        start = self._check_chung(chung, bank, order)
        fewer = order.boxes < BOXES and (self.counts_round or self.fewer is not None)
        if fewer and start > order.boxes:
            raise DiceError(f"there is no box {start}: boxes are 1 to {order.boxes} ({self.counting.where})")
        count = order.counted_round if self.counts_round else order.counted
        self.check_button(button, bank)
        for dice in self.cup:
            if COCKED in cup.of(dice.role):
                return ShakeAgain(dice.role, self.leaning, printed=self.flat is not None)
        total = sum(_flat(cup.box))
        return Thrown(
            cup=cup,
            bank=bank,
            chung=start,
            button=button,
            total=total,
            first_box=count(total + button, start),
            big_small=self._big_small(cup),
            counting=self.counting,
            doubt=self.doubt if total in self.doubtful else None,
            left_open=self.fewer if fewer else None,
            order=order,
            fewer=fewer,
        )

    def nominate(self, button: int, bank: Bank, so_far: Collection[Milestone]) -> None:
        """Check that a banker may nominate this value now.

        Args:
            button: the value on the button.
            bank: who banks.
            so_far: what has happened in the round.

        Raises:
            DiceError: the book has no such button, not for this bank, or not at this moment.
        """
        self.check_button(button, bank)
        rule = self.buttons.value
        if rule.before is not None and rule.before in so_far:
            raise DiceError(f"no button may be nominated any more: {rule.before.value} ({self.buttons.where})")
        if rule.after is not None and rule.after not in so_far:
            raise DiceError(f"a button may be nominated only once {rule.after.value} ({self.buttons.where})")

    def check_button(self, button: int, bank: Bank) -> None:
        """Check that the book has this button and that this bank may use it; 0 stands for no button.

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
        asked = {dice.role: dice for dice in self.cup}
        for role in Role:
            faces, dice = cup.of(role), asked.get(role)
            if dice is None:
                if faces:
                    raise DiceError(f"this cup has no {role} die: leave it out ({self.cup[0].cite})")
                continue
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

"""The cuts: names, orientations, and who decides which is made.

The cuts and choosers of each book are declared in a `Cuts`. The order in which a cut delivers the tiles is in
`engine.vocabulary.delivery_order`; a cut that no book draws is known by name and options only (ruling 29).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Final

from engine.errors import CutError
from engine.vocabulary.delivery_order import Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.vocabulary.banking import Banking
    from engine.vocabulary.citations import Cite
    from engine.vocabulary.delivery_order import DeliveryOrder, Option
    from engine.vocabulary.facts import Bank, Fact


class Cut(Enum):
    """Every cut that one of the books names."""

    YAT_DONG_DONG = "yat-dong-dong"
    CUP_SAY = "cup-say"
    CHEE_YEE = "chee-yee"
    DAI_PIN = "dai-pin"
    JUNG_QUAT = "jung-quat"
    LONG_TAU_FONG_MAY = "long-tau-fong-may"
    WUI_FUNG_BANK = "wui-fung-bank"
    FOOT_SAY = "foot-say"
    SEUNG_GWAI_PAK_MOON = "seung-gwai-pak-moon"
    PONG_YUN = "pong-yun"
    CHINA_BANK = "china-bank"
    HARBOUR_BRIDGE = "harbour-bridge"
    BO_BO_GO_SING = "bo-bo-go-sing"
    GUM_UN_QUE = "gum-un-que"
    GHAN_DONG_PING_SAY = "ghan-dong-ping-say"
    CHONG_WAN_SUP_LOK = "chong-wan-sup-lok"
    YAT_KAI_SUM_MAY = "yat-kai-sum-may"
    GHAN_DONG_CUP_SAY = "ghan-dong-cup-say"
    ARN_LOK_PENG_SAR = "arn-lok-peng-sar"
    GIRL_ON_THE_RIGHT_AND_LEFT = "girl-on-the-right-and-left"
    SYDNEY_HARBOUR_BRIDGE = "sydney-harbour-bridge"
    SYDNEY_TOWER = "sydney-tower"


# A spelling from one book is accepted for every other book that has the cut.
_ALSO: Final[dict[str, tuple[Cut, frozenset[Turn]]]] = {
    name: (cut, frozenset(turns))
    for cut, turns, names in (
        (Cut.YAT_DONG_DONG, (), ("One Stack", "1 Stack")),
        (Cut.CUP_SAY, (), ("Tiger", "Tiger Head", "Tiger's Head")),
        (Cut.CUP_SAY, (Turn.BOTTOM,), ("Cup Say Di Chut",)),
        (Cut.CHEE_YEE, (), ("Chop the Ears",)),
        (Cut.CHEE_YEE, (Turn.BOTTOM,), ("Chee Yee Di Chut",)),
        (Cut.DAI_PIN, (), ("Big Slice",)),
        (Cut.JUNG_QUAT, (), ("From the Heart",)),
        (Cut.JUNG_QUAT, (Turn.BOTTOM,), ("Jung Quat Di Chut",)),
        (Cut.LONG_TAU_FONG_MAY, (), ("Long Fong May Tau", "Dragon Head Phoenix Tail", "Dragon's Head/Phoenix Tail")),
        (Cut.LONG_TAU_FONG_MAY, (Turn.HEAD,), ("Long Tau", "Dragon Head", "Dragon's Head")),
        (Cut.LONG_TAU_FONG_MAY, (Turn.TAIL,), ("Fong May", "Phoenix Tail", "Fong May/Long Tau")),
        (Cut.LONG_TAU_FONG_MAY, (Turn.TAIL,), ("Phoenix Tail/Dragon's Head",)),
        (Cut.WUI_FUNG_BANK, (), ("Hong Kong Bank",)),
        (Cut.FOOT_SAY, (), ("Four Across", "4 Across")),
        (Cut.PONG_YUN, (), ("Buddha's Signal",)),
        (Cut.CHONG_WAN_SUP_LOK, (), ("Sixteen Across", "16 Across")),
        (Cut.YAT_KAI_SUM_MAY, (), ("Chicken Three Ways", "Chicken 3 Ways")),
    )
    for name in names
}


@dataclass(frozen=True, slots=True)
class NamedCut:
    """A cut as named by one book.

    Attributes:
        chinese: its traditional name as printed.
        english: its English name as printed.
        cite: where it is printed.
        options: its possible orientations as printed.
        orders: the printed delivery orders; empty if no book draws any.
        drawn_elsewhere: further orientations, which only another book's drawings have (ruling 29).
    """

    cut: Cut
    chinese: str
    english: str
    cite: Cite
    options: tuple[Option, ...] = ()
    orders: tuple[DeliveryOrder, ...] = ()
    drawn_elsewhere: tuple[Option, ...] = ()

    @property
    def orientations(self) -> tuple[Option, ...]:
        """All of its possible orientations, printed here or drawn elsewhere."""
        return (*self.options, *self.drawn_elsewhere)

    @property
    def label(self) -> str:
        """Both names, or one if they are the same."""
        return self.chinese if self.chinese == self.english else f"{self.chinese} ({self.english})"

    def turned(self, turns: Iterable[Turn] = ()) -> tuple[Turn, ...]:
        """One turn for each orientation, by default the first of the two.

        Raises:
            CutError: a turn that the cut does not have, or both turns of one option.
        """
        wanted = frozenset(turns)
        known = [turn for option in self.orientations for turn in option]
        for turn in wanted.difference(known):
            has = ", ".join(each.value for each in known) or "no options"
            raise CutError(f"{self.label} cannot be turned {turn.value!r}; it has {has} ({self.cite})")
        for first, second in self.orientations:
            if {first, second} <= wanted:
                raise CutError(f"{self.label} is turned {first.value} or {second.value}, not both ({self.cite})")
        return tuple(second if second in wanted else first for first, second in self.orientations)

    def order(self, turns: Iterable[Turn] = ()) -> DeliveryOrder:
        """The delivery order of the tiles.

        Args:
            turns: orientation of the cut; default right, top and head (ruling 28).

        Raises:
            CutError: a turn that the cut does not have, or no book draws the cut (ruling 29).
        """
        chosen = self.turned(turns)
        if not self.orders:
            raise CutError(
                f"no rulebook draws how {self.label} is delivered; only its name and options are known "
                f"({self.cite}, read under ruling 29)"
            )
        # Drawings are printed from the right; the left version is the mirror image.
        drawn = frozenset(Turn.RIGHT if turn is Turn.LEFT else turn for turn in chosen)
        order = next(each for each in self.orders if each.turns == drawn)
        rulings = () if order.cite.rulebook == self.cite.rulebook else (29,)
        return replace(order.mirrored() if Turn.LEFT in chosen else order, rulings=rulings)


class Chooser(Enum):
    """Who or what decides which cut is made."""

    CUT_DIE = "cut die"
    BANKER = "banker"
    SUPERVISOR = "supervisor"

    def __str__(self) -> str:
        """Text such as ``the player-banker``."""
        return "the player-banker" if self is Chooser.BANKER else f"the {self.value}"


@dataclass(frozen=True, slots=True)
class Choice:
    """Who decides the cut under one banking method.

    Attributes:
        who: in turn; each decides if the previous one declines. Empty if the book is silent.
        cite: the rule.
        supervisor: the supervisor's title in this book; empty if none decides.
        usual: the cut that is made unless the supervisor directs another; None if the book has no such cut.
    """

    who: tuple[Chooser, ...]
    cite: Cite
    supervisor: str = ""
    usual: NamedCut | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The choosers in turn, by the book's own titles."""
        return tuple(f"the {self.supervisor}" if one is Chooser.SUPERVISOR else str(one) for one in self.who)

    @property
    def words(self) -> str:
        """Text such as ``the player-banker decides, else the game supervisor``."""
        if not self.who:
            return "the book does not say who decides"
        first, *others = self.names
        usual = f"; {self.usual.chinese} unless another is directed" if self.usual else ""
        return "".join((f"{first} decides", *(f", else {other}" for other in others), usual))


@dataclass(frozen=True, slots=True)
class Leave:
    """Permission to accept other cuts: beyond the book's own list, or than the cut die's where that decides.

    Attributes:
        title: the least senior title that may give it.
        banks: the banking methods to which it applies.
        besides: further condition; empty for none.
    """

    title: str
    banks: frozenset[Bank]
    besides: str = ""


@dataclass(frozen=True, slots=True)
class Decided:
    """A cut and who decided it, as the book allows.

    Attributes:
        by: who decided.
        cite: the rule that allows it.
    """

    cut: Cut
    by: Chooser
    cite: Cite


@dataclass(frozen=True)
class Cuts:
    """A book's rules on cuts.

    Attributes:
        named: the listed cuts, in printed order.
        cite: the rule with the list.
        choice: who decides, by banking method.
        banking: who may bank.
        by_die: the cut of each face of the cut die; None if there is no such die.
        others: whether other cuts may be accepted, beyond the list or than the cut die's; None if not.
        approved: the rule that only listed cuts approved for the casino are made; None if all are.
    """

    named: tuple[NamedCut, ...]
    cite: Cite
    choice: Mapping[Bank, Choice]
    banking: Banking
    by_die: Fact[Mapping[int, Cut]] | None = None
    others: Fact[Leave] | None = None
    approved: Cite | None = None

    @cached_property
    def _names(self) -> Mapping[str, tuple[NamedCut, frozenset[Turn]]]:
        names = {
            _plain(written): (each, frozenset[Turn]())
            for each in self.named
            for written in (each.cut.value, each.chinese, each.english)
        }
        here = {each.cut: each for each in self.named}
        for written, (cut, turns) in _ALSO.items():
            if cut in here:
                names.setdefault(_plain(written), (here[cut], turns))
        return names

    def find(self, name: str) -> tuple[NamedCut, frozenset[Turn]]:
        """The cut with this name, Chinese or English, and the turns that the name implies (Fong May: tail).

        Spaces, case and punctuation do not matter.

        >>> from engine.books.registry import rulebook
        >>> found, turns = rulebook("crown-6.1").cuts.find("tigers head")
        >>> found.label
        "Cup Say (Tiger's Head)"

        Raises:
            CutError: the book names no such cut; the message lists those it does.
        """
        names = self._names
        if _plain(name) in names:
            return names[_plain(name)]
        near = get_close_matches(_plain(name), names, n=1)
        meant = f" (did you mean {names[near[0]][0].label}?)" if near else ""
        known = ", ".join(each.chinese for each in self.named) or "none"
        raise CutError(f"{self.cite.rulebook} names no cut {name!r}{meant}; it names: {known} ({self.cite})")

    def get(self, cut: Cut) -> NamedCut:
        """The cut as named by this book.

        Raises:
            CutError: the book does not name it.
        """
        return self.find(cut.value)[0]

    def of_die(self, face: int) -> NamedCut:
        """The cut of a face of the cut die.

        Raises:
            CutError: the book has no cut die, or the die has no such face.
        """
        if self.by_die is None:
            raise CutError(
                f"{self.cite.rulebook} has no cut die: nothing in it gives a die's number a cut ({self.cite})"
            )
        if face not in self.by_die.value:
            raise CutError(f"the cut die shows 1 to 6, not {face} ({self.by_die.where})")
        return self.get(self.by_die.value[face])

    def chooser(self, bank: Bank) -> Choice:
        """Who decides the cut under this banking method.

        Raises:
            CutError: the book does not know this banking method.
        """
        if bank not in self.choice:
            raise CutError(f"{self.cite.rulebook} knows no {bank.value} way of banking ({self.banking.methods.where})")
        return self.choice[bank]

    def decide(
        self, cut: Cut, by: Chooser, bank: Bank, *, declined: bool = False, die: int | None = None, leave: bool = False
    ) -> Decided:
        """Check that these people may decide on this cut.

        Args:
            cut: the cut decided on.
            by: who decided.
            bank: who banks.
            declined: whether the first chooser declined.
            die: face of the cut die, if it decides.
            leave: whether another cut was accepted by a person with the authority (crown-6.1 5.4.3; star-2024 8.4.5).

        Raises:
            CutError: they may not decide, the die shows another cut, or the book does not allow this one.
        """
        choice = self.chooser(bank)
        if by is Chooser.SUPERVISOR and choice.who == (Chooser.CUT_DIE,) and leave and self.accepted(bank) is not None:
            return Decided(cut, by, self._with_leave(cut, bank, leave=leave))
        if by not in choice.who:
            raise CutError(f"the cut is not for {by} to decide here: {choice.words} ({choice.cite})")
        if by is not choice.who[0] and not declined:
            raise CutError(f"{choice.who[0]} decides the cut and has not declined ({choice.cite})")
        if by is Chooser.CUT_DIE:
            return self._by_die(cut, die, choice)
        if any(each.cut is cut for each in self.named):
            return Decided(cut, by, choice.cite)
        return Decided(cut, by, self._with_leave(cut, bank, leave=leave))

    def accepted(self, bank: Bank) -> Fact[Leave] | None:
        """The permission for another cut under this bank; None if there is no such rule."""
        return None if self.others is None or bank not in self.others.value.banks else self.others

    def _by_die(self, cut: Cut, die: int | None, choice: Choice) -> Decided:
        if die is None or self.by_die is None:
            raise CutError(f"the cut die decides: say what it shows ({choice.cite})")
        shown = self.of_die(die)
        if shown.cut is not cut:
            raise CutError(f"the cut die shows {die}, {shown.label}, not {cut.value} ({self.by_die.where})")
        return Decided(cut, Chooser.CUT_DIE, choice.cite)

    def _with_leave(self, cut: Cut, bank: Bank, *, leave: bool) -> Cite:
        others = self.accepted(bank)
        if others is None:
            raise CutError(f"{cut.value} is not among the cuts of {self.cite.rulebook} ({self.cite})")
        rule = others.value
        if not leave:
            besides = f", {rule.besides}" if rule.besides else ""
            raise CutError(
                f"{cut.value} is not among the cuts of {self.cite.rulebook}; the {rule.title} or above may "
                f"accept it{besides} ({others.where})"
            )
        return others.cite


def _plain(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())

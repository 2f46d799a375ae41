"""Irregularities: what each rulebook says must or may be done, by whom, when, and the effect on wagers.

The kinds of irregularity are common to all books, so that a camera or a supervisor can name one without knowing the
book. For each kind a book declares its options in order of consideration, or that it is silent. The options depend on
the milestones reached, which the round's log knows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from engine.errors import IrregularityError
from engine.game.box_order import FROM_RIGHT
from engine.vocabulary.facts import Bank, Milestone, Whose
from engine.vocabulary.progress import ANYWHERE, Progress, implied_in, so_far

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from engine.game.box_order import BoxOrder
    from engine.vocabulary.box_removal import BoxRemoval, BoxRemoved
    from engine.vocabulary.citations import Source
    from engine.vocabulary.play import Play
    from engine.vocabulary.remedy import Effect, Given, Remedy

E = TypeVar("E", bound=Enum)


class Irregularity(Enum):
    """An irregularity at the table; the value describes it."""

    DAMAGED_TILE = "a tile is found damaged or marked"
    MISSING_TILE = "a tile of the set is missing"
    FOREIGN_TILE = "a tile lies on the table that is not part of the set"
    DUPLICATE_FACE = "a face lies on the table more often than the set holds it"
    TILE_TRACKING = "someone is suspected of tracking tiles through the shuffle"
    EXPOSED_STACKING = "a tile is exposed while the tiles are stacked"
    EXPOSED_LAJA = "more than two tiles are exposed during a laja"
    COCKED_DIE = "a die does not lie flat in the dice cup"
    DICE_NOT_TUMBLED = "the dice did not tumble when the cup was shaken"
    DICE_FAULT = "the dice are not those that the book asks for"
    TILE_EXPOSED = "one tile of a hand is exposed when it is dealt"
    DEALER_EXPOSES = "the dealer exposes two or more tiles of a hand"
    BANKER_EXPOSES = "the player-banker exposes tiles of their own hand"
    PLAYER_EXPOSES = "a player exposes their tiles before all hands are set"
    WRONG_DEAL = "the dealer distributes the tiles wrongly"
    UNUSED_TILES_SEEN = "tiles that are not in play are looked at or handled"
    NOT_HOUSE_WAY = "a hand is not set the House Way"
    LOW_LAID_HIGH = "a player lays the lower hand as the high hand"
    HANDLED_AFTER_SET = "a player handles their tiles after the hand is set"
    HOUSE_WAY_TOUCHED = "a player touches tiles that the dealer sets the House Way"
    HANDLED_BY_ANOTHER = "tiles are handled by a player who does not control the box"
    HAND_DISTURBED = "the dealer knocks down or mixes up a player's tiles when opening the hand"
    HANDS_MIXED = "tiles of two hands are mixed"
    ABSENT_PLAYER = "a player is not there to set their tiles, or does not set them"
    OUT_OF_VIEW = "a player takes tiles out of the dealer's view"
    TILES_EXCHANGED = "players exchange tiles"
    COMMUNICATING = "players are believed to tell each other what tiles they hold"
    SPYING = "a player is suspected of viewing another's tiles or collecting information on them"
    CONCEDED = "a player concedes a hand, by mistake or not"
    ABSTAINS = "a seated player places no wager for three rounds in a row"
    WAGER_UNWANTED = "a supervisor will not take a wager"
    BELOW_MINIMUM = "a wager is below the minimum"
    ABOVE_MAXIMUM = "a wager is above the maximum"
    NOT_PAYABLE = "a wager cannot be paid exactly in chips"
    LATE_WAGER = "a wager is placed, changed or withdrawn after betting has closed"
    ORAL_WAGER = "a wager is only called out"
    INVALID_WAGER = "a wager is invalid because of who made it"
    WRONGLY_SETTLED = "a wager was paid or collected wrongly"
    BANK_NOT_COVERED = "the player-banker cannot or will not cover the wagers"
    PROHIBITED_DEVICE = "a person uses a prohibited device"
    FRAUD = "a fraudulent act is committed"
    DISRUPTION = "the game is disrupted from outside"
    RULE_BROKEN = "a player breaks a rule of the book"
    DISPUTE = "there is a dispute, or something that the book does not cover"


BANKS_HANDS = {Whose.HOUSE: Bank.HOUSE, Whose.CO_BANK: Bank.CO_BANK, Whose.PLAYER_BANKER: Bank.PLAYER}
"""The banking method implied by a bank's hand."""


def code(member: Enum) -> str:
    """The stable code of an irregularity, a milestone or a hand.

    >>> code(Irregularity.WRONG_DEAL), code(Milestone.BANK_PUT_AWAY), code(Whose.CO_BANK)
    ('wrong-deal', 'bank-put-away', 'co-bank')
    """
    return member.name.lower().replace("_", "-")


def by_code(members: type[E], word: str) -> E:
    """The irregularity, milestone or hand with this code.

    Raises:
        IrregularityError: unknown code; the message lists the known ones.
    """
    known = {code(member): member for member in members}
    if word in known:
        return known[word]
    near = get_close_matches(word, known, n=1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    raise IrregularityError(f"no {members.__name__.lower()} is called {word!r}{meant}; known: {', '.join(known)}")


def _under(option: Remedy, bank: Bank | None) -> bool:
    """Whether it applies under this bank; for a bank's hand, a rule's bank only identifies the holder."""
    others = bank is not None and option.whose and not option.whose & {Whose.PLAYER, *_hands_of(bank)}
    return option.under(bank) and not others


def _hands_of(bank: Bank) -> set[Whose]:
    return {whose for whose, holds in BANKS_HANDS.items() if holds is bank}


@dataclass(frozen=True, slots=True)
class Remedies:
    """A book's remedies for one irregularity at one moment.

    Attributes:
        rulebook: the book's id.
        irregularity: the irregularity.
        whose: whose hand, if known and relevant.
        progress: the known progress of the round.
        silent: the book does not cover this; the options are general ones.
        options: in order; empty only for a House Way that is played under no book.
        bank: who banks, if known.
    """

    rulebook: str
    irregularity: Irregularity
    whose: Whose | None
    progress: Progress
    silent: bool
    options: tuple[Remedy, ...]
    bank: Bank | None = None

    def first(self, effect: Effect) -> Remedy | None:
        """The first option with an effect; None without one."""
        return next((option for option in self.options if option.effect is effect), None)

    def surely_open(self, option: Remedy) -> bool:
        """Whether its moment has come and not passed, as far as milestones decide that."""
        return option.surely_open(self.progress)


@dataclass(frozen=True, eq=False)
class Irregularities:
    """A book's rules on irregularities.

    Attributes:
        source: the book.
        said: its options for each kind it covers, in order of consideration.
        silent: the kinds it does not cover; with options if one of our rulings or a general power applies, empty if
            only its rule on disputes remains.
        removal: how it takes a box out of play; None if it never does.
        play: the book's course of a round, for the order of its events and its ladder of titles.
        methods: who may hold the bank in this book (ruling 24).
    """

    source: Source
    said: Mapping[Irregularity, tuple[Remedy, ...]]
    silent: Mapping[Irregularity, tuple[Remedy, ...]]
    play: Play
    methods: frozenset[Bank]
    removal: BoxRemoval | None = None

    def __post_init__(self) -> None:
        """Reject a book that omits a kind or has it twice."""
        twice = self.said.keys() & self.silent.keys()
        forgotten = set(Irregularity) - self.said.keys() - self.silent.keys()
        if twice or forgotten or not self.said.get(Irregularity.DISPUTE):
            wrong = ", ".join(sorted(map(code, twice | forgotten))) or code(Irregularity.DISPUTE)
            raise IrregularityError(f"{self.source.rulebook}: declare each kind once, said or silent; look at {wrong}")
        # Shared rules mention all hands; keep those that this book knows.
        hands = frozenset(self.hands)
        for name, declared in (("said", self.said), ("silent", self.silent)):
            known = {kind: tuple(replace(each, whose=each.whose & hands) for each in declared[kind])
                     for kind in declared}  # fmt: skip
            object.__setattr__(self, name, known)

    def remedies(
        self,
        irregularity: Irregularity,
        whose: Whose | None = None,
        reached: Progress | Iterable[Milestone] | None = None,
        *,
        bank: Bank | None = None,
        holds: Mapping[Given, bool] = MappingProxyType({}),
        rulings: tuple[int, ...] = (),
    ) -> Remedies:
        """The book's remedies; the only source for advice and for what a round's log accepts.

        Args:
            irregularity: the kind of irregularity.
            whose: whose hand it was; None if unknown, which returns all options.
            reached: the progress of the round, used unchanged; or its last milestones, in which case exactly those that
                they imply are reached too; None if unknown.
            bank: who banks; None if unknown. A bank's hand implies it.
            holds: which of the other conditions are known to hold or not to hold.
            rulings: our rulings under which the irregularity is read into what happened; each option then names them.

        Raises:
            IrregularityError: the book does not have this banking method, or the hand does not belong to this bank.
        """
        bank = self._bank_of(whose, bank)
        progress = self.progress(reached, whose, bank)
        options = tuple(
            option.under_rulings(rulings)
            for option in (self.said.get(irregularity) or self.silent[irregularity])
            if option.concerns(whose) and _under(option, bank) and option.fits(holds)
            if option.may_be_open(progress)
        )
        return Remedies(
            rulebook=self.source.rulebook,
            irregularity=irregularity,
            whose=whose,
            progress=progress,
            silent=irregularity in self.silent or not options,
            options=options or self.said[Irregularity.DISPUTE],
            bank=bank,
        )

    @property
    def hands(self) -> tuple[Whose, ...]:
        """The kinds of hand under the book."""
        banks = {whose for whose, bank in BANKS_HANDS.items() if bank in self.methods}
        return tuple(whose for whose in Whose if whose is Whose.PLAYER or whose in banks)

    def _bank_of(self, whose: Whose | None, bank: Bank | None) -> Bank | None:
        implied = BANKS_HANDS.get(whose) if whose is not None else None
        for each in (implied, bank):
            if each is not None and each not in self.methods:
                known = ", ".join(one.value for one in Bank if one in self.methods)
                raise IrregularityError(
                    f"under {self.source.rulebook} nobody banks as {each.value}: the bank is one of {known}"
                )
        if implied is not None and bank is not None and implied is not bank:
            raise IrregularityError(f"{code(whose)} is no hand of a round with the bank {bank.value}")  # type: ignore[arg-type]
        return implied or bank

    def progress(
        self,
        reached: Progress | Iterable[Milestone] | None,
        whose: Whose | None = None,
        bank: Bank | None = None,
        *,
        unless: frozenset[Milestone] = frozenset(),
    ) -> Progress:
        """How far a round has come by its last milestones and all that they imply, for any banker of `bank`.

        `unless` are milestones known not to be reached, which are not implied.
        """
        if reached is None:
            return ANYWHERE
        if isinstance(reached, Progress):
            return reached
        milestones = tuple(reached)
        banks = self.methods if bank is None else {bank}
        known = (so_far(milestones, implied_in(self.play, each), whose, unless=unless) for each in banks)
        return Progress(frozenset.intersection(*known), frozenset())

    def remove_box(
        self, dice: Sequence[int], bank: Bank, bank_box: int = 1, order: BoxOrder = FROM_RIGHT
    ) -> BoxRemoved:
        """Choose the box to take out of play; see `BoxRemoval.throw`.

        Raises:
            IrregularityError: the book takes no box out of play, or not under this bank, or these are not three dice.
        """
        if self.removal is None:
            raise IrregularityError(f"{self.source.rulebook} takes no box out of play by dice")
        return self.removal.throw(dice, bank, bank_box, order)

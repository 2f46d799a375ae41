"""A rulebook as one object: all sections of a document that affect the game, each fact with its citation."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from engine.errors import UnknownRulebookError
from engine.house_way.rules import HouseWay

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from engine.books.contents import Contents
    from engine.settlement.side_wagers.book_rules import SideWagerRules
    from engine.settlement.wagers import SettlementRules, WagerRules
    from engine.tournament.requirements import TournamentRules
    from engine.vocabulary.banking import Banking
    from engine.vocabulary.citations import Source
    from engine.vocabulary.cuts import Cuts
    from engine.vocabulary.dice import Dice
    from engine.vocabulary.facts import Fact
    from engine.vocabulary.irregularities import Irregularities
    from engine.vocabulary.limits import LimitRules
    from engine.vocabulary.play import Play
    from engine.vocabulary.variants import Variant


@dataclass(frozen=True, eq=False)
class Rulebook:
    """The rules of one document.

    Attributes:
        source: the document.
        dice: the dice of Pai Gow, what they decide, and the buttons.
        cuts: the cuts it names, and who decides which is made.
        banking: who may hold the bank, and for how long.
        play: the course of a round.
        wagers: who may wager what and where, and within which limits.
        settlement: how hands are matched and wagers paid, for each banking method.
        irregularities: what must or may be done when something goes wrong.
        contents: all of its rules by number, and those outside the scope of software.
        way: the House Way that it prints; for a book without one, an explanation (a table then names one in its
            configuration, ruling 12).
        variants: variants with their own dice and dealing, by name.
        variant: the one that is played; None for Pai Gow itself.
        side_wagers: Bonus, Tie and Big/Small; None if it has no side wagers.
        tournament: its tournament rules; None if it has none.
        limits: how limits are changed; None if it does not say.
        in_force: the first day of this version; None if the document does not say.
    """

    source: Source
    dice: Dice
    cuts: Cuts
    banking: Banking
    play: Play
    wagers: WagerRules
    settlement: SettlementRules
    irregularities: Irregularities
    contents: Contents
    way: HouseWay | Fact[str]
    variants: Mapping[str, Variant] = field(default_factory=dict)
    variant: str | None = None
    side_wagers: SideWagerRules | None = None
    tournament: TournamentRules | None = None
    limits: LimitRules | None = None
    in_force: date | None = None

    @property
    def id(self) -> str:
        """The id, such as ``crown-6.1``."""
        return self.source.rulebook

    @property
    def version(self) -> str:
        """Name of this version of the document, as used in records."""
        return self.source.revision

    @property
    def prints_house_way(self) -> bool:
        """Whether it prints a House Way of its own."""
        return isinstance(self.way, HouseWay)

    def house_way(self) -> HouseWay:
        """The House Way that it prints.

        Raises:
            UnknownRulebookError: it prints none.
        """
        if isinstance(self.way, HouseWay):
            return self.way
        raise UnknownRulebookError(self.no_house_way)

    @property
    def no_house_way(self) -> str:
        """Why there is no House Way and what to do about it; empty if the book prints one."""
        if isinstance(self.way, HouseWay):
            return ""
        return (
            f"{self.id} prints no House Way ({self.way.value}; ruling {', '.join(map(str, self.way.rulings))}): name "
            "the one this table uses, as house_way in its settings or request, or with --house-way"
        )

    def playing(self, way: HouseWay) -> HouseWay:
        """Return a House Way with the remedies and side bets of this book."""
        if way.irregularities is self.irregularities:
            return way
        side_bets = self.way.side_bets if isinstance(self.way, HouseWay) else ()
        return replace(way, irregularities=self.irregularities, side_bets=side_bets)

    @property
    def dealers_place(self) -> int | None:
        """The box at the dealer's own place; None if the House has a box like any other."""
        box = self.banking.house_box.value
        return box if box > self.play.boxes.value else None

    def dice_of(self, variant: str | None = None) -> Dice:
        """The dice of Pai Gow, or of a variant that has its own, such as ``crown-pai-gow``.

        Raises:
            UnknownRulebookError: the book has no such variant.
        """
        if variant is None:
            return self.dice
        if variant not in self.variants:
            known = ", ".join(self.variants)
            raise UnknownRulebookError(
                f"{self.id} has no variant {variant!r}; it has: {known}" if known else f"{self.id} has no variants"
            )
        return self.variants[variant].dice

    def playing_variant(self, variant: str | None) -> Rulebook:
        """The same book where this variant is played; the book itself for None, and the same object each time.

        Raises:
            UnknownRulebookError: the book has no such variant.
        """
        if variant is None or variant == self.variant:
            return self
        _ = self.dice_of(variant)
        return _playing_variant(self, variant)


@lru_cache(maxsize=64)
def _playing_variant(book: Rulebook, name: str) -> Rulebook:
    """A book with the dice, the banker's box and the dealing of a variant; all its other rules hold."""
    variant = book.variants[name]
    play = replace(book.play, deliver=variant.dealt.cite, retrieve=variant.taken_back)
    return replace(book, dice=variant.dice, banking=variant.dice.banking, play=play, variant=name)

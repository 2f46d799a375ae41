"""A casino's table, checked against its rulebook, and the state a round takes over from earlier ones."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date  # noqa: TC003  the written form reads the annotations
from functools import cached_property
from typing import TYPE_CHECKING

from engine.books.house_ways import way_under
from engine.errors import RecordError, TableError
from engine.game.box_order import BoxOrder
from engine.settlement.wager_checks import check_terms
from engine.settlement.wagers import TableTerms
from engine.vocabulary.citations import Cite  # noqa: TC001  the written form reads the annotations
from engine.vocabulary.cuts import Cut  # noqa: TC001  the written form reads the annotations
from engine.vocabulary.facts import Bank
from engine.vocabulary.limits import Limits  # noqa: TC001  the written form reads the annotations

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.books.book import Rulebook
    from engine.house_way.rules import HouseWay
    from engine.vocabulary.banking import Banking
    from engine.vocabulary.dice import Dice
    from engine.vocabulary.play import Play


def is_whole(value: object) -> bool:
    """Whether it is a whole number (booleans are not)."""
    return type(value) is int


@dataclass(frozen=True, slots=True)
class Table:
    """What a casino allows at one table within its rulebook. None leaves it to the book.

    Attributes:
        banks: consecutive banks that one box may have.
        shared: whether several players at one box may share the bank.
        house_way_boxes: places where the dealer always sets the House Way.
        bank_minimum: funds that a banker must have.
        cuts: the book's cuts approved for the casino; None for all of them.
        variant: the variant played, if it has dice of its own; None for Pai Gow.
        terms: its chips, limits and commission, the side wagers it offers, and from which end its boxes are numbered.
        house_way: the House Way it names, if the book prints none or the casino has its own.
        house_way_on: a day on which the version of it that is played was in force; None for its first version.
    """

    boxes: int | None = None
    methods: frozenset[Bank] | None = None
    banks: int = 1
    shared: bool = False
    players_a_box: int | None = None
    buttons: bool = True
    house_way_boxes: frozenset[int] = frozenset()
    bank_minimum: int = 0
    cuts: frozenset[Cut] | None = None
    variant: str | None = None
    terms: TableTerms = field(default_factory=TableTerms)
    house_way: str | None = None
    house_way_on: date | None = None


@dataclass(frozen=True)
class Setup:
    """A rulebook and a casino's table, checked against each other.

    Attributes:
        way: the House Way that the table names, if it is no longer to be found by that name: one from a file.

    Raises:
        TableError: the table allows what the book does not.
        CutError: an approved cut is not in the book.
        UnknownRulebookError: the book has no such variant, or the House Way named is not known.
        WagerError: chips, limits, commission or side wagers that the book does not know.
    """

    book: Rulebook
    table: Table
    way: HouseWay | None = None

    def __post_init__(self) -> None:
        play, banking, table = self.play, self._played.banking, self.table
        least = 1 if play.fewer_boxes else play.boxes.value
        for what, given, low, high, cite in (
            ("boxes", table.boxes, least, play.boxes.value, play.boxes.cite),
            ("players a box", table.players_a_box, 1, play.players_a_box.value, play.players_a_box.cite),
            ("banks in a row", table.banks, 1, banking.most_banks.value, banking.most_banks.cite),
            ("the least a banker has", table.bank_minimum, 0, None, banking.funds),
        ):
            if given is not None and not (is_whole(given) and low <= given and (high is None or given <= high)):
                span = f"at least {low}" if high is None else f"{low} to {high}"
                raise TableError(f"{what} cannot be {given!r}: under {self.book.id} it is {span} ({cite})")
        if not self.methods <= banking.methods.value or Bank.HOUSE not in self.methods:
            named = ", ".join(sorted(bank.value for bank in banking.methods.value))
            raise TableError(f"the bank under {self.book.id} is held by {named}, the House among them "
                             f"({banking.methods.cite})")  # fmt: skip
        if table.shared and banking.shared is None:
            raise TableError(f"under {self.book.id} nobody shares a bank ({banking.controller})")
        if table.house_way_boxes and play.house_way_boxes is None:
            raise TableError(f"{self.book.id} knows no House Way places ({play.boxes.cite})")
        if not table.house_way_boxes <= set(range(1, self.boxes + 1)):
            raise TableError(f"House Way places are among boxes 1 to {self.boxes} ({play.boxes.cite})")
        if table.cuts is not None and self.book.cuts.approved is None:
            raise TableError(f"under {self.book.id} every cut of the list may be made ({self.book.cuts.cite})")
        for cut in table.cuts or ():
            self.book.cuts.get(cut)
        if table.house_way is not None:
            _ = self.house_way
        check_terms(table.terms, self.book)
        self.book.settlement.commission.rate_at(table.terms.commission)

    @property
    def _played(self) -> Rulebook:
        """The book with the dice and the dealing of the table's variant."""
        return self.book.playing_variant(self.table.variant)

    @property
    def play(self) -> Play:
        return self._played.play

    @cached_property
    def house_way(self) -> HouseWay:
        """The House Way played; errors as of `way_under`."""
        if self.way is not None:
            return self.book.playing(self.way)
        return way_under(self.book, self.table.house_way, self.table.house_way_on)

    def from_now(self, book: Rulebook | None, day: date | None) -> Setup:
        """The same table under a version of its book, and of the House Way that it names, in force on a day.

        None changes nothing. `RecordError` if it is a different book.
        """
        book = book or self.book
        if book.id != self.book.id:
            raise RecordError(f"the table is played under {self.book.id}, not {book.id}: open a table for that one")
        named = self.table.house_way is not None and day is not None
        table = replace(self.table, house_way_on=day) if named else self.table
        return self if book is self.book and table == self.table else Setup(book, table)

    @cached_property
    def order(self) -> BoxOrder:
        return BoxOrder(self.boxes, self.table.terms.box1_at_dealers_right)

    @cached_property
    def banking(self) -> Banking:
        """The book's banking rules, with box numbers of this felt."""
        return self._played.banking.at(self.order)

    @cached_property
    def dice(self) -> Dice:
        return self._played.dice

    @cached_property
    def boxes(self) -> int:
        return self.table.boxes or self.play.boxes.value

    @cached_property
    def places(self) -> int:
        """Number of places dealt to: the boxes, and the dealer's own place if it is not one of them."""
        return max(self.boxes, self.banking.house_box.value)

    @cached_property
    def methods(self) -> frozenset[Bank]:
        return self.banking.methods.value if self.table.methods is None else self.table.methods

    @cached_property
    def players_a_box(self) -> int:
        return self.table.players_a_box or self.play.players_a_box.value

    def after(self, place: int) -> int:
        """The next place counter-clockwise."""
        return self.ring(place)[1 % self.places]

    def ring(self, start: int) -> list[int]:
        """All places counter-clockwise, from this one."""
        return [place for place in self.order.starting_at(start) if place <= self.places]

    def in_turn(self, boxes: Iterable[int], start: int) -> list[int]:
        """Boxes in counter-clockwise order from this place."""
        return sorted(boxes, key=lambda box: self.order.steps(box, start))


@dataclass(frozen=True, slots=True)
class Tenure:
    """A bank that its holder may continue.

    Attributes:
        rounds: rounds of this bank already played.
        banks: consecutive banks already over.
    """

    box: int
    player: str
    rounds: int
    banks: int


@dataclass(frozen=True, slots=True)
class Before:
    """State that a round takes over from earlier ones.

    Attributes:
        offer_from: the box where the offer of the bank starts.
        tenure: the bank that may continue, if any.
        played: who wagered or banked in the previous round, and on which boxes.
        limits: the displayed limits; None for the table's own terms.
        kept: the minimum of each player who started under a different one.
        barred: players who may not continue, with the rule.
        abstained: seated players who placed no wager while every other seat was taken, with the number of rounds.
        notice: rounds played since notice of closing was given; None if it was not.
        closes_at_once: the rule under which it may close without notice.
    """

    commencement: bool = True
    check_due: bool = True
    seats: Mapping[int, str] = field(default_factory=dict)
    offer_from: int = 1
    tenure: Tenure | None = None
    played: Mapping[str, frozenset[int]] = field(default_factory=dict)
    control: Mapping[int, str] = field(default_factory=dict)
    chung: int | None = None
    rotation: frozenset[str] = frozenset()
    out: frozenset[int] = frozenset()
    limits: Limits | None = None
    kept: Mapping[str, int] = field(default_factory=dict)
    barred: Mapping[str, Cite] = field(default_factory=dict)
    abstained: Mapping[str, int] = field(default_factory=dict)
    notice: int | None = None
    closes_at_once: Cite | None = None

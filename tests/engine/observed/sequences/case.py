"""A sequence of one book, and its expected answer in words."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from engine.books.registry import BOOKS
from engine.observed import Departure, ObservedRound
from engine.observed.possible import THE_HOUSE, KnownBank
from engine.round.state.house_table import Setup, Table
from engine.settlement.wagers import TableTerms
from engine.vocabulary.facts import Bank, Whose
from engine.vocabulary.irregularities import Irregularity, Remedies, by_code, code
from engine.vocabulary.remedy import Remedy
from tests.engine.observed.sequences.notation import Notation


def player(box: int | None = None, button: int | None = 0) -> KnownBank:
    """A player banks, at the box of the chung, with this button: None where it is not known."""
    return KnownBank(Bank.PLAYER, box, button)


def co_bank(box: int | None = None, button: int | None = 0) -> KnownBank:
    """A player and the House bank together."""
    return KnownBank(Bank.CO_BANK, box, button)


@dataclass(frozen=True)
class Sequence:
    """What happened, in a plain sentence, and what a camera sees of it.

    Attributes:
        rules: the sections that the answer was written from.
        seen: in the words of `tests.engine.observed.sequences.notation`.
        bank: the known facts about the bank.
        boxes: how many players' boxes the table has; None for the book's number.
        left: whether the boxes are numbered from the dealer's left; None where it is not known.
        side_wagers: whether the table takes side wagers.
        variant: the variant played, such as ``crown-pai-gow``.
    """

    what: str
    rules: str
    seen: str
    bank: KnownBank = field(default=THE_HOUSE, kw_only=True)
    boxes: int | None = field(default=None, kw_only=True)
    left: bool | None = field(default=False, kw_only=True)
    side_wagers: bool = field(default=False, kw_only=True)
    variant: str | None = field(default=None, kw_only=True)

    def observed(self, book: str) -> ObservedRound:
        """The sequence as a round of a book."""
        rules, from_right = BOOKS[book].playing_variant(self.variant), None if self.left is None else not self.left
        boxes = self.boxes or rules.play.boxes.value
        terms = TableTerms(boxes=boxes, box1_at_dealers_right=from_right is not False)
        seen = Notation(Setup(rules, Table(boxes=boxes, terms=terms))).read(self.seen)
        return ObservedRound(rules, boxes, from_right, self.bank, seen, self.side_wagers)


@dataclass(frozen=True)
class Lawful(Sequence):
    """A lawful sequence.

    Attributes:
        notice: the finding of which a person must say whether it is a departure, where an exception may apply.
        log: an event of it, which the log of the worked round accepts at some moment; empty where it has none.
    """

    notice: str = field(default="", kw_only=True)
    log: str = field(default="", kw_only=True)


@dataclass(frozen=True)
class Mistake(Sequence):
    """A mistake, its findings, and the remedies at that moment.

    Attributes:
        found: each finding with its rule, as `finding` writes it.
        remedies: what is to be done about the first of them, as `lines` writes it.
        moment: what has just happened, as a person at the table would say it: for the command and the log.
        told: where no departure is seen: the irregularity that somebody names, and whose hand.
    """

    found: str
    remedies: tuple[str, ...]
    moment: str = field(default="", kw_only=True)
    told: str = field(default="", kw_only=True)

    def answers(self, seen: ObservedRound) -> tuple[Remedies, ...]:
        """The remedies for each cause of what was found, or told, at this point."""
        if not self.told:
            return seen.remedies(seen.departures[0])
        kind, _, whose = self.told.partition(" of ")
        hand = by_code(Whose, whose) if whose else None
        rules = seen.book.irregularities
        return (rules.remedies(by_code(Irregularity, kind), hand, seen.progress, bank=seen.method),)


def finding(found: Departure) -> str:
    """A finding in words: ``wrong_first_box 4.4.2 at 4 due 3``, with ``unless`` and the rule of each exception."""
    parts: list[object] = [found.kind.value, found.rule.section]
    parts += ["box", found.box] if found.box is not None else []
    parts += ["due", *found.due] if found.due else []
    for each in found.unless:
        parts += ["unless", each.rule.section, *([each.by] if each.by else [])]
    return " ".join(map(str, parts))


def lines(found: Iterable[Remedies]) -> tuple[str, ...]:
    """Remedies in words: ``wrong-deal 12.7 must round-void: Dealer``; ``?`` where it depends on what is not seen."""
    return tuple(
        f"{code(each.irregularity)} {line(option)}{'' if each.surely_open(option) else ' ?'}"
        for each in found
        for option in each.options
    )


def line(option: Remedy) -> str:
    rulings = "".join(f" (ruling {number})" for number in option.rulings)
    return f"{option.cite.section} {option.duty.value} {code(option.effect)}: {option.by.words}{rulings}"

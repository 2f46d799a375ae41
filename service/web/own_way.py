"""A House Way that somebody wrote: its faults, its rules, and the hands that the table sets differently.

Nothing is stored and nothing changes at the table. All of it takes some seconds, so it is worked out in another process
than the one that reads the table; what is given is data, never a program.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from engine.analysis.difference import difference
from engine.analysis.edge import COMMISSION
from engine.analysis.house_way_check import check
from engine.books.house_ways import written
from engine.errors import RulebookFileError, UndecidedError
from engine.house_way.written.sheet import WayFileError
from service.web.game_figures import SetOneWay
from service.web.house_way_card import render_card, rules_on_card

if TYPE_CHECKING:
    from datetime import date

    from engine.analysis.difference import Parting
    from engine.analysis.way_finding import WayFinding
    from engine.house_way import Decision, HouseWay, Rule
    from engine.house_way.rules import Place
    from service.rounds.judge.rules_in_force import LoadedRules
    from service.web.house_way_card import RuleOnCard

NAME: Final = "own.toml"
_PLACES: Final = 2
"""Places shown of a finding: the last ones."""


@dataclass(frozen=True, slots=True)
class Found:
    """Something that the check found.

    Attributes:
        fault: whether it must be corrected.
        places: line and column, of the last places concerned.
        words: what is wrong and what to do; a message unless it is text of a book.
        examples: some of the deals concerned, with what happens to them.
        more: how many deals more there are.
    """

    fault: bool
    places: tuple[tuple[int, int], ...]
    words: str
    examples: tuple[str, ...] = ()
    more: int = 0

    @classmethod
    def of(cls, found: WayFinding) -> Found:
        more = len(found.deals) - len(found.examples) if found.examples else 0
        return cls(found.fault, tuple(map(_place, found.places[-_PLACES:])), found.words, found.examples, more)


@dataclass(frozen=True, slots=True)
class RuleShown:
    """A rule in the order in which it is asked, with the number of the 35,960 deals that it decides, and examples."""

    cite: str
    text: str
    decides: int
    examples: tuple[SetOneWay, ...]

    @classmethod
    def of(cls, on_card: RuleOnCard) -> RuleShown:
        return cls(*_rule(on_card.rule), on_card.decides, tuple(map(_set, on_card.examples)))


@dataclass(frozen=True, slots=True)
class PartingShown:
    """The hands that a rule in force and a rule of the file set differently.

    Attributes:
        first: the rule in force, as cited, and its text.
        second: the rule of the file.
        deals: how many of the 35,960 deals.
        weight: what it adds to the house edge if the House alone sets them the second way.
        examples: the kind of hand dealt most often, as either sets it.
    """

    first: tuple[str, str]
    second: tuple[str, str]
    deals: int
    weight: float
    examples: tuple[SetOneWay, SetOneWay]

    @classmethod
    def of(cls, parting: Parting) -> PartingShown:
        often = max(parting.by_kind, key=lambda hands: sum(hand.deal.ways for hand in hands))[0]
        shown = (_set(often.first), _set(often.second))
        return cls(_rule(parting.first), _rule(parting.second), parting.deals, float(parting.weight), shown)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The hands that a House Way and the one in force set differently.

    Attributes:
        deals: how many of the 35,960 deals.
        kinds: how many kinds of hand (by rank), of 3,620.
        gain: what the House keeps more of each unit wagered if it alone changes.
        partings: the hands by the two rules that differ, the most often dealt first.
    """

    deals: int
    kinds: int
    gain: float
    partings: tuple[PartingShown, ...]


@dataclass(frozen=True, slots=True)
class OwnWay:
    """All that the page says of a House Way.

    Attributes:
        findings: faults first; empty if there is nothing to say.
        title: of the House Way with its revision; empty if it cannot be read.
        in_force: id of the House Way at the table; empty if it is not compared.
        rules: empty if it cannot be read, or leaves a deal without a setting.
        compared: with the one in force; None likewise.
        card: an HTML page to print, of its own; empty likewise.
    """

    findings: tuple[Found, ...]
    title: str = ""
    in_force: str = ""
    rules: tuple[RuleShown, ...] = ()
    compared: Comparison | None = None
    card: str = ""

    @property
    def faults(self) -> int:
        """How many of the findings must be corrected."""
        return sum(each.fault for each in self.findings)


def examine(table: LoadedRules, day: date, text: str) -> OwnWay:
    """Check a House Way, and compare it with the one in force; seconds of work.

    Args:
        table: the rules that the table is judged by, as they were loaded.
        day: whose versions are compared.
        text: of the file to check.
    """
    try:
        way = written(text.encode(), NAME)
    except WayFileError as error:
        return OwnWay(tuple(Found(True, (_place(each.place),), each.words) for each in error.mistakes))  # noqa: FBT003
    except RulebookFileError as error:
        return OwnWay((Found(True, (), error.reason),))  # noqa: FBT003
    found = check(way)
    findings, title = tuple(map(Found.of, found.findings)), f"{way.source.title}, {way.source.revision}"
    way = way.on(day)
    in_force = table.rules.on(day).house_way
    try:
        on_card = rules_on_card(way)
        card, compared = render_card(way, on_card), _compared(in_force, way)
    except UndecidedError:
        return OwnWay(findings, title)
    return OwnWay(findings, title, in_force.rulebook, tuple(map(RuleShown.of, on_card)), compared, card)


def _compared(first: HouseWay, second: HouseWay) -> Comparison:
    found = difference(first, second, COMMISSION)
    gain = float(found.house_alone_edge - found.first_edge)
    return Comparison(found.deals, found.kinds, gain, tuple(map(PartingShown.of, found.partings)))


def _set(decision: Decision) -> SetOneWay:
    return SetOneWay(decision.setting, str(decision.rule.cite))


def _rule(rule: Rule) -> tuple[str, str]:
    return str(rule.cite), rule.text


def _place(place: Place) -> tuple[int, int]:
    return place.line, place.column

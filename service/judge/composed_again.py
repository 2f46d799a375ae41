"""What the record says in English about House Way and remedies, composed again of values for other languages.

The record keeps the English sentences, and they are the authority. Composing them again gives the values behind them;
only where that gives the recorded sentence to the letter is it said in another language, else it is quoted.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from engine.errors import EngineError
from engine.game.hands import Hand
from engine.game.ranking import outranks
from engine.game.setting import Deal, Setting
from engine.game.tiles import Tile
from engine.house_way.rules import Moment
from engine.vocabulary.facts import Milestone, Whose
from engine.vocabulary.irregularities import Irregularity, Remedies, code
from service.words.house_way import verdict_words
from service.words.irregularities import remedies_words, remedy_words
from service.words.wording import Quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from engine.house_way import HouseWay
    from engine.vocabulary.irregularities import Irregularities
    from engine.vocabulary.remedy import Remedy
    from service.rounds.reports import FindingReport, HandReport, HouseWayReport, RemedyReport
    from service.words.wording import Sayable

_WHOSE: Final = (None, *Whose)
_REACHED: Final[tuple[frozenset[Milestone] | None, ...]] = (None, frozenset())


def explanation_of(hand: HandReport, judged: HouseWayReport, house_way: HouseWay) -> Sayable:
    """Whether a hand lies the House Way, and how it should be."""
    try:
        low, high = (Hand.of(map(Tile.parse, pair)) for pair in (hand.low, hand.high))
        verdict = house_way.judge(Deal.of((*low.tiles, *high.tiles)), Setting.of(low, high))
    except EngineError:
        return Quote(judged.explanation)
    other_way = outranks(low, high)
    found = (verdict_words(replace(verdict, whose=whose), laid_other_way=other_way) for whose in Whose)
    return _same(judged.explanation, found)


def remedy_of(judged: HouseWayReport, house_way: HouseWay) -> Sayable:
    """What may be done about a hand that is not set the House Way."""
    rules = house_way.irregularities
    hands = Whose if rules is None else rules.hands
    found = (remedies_words(house_way.remedies(whose, moment)) for whose in hands for moment in (None, *Moment))
    return _same(judged.remedy or "", found)


def remedies_of(found: FindingReport, house_way: HouseWay) -> Sayable:
    """What the rulebook has for a finding of a round."""
    rules = house_way.irregularities
    if rules is None or not found.options:
        return Quote(found.remedy or "")
    return _composed(found.remedy or "", found.options, rules)


def _same(recorded: str, composed: Iterable[Sayable]) -> Sayable:
    return next((words for words in composed if str(words) == recorded), Quote(recorded))


@lru_cache(maxsize=1024)
def _composed(recorded: str, options: tuple[RemedyReport, ...], rules: Irregularities) -> Sayable:
    return _same(recorded, (remedies_words(each) for each in _possible(recorded, options, rules)))


def _possible(recorded: str, options: tuple[RemedyReport, ...], rules: Irregularities) -> Iterator[Remedies]:
    """What may have been asked of the book: whose hand it was, and whether the moment was known, is not recorded."""
    kinds = [kind for kind in Irregularity if kind.value in recorded]
    for whose in _WHOSE:
        for reached in _REACHED:
            asked = Remedies(rules.source.rulebook, Irregularity.DISPUTE, whose, reached, silent=False, options=())
            found = replace(asked, options=tuple(_declared(recorded, options, asked, rules)))
            if len(found.options) == len(options):
                yield found
                yield from (replace(found, irregularity=kind, silent=True) for kind in kinds)


def _declared(
    recorded: str, options: Iterable[RemedyReport], asked: Remedies, rules: Irregularities
) -> Iterator[Remedy]:
    """What the book declares that was reported so, one after the other as the recorded words say it."""
    for report in options:
        said = [
            (recorded.find(words), words, option)
            for declared in (*rules.said.values(), *rules.silent.values())
            for option in declared
            if (option.cite, code(option.effect), option.where) == (report.rule, report.effect, report.where)
            for words in [str(remedy_words(asked, option))]
        ]
        at, words, option = min(
            (each for each in said if each[0] >= 0), key=lambda each: each[0], default=(-1, "", None)
        )
        if option is None:
            return
        recorded = recorded[at + len(words) :]
        yield option

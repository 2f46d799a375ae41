"""Sentences about rounds, made from their values where a person or a program reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.errors import EngineError
from engine.game.hands import Hand
from engine.game.ranking import outranks
from service.judge.remedies import remedies_of
from service.judge.verdicts import verdict_on
from service.rounds.reports import parse_pair
from service.words.findings import words_of
from service.words.house_way import verdict_remedy, verdict_words
from service.words.irregularities import remedies_words
from service.words.wording import sentence, words

if TYPE_CHECKING:
    from engine.books.book import Rulebook
    from engine.house_way import HouseWay, Verdict
    from engine.house_way.rules import Moment
    from service.rounds.reports import FindingReport, HandReport
    from service.words.wording import Sayable

_NOT_JUDGED = sentence("Not judged: a person must look at this hand first.")
_NOT_EXPLAINED = sentence("The House Way that judged this hand is not available here, so it cannot be explained.")


@dataclass(frozen=True, slots=True)
class Explanation:
    """The sentences about a judged hand.

    Attributes:
        explanation: whether it lies the House Way, and how it should be.
        rule_text: the deciding rule in its book's words or close to them; None if it is unknown here.
        remedy: what may be done about it at this moment; None if it is right, or unknown here.
    """

    explanation: Sayable
    rule_text: str | None = None
    remedy: Sayable | None = None

    @property
    def english(self) -> tuple[str, ...]:
        """Remedy, rule and explanation in English, as far as there are any."""
        return tuple(str(each) for each in (self.remedy, self.rule_text, self.explanation) if each is not None)


def explain(hand: HandReport, way: HouseWay, moment: Moment | None = None) -> Explanation:
    """Explain the verdict on a hand, by the House Way that judged it and for this moment of its round."""
    if hand.house_way is None or hand.house_way.verdict == "needs_review":
        return Explanation(words(_NOT_JUDGED))
    verdict = _verdict(hand, way, moment)
    if verdict is None:
        return Explanation(words(_NOT_EXPLAINED))
    # Ruling 18: the higher hand is the high hand, however the two were laid.
    low, high = (Hand(*parse_pair(pair)) for pair in (hand.low, hand.high))
    said = verdict_words(verdict, laid_other_way=outranks(low, high))
    return Explanation(said, verdict.decision.rule.text, verdict_remedy(verdict))


def remedies_words_of(found: FindingReport, book: Rulebook | None) -> Sayable | None:
    """What a rulebook has for a finding; None for nothing."""
    remedies = remedies_of(found, book)
    return None if remedies is None else remedies_words(remedies)


def message_of(found: FindingReport, book: Rulebook | None) -> str:
    """A finding in English, with its rule and what this rulebook has for it."""
    rule = f" ({found.rule})" if found.rule else ""
    remedy = remedies_words_of(found, book)
    return f"{words_of(found.alone)}{rule}" + ("" if remedy is None else f". {remedy}")


def _verdict(hand: HandReport, way: HouseWay, moment: Moment | None = None) -> Verdict | None:
    """The verdict once more, with its reasons; None where it is not the recorded one, so that nothing false is said."""
    judged = hand.house_way
    if judged is None or judged.verdict == "needs_review":
        return None
    try:
        verdict = verdict_on(hand, way, moment)
    except EngineError:
        return None
    return (
        verdict if (verdict.correct, verdict.decision.rule.cite) == (judged.verdict == "correct", judged.rule) else None
    )

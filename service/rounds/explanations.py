"""Explanations of recorded rounds and findings, made from their values when they are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.errors import EngineError
from engine.game.hands import Hand
from engine.game.ranking import outranks
from service.rounds.judge.remedies import remedies_of
from service.rounds.judge.verdicts import verdict_on
from service.rounds.reports import parse_pair
from service.words.findings import words_of
from service.words.rule_sentences import remedies_words, verdict_remedy, verdict_words
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
        explanation: whether it is set the House Way, and how it should be.
        rule_text: the deciding rule in its book's words or close to them; None if unknown.
        remedy: what may be done about it at this moment; None if it is set right, or unknown.
    """

    explanation: Sayable
    rule_text: str | None = None
    remedy: Sayable | None = None

    @property
    def english(self) -> tuple[str, ...]:
        """Remedy, rule and explanation in English, without missing ones."""
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
    explanation = verdict_words(verdict, laid_other_way=outranks(low, high))
    return Explanation(explanation, verdict.decision.rule.text, verdict_remedy(verdict))


def remedies_words_of(found: FindingReport, book: Rulebook | None) -> Sayable | None:
    """Return a rulebook's remedies for a finding, if it has any."""
    remedies = remedies_of(found, book)
    return None if remedies is None else remedies_words(remedies)


def message_of(found: FindingReport, book: Rulebook | None) -> str:
    """Return a finding in English, with its rule and this rulebook's remedies."""
    rule = f" ({found.rule})" if found.rule else ""
    remedy = remedies_words_of(found, book)
    return f"{words_of(found.alone)}{rule}" + ("" if remedy is None else f". {remedy}")


def _verdict(hand: HandReport, way: HouseWay, moment: Moment | None = None) -> Verdict | None:
    """Judge the hand again, for the reasons; None if the verdict is not the recorded one."""
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

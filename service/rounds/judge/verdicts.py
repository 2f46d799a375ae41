"""Judge verified hands by a House Way, and explain the verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibration.table.places import Place, PlaceKind
from engine.errors import EngineError
from engine.game.hands import Hand
from engine.game.ranking import outranks
from engine.game.setting import Deal, Setting
from engine.vocabulary.facts import Whose
from engine.vocabulary.irregularities import Irregularity
from service.rounds.bank import known_bank
from service.rounds.judge.throws import report_throw
from service.rounds.reports import (
    MOMENT_OF,
    HandReport,
    HouseWayReport,
    ReadingReport,
    RoundReport,
    SettingReport,
    parse_pair,
)
from service.words.codes import ServiceCode
from service.words.doubts import DoubtReport
from service.words.rule_sentences import correction_words, stage_question, verdict_words
from service.words.wording import sentence, words
from vision.draw.tile_card import HandCaption
from vision.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Literal

    from engine.books.book import Rulebook
    from engine.house_way import HouseWay, Verdict
    from engine.house_way.rules import Moment
    from engine.vocabulary.irregularities import Remedies
    from service.rounds.judge.rules_in_force import RulesInForce
    from service.rounds.reports import RoundMoment
    from service.words.wording import Sayable

_NOT_JUDGED = sentence("Not judged: a person must look at this hand first.")
_NOT_EXPLAINED = sentence("The House Way that judged this hand is not available here, so it cannot be explained.")


def judge_round(played: RoundReport, rules: RulesInForce) -> RoundReport:
    """Fill in verdicts, throw, status, and the versions of the rules."""
    hands = tuple(judge_hand(hand, rules.house_way, asked=hand.place in played.asked) for hand in played.hands)
    return played.model_copy(
        update={
            "rulebook": rules.rulebook,
            "house_way": rules.house_way.rulebook,
            "versions": dict(sorted({**played.versions, **rules.versions}.items())),  # as the record has them
            "hands": hands,
            "throw": report_throw(played.dice, rules.book, played.order, known_bank(played.bank)),
            "status": status_of(played, hands),
        }
    )


def judge_reading(reading: ReadingReport, rules: RulesInForce) -> ReadingReport:
    """Fill in the verdicts on the hands of one picture."""
    return reading.model_copy(
        update={
            "rulebook": rules.rulebook,
            "house_way": rules.house_way.rulebook,
            "hands": tuple(judge_hand(hand, rules.house_way) for hand in reading.hands),
        }
    )


def judge_hand(hand: HandReport, house_way: HouseWay, *, asked: bool = False) -> HandReport:
    """Judge a hand if it is the House's, or one that the dealer was asked to set."""
    if not (asked or _is_judged(hand)):
        return hand.model_copy(update={"house_way": None})
    return hand.model_copy(update={"house_way": _judged(hand, house_way)})


def verdict_on(hand: HandReport, house_way: HouseWay, moment: Moment | None = None) -> Verdict:
    """The engine's verdict on a hand as it lies.

    Args:
        hand: as it lies.
        house_way: by which it is judged.
        moment: how far the round has come, on which the remedy depends; None if unknown.

    Raises:
        EngineError: these four tiles cannot be judged.
    """
    low, high = parse_pair(hand.low), parse_pair(hand.high)
    laid = Setting.of(Hand(*low), Hand(*high))
    return house_way.judge(Deal.of((*low, *high)), laid, whose=_whose(hand.place), moment=moment)


def remedies_at(place: str, book: Rulebook | None, moment: RoundMoment | None) -> Remedies | None:
    """A rulebook's remedies for a hand set wrongly at a place, at this moment; None without a book."""
    if book is None:
        return None
    reached = None if moment is None else MOMENT_OF[moment].reached
    return book.irregularities.remedies(Irregularity.NOT_HOUSE_WAY, _whose(place), reached)


def remedies_of_hand(hand: HandReport, house_way: HouseWay, moment: Moment | None) -> Remedies | None:
    """The rulebook's remedies for a hand as it lies; None if it lies the House Way, or cannot be judged again."""
    verdict = _recorded_verdict(hand, house_way, moment)
    return None if verdict is None else verdict.remedies


def status_of(
    played: RoundReport, hands: Sequence[HandReport] | None = None
) -> Literal["verified", "confirmed", "needs_review"]:
    """A round is as sure as its least sure part; that a hand does not lie is a person's word.

    That the round was not seen to its end is in doubt until a person says what was done about it.

    Args:
        played: the round.
        hands: its judged hands; those of ``played`` if omitted.
    """
    parts = {hand.status for hand in (played.hands if hands is None else hands)}
    parts |= {die.status for die in played.dice} | {"confirmed" for _ in played.absent}
    parts |= {"uncertain" if found in played.left_unseen else "confirmed" for found in played.not_seen}
    return "needs_review" if "uncertain" in parts else "confirmed" if "confirmed" in parts else "verified"


def _is_judged(hand: HandReport) -> bool:
    """The House hand; and where no calibration says whose hands they are, every hand."""
    return _whose(hand.place) is Whose.HOUSE


def _whose(place: str) -> Whose:
    return Whose.HOUSE if Place.parse(place).kind in (PlaceKind.HOUSE, PlaceKind.HAND) else Whose.PLAYER


def _judged(hand: HandReport, house_way: HouseWay) -> HouseWayReport:
    if hand.status == "uncertain":
        return _needs_review(hand.doubts or (DoubtReport(code=ServiceCode.TILES_NOT_CERTAIN),))
    try:
        verdict = verdict_on(hand, house_way)
    except EngineError as error:
        return _needs_review((DoubtReport.of(Finding.of(ServiceCode.CANNOT_BE_JUDGED, why=str(error))),))
    return HouseWayReport(
        verdict="correct" if verdict.correct else "wrong",
        expected=SettingReport.of(verdict.decision.setting),
        choices=tuple(map(SettingReport.of, verdict.decision.choices)),
        rule=verdict.decision.rule.cite,
    )


def _needs_review(doubts: tuple[DoubtReport, ...]) -> HouseWayReport:
    return HouseWayReport(verdict="needs_review", expected=None, rule=None, doubts=doubts)


@dataclass(frozen=True, slots=True)
class Explanation:
    """The sentences about a judged hand.

    Attributes:
        explanation: whether it is set the House Way, and how it should be.
        rule_text: the deciding rule in its book's words or close to them; None if unknown.
        remedies: of the rulebook at this moment; None if it is set right, or unknown.
    """

    explanation: Sayable
    rule_text: str | None = None
    remedies: Remedies | None = None

    @property
    def remedy(self) -> Sayable | None:
        """What to do about it at this moment; None if nothing."""
        return None if self.remedies is None else correction_words(self.remedies)

    @property
    def stage_question(self) -> Sayable | None:
        """The question on which that depends, if the stage of the round is not known."""
        return None if self.remedies is None else stage_question(self.remedies)

    @property
    def english(self) -> tuple[str, ...]:
        """Remedy, rule and explanation in English, without missing ones."""
        return tuple(str(each) for each in (self.remedy, self.rule_text, self.explanation) if each is not None)


def explain(hand: HandReport, way: HouseWay, moment: Moment | None = None) -> Explanation:
    """Explain the verdict on a hand, by the House Way that judged it and for this moment of its round."""
    if hand.house_way is None or hand.house_way.verdict == "needs_review":
        return Explanation(words(_NOT_JUDGED))
    verdict = _recorded_verdict(hand, way, moment)
    if verdict is None:
        return Explanation(words(_NOT_EXPLAINED))
    # Ruling 18: the higher hand is the high hand, however the two were laid.
    low, high = (Hand(*parse_pair(pair)) for pair in (hand.low, hand.high))
    explanation = verdict_words(verdict, laid_other_way=outranks(low, high))
    return Explanation(explanation, verdict.decision.rule.text, verdict.remedies)


def _recorded_verdict(hand: HandReport, way: HouseWay, moment: Moment | None = None) -> Verdict | None:
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


def captions_of(hands: Iterable[HandReport]) -> dict[str, HandCaption]:
    """By place, the caption that is drawn beside each judged hand."""
    return {hand.place: _caption(hand.house_way) for hand in hands if hand.house_way is not None}


def _caption(judged: HouseWayReport) -> HandCaption:
    if judged.verdict == "needs_review" or judged.expected is None:
        return HandCaption("Needs review", "doubt")
    if judged.verdict == "correct":
        return HandCaption(f"Set correctly ({judged.rule})", "good")
    right = (judged.expected, *judged.choices)
    should_be = " or ".join(f"low {' '.join(one.low)}, high {' '.join(one.high)}" for one in right)
    return HandCaption(f"Set wrongly: should be {should_be} ({judged.rule})", "bad")

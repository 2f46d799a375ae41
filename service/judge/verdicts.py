"""Verdicts on hands, given on verified ones only: nothing is worked out from tiles that were guessed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import EngineError
from engine.game.hands import Hand
from engine.game.ranking import outranks
from engine.game.setting import Deal, Setting
from engine.vocabulary.facts import Whose
from service.codes import ServiceCode
from service.rounds.reports import HouseWayReport, SettingReport
from service.words.coded import DoubtReport
from service.words.findings import english
from service.words.house_way import verdict_remedy, verdict_words
from vision.draw.tile_card import HandCaption
from vision.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.house_way import HouseWay
    from engine.house_way.rules import Moment
    from service.rounds.reports import HandReport
    from vision.reading import HandReading


def judge_hand(
    hand: HandReading, house_way: HouseWay, *, whose: Whose = Whose.HOUSE, moment: Moment | None = None
) -> HouseWayReport:
    """Say whether a hand lies the House Way, or why that cannot be said.

    Args:
        hand: as it lies.
        house_way: what it is judged by.
        whose: whose hand it is; the dealer also sets players' hands when asked.
        moment: how far the round has come, on which the remedy depends; None if unknown.
    """
    if hand.status != "verified":
        return _needs_review(hand.doubts or (Finding(ServiceCode.TILES_NOT_CERTAIN),))
    try:
        low, high = Hand(*hand.low), Hand(*hand.high)
        verdict = house_way.judge(Deal.of((*hand.low, *hand.high)), Setting.of(low, high), whose=whose, moment=moment)
    except EngineError as error:
        return _needs_review((Finding.of(ServiceCode.CANNOT_BE_JUDGED, why=str(error)),))
    laid_other_way = outranks(low, high)  # ruling 18: the higher hand is the high hand; the record says how it lay
    remedy = verdict_remedy(verdict)
    return HouseWayReport(
        verdict="correct" if verdict.correct else "wrong",
        expected=SettingReport.of(verdict.decision.setting),
        choices=tuple(map(SettingReport.of, verdict.decision.choices)),
        rule=verdict.decision.rule.cite,
        rule_text=verdict.decision.rule.text,
        explanation=str(verdict_words(verdict, laid_other_way=laid_other_way)),
        remedy=None if remedy is None else str(remedy),
    )


def _needs_review(doubts: tuple[Finding, ...]) -> HouseWayReport:
    return HouseWayReport(
        verdict="needs_review",
        expected=None,
        rule=None,
        explanation="Not judged: a person must look at this hand first.",
        remedy=None,
        reasons=english(doubts),
        doubts=tuple(map(DoubtReport.of, doubts)),
    )


def captions_of(hands: Iterable[HandReport]) -> dict[str, HandCaption]:
    """By place, what a drawn picture says beside each judged hand."""
    return {hand.place: _caption(hand.house_way) for hand in hands if hand.house_way is not None}


def _caption(judged: HouseWayReport) -> HandCaption:
    if judged.verdict == "needs_review" or judged.expected is None:
        return HandCaption("Needs review", "doubt")
    if judged.verdict == "correct":
        return HandCaption(f"Set correctly ({judged.rule})", "good")
    right = (judged.expected, *judged.choices)
    should_be = " or ".join(f"low {' '.join(one.low)}, high {' '.join(one.high)}" for one in right)
    return HandCaption(f"Set wrongly: should be {should_be} ({judged.rule})", "bad")

"""Verdicts on hands and throws, given on verified ones only: nothing is worked out from tiles that were guessed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.books.registry import BOOKS
from engine.errors import EngineError
from engine.game.hands import Hand
from engine.game.ranking import outranks
from engine.game.setting import Deal, Setting
from engine.vocabulary.facts import Whose
from service.codes import ServiceCode
from service.judge.throws import ThrownDie, decided
from service.rounds.reports import HouseWayReport, SettingReport, ThrowReport
from service.rounds.restored import doubts_of
from service.words.coded import DoubtReport
from service.words.findings import english
from service.words.house_way import verdict_remedy, verdict_words
from vision.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.house_way import HouseWay
    from engine.house_way.rules import Moment
    from service.rounds.reports import DieReport
    from vision.reading import HandReading


def judge_hand(
    hand: HandReading, house_way: HouseWay, *, whose: Whose = Whose.HOUSE, moment: Moment | None = None
) -> HouseWayReport:
    """Say whether a hand lies the House Way, or why that cannot be said.

    Args:
        hand: as it lies.
        house_way: what it is judged by.
        whose: whose hand it is; the dealer also sets players' hands when asked.
        moment: how far the round has come, on which the remedy depends; None where that is not known.
    """
    if hand.status != "verified":
        return _needs_review(hand.doubts or (Finding(ServiceCode.TILES_NOT_CERTAIN),))
    try:
        low, high = Hand(*hand.low), Hand(*hand.high)
        verdict = house_way.judge(Deal.of((*hand.low, *hand.high)), Setting.of(low, high), whose=whose, moment=moment)
    except EngineError as error:
        return _needs_review((Finding.of(ServiceCode.CANNOT_BE_JUDGED, why=str(error)),))
    laid_other_way = outranks(low, high)  # ruling 18: the higher hand is the high hand; the record says how it lay
    note = " The pair laid as the low hand outranks the other, so it was judged as the high hand."
    return HouseWayReport(
        verdict="correct" if verdict.correct else "wrong",
        expected=SettingReport.of(verdict.decision.setting),
        rule=verdict.decision.rule.cite,
        rule_text=verdict.decision.rule.text,
        explanation=verdict_words(verdict) + (note if laid_other_way else ""),
        remedy=verdict_remedy(verdict),
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


def report_throw(dice: Sequence[DieReport], house_way: HouseWay) -> ThrowReport | None:
    """What the dice decide, under a rulebook that knows dice."""
    book = BOOKS.get(house_way.played_under)
    if not dice or book is None:
        return None
    thrown = [ThrownDie(die.value, die.role, die.cocked, die.status, doubts_of(die)) for die in dice]
    said = decided(thrown, book)
    return ThrowReport(
        total=said.total,
        first_box=said.first_box,
        cut=said.cut,
        rule=said.rule,
        status=said.status,
        reasons=english(said.doubts),
        doubts=tuple(map(DoubtReport.of, said.doubts)),
    )

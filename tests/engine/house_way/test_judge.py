"""Verdicts: what lies right, what does not, and what each book allows to be done about it."""

import pytest

from engine.books.house_ways import get
from engine.errors import IllegalSettingError
from engine.game.setting import Deal, Setting
from engine.house_way import Moment, Whose
from engine.vocabulary.facts import Milestone
from engine.vocabulary.remedy import Effect

DEAL = Deal.parse("6-6 6-3 5-4 2-1")
RIGHT = Setting.parse("6-6 2-1 / 6-3 5-4")
WRONG = Setting.parse("5-4 2-1 / 6-6 6-3")


def test_a_hand_that_is_set_right_needs_no_remedy() -> None:
    verdict = get("crown-6.1").judge(DEAL, RIGHT)
    assert (verdict.correct, verdict.refused_by, verdict.remedies) == (True, None, None)
    assert verdict.decision.rule.cite == "crown-6.1 7.3"


def test_a_hand_that_is_set_wrong_is_explained_and_put_right() -> None:
    """crown-6.1 7.5.7; star-2024 5.1; star-classic 5."""
    verdict = get("crown-6.1").judge(DEAL, WRONG, moment=Moment.NO_HAND_EXPOSED)
    assert (verdict.correct, verdict.laid, verdict.decision.setting) == (False, WRONG, RIGHT)
    assert verdict.refused_by is not None
    assert verdict.refused_by.cite == "crown-6.1 7.3"
    assert verdict.remedies is not None
    (option,) = verdict.remedies.options
    assert (option.effect, option.before, option.cite) == (
        Effect.AS_SET_NOW,
        Milestone.BANK_PUT_AWAY,
        "crown-6.1 12.5",
    )


def test_hands_laid_the_other_way_round_are_the_same_setting() -> None:
    laid = Setting.of(RIGHT.high, RIGHT.low)
    assert get("crown-6.1").judge(DEAL, laid).correct


def test_settings_that_rank_alike_are_both_the_house_way() -> None:
    deal = Deal.parse("6-6 6-5 6-1 5-2")
    way = get("crown-6.1")
    assert way.judge(deal, Setting.parse("6-5 6-1 / 6-6 5-2")).correct
    assert way.judge(deal, Setting.parse("6-5 5-2 / 6-6 6-1")).correct
    assert not way.judge(deal, Setting.parse("6-6 6-5 / 6-1 5-2")).correct


def test_faces_of_one_rank_may_be_exchanged() -> None:
    deal = Deal.parse("6-6 6-4 6-3 5-4")
    for laid in ("6-4 5-4 / 6-6 6-3", "6-4 6-3 / 6-6 5-4"):
        assert get("crown-6.1").judge(deal, Setting.parse(laid)).correct


def test_a_setting_of_other_tiles_is_refused() -> None:
    with pytest.raises(IllegalSettingError, match="is not made of the tiles"):
        get("crown-6.1").judge(DEAL, Setting.parse("4-4 2-1 / 6-6 6-3"))


def test_a_book_that_is_silent_leaves_it_to_the_supervisor() -> None:
    remedies = get("star-classic").remedies(Whose.PLAYER)
    assert remedies.silent
    assert remedies.options[0].cite == "star-classic 16.11"

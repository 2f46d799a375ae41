"""Verdicts: what lies right, what does not, and what each book allows to be done about it."""

import pytest

from engine.books.house_ways import get
from engine.errors import IllegalSettingError
from engine.game.setting import Deal, Setting
from engine.house_way import HouseWay, Moment, Whose
from engine.vocabulary.facts import Milestone
from engine.vocabulary.remedy import Effect, Remedy

DEAL = Deal.parse("6-6 6-3 5-4 2-1")
RIGHT = Setting.parse("6-6 2-1 / 6-3 5-4")
WRONG = Setting.parse("5-4 2-1 / 6-6 6-3")
UNTIL_PUT_AWAY, UNTIL_EXPOSED = Milestone.BANK_PUT_AWAY, Milestone.FIRST_HAND_EXPOSED


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


# Ruling 33: until when a hand may be corrected, and the rule that says so.
REMEDIES = [
    ("crown-6.1", Whose.HOUSE, UNTIL_PUT_AWAY, "12.5"),
    ("crown-6.1", Whose.CO_BANK, UNTIL_PUT_AWAY, "12.5"),
    ("crown-6.1", Whose.PLAYER_BANKER, UNTIL_PUT_AWAY, "12.5"),
    ("crown-6.1", Whose.PLAYER, UNTIL_PUT_AWAY, "12.5"),
    ("nz-1998", Whose.HOUSE, UNTIL_EXPOSED, "12.8"),
    ("nz-1998", Whose.CO_BANK, UNTIL_EXPOSED, "12.8"),
    ("nz-1998", Whose.PLAYER_BANKER, UNTIL_EXPOSED, "12.8"),
    ("nz-1998", Whose.PLAYER, UNTIL_EXPOSED, "10.6"),
    ("star-2024", Whose.HOUSE, UNTIL_EXPOSED, "15.7"),
    ("star-2024", Whose.PLAYER_BANKER, UNTIL_EXPOSED, "15.7"),
    ("star-2024", Whose.PLAYER, UNTIL_PUT_AWAY, "15.8"),
    ("star-classic", Whose.HOUSE, UNTIL_EXPOSED, "15.7"),
    ("star-classic", Whose.CO_BANK, UNTIL_EXPOSED, "15.7"),
    ("star-classic", Whose.PLAYER_BANKER, UNTIL_EXPOSED, "15.7"),
]


@pytest.mark.parametrize(("book", "whose", "event", "section"), REMEDIES)
def test_ruling_33(book: str, whose: Whose, event: Milestone, section: str) -> None:
    way = get(book)
    last = Moment.NO_HAND_EXPOSED if event is UNTIL_EXPOSED else Moment.FIRST_HAND_EXPOSED
    for moment in Moment:
        (option,) = _options(way, whose, moment)
        if moment.value <= last.value:
            assert (option.effect, option.before) == (Effect.AS_SET_NOW, event)
        else:
            assert (option.effect, option.after) == (Effect.RESULTS_STAND, event)
    right, left = _options(way, whose, None)
    assert (right.effect, right.before, left.effect, left.after) == (
        Effect.AS_SET_NOW,
        event,
        Effect.RESULTS_STAND,
        event,
    )
    assert any(option.cite.section.startswith(section) for option in (right, left))


def _options(way: HouseWay, whose: Whose, moment: Moment | None) -> tuple[Remedy, ...]:
    remedies = way.judge(DEAL, WRONG, whose=whose, moment=moment).remedies
    assert remedies is not None
    return remedies.options


def test_a_book_that_is_silent_leaves_it_to_the_supervisor() -> None:
    remedies = get("star-classic").remedies(Whose.PLAYER)
    assert remedies.silent
    assert remedies.options[0].cite == "star-classic 16.11"

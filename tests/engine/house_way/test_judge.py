"""Verdicts: what lies right, what does not, and what each book allows to be done about it."""

import pytest

from engine.books.house_ways import get
from engine.errors import IllegalSettingError
from engine.game.setting import Deal, Setting
from engine.house_way import HouseWay, Moment, Whose

DEAL = Deal.parse("6-6 6-3 5-4 2-1")
RIGHT = Setting.parse("6-6 2-1 / 6-3 5-4")
WRONG = Setting.parse("5-4 2-1 / 6-6 6-3")
UNTIL_PUT_AWAY, UNTIL_EXPOSED = "put away", "first player's hand"


def test_a_hand_that_lies_right_needs_no_remedy() -> None:
    verdict = get("crown-6.1").judge(DEAL, RIGHT)
    assert (verdict.correct, verdict.remedy) == (True, None)
    assert verdict.explanation == (
        "The House hand lies the House Way: low 6-6 2-1 (8 with the Teen), high 6-3 5-4 (pair of nines). "
        "crown-6.1 7.3: A pair is kept, unless the list of combinations to be split names the other two tiles "
        "(read under ruling 5)."
    )


def test_a_hand_that_lies_wrong_is_explained_and_put_right() -> None:
    """crown-6.1 7.5.7; star-2024 5.1; star-classic 5."""
    verdict = get("crown-6.1").judge(DEAL, WRONG, moment=Moment.NO_HAND_EXPOSED)
    assert not verdict.correct
    assert verdict.decision.setting == RIGHT
    assert verdict.remedy == (
        "Set the House hand right now: this is allowed until the bank's tiles have been put away (crown-6.1 12.5)."
    )
    for part in ("is not set the House Way", "it splits a pair that is kept (crown-6.1 7.3)", str(RIGHT.high)):
        assert part in verdict.explanation


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
def test_ruling_33(book: str, whose: Whose, event: str, section: str) -> None:
    way = get(book)
    last = Moment.NO_HAND_EXPOSED if event == UNTIL_EXPOSED else Moment.FIRST_HAND_EXPOSED
    for moment in Moment:
        remedy = _remedy(way, whose, moment)
        assert remedy.startswith("Set" if moment.value <= last.value else "Leave it")
        assert event in remedy
    unknown = _remedy(way, whose, None)
    assert unknown.startswith(f"Set {whose.value} right, unless")
    assert "stands as laid" in unknown
    assert section in unknown


def _remedy(way: HouseWay, whose: Whose, moment: Moment | None) -> str:
    remedy = way.judge(DEAL, WRONG, whose=whose, moment=moment).remedy
    assert remedy is not None
    return remedy


def test_a_book_that_is_silent_leaves_it_to_the_supervisor() -> None:
    assert "the supervisor decides" in _remedy(get("star-classic"), Whose.PLAYER, None)

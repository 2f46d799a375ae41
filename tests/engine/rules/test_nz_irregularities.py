"""New Zealand, section 12, and what other sections say of faults: who decides what, until when, with what effect."""

import pytest

from engine.books.house_ways import get
from engine.books.registry import rulebook
from engine.errors import IrregularityError
from engine.game.setting import Deal, Setting
from engine.house_way.rules import Moment
from engine.vocabulary.facts import Bank
from engine.vocabulary.irregularities import Irregularity
from engine.vocabulary.remedy import Effect

IRREGULARITIES = rulebook("nz-1998").irregularities


def test_a_box_or_player_comes_back_when_the_operator_decides() -> None:
    """nz-1998 12.11: whatever becomes of wagers, the operator may."""
    options = IRREGULARITIES.remedies(Irregularity.COMMUNICATING).options
    back, again = [option for option in options if option.cite == "nz-1998 12.11"]
    assert (back.effect, again.effect) == (Effect.BOX_BACK, Effect.PLAYER_BACK)
    assert (back.duty.value, back.by.words) == ("may", "casino operator")


@pytest.mark.parametrize(
    ("dice", "bank", "banks_box", "box"),
    [
        # Counted from box 1 as 1, 9 and 17, wherever the chung lies.
        pytest.param((1, 1, 1), Bank.HOUSE, 1, 3, id="3"),
        pytest.param((2, 3, 3), Bank.HOUSE, 1, 8, id="8"),
        pytest.param((3, 3, 3), Bank.HOUSE, 1, None, id="9-is-the-houses-again"),
        pytest.param((5, 6, 6), Bank.HOUSE, 1, None, id="17-is-the-houses-again"),
        pytest.param((6, 6, 6), Bank.HOUSE, 1, 2, id="18"),
        pytest.param((3, 3, 3), Bank.CO_BANK, 3, 1, id="co-bank-9"),
        pytest.param((1, 1, 1), Bank.CO_BANK, 3, None, id="co-bank-its-own"),
        pytest.param((4, 4, 3), Bank.CO_BANK, 3, None, id="co-bank-11-its-own"),
    ],
)
def test_the_dice_take_a_box_out_of_play(dice: tuple[int, ...], bank: Bank, banks_box: int, box: int | None) -> None:
    """nz-1998 12.10: the box of the total counter-clockwise from box 1; thrown again for the bank's own."""
    removed = IRREGULARITIES.remove_box(dice, bank, banks_box)
    assert (removed.box, removed.cite) == (box, "nz-1998 12.10")


def test_no_box_is_taken_out_while_a_player_banks_alone() -> None:
    """nz-1998 12.9(b): only where the House banks, alone or with a co-banker."""
    with pytest.raises(IrregularityError, match=r"nz-1998 12\.10"):
        IRREGULARITIES.remove_box((1, 1, 1), Bank.PLAYER, 4)


@pytest.mark.parametrize(
    ("moment", "rule"),
    [
        (Moment.NO_HAND_EXPOSED, "nz-1998 12.8(a)"),
        (Moment.FIRST_HAND_EXPOSED, "nz-1998 12.8(b)"),
        (Moment.BANK_PUT_AWAY, "nz-1998 12.8(b)"),
    ],
)
def test_a_house_hand_that_is_not_the_house_way(moment: Moment, rule: str) -> None:
    """Elevens are never split (Appendix 4: 2.2); with a 9 and a 4 they are, here, to 0 and 5."""
    deal, wrong = Deal.parse("6-5 6-5 5-4 3-1"), Setting.parse("6-5 5-4 / 6-5 3-1")
    verdict = get("nz-1998").judge(deal, wrong, moment=moment)
    assert not verdict.correct
    assert verdict.remedies is not None
    assert [option.cite for option in verdict.remedies.options] == [rule]
    assert str(verdict.decision.setting) == "3-1 5-4 / 6-5 6-5"

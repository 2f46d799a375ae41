"""New Zealand, section 12, and what other sections say of faults: who decides what, until when, with what effect."""

from __future__ import annotations

import pytest

from engine.books.house_ways import get
from engine.books.registry import rulebook
from engine.errors import IrregularityError
from engine.game.setting import Deal, Setting
from engine.house_way.rules import Moment
from engine.vocabulary.facts import Bank
from engine.vocabulary.irregularities import Irregularity
from engine.vocabulary.remedy import Effect
from tests.engine.rules.tables import check_option, rows

IRREGULARITIES = rulebook("nz-1998").irregularities


@pytest.mark.parametrize(
    ("rule", "kind", "whose", "last", "expected"),
    rows("""
nz-1998 12.1     | exposed-stacking | -             | shuffled           | must dealer: mixed-again
nz-1998 9.3      | exposed-stacking | -             | shuffled           | must dealer: mixed-again
nz-1998 12.2     | exposed-laja     | -             | stacked            | must dealer: mixed-again
nz-1998 12.3(a)  | dealer-exposes   | player        | tiles-delivered    | may player: hand-void
nz-1998 12.3(a)  | dealer-exposes   | player        | tiles-viewed       | shut
nz-1998 12.3(a)  | dealer-exposes   | player        | hands-set          | shut
nz-1998 12.3(a)  | dealer-exposes   | house         | tiles-delivered    | shut
nz-1998 12.3(a)  | dealer-exposes   | player-banker | tiles-delivered    | shut
nz-1998 12.3(b)  | dealer-exposes   | player-banker | tiles-delivered    | may player/banker: round-void
nz-1998 12.3(b)  | dealer-exposes   | co-bank       | tiles-delivered    | may player/banker: round-void
nz-1998 12.3(b)  | dealer-exposes   | player-banker | tiles-viewed       | shut
nz-1998 12.3(b)  | dealer-exposes   | player-banker | bank-exposed       | shut
nz-1998 12.3(b)  | dealer-exposes   | player        | tiles-delivered    | shut
nz-1998 12.3     | dealer-exposes   | player        | tiles-viewed       | must dealer: none
nz-1998 12.4     | tile-exposed     | player        | tiles-delivered    | must dealer: none
nz-1998 12.4     | tile-exposed     | house         | tiles-delivered    | must dealer: none
nz-1998 12.4     | tile-exposed     | co-bank       | hands-set          | must dealer: none
nz-1998 12.5     | tile-exposed     | house         | tiles-delivered    | must dealer: none
nz-1998 12.5     | dealer-exposes   | house         | tiles-delivered    | must dealer: none
nz-1998 12.5     | dealer-exposes   | player        | tiles-delivered    | shut
nz-1998 12.6     | banker-exposes   | player-banker | hands-set          | must dealer: none
nz-1998 12.7     | tile-tracking    | -             | shuffled           | may game supervisor: mixed-again
nz-1998 12.7     | exposed-stacking | -             | shuffled           | may game supervisor: mixed-again
nz-1998 12.7     | tile-exposed     | player        | tiles-delivered    | may game supervisor: mixed-again
nz-1998 12.8(a)  | not-house-way    | house         | bank-exposed       | may dealer: as-set-now
nz-1998 12.8(a)  | not-house-way    | co-bank       | bank-exposed       | may dealer: as-set-now
nz-1998 12.8(a)  | not-house-way    | player-banker | hands-set          | may dealer: as-set-now
nz-1998 12.8(a)  | not-house-way    | house         | first-hand-exposed | shut
nz-1998 12.8(a)  | not-house-way    | co-bank       | settled            | shut
nz-1998 12.8(a)  | not-house-way    | player-banker | bank-put-away      | shut
nz-1998 12.8(b)  | not-house-way    | house         | bank-exposed       | shut
nz-1998 12.8(b)  | not-house-way    | house         | first-hand-exposed | must dealer: results-stand
nz-1998 12.8(b)  | not-house-way    | co-bank       | first-hand-exposed | must dealer: results-stand
nz-1998 12.8(b)  | not-house-way    | player-banker | first-hand-exposed | must dealer: results-stand
nz-1998 10.4(a)  | not-house-way    | player        | hands-set          | must dealer: as-set-now
nz-1998 10.6     | not-house-way    | player        | first-hand-exposed | must dealer: results-stand
nz-1998 12.9     | communicating    | -             | tiles-delivered    | may casino operator: box-out; &: player-out
nz-1998 12.9(a)  | communicating    | -             | tiles-delivered    | may casino operator: box-out; &: player-out
nz-1998 12.9(b)  | communicating    | -             | tiles-delivered    | may casino operator: box-out; &: player-out
nz-1998 12.9(c)  | communicating    | -             | tiles-delivered    | may casino operator: box-out; &: player-out
nz-1998 12.12(a) | spying           | -             | tiles-delivered    | may casino operator: sets-first
nz-1998 12.12(a) | spying           | -             | tiles-handled      | shut
nz-1998 12.12(b) | spying           | -             | hands-set          | may casino operator: player-out
nz-1998 12.12(c) | spying           | -             | hands-set          | may casino operator: none
nz-1998 12.13    | wrong-deal       | -             | tiles-delivered    | must dealer: round-void
nz-1998 12.13    | wrong-deal       | -             | tiles-handled      | must dealer: round-void
nz-1998 12.13    | wrong-deal       | -             | settled            | must dealer: round-void
nz-1998 12.14    | hand-disturbed   | player        | first-hand-exposed | must dealer: as-set-now
nz-1998 12.15    | hands-mixed      | -             | tiles-handled      | must dealer: none; must dealer: hand-void
nz-1998 12.16    | absent-player    | player        | tiles-delivered    | must dealer: as-set-now
nz-1998 10.3(a)  | unused-tiles-seen | -            | hands-set          | must dealer: none
nz-1998 10.3(a)  | unused-tiles-seen | -            | settled            | shut
nz-1998 10.5     | handled-after-set | player       | hands-set          | must dealer: none
nz-1998 10.7     | handled-by-another | player      | tiles-delivered    | must dealer: none
nz-1998 10.8(b)  | handled-by-another | player      | tiles-delivered    | must dealer: none
nz-1998 10.9     | out-of-view      | player        | tiles-handled      | must dealer: none
nz-1998 10.9(a)  | tiles-exchanged  | player        | tiles-handled      | must dealer: none
nz-1998 10.9(b)(i)  | communicating | -             | tiles-handled      | must dealer: none
nz-1998 10.9(b)(ii) | communicating | -             | tiles-handled      | must dealer: none
nz-1998 10.10    | player-exposes   | player        | tiles-handled      | must dealer: none
nz-1998 10.12    | unused-tiles-seen | -            | settled            | may player: none
nz-1998 10.12    | unused-tiles-seen | -            | hands-set          | shut
nz-1998 10.13    | conceded         | player      | hands-set | must dealer: wager-lost; may game supervisor: none
nz-1998 10.14    | player-exposes   | player        | tiles-handled      | may player: none
nz-1998 11.2(b)  | bank-not-covered | -             | stacked            | must dealer: bank-changes
nz-1998 11.3(e)  | banker-exposes   | co-bank       | hands-set          | must dealer: none
nz-1998 2.0      | dispute          | -             | settled            | must game supervisor: as-decided
"""),
)
def test_what_is_done_at_this_moment(rule: str, kind: str, whose: str, last: str, expected: str) -> None:
    check_option(rule, kind, whose, last, expected.replace("&", expected.split(":", maxsplit=1)[0]))


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

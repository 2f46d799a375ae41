"""The Star 2024, sections 15 and 16, and consequences of faults elsewhere: who acts, and until when."""

from __future__ import annotations

import pytest

from engine.books.registry import rulebook
from engine.errors import IrregularityError
from engine.vocabulary.facts import Bank, Milestone, Whose
from engine.vocabulary.irregularities import Irregularity
from tests.engine.rules.star import check_option
from tests.engine.rules.tables import rows

BOOK = rulebook("star-2024").irregularities

OPTIONS = """
star-2024 3.4 | damaged-tile | - | - | must casino supervisor none
star-2024 8.1 | dice-not-tumbled | - | stacked | must dealer or player/banker none
star-2024 8.3 | cocked-die | - | dice-shown | must dealer or player/banker none
star-2024 9.5 | oral-wager | - | shuffled | must dealer not-accepted
star-2024 9.6 | late-wager | - | stacked | may dealer wager-stands
star-2024 9.6 | late-wager | - | dice-shown | shut
star-2024 9.6 | late-wager | - | tiles-delivered | shut
star-2024 9.7 | late-wager | - | stacked | shut
star-2024 9.7 | late-wager | - | dice-shown | must dealer not-accepted
star-2024 9.7 | late-wager | - | bets-closed | must dealer not-accepted
star-2024 9.8 | late-wager | - | dice-shown | may player/banker as-decided
star-2024 9.8 | late-wager | - | cut-named | may player/banker as-decided
star-2024 9.8 | late-wager | - | stacked | shut
star-2024 9.13 | handled-by-another | player | tiles-delivered | must dealer none
star-2024 10.2 | below-minimum | - | shuffled | may dealer wager-returned
star-2024 10.2 | below-minimum | - | dice-shown | must dealer wager-stands
star-2024 10.2 | above-maximum | - | settled | must dealer wager-stands
star-2024 10.3 | below-minimum | - | shuffled | may dealer wager-returned
star-2024 10.3 | below-minimum | - | bets-closed | must dealer wager-stands
star-2024 10.3 | below-minimum | - | dice-shown | must dealer wager-stands
star-2024 10.3 | above-maximum | - | shuffled | must dealer wager-capped
star-2024 10.3 | above-maximum | - | settled | must dealer wager-capped
star-2024 10.4 | above-maximum | - | settled | must dealer results-stand
star-2024 10.7 | above-maximum | - | dice-shown | must dealer wager-capped
star-2024 12.3 | unused-tiles-seen | - | hands-set | must dealer none
star-2024 12.3 | unused-tiles-seen | - | settled | shut
star-2024 12.4 | low-laid-high | player | bank-exposed | must dealer none
star-2024 12.5 | handled-after-set | player | hands-set | must dealer none
star-2024 12.9 | not-house-way | player-banker | bank-exposed | must dealer as-set-now
star-2024 12.10 | house-way-touched | player | tiles-handled | must player as-set-now
star-2024 12.11 | handled-by-another | player | tiles-delivered | must dealer none
star-2024 12.13 | tiles-exchanged | player | tiles-handled | must dealer none
star-2024 12.13 | out-of-view | player | tiles-handled | must dealer none
star-2024 12.13 | communicating | - | tiles-handled | must dealer none
star-2024 12.13 | player-exposes | player | tiles-handled | must dealer none
star-2024 12.16 | unused-tiles-seen | - | hands-set | shut
star-2024 12.16 | unused-tiles-seen | - | settled | may player none
star-2024 12.17 | conceded | player | hands-set | must dealer wager-lost
star-2024 12.18 | conceded | player | hands-set | may casino supervisor none
star-2024 12.19 | player-exposes | player | tiles-handled | may player none
star-2024 13.1 | bank-not-covered | - | stacked | must dealer bank-changes
star-2024 13.1.5 | not-house-way | house | bank-exposed | must dealer as-set-now
star-2024 13.2.2 | bank-not-covered | - | stacked | must player/banker none; must dealer bank-changes
star-2024 15.1 | exposed-stacking | - | shuffled | must dealer mixed-again
star-2024 15.2 | exposed-laja | - | stacked | must dealer mixed-again
star-2024 15.3 | tile-exposed | player | tiles-delivered | may casino supervisor mixed-again
star-2024 15.3 | dealer-exposes | player | tiles-delivered | shut
star-2024 15.3 | dealer-exposes | player | tiles-viewed | must dealer none
star-2024 15.3.1 | dealer-exposes | player | tiles-delivered | may player hand-void
star-2024 15.3.1 | dealer-exposes | player | tiles-handled | may player hand-void
star-2024 15.3.1 | dealer-exposes | player | tiles-viewed | shut
star-2024 15.3.1 | dealer-exposes | player | hands-set | shut
star-2024 15.3.1 | dealer-exposes | player-banker | tiles-delivered | shut
star-2024 15.3.1 | dealer-exposes | house | tiles-delivered | shut
star-2024 15.3.2 | dealer-exposes | player-banker | tiles-delivered | may player/banker round-void
star-2024 15.3.2 | dealer-exposes | player-banker | tiles-viewed | shut
star-2024 15.3.2 | dealer-exposes | player | tiles-delivered | shut
star-2024 15.3.2 | dealer-exposes | house | tiles-delivered | shut
star-2024 15.4 | exposed-stacking | - | shuffled | may casino supervisor mixed-again
star-2024 15.4 | player-exposes | player | tiles-handled | may casino supervisor mixed-again
star-2024 15.4 | tile-tracking | - | shuffled | may casino supervisor mixed-again
star-2024 15.4 | dealer-exposes | player | tiles-delivered | may casino supervisor mixed-again
star-2024 15.5 | dealer-exposes | house | tiles-delivered | must dealer none
star-2024 15.5 | tile-exposed | house | tiles-delivered | must dealer none
star-2024 15.5 | dealer-exposes | player | tiles-delivered | shut
star-2024 15.6 | banker-exposes | player-banker | tiles-delivered | must dealer none
star-2024 15.7 | not-house-way | house | hands-set | must dealer as-set-now
star-2024 15.7 | not-house-way | house | first-hand-exposed | must dealer results-stand
star-2024 15.7 | not-house-way | player-banker | bank-exposed | must dealer as-set-now
star-2024 15.7 | not-house-way | player-banker | first-hand-exposed | must dealer results-stand
star-2024 15.7 | not-house-way | player | first-hand-exposed | shut
star-2024 15.8 | not-house-way | player | hands-set | must dealer or casino supervisor as-set-now
star-2024 15.8 | not-house-way | player | first-hand-exposed | must dealer or casino supervisor as-set-now
star-2024 15.8 | not-house-way | player | settled | must dealer or casino supervisor as-set-now
star-2024 15.8 | not-house-way | player | bank-put-away | must dealer or casino supervisor results-stand
star-2024 15.8 | not-house-way | house | hands-set | shut
star-2024 12.12 | not-house-way | player | hands-set | must dealer or casino supervisor as-set-now
star-2024 15.9.1 | communicating | - | tiles-handled | may casino supervisor box-out
star-2024 15.9.2 | communicating | - | tiles-handled | may casino supervisor box-out; must casino supervisor none
star-2024 15.9.3 | communicating | - | tiles-handled | may casino supervisor box-out
star-2024 15.9.4 | communicating | - | tiles-handled | may casino supervisor box-out
star-2024 15.9.5 | communicating | - | tiles-handled | may casino supervisor box-back
star-2024 15.10.1 | house-way-touched | player | tiles-handled | must dealer as-set-now
star-2024 15.10.2 | not-house-way | player | settled | must dealer or casino supervisor as-set-now
star-2024 15.10.2 | not-house-way | player | bank-put-away | must dealer or casino supervisor results-stand
star-2024 15.11 | wrong-deal | - | tiles-delivered | must dealer none
star-2024 15.11 | wrong-deal | - | tiles-handled | shut
star-2024 15.12 | wrong-deal | - | tiles-delivered | must dealer round-void
star-2024 15.12 | wrong-deal | - | tiles-handled | shut
star-2024 15.13 | wrong-deal | - | tiles-delivered | shut
star-2024 15.13 | wrong-deal | - | tiles-handled | must dealer results-stand
star-2024 15.13 | wrong-deal | - | settled | must dealer results-stand
star-2024 15.14.1 | spying | - | tiles-delivered | may casino supervisor sets-first
star-2024 15.14.1 | spying | - | tiles-handled | shut
star-2024 15.14.2 | spying | - | settled | may casino supervisor player-out
star-2024 15.14.3 | spying | - | settled | may casino supervisor none
star-2024 15.15 | hand-disturbed | player | first-hand-exposed | must dealer as-set-now
star-2024 15.15 | hands-mixed | player | first-hand-exposed | must dealer as-set-now
star-2024 15.16 | absent-player | player | tiles-delivered | may casino supervisor as-set-now
star-2024 15.17.1 | missing-tile | - | settled | must casino supervisor results-stand
star-2024 15.17.1 | foreign-tile | - | tiles-delivered | must casino supervisor results-stand
star-2024 15.17.2 | missing-tile | - | tiles-delivered | must casino supervisor round-void
star-2024 15.17.2 | foreign-tile | - | bank-exposed | must casino supervisor round-void
star-2024 15.17.2 | duplicate-face | - | hands-set | must casino supervisor round-void
star-2024 15.17.2 | missing-tile | - | - | shut
star-2024 15.17.2 | missing-tile | - | settled | shut
star-2024 15.17.2 | foreign-tile | - | settled | shut
star-2024 15.17.2 | duplicate-face | - | settled | shut
star-2024 15.17.1 | duplicate-face | - | settled | must casino supervisor results-stand
star-2024 15.17.3 | duplicate-face | - | settled | must casino supervisor none
star-2024 15.17.3 | missing-tile | - | settled | must casino supervisor none
star-2024 15.17.3 | foreign-tile | - | settled | must casino supervisor none
star-2024 15.18.1 | wrongly-settled | - | settled | must The Star put-right
star-2024 15.18.2 | wrongly-settled | - | settled | must The Star put-right
star-2024 15.19 | wrongly-settled | - | settled | must The Star put-right
star-2024 15.19.1 | wrongly-settled | - | settled | must The Star put-right
star-2024 15.19.2 | wrongly-settled | - | settled | must The Star put-right
star-2024 15.20.1 | wrongly-settled | - | settled | must The Star put-right; must The Star put-right
star-2024 15.20.1.1 | wrongly-settled | - | settled | must The Star put-right; must The Star put-right
star-2024 15.20.1.2 | wrongly-settled | - | settled | must The Star put-right; must The Star put-right
star-2024 15.20.2 | wrongly-settled | - | settled | must The Star none
star-2024 15.21.1 | invalid-wager | - | stacked | must The Star wager-returned
star-2024 15.21.1 | invalid-wager | - | cut-named | shut
star-2024 15.21.2 | invalid-wager | - | stacked | shut
star-2024 15.21.2 | invalid-wager | - | cut-named | must The Star no-winnings
star-2024 15.21.2 | invalid-wager | - | bank-exposed | must The Star no-winnings
star-2024 15.21.2 | invalid-wager | - | settled | shut
star-2024 15.21.3 | invalid-wager | - | settled | must The Star results-stand
star-2024 16.1 | invalid-wager | - | stacked | must The Star wager-returned
star-2024 16.2 | prohibited-device | - | settled | may casino supervisor wager-returned
star-2024 16.4.1 | prohibited-device | - | settled | may casino supervisor wager-returned
star-2024 16.4.2 | prohibited-device | - | settled | may casino supervisor player-out
star-2024 16.5.1 | disruption | - | settled | may casino supervisor as-decided
star-2024 16.5.2 | fraud | - | settled | may casino supervisor as-decided
star-2024 16.6 | disruption | - | settled | may casino supervisor round-void
star-2024 16.6 | fraud | - | settled | may casino supervisor round-void; may casino supervisor wager-forfeited
star-2024 16.12 | below-minimum | - | stacked | may casino supervisor wager-returned
star-2024 16.12 | above-maximum | - | stacked | may casino supervisor wager-returned
star-2024 16.12 | below-minimum | - | dice-shown | shut
star-2024 16.12 | above-maximum | - | dice-shown | shut
star-2024 16.13 | dispute | - | - | must gaming supervisor as-decided; may casino supervisor as-decided
star-2024 16.13 | hands-mixed | player | first-hand-exposed | must gaming supervisor as-decided
star-2024 16.14 | dispute | - | - | must casino operator as-decided
"""


@pytest.mark.parametrize(("rule", "kind", "whose", "last", "said"), rows(OPTIONS))
def test_what_the_rule_has_done(rule: str, kind: str, whose: str, last: str, said: str) -> None:
    check_option(rule, kind, whose, last, said)


@pytest.mark.parametrize(
    ("rule", "last", "implied"),
    [
        ("star-2024 9.6", Milestone.DICE_SHOWN, Milestone.BETS_CLOSED),
        ("star-2024 9.6", Milestone.BETS_CLOSED, Milestone.DICE_SHOWN),
        ("star-2024 8.4.1", Milestone.CUT_NAMED, Milestone.DICE_SHOWN),
    ],
)
def test_what_must_have_come_before(rule: str, last: Milestone, implied: Milestone) -> None:
    """Betting closes with the dice exposed, and the cut is decided after the total is called."""
    reached = BOOK.remedies(Irregularity.DISPUTE, None, [last]).reached
    assert reached is not None
    assert implied in reached, rule


# Counted by hand from playing area one, which is the House's: 1, 9 and 17.
REMOVALS = {
    3: 3,
    4: 4,
    5: 5,
    6: 6,
    7: 7,
    8: 8,
    9: None,
    10: 2,
    11: 3,
    12: 4,
    13: 5,
    14: 6,
    15: 7,
    16: 8,
    17: None,
    18: 2,
}


@pytest.mark.parametrize(("total", "box"), REMOVALS.items())
def test_the_dice_take_a_box_out_of_play(total: int, box: int | None) -> None:
    """star-2024 15.9.3, and again under star-2024 15.9.4 where the total indicates the House."""
    dice = next((a, b, total - a - b) for a in range(1, 7) for b in range(1, 7) if 1 <= total - a - b <= 6)
    taken = BOOK.remove_box(dice, Bank.HOUSE)
    assert (taken.box, taken.cite) == (box, "star-2024 15.9.3" if box else "star-2024 15.9.4")


def test_no_box_is_taken_out_while_a_player_banks() -> None:
    """star-2024 15.9.1: the House is banking."""
    with pytest.raises(IrregularityError, match=r"star-2024 15\.9\.3"):
        BOOK.remove_box((1, 2, 3), Bank.PLAYER)


def test_a_tile_missing_foreign_or_there_twice() -> None:
    """star-2024 15.17: before the shuffle there is no round to declare void."""
    for kind in (Irregularity.MISSING_TILE, Irregularity.FOREIGN_TILE, Irregularity.DUPLICATE_FACE):
        at_the_display = BOOK.remedies(kind, None, [])
        assert "star-2024 15.17.2" not in {option.cite for option in at_the_display.options}
        assert BOOK.remedies(kind, None, [Milestone.HANDS_SET]).options[0].cite == "star-2024 15.17.2"


def test_there_is_no_co_bank() -> None:
    """star-2024 11.1, ruling 24: its hand is not mentioned, and a query is answered accordingly."""
    assert Whose.CO_BANK not in BOOK.hands
    with pytest.raises(IrregularityError, match="under star-2024 nobody banks as co-bank"):
        BOOK.remedies(Irregularity.NOT_HOUSE_WAY, Whose.CO_BANK, [Milestone.FIRST_HAND_EXPOSED])
    for kind in Irregularity:
        assert all(Whose.CO_BANK not in option.whose for option in BOOK.remedies(kind).options)

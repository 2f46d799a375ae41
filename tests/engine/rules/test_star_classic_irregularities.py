"""The Star's older rules, sections 15 and 16, and consequences of faults elsewhere."""

from __future__ import annotations

import pytest

from engine.books.registry import rulebook
from engine.errors import IrregularityError
from engine.vocabulary.facts import Bank, Milestone, Whose
from engine.vocabulary.irregularities import Irregularity
from tests.engine.rules.star import check_option
from tests.engine.rules.tables import rows

BOOK = rulebook("star-classic").irregularities

OPTIONS = """
star-classic 3.4 | damaged-tile | - | - | must casino supervisor none
star-classic 6.8 | bank-not-covered | - | stacked | must dealer bank-changes
star-classic 8.1 | dice-not-tumbled | - | cut-named | must dealer or player/banker none
star-classic 8.2 | cocked-die | - | dice-shown | must dealer or player/banker none
star-classic 9.2 | oral-wager | - | shuffled | must dealer not-accepted
star-classic 9.3 | late-wager | - | stacked | may dealer wager-stands
star-classic 9.3 | late-wager | - | cut-named | shut
star-classic 9.3 | late-wager | - | dice-shown | shut
star-classic 9.4 | late-wager | - | stacked | shut
star-classic 9.4 | late-wager | - | cut-named | must dealer not-accepted
star-classic 9.4 | late-wager | - | dice-shown | must dealer not-accepted
star-classic 9.5 | late-wager | - | stacked | shut
star-classic 9.5 | late-wager | - | cut-named | may player/banker as-decided
star-classic 9.10 | handled-by-another | player | tiles-delivered | must dealer none
star-classic 10.2 | below-minimum | - | stacked | may dealer wager-returned
star-classic 10.2 | below-minimum | - | cut-named | must game supervisor as-decided
star-classic 10.2 | above-maximum | - | cut-named | must dealer wager-stands
star-classic 10.3 | below-minimum | - | stacked | may dealer wager-returned
star-classic 10.3 | below-minimum | - | cut-named | must dealer wager-stands
star-classic 10.3 | below-minimum | - | dice-shown | must dealer wager-stands
star-classic 10.3 | below-minimum | - | bets-closed | must dealer wager-stands
star-classic 10.3 | above-maximum | - | stacked | may dealer wager-returned
star-classic 10.3 | above-maximum | - | dice-shown | must dealer wager-stands
star-classic 10.5 | above-maximum | - | stacked | may dealer wager-returned
star-classic 11.1.3 | above-maximum | - | dice-shown | must dealer wager-capped
star-classic 12.3 | unused-tiles-seen | - | hands-set | must dealer none
star-classic 12.3 | unused-tiles-seen | - | settled | shut
star-classic 12.4 | low-laid-high | player | bank-exposed | must dealer none
star-classic 12.5 | handled-after-set | player | hands-set | must dealer none
star-classic 12.6 | not-house-way | player-banker | bank-exposed | must dealer as-set-now
star-classic 12.7 | handled-by-another | player | tiles-delivered | must dealer none
star-classic 12.9 | tiles-exchanged | player | tiles-handled | must dealer none
star-classic 12.9 | out-of-view | player | tiles-handled | must dealer none
star-classic 12.9 | communicating | - | tiles-handled | must dealer none
star-classic 12.10 | communicating | - | tiles-handled | must dealer none
star-classic 12.13 | unused-tiles-seen | - | hands-set | shut
star-classic 12.13 | unused-tiles-seen | - | settled | may player none
star-classic 12.14 | conceded | player | hands-set | must dealer wager-lost
star-classic 12.15 | conceded | player | hands-set | may game supervisor none
star-classic 12.16 | player-exposes | player | tiles-handled | may player none
star-classic 13.1 | bank-not-covered | - | stacked | must dealer bank-changes
star-classic 13.1.5 | not-house-way | house | bank-exposed | must dealer as-set-now
star-classic 13.2.2 | bank-not-covered | - | stacked | must dealer bank-changes
star-classic 13.3.1 | bank-not-covered | - | stacked | must dealer bank-changes
star-classic 13.3.4 | not-house-way | co-bank | bank-exposed | must dealer as-set-now
star-classic 15.1 | exposed-stacking | - | shuffled | must dealer mixed-again
star-classic 15.2 | exposed-laja | - | stacked | must dealer mixed-again
star-classic 15.3 | tile-exposed | player | tiles-delivered | may game supervisor mixed-again
star-classic 15.3 | dealer-exposes | player | tiles-delivered | shut
star-classic 15.3 | dealer-exposes | player | tiles-viewed | must dealer none
star-classic 15.4 | dealer-exposes | player | tiles-delivered | may game supervisor mixed-again
star-classic 12.9 | player-exposes | player | tiles-handled | must dealer none
star-classic 15.3.1 | dealer-exposes | player | tiles-delivered | may player hand-void
star-classic 15.3.1 | dealer-exposes | player | tiles-viewed | shut
star-classic 15.3.1 | dealer-exposes | co-bank | tiles-delivered | shut
star-classic 15.3.2 | dealer-exposes | player-banker | tiles-delivered | may player/banker round-void
star-classic 15.3.2 | dealer-exposes | co-bank | tiles-delivered | may player/banker round-void
star-classic 15.3.2 | dealer-exposes | player-banker | hands-set | may player/banker round-void
star-classic 15.3.2 | dealer-exposes | player-banker | tiles-viewed | shut
star-classic 15.3.2 | dealer-exposes | player | tiles-delivered | shut
star-classic 15.4 | exposed-stacking | - | shuffled | may game supervisor mixed-again
star-classic 15.4 | player-exposes | player | tiles-handled | may game supervisor mixed-again
star-classic 15.4 | tile-tracking | - | shuffled | may game supervisor mixed-again
star-classic 15.5 | dealer-exposes | house | tiles-delivered | must dealer none
star-classic 15.5 | tile-exposed | house | tiles-delivered | must dealer none
star-classic 15.6 | banker-exposes | player-banker | tiles-delivered | must dealer none
star-classic 15.7 | not-house-way | house | bank-exposed | must dealer as-set-now
star-classic 15.7 | not-house-way | house | first-hand-exposed | must dealer results-stand
star-classic 15.7 | not-house-way | player | hands-set | shut
star-classic 15.8 | communicating | - | tiles-handled | may casino supervisor box-out
star-classic 15.9 | communicating | - | tiles-handled | may casino supervisor box-out; must casino supervisor none
star-classic 15.10 | communicating | - | tiles-handled | may casino supervisor box-out
star-classic 15.11 | communicating | - | tiles-handled | may casino supervisor box-out
star-classic 15.12 | communicating | - | tiles-handled | may casino supervisor box-back
star-classic 15.13 | wrong-deal | - | tiles-delivered | must dealer none
star-classic 15.13 | wrong-deal | - | tiles-handled | shut
star-classic 15.14 | wrong-deal | - | tiles-delivered | must dealer round-void
star-classic 15.14 | wrong-deal | - | tiles-handled | shut
star-classic 15.15 | wrong-deal | - | tiles-delivered | shut
star-classic 15.15 | wrong-deal | - | tiles-handled | must dealer results-stand
star-classic 15.16.1 | spying | - | tiles-delivered | may casino supervisor sets-first
star-classic 15.16.1 | spying | - | tiles-handled | shut
star-classic 15.16.2 | spying | - | settled | may casino supervisor player-out
star-classic 15.16.3 | spying | - | settled | may casino supervisor none
star-classic 15.17 | hand-disturbed | player | first-hand-exposed | must dealer as-set-now
star-classic 15.17 | hands-mixed | player | first-hand-exposed | must dealer as-set-now
star-classic 15.18 | absent-player | player | tiles-delivered | must dealer as-set-now
star-classic 16.1 | prohibited-device | - | settled | may casino supervisor wager-returned
star-classic 16.3.1 | prohibited-device | - | settled | may casino supervisor wager-returned
star-classic 16.3.2 | prohibited-device | - | settled | may casino supervisor player-out
star-classic 16.4.1 | disruption | - | settled | may casino supervisor as-decided
star-classic 16.4.2 | fraud | - | settled | may casino supervisor as-decided
star-classic 16.5 | disruption | - | settled | may casino supervisor round-void
star-classic 16.5 | fraud | - | settled | may casino supervisor round-void; may casino supervisor wager-forfeited
star-classic 16.11 | dispute | - | - | must game supervisor as-decided; may casino supervisor as-decided
star-classic 16.12 | dispute | - | - | must dealer none
"""


@pytest.mark.parametrize(("rule", "kind", "whose", "last", "said"), rows(OPTIONS))
def test_what_the_rule_has_done(rule: str, kind: str, whose: str, last: str, said: str) -> None:
    check_option(rule, kind, whose, last, said)


@pytest.mark.parametrize(
    ("rule", "last", "implied"),
    [
        ("star-classic 9.3", Milestone.CUT_NAMED, Milestone.BETS_CLOSED),
        ("star-classic 9.3", Milestone.BETS_CLOSED, Milestone.CUT_NAMED),
        ("star-classic 8.1", Milestone.DICE_SHOWN, Milestone.CUT_NAMED),
    ],
)
def test_what_must_have_come_before(rule: str, last: Milestone, implied: Milestone) -> None:
    """Betting closes with the cut, and the cup is shaken after the cut."""
    reached = BOOK.remedies(Irregularity.DISPUTE, None, [last]).reached
    assert reached is not None
    assert implied in reached, rule


def test_a_players_hand_set_wrongly_is_for_the_supervisor() -> None:
    """star-classic 15.7 names the House's hands; a player's is corrected by no rule, and 16.11 remains."""
    finding = BOOK.remedies(Irregularity.NOT_HOUSE_WAY, Whose.PLAYER, [Milestone.BANK_EXPOSED])
    assert finding.silent
    assert finding.options[0].cite == "star-classic 16.11"


@pytest.mark.parametrize("kind", [Irregularity.INVALID_WAGER, Irregularity.WRONGLY_SETTLED])
def test_what_only_2024_rules_on(kind: Irregularity) -> None:
    """star-classic 16.11: the game supervisor decides what star-2024 15.18 to 15.21 rule on later."""
    finding = BOOK.remedies(kind, None, [Milestone.SETTLED])
    assert finding.silent
    assert finding.options[0].by.words == "game supervisor"


# Counted by hand from playing area one, which is the House's: 1, 9 and 17.
REMOVALS = {3: 3, 8: 8, 9: None, 10: 2, 16: 8, 17: None, 18: 2}


@pytest.mark.parametrize(("total", "box"), REMOVALS.items())
def test_the_dice_take_a_box_out_of_play(total: int, box: int | None) -> None:
    """star-classic 15.10, and again under star-classic 15.11 where the total indicates the House."""
    dice = next((a, b, total - a - b) for a in range(1, 7) for b in range(1, 7) if 1 <= total - a - b <= 6)
    taken = BOOK.remove_box(dice, Bank.HOUSE)
    assert (taken.box, taken.cite) == (box, "star-classic 15.10" if box else "star-classic 15.11")


@pytest.mark.parametrize("bank", [Bank.PLAYER, Bank.CO_BANK])
def test_no_box_is_taken_out_while_a_player_banks(bank: Bank) -> None:
    """star-classic 15.8: the House is banking."""
    with pytest.raises(IrregularityError, match=r"star-classic 15\.10"):
        BOOK.remove_box((1, 2, 3), bank)

"""The Star's two books, sections 15 and 16, and consequences of faults elsewhere: who acts, and until when."""

from __future__ import annotations

import pytest

from engine.books.registry import rulebook
from engine.errors import IrregularityError
from engine.vocabulary.facts import Bank, Milestone, Whose
from engine.vocabulary.irregularities import Irregularity
from tests.engine.rules.tables import check_option, rows

STAR, CLASSIC = (rulebook(book).irregularities for book in ("star-2024", "star-classic"))

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


@pytest.mark.parametrize(("rule", "kind", "whose", "last", "expected"), rows(OPTIONS))
def test_what_the_rule_has_done(rule: str, kind: str, whose: str, last: str, expected: str) -> None:
    check_option(rule, kind, whose, last, expected)


@pytest.mark.parametrize(
    ("rule", "last", "implied"),
    [
        # Betting closes with the dice exposed, and the cut is decided after the total is called.
        ("star-2024 9.6", Milestone.DICE_SHOWN, Milestone.BETS_CLOSED),
        ("star-2024 9.6", Milestone.BETS_CLOSED, Milestone.DICE_SHOWN),
        ("star-2024 8.4.1", Milestone.CUT_NAMED, Milestone.DICE_SHOWN),
        # Betting closes with the cut, and the cup is shaken after the cut.
        ("star-classic 9.3", Milestone.CUT_NAMED, Milestone.BETS_CLOSED),
        ("star-classic 9.3", Milestone.BETS_CLOSED, Milestone.CUT_NAMED),
        ("star-classic 8.1", Milestone.DICE_SHOWN, Milestone.CUT_NAMED),
    ],
)
def test_what_must_have_come_before(rule: str, last: Milestone, implied: Milestone) -> None:
    book = STAR if rule.startswith("star-2024") else CLASSIC
    reached = book.remedies(Irregularity.DISPUTE, None, [last]).reached
    assert reached is not None
    assert implied in reached, rule


def test_no_box_is_taken_out_while_a_player_banks() -> None:
    """star-2024 15.9.1, star-classic 15.8: the House is banking."""
    for book, bank, rule in (
        (STAR, Bank.PLAYER, r"star-2024 15\.9\.3"),
        (CLASSIC, Bank.PLAYER, r"star-classic 15\.10"),
        (CLASSIC, Bank.CO_BANK, r"star-classic 15\.10"),
    ):
        with pytest.raises(IrregularityError, match=rule):
            book.remove_box((1, 2, 3), bank)


def test_a_tile_missing_foreign_or_there_twice() -> None:
    """star-2024 15.17: before the shuffle there is no round to declare void."""
    for kind in (Irregularity.MISSING_TILE, Irregularity.FOREIGN_TILE, Irregularity.DUPLICATE_FACE):
        at_the_display = STAR.remedies(kind, None, [])
        assert "star-2024 15.17.2" not in {option.cite for option in at_the_display.options}
        assert STAR.remedies(kind, None, [Milestone.HANDS_SET]).options[0].cite == "star-2024 15.17.2"


def test_there_is_no_co_bank() -> None:
    """star-2024 11.1, ruling 24: its hand is not mentioned, and a query is answered accordingly."""
    assert Whose.CO_BANK not in STAR.hands
    with pytest.raises(IrregularityError, match="under star-2024 nobody banks as co-bank"):
        STAR.remedies(Irregularity.NOT_HOUSE_WAY, Whose.CO_BANK, [Milestone.FIRST_HAND_EXPOSED])
    for kind in Irregularity:
        assert all(Whose.CO_BANK not in option.whose for option in STAR.remedies(kind).options)


def test_a_players_hand_set_wrongly_is_for_the_supervisor() -> None:
    """star-classic 15.7 names the House's hands; a player's is corrected by no rule, and 16.11 remains."""
    finding = CLASSIC.remedies(Irregularity.NOT_HOUSE_WAY, Whose.PLAYER, [Milestone.BANK_EXPOSED])
    assert finding.silent
    assert finding.options[0].cite == "star-classic 16.11"


@pytest.mark.parametrize("kind", [Irregularity.INVALID_WAGER, Irregularity.WRONGLY_SETTLED])
def test_what_only_2024_rules_on(kind: Irregularity) -> None:
    """star-classic 16.11: the game supervisor decides what star-2024 15.18 to 15.21 rule on later."""
    finding = CLASSIC.remedies(kind, None, [Milestone.SETTLED])
    assert finding.silent
    assert finding.options[0].by.words == "game supervisor"

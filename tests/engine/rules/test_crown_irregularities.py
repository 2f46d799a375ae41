"""Crown Melbourne 6.1: irregularities (12) and general powers (16): who must or may do what, and until when.

A row: the rule, what happened, to whose hand and at which moment (a dash for any), then must or may, who, and what
becomes of wagers; ``shut`` where the rule no longer or not yet speaks.
"""

from __future__ import annotations

import pytest

from engine.errors import IrregularityError
from engine.vocabulary.facts import Whose
from engine.vocabulary.irregularities import Irregularity, by_code, code
from tests.engine.rules.crown import BOOK, Bank, Milestone
from tests.engine.rules.tables import rows

SAID = """
crown-6.1 3.2 | damaged-tile | - | - | must | TG Area Manager | none
crown-6.1 4.2 | dice-not-tumbled | - | - | must | Dealer | none
crown-6.1 4.3 | cocked-die | - | - | must | Dealer | none
crown-6.1 5.5 | exposed-stacking | - | shuffled | may | TG Higher Duties Dealer | mixed-again
crown-6.1 8.3 | late-wager | - | stacked | may | Dealer | wager-stands
crown-6.1 8.3 | late-wager | - | bets-closed | shut
crown-6.1 8.3.1 | late-wager | - | bets-closed | must | Dealer | not-accepted
crown-6.1 8.3.2 | late-wager | - | cut-named | must | Dealer | not-accepted
crown-6.1 8.4 | late-wager | - | tiles-delivered | must | Dealer | not-accepted
crown-6.1 8.4 | late-wager | - | stacked | shut
crown-6.1 8.5 | oral-wager | - | stacked | may | Dealer | wager-stands
crown-6.1 8.5 | oral-wager | - | bets-closed | must | Dealer | not-accepted
crown-6.1 8.11.1 | handled-by-another | player | tiles-delivered | must | Dealer | none
crown-6.1 9.2.1 | below-minimum | - | - | must | Dealer | wager-stands
crown-6.1 9.2.2 | above-maximum | - | - | must | Dealer | wager-capped
crown-6.1 9.2.3 | not-payable | - | - | must | Dealer | paid-up
crown-6.1 9.4 | above-maximum | - | - | must | Dealer | wager-stands
crown-6.1 9.5 | above-maximum | - | - | must | Dealer | wager-stands
crown-6.1 10.1.2 | unused-tiles-seen | - | hands-set | must | Dealer | none
crown-6.1 10.1.3 | unused-tiles-seen | - | settled | must | Dealer | none
crown-6.1 10.1.3 | unused-tiles-seen | - | bank-put-away | must | Dealer | none
crown-6.1 10.1.3 | unused-tiles-seen | - | round-over | shut
crown-6.1 10.1.4 | unused-tiles-seen | - | first-hand-exposed | shut
crown-6.1 10.1.4 | unused-tiles-seen | - | settled | may | player | none
crown-6.1 10.2.1 | out-of-view | player | tiles-handled | may | supervisor | hand-void
crown-6.1 10.2.1 | tiles-exchanged | player | tiles-handled | may | supervisor | hand-void
crown-6.1 10.2.1 | communicating | player | tiles-handled | may | supervisor | hand-void
crown-6.1 10.2.3(a) | house-way-touched | player | hands-set | must | Dealer | as-set-now
crown-6.1 10.2.4 | handled-after-set | player | hands-set | must | Dealer | none
crown-6.1 10.2.5 | handled-by-another | player | tiles-delivered | must | Dealer | none
crown-6.1 10.2.7 | player-exposes | player | tiles-handled | must | Dealer | none
crown-6.1 10.2.10 | conceded | player | hands-set | must | Dealer | wager-lost
crown-6.1 10.3.2(h) | bank-not-covered | - | stacked | must | Dealer | bank-changes
crown-6.1 12.1 | exposed-stacking | - | shuffled | may | at the request of a TG Higher Duties Dealer | mixed-again
crown-6.1 12.2.1 | dealer-exposes | player | tiles-delivered | may | player | hand-void
crown-6.1 12.2.1(a) | dealer-exposes | player | tiles-handled | may | player | hand-void
crown-6.1 12.2.1 | dealer-exposes | player | tiles-viewed | shut
crown-6.1 12.2.1 | dealer-exposes | player | hands-set | shut
crown-6.1 12.2.1 | dealer-exposes | house | tiles-delivered | shut
crown-6.1 12.2.2 | dealer-exposes | player-banker | tiles-delivered | may | Player-Banker | round-void
crown-6.1 12.2.2(a) | dealer-exposes | player-banker | hands-set | may | Player-Banker | round-void
crown-6.1 12.2.2 | dealer-exposes | co-bank | hands-set | may | Player-Banker | round-void
crown-6.1 12.2.2 | dealer-exposes | player-banker | tiles-viewed | shut
crown-6.1 12.2.2 | dealer-exposes | player-banker | bank-exposed | shut
crown-6.1 12.2.2 | dealer-exposes | player | tiles-delivered | shut
crown-6.1 12.3 | dealer-exposes | house | tiles-delivered | must | Dealer | none
crown-6.1 12.3 | tile-exposed | house | tiles-delivered | must | Dealer | none
crown-6.1 12.4 | banker-exposes | - | tiles-delivered | must | Dealer | none
crown-6.1 12.5 | not-house-way | house | bank-exposed | must | TG Higher Duties Dealer | as-set-now
crown-6.1 12.5 | not-house-way | house | first-hand-exposed | must | TG Higher Duties Dealer | as-set-now
crown-6.1 12.5 | not-house-way | house | settled | must | TG Higher Duties Dealer | as-set-now
crown-6.1 12.5 | not-house-way | house | bank-put-away | must | Dealer | results-stand
crown-6.1 12.5 | not-house-way | player | settled | must | TG Higher Duties Dealer | as-set-now
crown-6.1 12.5 | not-house-way | player | bank-put-away | must | Dealer | results-stand
crown-6.1 12.5 | not-house-way | co-bank | settled | must | TG Higher Duties Dealer | as-set-now
crown-6.1 12.5 | not-house-way | player-banker | settled | must | TG Higher Duties Dealer | as-set-now
crown-6.1 12.6 | communicating | - | settled | may | TG Area Manager | box-out
crown-6.1 12.6.1 | communicating | - | settled | may | TG Area Manager | box-out
crown-6.1 12.6.4 | communicating | - | settled | may | TG Assistant Casino Manager | box-back
crown-6.1 12.6.5 | communicating | - | settled | may | TG Assistant Casino Manager | closes-at-once
crown-6.1 12.7 | wrong-deal | - | tiles-delivered | must | Dealer | round-void
crown-6.1 12.7 | wrong-deal | - | hands-set | must | Dealer | round-void
crown-6.1 12.7 | wrong-deal | - | bank-exposed | shut
crown-6.1 12.7.1 | wrong-deal | - | hands-set | shut
crown-6.1 12.7.1 | wrong-deal | - | bank-exposed | must | Dealer | results-stand
crown-6.1 12.8 | communicating | - | tiles-delivered | may | TG Assistant Casino Manager | sets-first
crown-6.1 12.8 | spying | - | tiles-delivered | may | TG Assistant Casino Manager | sets-first
crown-6.1 12.8 | spying | - | tiles-handled | shut
crown-6.1 14.3.2 | cocked-die | - | - | must | Dealer | none
crown-6.1 16.1 | prohibited-device | - | - | may | TG Assistant Casino Manager | winnings-withheld
crown-6.1 16.2.1 | rule-broken | - | - | may | TG Assistant Casino Manager | wager-returned
crown-6.1 16.2.2 | rule-broken | - | - | may | TG Assistant Casino Manager | player-out
crown-6.1 16.2.3 | prohibited-device | - | - | may | TG Assistant Casino Manager | winnings-withheld
crown-6.1 16.3 | fraud | - | - | may | TG Assistant Casino Manager | as-decided
crown-6.1 16.4 | disruption | - | - | may | TG Higher Duties Dealer | round-void
crown-6.1 16.5 | fraud | - | - | must | Dealer | round-void
crown-6.1 16.5 | disruption | - | - | must | Dealer | round-void
crown-6.1 16.10 | dispute | - | - | must | TG Area Manager | as-decided
crown-6.1 16.11 | dispute | - | - | must | Dealer | none
"""


@pytest.mark.parametrize("row", rows(SAID), ids=" ".join)
def test_what_the_text_says(row: tuple[str, ...]) -> None:
    rule, kind, whose, moment, *expected = row
    finding = BOOK.irregularities.remedies(
        by_code(Irregularity, kind),
        None if whose == "-" else by_code(Whose, whose),
        None if moment == "-" else [by_code(Milestone, moment)],
    )
    under = [option for option in finding.options if rule in (option.cite, *option.also)]
    if expected == ["shut"]:
        assert under == []
        return
    (option,) = under
    duty, by, effect = expected
    assert (option.duty.value, code(option.effect)) == (duty, effect)
    assert by in option.by.words


def test_a_void_outcome_refunds_only_once_it_is_declared() -> None:
    """crown-6.1 16.5: a duty implied by 16.3 or 16.4, not one of its own."""
    for kind in (Irregularity.FRAUD, Irregularity.DISRUPTION):
        option = BOOK.irregularities.remedies(kind).options[-1]
        assert option.where == "an outcome is declared void"


class TestABoxOutOfPlay:
    @pytest.mark.parametrize("bank", [Bank.PLAYER, Bank.CO_BANK])
    def test_only_while_the_house_banks(self, bank: Bank) -> None:
        """crown-6.1 12.6."""
        with pytest.raises(IrregularityError, match=r"crown-6\.1 12\.6\.2"):
            BOOK.irregularities.remove_box((1, 2, 3), bank)
        (option,) = (
            one
            for one in BOOK.irregularities.remedies(Irregularity.COMMUNICATING).options
            if one.cite == "crown-6.1 12.6"
        )
        assert option.where == "all boxes are in play and the House banks"

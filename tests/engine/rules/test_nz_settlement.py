"""New Zealand, rules 6.1, 6.2, 10.11 and section 11: who wins, and which chips go where in which order.

Ann on box 2 and Dee on box 6 win, Bob on box 5 loses, Cho on box 7 stands off; Zed banks at box 4.
"""

import pytest

from engine.books.registry import rulebook
from engine.errors import WagerError
from engine.game.ranking import Outcome
from engine.settlement.outcome import Match, match_hands
from engine.settlement.played import BankHolder, Laid
from engine.settlement.wagers import Wager
from engine.vocabulary.facts import Bank
from tests.engine.rules.nz_uk import BANK, LOSES, STANDS_OFF, WINS, banker, house, moved, settled

MATCHING = rulebook("nz-1998").settlement.matching
HIGHER_TILES = Laid.parse("1-1 2-2 / 4-4 5-4")  # 6 with the Day, 7 with the High 8
COPIES = Laid.parse("6-5 3-2 / 6-4 4-3")  # 6 with the eleven, 7 with the Low 10
LOW_COPIED_HIGH_WON = Laid.parse("6-5 3-2 / 4-4 5-5")  # 6 with the eleven, 8
LOW_COPIED_HIGH_LOST = Laid.parse("6-5 3-2 / 3-3 3-1")  # 6 with the eleven, 0: laid the other way round
ZERO = Laid.parse("6-4 5-5 / 6-1 4-1")  # 0 and 2
ZERO_AND_MORE = Laid.parse("3-1 5-1 / 5-4 5-3")  # 0 with the High 4, and 7
ZERO_AND_LESS = Laid.parse("3-1 5-1 / 6-3 2-2")  # 0 with the High 4, and 3
TWO_ZEROS = Laid.parse("6-4 5-5 / 3-1 5-1")
TWO_MORE_ZEROS = Laid.parse("6-3 6-5 / 3-3 2-2")


def matched(player: Laid, bank: Laid) -> Match:
    return match_hands(player.setting, bank.setting, MATCHING)


@pytest.mark.parametrize(
    ("players", "banks", "outcome", "low", "high", "rule"),
    [
        (WINS, BANK, Outcome.WIN, "6.1(a)(i)", "6.1(a)(i)", "nz-1998 6.1(a)(i)"),
        # Of the same value, and both high tiles are the player's.
        (HIGHER_TILES, BANK, Outcome.WIN, "6.1(a)(ii)", "6.1(a)(ii)", "nz-1998 6.1(a)(i)"),
        (LOSES, BANK, Outcome.LOSE, "6.1(b)(i)", "6.1(b)(i)", "nz-1998 6.1(b)(i)"),
        # No higher tile: both hands are copies.
        (COPIES, BANK, Outcome.LOSE, "6.1(b)(iii)", "6.1(b)(iii)", "nz-1998 6.1(b)(i)"),
        (STANDS_OFF, BANK, Outcome.PUSH, "6.1(b)(i)", "6.1(a)(i)", "nz-1998 6.1(c)"),
        (LOW_COPIED_HIGH_WON, BANK, Outcome.PUSH, "6.1(b)(iii)", "6.1(a)(i)", "nz-1998 6.1(c)"),
        # Zero against zero is the bank's whatever the tiles: the High 4 would beat the High 10.
        (ZERO_AND_LESS, Laid.parse("6-4 5-5 / 6-1 6-1"), Outcome.LOSE, "6.1(b)(ii)", "6.1(b)(i)", "nz-1998 6.1(b)(i)"),
    ],
)  # fmt: skip
def test_how_a_wager_ends(players: Laid, banks: Laid, outcome: Outcome, low: str, high: str, rule: str) -> None:
    """nz-1998 6.1(a)(i), 6.1(a)(ii), 6.1(b)(i) to 6.1(b)(iii), 6.1(c): hand by hand, and both together."""
    match = matched(players, banks)
    assert (match.outcome, match.low.cite.section, match.high.cite.section) == (outcome, low, high)
    assert match.cite == rule
    assert match.literal is outcome


def test_the_higher_of_two_hands_is_the_high_hand() -> None:
    """Laid 6 as the low hand and 0 as the high one: 0 is the low hand, 6 the high one; both lose."""
    match = matched(LOW_COPIED_HIGH_LOST, BANK)
    assert (match.low.player.points, match.high.player.points, match.outcome) == (0, 6, Outcome.LOSE)


def test_zero_against_zero_is_read_under_ruling_15() -> None:
    """nz-1998 6.1(b)(ii): literally the whole wager loses; as ruled only the low hand does, the high hand counts."""
    match = matched(ZERO_AND_MORE, ZERO)
    assert (match.low.to_player, match.low.cite) == (False, "nz-1998 6.1(b)(ii)")
    assert (match.outcome, match.literal) == (Outcome.PUSH, Outcome.LOSE)
    done = settled("nz-1998", Wager(2, "Ann", 2_000), bank=house(ZERO), hands={2: ZERO_AND_MORE})
    assert done.literal_reading_differs
    assert done.literal is not None
    assert (done.results[0].collected, done.literal.results[0].collected) == (0, 2_000)
    assert matched(TWO_MORE_ZEROS, TWO_ZEROS).outcome is matched(TWO_ZEROS, TWO_MORE_ZEROS).outcome is Outcome.LOSE


@pytest.mark.parametrize(
    ("rule", "players", "banks", "net"),
    [
        # 20.00 against Zed: he wins 19.00, 5 % paid (6.14), or loses 20.00.
        ("nz-1998 6.2(a)(i)", LOSES, BANK, 1_900),
        ("nz-1998 6.2(a)(ii)", COPIES, BANK, 1_900),
        ("nz-1998 6.2(a)(iii)", ZERO_AND_LESS, Laid.parse("6-4 5-5 / 6-1 6-1"), 1_900),
        ("nz-1998 6.2(a)(iv)", Laid.parse("6-5 3-2 / 6-4 4-3"), Laid.parse("6-5 4-1 / 6-4 5-2"), 1_900),
        ("nz-1998 6.2(b)(i)", WINS, BANK, -2_000),
        ("nz-1998 6.2(b)(ii)", HIGHER_TILES, BANK, -2_000),
        ("nz-1998 6.2(c)", STANDS_OFF, BANK, 0),
        ("nz-1998 6.2(c)", LOW_COPIED_HIGH_WON, BANK, 0),
    ],
)
def test_how_the_player_bankers_wager_ends(rule: str, players: Laid, banks: Laid, net: int) -> None:
    done = settled("nz-1998", Wager(2, "Ann", 2_000), bank=banker(hand=banks), hands={2: players})
    assert done.bank.net == net, rule


WAGERS = (Wager(7, "Cho", 2_000), Wager(6, "Dee", 2_000), Wager(2, "Ann", 4_000), Wager(5, "Bob", 12_000))
FLOAT, AREA, STAKE, FEES = "house float", "losing wager area", "bank wager", "commission"


def test_what_the_dealer_calls() -> None:
    """nz-1998 10.11: Jung, Che or Jowl, box by box from the chung."""
    calls = [(each.wager.box, each.call) for each in settled("nz-1998", *WAGERS, bank=house()).results]
    assert calls == [(2, "Jung"), (5, "Che"), (6, "Jung"), (7, "Jowl")]
    calls = [(each.wager.box, each.call) for each in settled("nz-1998", *WAGERS, bank=banker()).results]
    assert calls == [(5, "Che"), (6, "Jung"), (7, "Jowl"), (2, "Jung")]


def test_the_house_banks() -> None:
    """nz-1998 11.1(f), 11.1(g), 11.1(h), 11.1(i).

    From box 1 on: lost wagers into the float as they are opened, stand-offs stay the player's, and once all hands lie
    open the winners are paid, 5 % of each going to the House.
    """
    done = settled("nz-1998", *WAGERS, bank=house())
    assert moved(done)[4:] == [
        ("box 5", FLOAT, 12_000, "11.1(g)"),
        ("box 7", "player Cho", 2_000, "11.1(h)"),
        ("box 2", "player Ann", 4_000, "11.1(i)"),
        (FLOAT, "player Ann", 3_800, "11.1(i)"),
        (FLOAT, FEES, 200, "6.11"),
        ("box 6", "player Dee", 2_000, "11.1(i)"),
        (FLOAT, "player Dee", 1_900, "11.1(i)"),
        (FLOAT, FEES, 100, "6.11"),
    ]
    assert (done.order, done.boxes) == ("nz-1998 11.1(i)", (2, 5, 6, 7))
    assert done.bank.net == 12_000 - 4_000 - 2_000


def test_a_player_banks() -> None:
    """nz-1998 11.2(f), 11.2(g), 11.2(h), 11.2(i).

    From his box 4 on: lost wagers into the losing wager area, winners paid from it, the rest is his less 5 %.
    """
    done = settled("nz-1998", *WAGERS, bank=banker())
    assert moved(done)[5:] == [
        ("box 5", AREA, 12_000, "11.2(g)"),
        ("box 7", "player Cho", 2_000, "11.2(h)"),
        ("box 6", "player Dee", 2_000, "11.2(i)"),
        (AREA, "player Dee", 1_900, "11.2(i)"),
        (AREA, FEES, 100, "6.11"),
        ("box 2", "player Ann", 4_000, "11.2(i)"),
        (AREA, "player Ann", 3_800, "11.2(i)"),
        (AREA, FEES, 200, "6.11"),
        (STAKE, "player Zed", 20_000, "11.2(i)"),
        (AREA, FEES, 300, "6.14"),
        (AREA, "player Zed", 5_700, "11.2(i)"),
    ]
    assert done.boxes == (5, 6, 7, 2)


def test_a_player_bank_falls_short() -> None:
    """nz-1998 11.2(j): Bob loses 20.00, Dee and Ann win 60.00: 40.00 comes out of the banker's own wager."""
    done = settled("nz-1998", *WAGERS[:3], Wager(5, "Bob", 2_000), bank=banker())
    assert moved(done)[7:] == [
        ("box 6", "player Dee", 2_000, "11.2(i)"),
        (AREA, "player Dee", 1_900, "11.2(i)"),
        (AREA, FEES, 100, "6.11"),
        ("box 2", "player Ann", 4_000, "11.2(i)"),
        (STAKE, "player Ann", 3_800, "11.2(j)"),
        (STAKE, FEES, 200, "11.2(j)"),
        (STAKE, "player Zed", 16_000, "11.2(j)"),
    ]
    assert (done.bank.shortfall, done.bank.returned, done.bank.net) == (4_000, 16_000, -4_000)


def test_a_player_and_the_house_bank() -> None:
    """nz-1998 11.3(c), 11.3(f), 11.3(g), 11.3(h), 11.3(i), 11.3(j), 11.3(k).

    An equal amount comes from the float; the rest of the losing wagers is halved; both wagers go back, then the
    player has his half less 5 %.
    """
    done = settled("nz-1998", *WAGERS, bank=banker(Bank.CO_BANK, 10_000))
    assert moved(done)[4:] == [
        ("player Zed", STAKE, 10_000, "11.3(b)"),
        (FLOAT, STAKE, 10_000, "11.3(b)"),
        ("box 5", AREA, 12_000, "11.3(g)"),
        ("box 7", "player Cho", 2_000, "11.3(h)"),
        ("box 6", "player Dee", 2_000, "11.3(i)"),
        (AREA, "player Dee", 1_900, "11.3(i)"),
        (AREA, FEES, 100, "6.11"),
        ("box 2", "player Ann", 4_000, "11.3(i)"),
        (AREA, "player Ann", 3_800, "11.3(i)"),
        (AREA, FEES, 200, "6.11"),
        (AREA, FLOAT, 3_000, "11.3(k)"),
        (STAKE, FLOAT, 10_000, "11.3(k)"),
        (STAKE, "player Zed", 10_000, "11.3(k)"),
        (AREA, FEES, 150, "6.14"),
        (AREA, "player Zed", 2_850, "11.3(k)"),
    ]


def test_a_co_bank_falls_short() -> None:
    """nz-1998 11.3(l): 40.00 comes out of the co-banking wager of 200.00; the 160.00 left is halved."""
    done = settled("nz-1998", *WAGERS[:3], Wager(5, "Bob", 2_000), bank=banker(Bank.CO_BANK, 10_000))
    assert moved(done)[-4:] == [
        (STAKE, "player Ann", 3_800, "11.3(l)"),
        (STAKE, FEES, 200, "11.3(l)"),
        (STAKE, FLOAT, 8_000, "11.3(l)"),
        (STAKE, "player Zed", 8_000, "11.3(l)"),
    ]
    assert (done.bank.shortfall, done.bank.commission, done.bank.net) == (4_000, 0, -2_000)


@pytest.mark.parametrize(
    ("rule", "bank", "enough"),
    [
        ("nz-1998 11.2(b)", banker(Bank.PLAYER, 19_900), 20_000),  # 40 + 20 + 20 + 120
        ("nz-1998 11.3(b)", banker(Bank.CO_BANK, 9_900), 10_000),
    ],
)
def test_the_wagers_are_covered(rule: str, bank: BankHolder, enough: int) -> None:
    with pytest.raises(WagerError) as refused:
        settled("nz-1998", *WAGERS, bank=bank)
    assert f"({rule})" in str(refused.value)
    assert settled("nz-1998", *WAGERS, bank=banker(bank.method, enough)).results


def test_a_co_bank_hand_that_is_not_the_house_way_is_noted() -> None:
    """nz-1998 10.4(b), 11.3(e): Teens with 9 and 7 are split (Appendix 4: 2.3); kept together they are no House Way."""
    split, kept = Laid.parse("6-6 6-1 / 6-6 6-3"), Laid.parse("6-1 6-3 / 6-6 6-6")
    for hand, noted in ((split, False), (kept, True)):
        bank = banker(Bank.CO_BANK, 10_000, hand)
        done = settled("nz-1998", Wager(5, "Bob", 2_000), bank=bank, hands={5: LOSES})
        assert any("nz-1998 11.3(e)" in note for note in done.notes) is noted

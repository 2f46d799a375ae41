"""Crown Melbourne 6.1: Bonus and Tie wagers of Bonanza Pai Gow (13), Big/Small (1.1, 4.4.1, 8.16, 11.4)."""

from __future__ import annotations

from engine.settlement.side_wagers.book_rules import BigSmallRules, BonusRules, Made, Paytable, SideWagerRules, TieRules
from engine.settlement.wagers import BIG, BONUS, MAIN, SMALL, TIE
from engine.vocabulary.citations import CROWN
from engine.vocabulary.facts import Bank, Fact, Milestone

_LINES_B_TO_E = (
    Made.BOTH_TWO_PAIR,
    Made.GEE_JUN_AND_TEEN,
    Made.GEE_JUN_AND_DAY,
    Made.LUCKY_DUCK,
    Made.TWO_PAIR,
    Made.GREAT_PAIR,
    Made.WONG_OR_PAIR,
)
_BONUS_WINS = CROWN.at("13.4.1")

BONUS_OPTIONS = (
    Paytable(
        "bonus-a",
        CROWN.at("13.4, Table 3"),
        _BONUS_WINS,
        (
            (Made.GEE_JUN_AND_TEEN, 200),
            (Made.GEE_JUN_AND_DAY, 60),
            (Made.TEEN_AND_DAY, 30),
            (Made.LUCKY_DUCK, 20),
            (Made.TWO_PAIR, 12),
            (Made.GREAT_PAIR, 5),
            (Made.ONE_PAIR, 2),
            (Made.WONG, 1),
        ),
    ),
    *(
        Paytable(name, cite, _BONUS_WINS, tuple(zip(_LINES_B_TO_E, odds, strict=True)))
        for name, cite, odds in (
            ("bonus-b", CROWN.at("13.4, Table 4"), (250, 100, 50, 20, 10, 4, 2)),
            ("bonus-c", CROWN.at("13.4, Table 5"), (200, 80, 40, 20, 10, 4, 2)),
            ("bonus-d", CROWN.at("13.4, Table 6"), (250, 100, 50, 15, 8, 4, 2)),
            ("bonus-e", CROWN.at("13.4, Table 7"), (500, 100, 50, 15, 8, 3, 2)),
        )
    ),
)
"""Options A to E (13.2.1)."""

TIE_OPTIONS = (
    Paytable(
        "tie-a",
        CROWN.at("13.5, Table 8"),
        CROWN.at("13.5.1(a)"),
        ((Made.TIE_WITH_GONG, 25), (Made.TIE, 1)),
    ),
    Paytable(
        "tie-b",
        CROWN.at("13.5, Table 9"),
        CROWN.at("13.5.1(b)"),
        ((Made.LUCKY_DUCK, 3), (Made.TWO_PAIR, 2), (Made.TIE, 1)),
        surrender=True,
    ),
)
"""Options A and B (13.2.3); only Table 9 has a line for surrender."""

SIDE_WAGERS = SideWagerRules(
    bets={MAIN: CROWN.at("13.3.2(a)"), BONUS: CROWN.at("13.3.2(b)"), TIE: CROWN.at("13.3.2(c)")},
    combined=CROWN.at("13.3.2(d)"),
    bonus=BonusRules(
        options=BONUS_OPTIONS,
        with_main=CROWN.at("13.3.3"),
        any_bank_hand=CROWN.at("13.4.2"),
        any_two_tiles=CROWN.at("13.4.3"),
        any_setting=CROWN.at("13.4.4"),
        two_pairs_set=CROWN.at("13.4.1(a)(i)"),
        lucky_duck_set=CROWN.at("13.4.1(a)(ii)"),
        when_conceded=Fact("the tiles dealt decide the Bonus of a hand that is conceded", CROWN.at("13.4.2"), (41,)),
        bank_dealt=Fact("the dealer deals a hand and need not show it unless a player asks", CROWN.at("13.8.1")),
    ),
    tie=TieRules(
        options=TIE_OPTIONS,
        one_setting=CROWN.at("13.5.2"),
        own_setting=CROWN.at("13.5.2(a)"),
        asked_setting=CROWN.at("13.5.2(b)"),
        surrender=Fact(Milestone.BANK_EXPOSED, CROWN.at("13.2.4")),
        surrender_from=Fact(Milestone.TILES_DELIVERED, CROWN.at("13.5.3(a)(i)")),
        surrendered_by=CROWN.at("13.5.3(a)(iv)"),
        surrender_collected=CROWN.at("13.5.3(a)(iii)"),
        players={
            Bank.HOUSE: Fact(value=True, cite=CROWN.at("13.3.1")),
            Bank.PLAYER: Fact(value=False, cite=CROWN.at("13.6.4")),
            Bank.CO_BANK: Fact(value=True, cite=CROWN.at("13.6.5")),
        },
    ),
    big_small=BigSmallRules(
        meaning=CROWN.at("1.1 Big/Small"),
        settled=CROWN.at("4.4.1"),
        pays=Fact(1, CROWN.at("11.4"), rulings=(21,)),
        beside=CROWN.at("8.16.1"),
        first=CROWN.at("8.16.2"),
        afterwards=CROWN.at("8.16.3"),
    ),
    banker={
        BONUS: Fact(value=True, cite=CROWN.at("13.6.1")),
        TIE: Fact(value=False, cite=CROWN.at("13.6.3")),
        # It is not laid against the bank; on another box the banker is one of the players that are left.
        BIG: Fact(value=True, cite=CROWN.at("8.16.3")),
        SMALL: Fact(value=True, cite=CROWN.at("8.16.3")),
    },
    house_pays=CROWN.at("13.6.2"),
    removed=CROWN.at("13.9.1(a)"),
    stays=CROWN.at("13.9.1(b)"),
    paid=CROWN.at("13.9.1(c)"),
    in_chips=Fact("the next highest amount that chips can make", CROWN.at("9.2.3"), rulings=(22,)),
    decides={MAIN: CROWN.at("13.7.1"), TIE: CROWN.at("13.7.2"), BONUS: CROWN.at("13.7.3")},
    highest_decides=CROWN.at("8.8.1"),
)

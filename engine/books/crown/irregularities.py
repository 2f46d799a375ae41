"""Crown Melbourne 6.1: irregularities, section 12, and the rules of other sections that say what follows a fault."""

from __future__ import annotations

from dataclasses import replace

from engine.vocabulary.facts import Bank, Milestone
from engine.vocabulary.irregularities import (
    MAY,
    MUST,
    BoxRemoval,
    Effect,
    Irregularities,
    Irregularity,
    Option,
    Whose,
    as_the_star_does,
    until,
)
from engine.vocabulary.sources import CROWN

at = CROWN.at

DEALER = "Dealer"
HIGHER_DUTIES = "TG Higher Duties Dealer (or above)"
AREA = "TG Area Manager (or above)"
ASSISTANT = "TG Assistant Casino Manager (or above)"
SHAKER = "Dealer or Player-Banker"
INSTRUCTED = "Dealer, instructed by a TG Higher Duties Dealer (or above)"
UNNAMED = "supervisor (the rule names nobody)"

# 10.3.3 calls a co-banker the Player-Banker.
BANKERS = frozenset({Whose.PLAYER_BANKER, Whose.CO_BANK})
HOUSE = frozenset({Whose.HOUSE})
PLAYER = frozenset({Whose.PLAYER})

VOID_WAGER = Option(MAY, ASSISTANT, "declare any wager of the player void", Effect.WAGER_RETURNED, at("16.2.1"))
EXCLUDE = Option(MAY, ASSISTANT, "exclude the player from the game", Effect.NONE, at("16.2.2"))
BREACH = (VOID_WAGER, EXCLUDE)
RESHUFFLE = Option(MAY, HIGHER_DUTIES, "shuffle again, at any time", Effect.MIXED_AGAIN, at("5.5"))
VOID_HAND = Option(MAY, UNNAMED, "declare {hand} void", Effect.HAND_VOID, at("10.2.1"))
REFUND = Option(
    MUST, DEALER, "refund all wagers on it", Effect.ROUND_VOID, at("16.5"), where="an outcome is declared void"
)
SILENT_ON_THE_SET = as_the_star_does(AREA, at("16.10"))

IRREGULARITIES = Irregularities(
    CROWN,
    said={
        Irregularity.DAMAGED_TILE: (
            Option(MUST, AREA, "be notified, and have the tile or the whole set replaced", Effect.NONE, at("3.2")),
        ),
        Irregularity.EXPOSED_STACKING: (
            Option(
                MAY,
                f"Dealer, at the request of a {HIGHER_DUTIES}",
                "perform a laja",
                Effect.MIXED_AGAIN,
                at("12.1"),
            ),
            RESHUFFLE,
        ),
        Irregularity.COCKED_DIE: (
            Option(MUST, SHAKER, "shake the dice cup again", Effect.NONE, at("4.3"), also=(at("14.3.2"),)),
        ),
        Irregularity.DICE_NOT_TUMBLED: (
            Option(MUST, SHAKER, "shake the dice cup so that the dice tumble", Effect.NONE, at("4.2")),
        ),
        Irregularity.TILE_EXPOSED: (
            Option(MUST, DEALER, "play on", Effect.NONE, at("12.3"), whose=HOUSE),
            Option(
                MAY,
                HIGHER_DUTIES,
                "shuffle again, or play on: rule 12.2 begins at two tiles",
                Effect.MIXED_AGAIN,
                at("5.5"),
                also=(at("12.2"),),
                whose=BANKERS | PLAYER,
            ),
        ),
        Irregularity.DEALER_EXPOSES: (
            Option(
                MAY,
                "player",
                "call {hand} void",
                Effect.HAND_VOID,
                at("12.2.1"),
                also=(at("12.2.1(a)"),),
                whose=PLAYER,
                before=Milestone.TILES_VIEWED,
            ),
            Option(
                MAY,
                "Player-Banker",
                "call {hand} void, and with it the round; shuffle again",
                Effect.ROUND_VOID,
                at("12.2.2"),
                also=(at("12.2.2(a)"),),
                whose=BANKERS,
                before=Milestone.TILES_VIEWED,
            ),
            Option(
                MUST,
                DEALER,
                "play on: {hand} can no longer be called void",
                Effect.NONE,
                at("12.2"),
                whose=BANKERS | PLAYER,
                after=Milestone.TILES_VIEWED,
            ),
            Option(MUST, DEALER, "play on", Effect.NONE, at("12.3"), whose=HOUSE),
        ),
        Irregularity.BANKER_EXPOSES: (Option(MUST, DEALER, "play on", Effect.NONE, at("12.4")),),
        Irregularity.PLAYER_EXPOSES: (
            Option(MUST, DEALER, "let no tile be exposed until all hands are set", Effect.NONE, at("10.2.7")),
            *BREACH,
        ),
        Irregularity.WRONG_DEAL: (
            Option(
                MUST,
                DEALER,
                "declare the round void and shuffle all 32 tiles again",
                Effect.ROUND_VOID,
                at("12.7"),
                before=Milestone.BANK_EXPOSED,
            ),
            Option(
                MUST,
                DEALER,
                "let all results stand and settle",
                Effect.RESULTS_STAND,
                at("12.7.1"),
                after=Milestone.BANK_EXPOSED,
            ),
        ),
        Irregularity.UNUSED_TILES_SEEN: (
            Option(
                MUST,
                DEALER,
                "leave tiles not in play undisclosed, and not look at them",
                Effect.NONE,
                at("10.1.3"),
                also=(at("10.1.2"),),
                before=Milestone.ROUND_OVER,
            ),
            Option(MAY, "player", "view them without handling", Effect.NONE, at("10.1.4"), after=Milestone.SETTLED),
            *BREACH,
        ),
        Irregularity.NOT_HOUSE_WAY: (
            *until(Milestone.BANK_PUT_AWAY, MUST, INSTRUCTED, at("12.5"), Whose.HOUSE, Whose.PLAYER),
            # 12.5 does not name these two: the co-bank is treated as the house (ruling 33), a player-banker who asks
            # for the House Way as a player.
            *until(
                Milestone.BANK_PUT_AWAY,
                MUST,
                INSTRUCTED,
                at("12.5"),
                Whose.CO_BANK,
                also=(at("10.3.3(d)"),),
                rulings=(33,),
            ),
            *until(
                Milestone.BANK_PUT_AWAY,
                MUST,
                INSTRUCTED,
                at("12.5"),
                Whose.PLAYER_BANKER,
                also=(at("10.2.3"),),
                rulings=(33,),
            ),
        ),
        Irregularity.LOW_LAID_HIGH: (
            Option(
                MUST,
                DEALER,
                "compare the higher two tiles as the high hand: it is no foul",
                Effect.NONE,
                at("10.2.2"),
                rulings=(18,),
            ),
        ),
        Irregularity.HANDLED_AFTER_SET: (
            Option(MUST, DEALER, "keep the hand as it was set", Effect.NONE, at("10.2.4")),
            *BREACH,
        ),
        Irregularity.HOUSE_WAY_TOUCHED: (
            Option(
                MUST,
                DEALER,
                "set {hand} the House Way at its settlement",
                Effect.AS_SET_NOW,
                at("10.2.3(a)"),
                also=(at("10.2.4"),),
            ),
            *BREACH,
        ),
        Irregularity.HANDLED_BY_ANOTHER: (
            Option(
                MUST,
                DEALER,
                "let only the player who controls the box handle and set its tiles, and nobody see a second set",
                Effect.NONE,
                at("10.2.5"),
                also=(at("8.11.1"),),
            ),
            *BREACH,
        ),
        Irregularity.OUT_OF_VIEW: (VOID_HAND, *BREACH),
        Irregularity.TILES_EXCHANGED: (VOID_HAND, *BREACH),
        Irregularity.COMMUNICATING: (
            Option(
                MAY,
                AREA,
                "take a box out of play, chosen by dice, once the TG Assistant Casino Manager (or above) is notified",
                Effect.BOX_OUT,
                at("12.6"),
                also=(at("12.6.1"), at("12.6.2"), at("12.6.3")),
                where="all boxes are in play and the House banks",
            ),
            Option(
                MAY,
                ASSISTANT,
                "direct the players suspected to set their tiles before the others view theirs",
                Effect.NONE,
                at("12.8"),
                before=Milestone.TILES_HANDLED,
            ),
            VOID_HAND,
            Option(
                MAY,
                ASSISTANT,
                "close the table without further notice",
                Effect.NONE,
                at("12.6.5"),
                where="it continues",
            ),
            Option(MAY, ASSISTANT, "bring a box back that was taken out", Effect.BOX_BACK, at("12.6.4")),
            *BREACH,
        ),
        Irregularity.SPYING: (
            Option(
                MAY,
                ASSISTANT,
                "direct the players suspected to set their tiles before the others view theirs",
                Effect.NONE,
                at("12.8"),
                before=Milestone.TILES_HANDLED,
            ),
            *BREACH,
        ),
        Irregularity.CONCEDED: (
            Option(
                MUST,
                DEALER,
                "take the tiles away unexposed, and the wager",
                Effect.WAGER_LOST,
                at("10.2.10"),
                where="nobody else wagers on the box",
            ),
            Option(
                MAY,
                AREA,
                "decide about a hand conceded by mistake: the book does not say whether it may return to play",
                Effect.AS_DECIDED,
                at("16.10"),
            ),
        ),
        Irregularity.BELOW_MINIMUM: (
            Option(
                MUST,
                DEALER,
                "pay or collect the wager, and tell its owner that further ones may be returned whatever the result",
                Effect.WAGER_STANDS,
                at("9.2.1"),
            ),
        ),
        Irregularity.ABOVE_MAXIMUM: (
            Option(
                MUST,
                DEALER,
                "pay or collect the wager up to the maximum, the player's own where one is agreed",
                Effect.WAGER_CAPPED,
                at("9.2.2"),
                also=(at("9.3"),),
                where="the House banks or co-banks",
            ),
            Option(
                MUST,
                DEALER,
                "settle the wager whole: there is no maximum",
                Effect.WAGER_STANDS,
                at("9.5"),
                also=(at("9.4"),),
                where="a Player-Banker holds the bank alone",
            ),
        ),
        Irregularity.NOT_PAYABLE: (
            Option(MUST, DEALER, "pay the next highest amount that chips can make", Effect.PAID_UP, at("9.2.3")),
        ),
        Irregularity.LATE_WAGER: (
            Option(
                MAY,
                DEALER,
                "accept it: betting is open",
                Effect.WAGER_STANDS,
                at("8.3"),
                before=Milestone.BETS_CLOSED,
            ),
            Option(
                MUST,
                DEALER,
                "refuse it",
                Effect.NOT_ACCEPTED,
                at("8.4"),
                also=(at("8.3.1"), at("8.3.2")),
                after=Milestone.BETS_CLOSED,
            ),
            replace(VOID_WAGER, after=Milestone.BETS_CLOSED),
        ),
        Irregularity.ORAL_WAGER: (
            Option(
                MAY,
                DEALER,
                "accept it with the chips or cash for it, which lie on the layout as chips before betting closes",
                Effect.WAGER_STANDS,
                at("8.5"),
                before=Milestone.BETS_CLOSED,
            ),
            Option(MUST, DEALER, "refuse it", Effect.NOT_ACCEPTED, at("8.5"), after=Milestone.BETS_CLOSED),
        ),
        Irregularity.BANK_NOT_COVERED: (
            Option(
                MUST,
                DEALER,
                "play with the House banking or co-banking",
                Effect.BANK_CHANGES,
                at("10.3.2(h)"),
            ),
        ),
        Irregularity.PROHIBITED_DEVICE: (
            *BREACH,
            Option(
                MAY,
                ASSISTANT,
                "withhold winnings suspected to be won with it until it is investigated",
                Effect.WINNINGS_WITHHELD,
                at("16.2.3"),
                also=(at("16.1"),),
            ),
        ),
        Irregularity.FRAUD: (
            Option(MAY, ASSISTANT, "declare the game or any wager void", Effect.AS_DECIDED, at("16.3")),
            REFUND,
        ),
        Irregularity.DISRUPTION: (
            Option(MAY, HIGHER_DUTIES, "declare the outcome void", Effect.ROUND_VOID, at("16.4")),
            REFUND,
        ),
        Irregularity.RULE_BROKEN: BREACH,
        Irregularity.DISPUTE: (
            Option(MUST, AREA, "decide; the decision is final", Effect.AS_DECIDED, at("16.10")),
            Option(
                MUST,
                DEALER,
                "tell a complainant of the inspector",
                Effect.NONE,
                at("16.11"),
                where="it stays unresolved",
            ),
        ),
    },
    silent={
        Irregularity.MISSING_TILE: SILENT_ON_THE_SET,
        Irregularity.FOREIGN_TILE: SILENT_ON_THE_SET,
        Irregularity.DUPLICATE_FACE: SILENT_ON_THE_SET,
        Irregularity.TILE_TRACKING: (RESHUFFLE,),
        Irregularity.EXPOSED_LAJA: (replace(RESHUFFLE, rulings=(35,)),),
        Irregularity.DICE_FAULT: (
            Option(MUST, DEALER, "play only with dice as the rule describes them", Effect.NONE, at("2.4")),
        ),
        Irregularity.HAND_DISTURBED: (),
        Irregularity.HANDS_MIXED: (),
        Irregularity.ABSENT_PLAYER: (),
        Irregularity.INVALID_WAGER: (),
        Irregularity.WRONGLY_SETTLED: (),
    },
    removal=BoxRemoval(at("12.6.2"), at("12.6.3"), frozenset({Bank.HOUSE})),
)

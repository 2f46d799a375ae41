"""The Star 2024: irregularities, section 15, and the rules of other sections that say what follows a fault."""

from __future__ import annotations

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
    until,
)
from engine.vocabulary.sources import STAR_2024

at = STAR_2024.at

DEALER = "dealer"
GAME_SUPERVISOR = "gaming supervisor"
SUPERVISOR = "casino supervisor"
OPERATOR = "The Star"

# There is no co-banking in 2024 (ruling 24); asked all the same, a co-bank's hand is treated as the bank's.
BANKERS = frozenset({Whose.PLAYER_BANKER, Whose.CO_BANK})
HOUSE = frozenset({Whose.HOUSE})
PLAYER = frozenset({Whose.PLAYER})

RESHUFFLE = Option(
    MAY,
    SUPERVISOR,
    "direct the dealer to shuffle again",
    Effect.MIXED_AGAIN,
    at("15.4"),
)
PLAY_HOUSE = Option(MUST, DEALER, "play the hand", Effect.NONE, at("15.5"), whose=HOUSE)
REFUND = Option(MAY, SUPERVISOR, "refund all wagers on that result", Effect.ROUND_VOID, at("16.6"))
REFUSE = Option(
    MAY,
    SUPERVISOR,
    "refuse the wager, on reasonable grounds",
    Effect.WAGER_RETURNED,
    at("16.12"),
    before=Milestone.DICE_SHOWN,
)
NO_INFORMATION = Option(
    MUST,
    DEALER,
    "let no tiles be exchanged and nobody tell of a hand",
    Effect.NONE,
    at("12.13"),
)
MISSING_OR_FOREIGN = (
    # Wagers lie from the shuffle on (9.6); before it there is no round to declare void.
    Option(
        MUST,
        SUPERVISOR,
        "declare the round void and return all money of it",
        Effect.ROUND_VOID,
        at("15.17.2"),
        after=Milestone.SHUFFLED,
        before=Milestone.SETTLED,
    ),
    Option(MUST, SUPERVISOR, "let the results of completed rounds stand", Effect.RESULTS_STAND, at("15.17.1")),
    Option(MUST, SUPERVISOR, "check the set for more missing or foreign tiles", Effect.NONE, at("15.17.3")),
)

IRREGULARITIES = Irregularities(
    STAR_2024,
    said={
        Irregularity.DAMAGED_TILE: (
            Option(MUST, SUPERVISOR, "replace the tile or the whole set", Effect.NONE, at("3.4")),
        ),
        Irregularity.MISSING_TILE: MISSING_OR_FOREIGN,
        Irregularity.FOREIGN_TILE: MISSING_OR_FOREIGN,
        # One of three like faces does not form part of the set.
        Irregularity.DUPLICATE_FACE: MISSING_OR_FOREIGN,
        Irregularity.TILE_TRACKING: (RESHUFFLE,),
        Irregularity.EXPOSED_STACKING: (
            Option(MUST, DEALER, "perform a laja", Effect.MIXED_AGAIN, at("15.1")),
            RESHUFFLE,
        ),
        Irregularity.EXPOSED_LAJA: (Option(MUST, DEALER, "shuffle again", Effect.MIXED_AGAIN, at("15.2")),),
        Irregularity.COCKED_DIE: (
            Option(MUST, "dealer or player/banker", "shake the dice cup again", Effect.NONE, at("8.3")),
        ),
        Irregularity.DICE_NOT_TUMBLED: (
            Option(
                MUST,
                "dealer or player/banker",
                "shake the dice cup so that the dice tumble",
                Effect.NONE,
                at("8.1"),
            ),
        ),
        Irregularity.TILE_EXPOSED: (
            PLAY_HOUSE,
            Option(
                MAY,
                SUPERVISOR,
                "direct the dealer to shuffle again, or play on: rule 15.3 begins at two tiles",
                Effect.MIXED_AGAIN,
                at("15.4"),
                also=(at("15.3"),),
                whose=BANKERS | PLAYER,
            ),
        ),
        Irregularity.DEALER_EXPOSES: (
            Option(
                MAY,
                "player",
                "call {hand} void",
                Effect.HAND_VOID,
                at("15.3.1"),
                whose=PLAYER,
                before=Milestone.TILES_VIEWED,
            ),
            Option(
                MAY,
                "player/banker",
                "call {hand} void, and with it the round; shuffle again",
                Effect.ROUND_VOID,
                at("15.3.2"),
                whose=BANKERS,
                before=Milestone.TILES_VIEWED,
            ),
            Option(
                MUST,
                DEALER,
                "play on: {hand} can no longer be called void",
                Effect.NONE,
                at("15.3"),
                whose=BANKERS | PLAYER,
                after=Milestone.TILES_VIEWED,
            ),
            PLAY_HOUSE,
            RESHUFFLE,
        ),
        Irregularity.BANKER_EXPOSES: (Option(MUST, DEALER, "play on", Effect.NONE, at("15.6")),),
        Irregularity.PLAYER_EXPOSES: (
            Option(
                MAY,
                "player",
                "lay the tiles face up",
                Effect.NONE,
                at("12.19"),
                where="the House banks and nobody else plays",
            ),
            NO_INFORMATION,
            RESHUFFLE,
        ),
        Irregularity.WRONG_DEAL: (
            Option(
                MUST,
                DEALER,
                "reconstruct the deal",
                Effect.NONE,
                at("15.11"),
                before=Milestone.TILES_HANDLED,
            ),
            Option(
                MUST,
                DEALER,
                "declare the round void and shuffle all 32 tiles again",
                Effect.ROUND_VOID,
                at("15.12"),
                where="it cannot be reconstructed",
                before=Milestone.TILES_HANDLED,
            ),
            Option(
                MUST,
                DEALER,
                "play the round to its end",
                Effect.RESULTS_STAND,
                at("15.13"),
                after=Milestone.TILES_HANDLED,
            ),
        ),
        Irregularity.UNUSED_TILES_SEEN: (
            Option(
                MUST,
                DEALER,
                "leave tiles not in play undisclosed",
                Effect.NONE,
                at("12.3"),
                before=Milestone.SETTLED,
            ),
            Option(
                MAY,
                "player",
                "view them without handling",
                Effect.NONE,
                at("12.16"),
                after=Milestone.SETTLED,
            ),
        ),
        Irregularity.NOT_HOUSE_WAY: (
            *until(
                Milestone.FIRST_HAND_EXPOSED,
                MUST,
                DEALER,
                at("15.7"),
                Whose.HOUSE,
                Whose.CO_BANK,
                also=(at("13.1.5"),),
                rulings=(33,),
            ),
            *until(
                Milestone.FIRST_HAND_EXPOSED,
                MUST,
                DEALER,
                at("15.7"),
                Whose.PLAYER_BANKER,
                also=(at("12.9"),),
                rulings=(33,),
            ),
            # Diagram B's House Way playing area is a player's hand that the dealer sets (15.10.2). 15.8 is printed as
            # subject to 12.12, on players who share a bank; 12.10, on a player who touches the hand, fits better.
            *until(
                Milestone.BANK_PUT_AWAY,
                MUST,
                "dealer or casino supervisor",
                at("15.8"),
                Whose.PLAYER,
                also=(at("15.10.2"), at("12.12"), at("12.10")),
            ),
        ),
        Irregularity.LOW_LAID_HIGH: (
            Option(
                MUST,
                DEALER,
                "compare the higher two tiles as the high hand: it is no foul",
                Effect.NONE,
                at("12.4"),
                rulings=(18,),
            ),
        ),
        Irregularity.HANDLED_AFTER_SET: (Option(MUST, DEALER, "keep the hand as it was set", Effect.NONE, at("12.5")),),
        Irregularity.HOUSE_WAY_TOUCHED: (
            Option(
                MUST,
                "player",
                "answer for the setting: it is the player's own from then on",
                Effect.AS_SET_NOW,
                at("12.10"),
                where="the dealer set the hand at request",
            ),
            Option(
                MUST,
                DEALER,
                "set the tiles the House Way in the end",
                Effect.AS_SET_NOW,
                at("15.10.1"),
                where="they lie in the House Way playing area of diagram B",
            ),
        ),
        Irregularity.HANDLED_BY_ANOTHER: (
            Option(
                MUST,
                DEALER,
                "let only the player who controls the box handle and set its tiles",
                Effect.NONE,
                at("12.11"),
                also=(at("9.13"),),
            ),
        ),
        Irregularity.HAND_DISTURBED: (
            Option(
                MUST,
                DEALER,
                "set the disturbed tiles, of this player or another, the House Way",
                Effect.AS_SET_NOW,
                at("15.15"),
            ),
        ),
        Irregularity.HANDS_MIXED: (
            Option(
                MUST,
                DEALER,
                "set the disturbed tiles the House Way",
                Effect.AS_SET_NOW,
                at("15.15"),
                where="the dealer mixed them when opening a hand, and it is known whose they are",
            ),
            Option(
                MUST,
                GAME_SUPERVISOR,
                "decide: the book does not say what becomes of hands that cannot be told apart",
                Effect.AS_DECIDED,
                at("16.13"),
                where="it is not known whose they are",
            ),
        ),
        Irregularity.ABSENT_PLAYER: (
            Option(
                MAY,
                SUPERVISOR,
                "direct the dealer to set the tiles the House Way; the player accepts the result",
                Effect.AS_SET_NOW,
                at("15.16"),
            ),
        ),
        Irregularity.OUT_OF_VIEW: (
            Option(MUST, DEALER, "have the tiles kept within the table and in view", Effect.NONE, at("12.13")),
        ),
        Irregularity.TILES_EXCHANGED: (NO_INFORMATION,),
        Irregularity.COMMUNICATING: (
            Option(
                MAY,
                SUPERVISOR,
                "take a box out of play, chosen by dice",
                Effect.BOX_OUT,
                at("15.9.2"),
                also=(at("15.9.1"), at("15.9.3"), at("15.9.4")),
                where="diagram A is in use, all playing areas are in play and the House banks",
            ),
            Option(MUST, SUPERVISOR, "have an inspector notified", Effect.NONE, at("15.9.2")),
            NO_INFORMATION,
            Option(MAY, SUPERVISOR, "bring a box back that was taken out", Effect.BOX_BACK, at("15.9.5")),
        ),
        Irregularity.SPYING: (
            Option(
                MAY,
                SUPERVISOR,
                "direct the players suspected to set their hands before the others handle theirs",
                Effect.NONE,
                at("15.14.1"),
                before=Milestone.TILES_HANDLED,
            ),
            Option(MAY, SUPERVISOR, "keep them from playing at the same table", Effect.NONE, at("15.14.2")),
            Option(MAY, SUPERVISOR, "direct that only English is spoken", Effect.NONE, at("15.14.3")),
        ),
        Irregularity.CONCEDED: (
            Option(
                MUST,
                DEALER,
                "take the tiles away unexposed, and the wager; the hand cannot return to play",
                Effect.WAGER_LOST,
                at("12.17"),
                where="nobody else wagers on the playing area",
            ),
            Option(MAY, SUPERVISOR, "view the tiles", Effect.NONE, at("12.18")),
        ),
        Irregularity.BELOW_MINIMUM: (
            Option(
                MAY,
                DEALER,
                "reject the wager",
                Effect.WAGER_RETURNED,
                at("10.3"),
                also=(at("10.2"),),
                before=Milestone.DICE_SHOWN,
            ),
            REFUSE,
            Option(
                MUST,
                DEALER,
                "settle the wager: it is valid",
                Effect.WAGER_STANDS,
                at("10.3"),
                also=(at("10.2"),),
                after=Milestone.DICE_SHOWN,
            ),
        ),
        Irregularity.ABOVE_MAXIMUM: (
            REFUSE,
            Option(
                MUST,
                DEALER,
                "pay or collect the wager up to the maximum, the player's own where one is allowed",
                Effect.WAGER_CAPPED,
                at("10.3"),
                also=(at("10.7"),),
                where="the House banks",
            ),
            Option(
                MUST,
                DEALER,
                "settle the wager whole: there is no maximum",
                Effect.WAGER_STANDS,
                at("10.2"),
                where="a player/banker holds the bank",
            ),
            Option(
                MUST,
                DEALER,
                "let wagers and results of earlier rounds stand",
                Effect.RESULTS_STAND,
                at("10.4"),
                where="it was so in earlier rounds too",
            ),
        ),
        Irregularity.LATE_WAGER: (
            Option(
                MAY,
                DEALER,
                "accept it: betting is open",
                Effect.WAGER_STANDS,
                at("9.6"),
                before=Milestone.BETS_CLOSED,
            ),
            Option(
                MUST,
                DEALER,
                "refuse it",
                Effect.NOT_ACCEPTED,
                at("9.7"),
                where="the House banks",
                after=Milestone.BETS_CLOSED,
            ),
            Option(
                MAY,
                "player/banker",
                "consent to it; else it is refused",
                Effect.AS_DECIDED,
                at("9.8"),
                where="a player banks",
                after=Milestone.BETS_CLOSED,
            ),
        ),
        Irregularity.ORAL_WAGER: (
            Option(MUST, DEALER, "not accept it: wagers are placed in chips", Effect.NOT_ACCEPTED, at("9.5")),
        ),
        Irregularity.INVALID_WAGER: (
            Option(
                MUST,
                OPERATOR,
                "return the wager",
                Effect.WAGER_RETURNED,
                at("15.21.1"),
                also=(at("16.1"),),
                before=Milestone.CUT_NAMED,
            ),
            Option(
                MUST,
                OPERATOR,
                "try to return a winning wager; no winnings are due on it",
                Effect.NO_WINNINGS,
                at("15.21.2"),
                also=(at("16.1"),),
                after=Milestone.CUT_NAMED,
                before=Milestone.SETTLED,
            ),
            Option(
                MUST,
                OPERATOR,
                "let wagers and results of settled rounds stand",
                Effect.RESULTS_STAND,
                at("15.21.3"),
            ),
        ),
        Irregularity.WRONGLY_SETTLED: (
            Option(
                MUST,
                OPERATOR,
                "put it right, try to (repay it, or ask it back), or tell the NICC, within a reasonable time",
                Effect.PUT_RIGHT,
                at("15.18.2"),
                also=(at("15.18.1"), at("15.20.1"), at("15.20.1.1"), at("15.20.1.2")),
                where="it was not intended",
            ),
            Option(
                MUST,
                OPERATOR,
                "try to put it right (repay it, or ask it back) within a reasonable time, and to identify the patron",
                Effect.PUT_RIGHT,
                at("15.19"),
                also=(at("15.19.1"), at("15.19.2"), at("15.20.1"), at("15.20.1.1"), at("15.20.1.2")),
                where="it is suspected that it was intended",
            ),
            Option(
                MUST,
                OPERATOR,
                "inform the NICC at the end of the month",
                Effect.NONE,
                at("15.20.2"),
                where="it is over $1,000",
            ),
        ),
        Irregularity.BANK_NOT_COVERED: (
            Option(MUST, "player/banker", "make up the difference", Effect.NONE, at("13.2.2")),
            Option(
                MUST,
                DEALER,
                "play with the House banking",
                Effect.BANK_CHANGES,
                at("13.2.2"),
                also=(at("13.1"),),
                where="the player cannot or will not",
            ),
        ),
        Irregularity.PROHIBITED_DEVICE: (
            Option(
                MAY,
                SUPERVISOR,
                "declare any wager of the person void",
                Effect.WAGER_RETURNED,
                at("16.4.1"),
                also=(at("16.2"),),
            ),
            Option(MAY, SUPERVISOR, "exclude the person from the game", Effect.NONE, at("16.4.2")),
        ),
        Irregularity.FRAUD: (
            Option(
                MAY,
                SUPERVISOR,
                "invalidate the outcome",
                Effect.AS_DECIDED,
                at("16.5.2"),
                where="the act affects it",
            ),
            REFUND,
            Option(
                MAY,
                SUPERVISOR,
                "direct that the wager of whoever committed it is forfeited",
                Effect.WAGER_FORFEITED,
                at("16.6"),
            ),
        ),
        Irregularity.DISRUPTION: (
            Option(MAY, SUPERVISOR, "invalidate the outcome", Effect.AS_DECIDED, at("16.5.1")),
            REFUND,
        ),
        Irregularity.DISPUTE: (
            Option(MUST, GAME_SUPERVISOR, "decide first", Effect.AS_DECIDED, at("16.13")),
            Option(
                MAY,
                SUPERVISOR,
                "review the decision",
                Effect.AS_DECIDED,
                at("16.13"),
                where="it is requested",
            ),
            Option(
                MUST,
                "casino operator",
                "decide in the end, and tell whoever is not satisfied of the inspector",
                Effect.AS_DECIDED,
                at("16.14"),
            ),
        ),
    },
    silent={
        Irregularity.DICE_FAULT: (
            Option(MUST, DEALER, "play only with dice as the rule describes them", Effect.NONE, at("2.3")),
        ),
        Irregularity.NOT_PAYABLE: (),
        Irregularity.RULE_BROKEN: (),
    },
    removal=BoxRemoval(at("15.9.3"), at("15.9.4"), frozenset({Bank.HOUSE})),
    # The dice, once exposed, close betting (9.6), and the cut is decided after their total is called (8.4).
    implies={
        Milestone.DICE_SHOWN: (Milestone.BETS_CLOSED,),
        Milestone.BETS_CLOSED: (Milestone.DICE_SHOWN,),
        Milestone.CUT_NAMED: (Milestone.DICE_SHOWN,),
    },
)

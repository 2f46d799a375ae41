"""The Star (older page): irregularities, section 15, and the rules of other sections that say what follows a fault."""

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
    as_the_star_does,
    until,
)
from engine.vocabulary.sources import STAR_CLASSIC

at = STAR_CLASSIC.at

DEALER = "dealer"
GAME_SUPERVISOR = "game supervisor"
SUPERVISOR = "casino supervisor"

# 13.3 calls a co-banker the player/banker.
BANKERS = frozenset({Whose.PLAYER_BANKER, Whose.CO_BANK})
HOUSE = frozenset({Whose.HOUSE})
PLAYER = frozenset({Whose.PLAYER})

RESHUFFLE = Option(
    MAY,
    GAME_SUPERVISOR,
    "direct the dealer to shuffle again",
    Effect.MIXED_AGAIN,
    at("15.4"),
)
PLAY_HOUSE = Option(MUST, DEALER, "play the hand", Effect.NONE, at("15.5"), whose=HOUSE)
REFUND = Option(MAY, SUPERVISOR, "refund all wagers on that result", Effect.ROUND_VOID, at("16.5"))
NO_INFORMATION = Option(
    MUST,
    DEALER,
    "let no tiles be exchanged and nobody tell of a hand",
    Effect.NONE,
    at("12.9"),
)
SILENT_ON_THE_SET = as_the_star_does(GAME_SUPERVISOR, at("16.11"))

IRREGULARITIES = Irregularities(
    STAR_CLASSIC,
    said={
        Irregularity.DAMAGED_TILE: (
            Option(MUST, SUPERVISOR, "replace the tile or the whole set", Effect.NONE, at("3.4")),
        ),
        Irregularity.TILE_TRACKING: (RESHUFFLE,),
        Irregularity.EXPOSED_STACKING: (
            Option(MUST, DEALER, "perform a laja", Effect.MIXED_AGAIN, at("15.1")),
            RESHUFFLE,
        ),
        Irregularity.EXPOSED_LAJA: (Option(MUST, DEALER, "shuffle again", Effect.MIXED_AGAIN, at("15.2")),),
        Irregularity.COCKED_DIE: (
            Option(MUST, "dealer or player/banker", "shake the dice cup again", Effect.NONE, at("8.2")),
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
                GAME_SUPERVISOR,
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
                at("12.16"),
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
                at("15.13"),
                before=Milestone.TILES_HANDLED,
            ),
            Option(
                MUST,
                DEALER,
                "declare the round void and shuffle all 32 tiles again",
                Effect.ROUND_VOID,
                at("15.14"),
                where="it cannot be reconstructed",
                before=Milestone.TILES_HANDLED,
            ),
            Option(
                MUST,
                DEALER,
                "play the round to its end",
                Effect.RESULTS_STAND,
                at("15.15"),
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
                at("12.13"),
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
                also=(at("13.1.5"),),
                rulings=(33,),
            ),
            # 15.7 names the House hands only. The dealer sets a co-bank's as the house's own (13.3.4), and a
            # player-banker's at his request, who confirms it (12.6): both alike. Of players' hands the
            # dealer sets only those of players not present, and nothing is printed on correcting them.
            *until(
                Milestone.FIRST_HAND_EXPOSED,
                MUST,
                DEALER,
                at("15.7"),
                Whose.CO_BANK,
                also=(at("13.3.4"),),
                rulings=(33,),
            ),
            *until(
                Milestone.FIRST_HAND_EXPOSED,
                MUST,
                DEALER,
                at("15.7"),
                Whose.PLAYER_BANKER,
                also=(at("12.6"),),
                rulings=(33,),
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
        Irregularity.HANDLED_BY_ANOTHER: (
            Option(
                MUST,
                DEALER,
                "let only the player who controls the box handle and set its tiles",
                Effect.NONE,
                at("12.7"),
                also=(at("9.10"),),
            ),
        ),
        Irregularity.HAND_DISTURBED: (
            Option(
                MUST,
                DEALER,
                "set the disturbed tiles, of this player or another, the House Way",
                Effect.AS_SET_NOW,
                at("15.17"),
            ),
        ),
        Irregularity.HANDS_MIXED: (
            Option(
                MUST,
                DEALER,
                "set the disturbed tiles the House Way",
                Effect.AS_SET_NOW,
                at("15.17"),
                where="the dealer mixed them when opening a hand, and it is known whose they are",
            ),
            Option(
                MUST,
                GAME_SUPERVISOR,
                "decide: the book does not say what becomes of hands that cannot be told apart",
                Effect.AS_DECIDED,
                at("16.11"),
                where="it is not known whose they are",
            ),
        ),
        Irregularity.ABSENT_PLAYER: (
            Option(
                MUST,
                DEALER,
                "set the tiles the House Way; the player accepts the result",
                Effect.AS_SET_NOW,
                at("15.18"),
            ),
        ),
        Irregularity.OUT_OF_VIEW: (
            Option(MUST, DEALER, "have the tiles kept within the table and in view", Effect.NONE, at("12.9")),
        ),
        Irregularity.TILES_EXCHANGED: (NO_INFORMATION,),
        Irregularity.COMMUNICATING: (
            Option(
                MAY,
                SUPERVISOR,
                "take a box out of play, chosen by dice",
                Effect.BOX_OUT,
                at("15.9"),
                also=(at("15.8"), at("15.10"), at("15.11")),
                where="all playing areas are in play and the House banks",
            ),
            Option(MUST, SUPERVISOR, "have an inspector notified", Effect.NONE, at("15.9")),
            Option(
                MUST,
                DEALER,
                "let nobody tell of a hand, nor talk at all until the chung is off the bank's tiles",
                Effect.NONE,
                at("12.10"),
                also=(at("12.9"),),
            ),
            Option(MAY, SUPERVISOR, "bring a box back that was taken out", Effect.BOX_BACK, at("15.12")),
        ),
        Irregularity.SPYING: (
            Option(
                MAY,
                SUPERVISOR,
                "direct the players suspected to set their hands before the others handle theirs",
                Effect.NONE,
                at("15.16.1"),
                before=Milestone.TILES_HANDLED,
            ),
            Option(MAY, SUPERVISOR, "keep them from playing at the same table", Effect.NONE, at("15.16.2")),
            Option(MAY, SUPERVISOR, "direct that only English is spoken", Effect.NONE, at("15.16.3")),
        ),
        Irregularity.CONCEDED: (
            Option(
                MUST,
                DEALER,
                "take the tiles away unexposed, and the wager; the hand cannot return to play",
                Effect.WAGER_LOST,
                at("12.14"),
                where="nobody else wagers on the playing area",
            ),
            Option(MAY, GAME_SUPERVISOR, "view the tiles", Effect.NONE, at("12.15")),
        ),
        Irregularity.BELOW_MINIMUM: (
            Option(
                MAY,
                DEALER,
                "reject the wager",
                Effect.WAGER_RETURNED,
                at("10.3"),
                also=(at("10.2"),),
                before=Milestone.CUT_NAMED,
            ),
            Option(
                MUST,
                DEALER,
                "settle the wager: it is valid",
                Effect.WAGER_STANDS,
                at("10.3"),
                where="the House banks",
                after=Milestone.CUT_NAMED,
            ),
            Option(
                MUST,
                GAME_SUPERVISOR,
                "decide: the minimum applies, and the book does not say what becomes of the wager",
                Effect.AS_DECIDED,
                at("10.2"),
                also=(at("16.11"),),
                where="a player/banker holds the bank",
                after=Milestone.CUT_NAMED,
            ),
        ),
        Irregularity.ABOVE_MAXIMUM: (
            Option(
                MAY,
                DEALER,
                "reject the wager, unless a casino supervisor allows the player more",
                Effect.WAGER_RETURNED,
                at("10.3"),
                also=(at("10.5"),),
                where="the House banks or co-banks",
                before=Milestone.CUT_NAMED,
            ),
            Option(
                MUST,
                DEALER,
                "settle the wager whole: it is valid",
                Effect.WAGER_STANDS,
                at("10.3"),
                rulings=(23,),
                where="the House banks",
                after=Milestone.CUT_NAMED,
            ),
            Option(
                MUST,
                DEALER,
                "pay or collect the wager up to the displayed maximum",
                Effect.WAGER_CAPPED,
                at("11.1.3"),
                where="a player and the House co-bank",
                after=Milestone.CUT_NAMED,
            ),
            Option(
                MUST,
                DEALER,
                "settle the wager whole: there is no maximum",
                Effect.WAGER_STANDS,
                at("10.2"),
                where="a player/banker holds the bank",
            ),
        ),
        Irregularity.LATE_WAGER: (
            Option(
                MAY,
                DEALER,
                "accept it: betting is open",
                Effect.WAGER_STANDS,
                at("9.3"),
                before=Milestone.BETS_CLOSED,
            ),
            Option(
                MUST,
                DEALER,
                "refuse it",
                Effect.NOT_ACCEPTED,
                at("9.4"),
                where="the House banks or co-banks",
                after=Milestone.BETS_CLOSED,
            ),
            Option(
                MAY,
                "player/banker",
                "consent to it; else it is refused",
                Effect.AS_DECIDED,
                at("9.5"),
                where="a player banks",
                after=Milestone.BETS_CLOSED,
            ),
        ),
        Irregularity.ORAL_WAGER: (
            Option(MUST, DEALER, "not accept it: wagers are placed in chips", Effect.NOT_ACCEPTED, at("9.2")),
        ),
        Irregularity.BANK_NOT_COVERED: (
            Option(
                MUST,
                DEALER,
                "play with the player and the House co-banking, as the rule prints",
                Effect.BANK_CHANGES,
                at("13.2.2"),
                also=(at("13.3"),),
                rulings=(37,),
            ),
            Option(
                MUST,
                DEALER,
                "play with the House banking",
                Effect.BANK_CHANGES,
                at("13.1"),
                also=(at("6.8"), at("13.3.1")),
                rulings=(37,),
                where="the player cannot match half the wagers either",
            ),
        ),
        Irregularity.PROHIBITED_DEVICE: (
            Option(
                MAY,
                SUPERVISOR,
                "declare any wager of the person void",
                Effect.WAGER_RETURNED,
                at("16.3.1"),
                also=(at("16.1"),),
            ),
            Option(MAY, SUPERVISOR, "exclude the person from the game", Effect.NONE, at("16.3.2")),
        ),
        Irregularity.FRAUD: (
            Option(
                MAY,
                SUPERVISOR,
                "invalidate the outcome",
                Effect.AS_DECIDED,
                at("16.4.2"),
                where="the act affects it",
            ),
            REFUND,
            Option(
                MAY,
                SUPERVISOR,
                "direct that the wager of whoever committed it is forfeited",
                Effect.WAGER_FORFEITED,
                at("16.5"),
            ),
        ),
        Irregularity.DISRUPTION: (
            Option(MAY, SUPERVISOR, "invalidate the outcome", Effect.AS_DECIDED, at("16.4.1")),
            REFUND,
        ),
        Irregularity.DISPUTE: (
            Option(MUST, GAME_SUPERVISOR, "decide first", Effect.AS_DECIDED, at("16.11")),
            Option(
                MAY,
                SUPERVISOR,
                "review the decision; this is final",
                Effect.AS_DECIDED,
                at("16.11"),
                where="it is requested",
            ),
            Option(
                MUST,
                DEALER,
                "tell a complainant of the inspector",
                Effect.NONE,
                at("16.12"),
                where="it stays unresolved",
            ),
        ),
    },
    silent={
        Irregularity.MISSING_TILE: SILENT_ON_THE_SET,
        Irregularity.FOREIGN_TILE: SILENT_ON_THE_SET,
        Irregularity.DUPLICATE_FACE: SILENT_ON_THE_SET,
        Irregularity.HOUSE_WAY_TOUCHED: (),
        Irregularity.INVALID_WAGER: (),
        Irregularity.WRONGLY_SETTLED: (),
        Irregularity.DICE_FAULT: (
            Option(MUST, DEALER, "play only with dice as the rule describes them", Effect.NONE, at("2.3")),
        ),
        Irregularity.NOT_PAYABLE: (),
        Irregularity.RULE_BROKEN: (),
    },
    removal=BoxRemoval(at("15.10"), at("15.11"), frozenset({Bank.HOUSE})),
    # The cut closes betting (9.3), and the cup is shaken after it (8.1).
    implies={
        Milestone.CUT_NAMED: (Milestone.BETS_CLOSED,),
        Milestone.BETS_CLOSED: (Milestone.CUT_NAMED,),
        Milestone.DICE_SHOWN: (Milestone.CUT_NAMED,),
    },
)

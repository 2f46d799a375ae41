"""New Zealand 1998: irregularities, section 12, and the rules of other sections that say what follows a fault."""

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
from engine.vocabulary.sources import NZ

at = NZ.at

DEALER = "dealer"
SUPERVISOR = "game supervisor"
OPERATOR = "casino operator"

# 1.0 counts a co-banker among the player/bankers.
BANKERS = frozenset({Whose.PLAYER_BANKER, Whose.CO_BANK})
HOUSE = frozenset({Whose.HOUSE})
PLAYER = frozenset({Whose.PLAYER})

RESHUFFLE = Option(
    MAY,
    SUPERVISOR,
    "direct that the tiles are shuffled again",
    Effect.MIXED_AGAIN,
    at("12.7"),
)
PLAY_HOUSE = Option(MUST, DEALER, "play the hand", Effect.NONE, at("12.5"), whose=HOUSE)
SILENT_ON_THE_SET = as_the_star_does(SUPERVISOR, at("2.0"))

IRREGULARITIES = Irregularities(
    NZ,
    said={
        Irregularity.DAMAGED_TILE: (
            Option(MUST, OPERATOR, "replace the tile or the whole set", Effect.NONE, at("10.15")),
        ),
        Irregularity.TILE_TRACKING: (RESHUFFLE,),
        Irregularity.EXPOSED_STACKING: (
            Option(MUST, DEALER, "perform a laja", Effect.MIXED_AGAIN, at("12.1"), also=(at("9.3"),)),
            RESHUFFLE,
        ),
        Irregularity.EXPOSED_LAJA: (Option(MUST, DEALER, "shuffle again", Effect.MIXED_AGAIN, at("12.2")),),
        Irregularity.COCKED_DIE: (
            Option(MUST, "dealer or player/banker", "shake the dice cup again", Effect.NONE, at("9.8")),
        ),
        Irregularity.DICE_NOT_TUMBLED: (
            Option(MUST, DEALER, "shake the dice cup so that all dice tumble", Effect.NONE, at("9.4")),
        ),
        Irregularity.TILE_EXPOSED: (
            Option(MUST, DEALER, "turn the tile over and play on: it is no misdeal", Effect.NONE, at("12.4")),
            PLAY_HOUSE,
            RESHUFFLE,
        ),
        Irregularity.DEALER_EXPOSES: (
            Option(
                MAY,
                "player",
                "declare {hand} void",
                Effect.HAND_VOID,
                at("12.3(a)"),
                whose=PLAYER,
                before=Milestone.TILES_VIEWED,
            ),
            Option(
                MAY,
                "player/banker",
                "declare {hand} void, and with it the round; shuffle again",
                Effect.ROUND_VOID,
                at("12.3(b)"),
                whose=BANKERS,
                before=Milestone.TILES_VIEWED,
            ),
            Option(
                MUST,
                DEALER,
                "play on: {hand} can no longer be declared void",
                Effect.NONE,
                at("12.3"),
                whose=BANKERS | PLAYER,
                after=Milestone.TILES_VIEWED,
            ),
            PLAY_HOUSE,
            RESHUFFLE,
        ),
        Irregularity.BANKER_EXPOSES: (
            Option(MUST, DEALER, "play the hand", Effect.NONE, at("12.6"), also=(at("11.3(e)"),)),
        ),
        Irregularity.PLAYER_EXPOSES: (
            Option(
                MUST,
                DEALER,
                "let no tile be exposed until the players' hands are set and the banker's are exposed and set",
                Effect.NONE,
                at("10.10"),
            ),
            Option(
                MAY,
                "player",
                "lay the tiles face up",
                Effect.NONE,
                at("10.14"),
                where="the house is the sole banker and nobody else plays",
            ),
            RESHUFFLE,
        ),
        Irregularity.WRONG_DEAL: (
            Option(
                MUST,
                DEALER,
                "declare the round void and shuffle all tiles again, whether or not tiles have been handled",
                Effect.ROUND_VOID,
                at("12.13"),
            ),
        ),
        Irregularity.UNUSED_TILES_SEEN: (
            Option(
                MUST,
                DEALER,
                "leave tiles not in play undisclosed",
                Effect.NONE,
                at("10.3(a)"),
                before=Milestone.SETTLED,
            ),
            Option(MAY, "player", "view them without handling", Effect.NONE, at("10.12"), after=Milestone.SETTLED),
        ),
        Irregularity.NOT_HOUSE_WAY: (
            *until(
                Milestone.FIRST_HAND_EXPOSED,
                MAY,
                DEALER,
                at("12.8(a)"),
                Whose.HOUSE,
                Whose.CO_BANK,
                Whose.PLAYER_BANKER,
                stands=at("12.8(b)"),
            ),
            # 12.8 names no player's hand: the dealer sets it the House Way (10.4(a)), and the player answers for it
            # as it lies (10.6), so it is treated alike (ruling 33).
            *until(
                Milestone.FIRST_HAND_EXPOSED,
                MUST,
                DEALER,
                at("10.4(a)"),
                Whose.PLAYER,
                stands=at("10.6"),
                rulings=(33,),
            ),
        ),
        Irregularity.LOW_LAID_HIGH: (
            Option(
                MUST,
                DEALER,
                "compare the higher two tiles as the high hand: it is no foul",
                Effect.NONE,
                at("1.0 Hand"),
                also=(at("10.6"),),
                rulings=(18,),
            ),
        ),
        Irregularity.HANDLED_AFTER_SET: (Option(MUST, DEALER, "keep the hand as it was set", Effect.NONE, at("10.5")),),
        Irregularity.HOUSE_WAY_TOUCHED: (
            Option(
                MUST,
                DEALER,
                "keep the hand set the House Way",
                Effect.AS_SET_NOW,
                at("10.4(a)"),
                also=(at("10.5"),),
            ),
        ),
        Irregularity.HANDLED_BY_ANOTHER: (
            Option(
                MUST,
                DEALER,
                "let only the player who controls the box handle and set its tiles",
                Effect.NONE,
                at("10.7"),
                also=(at("7.2"), at("10.8(b)")),
            ),
        ),
        Irregularity.HAND_DISTURBED: (
            Option(MUST, DEALER, "set the disturbed tiles the House Way", Effect.AS_SET_NOW, at("12.14")),
        ),
        Irregularity.HANDS_MIXED: (
            Option(MUST, DEALER, "put the hands together again", Effect.NONE, at("12.15")),
            Option(
                MUST,
                DEALER,
                "declare the hands void",
                Effect.HAND_VOID,
                at("12.15"),
                where="they cannot be put together again",
            ),
        ),
        Irregularity.ABSENT_PLAYER: (
            Option(
                MUST,
                DEALER,
                "set the tiles the House Way; the player accepts the result",
                Effect.AS_SET_NOW,
                at("12.16"),
            ),
        ),
        Irregularity.OUT_OF_VIEW: (
            Option(MUST, DEALER, "have the tiles kept within the table and in view", Effect.NONE, at("10.9")),
        ),
        Irregularity.TILES_EXCHANGED: (Option(MUST, DEALER, "let no tiles be exchanged", Effect.NONE, at("10.9(a)")),),
        Irregularity.COMMUNICATING: (
            Option(
                MAY,
                OPERATOR,
                "take a box, chosen by dice, or a player out of play",
                Effect.BOX_OUT,
                at("12.9"),
                also=(at("12.9(a)"), at("12.9(b)"), at("12.9(c)"), at("12.10")),
                where="all boxes are in play and the house banks, alone or with a co-banker",
            ),
            Option(
                MUST,
                DEALER,
                "let nobody tell of a hand, nor talk at all until the chung is off the banker's tiles",
                Effect.NONE,
                at("10.9(b)"),
                also=(at("10.9(b)(i)"), at("10.9(b)(ii)")),
            ),
            Option(MAY, OPERATOR, "bring a box or player back that was taken out", Effect.BOX_BACK, at("12.11")),
        ),
        Irregularity.SPYING: (
            Option(
                MAY,
                OPERATOR,
                "direct the players suspected to set their hands before the others handle theirs",
                Effect.NONE,
                at("12.12(a)"),
                before=Milestone.TILES_HANDLED,
            ),
            Option(MAY, OPERATOR, "ban them from playing at the same table", Effect.NONE, at("12.12(b)")),
            Option(MAY, OPERATOR, "direct that only English is spoken", Effect.NONE, at("12.12(c)")),
        ),
        Irregularity.CONCEDED: (
            Option(
                MUST,
                DEALER,
                "take the tiles away unexposed, and the wager; the hand cannot return to play",
                Effect.WAGER_LOST,
                at("10.13"),
                where="nobody else wagers on the box",
            ),
            Option(MAY, SUPERVISOR, "view the tiles", Effect.NONE, at("10.13")),
        ),
        Irregularity.BELOW_MINIMUM: (
            Option(
                MUST,
                DEALER,
                "not accept the wager",
                Effect.WAGER_RETURNED,
                at("6.8"),
                rulings=(23,),
            ),
        ),
        Irregularity.ABOVE_MAXIMUM: (
            Option(
                MUST,
                DEALER,
                "not accept the wager",
                Effect.WAGER_RETURNED,
                at("6.6"),
                rulings=(23,),
                where="the house banks, alone or with a co-banker",
            ),
            Option(
                MUST,
                DEALER,
                "settle the wager whole: there is no maximum",
                Effect.WAGER_STANDS,
                at("6.8"),
                where="a player/banker holds the bank alone",
            ),
        ),
        Irregularity.NOT_PAYABLE: (
            Option(
                MUST,
                DEALER,
                "not accept the wager",
                Effect.WAGER_RETURNED,
                at("6.12"),
                before=Milestone.BETS_CLOSED,
            ),
            Option(
                MUST,
                DEALER,
                "settle the part that can be paid exactly and return the rest",
                Effect.EXCESS_VOID,
                at("6.13"),
                after=Milestone.BETS_CLOSED,
            ),
        ),
        Irregularity.LATE_WAGER: (
            Option(
                MAY,
                DEALER,
                "accept it: betting is open",
                Effect.WAGER_STANDS,
                at("6.3"),
                before=Milestone.BETS_CLOSED,
            ),
            Option(
                MUST,
                DEALER,
                "refuse it",
                Effect.NOT_ACCEPTED,
                at("6.9"),
                also=(at("6.10"),),
                after=Milestone.BETS_CLOSED,
            ),
        ),
        Irregularity.ORAL_WAGER: (
            Option(
                MAY,
                DEALER,
                "accept it with its chips, if there is time to place them before betting closes",
                Effect.WAGER_STANDS,
                at("6.4"),
                before=Milestone.BETS_CLOSED,
            ),
            Option(MUST, DEALER, "refuse it", Effect.NOT_ACCEPTED, at("6.4"), after=Milestone.BETS_CLOSED),
        ),
        Irregularity.BANK_NOT_COVERED: (
            Option(
                MUST,
                DEALER,
                "play with the house banking, or with the player and the house as co-bankers",
                Effect.BANK_CHANGES,
                at("11.2(b)"),
            ),
        ),
        Irregularity.DISPUTE: (
            Option(
                MUST,
                SUPERVISOR,
                "decide under the general rules of division 1, which are not part of this document",
                Effect.AS_DECIDED,
                at("2.0"),
            ),
        ),
    },
    silent={
        Irregularity.MISSING_TILE: SILENT_ON_THE_SET,
        Irregularity.FOREIGN_TILE: SILENT_ON_THE_SET,
        Irregularity.DUPLICATE_FACE: SILENT_ON_THE_SET,
        Irregularity.DICE_FAULT: (
            Option(MUST, DEALER, "play only with dice as the rule describes them", Effect.NONE, at("3.3(b)")),
        ),
        Irregularity.INVALID_WAGER: (),
        Irregularity.WRONGLY_SETTLED: (),
        Irregularity.PROHIBITED_DEVICE: (),
        Irregularity.FRAUD: (),
        Irregularity.DISRUPTION: (),
        Irregularity.RULE_BROKEN: (),
    },
    removal=BoxRemoval(at("12.10"), at("12.10"), frozenset({Bank.HOUSE, Bank.CO_BANK})),
    # "No more bets" comes before the cut (9.4), and the cut before the dice are seen (9.5, 9.8).
    implies={Milestone.CUT_NAMED: (Milestone.BETS_CLOSED,), Milestone.DICE_SHOWN: (Milestone.CUT_NAMED,)},
)

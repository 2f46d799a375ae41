"""New Zealand 1998: irregularities (section 12), and consequences of faults in other sections."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from engine.books import common_remedies as common
from engine.books.common_remedies import DEALER, DEALER_OR_BANKER, PLAYER, PLAYER_BANKER
from engine.books.nz.banking import BANKING
from engine.books.nz.play import OPERATOR as CASINO_OPERATOR
from engine.books.nz.play import PLAY
from engine.books.nz.play import SUPERVISOR as GAME_SUPERVISOR
from engine.vocabulary.box_removal import BoxRemoval
from engine.vocabulary.citations import NZ
from engine.vocabulary.facts import Bank, Milestone, Whose
from engine.vocabulary.irregularities import Irregularities, Irregularity
from engine.vocabulary.remedy import MAY, MUST, Authority, Effect, Given, Remedy

at = NZ.at

SUPERVISOR = Authority("game supervisor", title=GAME_SUPERVISOR)
OPERATOR = Authority("casino operator", title=CASINO_OPERATOR)

RESHUFFLE = Remedy(MAY, SUPERVISOR, "direct that the tiles are shuffled again", Effect.MIXED_AGAIN, at("12.7"))
PLAY_HOUSE = common.PLAY_HOUSE_HAND.by(DEALER, at("12.5"))
set_right = partial(common.set_right_until, Milestone.FIRST_HAND_EXPOSED)

TAKE_OUT = Remedy(
    MAY,
    OPERATOR,
    "take a box out of play, chosen by dice",
    Effect.BOX_OUT,
    at("12.9"),
    also=(at("12.9(a)"), at("12.9(b)"), at("12.9(c)"), at("12.10")),
    where="all boxes are in play and the house banks, alone or with a co-banker",
    banks=common.HOUSE_HAS_A_PART,
    given=(Given.ALL_BOXES_PLAY,),
)

IRREGULARITIES = Irregularities(
    NZ,
    play=PLAY,
    methods=BANKING.methods.value,
    said={
        Irregularity.DAMAGED_TILE: (common.REPLACE_TILES.by(OPERATOR, at("10.15")),),
        Irregularity.TILE_TRACKING: (RESHUFFLE,),
        Irregularity.EXPOSED_STACKING: (
            common.PERFORM_LAJA.by(DEALER, at("12.1"), at("9.3")),
            RESHUFFLE,
        ),
        Irregularity.EXPOSED_LAJA: (common.SHUFFLE_AGAIN.by(DEALER, at("12.2")),),
        Irregularity.COCKED_DIE: (common.SHAKE_AGAIN.by(DEALER_OR_BANKER, at("9.8")),),
        Irregularity.DICE_NOT_TUMBLED: (
            Remedy(MUST, DEALER, "shake the dice cup so that all dice tumble", Effect.NONE, at("9.4")),
        ),
        Irregularity.TILE_EXPOSED: (
            Remedy(MUST, DEALER, "turn the tile over and play on: it is no misdeal", Effect.NONE, at("12.4")),
            PLAY_HOUSE,
            RESHUFFLE,
        ),
        Irregularity.DEALER_EXPOSES: (
            Remedy(
                MAY,
                PLAYER,
                "declare {hand} void",
                Effect.HAND_VOID,
                at("12.3(a)"),
                whose=common.PLAYERS_HAND,
                before=Milestone.TILES_VIEWED,
            ),
            Remedy(
                MAY,
                PLAYER_BANKER,
                "declare {hand} void, and with it the round; shuffle again",
                Effect.ROUND_VOID,
                at("12.3(b)"),
                whose=common.BANKERS_HANDS,
                before=Milestone.TILES_VIEWED,
            ),
            Remedy(
                MUST,
                DEALER,
                "play on: {hand} can no longer be declared void",
                Effect.NONE,
                at("12.3"),
                whose=common.BANKERS_HANDS | common.PLAYERS_HAND,
                after=Milestone.TILES_VIEWED,
            ),
            PLAY_HOUSE,
            RESHUFFLE,
        ),
        Irregularity.BANKER_EXPOSES: (
            Remedy(
                MUST,
                DEALER,
                "play the hand",
                Effect.NONE,
                at("12.6"),
                also=(at("11.3(e)"),),
                banks=common.A_PLAYER_BANKS,
            ),
        ),
        Irregularity.PLAYER_EXPOSES: (
            Remedy(
                MUST,
                DEALER,
                "let no tile be exposed until the players' hands are set and the banker's are exposed and set",
                Effect.NONE,
                at("10.10"),
            ),
            common.LAY_FACE_UP.by(PLAYER, at("10.14"), where="the house is the sole banker and nobody else plays"),
            RESHUFFLE,
        ),
        Irregularity.WRONG_DEAL: (
            Remedy(
                MUST,
                DEALER,
                "declare the round void and shuffle all tiles again, whether or not tiles have been handled",
                Effect.ROUND_VOID,
                at("12.13"),
            ),
        ),
        Irregularity.UNUSED_TILES_SEEN: (
            common.LEAVE_UNDISCLOSED.by(DEALER, at("10.3(a)")),
            common.VIEW_UNUSED.by(PLAYER, at("10.12")),
        ),
        Irregularity.NOT_HOUSE_WAY: (
            *set_right(
                MAY, DEALER, at("12.8(a)"), Whose.HOUSE, Whose.CO_BANK, Whose.PLAYER_BANKER, stands=at("12.8(b)")
            ),
            # 12.8 does not mention players' hands: the dealer sets them the House Way (10.4(a)), and the player answers
            # for them as laid (10.6), so they are treated alike (ruling 33).
            *set_right(MUST, DEALER, at("10.4(a)"), Whose.PLAYER, stands=at("10.6"), rulings=(33,)),
        ),
        Irregularity.LOW_LAID_HIGH: (common.HIGHER_TWO_ARE_HIGH.by(DEALER, at("1.0 Hand"), at("10.6")),),
        Irregularity.HANDLED_AFTER_SET: (common.KEEP_AS_SET.by(DEALER, at("10.5")),),
        Irregularity.HOUSE_WAY_TOUCHED: (
            Remedy(
                MUST,
                DEALER,
                "keep the hand set the House Way",
                Effect.AS_SET_NOW,
                at("10.4(a)"),
                also=(at("10.5"),),
            ),
        ),
        Irregularity.HANDLED_BY_ANOTHER: (common.ONLY_WHO_CONTROLS.by(DEALER, at("10.7"), at("7.2"), at("10.8(b)")),),
        Irregularity.HAND_DISTURBED: (
            Remedy(MUST, DEALER, "set the disturbed tiles the House Way", Effect.AS_SET_NOW, at("12.14")),
        ),
        Irregularity.HANDS_MIXED: (
            Remedy(MUST, DEALER, "put the hands together again", Effect.NONE, at("12.15")),
            Remedy(
                MUST,
                DEALER,
                "declare the hands void",
                Effect.HAND_VOID,
                at("12.15"),
                where="they cannot be put together again",
            ),
        ),
        Irregularity.ABSENT_PLAYER: (common.SET_FOR_ABSENT_PLAYER.by(DEALER, at("12.16")),),
        Irregularity.OUT_OF_VIEW: (common.KEEP_IN_VIEW.by(DEALER, at("10.9")),),
        Irregularity.TILES_EXCHANGED: (Remedy(MUST, DEALER, "let no tiles be exchanged", Effect.NONE, at("10.9(a)")),),
        Irregularity.COMMUNICATING: (
            TAKE_OUT,
            replace(TAKE_OUT, action="take a player out of play", effect=Effect.PLAYER_OUT),
            Remedy(
                MUST,
                DEALER,
                "let nobody tell of a hand, nor talk at all until the chung is off the banker's tiles",
                Effect.NONE,
                at("10.9(b)"),
                also=(at("10.9(b)(i)"), at("10.9(b)(ii)")),
            ),
            common.BRING_BOX_BACK.by(OPERATOR, at("12.11")),
            Remedy(MAY, OPERATOR, "let a player rejoin who was taken out", Effect.PLAYER_BACK, at("12.11")),
        ),
        Irregularity.SPYING: (
            common.SET_FIRST.by(OPERATOR, at("12.12(a)")),
            Remedy(MAY, OPERATOR, "ban them from playing at the same table", Effect.PLAYER_OUT, at("12.12(b)")),
            common.ENGLISH_ONLY.by(OPERATOR, at("12.12(c)")),
        ),
        Irregularity.CONCEDED: (
            common.TAKE_CONCEDED.by(DEALER, at("10.13"), where="nobody else wagers on the box"),
            common.VIEW_CONCEDED.by(SUPERVISOR, at("10.13")),
        ),
        Irregularity.BELOW_MINIMUM: (common.NOT_ACCEPTED.by(DEALER, at("6.8"), rulings=(23,)),),
        Irregularity.ABOVE_MAXIMUM: (
            common.NOT_ACCEPTED.by(
                DEALER,
                at("6.6"),
                where="the house banks, alone or with a co-banker",
                rulings=(23,),
                banks=common.HOUSE_HAS_A_PART,
            ),
            common.NO_MAXIMUM.by(DEALER, at("6.8"), where="a player/banker holds the bank alone"),
        ),
        Irregularity.NOT_PAYABLE: (
            replace(common.NOT_ACCEPTED.by(DEALER, at("6.12")), before=Milestone.BETS_CLOSED),
            Remedy(
                MUST,
                DEALER,
                "settle the part that can be paid exactly and return the rest",
                Effect.EXCESS_VOID,
                at("6.13"),
                after=Milestone.BETS_CLOSED,
            ),
        ),
        Irregularity.LATE_WAGER: (
            common.ACCEPT_WHILE_OPEN.by(DEALER, at("6.3")),
            common.REFUSE_WHEN_CLOSED.by(DEALER, at("6.9"), at("6.10")),
        ),
        Irregularity.ORAL_WAGER: (
            Remedy(
                MAY,
                DEALER,
                "accept it with its chips, if there is time to place them before betting closes",
                Effect.WAGER_STANDS,
                at("6.4"),
                before=Milestone.BETS_CLOSED,
            ),
            common.REFUSE_WHEN_CLOSED.by(DEALER, at("6.4")),
        ),
        Irregularity.BANK_NOT_COVERED: (
            Remedy(
                MUST,
                DEALER,
                "play with the house banking, or with the player and the house as co-bankers",
                Effect.BANK_CHANGES,
                at("11.2(b)"),
                banks=common.A_PLAYER_BANKS,
            ),
        ),
        Irregularity.DISPUTE: (
            Remedy(
                MUST,
                SUPERVISOR,
                "decide under the general rules of division 1, which are not part of this document",
                Effect.AS_DECIDED,
                at("2.0"),
            ),
        ),
    },
    silent={
        **common.wrong_set_as_star_2024(SUPERVISOR, at("2.0")),
        Irregularity.DICE_FAULT: (common.PLAY_WITH_SUCH_DICE.by(DEALER, at("3.3(b)")),),
        Irregularity.ABSTAINS: (),
        Irregularity.WAGER_UNWANTED: (),
        Irregularity.INVALID_WAGER: (),
        Irregularity.WRONGLY_SETTLED: (),
        Irregularity.PROHIBITED_DEVICE: (),
        Irregularity.FRAUD: (),
        Irregularity.DISRUPTION: (),
        Irregularity.RULE_BROKEN: (),
    },
    removal=BoxRemoval(at("12.10"), at("12.10"), frozenset({Bank.HOUSE, Bank.CO_BANK})),
)

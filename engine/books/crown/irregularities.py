"""Crown Melbourne 6.1: irregularities (section 12), and consequences of faults in other sections."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from engine.books import common_remedies as common
from engine.books.crown import play
from engine.books.crown.banking import BANKING
from engine.vocabulary.box_removal import BoxRemoval
from engine.vocabulary.citations import CROWN
from engine.vocabulary.facts import Bank, Milestone, Whose
from engine.vocabulary.irregularities import Irregularities, Irregularity
from engine.vocabulary.remedy import MAY, MUST, Authority, Effect, Given, Person, Remedy

at = CROWN.at

_DEALER = frozenset({Person.DEALER})
DEALER = Authority("Dealer", _DEALER)
PLAYER_BANKER = Authority("Player-Banker", frozenset({Person.BANKER}))
SHAKER = Authority("Dealer or Player-Banker", frozenset({Person.DEALER, Person.BANKER}))
HIGHER_DUTIES = Authority("TG Higher Duties Dealer (or above)", title=play.HIGHER_DUTIES)
AREA = Authority("TG Area Manager (or above)", title=play.AREA_MANAGER)
ASSISTANT = Authority("TG Assistant Casino Manager (or above)", title=play.ASSISTANT_MANAGER)
INSTRUCTED = Authority(
    "Dealer, instructed by a TG Higher Duties Dealer (or above)",
    _DEALER,
    play.HIGHER_DUTIES,
    dealer_on_instruction=True,
)
REQUESTED = Authority(
    "Dealer, at the request of a TG Higher Duties Dealer (or above)",
    _DEALER,
    play.HIGHER_DUTIES,
    dealer_on_instruction=True,
)
UNNAMED = Authority("supervisor (the rule names nobody)")

VOID_WAGER = Remedy(MAY, ASSISTANT, "declare any wager of the player void", Effect.WAGER_RETURNED, at("16.2.1"))
EXCLUDE = Remedy(MAY, ASSISTANT, "exclude the player from the game", Effect.PLAYER_OUT, at("16.2.2"))
BREACH = (VOID_WAGER, EXCLUDE)
RESHUFFLE = Remedy(MAY, HIGHER_DUTIES, "shuffle again, at any time", Effect.MIXED_AGAIN, at("5.5"))
PLAY_HOUSE = Remedy(MUST, DEALER, "play on", Effect.NONE, at("12.3"), whose=common.HOUSE_HAND)
VOID_HAND = Remedy(MAY, UNNAMED, "declare {hand} void", Effect.HAND_VOID, at("10.2.1"))
SET_FIRST = Remedy(
    MAY,
    ASSISTANT,
    "direct the players suspected to set their tiles before the others view theirs",
    Effect.SETS_FIRST,
    at("12.8"),
    before=Milestone.TILES_HANDLED,
)
REFUND = Remedy(
    MUST, DEALER, "refund all wagers on it", Effect.ROUND_VOID, at("16.5"), where="an outcome is declared void"
)
set_right = partial(common.set_right_until, Milestone.BANK_PUT_AWAY, MUST, INSTRUCTED, at("12.5"))

IRREGULARITIES = Irregularities(
    CROWN,
    play=play.PLAY,
    methods=BANKING.methods.value,
    said={
        Irregularity.DAMAGED_TILE: (
            Remedy(
                MUST,
                DEALER,
                "notify a TG Area Manager (or above), and replace the tile or the whole set",
                Effect.NONE,
                at("3.2"),
            ),
        ),
        Irregularity.EXPOSED_STACKING: (
            Remedy(MAY, REQUESTED, "perform a laja", Effect.MIXED_AGAIN, at("12.1")),
            RESHUFFLE,
        ),
        Irregularity.COCKED_DIE: (common.SHAKE_AGAIN.by(SHAKER, at("4.3"), at("14.3.2")),),
        Irregularity.DICE_NOT_TUMBLED: (common.SHAKE_TO_TUMBLE.by(SHAKER, at("4.2")),),
        Irregularity.TILE_EXPOSED: (
            PLAY_HOUSE,
            Remedy(
                MAY,
                HIGHER_DUTIES,
                "shuffle again, or play on: rule 12.2 begins at two tiles",
                Effect.MIXED_AGAIN,
                at("5.5"),
                also=(at("12.2"),),
                whose=common.BANKERS_HANDS | common.PLAYERS_HAND,
            ),
        ),
        Irregularity.DEALER_EXPOSES: (
            common.CALL_HAND_VOID.by(common.PLAYER, at("12.2.1"), at("12.2.1(a)")),
            common.CALL_ROUND_VOID.by(PLAYER_BANKER, at("12.2.2"), at("12.2.2(a)")),
            common.NO_LONGER_VOID.by(DEALER, at("12.2")),
            PLAY_HOUSE,
        ),
        Irregularity.BANKER_EXPOSES: (common.PLAY_ON.by(DEALER, at("12.4"), banks=common.A_PLAYER_BANKS),),
        Irregularity.PLAYER_EXPOSES: (
            Remedy(MUST, DEALER, "let no tile be exposed until all hands are set", Effect.NONE, at("10.2.7")),
            *BREACH,
        ),
        Irregularity.WRONG_DEAL: (
            Remedy(
                MUST,
                DEALER,
                "declare the round void and shuffle all 32 tiles again",
                Effect.ROUND_VOID,
                at("12.7"),
                before=Milestone.BANK_EXPOSED,
            ),
            Remedy(
                MUST,
                DEALER,
                "let all results stand and settle",
                Effect.RESULTS_STAND,
                at("12.7.1"),
                after=Milestone.BANK_EXPOSED,
            ),
        ),
        Irregularity.UNUSED_TILES_SEEN: (
            Remedy(
                MUST,
                DEALER,
                "leave tiles not in play undisclosed, and not look at them",
                Effect.NONE,
                at("10.1.3"),
                also=(at("10.1.2"),),
                before=Milestone.ROUND_OVER,
            ),
            common.VIEW_UNUSED.by(common.PLAYER, at("10.1.4")),
            *BREACH,
        ),
        Irregularity.NOT_HOUSE_WAY: (
            *set_right(Whose.HOUSE, Whose.PLAYER),
            # 12.5 does not name these two: the co-bank is treated as the house (ruling 33), a player-banker who asks
            # for the House Way as a player.
            *set_right(Whose.CO_BANK, also=(at("10.3.3(d)"),), rulings=(33,)),
            *set_right(Whose.PLAYER_BANKER, also=(at("10.2.3"),), rulings=(33,)),
        ),
        Irregularity.LOW_LAID_HIGH: (common.HIGHER_TWO_ARE_HIGH.by(DEALER, at("10.2.2")),),
        Irregularity.HANDLED_AFTER_SET: (
            common.KEEP_AS_SET.by(DEALER, at("10.2.4")),
            *BREACH,
        ),
        Irregularity.HOUSE_WAY_TOUCHED: (
            Remedy(
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
            Remedy(
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
            Remedy(
                MAY,
                AREA,
                "take a box out of play, chosen by dice, once the TG Assistant Casino Manager (or above) is notified",
                Effect.BOX_OUT,
                at("12.6"),
                also=(at("12.6.1"), at("12.6.2"), at("12.6.3")),
                where="all boxes are in play and the House banks",
                banks=common.HOUSE_BANKS,
                given=(Given.ALL_BOXES_PLAY,),
            ),
            SET_FIRST,
            VOID_HAND,
            Remedy(
                MAY,
                ASSISTANT,
                "close the table without further notice",
                Effect.CLOSES_AT_ONCE,
                at("12.6.5"),
                where="it continues",
            ),
            common.BRING_BOX_BACK.by(ASSISTANT, at("12.6.4")),
            *BREACH,
        ),
        Irregularity.SPYING: (
            SET_FIRST,
            *BREACH,
        ),
        Irregularity.CONCEDED: (
            Remedy(
                MUST,
                DEALER,
                "take the wager and the tiles, unexposed; show them first if a Bonus lies on them",
                Effect.WAGER_LOST,
                at("10.2.10"),
                also=(at("13.4.2"),),
                rulings=(41,),
                where="nobody else wagers on the box",
                given=(Given.ALONE_ON_BOX,),
            ),
            Remedy(
                MUST,
                AREA,
                "decide about a Bonus on the hand: the tiles dealt would decide it",
                Effect.AS_DECIDED,
                at("13.4.2"),
                also=(at("10.2.10"), at("16.10")),
                rulings=(41,),
                where="nobody saw the tiles",
            ),
            Remedy(
                MAY,
                AREA,
                "decide about a hand conceded by mistake: the book does not say whether it may return to play",
                Effect.AS_DECIDED,
                at("16.10"),
            ),
        ),
        Irregularity.ABSTAINS: (
            common.VACATE.by(UNNAMED, at("16.9"), where="all other seats at the table are in use"),
        ),
        Irregularity.BELOW_MINIMUM: (
            Remedy(
                MUST,
                DEALER,
                "pay or collect the wager, and tell its owner that further ones may be returned whatever the result",
                Effect.WAGER_STANDS,
                at("9.2.1"),
            ),
        ),
        Irregularity.ABOVE_MAXIMUM: (
            Remedy(
                MUST,
                DEALER,
                "pay or collect the wager up to the maximum, the player's own where one is agreed",
                Effect.WAGER_CAPPED,
                at("9.2.2"),
                also=(at("9.3"),),
                where="the House banks or co-banks",
                banks=common.HOUSE_HAS_A_PART,
            ),
            common.NO_MAXIMUM.by(DEALER, at("9.5"), at("9.4"), where="a Player-Banker holds the bank alone"),
        ),
        Irregularity.NOT_PAYABLE: (
            Remedy(MUST, DEALER, "pay the next highest amount that chips can make", Effect.PAID_UP, at("9.2.3")),
        ),
        Irregularity.LATE_WAGER: (
            common.ACCEPT_WHILE_OPEN.by(DEALER, at("8.3")),
            common.REFUSE_WHEN_CLOSED.by(DEALER, at("8.4"), at("8.3.1"), at("8.3.2")),
            replace(VOID_WAGER, after=Milestone.BETS_CLOSED),
        ),
        Irregularity.ORAL_WAGER: (
            Remedy(
                MAY,
                DEALER,
                "accept it with the chips or cash for it, which lie on the layout as chips before betting closes",
                Effect.WAGER_STANDS,
                at("8.5"),
                before=Milestone.BETS_CLOSED,
            ),
            common.REFUSE_WHEN_CLOSED.by(DEALER, at("8.5")),
        ),
        Irregularity.BANK_NOT_COVERED: (
            Remedy(
                MUST,
                DEALER,
                "play with the House banking or co-banking",
                Effect.BANK_CHANGES,
                at("10.3.2(h)"),
                banks=common.A_PLAYER_BANKS,
            ),
        ),
        Irregularity.PROHIBITED_DEVICE: (
            *BREACH,
            Remedy(
                MAY,
                ASSISTANT,
                "withhold winnings suspected to be won with it until it is investigated",
                Effect.WINNINGS_WITHHELD,
                at("16.2.3"),
                also=(at("16.1"),),
            ),
            Remedy(
                MAY,
                ASSISTANT,
                "detain the person in a suitable place in or near the casino until a police officer arrives",
                Effect.NONE,
                at("16.2.4"),
                where="the person is reasonably suspected to have such a device",
            ),
        ),
        Irregularity.FRAUD: (
            Remedy(MAY, ASSISTANT, "declare the game or any wager void", Effect.AS_DECIDED, at("16.3")),
            REFUND,
        ),
        Irregularity.DISRUPTION: (
            Remedy(MAY, HIGHER_DUTIES, "declare the outcome void", Effect.ROUND_VOID, at("16.4")),
            REFUND,
        ),
        Irregularity.RULE_BROKEN: BREACH,
        Irregularity.DISPUTE: (
            Remedy(MUST, AREA, "decide; the decision is final", Effect.AS_DECIDED, at("16.10")),
            common.NAME_THE_INSPECTOR.by(DEALER, at("16.11")),
        ),
    },
    silent={
        **common.wrong_set_as_star_2024(AREA, at("16.10")),
        Irregularity.TILE_TRACKING: (RESHUFFLE,),
        Irregularity.EXPOSED_LAJA: (replace(RESHUFFLE, rulings=(35,)),),
        Irregularity.DICE_FAULT: (common.PLAY_WITH_SUCH_DICE.by(DEALER, at("2.4")),),
        Irregularity.HAND_DISTURBED: (),
        Irregularity.HANDS_MIXED: (),
        Irregularity.ABSENT_PLAYER: (),
        Irregularity.WAGER_UNWANTED: (),
        Irregularity.INVALID_WAGER: (),
        Irregularity.WRONGLY_SETTLED: (),
    },
    # "Playing area one" is where the chung lies when the House banks: Table 2 counts it so, 10.3.1(a) says where it is.
    removal=BoxRemoval(at("12.6.2"), at("12.6.3"), frozenset({Bank.HOUSE}), from_number_one=False),
)

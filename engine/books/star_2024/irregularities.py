"""The Star 2024: irregularities (section 15), and consequences of faults in other sections."""

from __future__ import annotations

from functools import partial

from engine.books import common_remedies as common
from engine.books.common_remedies import DEALER, DEALER_OR_BANKER, PLAYER, PLAYER_BANKER
from engine.books.star_2024 import play
from engine.books.star_2024.banking import BANKING
from engine.vocabulary.box_removal import BoxRemoval
from engine.vocabulary.citations import STAR_2024
from engine.vocabulary.facts import Bank, Milestone, Whose
from engine.vocabulary.irregularities import Irregularities, Irregularity
from engine.vocabulary.remedy import MAY, MUST, Authority, Effect, Given, Person, Remedy

at = STAR_2024.at

GAME_SUPERVISOR = Authority("gaming supervisor", title=play.GAMING_SUPERVISOR)
SUPERVISOR = Authority("casino supervisor", title=play.SUPERVISOR)
DEALER_OR_SUPERVISOR = Authority("dealer or casino supervisor", frozenset({Person.DEALER}), play.SUPERVISOR)
THE_STAR = Authority("The Star")  # any of its supervisors acts for it
OPERATOR = Authority("casino operator", title=play.OPERATOR)
UNNAMED = Authority("supervisor (the rule names nobody)")

RESHUFFLE = common.DIRECT_A_SHUFFLE.by(SUPERVISOR, at("15.4"))
PLAY_HOUSE = common.PLAY_HOUSE_HAND.by(DEALER, at("15.5"))
REFUND = common.REFUND_RESULT.by(SUPERVISOR, at("16.6"))
REFUSE = Remedy(
    MAY,
    SUPERVISOR,
    "refuse the wager, on reasonable grounds",
    Effect.WAGER_RETURNED,
    at("16.12"),
    before=Milestone.DICE_SHOWN,
)
NO_INFORMATION = common.NO_EXCHANGE_NO_WORD.by(DEALER, at("12.13"))
MISSING_OR_FOREIGN = (
    # Wagers are placed from the shuffle on (9.6); before that there is no round to declare void.
    Remedy(
        MUST,
        SUPERVISOR,
        "declare the round void and return all money of it",
        Effect.ROUND_VOID,
        at("15.17.2"),
        after=Milestone.SHUFFLED,
        before=Milestone.SETTLED,
    ),
    Remedy(MUST, SUPERVISOR, "let the results of completed rounds stand", Effect.RESULTS_STAND, at("15.17.1")),
    Remedy(MUST, SUPERVISOR, "check the set for more missing or foreign tiles", Effect.NONE, at("15.17.3")),
)
set_bank_right = partial(common.set_right_until, Milestone.FIRST_HAND_EXPOSED, MUST, DEALER, at("15.7"))

IRREGULARITIES = Irregularities(
    STAR_2024,
    play=play.PLAY,
    methods=BANKING.methods.value,
    said={
        Irregularity.DAMAGED_TILE: (common.REPLACE_TILES.by(SUPERVISOR, at("3.4")),),
        Irregularity.MISSING_TILE: MISSING_OR_FOREIGN,
        Irregularity.FOREIGN_TILE: MISSING_OR_FOREIGN,
        # One of three like faces does not form part of the set.
        Irregularity.DUPLICATE_FACE: MISSING_OR_FOREIGN,
        Irregularity.TILE_TRACKING: (RESHUFFLE,),
        Irregularity.EXPOSED_STACKING: (
            common.PERFORM_LAJA.by(DEALER, at("15.1")),
            RESHUFFLE,
        ),
        Irregularity.EXPOSED_LAJA: (common.SHUFFLE_AGAIN.by(DEALER, at("15.2")),),
        Irregularity.COCKED_DIE: (common.SHAKE_AGAIN.by(DEALER_OR_BANKER, at("8.3")),),
        Irregularity.DICE_NOT_TUMBLED: (common.SHAKE_TO_TUMBLE.by(DEALER_OR_BANKER, at("8.1")),),
        Irregularity.TILE_EXPOSED: (
            PLAY_HOUSE,
            common.DIRECT_A_SHUFFLE_OR_PLAY_ON.by(SUPERVISOR, at("15.4"), at("15.3")),
        ),
        Irregularity.DEALER_EXPOSES: (
            common.CALL_HAND_VOID.by(PLAYER, at("15.3.1")),
            common.CALL_ROUND_VOID.by(PLAYER_BANKER, at("15.3.2")),
            common.NO_LONGER_VOID.by(DEALER, at("15.3")),
            PLAY_HOUSE,
            RESHUFFLE,
        ),
        Irregularity.BANKER_EXPOSES: (common.PLAY_ON.by(DEALER, at("15.6"), banks=common.A_PLAYER_BANKS),),
        Irregularity.PLAYER_EXPOSES: (
            common.LAY_FACE_UP.by(PLAYER, at("12.19")),
            NO_INFORMATION,
            RESHUFFLE,
        ),
        Irregularity.WRONG_DEAL: (
            common.RECONSTRUCT_DEAL.by(DEALER, at("15.11")),
            common.VOID_UNRECONSTRUCTED.by(DEALER, at("15.12")),
            common.PLAY_TO_THE_END.by(DEALER, at("15.13")),
        ),
        Irregularity.UNUSED_TILES_SEEN: (
            common.LEAVE_UNDISCLOSED.by(DEALER, at("12.3")),
            common.VIEW_UNUSED.by(PLAYER, at("12.16")),
        ),
        Irregularity.NOT_HOUSE_WAY: (
            *set_bank_right(Whose.HOUSE, also=(at("13.1.5"),), rulings=(33,)),
            *set_bank_right(Whose.PLAYER_BANKER, also=(at("12.9"),), rulings=(33,)),
            # Diagram B's House Way playing area is a player's hand that the dealer sets (15.10.2). 15.8 is printed as
            # subject to 12.12, on players who share a bank; 12.10, on a player who touches the hand, fits better.
            *common.set_right_until(
                Milestone.BANK_PUT_AWAY,
                MUST,
                DEALER_OR_SUPERVISOR,
                at("15.8"),
                Whose.PLAYER,
                also=(at("15.10.2"), at("12.12"), at("12.10")),
            ),
        ),
        Irregularity.LOW_LAID_HIGH: (common.HIGHER_TWO_ARE_HIGH.by(DEALER, at("12.4")),),
        Irregularity.HANDLED_AFTER_SET: (common.KEEP_AS_SET.by(DEALER, at("12.5")),),
        Irregularity.HOUSE_WAY_TOUCHED: (
            Remedy(
                MUST,
                PLAYER,
                "answer for the setting: it is the player's own from then on",
                Effect.AS_SET_NOW,
                at("12.10"),
                where="the dealer set the hand at request",
                given=(Given.DEALER_SET,),
            ),
            Remedy(
                MUST,
                DEALER,
                "set the tiles the House Way in the end",
                Effect.AS_SET_NOW,
                at("15.10.1"),
                where="they lie in the House Way playing area of diagram B",
                given=(Given.HOUSE_WAY_PLACE,),
            ),
        ),
        Irregularity.HANDLED_BY_ANOTHER: (common.ONLY_WHO_CONTROLS.by(DEALER, at("12.11"), at("9.13")),),
        Irregularity.HAND_DISTURBED: (common.SET_DISTURBED_TILES.by(DEALER, at("15.15")),),
        Irregularity.HANDS_MIXED: (
            common.SET_MIXED_TILES.by(DEALER, at("15.15")),
            common.DECIDE_MIXED_TILES.by(GAME_SUPERVISOR, at("16.13")),
        ),
        Irregularity.ABSENT_PLAYER: (
            Remedy(
                MAY,
                SUPERVISOR,
                "direct the dealer to set the tiles the House Way; the player accepts the result",
                Effect.AS_SET_NOW,
                at("15.16"),
            ),
        ),
        Irregularity.OUT_OF_VIEW: (common.KEEP_IN_VIEW.by(DEALER, at("12.13")),),
        Irregularity.TILES_EXCHANGED: (NO_INFORMATION,),
        Irregularity.COMMUNICATING: (
            common.TAKE_BOX_OUT.by(
                SUPERVISOR,
                at("15.9.2"),
                at("15.9.1"),
                at("15.9.3"),
                at("15.9.4"),
                where="diagram A is in use, all playing areas are in play and the House banks",
                given=(Given.ALL_BOXES_PLAY, Given.NO_HOUSE_WAY_PLACES),
            ),
            common.NOTIFY_INSPECTOR.by(SUPERVISOR, at("15.9.2")),
            NO_INFORMATION,
            common.BRING_BOX_BACK.by(SUPERVISOR, at("15.9.5")),
        ),
        Irregularity.SPYING: (
            common.SET_FIRST.by(SUPERVISOR, at("15.14.1")),
            common.KEEP_APART.by(SUPERVISOR, at("15.14.2")),
            common.ENGLISH_ONLY.by(SUPERVISOR, at("15.14.3")),
        ),
        Irregularity.CONCEDED: (
            common.TAKE_CONCEDED.by(DEALER, at("12.17")),
            common.VIEW_CONCEDED.by(SUPERVISOR, at("12.18")),
        ),
        Irregularity.ABSTAINS: (common.VACATE.by(UNNAMED, at("16.10")),),
        Irregularity.WAGER_UNWANTED: (REFUSE,),
        Irregularity.BELOW_MINIMUM: (
            Remedy(
                MAY,
                DEALER,
                "reject the wager",
                Effect.WAGER_RETURNED,
                at("10.3"),
                also=(at("10.2"),),
                before=Milestone.DICE_SHOWN,
            ),
            REFUSE,
            Remedy(
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
            Remedy(
                MUST,
                DEALER,
                "pay or collect the wager up to the maximum, the player's own where one is allowed",
                Effect.WAGER_CAPPED,
                at("10.3"),
                also=(at("10.7"),),
                where="the House banks",
                banks=common.HOUSE_BANKS,
            ),
            common.NO_MAXIMUM.by(DEALER, at("10.2")),
            Remedy(
                MUST,
                DEALER,
                "let wagers and results of earlier rounds stand",
                Effect.RESULTS_STAND,
                at("10.4"),
                where="it was so in earlier rounds too",
            ),
        ),
        Irregularity.LATE_WAGER: (
            common.ACCEPT_WHILE_OPEN.by(DEALER, at("9.6")),
            common.REFUSE_WHEN_CLOSED.by(DEALER, at("9.7"), where="the House banks", banks=common.HOUSE_BANKS),
            common.BANKER_MAY_CONSENT.by(PLAYER_BANKER, at("9.8")),
            common.TOO_LATE_TO_CONSENT.by(DEALER, at("9.8")),
        ),
        Irregularity.ORAL_WAGER: (common.CHIPS_ONLY.by(DEALER, at("9.5")),),
        Irregularity.INVALID_WAGER: (
            Remedy(
                MUST,
                THE_STAR,
                "return the wager",
                Effect.WAGER_RETURNED,
                at("15.21.1"),
                also=(at("16.1"),),
                before=Milestone.CUT_NAMED,
            ),
            Remedy(
                MUST,
                THE_STAR,
                "try to return a winning wager; no winnings are due on it",
                Effect.NO_WINNINGS,
                at("15.21.2"),
                also=(at("16.1"),),
                after=Milestone.CUT_NAMED,
                before=Milestone.SETTLED,
            ),
            Remedy(
                MUST, THE_STAR, "let wagers and results of settled rounds stand", Effect.RESULTS_STAND, at("15.21.3")
            ),
        ),
        Irregularity.WRONGLY_SETTLED: (
            Remedy(
                MUST,
                THE_STAR,
                "put it right, try to (repay it, or ask it back), or tell the NICC, within a reasonable time",
                Effect.PUT_RIGHT,
                at("15.18.2"),
                also=(at("15.18.1"), at("15.20.1"), at("15.20.1.1"), at("15.20.1.2")),
                where="it was not intended",
            ),
            Remedy(
                MUST,
                THE_STAR,
                "try to put it right (repay it, or ask it back) within a reasonable time, and to identify the patron",
                Effect.PUT_RIGHT,
                at("15.19"),
                also=(at("15.19.1"), at("15.19.2"), at("15.20.1"), at("15.20.1.1"), at("15.20.1.2")),
                where="it is suspected that it was intended",
            ),
            Remedy(
                MUST,
                THE_STAR,
                "inform the NICC at the end of the month",
                Effect.NONE,
                at("15.20.2"),
                where="it is over $1,000",
            ),
        ),
        Irregularity.BANK_NOT_COVERED: (
            Remedy(
                MUST,
                PLAYER_BANKER,
                "make up the difference",
                Effect.NONE,
                at("13.2.2"),
                banks=common.A_PLAYER_BANKS_ALONE,
            ),
            common.HOUSE_BANKS_INSTEAD.by(DEALER, at("13.2.2"), at("13.1"), where="the player cannot or will not"),
        ),
        Irregularity.PROHIBITED_DEVICE: (
            common.VOID_WAGERS_OF_PERSON.by(SUPERVISOR, at("16.4.1"), at("16.2")),
            common.EXCLUDE_PERSON.by(SUPERVISOR, at("16.4.2")),
            common.EXCLUDE_FROM_CASINO.by(SUPERVISOR, at("16.4.3")),
            common.DETAIN_PERSON.by(SUPERVISOR, at("16.4.4")),
        ),
        Irregularity.FRAUD: (
            common.INVALIDATE_AFFECTED.by(SUPERVISOR, at("16.5.2")),
            REFUND,
            common.FORFEIT.by(SUPERVISOR, at("16.6")),
        ),
        Irregularity.DISRUPTION: (
            common.INVALIDATE.by(SUPERVISOR, at("16.5.1")),
            REFUND,
        ),
        Irregularity.DISPUTE: (
            common.DECIDE_FIRST.by(GAME_SUPERVISOR, at("16.13")),
            Remedy(MAY, SUPERVISOR, "review the decision", Effect.AS_DECIDED, at("16.13"), where="it is requested"),
            Remedy(
                MUST,
                OPERATOR,
                "decide in the end, and tell whoever is not satisfied of the inspector",
                Effect.AS_DECIDED,
                at("16.14"),
            ),
        ),
    },
    silent={
        Irregularity.DICE_FAULT: (common.PLAY_WITH_SUCH_DICE.by(DEALER, at("2.3")),),
        Irregularity.NOT_PAYABLE: (),
        Irregularity.RULE_BROKEN: (),
    },
    removal=BoxRemoval(at("15.9.3"), at("15.9.4"), frozenset({Bank.HOUSE})),
)

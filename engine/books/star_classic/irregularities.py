"""The Star (older page): irregularities (section 15), and consequences of faults in other sections."""

from __future__ import annotations

from functools import partial

from engine.books import common_remedies as common
from engine.books.common_remedies import DEALER, DEALER_OR_BANKER, PLAYER, PLAYER_BANKER
from engine.books.star_classic import play
from engine.books.star_classic.banking import BANKING
from engine.vocabulary.box_removal import BoxRemoval
from engine.vocabulary.citations import STAR_CLASSIC
from engine.vocabulary.facts import Bank, Milestone, Whose
from engine.vocabulary.irregularities import Irregularities, Irregularity
from engine.vocabulary.remedy import MAY, MUST, Authority, Effect, Remedy

at = STAR_CLASSIC.at

GAME_SUPERVISOR = Authority("game supervisor", title=play.GAME_SUPERVISOR)
SUPERVISOR = Authority("casino supervisor", title=play.SUPERVISOR)
UNNAMED = Authority("supervisor (the rule names nobody)")

RESHUFFLE = common.DIRECT_A_SHUFFLE.by(GAME_SUPERVISOR, at("15.4"))
PLAY_HOUSE = common.PLAY_HOUSE_HAND.by(DEALER, at("15.5"))
REFUND = common.REFUND_RESULT.by(SUPERVISOR, at("16.5"))
NO_INFORMATION = common.NO_EXCHANGE_NO_WORD.by(DEALER, at("12.9"))
set_bank_right = partial(common.set_right_until, Milestone.FIRST_HAND_EXPOSED, MUST, DEALER, at("15.7"))

IRREGULARITIES = Irregularities(
    STAR_CLASSIC,
    play=play.PLAY,
    methods=BANKING.methods.value,
    said={
        Irregularity.DAMAGED_TILE: (common.REPLACE_TILES.by(SUPERVISOR, at("3.4")),),
        Irregularity.TILE_TRACKING: (RESHUFFLE,),
        Irregularity.EXPOSED_STACKING: (
            common.PERFORM_LAJA.by(DEALER, at("15.1")),
            RESHUFFLE,
        ),
        Irregularity.EXPOSED_LAJA: (common.SHUFFLE_AGAIN.by(DEALER, at("15.2")),),
        Irregularity.COCKED_DIE: (common.SHAKE_AGAIN.by(DEALER_OR_BANKER, at("8.2")),),
        Irregularity.DICE_NOT_TUMBLED: (common.SHAKE_TO_TUMBLE.by(DEALER_OR_BANKER, at("8.1")),),
        Irregularity.TILE_EXPOSED: (
            PLAY_HOUSE,
            common.DIRECT_A_SHUFFLE_OR_PLAY_ON.by(GAME_SUPERVISOR, at("15.4"), at("15.3")),
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
            common.LAY_FACE_UP.by(PLAYER, at("12.16")),
            NO_INFORMATION,
            RESHUFFLE,
        ),
        Irregularity.WRONG_DEAL: (
            common.RECONSTRUCT_DEAL.by(DEALER, at("15.13")),
            common.VOID_UNRECONSTRUCTED.by(DEALER, at("15.14")),
            common.PLAY_TO_THE_END.by(DEALER, at("15.15")),
        ),
        Irregularity.UNUSED_TILES_SEEN: (
            common.LEAVE_UNDISCLOSED.by(DEALER, at("12.3")),
            common.VIEW_UNUSED.by(PLAYER, at("12.13")),
        ),
        Irregularity.NOT_HOUSE_WAY: (
            *set_bank_right(Whose.HOUSE, also=(at("13.1.5"),), rulings=(33,)),
            # 15.7 names the House hands only. The dealer sets a co-bank's as the house's own (13.3.4), and a
            # player-banker's on his request and with his confirmation (12.6): both are treated alike. Among players'
            # hands the dealer sets only those of absent players, and nothing is printed on correcting them.
            *set_bank_right(Whose.CO_BANK, also=(at("13.3.4"),), rulings=(33,)),
            *set_bank_right(Whose.PLAYER_BANKER, also=(at("12.6"),), rulings=(33,)),
        ),
        Irregularity.LOW_LAID_HIGH: (common.HIGHER_TWO_ARE_HIGH.by(DEALER, at("12.4")),),
        Irregularity.HANDLED_AFTER_SET: (common.KEEP_AS_SET.by(DEALER, at("12.5")),),
        Irregularity.HANDLED_BY_ANOTHER: (common.ONLY_WHO_CONTROLS.by(DEALER, at("12.7"), at("9.10")),),
        Irregularity.HAND_DISTURBED: (common.SET_DISTURBED_TILES.by(DEALER, at("15.17")),),
        Irregularity.HANDS_MIXED: (
            common.SET_MIXED_TILES.by(DEALER, at("15.17")),
            common.DECIDE_MIXED_TILES.by(GAME_SUPERVISOR, at("16.11")),
        ),
        Irregularity.ABSENT_PLAYER: (common.SET_FOR_ABSENT_PLAYER.by(DEALER, at("15.18")),),
        Irregularity.OUT_OF_VIEW: (common.KEEP_IN_VIEW.by(DEALER, at("12.9")),),
        Irregularity.TILES_EXCHANGED: (NO_INFORMATION,),
        Irregularity.COMMUNICATING: (
            common.TAKE_BOX_OUT.by(
                SUPERVISOR,
                at("15.9"),
                at("15.8"),
                at("15.10"),
                at("15.11"),
                where="all playing areas are in play and the House banks",
            ),
            common.NOTIFY_INSPECTOR.by(SUPERVISOR, at("15.9")),
            Remedy(
                MUST,
                DEALER,
                "let nobody tell of a hand, nor talk at all until the chung is off the bank's tiles",
                Effect.NONE,
                at("12.10"),
                also=(at("12.9"),),
            ),
            common.BRING_BOX_BACK.by(SUPERVISOR, at("15.12")),
        ),
        Irregularity.SPYING: (
            common.SET_FIRST.by(SUPERVISOR, at("15.16.1")),
            common.KEEP_APART.by(SUPERVISOR, at("15.16.2")),
            common.ENGLISH_ONLY.by(SUPERVISOR, at("15.16.3")),
        ),
        Irregularity.CONCEDED: (
            common.TAKE_CONCEDED.by(DEALER, at("12.14")),
            common.VIEW_CONCEDED.by(GAME_SUPERVISOR, at("12.15")),
        ),
        Irregularity.ABSTAINS: (common.VACATE.by(UNNAMED, at("16.9")),),
        Irregularity.BELOW_MINIMUM: (
            Remedy(
                MAY,
                DEALER,
                "reject the wager",
                Effect.WAGER_RETURNED,
                at("10.3"),
                also=(at("10.2"),),
                before=Milestone.CUT_NAMED,
            ),
            Remedy(
                MUST,
                DEALER,
                "settle the wager: it is valid",
                Effect.WAGER_STANDS,
                at("10.3"),
                where="the House banks",
                after=Milestone.CUT_NAMED,
                banks=common.HOUSE_BANKS,
            ),
            Remedy(
                MUST,
                GAME_SUPERVISOR,
                "decide: the minimum applies, and the book does not say what becomes of the wager",
                Effect.AS_DECIDED,
                at("10.2"),
                also=(at("16.11"),),
                where="a player/banker holds the bank",
                after=Milestone.CUT_NAMED,
                banks=common.A_PLAYER_BANKS,
            ),
        ),
        Irregularity.ABOVE_MAXIMUM: (
            Remedy(
                MAY,
                DEALER,
                "reject the wager, unless a casino supervisor allows the player more",
                Effect.WAGER_RETURNED,
                at("10.3"),
                also=(at("10.5"),),
                where="the House banks or co-banks",
                before=Milestone.CUT_NAMED,
                banks=common.HOUSE_HAS_A_PART,
            ),
            Remedy(
                MUST,
                DEALER,
                "settle the wager whole: it is valid",
                Effect.WAGER_STANDS,
                at("10.3"),
                rulings=(23,),
                where="the House banks",
                after=Milestone.CUT_NAMED,
                banks=common.HOUSE_BANKS,
            ),
            Remedy(
                MUST,
                DEALER,
                "pay or collect the wager up to the displayed maximum",
                Effect.WAGER_CAPPED,
                at("11.1.3"),
                where="a player and the House co-bank",
                after=Milestone.CUT_NAMED,
                banks=frozenset({Bank.CO_BANK}),
            ),
            common.NO_MAXIMUM.by(DEALER, at("10.2")),
        ),
        Irregularity.LATE_WAGER: (
            common.ACCEPT_WHILE_OPEN.by(DEALER, at("9.3")),
            common.REFUSE_WHEN_CLOSED.by(
                DEALER, at("9.4"), where="the House banks or co-banks", banks=common.HOUSE_HAS_A_PART
            ),
            common.BANKER_MAY_CONSENT.by(PLAYER_BANKER, at("9.5")),
            common.TOO_LATE_TO_CONSENT.by(DEALER, at("9.5")),
        ),
        Irregularity.ORAL_WAGER: (common.CHIPS_ONLY.by(DEALER, at("9.2")),),
        Irregularity.BANK_NOT_COVERED: (
            Remedy(
                MUST,
                DEALER,
                "play with the player and the House co-banking, as the rule prints",
                Effect.BANK_CHANGES,
                at("13.2.2"),
                also=(at("13.3"),),
                rulings=(37,),
                banks=common.A_PLAYER_BANKS_ALONE,
            ),
            common.HOUSE_BANKS_INSTEAD.by(
                DEALER,
                at("13.1"),
                at("6.8"),
                at("13.3.1"),
                rulings=(37,),
                where="the player cannot match half the wagers either",
            ),
        ),
        Irregularity.PROHIBITED_DEVICE: (
            common.VOID_WAGERS_OF_PERSON.by(SUPERVISOR, at("16.3.1"), at("16.1")),
            common.EXCLUDE_PERSON.by(SUPERVISOR, at("16.3.2")),
            common.EXCLUDE_FROM_CASINO.by(SUPERVISOR, at("16.3.3")),
            common.DETAIN_PERSON.by(SUPERVISOR, at("16.3.4")),
        ),
        Irregularity.FRAUD: (
            common.INVALIDATE_AFFECTED.by(SUPERVISOR, at("16.4.2")),
            REFUND,
            common.FORFEIT.by(SUPERVISOR, at("16.5")),
        ),
        Irregularity.DISRUPTION: (
            common.INVALIDATE.by(SUPERVISOR, at("16.4.1")),
            REFUND,
        ),
        Irregularity.DISPUTE: (
            common.DECIDE_FIRST.by(GAME_SUPERVISOR, at("16.11")),
            Remedy(
                MAY,
                SUPERVISOR,
                "review the decision; this is final",
                Effect.AS_DECIDED,
                at("16.11"),
                where="it is requested",
            ),
            common.NAME_THE_INSPECTOR.by(DEALER, at("16.12")),
        ),
    },
    silent={
        **common.wrong_set_as_star_2024(GAME_SUPERVISOR, at("16.11")),
        Irregularity.HOUSE_WAY_TOUCHED: (),
        Irregularity.WAGER_UNWANTED: (),
        Irregularity.INVALID_WAGER: (),
        Irregularity.WRONGLY_SETTLED: (),
        Irregularity.DICE_FAULT: (common.PLAY_WITH_SUCH_DICE.by(DEALER, at("2.3")),),
        Irregularity.NOT_PAYABLE: (),
        Irregularity.RULE_BROKEN: (),
    },
    removal=BoxRemoval(at("15.10"), at("15.11"), frozenset({Bank.HOUSE})),
)

"""The British poster: irregularities; its points are counted in the order printed."""

from __future__ import annotations

from engine.books import common_remedies as common
from engine.books.uk import play
from engine.books.uk.banking import BANKING
from engine.vocabulary.citations import UK
from engine.vocabulary.facts import Milestone, Whose
from engine.vocabulary.irregularities import Irregularities, Irregularity
from engine.vocabulary.remedy import MAY, MUST, Authority, Effect, Person, Remedy

at = UK.at

DEALER = Authority("Dealer", frozenset({Person.DEALER}))
CASINO = Authority("casino (the poster names nobody)")
MANAGEMENT = Authority("management", title=play.MANAGEMENT)

TURN_OVER = Remedy(MUST, DEALER, "turn the tile over and deal on: it is no misdeal", Effect.NONE, at("point 23"))
TURN_ALL_OVER = Remedy(
    MUST, DEALER, "turn the tiles over and play on: it is no misdeal", Effect.NONE, at("point 23"), rulings=(35,)
)
VOID_HAND = Remedy(MAY, CASINO, "declare the hand void", Effect.HAND_VOID, at("point 20"))

IRREGULARITIES = Irregularities(
    UK,
    play=play.PLAY,
    methods=BANKING.methods.value,
    said={
        Irregularity.EXPOSED_STACKING: (TURN_ALL_OVER,),
        Irregularity.TILE_EXPOSED: (TURN_OVER,),
        Irregularity.DEALER_EXPOSES: (TURN_ALL_OVER,),
        Irregularity.WRONG_DEAL: (
            Remedy(
                MUST,
                DEALER,
                "call a misdeal",
                Effect.ROUND_VOID,
                at("point 22"),
                rulings=(34,),
                where="a hand was dealt more or fewer than four tiles",
            ),
            Remedy(
                MUST,
                CASINO,
                "decide: the poster speaks only of a wrong number of tiles",
                Effect.AS_DECIDED,
                at("preamble"),
                where="every hand has four tiles",
            ),
        ),
        Irregularity.NOT_HOUSE_WAY: (
            Remedy(
                MUST,
                DEALER,
                "set {hand} right as soon as possible",
                Effect.AS_SET_NOW,
                at("point 29"),
                whose=frozenset({Whose.HOUSE}),
            ),
            Remedy(
                MUST,
                DEALER,
                "assess again every hand already compared",
                Effect.AS_SET_NOW,
                at("point 29"),
                rulings=(33,),
                whose=frozenset({Whose.HOUSE}),
                after=Milestone.FIRST_HAND_EXPOSED,
            ),
        ),
        Irregularity.LOW_LAID_HIGH: (common.HIGHER_TWO_ARE_HIGH.by(DEALER, at("point 5"), at("point 21")),),
        Irregularity.OUT_OF_VIEW: (
            Remedy(MUST, DEALER, "have the tiles kept on the layout in full view", Effect.NONE, at("point 19")),
        ),
        Irregularity.TILES_EXCHANGED: (VOID_HAND,),
        Irregularity.COMMUNICATING: (VOID_HAND,),
        Irregularity.ABOVE_MAXIMUM: (
            Remedy(
                MAY,
                MANAGEMENT,
                "authorise bets of more than twice the house maximum in all",
                Effect.WAGER_STANDS,
                at("point 28"),
                where="a player banks",
                banks=common.A_PLAYER_BANKS_ALONE,
            ),
            Remedy(
                MUST,
                CASINO,
                "decide: the poster names no other maximum",
                Effect.AS_DECIDED,
                at("preamble"),
                where="the house banks",
                banks=common.HOUSE_BANKS,
            ),
        ),
        Irregularity.LATE_WAGER: (
            Remedy(
                MAY,
                DEALER,
                "accept it: no tile has been dealt",
                Effect.WAGER_STANDS,
                at("point 2"),
                before=Milestone.BETS_CLOSED,
            ),
            common.REFUSE_WHEN_CLOSED.by(DEALER, at("point 2")),
        ),
        Irregularity.BANK_NOT_COVERED: (
            Remedy(
                MUST,
                DEALER,
                "not let the player bank: the funds must cover all wagers made",
                Effect.BANK_CHANGES,
                at("point 24"),
                banks=common.A_PLAYER_BANKS_ALONE,
            ),
        ),
        Irregularity.DISPUTE: (
            Remedy(
                MUST,
                CASINO,
                "decide; for the player, as long as the rules are ambiguous",
                Effect.AS_DECIDED,
                at("preamble"),
            ),
        ),
    },
    silent={
        **common.wrong_set_as_star_2024(CASINO, at("preamble")),
        Irregularity.DAMAGED_TILE: (),
        Irregularity.TILE_TRACKING: (),
        Irregularity.EXPOSED_LAJA: (),
        Irregularity.COCKED_DIE: (),
        Irregularity.DICE_NOT_TUMBLED: (),
        Irregularity.DICE_FAULT: (),
        Irregularity.BANKER_EXPOSES: (),
        Irregularity.PLAYER_EXPOSES: (),
        Irregularity.UNUSED_TILES_SEEN: (),
        Irregularity.HANDLED_AFTER_SET: (),
        Irregularity.HOUSE_WAY_TOUCHED: (),
        Irregularity.HANDLED_BY_ANOTHER: (),
        Irregularity.HAND_DISTURBED: (),
        Irregularity.HANDS_MIXED: (),
        Irregularity.ABSENT_PLAYER: (),
        Irregularity.SPYING: (),
        Irregularity.CONCEDED: (),
        Irregularity.BELOW_MINIMUM: (),
        Irregularity.NOT_PAYABLE: (),
        Irregularity.ORAL_WAGER: (),
        Irregularity.ABSTAINS: (),
        Irregularity.WAGER_UNWANTED: (),
        Irregularity.INVALID_WAGER: (),
        Irregularity.WRONGLY_SETTLED: (),
        Irregularity.PROHIBITED_DEVICE: (),
        Irregularity.FRAUD: (),
        Irregularity.DISRUPTION: (),
        Irregularity.RULE_BROKEN: (),
    },
)

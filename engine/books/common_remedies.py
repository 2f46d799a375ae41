"""Remedies printed by more than one book, defined once; each book adds the authority and its own citation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.vocabulary.facts import Bank, Milestone, Whose
from engine.vocabulary.irregularities import Irregularity
from engine.vocabulary.remedy import MAY, MUST, Authority, Duty, Effect, Given, Person, Remedy

if TYPE_CHECKING:
    from engine.vocabulary.citations import Cite

HOUSE_HAND = frozenset({Whose.HOUSE})
# A co-banker is called the player/banker (C 10.3.3, N 1.0, O 13.3).
BANKERS_HANDS = frozenset({Whose.PLAYER_BANKER, Whose.CO_BANK})
PLAYERS_HAND = frozenset({Whose.PLAYER})

HOUSE_BANKS = frozenset({Bank.HOUSE})
HOUSE_HAS_A_PART = frozenset({Bank.HOUSE, Bank.CO_BANK})
A_PLAYER_BANKS_ALONE = frozenset({Bank.PLAYER})
A_PLAYER_BANKS = frozenset({Bank.PLAYER, Bank.CO_BANK})

DEALER = Authority("dealer", frozenset({Person.DEALER}))
PLAYER = Authority("player", frozenset({Person.PLAYER}))
PLAYER_BANKER = Authority("player/banker", frozenset({Person.BANKER}))
DEALER_OR_BANKER = Authority("dealer or player/banker", frozenset({Person.DEALER, Person.BANKER}))


@dataclass(frozen=True, slots=True)
class CommonRemedy:
    """A remedy without a book: the action and its conditions; see `Remedy`."""

    duty: Duty
    action: str
    effect: Effect
    whose: frozenset[Whose] = frozenset()
    where: str = ""
    after: Milestone | None = None
    before: Milestone | None = None
    rulings: tuple[int, ...] = ()
    banks: frozenset[Bank] = frozenset()
    given: tuple[Given, ...] = ()

    def by(
        self,
        who: Authority,
        cite: Cite,
        *also: Cite,
        where: str = "",
        rulings: tuple[int, ...] = (),
        banks: frozenset[Bank] = frozenset(),
        given: tuple[Given, ...] = (),
    ) -> Remedy:
        """The remedy as one book prints it.

        Args:
            who: the authority that acts or decides.
            cite: the rule.
            also: related rules.
            where: the book's own condition.
            banks: who must hold the bank.
            given: other conditions.
            rulings: numbers of our rulings that apply.
        """
        return Remedy(
            self.duty,
            who,
            self.action,
            self.effect,
            cite,
            also,
            rulings or self.rulings,
            self.whose,
            where or self.where,
            self.after,
            self.before,
            banks or self.banks,
            given or self.given,
        )


# The tiles and the dice.

REPLACE_TILES = CommonRemedy(MUST, "replace the tile or the whole set", Effect.NONE)
# No book says how to go on from such a throw once the tiles are dealt.
SHAKE_AGAIN = CommonRemedy(MUST, "shake the dice cup again", Effect.NONE, before=Milestone.TILES_DELIVERED)
SHAKE_TO_TUMBLE = CommonRemedy(MUST, "shake the dice cup so that the dice tumble", Effect.NONE)
PLAY_WITH_SUCH_DICE = CommonRemedy(MUST, "play only with dice as the rule describes them", Effect.NONE)

# Tiles mixed again.

PERFORM_LAJA = CommonRemedy(MUST, "perform a laja", Effect.MIXED_AGAIN)
SHUFFLE_AGAIN = CommonRemedy(MUST, "shuffle again", Effect.MIXED_AGAIN)
DIRECT_A_SHUFFLE = CommonRemedy(MAY, "direct the dealer to shuffle again", Effect.MIXED_AGAIN)
DIRECT_A_SHUFFLE_OR_PLAY_ON = CommonRemedy(
    MAY,
    "direct the dealer to shuffle again, or play on: rule 15.3 begins at two tiles",
    Effect.MIXED_AGAIN,
    whose=BANKERS_HANDS | PLAYERS_HAND,
)

# Tiles exposed or dealt wrongly.

CALL_HAND_VOID = CommonRemedy(
    MAY, "call {hand} void", Effect.HAND_VOID, whose=PLAYERS_HAND, before=Milestone.TILES_VIEWED
)
CALL_ROUND_VOID = CommonRemedy(
    MAY,
    "call {hand} void, and with it the round; shuffle again",
    Effect.ROUND_VOID,
    whose=BANKERS_HANDS,
    before=Milestone.TILES_VIEWED,
)
NO_LONGER_VOID = CommonRemedy(
    MUST,
    "play on: {hand} can no longer be called void",
    Effect.NONE,
    whose=BANKERS_HANDS | PLAYERS_HAND,
    after=Milestone.TILES_VIEWED,
)
PLAY_HOUSE_HAND = CommonRemedy(MUST, "play the hand", Effect.NONE, whose=HOUSE_HAND)
PLAY_ON = CommonRemedy(MUST, "play on", Effect.NONE)
LAY_FACE_UP = CommonRemedy(
    MAY,
    "lay the tiles face up",
    Effect.NONE,
    where="the House banks and nobody else plays",
    banks=HOUSE_BANKS,
    given=(Given.ALONE_AT_TABLE,),
)
RECONSTRUCT_DEAL = CommonRemedy(MUST, "reconstruct the deal", Effect.NONE, before=Milestone.TILES_HANDLED)
VOID_UNRECONSTRUCTED = CommonRemedy(
    MUST,
    "declare the round void and shuffle all 32 tiles again",
    Effect.ROUND_VOID,
    where="it cannot be reconstructed",
    before=Milestone.TILES_HANDLED,
)
PLAY_TO_THE_END = CommonRemedy(MUST, "play the round to its end", Effect.RESULTS_STAND, after=Milestone.TILES_HANDLED)
LEAVE_UNDISCLOSED = CommonRemedy(MUST, "leave tiles not in play undisclosed", Effect.NONE, before=Milestone.SETTLED)
VIEW_UNUSED = CommonRemedy(MAY, "view them without handling", Effect.NONE, after=Milestone.SETTLED)

# Hands and who handles them.

HIGHER_TWO_ARE_HIGH = CommonRemedy(
    MUST, "compare the higher two tiles as the high hand: it is no foul", Effect.NONE, rulings=(18,)
)
KEEP_AS_SET = CommonRemedy(MUST, "keep the hand as it was set", Effect.NONE)
ONLY_WHO_CONTROLS = CommonRemedy(MUST, "let only the player who controls the box handle and set its tiles", Effect.NONE)
SET_DISTURBED_TILES = CommonRemedy(
    MUST, "set the disturbed tiles, of this player or another, the House Way", Effect.AS_SET_NOW
)
SET_MIXED_TILES = CommonRemedy(
    MUST,
    "set the disturbed tiles the House Way",
    Effect.AS_SET_NOW,
    where="the dealer mixed them when opening a hand, and it is known whose they are",
)
DECIDE_MIXED_TILES = CommonRemedy(
    MUST,
    "decide: the book does not say what becomes of hands that cannot be told apart",
    Effect.AS_DECIDED,
    where="it is not known whose they are",
)
SET_FOR_ABSENT_PLAYER = CommonRemedy(
    MUST, "set the tiles the House Way; the player accepts the result", Effect.AS_SET_NOW
)
KEEP_IN_VIEW = CommonRemedy(MUST, "have the tiles kept within the table and in view", Effect.NONE)
VIEW_CONCEDED = CommonRemedy(MAY, "view the tiles", Effect.NONE)
TAKE_CONCEDED = CommonRemedy(
    MUST,
    "take the tiles away unexposed, and the wager; the hand cannot return to play",
    Effect.WAGER_LOST,
    where="nobody else wagers on the playing area",
    given=(Given.ALONE_ON_BOX,),
)

# Players who tell each other of their hands.

NO_EXCHANGE_NO_WORD = CommonRemedy(MUST, "let no tiles be exchanged and nobody tell of a hand", Effect.NONE)
NOTIFY_INSPECTOR = CommonRemedy(MUST, "have an inspector notified", Effect.NONE)
BRING_BOX_BACK = CommonRemedy(MAY, "bring a box back that was taken out", Effect.BOX_BACK)
SET_FIRST = CommonRemedy(
    MAY,
    "direct the players suspected to set their hands before the others handle theirs",
    Effect.SETS_FIRST,
    before=Milestone.TILES_HANDLED,
)
KEEP_APART = CommonRemedy(MAY, "keep them from playing at the same table", Effect.PLAYER_OUT)
TAKE_BOX_OUT = CommonRemedy(
    MAY,
    "take a box out of play, chosen by dice",
    Effect.BOX_OUT,
    banks=HOUSE_BANKS,
    given=(Given.ALL_BOXES_PLAY,),
)
ENGLISH_ONLY = CommonRemedy(MAY, "direct that only English is spoken", Effect.NONE)

# Wagers.

ACCEPT_WHILE_OPEN = CommonRemedy(MAY, "accept it: betting is open", Effect.WAGER_STANDS, before=Milestone.BETS_CLOSED)
REFUSE_WHEN_CLOSED = CommonRemedy(MUST, "refuse it", Effect.NOT_ACCEPTED, after=Milestone.BETS_CLOSED)
BANKER_MAY_CONSENT = CommonRemedy(
    MAY,
    "consent to it; else it is refused",
    Effect.AS_DECIDED,
    where="a player banks",
    after=Milestone.BETS_CLOSED,
    before=Milestone.TILES_HANDLED,
    rulings=(42,),
    banks=A_PLAYER_BANKS_ALONE,
)
TOO_LATE_TO_CONSENT = CommonRemedy(
    MUST,
    "refuse it: it is too late for the player-banker's consent",
    Effect.NOT_ACCEPTED,
    where="a player banks",
    after=Milestone.TILES_HANDLED,
    rulings=(42,),
    banks=A_PLAYER_BANKS_ALONE,
)
CHIPS_ONLY = CommonRemedy(MUST, "not accept it: wagers are placed in chips", Effect.NOT_ACCEPTED)
NOT_ACCEPTED = CommonRemedy(MUST, "not accept the wager", Effect.WAGER_RETURNED)
NO_MAXIMUM = CommonRemedy(
    MUST,
    "settle the wager whole: there is no maximum",
    Effect.WAGER_STANDS,
    where="a player/banker holds the bank",
    banks=A_PLAYER_BANKS_ALONE,
)
HOUSE_BANKS_INSTEAD = CommonRemedy(MUST, "play with the House banking", Effect.BANK_CHANGES, banks=A_PLAYER_BANKS)
VACATE = CommonRemedy(
    MAY,
    "require the player to vacate the seat",
    Effect.SEAT_VACATED,
    where="all other seats or positions at the table are in use",
    given=(Given.SEATS_TAKEN,),
)

# Prohibited devices, fraud, disruption, disputes.

VOID_WAGERS_OF_PERSON = CommonRemedy(MAY, "declare any wager of the person void", Effect.WAGER_RETURNED)
EXCLUDE_PERSON = CommonRemedy(MAY, "exclude the person from the game", Effect.PLAYER_OUT)
EXCLUDE_FROM_CASINO = CommonRemedy(MAY, "exclude the person from the casino", Effect.NONE)
DETAIN_PERSON = CommonRemedy(
    MAY,
    "have the person detained until an inspector or a police officer takes over",
    Effect.NONE,
    where="the person has the device",
)
INVALIDATE_AFFECTED = CommonRemedy(MAY, "invalidate the outcome", Effect.AS_DECIDED, where="the act affects it")
INVALIDATE = CommonRemedy(MAY, "invalidate the outcome", Effect.AS_DECIDED)
REFUND_RESULT = CommonRemedy(MAY, "refund all wagers on that result", Effect.ROUND_VOID)
FORFEIT = CommonRemedy(MAY, "direct that the wager of whoever committed it is forfeited", Effect.WAGER_FORFEITED)
DECIDE_FIRST = CommonRemedy(MUST, "decide first", Effect.AS_DECIDED)
NAME_THE_INSPECTOR = CommonRemedy(MUST, "tell a complainant of the inspector", Effect.NONE, where="it stays unresolved")

# Remedies that are more than one option.


def set_right_until(
    event: Milestone,
    duty: Duty,
    by: Authority,
    cite: Cite,
    *whose: Whose,
    stands: Cite | None = None,
    also: tuple[Cite, ...] = (),
    rulings: tuple[int, ...] = (),
) -> tuple[Remedy, Remedy]:
    """A hand not set the House Way: corrected until an event, and left as laid from then on.

    Args:
        event: the event that ends it.
        duty: whether it must be or may be corrected before the event.
        by: the authority.
        cite: the rule.
        whose: the hands it applies to.
        stands: the rule under which it stays as laid, if another one.
        also: related rules.
        rulings: numbers of our rulings that apply.
    """
    hands = frozenset(whose)
    right = Remedy(duty, by, "set {hand} right", Effect.AS_SET_NOW, cite, also, rulings, hands, before=event)
    left = "leave it: {hand} stands as laid"
    return right, Remedy(MUST, by, left, Effect.RESULTS_STAND, stands or cite, also, rulings, hands, after=event)


def wrong_set_as_star_2024(by: Authority, cite: Cite) -> dict[Irregularity, tuple[Remedy, ...]]:
    """A missing, foreign or duplicate tile in a book that is silent on it: as rule 15.17 of The Star 2024 (ruling 36).

    Args:
        by: the authority.
        cite: the book's rule on what it does not cover.
    """
    # Wagers are placed from the shuffle on; before that there is no round to declare void.
    start, end = Milestone.SHUFFLED, Milestone.SETTLED
    void = "declare the round void and return all wagers of it"
    stand = "let the results of completed rounds stand, and check the set for more"
    remedies = (
        Remedy(MAY, by, void, Effect.ROUND_VOID, cite, rulings=(36,), after=start, before=end),
        Remedy(MAY, by, stand, Effect.RESULTS_STAND, cite, rulings=(36,)),
    )
    return dict.fromkeys((Irregularity.MISSING_TILE, Irregularity.FOREIGN_TILE, Irregularity.DUPLICATE_FACE), remedies)

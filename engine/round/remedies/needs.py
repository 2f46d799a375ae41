"""Preconditions of remedies and of irregularities."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import UnknownRulebookError
from engine.game.hands import Hand
from engine.round.amounts import OPEN, minimum_for, terms_of
from engine.round.before_deal.bank import covers
from engine.round.event_rules import citing, delivered, refuse
from engine.round.playing.hand_stages import GONE, fits_the_set
from engine.round.remedies.effects import concerned
from engine.round.remedies.situation import dealer_set
from engine.round.state.round_state import CLOSED, HandStage
from engine.settlement.played import Laid
from engine.settlement.wagers import MAIN, OFFERS
from engine.vocabulary.facts import Milestone
from engine.vocabulary.irregularities import Irregularity
from engine.vocabulary.remedy import Effect

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from engine.game.tiles import Tile
    from engine.round.events import IrregularityDecided
    from engine.round.state.round_state import Lying, State
    from engine.vocabulary.citations import Cite


# Preconditions of remedies


def _a_hand(state: State, event: IrregularityDecided, cite: Cite) -> None:
    delivered(state)
    if state.is_banks(event.box):
        return
    if event.box is None or event.box not in state.hands or state.hands[event.box] in GONE:
        refuse(f"no hand in play lies on box {event.box!r}", cite)


def _set_again(state: State, event: IrregularityDecided, cite: Cite) -> None:
    """An open hand is set the House Way by it, by the dealer; a closed one shows no tiles."""
    _a_hand(state, event, cite)
    if event.box is None:
        return
    if event.irregularity is Irregularity.NOT_HOUSE_WAY and not dealer_set(state, event.box):
        refuse(f"the hand of box {event.box} is its player's own setting", state.play.set_own)
    lies_open = _lies_open(state, event.box)
    if not (lies_open is (event.low is not None) is (event.high is not None)):
        refuse("an open hand is written as it lies once set right, a closed one without tiles", cite)
    if event.low is None or event.high is None:
        return
    fits_the_set(state, event.box, (*event.low, *event.high), 4)
    tiles = state.tiles[event.box]
    before, after = _laid(tiles[:2], tiles[2:]), _laid(event.low, event.high)
    try:
        way = state.setup.house_way
    except UnknownRulebookError:
        return  # the table names none, so the person who corrected it is responsible (ruling 12)
    verdict = way.judge(after.deal, after.setting)
    if not verdict.correct:
        due = verdict.decision
        refuse(f"{after.setting} is not the House Way of these tiles: {due.setting} is", due.rule.cite)
    if event.irregularity is Irregularity.NOT_HOUSE_WAY and way.judge(before.deal, before.setting).correct:
        refuse(f"{before.setting} is set the House Way", cite)


def _laid(low: tuple[Tile, ...], high: tuple[Tile, ...]) -> Laid:
    return Laid(Hand.of(low), Hand.of(high))


def _lies_open(state: State, box: int) -> bool:
    if state.is_banks(box):
        return Milestone.BANK_EXPOSED in state.happened
    return state.hands.get(box) in OPEN


def _a_wager(state: State, event: IrregularityDecided, cite: Cite) -> None:
    if event.player is None or not concerned(state, event):
        refuse(f"{event.player} has no wager {'there' if event.box else 'on the table'}: name whose it is", cite)


def _to_concede(state: State, event: IrregularityDecided, cite: Cite) -> None:
    if event.box is None or state.hands.get(event.box) not in CLOSED | {HandStage.CONCEDED}:
        refuse(f"no closed hand lies on box {event.box!r}", cite)


def _dice_for_a_box(state: State, event: IrregularityDecided, cite: Cite) -> None:
    if state.bank is None:
        refuse("it is not settled yet who holds the bank", cite)
    with citing(cite):
        removed = state.setup.book.irregularities.remove_box(
            event.dice, state.bank.method, state.bank.box, state.setup.order
        )
    if removed.box is None:
        refuse(f"{removed.total} counts to the bank's own box: the dice are shaken again", removed.cite)
    if removed.box != event.box:
        refuse(f"{removed.total} counts to box {removed.box}, not {event.box}", removed.cite)


def _is_out(state: State, event: IrregularityDecided, cite: Cite) -> None:
    if event.box not in state.out | state.out_later:
        refuse(f"box {event.box!r} is not out of play", cite)


def _a_player(_: State, event: IrregularityDecided, cite: Cite) -> None:
    if event.player is None:
        refuse("name the player", cite)


def _is_barred(state: State, event: IrregularityDecided, cite: Cite) -> None:
    if event.player not in state.barred:
        refuse(f"{event.player!r} is not out of the game", cite)


def _has_tiles_to_set(state: State, event: IrregularityDecided, cite: Cite) -> None:
    if event.player is None or not state.boxes_of(event.player):
        refuse(f"{event.player!r} has no tiles to set: name a player who wagers", cite)


def _is_seated(state: State, event: IrregularityDecided, cite: Cite) -> None:
    if event.player not in state.seats.values():
        refuse(f"{event.player!r} has no seat to vacate", cite)


_NEEDS: Mapping[Effect, Callable[[State, IrregularityDecided, Cite], None]] = {
    Effect.HAND_VOID: _a_hand,
    Effect.AS_SET_NOW: _set_again,
    Effect.WAGER_RETURNED: _a_wager,
    Effect.WAGER_FORFEITED: _a_wager,
    Effect.NO_WINNINGS: _a_wager,
    Effect.WAGER_LOST: _to_concede,
    Effect.BOX_OUT: _dice_for_a_box,
    Effect.BOX_BACK: _is_out,
    Effect.PLAYER_OUT: _a_player,
    Effect.PLAYER_BACK: _is_barred,
    Effect.SETS_FIRST: _has_tiles_to_set,
    Effect.SEAT_VACATED: _is_seated,
}


def check_remedy(state: State, event: IrregularityDecided, effect: Effect, cite: Cite) -> None:
    """Refuse a remedy whose object does not exist."""
    needed = _NEEDS.get(effect)
    if needed is not None:
        needed(state, event, cite)


# Preconditions of irregularities


def _limits(state: State, lying: Lying) -> tuple[int | None, int | None]:
    """Minimum and maximum for a wager: the sign's, the player's own minimum, or those of a side wager."""
    terms = terms_of(state)
    if lying.bet in OFFERS:
        offered = terms.side[OFFERS[lying.bet]]
        return offered.minimum, offered.maximum
    return minimum_for(state, lying.player), terms.maximum


def _counted(state: State, box: int, lying: Lying) -> int:
    """The amount to which limits apply: of one wager, or of all that share the limits of the box (ruling 40)."""
    if not terms_of(state).limits_per_box or lying.bet != MAIN:
        return lying.amount
    return sum(one.amount for one in state.wagers[box] if one.bet == MAIN and one.void is None)


def _is_below(state: State, event: IrregularityDecided, cite: Cite) -> None:
    _a_wager(state, event, cite)
    wagers = [(_counted(state, box, each), _limits(state, each)[0]) for box, each in concerned(state, event)]
    if not any(least is not None and amount < least for amount, least in wagers):
        least = minimum_for(state, str(event.player))
        refuse(f"no wager of {event.player} there is below {least or 'a minimum'}, which holds for him", cite)


def _is_above(state: State, event: IrregularityDecided, cite: Cite) -> None:
    """Above the maximum of a wager, of a box, or of the table."""
    _a_wager(state, event, cite)
    terms, wagers = terms_of(state), concerned(state, event)
    for box, each in wagers:
        most = _limits(state, each)[1]
        on_box = sum(one.amount for one in state.wagers[box] if one.void is None)
        if (most is not None and _counted(state, box, each) > most) or (
            terms.box_maximum is not None and on_box > terms.box_maximum
        ):
            return
    bet = state.banking.dealer_bet
    if bet is not None and terms.maximum is not None and state.total > bet.value * terms.maximum:
        return
    refuse(f"no wager of {event.player} there is above {terms.maximum or 'a maximum'}", cite)


def _is_not_payable(state: State, event: IrregularityDecided, cite: Cite) -> None:
    _a_wager(state, event, cite)
    terms = terms_of(state)
    rate = state.setup.book.settlement.commission.rate_at(terms.commission)
    if all((each.amount * (1 - rate)) % terms.chip == 0 for _, each in concerned(state, event)):
        refuse(f"every wager of {event.player} there can be paid exactly in chips of {terms.chip}", cite)


def _is_uncovered(state: State, _: IrregularityDecided, cite: Cite) -> None:
    if state.bankers and covers(state, state.total):
        refuse("the banker covers the wagers", cite)


def _has_abstained(state: State, event: IrregularityDecided, cite: Cite) -> None:
    _is_seated(state, event, cite)
    rounds, least = state.before.abstained.get(str(event.player), 0), state.play.abstain
    if least is not None and rounds < least.value:
        refuse(f"{event.player} has placed no wager for {rounds} rounds with all other seats taken", least)


_IS: Mapping[Irregularity, Callable[[State, IrregularityDecided, Cite], None]] = {
    Irregularity.BELOW_MINIMUM: _is_below,
    Irregularity.ABOVE_MAXIMUM: _is_above,
    Irregularity.NOT_PAYABLE: _is_not_payable,
    Irregularity.BANK_NOT_COVERED: _is_uncovered,
    Irregularity.ABSTAINS: _has_abstained,
    Irregularity.WAGER_UNWANTED: _a_wager,
}


def check_kind(state: State, event: IrregularityDecided, cite: Cite) -> None:
    """Refuse an irregularity that the log contradicts."""
    check = _IS.get(event.irregularity)
    if check is not None:
        check(state, event, cite)

"""Rules of setting: who takes up tiles, asks for the House Way, sets or concedes, and when the bank's hand is set."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engine.errors import EngineError
from engine.game.ranking import Outcome
from engine.round.as_settled import refused
from engine.round.event_rule import going_on, has, has_not, person, refuse, rule
from engine.round.events import (
    DEALER,
    BankConfirmed,
    BankPeeked,
    BankSet,
    HandConceded,
    HandSet,
    HouseWayRequested,
    TieSurrendered,
    TilesHandled,
    TilesLaidOpen,
)
from engine.round.hands import delivered, fits_the_set, laid, retrieved, set_at_settlement, unset
from engine.round.state import CLOSED, Lay
from engine.settlement.side_wagers.checks import check_surrender
from engine.settlement.wagers import TIE
from engine.vocabulary.facts import Bank, Milestone

if TYPE_CHECKING:
    from engine.round.event_rule import Refusal
    from engine.round.state import State


def _bank_closed(state: State) -> Refusal | None:
    return has_not(state, Milestone.BANK_EXPOSED, state.play.bank_first)


def _decides(state: State, box: int, player: str) -> Refusal | None:
    """The player decides on this box's tiles."""
    play = state.play
    if state.control.get(box) == player:
        return None
    if box in state.setup.table.house_way_boxes:
        return refuse(
            f"box {box} is a House Way place: only the dealer handles its tiles", play.house_way_boxes or play.set_own
        )
    if box not in state.control:
        return refuse(
            f"the tiles of box {box} are not for a player to handle: {play.several.value.value}", play.several
        )
    return refuse(f"{state.control[box]} decides on box {box}, not {player}", play.set_own)


def _in_play(state: State, box: int) -> Refusal | None:
    if box in state.hands or (state.bank is not None and box == state.bank.box):
        return None
    return refuse(f"no tiles are in play on box {box!r}", state.play.unused or state.play.deliver)


def _is_banks(state: State, box: int) -> bool:
    return state.bank is not None and box == state.bank.box


# Taking tiles up


def _banks_own(state: State, event: TilesHandled) -> Refusal | None:
    """Whether a banker may take up the bank's tiles."""
    play, bank = state.play, state.held
    if bank.method is not Bank.PLAYER or event.by not in bank.players:
        return refuse(f"the bank's tiles are not for {event.by} to handle", play.bank_last[bank.method])
    if state.bank_set_by == DEALER and play.touch_set is not None:
        return None
    if state.bank_set_by is not None and play.set_final is not None:
        return refuse("the bank's hand is set", play.set_final)
    return None


def _may_handle(state: State, event: TilesHandled) -> Refusal | None:
    if _is_banks(state, event.box):
        return _banks_own(state, event)
    refusal, lay = _decides(state, event.box, event.by), state.hands[event.box]
    if refusal is not None:
        return refusal
    if lay in {Lay.DEALT, Lay.HANDLED} or (lay is Lay.SET_BY_DEALER and state.play.touch_set is not None):
        return None
    if lay is Lay.CONCEDED:
        return refuse("a conceded hand does not come back", state.play.concede or state.play.set_own)
    if state.play.set_final is not None:
        return refuse(f"the hand of box {event.box} is {lay.value} and not handled again", state.play.set_final)
    return None


@rule(
    TilesHandled,
    ready=(going_on, delivered, _bank_closed),
    fits=(
        lambda state, event: person(state, event.by),
        lambda state, event: _in_play(state, event.box),
        _may_handle,
    ),
)
def _handled(state: State, event: TilesHandled) -> State:
    after = state.reached(Milestone.TILES_HANDLED)
    if _is_banks(state, event.box):
        return after.but(bank_set_by=None, bank_asked=False, confirmed=False)
    return laid(after, event.box, Lay.HANDLED)


# Asking for the House Way


def _requests_known(state: State) -> Refusal | None:
    if state.play.request is None and state.play.banker_request is None:
        return refuse("players set their own tiles, the dealer does not on request", state.play.set_own)
    return None


def _may_request(state: State, event: HouseWayRequested) -> Refusal | None:
    play, bank = state.play, state.held
    if _is_banks(state, event.box):
        rule = play.banker_request or play.set_own
        if bank.method is not Bank.PLAYER:
            return refuse("the bank's hand is set the House Way as it is", play.bank_last[bank.method])
        if play.banker_request is None or event.by not in bank.players:
            return refuse(f"{event.by} cannot ask the dealer to set the bank's hand", rule)
        return refuse("the bank's hand is asked for or set", rule) if state.bank_asked or state.bank_set_by else None
    refusal = _decides(state, event.box, event.by)
    if refusal is None and state.hands[event.box] not in {Lay.DEALT, Lay.HANDLED}:
        return refuse(f"the hand of box {event.box} is {state.hands[event.box].value}", play.set_final or play.set_own)
    return refusal


@rule(
    HouseWayRequested,
    ready=(going_on, delivered, _requests_known, _bank_closed),
    fits=(
        lambda state, event: person(state, event.by),
        lambda state, event: _in_play(state, event.box),
        _may_request,
    ),
)
def _requested(state: State, event: HouseWayRequested) -> State:
    return state.but(bank_asked=True) if _is_banks(state, event.box) else laid(state, event.box, Lay.ASKED)


# Setting


def _some_unset(state: State) -> Refusal | None:
    return None if unset(state) else refuse("every hand is set", state.play.set_own)


def _may_set(state: State, event: HandSet) -> Refusal | None:
    """Players set their own tiles, but for those who ask the dealer to (nz-1998 10.3(b))."""
    if event.box not in state.hands:
        return refuse(f"no player's tiles lie on box {event.box!r}", state.play.deliver)
    lay = state.hands[event.box]
    if event.by == DEALER:
        return _dealer_may_set(state, event.box)
    refusal = person(state, event.by) or _decides(state, event.box, event.by)
    if refusal is None and lay not in {Lay.DEALT, Lay.HANDLED}:
        return refuse(f"the hand of box {event.box} is {lay.value}", state.play.set_final or state.play.set_own)
    return refusal


def _dealer_may_set(state: State, box: int) -> Refusal | None:
    play, lay = state.play, state.hands[box]
    rule = play.request or play.set_own
    if lay not in {Lay.ASKED, Lay.DEALT} or (lay is Lay.DEALT and box in state.control):
        return refuse(f"the hand of box {box} is not for the dealer to set", rule)
    if set_at_settlement(state):
        return refuse(f"the dealer sets the hand of box {box} as he opens it, when it is settled", rule)
    if unset(state, by_players=True):
        return refuse("the dealer sets it once the other players have set theirs", rule)
    return None


@rule(HandSet, ready=(going_on, delivered, _bank_closed, _some_unset), fits=(_may_set,))
def _set(state: State, event: HandSet) -> State:
    if event.by == DEALER:
        return laid(state, event.box, Lay.SET_BY_DEALER)
    return laid(state.reached(Milestone.TILES_HANDLED), event.box, Lay.SET)


# Conceding, and tiles that players show


def _may_be_conceded(state: State) -> Refusal | None:
    if state.play.concede is None:
        return refuse("every hand is compared, none is conceded", state.play.matched)
    return delivered(state)


def _alone_on_box(state: State, event: HandConceded) -> Refusal | None:
    play = state.play
    rule = play.concede or play.matched
    if event.box not in state.hands or event.player not in state.players_on(event.box):
        return refuse(f"{event.player} has no wager on box {event.box}", rule)
    if len(state.players_on(event.box)) > 1:
        return refuse(f"others wager on box {event.box} too", rule)
    if state.hands[event.box] not in CLOSED:
        return refuse(f"the hand of box {event.box} is {state.hands[event.box].value}", rule)
    return None


@rule(HandConceded, ready=(going_on, _may_be_conceded), fits=(_alone_on_box,))
def _conceded(state: State, event: HandConceded) -> State:
    return laid(
        state,
        event.box,
        Lay.CONCEDED,
        outcomes={**state.outcomes, event.box: Outcome.LOSE},
        away=state.away | {event.box},
    )


def _surrender_open(state: State) -> Refusal | None:
    side, offered = state.setup.book.side_wagers, state.setup.table.terms.side.get(TIE)
    if side is None or offered is None or not offered.surrender:
        return refuse("no Tie may be surrendered here", state.play.matched if side is None else side.tie.surrender)
    try:
        check_surrender(state.happened, side.tie)
    except EngineError as fault:
        return refused(state, fault, side.tie.surrender.cite)
    return None


def _own_tie(state: State, event: TieSurrendered) -> Refusal | None:
    """Each player on a box chooses for himself (crown-6.1 13.5.3(a)(iv)); a void or conceded wager is gone."""
    lying, side = state.wager(event.box, event.player, TIE), state.setup.book.side_wagers
    rule = state.play.matched if side is None else side.tie.surrendered_by
    if lying is None or lying.void is not None:
        return refuse(f"{event.player} has no Tie wager on box {event.box}", rule)
    if lying.surrendered or state.hands.get(event.box) not in CLOSED:
        return refuse(f"{event.player}'s Tie wager on box {event.box} is surrendered or lost already", rule)
    return None


@rule(TieSurrendered, ready=(going_on, _surrender_open), fits=(_own_tie,))
def _surrendered(state: State, event: TieSurrendered) -> State:
    on_box = tuple(
        replace(each, surrendered=True) if (each.player, each.bet) == (event.player, TIE) else each
        for each in state.wagers[event.box]
    )
    return state.but(wagers={**state.wagers, event.box: on_box})


def _alone_at_table(state: State) -> Refusal | None:
    players = {wager.player for lying in state.wagers.values() for wager in lying}
    if state.play.alone is None:
        return refuse("no tiles are shown before the bank's", state.play.bank_first)
    if state.method is not Bank.HOUSE or len(players) != 1:
        return refuse("only a single player against the House lays his tiles open", state.play.alone)
    return None


def _his_tiles(state: State, event: TilesLaidOpen) -> Refusal | None:
    if event.box not in state.hands:
        return refuse(f"no player's tiles lie on box {event.box!r}", state.play.deliver)
    refusal = _decides(state, event.box, event.player)
    if refusal is None and (state.hands[event.box] not in CLOSED or event.box in state.tiles):
        return refuse(
            f"the tiles of box {event.box} are open or out of play", state.play.alone or state.play.bank_first
        )
    return refusal or fits_the_set(state, event.box, event.tiles, 4)


@rule(TilesLaidOpen, ready=(going_on, delivered, _alone_at_table), fits=(_his_tiles,))
def _laid_open(state: State, event: TilesLaidOpen) -> State:
    after = state.reached(Milestone.TILES_HANDLED, tiles={**state.tiles, event.box: event.tiles})
    return laid(after, event.box, Lay.HANDLED) if after.hands[event.box] is Lay.DEALT else after


def _may_peek(state: State) -> Refusal | None:
    peek = state.play.peek
    if peek is None:
        return refuse("no tiles are shown before all hands are set", state.play.bank_first)
    if state.method is not Bank.CO_BANK:
        return refuse("only a co-banker may see two of the bank's tiles", peek)
    if state.bank_set_by is not None or state.tiles:
        return refuse("the bank's hand is set, or two of its tiles were seen", peek)
    # No tiles are exposed before all hands are set, these two neither; only 10.14 is excepted (nz-1998 10.10).
    return has(state, Milestone.HANDS_SET, state.play.bank_first)


def _two_tiles(state: State, event: BankPeeked) -> Refusal | None:
    return fits_the_set(state, state.held.box, event.tiles, 2)


@rule(BankPeeked, ready=(going_on, delivered, _may_peek), fits=(_two_tiles,))
def _peeked(state: State, event: BankPeeked) -> State:
    return state.but(tiles={**state.tiles, state.held.box: event.tiles})


# The bank's hand


def players_set(state: State) -> Refusal | None:
    """All other hands are set."""
    return has(state, Milestone.HANDS_SET, state.play.bank_last[state.held.method])


def moved(state: State) -> Refusal | None:
    """The bank's tiles lie before the float."""
    cite = state.play.to_float.get(state.held.method)
    if cite is None or state.bank_moved:
        return None
    return refuse("the bank's tiles are brought before the float first", cite)


def _bank_unset(state: State) -> Refusal | None:
    cite = state.play.opened_as_set.get(state.held.method)
    if cite is not None:
        return refuse("the dealer opens the bank's tiles and sets them in one", cite)
    if state.bank_set_by is not None:
        return refuse("the bank's hand is set", state.play.bank_last[state.held.method])
    return None if state.method is Bank.PLAYER else moved(state)


def _sets_the_bank(state: State, event: BankSet) -> Refusal | None:
    """A player-banker sets his own hand, the dealer the House's and a co-bank's (nz-1998 10.4(b)).

    Players who share the bank decide together, so any of them may lay it (crown-6.1 10.2.6; nz-1998 7.3;
    star-classic 12.8).
    """
    bank = state.held
    rule = state.play.bank_last[bank.method]
    if bank.method is Bank.PLAYER:
        if event.by == DEALER:
            return None if state.bank_asked else refuse("the banker has not asked the dealer to set his hand", rule)
        return None if event.by in bank.players else refuse(f"{event.by} does not hold the bank", rule)
    return None if event.by == DEALER else refuse("the dealer sets the bank's hand, the House Way", rule)


@rule(
    BankSet,
    ready=(going_on, delivered, _bank_closed, retrieved, players_set, _bank_unset),
    fits=(_sets_the_bank,),
)
def _bank_set(state: State, event: BankSet) -> State:
    return state.but(bank_set_by=event.by)


def to_be_confirmed(state: State) -> bool:
    """Whether a banker has still to confirm the hand that the dealer set for him."""
    if state.play.confirm_own is None or state.method is not Bank.PLAYER:
        return False
    return state.bank_set_by == DEALER and not state.confirmed


def _confirmation_due(state: State) -> Refusal | None:
    if to_be_confirmed(state):
        return None
    return refuse("no hand awaits the banker's confirmation", state.play.confirm_own or state.play.set_own)


def _a_banker(state: State, event: BankConfirmed) -> Refusal | None:
    if event.by in state.held.players:
        return None
    return refuse(f"{event.by} does not hold the bank", state.play.confirm_own or state.play.set_own)


@rule(BankConfirmed, ready=(going_on, delivered, _confirmation_due), fits=(_a_banker,))
def _confirmed(state: State, _: BankConfirmed) -> State:
    return state.but(confirmed=True)

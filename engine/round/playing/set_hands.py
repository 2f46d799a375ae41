"""Rules of players' hands: taken up, set, set by the dealer on request, conceded, laid open."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engine.round.event import DEALER
from engine.round.event_rules import bank_closed, delivered, person, refuse, rule
from engine.round.events import (
    HandConceded,
    HandSet,
    HouseWayRequested,
    TieSurrendered,
    TilesHandled,
    TilesLaidOpen,
)
from engine.round.playing.hand_stages import conceded, fits_the_set, laid, set_at_settlement, unset
from engine.round.state.round_state import CLOSED, HandStage
from engine.settlement.side_wagers.side_checks import check_surrender
from engine.settlement.wagers import BONUS, TIE
from engine.vocabulary.facts import Bank, Milestone

if TYPE_CHECKING:
    from engine.round.state.round_state import State


def _decides(state: State, box: int, player: str) -> None:
    """The player decides on this box's tiles."""
    play = state.play
    if state.control.get(box) == player:
        return
    if box in state.setup.table.house_way_boxes:
        refuse(
            f"box {box} is a House Way place: only the dealer handles its tiles", play.house_way_boxes or play.set_own
        )
    if box not in state.control:
        refuse(f"the tiles of box {box} are not for a player to handle: {play.several.value.value}", play.several)
    refuse(f"{state.control[box]} decides on box {box}, not {player}", play.set_own)


def _in_play(state: State, box: int) -> None:
    if box not in state.hands and not state.is_banks(box):
        refuse(f"no tiles are in play on box {box!r}", state.play.unused or state.play.deliver)


def _others_set_first(state: State, player: str) -> None:
    """Nobody takes tiles up while a player required to set his hand first has not."""
    for first, cite in state.sets_first.items():
        boxes = [box for box, decides in state.control.items() if decides == first and first != player]
        if any(state.hands.get(box) in {HandStage.DEALT, HandStage.HANDLED} for box in boxes):
            refuse(f"{first} sets his tiles before others handle theirs", cite)


# Taking tiles up


def _banks_own(state: State, event: TilesHandled) -> None:
    """Whether a banker may take up the bank's tiles."""
    play, bank = state.play, state.held
    if bank.method is not Bank.PLAYER or event.by not in bank.players:
        refuse(f"the bank's tiles are not for {event.by} to handle", play.bank_last[bank.method])
    if state.bank_set_by == DEALER and play.touch_set is not None:
        return
    if state.bank_set_by is not None and play.set_final is not None:
        refuse("the bank's hand is set", play.set_final)


def _may_handle(state: State, event: TilesHandled) -> None:
    if state.is_banks(event.box):
        _banks_own(state, event)
        return
    _decides(state, event.box, event.by)
    stage = state.hands[event.box]
    if stage in {HandStage.DEALT, HandStage.HANDLED} or (
        stage is HandStage.SET_BY_DEALER and state.play.touch_set is not None
    ):
        return
    if stage is HandStage.CONCEDED:
        refuse("a conceded hand does not come back", state.play.concede or state.play.set_own)
    if state.play.set_final is not None:
        refuse(f"the hand of box {event.box} is {stage.value} and not handled again", state.play.set_final)


@rule(TilesHandled, ready=(delivered, bank_closed))
def _handled(state: State, event: TilesHandled) -> State:
    person(state, event.by)
    _in_play(state, event.box)
    _may_handle(state, event)
    _others_set_first(state, event.by)
    after = state.reached(Milestone.TILES_HANDLED)
    if state.is_banks(event.box):
        return after.replace(bank_set_by=None, bank_requested=False, confirmed=False)
    return laid(after, event.box, HandStage.HANDLED)


# Asking for the House Way


def _requests_known(state: State) -> None:
    if state.play.request is None and state.play.banker_request is None:
        refuse("players set their own tiles, the dealer does not on request", state.play.set_own)


def _may_request(state: State, event: HouseWayRequested) -> None:
    play, bank = state.play, state.held
    if state.is_banks(event.box):
        rule = play.banker_request or play.set_own
        if bank.method is not Bank.PLAYER:
            refuse("the bank's hand is set the House Way as it is", play.bank_last[bank.method])
        if play.banker_request is None or event.by not in bank.players:
            refuse(f"{event.by} cannot ask the dealer to set the bank's hand", rule)
        if state.bank_requested or state.bank_set_by:
            refuse("the bank's hand is asked for or set", rule)
        return
    _decides(state, event.box, event.by)
    _not_set(state, event.box)


def _not_set(state: State, box: int) -> None:
    if state.hands[box] not in {HandStage.DEALT, HandStage.HANDLED}:
        refuse(f"the hand of box {box} is {state.hands[box].value}", state.play.set_final or state.play.set_own)


@rule(HouseWayRequested, ready=(delivered, _requests_known, bank_closed))
def _requested(state: State, event: HouseWayRequested) -> State:
    person(state, event.by)
    _in_play(state, event.box)
    _may_request(state, event)
    return (
        state.replace(bank_requested=True) if state.is_banks(event.box) else laid(state, event.box, HandStage.REQUESTED)
    )


# Setting


def _some_unset(state: State) -> None:
    if not unset(state):
        refuse("every hand is set", state.play.set_own)


def _may_set(state: State, event: HandSet) -> None:
    """Players set their own tiles, except those who ask the dealer to (nz-1998 10.3(b))."""
    if event.box not in state.hands:
        refuse(f"no player's tiles lie on box {event.box!r}", state.play.deliver)
    if event.by == DEALER:
        _dealer_may_set(state, event.box)
    else:
        person(state, event.by)
        _decides(state, event.box, event.by)
        _not_set(state, event.box)
        _others_set_first(state, event.by)


def _dealer_may_set(state: State, box: int) -> None:
    play, stage = state.play, state.hands[box]
    rule = play.request or play.set_own
    if stage not in {HandStage.REQUESTED, HandStage.DEALT} or (stage is HandStage.DEALT and box in state.control):
        refuse(f"the hand of box {box} is not for the dealer to set", rule)
    if set_at_settlement(state):
        refuse(f"the dealer sets the hand of box {box} as he opens it, when it is settled", rule)
    if unset(state, by_players=True):
        refuse("the dealer sets it once the other players have set theirs", rule)


@rule(HandSet, ready=(delivered, bank_closed, _some_unset))
def _set(state: State, event: HandSet) -> State:
    _may_set(state, event)
    if event.by == DEALER:
        return laid(state, event.box, HandStage.SET_BY_DEALER)
    return laid(state.reached(Milestone.TILES_HANDLED), event.box, HandStage.SET)


# Conceding, and tiles that players show


def _may_be_conceded(state: State) -> None:
    if state.play.concede is None:
        refuse("every hand is compared, none is conceded", state.matched)
    delivered(state)


@rule(HandConceded, ready=(_may_be_conceded,))
def _conceded(state: State, event: HandConceded) -> State:
    play = state.play
    rule = play.concede or state.matched
    if event.box not in state.hands or event.player not in state.players_on(event.box):
        refuse(f"{event.player} has no wager on box {event.box}", rule)
    if len(state.players_on(event.box)) > 1:
        refuse(f"others wager on box {event.box} too", rule)
    if all(each.bet == BONUS or each.by_dice for each in state.wagers[event.box]):
        refuse(f"no Pai Gow wager lies on box {event.box} to be conceded", rule)
    if state.hands[event.box] not in CLOSED:
        refuse(f"the hand of box {event.box} is {state.hands[event.box].value}", rule)
    return conceded(_shown(state, event), event.box)


def _shown(state: State, event: HandConceded) -> State:
    """The tiles of a conceded hand are shown where a Bonus lies on them, and only there (ruling 41)."""
    if not event.tiles:
        return state
    if state.wager(event.box, event.player, BONUS) is None:
        refuse("the tiles of a conceded hand are not exposed", state.play.concede or state.matched)
    fits_the_set(state, event.box, event.tiles, 4)
    return state.replace(tiles={**state.tiles, event.box: event.tiles})


def _surrender_open(state: State) -> None:
    side, offered = state.setup.book.side_wagers, state.setup.table.terms.side.get(TIE)
    if side is None or offered is None or not offered.surrender:
        refuse("no Tie may be surrendered here", state.matched if side is None else side.tie.surrender)
    check_surrender(state.happened, side.tie)


def _own_tie(state: State, event: TieSurrendered) -> None:
    """Each player on a box chooses for himself (crown-6.1 13.5.3(a)(iv)); a void or conceded wager is gone."""
    lying, side = state.wager(event.box, event.player, TIE), state.setup.book.side_wagers
    rule = state.matched if side is None else side.tie.surrendered_by
    if lying is None or lying.void is not None:
        refuse(f"{event.player} has no Tie wager on box {event.box}", rule)
    if lying.surrendered or state.hands.get(event.box) not in CLOSED:
        refuse(f"{event.player}'s Tie wager on box {event.box} is surrendered or lost already", rule)


@rule(TieSurrendered, ready=(_surrender_open,))
def _surrendered(state: State, event: TieSurrendered) -> State:
    _own_tie(state, event)
    on_box = tuple(
        replace(each, surrendered=True) if (each.player, each.bet) == (event.player, TIE) else each
        for each in state.wagers[event.box]
    )
    return state.replace(wagers={**state.wagers, event.box: on_box})


def _alone_at_table(state: State) -> None:
    players = {wager.player for lying in state.wagers.values() for wager in lying}
    if state.play.alone is None:
        refuse("no tiles are shown before the bank's", state.bank_first)
    if state.method is not Bank.HOUSE or len(players) != 1:
        refuse("only a single player against the House lays his tiles open", state.play.alone)


@rule(TilesLaidOpen, ready=(delivered, _alone_at_table))
def _laid_open(state: State, event: TilesLaidOpen) -> State:
    if event.box not in state.hands:
        refuse(f"no player's tiles lie on box {event.box!r}", state.play.deliver)
    _decides(state, event.box, event.player)
    _others_set_first(state, event.player)
    if state.hands[event.box] not in CLOSED or event.box in state.tiles:
        refuse(f"the tiles of box {event.box} are open or out of play", state.play.alone or state.bank_first)
    fits_the_set(state, event.box, event.tiles, 4)
    after = state.reached(Milestone.TILES_HANDLED, tiles={**state.tiles, event.box: event.tiles})
    return laid(after, event.box, HandStage.HANDLED) if after.hands[event.box] is HandStage.DEALT else after

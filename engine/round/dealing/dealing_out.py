"""Rules of the delivery: tiles to every place, those of empty boxes taken back, the bank's before the float."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.round.amounts import settleable
from engine.round.before_deal.bets import closing, may_close
from engine.round.dealing.cutting import cutting_of
from engine.round.event_rules import bank_settled, delivered, refuse, rule, stacked, undelivered
from engine.round.events import BankMoved, EmptyRetrieved, TilesDelivered
from engine.round.playing.hand_stages import dealt, empty_places, retrieved
from engine.vocabulary.facts import Bank, Milestone

if TYPE_CHECKING:
    from engine.round.state.round_state import State


def _cut_and_thrown(state: State) -> None:
    """Tiles are delivered by the dice, the button and the cut (star-2024 8.4.6)."""
    if state.first_box is None:
        refuse("the dice decide the first box first", state.dice.counting)
    cutting = cutting_of(state)
    if cutting.value.needed and Milestone.CUT_NAMED not in state.happened:
        refuse("the cut is not decided", cutting)


def _dice_settled(state: State) -> None:
    side = state.setup.book.side_wagers
    if side is not None and state.bets_on_dice and state.dice_results is None:
        refuse("the wagers on Big and Small are settled before the tiles are dealt", side.big_small.settled)


def _wagers_complete(state: State) -> None:
    """Side wagers that came after the close have what they need beside them."""
    if state.closed and state.setup.table.terms.side:
        settleable(state)


_deal_ready = (_cut_and_thrown, _dice_settled, _wagers_complete, may_close(Milestone.TILES_DELIVERED))


@rule(TilesDelivered, ready=(bank_settled, stacked, undelivered, *_deal_ready))
def _dealt_out(state: State, event: TilesDelivered) -> State:
    order = () if state.first_box is None else tuple(state.setup.ring(state.first_box))
    if event.order != order:
        refuse(f"every place is dealt to, in the order {', '.join(map(str, order))}", state.play.deliver)
    return dealt(closing(state, Milestone.TILES_DELIVERED))


def _something_empty(state: State) -> None:
    if empty_places(state) == state.retrieved:
        refuse("no tiles of boxes without wagers lie there", state.play.retrieve or state.play.deliver)


@rule(EmptyRetrieved, ready=(delivered, _something_empty))
def _taken_back(state: State, event: EmptyRetrieved) -> State:
    empty = sorted(empty_places(state))
    if sorted(event.boxes) != empty:
        named = ", ".join(map(str, empty))
        refuse(f"taken back are the tiles of boxes without wagers: {named}", state.play.retrieve or state.play.deliver)
    return state.but(retrieved=frozenset(event.boxes))


def _move_due(state: State) -> None:
    cite = state.play.to_float.get(state.held.method)
    if cite is None:
        refuse("the bank's tiles are not moved", state.play.deliver)
    if state.bank_moved:
        refuse("the bank's tiles lie before the float", cite)
    if state.method is Bank.PLAYER and state.bank_set_by is None:
        refuse("the banker sets them first", cite)
    retrieved(state)


@rule(BankMoved, ready=(delivered, _move_due))
def _moved(state: State, _: BankMoved) -> State:
    return state.but(bank_moved=True)

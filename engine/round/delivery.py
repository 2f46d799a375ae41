"""Rules of the delivery: tiles to every place, those of empty boxes taken back, the bank's before the float."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.round.as_settled import unsettleable
from engine.round.bets import closing, may_close
from engine.round.cutting import cutting_of, stacked, undelivered
from engine.round.event_rule import bank_settled, going_on, refuse, rule
from engine.round.events import BankMoved, EmptyRetrieved, TilesDelivered
from engine.round.hands import dealt, delivered, empty_places, retrieved
from engine.vocabulary.facts import Bank, Milestone

if TYPE_CHECKING:
    from engine.round.event_rule import Refusal
    from engine.round.state import State


def _cut_and_thrown(state: State) -> Refusal | None:
    """Tiles are delivered by the dice, the button and the cut (star-2024 8.4.6)."""
    if state.first_box is None:
        return refuse("the dice decide the first box first", state.dice.counting)
    cutting = cutting_of(state)
    if cutting.value.needed and Milestone.CUT_NAMED not in state.happened:
        return refuse("the cut is not decided", cutting)
    return None


def _dice_settled(state: State) -> Refusal | None:
    side = state.setup.book.side_wagers
    dice = side is not None and any(lying.by_dice for on_box in state.wagers.values() for lying in on_box)
    if side is None or not dice or state.dice_results is not None:
        return None
    return refuse("the wagers on Big and Small are settled before the tiles are dealt", side.big_small.settled)


def _wagers_complete(state: State) -> Refusal | None:
    """Side wagers that came after the close have what they need beside them."""
    return unsettleable(state) if state.closed and state.setup.table.terms.side else None


def _round_from_first(state: State, event: TilesDelivered) -> Refusal | None:
    order = () if state.first_box is None else tuple(state.setup.ring(state.first_box))
    if event.order == order:
        return None
    return refuse(f"every place is dealt to, in the order {', '.join(map(str, order))}", state.play.deliver)


@rule(
    TilesDelivered,
    ready=(
        going_on,
        bank_settled,
        stacked,
        undelivered,
        _cut_and_thrown,
        _dice_settled,
        _wagers_complete,
        lambda state: may_close(state, Milestone.TILES_DELIVERED),
    ),
    fits=(_round_from_first,),
)
def _dealt_out(state: State, _: TilesDelivered) -> State:
    return dealt(closing(state, Milestone.TILES_DELIVERED))


def _something_empty(state: State) -> Refusal | None:
    if empty_places(state) == state.retrieved:
        return refuse("no tiles of boxes without wagers lie there", state.play.retrieve or state.play.deliver)
    return None


def _just_the_empty(state: State, event: EmptyRetrieved) -> Refusal | None:
    empty = empty_places(state)
    if sorted(event.boxes) == sorted(empty):
        return None
    named = ", ".join(map(str, sorted(empty)))
    return refuse(
        f"taken back are the tiles of boxes without wagers: {named}", state.play.retrieve or state.play.deliver
    )


@rule(EmptyRetrieved, ready=(going_on, delivered, _something_empty), fits=(_just_the_empty,))
def _taken_back(state: State, event: EmptyRetrieved) -> State:
    return state.but(retrieved=frozenset(event.boxes))


def _move_due(state: State) -> Refusal | None:
    cite = state.play.to_float.get(state.held.method)
    if cite is None:
        return refuse("the bank's tiles are not moved", state.play.deliver)
    if state.bank_moved:
        return refuse("the bank's tiles lie before the float", cite)
    if state.method is Bank.PLAYER and state.bank_set_by is None:
        return refuse("the banker sets them first", cite)
    return retrieved(state)


@rule(BankMoved, ready=(going_on, delivered, _move_due))
def _moved(state: State, _: BankMoved) -> State:
    return state.but(bank_moved=True)

"""Rules of the dice and the delivery: tiles to every place, those of empty boxes back, the bank's to the float."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.game.box_order import BOXES
from engine.round.amounts import settleable
from engine.round.before_deal.bets import closing, may_close
from engine.round.dealing.shuffle_and_cut import cutting_of
from engine.round.event import DEALER
from engine.round.event_rules import bank_settled, delivered, has, person, refuse, rule, stacked, undelivered
from engine.round.events import BankMoved, DiceShaken, DiceShown, EmptyRetrieved, TilesDelivered
from engine.round.playing.hand_stages import dealt, empty_places, retrieved
from engine.round.state.house_table import is_whole
from engine.settlement.wagers import BIG_SMALL
from engine.vocabulary.dice import PIPS, Cup, Role, Thrown
from engine.vocabulary.facts import Bank, Milestone
from engine.vocabulary.play import Shaker

if TYPE_CHECKING:
    from engine.round.state.round_state import State


def _no_throw(state: State) -> None:
    if state.first_box is not None:
        refuse("the dice are thrown", state.dice.counting)


def _shake_due(state: State) -> None:
    after = state.play.shake_after.get(state.held.method)
    if after is not None:
        has(state, after.value, after)


def _may_shake(state: State, event: DiceShaken) -> None:
    shakers = state.play.shakers[state.held.method]
    if event.by == DEALER:
        if Shaker.DEALER not in shakers.value:
            refuse("the banker shakes the cup", shakers)
        return
    person(state, event.by)
    if _later_bank(state):
        _stands_in(state, event)
    else:
        _banker_shakes(state, event)


def _banker_shakes(state: State, event: DiceShaken) -> None:
    shakers = state.play.shakers[state.held.method]
    if event.by not in state.held.players or Shaker.BANKER not in shakers.value:
        refuse(f"{event.by} does not shake the cup", shakers)
    if state.play.dealer_first is not None and DEALER not in state.shaken_by:
        refuse("the dealer shakes it first", state.play.dealer_first)


def _stands_in(state: State, event: DiceShaken) -> None:
    nominee = state.banking.nominee
    if nominee is not None and event.by in state.held.players:
        refuse("in a further bank the banker names somebody else to shake the cup", nominee)


def _later_bank(state: State) -> bool:
    """Whether this is a banker's second or third bank in a row, in which someone else shakes the dice for him."""
    tenure = state.before.tenure
    if state.banking.nominee is None or tenure is None or state.released or state.bank is None:
        return False
    return tenure.banks > 0 and state.bank.offered_at == tenure.box and bool(state.bank.players)


@rule(DiceShaken, ready=(bank_settled, stacked, _no_throw, _shake_due))
def _shaken(state: State, event: DiceShaken) -> State:
    _may_shake(state, event)
    return state.replace(shaken_by=(*state.shaken_by, event.by))


def _tumbled(state: State) -> None:
    if not state.shaken_by:
        cocked = Milestone.DICE_SHOWN in state.happened
        refuse("a die was cocked: the cup is shaken again" if cocked else "the cup is shaken first", state.dice.leaning)


def _cut_first(state: State) -> None:
    cutting = cutting_of(state)
    if cutting.value.after_dice is False and Milestone.CUT_NAMED not in state.happened:
        refuse("the cut is decided before the dice are exposed", cutting)


def _dice_read(state: State, event: DiceShown) -> None:
    dice, cup = state.dice, _cup(event)
    faces = [face for role in Role for face in cup.of(role)]
    if not all(is_whole(face) and face in PIPS for face in faces):
        refuse(f"a die shows 1 to 6, not {', '.join(map(repr, faces))}", dice.faces)
    if event.cocked:
        if event.first_box is not None:
            refuse("a cocked throw has no first box", dice.leaning)
        return
    in_cup = {each.role: each for each in dice.cup}
    for role in Role:
        number, cite = (in_cup[role].number, in_cup[role].cite) if role in in_cup else (0, dice.cup[0].cite)
        if role in in_cup and in_cup[role].where_offered and BIG_SMALL not in state.setup.table.terms.side:
            number = 0
        if len(cup.of(role)) != number:
            refuse(f"{len(cup.of(role))} {role} dice were read, not {number}", cite)


def _cup(event: DiceShown) -> Cup:
    return Cup(event.box_dice, event.cut_die, event.big_small_die)


def check_first_box(state: State, event: DiceShown) -> None:
    """The first box is the one given by the throw (crown-6.1 4.1), counted from the chung and adjusted by the button.

    A total that the book counts in two ways gives two (uk-poster, rulings 25 and 48).

    Every book counts eight places. For a house with fewer (Crown), the book does not say how to count, so any result is
    accepted; with the single die of Crown Pai Gow the count goes round the existing boxes.
    """
    if event.cocked:
        return
    dice, places = state.dice, state.setup.places
    if not (is_whole(event.first_box) and event.first_box in range(1, places + 1)):
        refuse(f"{event.first_box!r} is no place: they are 1 to {places}", dice.counting)
    bank, button = state.held, state.button or 0
    thrown = dice.read(_cup(event), bank.method, bank.box, button, state.setup.order)
    if not isinstance(thrown, Thrown) or event.first_box in thrown.first_boxes:
        return
    if places < BOXES and dice.fewer is not None:
        return
    total = f"{thrown.total} {button:+d}" if button else str(thrown.total)
    refuse(
        f"{total}, counted from the chung on box {bank.box}, is box {thrown.first_box}, not {event.first_box}",
        dice.counting,
    )


@rule(DiceShown, ready=(bank_settled, stacked, _no_throw, _tumbled, _cut_first, may_close(Milestone.DICE_SHOWN)))
def _dice_shown(state: State, event: DiceShown) -> State:
    _dice_read(state, event)
    check_first_box(state, event)
    return closing(
        state, Milestone.DICE_SHOWN, shaken_by=(), first_box=event.first_box, cup=None if event.cocked else _cup(event)
    )


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
    """Side wagers placed after the close have the main wagers they require."""
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
    empty = sorted(empty_places(state) - state.retrieved)
    if sorted(event.boxes) != empty:
        named = ", ".join(map(str, empty))
        refuse(f"taken back are the tiles of boxes without wagers: {named}", state.play.retrieve or state.play.deliver)
    return state.replace(retrieved=state.retrieved.union(event.boxes))


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
    return state.replace(bank_moved=True)

"""Rules of the bank's hand before it is exposed: two tiles seen, set, confirmed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.round.conditions import bank_closed, delivered, hands_set, has
from engine.round.event_rules import refuse, rule
from engine.round.events import DEALER, BankConfirmed, BankPeeked, BankSet
from engine.round.playing.hand_stages import fits_the_set, retrieved
from engine.vocabulary.facts import Bank, Milestone

if TYPE_CHECKING:
    from engine.round.state.round_state import State


def _may_peek(state: State) -> None:
    peek = state.play.peek
    if peek is None:
        refuse("no tiles are shown before all hands are set", state.play.bank_first)
    if state.method is not Bank.CO_BANK:
        refuse("only a co-banker may see two of the bank's tiles", peek)
    if state.bank_set_by is not None or state.tiles:
        refuse("the bank's hand is set, or two of its tiles were seen", peek)
    # No tiles are exposed before all hands are set, these two neither; only 10.14 is excepted (nz-1998 10.10).
    has(state, Milestone.HANDS_SET, state.play.bank_first)


@rule(BankPeeked, ready=(delivered, _may_peek))
def _peeked(state: State, event: BankPeeked) -> State:
    fits_the_set(state, state.held.box, event.tiles, 2)
    return state.but(tiles={**state.tiles, state.held.box: event.tiles})


def moved(state: State) -> None:
    """The bank's tiles lie before the float."""
    cite = state.play.to_float.get(state.held.method)
    if cite is not None and not state.bank_moved:
        refuse("the bank's tiles are brought before the float first", cite)


def _bank_unset(state: State) -> None:
    cite = state.play.opened_as_set.get(state.held.method)
    if cite is not None:
        refuse("the dealer opens the bank's tiles and sets them in one", cite)
    if state.bank_set_by is not None:
        refuse("the bank's hand is set", state.play.bank_last[state.held.method])
    if state.method is not Bank.PLAYER:
        moved(state)


def _sets_the_bank(state: State, event: BankSet) -> None:
    """A player-banker sets his own hand, the dealer the House's and a co-bank's (nz-1998 10.4(b)).

    Players who share the bank decide together, so any of them may lay it (crown-6.1 10.2.6; nz-1998 7.3;
    star-classic 12.8).
    """
    bank = state.held
    rule = state.play.bank_last[bank.method]
    if bank.method is not Bank.PLAYER:
        if event.by != DEALER:
            refuse("the dealer sets the bank's hand, the House Way", rule)
    elif event.by == DEALER:
        if not state.bank_requested:
            refuse("the banker has not asked the dealer to set his hand", rule)
    elif event.by not in bank.players:
        refuse(f"{event.by} does not hold the bank", rule)


@rule(BankSet, ready=(delivered, bank_closed, retrieved, hands_set, _bank_unset))
def _bank_set(state: State, event: BankSet) -> State:
    _sets_the_bank(state, event)
    return state.but(bank_set_by=event.by)


def to_be_confirmed(state: State) -> bool:
    """Whether a banker has still to confirm the hand that the dealer set for him."""
    if state.play.confirm_own is None or state.method is not Bank.PLAYER:
        return False
    return state.bank_set_by == DEALER and not state.confirmed


def _confirmation_due(state: State) -> None:
    if not to_be_confirmed(state):
        refuse("no hand awaits the banker's confirmation", state.play.confirm_own or state.play.set_own)


@rule(BankConfirmed, ready=(delivered, _confirmation_due))
def _confirmed(state: State, event: BankConfirmed) -> State:
    if event.by not in state.held.players:
        refuse(f"{event.by} does not hold the bank", state.play.confirm_own or state.play.set_own)
    return state.but(confirmed=True)

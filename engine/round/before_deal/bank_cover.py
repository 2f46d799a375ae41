"""Rules of what the bank covers: the banker's own wager, and the dealer's bet against a player-banker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.round.event_rules import bank_settled, chips, house_box_free, refuse, rule
from engine.round.events import HOUSE, BankFellBack, BankWagered, HouseWagered
from engine.round.state.round_state import Holding, Lying
from engine.vocabulary.facts import Bank, Milestone

if TYPE_CHECKING:
    from engine.round.state.round_state import State


def _covers(state: State, total: int) -> bool:
    bank = state.bank
    if bank is None or bank.method is Bank.HOUSE:
        return True
    return state.bank_wager > 0 and state.bank_wager >= state.banking.cover[bank.method].value * total


def covered(state: State, total: int | None = None) -> None:
    """The banker's own wager covers his part of this much; of the players' wagers if it is left out."""
    total = state.total if total is None else total
    if not _covers(state, total):
        cover = state.banking.cover[state.held.method]
        part = "all" if cover.value == 1 else f"{cover.value} of"
        refuse(f"the banker's wager of {state.bank_wager} does not cover {part} the wagers, {total} together", cover)


def _player_banks(state: State) -> None:
    if state.method is Bank.HOUSE:
        refuse("the House holds the bank", state.banking.methods)
    bank_settled(state)


def _banker_may_wager(state: State) -> None:
    consent = state.play.consent
    delivered = Milestone.TILES_DELIVERED in state.happened
    if state.closed and (consent is None or consent.value is not state.method or delivered):
        refuse("betting has closed", state.play.no_change)


@rule(BankWagered, ready=(_player_banks, _banker_may_wager))
def _bank_wagered(state: State, event: BankWagered) -> State:
    chips(state, event.amount)
    bank = state.held
    least = state.setup.table.bank_minimum
    if event.amount > bank.funds:
        refuse(f"{event.amount} is more than the funds of {bank.funds} that were ascertained", state.banking.funds)
    if event.amount < least:
        refuse(f"{event.amount} is less than a banker's least, {least}", state.banking.funds)
    if state.closed and event.amount < state.bank_wager:
        refuse("after the close the banker's wager is only raised", state.play.no_change)
    return state.but(bank_wager=event.amount)


def _not_closed(state: State) -> None:
    if state.closed:
        refuse("betting has closed", state.play.no_change)


def _short(state: State) -> None:
    if _covers(state, state.total):
        refuse("the banker covers the wagers and keeps the bank", state.banking.fall_back)


@rule(BankFellBack, ready=(_player_banks, _not_closed, _short))
def _fell_back(state: State, event: BankFellBack) -> State:
    banking = state.banking
    ways = banking.fall_back.value if state.method is Bank.PLAYER else frozenset({Bank.HOUSE})
    if event.method not in ways & state.setup.methods:
        refuse(f"the round is not banked by {event.method.value} instead", banking.fall_back)
    if event.method is Bank.HOUSE:
        house_box_free(state)
    bank = state.held
    if event.method is Bank.HOUSE:
        house = Holding(Bank.HOUSE, state.banking.house_box.value, offered_at=bank.offered_at)
        return state.but(bank=house, bank_wager=0, button=None)  # only a player in the bank adjusts the delivery
    return state.but(bank=Holding(event.method, bank.box, bank.players, bank.funds, bank.offered_at))


# The dealer's bet against a player-banker


def _dealer_may_bet(state: State) -> None:
    banking = state.banking
    if banking.dealer_bet is None:
        refuse("only players wager against the bank", banking.against)
    if state.method is not Bank.PLAYER:
        refuse("the dealer bets only against a player-banker", banking.dealer_bet)
    _not_closed(state)
    if banking.house_box.value in state.wagers:
        refuse("the dealer has bet", banking.dealer_bet)


def within_total(state: State, total: int) -> None:
    """With the dealer's bet on the table, all wagers keep to its limit unless management allows more."""
    bet, most = state.banking.dealer_bet, state.setup.table.terms.maximum
    if bet is not None and most is not None and not state.authorised and total > bet.value * most:
        refuse(f"{total} in all is more than {bet.value} times the house maximum of {most}", bet)


@rule(HouseWagered, ready=(_dealer_may_bet,))
def _house_wagered(state: State, event: HouseWagered) -> State:
    chips(state, event.amount)
    bet, most = state.banking.dealer_bet, state.setup.table.terms.maximum
    if bet is not None and most is not None and event.amount > most:
        refuse(f"the dealer's bet of {event.amount} is over the house maximum of {most}", bet)
    titles = {title for titles in state.play.ranks for title in titles}
    if event.authorised_by not in titles:
        within_total(state, state.total + event.amount)
    house = state.banking.house_box.value
    lying = Lying(HOUSE, event.amount, state.placings)
    return state.but(
        wagers={**state.wagers, house: (lying,)},
        placings=state.placings + 1,
        authorised=event.authorised_by is not None,
    )

"""Rules of the bank: offered, declined, accepted, covered."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from engine.round.event_rule import bank_settled, box_of_table, chips, going_on, leave, person, refuse, rule
from engine.round.events import (
    HOUSE,
    BankAccepted,
    BankDeclined,
    BankFellBack,
    BankOffered,
    BankWagered,
    HouseBanks,
    HouseWagered,
)
from engine.round.offers import going_on_with, next_offer, others_on_box, players_may_bank
from engine.round.state import Holding, Lying
from engine.vocabulary.facts import Bank, Milestone

if TYPE_CHECKING:
    from engine.round.event_rule import Refusal
    from engine.round.state import State


def _unheld(state: State) -> Refusal | None:
    if state.bank is None:
        return None
    who = " and ".join(state.bank.players) or "the House"
    return refuse(f"{who} holds the bank of this round already: there is one bank", state.banking.methods)


def _for_players(state: State) -> Refusal | None:
    if state.setup.methods == {Bank.HOUSE}:
        return refuse("at this table the House holds the bank in every round", state.banking.methods)
    if state.banking.house_first is not None and state.commencement:
        return refuse("play begins with a round that the House banks", state.banking.house_first)
    return None


def _no_open_offer(state: State) -> Refusal | None:
    if not state.open_offer:
        return None
    box, player = state.offers[-1]
    return refuse(f"the bank is offered to {player} at box {box}, who has not answered", state.banking.controller)


def _none_going_on(state: State) -> Refusal | None:
    tenure = going_on_with(state)
    if tenure is None:
        return None
    return refuse(
        f"{tenure.player} at box {tenure.box} may go on with the bank and has not declined", state.banking.rounds
    )


def _somebody_left(state: State) -> Refusal | None:
    if next_offer(state) is None and not others_on_box(state):
        return refuse("there is no player left whom the bank may be offered to", state.banking.no_takers)
    return None


def _in_rotation(state: State, event: BankOffered) -> Refusal | None:
    banking, offer = state.banking, (event.box, event.player)
    due = next_offer(state)
    if offer == due or offer in others_on_box(state):
        return None
    if due is None:
        box, player = others_on_box(state)[0]
        return refuse(f"only {player} at box {box} may still be offered the bank", banking.others or banking.controller)
    if event.box != due[0]:
        return refuse(f"the offer goes counter-clockwise: box {due[0]} ({due[1]}) is next", banking.first_offer)
    if banking.played is not None and not state.commencement and event.player not in state.before.played:
        return refuse(f"{event.player} did not play the round before", banking.played)
    return refuse(f"the bank is offered to whoever controls box {due[0]}: {due[1]}", banking.controller)


@rule(
    BankOffered,
    ready=(going_on, _unheld, _for_players, _no_open_offer, _none_going_on, _somebody_left),
    fits=(_in_rotation,),
)
def _offered(state: State, event: BankOffered) -> State:
    return state.but(offers=(*state.offers, (event.box, event.player)), open_offer=True)


def _asked(state: State) -> tuple[int, str] | None:
    """Box and player who may say now whether they take the bank."""
    if state.open_offer:
        return state.offers[-1]
    tenure = going_on_with(state)
    return None if tenure is None else (tenure.box, tenure.player)


def _somebody_asked(state: State) -> Refusal | None:
    if _asked(state) is None:
        return refuse("the bank is not offered to anybody", state.banking.controller)
    return None


def _is_asked(state: State, event: BankDeclined) -> Refusal | None:
    asked = _asked(state)
    if asked == (event.box, event.player):
        return None
    return refuse(f"the bank is offered to {asked and asked[1]} at box {asked and asked[0]}", state.banking.controller)


@rule(BankDeclined, ready=(going_on, _unheld, _somebody_asked), fits=(_is_asked,))
def _declined(state: State, _: BankDeclined) -> State:
    return state.but(open_offer=False) if state.open_offer else state.but(released=True)


def _is_taker(state: State, event: BankAccepted) -> Refusal | None:
    """The bank is taken at the box of the offer, the one last played (star-2024 6.3), and no other (star-2024 6.4)."""
    players = event.players
    if not players or len(set(players)) != len(players):
        return refuse("name each player who takes the bank once", state.banking.controller)
    asked = _asked(state)
    if asked != (event.box, players[0]):
        whom = f"{asked[1]} at box {asked[0]}" if asked else "nobody"
        return refuse(
            f"the bank is offered to {whom}, not to {players[0]} at box {event.box}", state.banking.controller
        )
    return None


def _may_share(state: State, event: BankAccepted) -> Refusal | None:
    if len(event.players) == 1:
        return None
    shared = state.banking.shared
    if shared is None or not state.setup.table.shared:
        return refuse("two bankers: at this table one player holds the bank", shared or state.banking.controller)
    for player in event.players[1:]:
        refusal = person(state, player)
        if refusal is not None:
            return refusal
        played = event.box in state.before.played.get(player, ()) and player not in state.gone
        if not state.commencement and not played:
            return refuse(f"{player} did not play on box {event.box} in the round before", shared)
    return None


def _method_held(state: State, event: BankAccepted) -> Refusal | None:
    if event.method not in state.setup.methods - {Bank.HOUSE}:
        return refuse(f"a player cannot take the bank as {event.method.value} here", state.banking.methods)
    if event.method is Bank.CO_BANK:
        return leave(state, event.approved_by, state.banking.co_bank_leave)
    return None


def _enough_funds(state: State, event: BankAccepted) -> Refusal | None:
    """The funds reach what this way of banking takes (crown-6.1 8.6)."""
    refusal = chips(state, event.funds)
    if refusal is not None:
        return refusal
    share = state.total * state.banking.cover[event.method].value
    least = max(state.setup.table.bank_minimum, ceil(share))
    if event.funds < least:
        return refuse(f"funds of {event.funds} do not reach the {least} that this bank takes", state.banking.funds)
    return None


def _box_free(state: State, event: BankAccepted) -> Refusal | None:
    if event.box in state.wagers:
        return refuse(
            f"wagers lie on box {event.box}; only the banker's is allowed there: withdraw them first",
            state.banking.banker_box,
        )
    for player in event.players:
        side = state.setup.book.side_wagers
        bets = [each.bet for lying in state.wagers.values() for each in lying if each.player == player]
        if any(side is None or bet not in side.banker or not side.banker[bet].value for bet in bets):
            return refuse(f"{player} has a wager against the bank he is to hold", state.banking.against)
    return None


@rule(
    BankAccepted,
    ready=(going_on, _unheld, _for_players, _somebody_asked),
    fits=(
        lambda state, event: box_of_table(state, event.box),
        _is_taker,
        _may_share,
        _method_held,
        _enough_funds,
        _box_free,
    ),
)
def _accepted(state: State, event: BankAccepted) -> State:
    return state.but(bank=Holding(event.method, event.box, event.players, event.funds, event.box), open_offer=False)


def _all_declined(state: State) -> Refusal | None:
    due = next_offer(state) if players_may_bank(state) else None
    if due is None:
        return None
    return refuse(f"the bank is offered to {due[1]} at box {due[0]} first", state.banking.no_takers)


def _house_box_free(state: State) -> Refusal | None:
    house = state.banking.house_box
    if house.value in state.wagers:
        return refuse(f"wagers lie on box {house.value}, where the House's tiles go: withdraw them first", house)
    return None


@rule(HouseBanks, ready=(going_on, _unheld, _no_open_offer, _none_going_on, _all_declined, _house_box_free))
def _house_banks(state: State, _: HouseBanks) -> State:
    return state.but(bank=Holding(Bank.HOUSE, state.banking.house_box.value))


# What the bank covers


def short_of(state: State, total: int) -> Refusal | None:
    """The banker's own wager covers his part of this much."""
    bank = state.bank
    if bank is None or bank.method is Bank.HOUSE:
        return None
    cover = state.banking.cover[bank.method]
    if state.bank_wager and state.bank_wager >= cover.value * total:
        return None
    part = "all" if cover.value == 1 else f"{cover.value} of"
    return refuse(f"the banker's wager of {state.bank_wager} does not cover {part} the wagers, {total} together", cover)


def covered(state: State) -> Refusal | None:
    """The banker's own wager covers his part of the players'."""
    return short_of(state, state.total)


def _player_banks(state: State) -> Refusal | None:
    if state.method is Bank.HOUSE:
        return refuse("the House holds the bank", state.banking.methods)
    return bank_settled(state)


def _banker_may_wager(state: State) -> Refusal | None:
    consent = state.play.consent
    if not state.closed or (consent is not None and consent.value is state.method and not _delivered(state)):
        return None
    return refuse("betting has closed", state.play.no_change)


def _delivered(state: State) -> bool:
    return Milestone.TILES_DELIVERED in state.happened


def _within_funds(state: State, event: BankWagered) -> Refusal | None:
    bank = state.held
    least = state.setup.table.bank_minimum
    if event.amount > bank.funds:
        return refuse(
            f"{event.amount} is more than the funds of {bank.funds} that were ascertained", state.banking.funds
        )
    if event.amount < least:
        return refuse(f"{event.amount} is less than a banker's least, {least}", state.banking.funds)
    if state.closed and event.amount < state.bank_wager:
        return refuse("after the close the banker's wager is only raised", state.play.no_change)
    return None


@rule(
    BankWagered,
    ready=(going_on, _player_banks, _banker_may_wager),
    fits=(lambda state, event: chips(state, event.amount), _within_funds),
)
def _bank_wagered(state: State, event: BankWagered) -> State:
    return state.but(bank_wager=event.amount)


def _open_and_short(state: State) -> Refusal | None:
    if state.closed:
        return refuse("betting has closed", state.play.no_change)
    if covered(state) is None:
        return refuse("the banker covers the wagers and keeps the bank", state.banking.fall_back)
    return None


def _way_out(state: State, event: BankFellBack) -> Refusal | None:
    banking = state.banking
    ways = banking.fall_back.value if state.method is Bank.PLAYER else frozenset({Bank.HOUSE})
    if event.method not in ways & state.setup.methods:
        return refuse(f"the round is not banked by {event.method.value} instead", banking.fall_back)
    return _house_box_free(state) if event.method is Bank.HOUSE else None


@rule(BankFellBack, ready=(going_on, _player_banks, _open_and_short), fits=(_way_out,))
def _fell_back(state: State, event: BankFellBack) -> State:
    bank = state.held
    if event.method is Bank.HOUSE:
        house = Holding(Bank.HOUSE, state.banking.house_box.value, offered_at=bank.offered_at)
        return state.but(bank=house, bank_wager=0, button=None)  # only a player in the bank adjusts the delivery
    return state.but(bank=Holding(event.method, bank.box, bank.players, bank.funds, bank.offered_at))


# The dealer's bet against a player-banker


def _dealer_may_bet(state: State) -> Refusal | None:
    banking = state.banking
    if banking.dealer_bet is None:
        return refuse("only players wager against the bank", banking.against)
    if state.method is not Bank.PLAYER:
        return refuse("the dealer bets only against a player-banker", banking.dealer_bet)
    if state.closed:
        return refuse("betting has closed", state.play.no_change)
    if banking.house_box.value in state.wagers:
        return refuse("the dealer has bet", banking.dealer_bet)
    return None


def over_in_all(state: State, total: int) -> Refusal | None:
    """With the dealer's bet on the table, all wagers keep to its limit unless management allows more."""
    bet, most = state.banking.dealer_bet, state.setup.table.terms.maximum
    if bet is None or most is None or state.authorised or total <= bet.value * most:
        return None
    return refuse(f"{total} in all is more than {bet.value} times the house maximum of {most}", bet)


def _within_house_maximum(state: State, event: HouseWagered) -> Refusal | None:
    bet, most = state.banking.dealer_bet, state.setup.table.terms.maximum
    if bet is not None and most is not None and event.amount > most:
        return refuse(f"the dealer's bet of {event.amount} is over the house maximum of {most}", bet)
    titles = {title for titles in state.play.ranks for title in titles}
    if event.authorised_by in titles:
        return None
    return over_in_all(state, state.total + event.amount)


@rule(
    HouseWagered,
    ready=(going_on, _dealer_may_bet),
    fits=(lambda state, event: chips(state, event.amount), _within_house_maximum),
)
def _house_wagered(state: State, event: HouseWagered) -> State:
    house = state.banking.house_box.value
    lying = Lying(HOUSE, event.amount, state.placings)
    return state.but(
        wagers={**state.wagers, house: (lying,)},
        placings=state.placings + 1,
        authorised=event.authorised_by is not None,
    )

"""Rules of the bank: the next offer (ruling 31), offered, declined, accepted, and cover.

The banker's own wager is the cover; the dealer may bet against a player-banker.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from engine.round.event import HOUSE
from engine.round.event_rules import bank_settled, box_of_table, chips, house_box_free, leave, person, refuse, rule
from engine.round.events import (
    BankAccepted,
    BankDeclined,
    BankFellBack,
    BankOffered,
    BankWagered,
    HouseBanks,
    HouseWagered,
)
from engine.round.state.round_state import Holding, Lying
from engine.vocabulary.facts import Bank, Milestone
from engine.vocabulary.remedy import as_title

if TYPE_CHECKING:
    from engine.round.state.house_table import Tenure
    from engine.round.state.round_state import State


Offer = tuple[int, str]
"""A box and its player."""


def players_may_bank(state: State) -> bool:
    """Whether players may hold the bank at this table, in this round."""
    if state.setup.methods == {Bank.HOUSE}:
        return False
    return not (state.commencement and state.banking.house_first)


def going_on_with(state: State) -> Tenure | None:
    """The bank that its holder may continue."""
    tenure = state.before.tenure
    if tenure is None or state.released or tenure.player in state.absent or not players_may_bank(state):
        return None
    return tenure


def candidate(state: State, box: int) -> str | None:
    """The player at a box to whom the bank may be offered, if any; nobody banks at a box out of play."""
    before = state.before
    if box in state.out:
        return None
    if state.commencement:
        player = state.seats.get(box)
        return None if player in state.absent else player
    player = before.control.get(box)
    if state.banking.played is None:
        player = state.seats.get(box, player)
    if player is None or player in state.absent:
        return None
    gave_it_up = before.tenure is not None and (box, player) == (before.tenure.box, before.tenure.player)
    order = state.setup.order
    still_round = order.at(box) >= order.at(before.offer_from)
    had_it = state.banking.once is not None and still_round and player in before.rotation
    return None if gave_it_up or had_it else player


def next_offer(state: State) -> Offer | None:
    """The next box and player to be offered the bank; None once it has gone round."""
    ring = state.setup.ring(_start(state))
    passed = ring.index(state.offers[-1][0]) + 1 if state.offers else 0
    for box in ring[passed:]:
        player = candidate(state, box)
        if player is not None:
            return box, player
    return None


def others_on_box(state: State) -> list[Offer]:
    """Other players on the box that just declined to whom the bank may be offered, if the book allows it."""
    if state.banking.others is None or not state.offers or state.commencement:
        return []
    box = state.offers[-1][0]
    return [
        (box, player)
        for player, boxes in state.before.played.items()
        if box in boxes
        and player not in state.absent
        and (box, player) not in state.offers
        and player not in state.before.control.values()
        and (state.banking.furthest is None or box == _furthest(state, boxes))
    ]


def _furthest(state: State, boxes: frozenset[int]) -> int:
    """The player's box furthest from the chung, counter-clockwise."""
    chung = state.before.chung or state.banking.house_box.value
    return state.setup.in_turn(boxes, chung)[-1]


def _start(state: State) -> int:
    before = state.before
    if state.commencement:
        return state.banking.first_offer.value
    if before.tenure is not None:
        return state.setup.after(before.tenure.box)
    return before.offer_from


def _unheld(state: State) -> None:
    if state.bank is not None:
        who = " and ".join(state.bank.players) or "the House"
        refuse(f"{who} holds the bank of this round already: there is one bank", state.banking.methods)


def _for_players(state: State) -> None:
    if state.setup.methods == {Bank.HOUSE}:
        refuse("at this table the House holds the bank in every round", state.banking.methods)
    if state.banking.house_first is not None and state.commencement:
        refuse("play begins with a round that the House banks", state.banking.house_first)


def _no_open_offer(state: State) -> None:
    if state.open_offer:
        box, player = state.offers[-1]
        refuse(f"the bank is offered to {player} at box {box}, who has not answered", state.banking.controller)


def _none_going_on(state: State) -> None:
    tenure = going_on_with(state)
    if tenure is not None:
        who = f"{tenure.player} at box {tenure.box}"
        refuse(f"{who} may go on with the bank and has not declined", state.banking.rounds)


def _somebody_left(state: State) -> None:
    if next_offer(state) is None and not others_on_box(state):
        refuse("there is no player left whom the bank may be offered to", state.banking.no_takers)


def _in_rotation(state: State, event: BankOffered) -> None:
    banking, offer = state.banking, (event.box, event.player)
    due = next_offer(state)
    if offer == due or offer in others_on_box(state):
        return
    if due is None:
        box, player = others_on_box(state)[0]
        refuse(f"only {player} at box {box} may still be offered the bank", banking.others or banking.controller)
    if event.box != due[0]:
        refuse(f"the offer goes counter-clockwise: box {due[0]} ({due[1]}) is next", banking.first_offer)
    if banking.played is not None and not state.commencement and event.player not in state.before.played:
        refuse(f"{event.player} did not play the round before", banking.played)
    refuse(f"the bank is offered to whoever controls box {due[0]}: {due[1]}", banking.controller)


@rule(BankOffered, ready=(_unheld, _for_players, _no_open_offer, _none_going_on, _somebody_left))
def _offered(state: State, event: BankOffered) -> State:
    _in_rotation(state, event)
    return state.replace(offers=(*state.offers, (event.box, event.player)), open_offer=True)


def _offered_to(state: State) -> Offer | None:
    """The box and player to whom the bank is offered, or that may continue it."""
    if state.open_offer:
        return state.offers[-1]
    tenure = going_on_with(state)
    return None if tenure is None else (tenure.box, tenure.player)


def _is_on_offer(state: State) -> None:
    if _offered_to(state) is None:
        refuse("the bank is not offered to anybody", state.banking.controller)


@rule(BankDeclined, ready=(_unheld, _is_on_offer))
def _declined(state: State, event: BankDeclined) -> State:
    offer = _offered_to(state)
    if offer != (event.box, event.player):
        refuse(f"the bank is offered to {offer and offer[1]} at box {offer and offer[0]}", state.banking.controller)
    return state.replace(open_offer=False) if state.open_offer else state.replace(released=True)


def _is_taker(state: State, event: BankAccepted) -> None:
    """The bank is taken at the box of the offer, the one last played (star-2024 6.3), and no other (star-2024 6.4)."""
    players = event.players
    if not players or len(set(players)) != len(players):
        refuse("name each player who takes the bank once", state.banking.controller)
    offer = _offered_to(state)
    if offer != (event.box, players[0]):
        whom = f"{offer[1]} at box {offer[0]}" if offer else "nobody"
        refuse(f"the bank is offered to {whom}, not to {players[0]} at box {event.box}", state.banking.controller)


def _may_share(state: State, event: BankAccepted) -> None:
    if len(event.players) == 1:
        return
    shared = state.banking.shared
    if shared is None or not state.setup.table.shared:
        refuse("two bankers: at this table one player holds the bank", shared or state.banking.controller)
    for player in event.players[1:]:
        person(state, player)
        played = event.box in state.before.played.get(player, ()) and player not in state.absent
        if not state.commencement and not played:
            refuse(f"{player} did not play on box {event.box} in the round before", shared)


def _enough_funds(state: State, event: BankAccepted) -> None:
    """The funds reach what this way of banking takes (crown-6.1 8.6)."""
    chips(state, event.funds)
    share = state.total * state.banking.cover[event.method].value
    least = max(state.setup.table.bank_minimum, ceil(share))
    if event.funds < least:
        refuse(f"funds of {event.funds} do not reach the {least} that this bank takes", state.banking.funds)


@rule(BankAccepted, ready=(_unheld, _for_players, _is_on_offer))
def _accepted(state: State, event: BankAccepted) -> State:
    box_of_table(state, event.box)
    _is_taker(state, event)
    _may_share(state, event)
    if event.method not in state.setup.methods - {Bank.HOUSE}:
        refuse(f"a player cannot take the bank as {event.method.value} here", state.banking.methods)
    if event.method is Bank.CO_BANK:
        leave(state, event.approved_by, state.banking.co_bank_leave)
    _enough_funds(state, event)
    if event.box in state.wagers:
        refuse(
            f"wagers lie on box {event.box}; only the banker's is allowed there: withdraw them first",
            state.banking.banker_box,
        )
    for player in event.players:
        side = state.setup.book.side_wagers
        bets = [each.bet for lying in state.wagers.values() for each in lying if each.player == player]
        if any(side is None or bet not in side.banker or not side.banker[bet].value for bet in bets):
            refuse(f"{player} has a wager against the bank he is to hold", state.banking.against)
    return state.replace(bank=Holding(event.method, event.box, event.players, event.funds, event.box), open_offer=False)


def _all_declined(state: State) -> None:
    due = next_offer(state) if players_may_bank(state) else None
    if due is not None:
        refuse(f"the bank is offered to {due[1]} at box {due[0]} first", state.banking.no_takers)


@rule(HouseBanks, ready=(_unheld, _no_open_offer, _none_going_on, _all_declined, house_box_free))
def _house_banks(state: State, _: HouseBanks) -> State:
    return state.replace(bank=Holding(Bank.HOUSE, state.banking.house_box.value))


def covers(state: State, total: int) -> bool:
    """Whether the banker's own wager covers his share of this total."""
    bank = state.bank
    if bank is None or bank.method is Bank.HOUSE:
        return True
    return state.bank_wager > 0 and state.bank_wager >= state.banking.cover[bank.method].value * total


def covered(state: State, total: int | None = None) -> None:
    """Require that the banker's wager covers his share of ``total`` (default: the players' wagers)."""
    total = state.total if total is None else total
    if not covers(state, total):
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
    return state.replace(bank_wager=event.amount)


def _not_closed(state: State) -> None:
    if state.closed:
        refuse("betting has closed", state.play.no_change)


def _short(state: State) -> None:
    if covers(state, state.total):
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
        return state.replace(bank=house, bank_wager=0, button=None)  # only a player-banker adjusts the delivery
    return state.replace(bank=Holding(event.method, bank.box, bank.players, bank.funds, bank.offered_at))


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
    """With a dealer's bet placed, all wagers stay within its limit unless management allows more."""
    bet, most = state.banking.dealer_bet, state.setup.table.terms.maximum
    if bet is not None and most is not None and not state.authorised and total > bet.value * most:
        refuse(f"{total} in all is more than {bet.value} times the house maximum of {most}", bet)


@rule(HouseWagered, ready=(_dealer_may_bet,))
def _house_wagered(state: State, event: HouseWagered) -> State:
    chips(state, event.amount)
    bet, most = state.banking.dealer_bet, state.setup.table.terms.maximum
    if bet is not None and most is not None and event.amount > most:
        refuse(f"the dealer's bet of {event.amount} is over the house maximum of {most}", bet)
    if event.authorised_by is None or as_title(state.play.ranks, event.authorised_by) is None:
        within_total(state, state.total + event.amount)
    house = state.banking.house_box.value
    lying = Lying(HOUSE, event.amount, state.placings)
    return state.replace(
        wagers={**state.wagers, house: (lying,)},
        placings=state.placings + 1,
        authorised=event.authorised_by is not None,
    )

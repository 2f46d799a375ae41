"""The bank of a round: offered, declined and taken by the book's rules, or held by the House."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Final

from datasets.scenes.sampling import Rng, pick
from engine.round import Session, events
from engine.round.before_deal.bank import going_on_with, next_offer, players_may_bank
from engine.round.event import DEALER
from engine.round.log import RoundLog
from engine.round.session import following
from engine.vocabulary.facts import Bank, Milestone
from engine.vocabulary.play import Shaker

if TYPE_CHECKING:
    from engine.round import State

FUNDS: Final = 100_000
"""What a banker has: it covers whatever is wagered against him."""
_GOES_ON: Final = 0.6
"""Share of bankers who go on with the bank where they may."""
_CO_BANKS: Final = 0.3
"""Share of player-held banks that are co-banks, where the book knows them."""
_ADJUSTS: Final = 0.5
"""Share of bankers who adjust the delivery, where the book has buttons."""


def take_bank(rng: Rng, session: Session, rate: float) -> Session:
    """Let a player take the bank in a share `rate` of the rounds in which the book lets one, else the House."""
    wanted = rng.random() < rate
    going = going_on_with(_state(session))
    if going is not None:
        if wanted and rng.random() < _GOES_ON:
            return session.append(_accepted(rng, session, going.box, going.player))
        session = session.append(events.BankDeclined(going.box, going.player))
    offers: list[tuple[Session, tuple[int, str]]] = []
    while players_may_bank(_state(session)) and (offer := next_offer(_state(session))) is not None:
        offered = session.append(events.BankOffered(*offer))
        # At a House Way place only the dealer handles tiles, so nobody banks there.
        if offer[0] not in session.setup.table.house_way_boxes:
            offers.append((offered, offer))
        session = offered.append(events.BankDeclined(*offer))
    if wanted and offers:
        offered, (box, player) = pick(rng, offers)
        return offered.append(_accepted(rng, offered, box, player))
    return session.append(events.HouseBanks())


def _state(session: Session) -> State:
    """Where the round stands that the next event belongs to."""
    state: State = session.current.state
    return RoundLog.opened(session.setup, following(state)).state if state.over else state


def _accepted(rng: Rng, session: Session, box: int, player: str) -> events.BankAccepted:
    methods = session.setup.methods
    co_bank = Bank.CO_BANK in methods and rng.random() < _CO_BANKS
    leave = session.setup.banking.co_bank_leave if co_bank else None
    return events.BankAccepted(
        box, (player,), Bank.CO_BANK if co_bank else Bank.PLAYER, FUNDS, None if leave is None else leave.value
    )


def own_wager(state: State, against: int) -> list[events.BankWagered]:
    """The wager by which a player in the bank covers what is wagered `against` it; none where the House banks."""
    method = state.held.method
    if method is Bank.HOUSE:
        return []
    return [events.BankWagered(ceil(state.banking.cover[method].value * against))]


def button(rng: Rng, state: State, *, cut_named: bool) -> int | None:
    """The value by which the banker adjusts the delivery; None where he does not, or may not."""
    rule = state.dice.buttons.value
    named_first = rule.after is Milestone.CUT_NAMED
    if state.held.method not in rule.banks or not state.setup.table.buttons or (named_first and not cut_named):
        return None
    return pick(rng, sorted(rule.values)) if rng.random() < _ADJUSTS else None


def shaker(state: State) -> str:
    """Who shakes the cup: the dealer, wherever the book lets him."""
    method = state.held.method
    return DEALER if Shaker.DEALER in state.play.shakers[method].value else state.held.players[0]

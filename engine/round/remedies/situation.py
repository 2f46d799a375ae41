"""The state of a round when something goes wrong, as required by the book's declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.round.event import DEALER
from engine.round.state.round_state import HandStage
from engine.vocabulary.facts import Bank, Milestone, Whose
from engine.vocabulary.irregularities import BANKS_HANDS
from engine.vocabulary.remedy import Given

if TYPE_CHECKING:
    from engine.round.events import IrregularityDecided
    from engine.round.state.round_state import State
    from engine.vocabulary.irregularities import Remedies
    from engine.vocabulary.progress import Progress

_OPENED = frozenset({Milestone.BANK_EXPOSED, Milestone.FIRST_HAND_EXPOSED})
_VIEWED = frozenset({HandStage.SET, HandStage.EXPOSED, HandStage.MATCHED})
"""Stages in which a player has seen the hand; taking it up, or leaving it to the dealer, is not viewing it."""

_HANDS = {bank: whose for whose, bank in BANKS_HANDS.items()}


def finding(state: State, event: IrregularityDecided) -> Remedies:
    """The book's remedies at this moment, from the same declarations as ``houseway irregularity``."""
    return state.setup.book.irregularities.remedies(
        event.irregularity,
        whose_hand(state, event.box),
        progress(state, event.box),
        bank=state.method,
        holds=holding(state, event.box, event.player),
    )


def whose_hand(state: State, box: int | None) -> Whose | None:
    """Whose hand lies on a box; None if no box is named, or nobody banks yet."""
    if box is None or state.bank is None:
        return None
    return _HANDS[state.bank.method] if state.is_banks(box) else Whose.PLAYER


def progress(state: State, box: int | None) -> Progress:
    """The progress of the round, for the hand of a box if one is named.

    Wagers may be settled without any hand opened, if all are conceded; players' hands may be open while the bank's is
    not (crown-6.1 13.8.1).
    """
    rules, closed = state.setup.book.irregularities, _OPENED - state.happened
    return rules.progress(reached(state, box), whose_hand(state, box), state.method, unless=closed)


def reached(state: State, box: int | None) -> set[Milestone]:
    # HANDS_SET does not imply that a player looked: the dealer may have set them. Here it is known for each hand.
    so_far, whose = set(state.happened) - {Milestone.HANDS_SET}, whose_hand(state, box)
    if whose is None:
        return set(state.happened) if Milestone.TILES_HANDLED in so_far else so_far
    if Milestone.TILES_DELIVERED not in so_far:
        return so_far
    if whose is not Whose.PLAYER:
        seen = state.bank_set_by in state.bankers or state.confirmed
    else:
        seen = state.hands.get(box or 0, HandStage.DEALT) in _VIEWED
    seen = seen or bool(state.tiles.get(box or 0))
    return so_far | {Milestone.TILES_VIEWED} if seen else so_far


def holding(state: State, box: int | None, player: str | None) -> dict[Given, bool]:
    """Known conditions other than hand, bank and milestones; unknown ones are omitted."""
    places = state.setup.table.house_way_boxes
    holds = {
        Given.NO_HOUSE_WAY_PLACES: not places,
        Given.ALL_BOXES_PLAY: state.bank is not None and all_boxes_play(state),
    }
    if state.wagers:
        players = {wager.player for lying in state.wagers.values() for wager in lying}
        holds[Given.ALONE_AT_TABLE] = len(players) == 1
    if box is not None:
        holds[Given.HOUSE_WAY_PLACE] = box in places
        if box in state.wagers:
            holds[Given.ALONE_ON_BOX] = len(state.players_on(box)) == 1
        set_by_dealer = dealer_set(state, box)
        if set_by_dealer is not None:
            holds[Given.DEALER_SET] = set_by_dealer and box not in places
    if player in state.seats.values():
        holds[Given.SEATS_TAKEN] = seats_taken(state, str(player))
    return holds


def all_boxes_play(state: State) -> bool:
    """Whether every box but the bank's has a wager; before any is placed, whether it had one in the previous round."""
    played = state.live_boxes if state.wagers else {box for boxes in state.before.played.values() for box in boxes}
    return set(range(1, state.setup.boxes + 1)) - {state.held.box} <= set(played)


def dealer_set(state: State, box: int) -> bool | None:
    """Whether the dealer set the hand of a box, or is to set it; None if unknown."""
    if state.is_banks(box):
        return state.held.method is not Bank.PLAYER or state.bank_set_by == DEALER
    stage = state.hands.get(box)
    if box in state.by_dealer or stage in {HandStage.SET_BY_DEALER, HandStage.REQUESTED}:
        return True
    return None if stage in {None, HandStage.HANDLED, HandStage.VOID} else False


def seats_taken(state: State, player: str) -> bool:
    """Whether every other seat is taken: somebody sits or wagers there, or the House banks there."""
    house = {state.banking.house_box.value} if state.method is Bank.HOUSE else set()
    own = {box for box, sits in state.seats.items() if sits == player}
    return set(range(1, state.setup.boxes + 1)) - own <= {*state.seats, *state.wagers, *house}

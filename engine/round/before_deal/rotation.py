"""To whom the bank is offered next (ruling 31)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.vocabulary.facts import Bank

if TYPE_CHECKING:
    from engine.round.state.carried import Tenure
    from engine.round.state.round_state import State

Offer = tuple[int, str]
"""A box and its player."""


def players_may_bank(state: State) -> bool:
    """Whether players may hold the bank at this table, in this round."""
    if state.setup.methods == {Bank.HOUSE}:
        return False
    return not (state.commencement and state.banking.house_first)


def going_on_with(state: State) -> Tenure | None:
    """The bank whose holder may go on with it."""
    tenure = state.before.tenure
    if tenure is None or state.released or tenure.player in state.gone or not players_may_bank(state):
        return None
    return tenure


def candidate(state: State, box: int) -> str | None:
    """The player whom the bank is offered to for a box, if there is one; at a box out of play nobody banks."""
    before = state.before
    if box in state.out:
        return None
    if state.commencement:
        player = state.seats.get(box)
        return None if player in state.gone else player
    player = before.control.get(box)
    if state.banking.played is None:
        player = state.seats.get(box, player)
    if player is None or player in state.gone:
        return None
    gave_it_up = before.tenure is not None and (box, player) == (before.tenure.box, before.tenure.player)
    had_it = state.banking.once is not None and box >= before.offer_from and player in before.rotation
    return None if gave_it_up or had_it else player


def next_offer(state: State) -> Offer | None:
    """The box and player that the bank must be offered to next; None once it went round."""
    ring = state.setup.ring(_start(state))
    passed = ring.index(state.offers[-1][0]) + 1 if state.offers else 0
    for box in ring[passed:]:
        player = candidate(state, box)
        if player is not None:
            return box, player
    return None


def others_on_box(state: State) -> list[Offer]:
    """Players on the box just declined whom the bank may be offered to, where the book allows it."""
    if state.banking.others is None or not state.offers or state.commencement:
        return []
    box = state.offers[-1][0]
    return [
        (box, player)
        for player, boxes in state.before.played.items()
        if box in boxes
        and player not in state.gone
        and (box, player) not in state.offers
        and player not in state.before.control.values()
        and (state.banking.furthest is None or box == _furthest(state, boxes))
    ]


def _furthest(state: State, boxes: frozenset[int]) -> int:
    """Of a player's boxes the one furthest from the chung, counter-clockwise."""
    chung = state.before.chung or state.banking.house_box.value
    return max(boxes, key=lambda box: (box - chung) % state.setup.places)


def _start(state: State) -> int:
    before = state.before
    if state.commencement:
        return state.banking.first_offer.value
    if before.tenure is not None:
        return state.setup.after(before.tenure.box)
    return before.offer_from

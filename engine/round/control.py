"""Who decides on the tiles of a box (ruling 32)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.play import Claim, SeveralBoxes
from engine.round.events import HOUSE

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.round.state import Lying, State

_LAST = 1 << 62  # a wager whose place in the box is not known comes after those that are


def _seated(state: State, box: int, wager: Lying) -> int:
    """The seated player first; the others first once he has left the decisions to them."""
    sits = state.seats.get(box) == wager.player
    return int(sits) if box in state.ceded else int(not sits)


def _highest(_: State, __: int, wager: Lying) -> int:
    return -wager.amount


def _position(_: State, __: int, wager: Lying) -> int:
    return _LAST if wager.spot is None else wager.spot


def _previous(state: State, box: int, wager: Lying) -> int:
    return int(state.before.control.get(box) != wager.player)


_KEYS: dict[Claim, Callable[[State, int, Lying], int]] = {
    Claim.SEATED: _seated,
    Claim.HIGHEST: _highest,
    Claim.POSITION: _position,
    Claim.PREVIOUS: _previous,
}


def claimants(state: State, box: int) -> list[str]:
    """Who may decide on a box, best claim first; the earlier wager where the book's claims are equal."""
    claims = state.play.control.value
    lying = [wager for wager in state.wagers.get(box, ()) if wager.player != HOUSE]
    lying.sort(key=lambda wager: (*(_KEYS[claim](state, box, wager) for claim in claims), wager.turn))
    return [wager.player for wager in lying]


def deciders(state: State) -> dict[int, str]:
    """Who decides on each box; a box that is missing is set by the dealer.

    Where a book lets a player decide on one box only, that is the one he chose, or where he wagered first; what
    becomes of his others is the book's `SeveralBoxes`.
    """
    several = state.play.several.value
    boxes = [box for box in state.wagers if box not in state.setup.table.house_way_boxes]
    first: dict[int, str] = {box: claim[0] for box in boxes if (claim := claimants(state, box))}
    if several is SeveralBoxes.FREE or len(set(first.values())) == len(first):
        return first
    held: dict[str, list[int]] = {}
    for box, player in first.items():
        held.setdefault(player, []).append(box)
    control = {_home(state, player, mine): player for player, mine in held.items()}
    if several is SeveralBoxes.HOUSE_WAY:
        return control
    for box in sorted(first.keys() - control.keys()):
        heir = next((player for player in claimants(state, box) if player not in control.values()), None)
        if heir is not None:
            control[box] = heir
    return control


def _home(state: State, player: str, mine: list[int]) -> int:
    chosen = state.chosen.get(player)
    if chosen in mine:
        return chosen
    return next(box for box in state.boxes_of(player) if box in mine)

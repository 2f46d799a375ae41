"""Who decides on the tiles of a box (ruling 32)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.round.event import HOUSE
from engine.settlement.wagers import MAIN
from engine.vocabulary.play import Claim, SeveralBoxes

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.round.state.round_state import Lying, State

_LAST = 1 << 62  # a wager with unknown position in the box comes last


def _seated(state: State, box: int, wager: Lying) -> int:
    """The seated player first; the others first once he has ceded control to them.

    nz-1998 7.1(a)(i); star-2024 9.10.1; star-classic 9.7.1.
    """
    sits = state.seats.get(box) == wager.player
    return int(sits) if box in state.ceded else int(not sits)


def _highest(_: State, __: int, wager: Lying) -> int:
    """crown-6.1 8.8.1; star-2024 9.10.3; star-classic 9.7.3."""
    return -wager.amount


def _position(_: State, __: int, wager: Lying) -> int:
    """Places count from the dealer, or on Crown's Diagram B from the dealer's right.

    crown-6.1 8.8.2 and 8.8.3; nz-1998 7.1(a)(iii); star-2024 9.10.4; star-classic 9.7.4.
    """
    return _LAST if wager.spot is None else wager.spot


def _previous(state: State, box: int, wager: Lying) -> int:
    """crown-6.1 8.8.4."""
    return int(state.before.control.get(box) != wager.player)


_KEYS: dict[Claim, Callable[[State, int, Lying], int]] = {
    Claim.SEATED: _seated,
    Claim.HIGHEST: _highest,
    Claim.POSITION: _position,
    Claim.PREVIOUS: _previous,
}


def _may_claim(wager: Lying) -> bool:
    return wager.player != HOUSE and wager.void is None and not wager.by_dice


def claimants(state: State, box: int) -> list[str]:
    """Players who may decide on a box, best claim first; ties go to the earlier wager.

    A wager on the game decides before a Tie, and that before a Bonus (crown-6.1 13.7).
    """
    claims, side = state.play.control.value, state.setup.book.side_wagers
    kinds = [MAIN] if side is None else list(side.decides)
    lying = [wager for wager in state.wagers.get(box, ()) if _may_claim(wager)]
    lying.sort(
        key=lambda wager: (kinds.index(wager.bet), *(_KEYS[claim](state, box, wager) for claim in claims), wager.turn)
    )
    return list(dict.fromkeys(wager.player for wager in lying))


def deciders(state: State) -> dict[int, str]:
    """Who decides on each box; the dealer sets boxes that are missing.

    Where a book lets a player decide on one box only, that is the one he chose, or where he wagered first; his other
    boxes follow the book's `SeveralBoxes`; at Crown the dealer sets them if nobody else wagers there
    (crown-6.1 8.11.2).
    """
    several = state.play.several.value
    chung = None if state.bank is None else state.bank.box
    boxes = [box for box in state.wagers if box != chung and box not in state.setup.table.house_way_boxes]
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

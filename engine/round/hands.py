"""How far the hands of a round have come, and what that depends on."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from engine.game.tiles import Tile
from engine.round.event_rule import has, refuse
from engine.round.state import Lay
from engine.vocabulary.facts import Milestone
from engine.vocabulary.play import SetWhen

if TYPE_CHECKING:
    from engine.round.event_rule import Refusal
    from engine.round.state import State

READY = frozenset({Lay.SET, Lay.SET_BY_DEALER, Lay.CONCEDED, Lay.VOID, Lay.EXPOSED, Lay.MATCHED})


def delivered(state: State) -> Refusal | None:
    """The tiles are delivered."""
    return has(state, Milestone.TILES_DELIVERED, state.play.deliver)


def empty_places(state: State) -> frozenset[int]:
    """Places without a wager that are not the bank's."""
    dealt = state.hands if Milestone.TILES_DELIVERED in state.happened else state.live_boxes
    return frozenset(range(1, state.setup.places + 1)) - set(dealt) - {state.held.box}


def retrieved(state: State) -> Refusal | None:
    """The tiles of the boxes without wagers are taken back, where the book has them taken."""
    if state.play.retrieve is not None and empty_places(state) != state.retrieved:
        return refuse("the tiles of boxes without wagers are taken back first", state.play.retrieve)
    return None


def set_at_settlement(state: State) -> bool:
    """Whether the dealer sets requested hands only when their box is settled."""
    request = state.play.request
    return request is not None and request.value is SetWhen.AT_SETTLEMENT


def unset(state: State, *, by_players: bool = False) -> list[int]:
    """Boxes whose hands are still to be set before the bank's; on demand only those that their players set."""
    left = [box for box, lay in state.hands.items() if lay not in READY]
    if by_players or set_at_settlement(state):
        return [box for box in left if box in state.control and state.hands[box] is not Lay.ASKED]
    return left


def dealt(state: State) -> State:
    """The state once every box with a wager has its four tiles."""
    return _told(state.but(hands=dict.fromkeys(state.live_boxes, Lay.DEALT)))


def laid(state: State, box: int, lay: Lay, **changes: object) -> State:
    """The state once a box's tiles have come this far."""
    return _told(state.but(hands={**state.hands, box: lay}, **changes))


def _told(state: State) -> State:
    """The milestone of all players' hands set, up to date: a hand taken up again takes it back."""
    done = not unset(state)
    if done is (Milestone.HANDS_SET in state.happened):
        return state
    told = {Milestone.HANDS_SET}
    return state.but(happened=state.happened | told if done else state.happened - told)


def fits_the_set(state: State, box: int, tiles: tuple[object, ...], count: int) -> Refusal | None:
    """These tiles and all seen elsewhere come from one set, and those seen here before are among them."""
    whole = state.play.tile_set
    if len(tiles) != count or not all(isinstance(tile, Tile) for tile in tiles):
        return refuse(f"{count} tiles lie there, not {len(tiles)}", state.play.deliver)
    here = Counter(tiles)
    seen = Counter(tile for place, lying in state.tiles.items() if place != box for tile in lying)
    for tile, times in here.items():
        if isinstance(tile, Tile) and times + seen[tile] > tile.copies:
            return refuse(f"{tile} is seen {times + seen[tile]} times, the set has it {tile.copies} times", whole)
    own = state.tiles.get(box, ())
    if any(here[tile] < times for tile, times in Counter(own).items()):
        before = " ".join(map(str, own))
        return refuse(f"these are not the tiles seen there before ({before})", whole)
    return None

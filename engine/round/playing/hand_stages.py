"""Progress of the hands of a round, and its conditions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from engine.game.ranking import Outcome
from engine.game.tiles import Tile
from engine.round.event_rules import refuse
from engine.round.state.round_state import HandStage
from engine.vocabulary.facts import Milestone
from engine.vocabulary.play import SetWhen

if TYPE_CHECKING:
    from engine.round.state.round_state import State

GONE = frozenset({HandStage.VOID, HandStage.CONCEDED})
"""Stages of hands out of play."""

READY = frozenset(
    {HandStage.SET, HandStage.SET_BY_DEALER, HandStage.CONCEDED, HandStage.VOID, HandStage.EXPOSED, HandStage.MATCHED}
)


def empty_places(state: State) -> frozenset[int]:
    """Places without a wager, except the bank's."""
    dealt = state.hands if Milestone.TILES_DELIVERED in state.happened else state.live_boxes
    return frozenset(range(1, state.setup.places + 1)) - set(dealt) - {state.held.box}


def retrieved(state: State) -> None:
    """The tiles of boxes without wagers have been retrieved, if the book requires that."""
    if state.play.retrieve is not None and empty_places(state) != state.retrieved:
        refuse("the tiles of boxes without wagers are taken back first", state.play.retrieve)


def set_at_settlement(state: State) -> bool:
    """Whether the dealer sets requested hands only when their box is settled."""
    request = state.play.request
    return request is not None and request.value is SetWhen.AT_SETTLEMENT


def unset(state: State, *, by_players: bool = False) -> list[int]:
    """Boxes whose hands must still be set before the bank's; with ``by_players`` only those that players set."""
    left = [box for box, stage in state.hands.items() if stage not in READY]
    if by_players or set_at_settlement(state):
        return [box for box in left if box in state.control and state.hands[box] is not HandStage.REQUESTED]
    return left


def dealt(state: State) -> State:
    """The state once every box with a wager has its four tiles."""
    return _hands_set_kept(state.replace(hands=dict.fromkeys(state.live_boxes, HandStage.DEALT)))


def hands_by_wagers(state: State) -> State:
    """The state once wagers have changed after the delivery: a box is in play while a wager on the tiles lies there."""
    live = state.live_boxes
    kept = {box: stage for box, stage in state.hands.items() if box in live or stage in GONE}
    return _hands_set_kept(state.replace(hands={**dict.fromkeys(live, HandStage.DEALT), **kept}))


def laid(state: State, box: int, stage: HandStage, **changes: object) -> State:
    """The state after a box's tiles reach a stage."""
    return _hands_set_kept(state.replace(hands={**state.hands, box: stage}, **changes))


def conceded(state: State, box: int) -> State:
    outcomes = {**state.outcomes, box: Outcome.LOSE}
    return laid(state, box, HandStage.CONCEDED, outcomes=outcomes, away=state.away | {box})


def _hands_set_kept(state: State) -> State:
    """Update the milestone of all players' hands set; it is lost when a hand is taken up again."""
    done = not unset(state)
    if done is (Milestone.HANDS_SET in state.happened):
        return state
    return state.replace(happened=state.happened ^ {Milestone.HANDS_SET})


def fits_the_set(state: State, box: int, tiles: tuple[object, ...], count: int) -> None:
    """These tiles and all others seen come from one set, and include those seen here before."""
    whole = state.play.tile_set
    if len(tiles) != count or not all(isinstance(tile, Tile) for tile in tiles):
        refuse(f"{count} tiles lie there, not {len(tiles)}", state.play.deliver)
    here = Counter(tiles)
    seen = Counter(tile for place, lying in state.tiles.items() if place != box for tile in lying)
    for tile, times in here.items():
        if isinstance(tile, Tile) and times + seen[tile] > tile.copies:
            refuse(f"{tile} is seen {times + seen[tile]} times, the set has it {tile.copies} times", whole)
    own = state.tiles.get(box, ())
    if any(here[tile] < times for tile, times in Counter(own).items()):
        before = " ".join(map(str, own))
        refuse(f"these are not the tiles seen there before ({before})", whole)

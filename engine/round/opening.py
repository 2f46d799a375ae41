"""Rules before a round: tiles checked and shown, players seated."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from engine.facts import Milestone
from engine.round.events import PlayerLeft, PlayerSeated, TableVacated, TilesChecked, TilesReplaced
from engine.round.rule import box_of_table, going_on, has_not, leave, person, refuse, rule
from engine.tiles import FULL_SET

if TYPE_CHECKING:
    from engine.round.rule import Refusal
    from engine.round.state import State

_SET = Counter(FULL_SET)


def _nothing_begun(state: State) -> Refusal | None:
    if state.happened or state.bank is not None or state.offers or state.wagers or state.shown:
        return refuse("the round has begun: this comes before it", state.play.shuffle)
    return None


def _not_shuffled(state: State) -> Refusal | None:
    return has_not(state, Milestone.SHUFFLED, state.play.shuffle)


@rule(TableVacated, ready=(going_on, _nothing_begun))
def _vacated(state: State, _: TableVacated) -> State:
    gone = state.gone.union(state.seats.values())
    return state.but(commencement=True, released=True, seats={}, gone=gone)


@rule(
    TilesReplaced,
    ready=(going_on, _not_shuffled),
    fits=(lambda state, event: leave(state, event.ordered_by, state.play.replace),),
)
def _replaced(state: State, _: TilesReplaced) -> State:
    return state.but(check_due=True, shown=False)


def _whole_set(state: State, event: TilesChecked) -> Refusal | None:
    """Each of the 32 tiles is there, before gaming and whenever tiles were replaced.

    crown-6.1 3.1; star-2024 3.3; star-classic 3.3. The same check at the end of gaming, or before a set is taken off
    the table (crown-6.1 3.3; nz-1998 10.17), is recorded as the beginning of a round that is not played.
    """
    seen = Counter(event.tiles)
    for face, times in seen.items():
        if times > _SET[face]:
            return refuse(f"{face} lies there {times} times, the set has it {_SET[face]} times", state.play.tile_set)
    if seen != _SET:
        missing = " ".join(map(str, (_SET - seen).elements()))
        return refuse(f"{len(event.tiles)} tiles lie there; missing: {missing}", state.play.tile_set)
    return None


def _rank_order(state: State, event: TilesChecked) -> Refusal | None:
    kinds = [tile.kind for tile in event.tiles]
    if state.play.check is not None and kinds != sorted(kinds):
        return refuse("the tiles do not lie in the order of their rank", state.play.check)
    return None


@rule(
    TilesChecked,
    ready=(going_on, _not_shuffled),
    fits=(_whole_set, _rank_order, lambda state, event: leave(state, event.by, state.play.check)),
)
def _checked(state: State, _: TilesChecked) -> State:
    return state.but(check_due=False, shown=True)


def _bets_open(state: State) -> Refusal | None:
    return has_not(state, Milestone.BETS_CLOSED, state.play.no_change)


def _free_seat(state: State, event: PlayerSeated) -> Refusal | None:
    sits = state.seats.get(event.box)
    if sits is not None:
        return refuse(f"{sits} sits at box {event.box}", state.play.boxes)
    if event.player in state.seats.values():
        return refuse(f"{event.player} has a seat already", state.play.boxes)
    return None


@rule(
    PlayerSeated,
    ready=(going_on, _bets_open),
    fits=(
        lambda state, event: box_of_table(state, event.box),
        lambda state, event: person(state, event.player),
        _free_seat,
    ),
)
def _sat_down(state: State, event: PlayerSeated) -> State:
    return state.but(seats={**state.seats, event.box: event.player})


def _takes_no_part(state: State, event: PlayerLeft) -> Refusal | None:
    if state.boxes_of(event.player):
        return refuse(
            f"{event.player} has a wager on the table: it is withdrawn or settled first", state.play.no_change
        )
    if state.bank is not None and event.player in state.bank.players:
        return refuse(f"{event.player} holds the bank of this round", state.banking.funds)
    if state.open_offer and state.offers[-1][1] == event.player:
        return refuse(f"the bank is offered to {event.player}: he declines it first", state.banking.controller)
    return None


@rule(
    PlayerLeft,
    ready=(going_on,),
    fits=(lambda state, event: person(state, event.player), _takes_no_part),
)
def _left(state: State, event: PlayerLeft) -> State:
    seats = {box: player for box, player in state.seats.items() if player != event.player}
    return state.but(seats=seats, gone=state.gone | {event.player})

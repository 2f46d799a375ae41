"""Rules of the end of a round: settlement, tiles put away, tiles out of play looked at, a round that is void."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.facts import Milestone
from engine.ranking import Outcome
from engine.round.events import (
    DEALER,
    BankPutAway,
    RoundVoided,
    Settled,
    TilesPutAway,
    TilesViewed,
    WagerResult,
)
from engine.round.exposing import losers_away, none_open
from engine.round.hands import delivered
from engine.round.rule import going_on, has, leave, refuse, rule
from engine.round.state import CLOSED, Lay, is_whole

if TYPE_CHECKING:
    from engine.round.rule import Refusal
    from engine.round.state import State
    from engine.sources import Cite


def _settle(state: State) -> Cite:
    return state.play.settle[state.held.method]


def _unsettled(state: State) -> Refusal | None:
    if Milestone.SETTLED in state.happened:
        return refuse("every wager is settled", _settle(state))
    return None


def _all_matched(state: State) -> Refusal | None:
    box = next((box for box, lay in state.hands.items() if lay in CLOSED), None)
    if box is not None:
        return refuse(f"the hand of box {box} is neither matched nor conceded", _settle(state))
    return none_open(state)


def check_settlement(state: State, event: Settled) -> Refusal | None:
    """One result for each wager, in turn, ended as declared; here settlement is asked what each comes to."""
    cite = _settle(state)
    for result in event.results:
        refusal = _possible(state, result)
        if refusal is not None:
            return refusal
    given = [(result.box, result.player) for result in event.results]
    lying = {(box, wager.player) for box, wagers in state.wagers.items() for wager in wagers}
    if len(given) != len(lying) or set(given) != lying:
        return refuse("each wager on the table has one result", cite)
    boxes = [box for box, _ in given]
    if state.held.method in state.play.expose and boxes != state.in_turn(boxes):
        return refuse("wagers are paid counter-clockwise from the chung", cite)
    return None


def _possible(state: State, result: WagerResult) -> Refusal | None:
    if not isinstance(result, WagerResult):
        return refuse(f"{result!r} is no result of a wager", _settle(state))
    declared = state.outcomes.get(result.box)
    if result.outcome is not declared:
        return refuse(f"{result.player}'s wager on box {result.box} did not end so: {declared}", state.play.matched)
    sums = result.paid, result.commission
    if not all(is_whole(part) and part >= 0 for part in sums):
        return refuse(f"{sums} are no amounts of chips: give whole numbers from 0", state.play.chips)
    if result.commission > result.paid or (result.paid and result.outcome is not Outcome.WIN):
        return refuse("only a wager that won is paid, and commission comes out of that", _settle(state))
    return None


@rule(Settled, ready=(going_on, delivered, _unsettled, _all_matched, losers_away), fits=(check_settlement,))
def _settled(state: State, event: Settled) -> State:
    """Lost wagers are gone and won ones paid (crown-6.1 10.2.9)."""
    return _put_away(state.reached(Milestone.SETTLED, results=event.results))


# Tiles put away


def _waits(state: State, box: int) -> bool:
    """Whether a hand may be put away: lost and stood off at once, won when it is paid."""
    if state.hands.get(box) is not Lay.MATCHED or box in state.away:
        return False
    return Milestone.SETTLED in state.happened or state.outcomes[box] is not Outcome.WIN


def _some_waits(state: State) -> Refusal | None:
    if any(_waits(state, box) for box in state.hands):
        return None
    return refuse("no hand is ready to be put away: won tiles are picked up as they are paid", _settle(state))


def _this_waits(state: State, event: TilesPutAway) -> Refusal | None:
    if _waits(state, event.box):
        return None
    won = state.outcomes.get(event.box) is Outcome.WIN and event.box not in state.away
    why = "it is picked up as it is paid" if won else "no matched hand lies there"
    return refuse(f"the hand of box {event.box!r} is not put away: {why}", _settle(state))


@rule(TilesPutAway, ready=(going_on, delivered, _some_waits), fits=(_this_waits,))
def _tiles_put_away(state: State, event: TilesPutAway) -> State:
    return _put_away(state.but(away=state.away | {event.box}))


def _bank_due(state: State) -> Refusal | None:
    if Milestone.BANK_PUT_AWAY in state.happened:
        return refuse("the bank's tiles are put away", _settle(state))
    return has(state, Milestone.SETTLED, _settle(state))


@rule(BankPutAway, ready=(going_on, delivered, _bank_due))
def _bank_put_away(state: State, _: BankPutAway) -> State:
    return _put_away(state.reached(Milestone.BANK_PUT_AWAY))


def _put_away(state: State) -> State:
    """The round is over once the bank's tiles and every hand are put away."""
    if Milestone.BANK_PUT_AWAY in state.happened and state.away >= state.hands.keys():
        return state.reached(Milestone.ROUND_OVER)
    return state


# Tiles out of play


def _may_look(state: State, event: TilesViewed) -> Refusal | None:
    play = state.play
    if state.hands.get(event.box) is Lay.CONCEDED:
        if play.conceded_seen is None:
            return refuse("a conceded hand is not shown", play.concede or play.matched)
        return leave(state, event.by, play.conceded_seen)
    if event.box not in state.retrieved:
        return refuse(f"the tiles of box {event.box!r} are not out of play", play.unused or play.deliver)
    cite = play.unused_dealer if event.by == DEALER else None
    cite = cite or play.unused
    return None if cite is None else has(state, Milestone.SETTLED, cite)


def _not_void(state: State) -> Refusal | None:
    return None if state.void is None else going_on(state)


@rule(TilesViewed, ready=(_not_void, delivered), fits=(_may_look,))
def _viewed(state: State, _: TilesViewed) -> State:
    return state


def _under_a_rule(state: State, event: RoundVoided) -> Refusal | None:
    if not isinstance(event.rule, str) or not event.rule.strip():
        return refuse("name the rule under which the round is void", state.play.void)
    return leave(state, event.decided_by, state.play.void)


@rule(RoundVoided, ready=(going_on,), fits=(_under_a_rule,))
def _voided(state: State, event: RoundVoided) -> State:
    return state.but(void=event.rule)

"""Effects of remedies on a round's log."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engine.round.before_deal.control import deciders
from engine.round.event import DEALER
from engine.round.event_rules import is_person
from engine.round.playing.hand_stages import GONE, conceded, laid, set_at_settlement
from engine.round.state.round_state import DealtRound, HandStage
from engine.settlement.wagers import BONUS, MAIN
from engine.vocabulary.facts import Milestone
from engine.vocabulary.irregularities import Irregularity
from engine.vocabulary.remedy import Effect

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from engine.round.events import IrregularityDecided
    from engine.round.state.round_state import Lying, State
    from engine.vocabulary.citations import Cite


def _round_void(state: State, _: IrregularityDecided, cite: Cite) -> State:
    return state.replace(void=cite)


def _hand_void(state: State, event: IrregularityDecided, cite: Cite) -> State:
    """Every wager on it is returned; for the bank's hand, all wagers that depend on it."""
    if event.box is None or state.is_banks(event.box):
        return state.replace(void=cite)
    on_box = tuple(each if each.by_dice else replace(each, void=cite) for each in state.wagers[event.box])
    after = _reopened(state).replace(wagers={**state.wagers, event.box: on_box})
    return _out_of_play(after, event.box)


def _out_of_play(state: State, box: int) -> State:
    outcomes = {at: outcome for at, outcome in state.outcomes.items() if at != box}
    return laid(state, box, HandStage.VOID, outcomes=outcomes, away=state.away | {box})


def _reopened(state: State) -> State:
    """Payments are undone, to be settled again."""
    return state.replace(happened=state.happened - {Milestone.SETTLED}, results=(), banked=None)


def _set(state: State, event: IrregularityDecided, _: Cite) -> State:
    """Wagers are settled on the new hand: hands matched with the old setting are matched again."""
    box = event.box
    if box is None:
        raise AssertionError  # _a_hand
    if event.low is not None and event.high is not None:
        again = [
            at for at, stage in state.hands.items() if stage is HandStage.MATCHED and (at == box or state.is_banks(box))
        ]
        after = _reopened(state) if again else state
        return after.replace(
            tiles={**state.tiles, box: (*event.low, *event.high)},
            hands={**state.hands, **dict.fromkeys(again, HandStage.EXPOSED)},
            outcomes={at: outcome for at, outcome in state.outcomes.items() if at not in again},
        )
    if event.irregularity is Irregularity.NOT_HOUSE_WAY or (is_person(event.decided_by) and _plays(state, event)):
        return state
    if state.is_banks(box):
        return state.replace(bank_set_by=DEALER)
    return laid(state, box, HandStage.REQUESTED if set_at_settlement(state) else HandStage.SET_BY_DEALER)


def _plays(state: State, event: IrregularityDecided) -> bool:
    """Whether a player set it, so that it stays his own."""
    return event.decided_by in (*state.bankers, *state.control.values())


def concerned(state: State, event: IrregularityDecided) -> list[tuple[int, Lying]]:
    """The wagers concerned by a decision about a player's wagers, or only about the Bonus of a conceded hand."""
    side = state.setup.book.side_wagers
    bonus_rule = None if side is None else side.bonus.when_conceded.cite
    return [
        (box, each)
        for box, lying in state.wagers.items()
        for each in lying
        if each.player == event.player and each.void is None and event.box in {None, box}
        if not (each.by_dice and state.dice_results is not None)
        if bonus_rule is None or event.rule != bonus_rule or each.bet == BONUS
    ]


def _wagers_back(state: State, event: IrregularityDecided, cite: Cite) -> State:
    """Before the close they are withdrawn, with Big and Small wagers that depend on them; later they are void."""
    gone = {(box, each.turn) for box, each in concerned(state, event)}
    if not state.closed:
        left = {box: [each for each in lying if (box, each.turn) not in gone] for box, lying in state.wagers.items()}
        kept = {box: tuple(each for each in lying if _may_stay(each, lying)) for box, lying in left.items()}
        return state.replace(wagers={box: lying for box, lying in kept.items() if lying})
    after = _marked(_reopened(state) if gone else state, gone, void=cite)
    after = after.replace(control=deciders(after)) if not after.hands else after
    for box in [box for box, stage in after.hands.items() if stage not in GONE and box not in after.live_boxes]:
        after = _out_of_play(after, box)
    return after


def _may_stay(wager: Lying, lying: Sequence[Lying]) -> bool:
    """Big and Small stay beside a Pai Gow wager only (crown-6.1 8.16.1)."""
    return not wager.by_dice or any(each.bet == MAIN for each in lying)


def _without_winnings(state: State, event: IrregularityDecided, cite: Cite) -> State:
    """Such a wager is returned if it wins; before its hand is matched, it is settled with the others."""
    gone = {(box, each.turn) for box, each in concerned(state, event)}
    return _marked(_reopened(state), gone, no_winnings=cite)


def _conceded(state: State, event: IrregularityDecided, _: Cite) -> State:
    box = event.box
    if box is None or state.hands[box] is HandStage.CONCEDED:
        return state
    return conceded(state, box)


def _player_out(state: State, event: IrregularityDecided, cite: Cite) -> State:
    return state.replace(barred={**state.barred, str(event.player): cite})


def _player_back(state: State, event: IrregularityDecided, _: Cite) -> State:
    return state.replace(barred={player: cite for player, cite in state.barred.items() if player != event.player})


def _sets_first(state: State, event: IrregularityDecided, cite: Cite) -> State:
    return state.replace(sets_first={**state.sets_first, str(event.player): cite})


def _seat_vacated(state: State, event: IrregularityDecided, _: Cite) -> State:
    return state.replace(seats={box: player for box, player in state.seats.items() if player != event.player})


def _at_once(state: State, _: IrregularityDecided, cite: Cite) -> State:
    return state.replace(closes_at_once=cite)


def _forfeited(state: State, event: IrregularityDecided, cite: Cite) -> State:
    gone = {(box, each.turn) for box, each in concerned(state, event)}
    return _marked(_reopened(state), gone, forfeited=cite)


def _marked(state: State, which: set[tuple[int, int]], **mark: Cite) -> State:
    wagers = {
        box: tuple(replace(each, **mark) if (box, each.turn) in which else each for each in lying)  # type: ignore[arg-type]
        for box, lying in state.wagers.items()
    }
    return state.replace(wagers=wagers)


def _mixed_again(state: State, _: IrregularityDecided, __: Cite) -> State:
    """The tiles are retrieved, mixed and stacked; then cut, dice and delivery again. Wagers stay."""
    if Milestone.SETTLED in state.happened:
        return state  # they are shuffled for the next round anyway
    settled = state.dice_results is not None  # Big and Small are settled: not thrown for again
    wagers = {
        box: tuple(replace(each, surrendered=False) for each in lying if not (settled and each.by_dice))
        for box, lying in state.wagers.items()
        if state.is_banks(box) or box in state.live_boxes
    }
    after = state.replace(wagers=wagers)
    control = deciders(after) if state.closed else state.control
    return after.replace(**vars(DealtRound()), happened=state.happened & {Milestone.BETS_CLOSED}, control=control)


def _box_out(state: State, event: IrregularityDecided, _: Cite) -> State:
    return state if event.box is None else state.replace(out_later=state.out_later | {event.box})


def _box_back(state: State, event: IrregularityDecided, _: Cite) -> State:
    return state.replace(out=state.out - {event.box}, out_later=state.out_later - {event.box})


FOLLOWS: Mapping[Effect, Callable[[State, IrregularityDecided, Cite], State]] = {
    Effect.ROUND_VOID: _round_void,
    Effect.HAND_VOID: _hand_void,
    Effect.AS_SET_NOW: _set,
    Effect.WAGER_RETURNED: _wagers_back,
    Effect.NO_WINNINGS: _without_winnings,
    Effect.WAGER_LOST: _conceded,
    Effect.WAGER_FORFEITED: _forfeited,
    Effect.MIXED_AGAIN: _mixed_again,
    Effect.BOX_OUT: _box_out,
    Effect.BOX_BACK: _box_back,
    Effect.PLAYER_OUT: _player_out,
    Effect.PLAYER_BACK: _player_back,
    Effect.SETS_FIRST: _sets_first,
    Effect.SEAT_VACATED: _seat_vacated,
    Effect.CLOSES_AT_ONCE: _at_once,
}

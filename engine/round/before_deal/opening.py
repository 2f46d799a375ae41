"""Rules before a round: tiles checked and displayed, players seated, limits changed, the table closed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from engine.game.display_order import ORDERS
from engine.game.tiles import FULL_SET
from engine.round.amounts import limits_of
from engine.round.event import HOUSE
from engine.round.event_rules import (
    bets_open,
    box_of_table,
    has_rank,
    leave,
    not_barred,
    not_reached,
    person,
    refuse,
    rule,
)
from engine.round.events import (
    ClosingAnnounced,
    LimitsChanged,
    PlayerLeft,
    PlayerSeated,
    TableClosed,
    TableVacated,
    TilesChecked,
    TilesReplaced,
)
from engine.round.state.house_table import is_whole
from engine.settlement.money import check_limits
from engine.vocabulary.facts import Fact, Milestone
from engine.vocabulary.limits import Limits

if TYPE_CHECKING:
    from engine.round.state.round_state import State

_SET = Counter(FULL_SET)


def _not_started(state: State) -> None:
    if state.happened or state.bank is not None or state.offers or state.wagers or state.shown:
        refuse("the round has begun: this comes before it", state.play.shuffle)


_not_shuffled = not_reached(Milestone.SHUFFLED, lambda state: state.play.shuffle)


@rule(TableVacated, ready=(_not_started,))
def _vacated(state: State, _: TableVacated) -> State:
    gone = state.gone.union(state.seats.values())
    return state.replace(commencement=True, released=True, seats={}, gone=gone, kept={})


def _checked_before_removal(state: State) -> None:
    cite = state.play.check_before_removal
    if cite is not None and not state.shown:
        refuse("the tiles are checked one by one before the set is taken off the table", cite)


@rule(TilesReplaced, ready=(_not_shuffled,))
def _replaced(state: State, event: TilesReplaced) -> State:
    leave(state, event.ordered_by, state.play.replace)
    notice = state.play.replace_notice
    if notice is not None and not any(has_rank(state, who, notice) for who in (event.ordered_by, event.notified)):
        refuse(f"a {notice.value} or above is notified of it", notice)
    if event.whole_set:
        _checked_before_removal(state)
    return state.replace(check_due=True, shown=False)


def _whole_set(state: State, event: TilesChecked) -> None:
    """Each of the 32 tiles is present, before gaming and whenever tiles were replaced.

    crown-6.1 3.1; star-2024 3.3; star-classic 3.3. The same check comes at the end of gaming, and before a set is taken
    off the table (crown-6.1 3.3; nz-1998 10.17), in a round that is not played.
    """
    seen = Counter(event.tiles)
    for face, times in seen.items():
        if times > _SET[face]:
            refuse(f"{face} lies there {times} times, the set has it {_SET[face]} times", state.play.tile_set)
    if seen != _SET:
        missing = " ".join(map(str, (_SET - seen).elements()))
        refuse(f"{len(event.tiles)} tiles lie there; missing: {missing}", state.play.tile_set)


def _rank_order(state: State, event: TilesChecked) -> None:
    """Tiles rank singly and in pairs (crown-6.1 3.4): Gee Jun is last among single tiles, first among pairs."""
    kinds = tuple(tile.kind for tile in event.tiles)
    if state.play.check is not None and kinds not in ORDERS.values():
        refuse("the tiles do not lie in the order of their rank", state.play.check)


@rule(TilesChecked, ready=(_not_shuffled,))
def _checked(state: State, event: TilesChecked) -> State:
    _whole_set(state, event)
    _rank_order(state, event)
    leave(state, event.by, state.play.check)
    return state.replace(check_due=False, shown=True)


# The end of gaming


def _no_round(state: State) -> None:
    if state.happened or state.bank is not None or state.offers or state.wagers:
        refuse("a round has begun: it is played to its end first", state.play.shuffle)


def _checked_at_end(state: State) -> None:
    cite = state.play.check_at_end
    if cite is not None and not state.shown:
        refuse("the tiles are checked one by one at the end of gaming", cite)


def _present(state: State) -> set[str]:
    """Players seated at the table, or in the previous round."""
    return {*state.seats.values(), *state.before.played} - state.absent


def _notice_given(state: State, event: TableClosed) -> None:
    """Players present were given the notice required by the book, unless none is required."""
    closing = state.play.closing
    if closing is None or not _present(state) or state.closes_at_once is not None:
        return
    leave(state, event.by, Fact(closing.value.by, closing.cite))
    if not is_whole(event.minutes) or event.minutes < closing.value.minutes:
        refuse(f"a sign says so for {closing.value.minutes} minutes first, not {event.minutes!r}", closing)
    if closing.value.rounds and (state.notice is None or state.notice < closing.value.rounds):
        had = "none was given" if state.notice is None else f"{state.notice} were played since"
        refuse(f"players have notice of {closing.value.rounds} rounds before the table closes; {had}", closing)


def _notice_known(state: State) -> None:
    if state.play.closing is None:
        refuse("the book asks for no notice before a table closes", state.play.shuffle)
    if state.notice is not None:
        refuse("notice is given already", state.play.closing)


@rule(ClosingAnnounced, ready=(_notice_known,))
def _closing_announced(state: State, event: ClosingAnnounced) -> State:
    closing = state.play.closing
    leave(state, event.by, None if closing is None else Fact(closing.value.by, closing.cite))
    return state.replace(notice=0)


@rule(TableClosed, ready=(_no_round, _checked_at_end, _checked_before_removal))
def _table_closed(state: State, event: TableClosed) -> State:
    _notice_given(state, event)
    return state.replace(concluded=True)


# Limits


def _may_raise(state: State, event: LimitsChanged) -> None:
    """A higher minimum was announced, or current players keep theirs."""
    rules = state.setup.book.limits
    if rules is not None and rules.kept is None and not event.announced and _raises(state, event):
        refuse("a higher minimum is announced on a sign for twenty minutes first", rules.raised)


def _raises(state: State, event: LimitsChanged) -> bool:
    return event.minimum is not None and event.minimum > (limits_of(state).minimum or 0)


@rule(LimitsChanged)
def _limits_changed(state: State, event: LimitsChanged) -> State:
    """The new limits apply from the next round if wagers are placed, else immediately.

    Raised without a sign, the old minimum still applies to everybody playing (star-2024 10.6.1); a sign ends that
    (star-2024 10.6.2). Later players get the new one (star-2024 10.6.4).
    """
    check_limits("the table's", event.minimum, event.maximum, state.play.chips)
    rules = state.setup.book.limits
    if rules is not None:
        leave(state, event.by, rules.by)
    _may_raise(state, event)
    limits, rules, old = Limits(event.minimum, event.maximum), state.setup.book.limits, limits_of(state).minimum
    kept = {} if event.announced else {who: least for who, least in state.kept.items() if least < (event.minimum or 0)}
    if rules is not None and rules.kept is not None and not event.announced and _raises(state, event):
        kept = {**dict.fromkeys(_playing(state), old or 1), **kept}
    if state.wagers:
        return state.replace(limits_later=limits, kept=kept)
    return state.replace(limits=limits, limits_later=None, kept=kept)


def _playing(state: State) -> set[str]:
    wagering = {wager.player for lying in state.wagers.values() for wager in lying} - {HOUSE}
    return (wagering | {*state.bankers, *state.seats.values(), *state.before.played}) - state.gone


@rule(PlayerSeated, ready=(bets_open,))
def _sat_down(state: State, event: PlayerSeated) -> State:
    box_of_table(state, event.box)
    person(state, event.player)
    not_barred(state, event.player)
    sits = state.seats.get(event.box)
    if sits is not None:
        refuse(f"{sits} sits at box {event.box}", state.play.boxes)
    if event.player in state.seats.values():
        refuse(f"{event.player} has a seat already", state.play.boxes)
    return state.replace(seats={**state.seats, event.box: event.player})


@rule(PlayerLeft)
def _left(state: State, event: PlayerLeft) -> State:
    person(state, event.player)
    if state.boxes_of(event.player):
        refuse(f"{event.player} has a wager on the table: it is withdrawn or settled first", state.play.no_change)
    if event.player in state.bankers:
        refuse(f"{event.player} holds the bank of this round", state.banking.funds)
    if state.open_offer and state.offers[-1][1] == event.player:
        refuse(f"the bank is offered to {event.player}: he declines it first", state.banking.controller)
    seats = {box: player for box, player in state.seats.items() if player != event.player}
    kept = {player: least for player, least in state.kept.items() if player != event.player}
    return state.replace(seats=seats, gone=state.gone | {event.player}, kept=kept)

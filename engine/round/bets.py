"""Rules of wagers, from the first to the close of betting (ruling 30)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.facts import Bank, Milestone
from engine.play import SeveralBoxes
from engine.round.bank import covered, over_in_all, short_of
from engine.round.control import claimants, deciders
from engine.round.events import HOUSE, BetsClosed, BoxChosen, ControlCeded, WagerChanged, WagerPlaced, WagerWithdrawn
from engine.round.rule import Refusal, bank_settled, box_of_table, chips, going_on, has, has_not, person, refuse, rule
from engine.round.state import Lying, is_whole

if TYPE_CHECKING:
    from engine.round.state import State

    Wagering = WagerPlaced | WagerChanged | WagerWithdrawn


def may_close(state: State, by: Milestone) -> Refusal | None:
    """If this milestone closes betting now, the banker covers the wagers."""
    return covered(state) if _closes(state, by) else None


def closing(state: State, *milestones: Milestone, **changes: object) -> State:
    """The state with these milestones reached, and betting closed if one of them closes it."""
    after = state.reached(*milestones, **changes)
    if not any(_closes(state, milestone) for milestone in milestones):
        return after
    return after.reached(Milestone.BETS_CLOSED, control=deciders(after))


def _closes(state: State, milestone: Milestone) -> bool:
    return state.method is not None and not state.closed and state.play.close[state.method].value is milestone


def _open(state: State) -> Refusal | None:
    """Betting is open; once it has closed nobody wagers (nz-1998 6.9(a)) or touches a wager (nz-1998 6.9(b))."""
    play = state.play
    if not state.closed:
        return None if play.wagers_after is None else has(state, play.wagers_after.value, play.wagers_after)
    if play.consent is None or play.consent.value is not state.method:
        return Refusal("betting has closed: no wager is placed, changed or withdrawn", play.no_change, (30,))
    return has_not(state, Milestone.TILES_DELIVERED, play.consent)


def _some_wager(state: State) -> Refusal | None:
    if not state.wagers:
        return refuse("no wager lies on the table", state.play.chips)
    return None


def _consented(state: State, event: Wagering) -> Refusal | None:
    if state.closed and not event.consent:
        return refuse(
            "betting has closed: this takes the player-banker's consent", state.play.consent or state.play.no_change
        )
    return None


def _covered_still(state: State, event: WagerPlaced | WagerChanged) -> Refusal | None:
    """Once betting has closed, what is added must be covered already."""
    lying = state.wager(event.box, event.player)
    total = state.total + event.amount - (0 if lying is None else lying.amount)
    if HOUSE in {wager.player for wager in state.wagers.get(state.banking.house_box.value, ())}:
        refusal = over_in_all(state, total)
        if refusal is not None:
            return refusal
    return short_of(state, total) if state.closed else None


def _not_the_bank(state: State, event: WagerPlaced) -> Refusal | None:
    bank = state.bank
    if bank is None:
        return None
    if event.player in bank.players:
        return refuse(f"{event.player} holds the bank: the other players wager against it", state.banking.against)
    if event.box != bank.box:
        return None
    if bank.method is Bank.HOUSE:
        return refuse(f"the House's tiles go to box {event.box}: no wager is accepted there", state.banking.house_box)
    return refuse(f"box {event.box} is the banker's: no other wager is allowed there", state.banking.banker_box)


def _of_means(state: State, event: WagerPlaced) -> Refusal | None:
    means = state.play.means
    if means is not None and event.means not in means.value:
        return refuse(f"a wager is not made of a {event.means.value} here", means)
    if event.spot is not None and not (is_whole(event.spot) and event.spot >= 1):
        return refuse(f"{event.spot!r} is no place in a box: they count from 1", state.play.control)
    return None


def _room(state: State, event: WagerPlaced) -> Refusal | None:
    lying = state.wagers.get(event.box, ())
    if any(wager.player == event.player for wager in lying):
        return refuse(f"{event.player} has a wager on box {event.box}: change that one", state.play.chips)
    most = state.setup.players_a_box
    if len(lying) >= most:
        return refuse(f"{most} wager on box {event.box} already, no more may", state.play.players_a_box)
    return None


def _beside_others(state: State, event: WagerPlaced) -> Refusal | None:
    """Whoever controls a box may wager on another only where somebody else does (or on a House Way place)."""
    several = state.play.several
    if several.value is not SeveralBoxes.BESIDE_OTHERS or event.box in state.setup.table.house_way_boxes:
        return None
    if not state.boxes_of(event.player):
        return None
    control = deciders(state)
    if event.player in control.values() and event.box not in control:
        return refuse(
            f"{event.player} controls a box, and nobody controls box {event.box}: he may not wager there", several
        )
    return None


@rule(
    WagerPlaced,
    ready=(going_on, _open),
    fits=(
        lambda state, event: box_of_table(state, event.box),
        lambda state, event: person(state, event.player),
        lambda state, event: chips(state, event.amount),
        _of_means,
        _not_the_bank,
        _room,
        _beside_others,
        _consented,
        _covered_still,
    ),
)
def _placed(state: State, event: WagerPlaced) -> State:
    """A wager lies on one of the boxes (crown-6.1 8.2); its player may have others elsewhere (nz-1998 6.7).

    This and the banker's own are the only wagers of the main game (star-2024 9.2).
    """
    lying = Lying(event.player, event.amount, state.placings, event.means, event.spot)
    on_box = (*state.wagers.get(event.box, ()), lying)
    return _settling_control(state, {**state.wagers, event.box: on_box}, state.placings + 1)


def _lies_there(state: State, event: WagerChanged | WagerWithdrawn) -> Refusal | None:
    if state.wager(event.box, event.player) is None:
        return refuse(f"{event.player} has no wager on box {event.box}", state.play.chips)
    return None


@rule(
    WagerChanged,
    ready=(going_on, _open, _some_wager),
    fits=(
        lambda state, event: person(state, event.player),
        _lies_there,
        lambda state, event: chips(state, event.amount),
        _consented,
        _covered_still,
    ),
)
def _changed(state: State, event: WagerChanged) -> State:
    on_box = tuple(
        Lying(lying.player, event.amount, lying.turn, lying.means, lying.spot)
        if lying.player == event.player
        else lying
        for lying in state.wagers[event.box]
    )
    return _settling_control(state, {**state.wagers, event.box: on_box}, state.placings)


@rule(
    WagerWithdrawn,
    ready=(going_on, _open, _some_wager),
    fits=(lambda state, event: person(state, event.player), _lies_there, _consented),
)
def _withdrawn(state: State, event: WagerWithdrawn) -> State:
    on_box = tuple(lying for lying in state.wagers[event.box] if lying.player != event.player)
    wagers = {box: lying for box, lying in state.wagers.items() if box != event.box}
    return _settling_control(state, {**wagers, event.box: on_box} if on_box else wagers, state.placings)


def _settling_control(state: State, wagers: dict[int, tuple[Lying, ...]], placings: int) -> State:
    after = state.but(wagers=wagers, placings=placings)
    return after.but(control=deciders(after)) if state.closed else after


def _bets_open(state: State) -> Refusal | None:
    return has_not(state, Milestone.BETS_CLOSED, state.play.no_change)


def _may_cede(state: State) -> Refusal | None:
    if state.play.cede is None:
        return refuse("decisions on a box are not handed on", state.play.control)
    return None


def _sits_and_wagers(state: State, event: ControlCeded) -> Refusal | None:
    if state.seats.get(event.box) != event.player or state.wager(event.box, event.player) is None:
        return refuse(f"{event.player} does not sit at box {event.box} with a wager on it", state.play.control)
    return None


@rule(ControlCeded, ready=(going_on, _bets_open, _some_wager, _may_cede), fits=(_sits_and_wagers,))
def _ceded(state: State, event: ControlCeded) -> State:
    return state.but(ceded=state.ceded | {event.box})


def _plays_one(state: State) -> Refusal | None:
    if state.play.several.value is SeveralBoxes.FREE:
        return refuse("a player plays every box he wagers on", state.play.several)
    return None


def _entitled(state: State, event: BoxChosen) -> Refusal | None:
    if len(state.boxes_of(event.player)) < 2:
        return refuse(f"{event.player} does not wager on more than one box", state.play.several)
    if event.player not in claimants(state, event.box):
        return refuse(f"{event.player} has no wager on box {event.box}", state.play.control)
    return None


@rule(BoxChosen, ready=(going_on, _bets_open, _some_wager, _plays_one), fits=(_entitled,))
def _chosen(state: State, event: BoxChosen) -> State:
    return state.but(chosen={**state.chosen, event.player: event.box})


def _announced(state: State) -> Refusal | None:
    if state.play.announced is None:
        closes = state.play.close[Bank.HOUSE]
        return refuse(f"betting is not called off here, it closes when {closes.value.value}", closes)
    return None


def _stacked(state: State) -> Refusal | None:
    return has(state, Milestone.STACKED, state.play.stack)


@rule(
    BetsClosed,
    ready=(
        going_on,
        _announced,
        bank_settled,
        _stacked,
        _bets_open,
        lambda state: may_close(state, Milestone.BETS_CLOSED),
    ),
)
def _bets_closed(state: State, _: BetsClosed) -> State:
    return closing(state, Milestone.BETS_CLOSED)

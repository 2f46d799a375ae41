"""Rules of the bank's hand (two tiles seen, set, confirmed, exposed), and of the players' hands matched with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import EngineError
from engine.game.ranking import Outcome
from engine.round.amounts import box_results, laid_at
from engine.round.event import DEALER
from engine.round.event_rules import bank_closed, bank_open, delivered, hands_set, has, leave, refuse, rule
from engine.round.events import (
    BankConfirmed,
    BankExposed,
    BankPeeked,
    BankSet,
    HandExposed,
    HandMatched,
    HouseWayConfirmed,
)
from engine.round.playing.hand_stages import fits_the_set, laid, retrieved
from engine.round.state.round_state import CLOSED, HandStage
from engine.settlement.outcome import Why, match_hands
from engine.settlement.wagers import BONUS, MAIN
from engine.vocabulary.facts import Bank, Fact, Milestone

if TYPE_CHECKING:
    from engine.round.state.round_state import State


def _may_peek(state: State) -> None:
    peek = state.play.peek
    if peek is None:
        refuse("no tiles are shown before all hands are set", state.bank_first)
    if state.method is not Bank.CO_BANK:
        refuse("only a co-banker may see two of the bank's tiles", peek)
    if state.bank_set_by is not None or state.tiles:
        refuse("the bank's hand is set, or two of its tiles were seen", peek)
    # No tiles are exposed before all hands are set, including these two; the only exception is 10.14 (nz-1998 10.10).
    has(state, Milestone.HANDS_SET, state.bank_first)


@rule(BankPeeked, ready=(delivered, _may_peek))
def _peeked(state: State, event: BankPeeked) -> State:
    fits_the_set(state, state.held.box, event.tiles, 2)
    return state.replace(tiles={**state.tiles, state.held.box: event.tiles})


def moved(state: State) -> None:
    """The bank's tiles lie before the float."""
    cite = state.play.to_float.get(state.held.method)
    if cite is not None and not state.bank_moved:
        refuse("the bank's tiles are brought before the float first", cite)


def _bank_unset(state: State) -> None:
    cite = state.play.opened_as_set.get(state.held.method)
    if cite is not None:
        refuse("the dealer opens the bank's tiles and sets them in one", cite)
    if state.bank_set_by is not None:
        refuse("the bank's hand is set", state.play.bank_last[state.held.method])
    if state.method is not Bank.PLAYER:
        moved(state)


def _sets_the_bank(state: State, event: BankSet) -> None:
    """A player-banker sets his own hand, the dealer the House's and a co-bank's (nz-1998 10.4(b)).

    Players who share the bank decide together, so any of them may set it (crown-6.1 10.2.6; nz-1998 7.3;
    star-classic 12.8).
    """
    bank = state.held
    rule = state.play.bank_last[bank.method]
    if bank.method is not Bank.PLAYER:
        if event.by != DEALER:
            refuse("the dealer sets the bank's hand, the House Way", rule)
    elif event.by == DEALER:
        if not state.bank_requested:
            refuse("the banker has not asked the dealer to set his hand", rule)
    elif event.by not in bank.players:
        refuse(f"{event.by} does not hold the bank", rule)


@rule(BankSet, ready=(delivered, bank_closed, retrieved, hands_set, _bank_unset))
def _bank_set(state: State, event: BankSet) -> State:
    _sets_the_bank(state, event)
    return state.replace(bank_set_by=event.by)


def to_be_confirmed(state: State) -> bool:
    """Whether a banker has yet to confirm the hand that the dealer set for him."""
    if state.play.confirm_own is None or state.method is not Bank.PLAYER:
        return False
    return state.bank_set_by == DEALER and not state.confirmed


def _confirmation_due(state: State) -> None:
    if not to_be_confirmed(state):
        refuse("no hand awaits the banker's confirmation", state.play.confirm_own or state.play.set_own)


@rule(BankConfirmed, ready=(delivered, _confirmation_due))
def _confirmed(state: State, event: BankConfirmed) -> State:
    if event.by not in state.held.players:
        refuse(f"{event.by} does not hold the bank", state.play.confirm_own or state.play.set_own)
    return state.replace(confirmed=True)


def _bank_ready(state: State) -> None:
    play, method = state.play, state.method
    assert method is not None  # noqa: S101  tiles are delivered
    if method not in play.opened_as_set and state.bank_set_by is None:
        refuse("the bank's hand is not set", play.bank_last[method])
    # A player-banker may open his hand at his own box; it is then brought before the float.
    if method is not Bank.PLAYER:
        moved(state)


def _two_hands(state: State, box: int, event: BankExposed | HandExposed) -> None:
    if len(event.low) != 2 or len(event.high) != 2:
        refuse("a hand lies as two tiles and two tiles", state.play.deliver)
    fits_the_set(state, box, (*event.low, *event.high), 4)


@rule(BankExposed, ready=(delivered, bank_closed, retrieved, hands_set, _bank_ready))
def _bank_exposed(state: State, event: BankExposed) -> State:
    """Players' hands are opened only after this (nz-1998 11.1(d))."""
    _two_hands(state, state.held.box, event)
    tiles = {**state.tiles, state.held.box: (*event.low, *event.high)}
    return state.reached(Milestone.BANK_EXPOSED, tiles=tiles)


def _house_awaits(state: State) -> bool:
    return state.play.confirm_house is not None and state.method is Bank.HOUSE and not state.house_confirmed


def _house_open(state: State) -> None:
    play = state.play
    if not _house_awaits(state):
        refuse("no hand of the House awaits confirmation", play.confirm_house or state.bank_first)
    bank_open(state)


@rule(HouseWayConfirmed, ready=(delivered, _house_open))
def _house_confirmed(state: State, event: HouseWayConfirmed) -> State:
    leave(state, event.by, state.play.confirm_house)
    return state.replace(house_confirmed=True)


def bank_need_not_be_shown(state: State) -> bool:
    """The House banks and only Bonus wagers lie: the dealer need not show the House's hand (crown-6.1 13.8.1)."""
    bets = {each.bet for lying in state.wagers.values() for each in lying if each.void is None and not each.by_dice}
    return state.setup.book.side_wagers is not None and state.method is Bank.HOUSE and bets == {BONUS}


def _bank_first(state: State) -> None:
    (hands_set if bank_need_not_be_shown(state) else bank_open)(state)


def _all_confirmed(state: State) -> None:
    play = state.play
    if play.confirm_house is not None and _house_awaits(state):
        refuse("the House's hand is confirmed to lie the House Way first", play.confirm_house)
    if play.confirm_own is not None and to_be_confirmed(state):
        refuse("the banker confirms the hand that the dealer set for him first", play.confirm_own)


def _open_box(state: State) -> int | None:
    return next((box for box, stage in state.hands.items() if stage is HandStage.EXPOSED), None)


def none_open(state: State) -> None:
    """No open hand is unmatched."""
    box = _open_box(state)
    if box is not None:
        refuse(f"the hand of box {box} is open and not matched yet", state.matched)


def losers_away(state: State) -> None:
    """Lost hands, and those that stand off, are put away, if the book requires that immediately."""
    lost, stood_off = (rules.get(state.held.method) for rules in (state.play.at_once, state.play.stood_off))
    for box, outcome in state.outcomes.items():
        if box in state.away | state.stays:
            continue
        if lost is not None and outcome is Outcome.LOSE:
            refuse(f"the lost wager and tiles of box {box} are picked up at once", lost)
        if stood_off is not None and outcome is Outcome.PUSH:
            refuse(f"the tiles of the stand-off of box {box} are removed first", stood_off)


def _next(state: State) -> int | None:
    """The next box in order whose hand is closed."""
    return next(iter(state.in_turn(box for box, stage in state.hands.items() if stage in CLOSED)), None)


def _hand_left(state: State) -> None:
    if _next(state) is None:
        refuse("no hand is left to open", state.matched)


@rule(HandExposed, ready=(delivered, _bank_first, moved, _all_confirmed, none_open, losers_away, _hand_left))
def _hand_exposed(state: State, event: HandExposed) -> State:
    if state.hands.get(event.box) not in CLOSED:
        refuse(f"no closed hand lies on box {event.box!r}", state.matched)
    cite, due = state.play.expose.get(state.held.method), _next(state)
    if cite is not None and event.box != due:
        refuse(f"hands are opened counter-clockwise from the chung: box {due} is next", cite)
    _two_hands(state, event.box, event)
    after = state.reached(Milestone.FIRST_HAND_EXPOSED, tiles={**state.tiles, event.box: (*event.low, *event.high)})
    set_by_player = state.hands[event.box] is HandStage.SET
    by_dealer = after.by_dealer if set_by_player else after.by_dealer | {event.box}
    if Milestone.BANK_EXPOSED in state.happened:
        return laid(after, event.box, HandStage.EXPOSED, by_dealer=by_dealer)
    # There is nothing to match it with; only what its Bonus comes to decides whether the tiles stay.
    after = laid(after, event.box, HandStage.MATCHED, by_dealer=by_dealer)
    return after.replace(stays=state.stays | {event.box} if _pays_yet(after, event.box) else state.stays)


def _some_open(state: State) -> None:
    if _open_box(state) is None:
        refuse("no hand is open to be matched", state.matched)


def _as_the_hands_lie(state: State, event: HandMatched) -> None:
    """The outcome matches the rulebook's for the two hands and the bank's."""
    own, banks = laid_at(state, event.box), laid_at(state, state.held.box)
    if own is None or banks is None:
        raise AssertionError  # both are open
    match = match_hands(own.setting, banks.setting, state.setup.book.settlement.matching)
    if match.outcome is not event.outcome:
        pair = f"box {event.box} {own.setting} against {banks.setting}"
        rulings = (15,) if Why.ZERO in {match.low.why, match.high.why} else ()
        refuse(f"{pair}: {match.outcome.value}, not {event.outcome.value}", Fact(None, match.cite, rulings))


@rule(HandMatched, ready=(_some_open,))
def _matched(state: State, event: HandMatched) -> State:
    if state.hands.get(event.box) is not HandStage.EXPOSED:
        refuse(f"the hand of box {event.box!r} is not the one that is open", state.matched)
    if not isinstance(event.outcome, Outcome):
        refuse(f"a wager wins, loses or stands off, not {event.outcome!r}", state.matched)
    _as_the_hands_lie(state, event)
    after = laid(state, event.box, HandStage.MATCHED, outcomes={**state.outcomes, event.box: event.outcome})
    return after.replace(stays=state.stays | {event.box} if _pays_yet(after, event.box) else state.stays - {event.box})


def _pays_yet(state: State, box: int) -> bool:
    """Whether a side wager on the box is won or surrendered, so that the tiles stay (crown-6.1 13.9.1(b))."""
    if all(lying.bet == MAIN for lying in state.wagers[box]):
        return False
    try:
        results = box_results(state, box)
    except EngineError:
        return True  # against two pairs the bank's hand counts too, which has not been shown (crown-6.1 Table 4)
    return any(one.outcome is Outcome.WIN or one.wager.surrendered for one in results)

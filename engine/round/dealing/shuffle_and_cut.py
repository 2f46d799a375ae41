"""Rules of the shuffle (shuffled, stacked, mixed once more by a laja), of the cut and of the buttons that adjust it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import CutError
from engine.round.before_deal.bets import closing, may_close
from engine.round.event import DEALER
from engine.round.event_rules import (
    bank_settled,
    has,
    has_not,
    has_rank,
    leave,
    not_reached,
    person,
    reached,
    refuse,
    rule,
    stacked,
    undelivered,
)
from engine.round.events import ButtonPlaced, CutNamed, LajaDone, Shuffled, Stacked
from engine.round.state.house_table import is_whole
from engine.vocabulary.cuts import Chooser
from engine.vocabulary.facts import Bank, Fact, Milestone

if TYPE_CHECKING:
    from engine.round.state.round_state import State
    from engine.vocabulary.play import Cutting, LajaRule


def _tiles_checked(state: State) -> None:
    play = state.play
    if play.check is not None and state.check_due:
        refuse("the tiles have to be checked and laid out in order of rank first", play.check)
    banked = state.bank is not None and state.bank.players
    anybody = state.seats or state.wagers or banked or state.closed  # nobody can join once it has closed
    if play.stay_shown is not None and state.shown and not anybody:
        refuse("the tiles stay laid out until a player takes a place", play.stay_shown)


def _may_shuffle_again(state: State) -> None:
    if Milestone.SHUFFLED in state.happened and state.play.reshuffle is None:
        refuse("the tiles have been shuffled for this round", state.play.shuffle)


@rule(Shuffled, ready=(_tiles_checked, undelivered, _may_shuffle_again))
def _shuffled(state: State, event: Shuffled) -> State:
    if Milestone.SHUFFLED in state.happened:
        leave(state, event.ordered_by, state.play.reshuffle)
    return state.replace(happened=(state.happened | {Milestone.SHUFFLED}) - {Milestone.STACKED})


_shuffled_now = reached(Milestone.SHUFFLED, lambda state: state.play.stack)
_not_stacked = not_reached(Milestone.STACKED, lambda state: state.play.stack)


@rule(Stacked, ready=(_shuffled_now, _not_stacked, undelivered))
def _stacked_up(state: State, _: Stacked) -> State:
    return state.reached(Milestone.STACKED)


# Laja


def _laja_known(state: State) -> None:
    if state.play.laja is None:
        refuse("the tiles are mixed in the shuffle only", state.play.shuffle)


def _laja(state: State) -> Fact[LajaRule]:
    assert state.play.laja is not None  # noqa: S101  _laja_known
    return state.play.laja


def _cut_open(state: State) -> None:
    """A laja precedes the decision on the cut; where the cut die decides it, that is when the dice are seen."""
    by_die = state.method is not None and state.cut_choice.who == (Chooser.CUT_DIE,)
    decided = Milestone.CUT_NAMED in state.happened or (by_die and Milestone.DICE_SHOWN in state.happened)
    if decided or Milestone.TILES_DELIVERED in state.happened:
        refuse("too late: the cut is decided", _laja(state))


def _laja_left(state: State) -> None:
    laja = _laja(state)
    if laja.value.banker_only and state.bank is None:
        refuse("it is not settled yet who holds the bank and may ask for a laja", laja)
    most = laja.value.most
    if most is not None and state.lajas >= most.value:
        refuse(f"no more than {most.value} laja in a round", most)
    if laja.value.then_bank is not None and state.player_laja and (state.bank_laja or state.bank is None):
        refuse("after a player's laja only the bank may mix the tiles, once", laja.value.then_bank)


def _may_request(state: State, event: LajaDone) -> None:
    """Any player requests it; some books allow only the player-banker (nz-1998 9.2(a) and 9.2(b))."""
    laja, bank = _laja(state), state.bank
    if event.asked_by != DEALER or not _banks_turn(state):
        person(state, event.asked_by)
    if laja.value.banker_only and bank is not None and bank.players and event.asked_by not in bank.players:
        refuse("with a player in the bank only he asks for a laja", laja)


def _may_mix(state: State, event: LajaDone) -> None:
    laja, bank = _laja(state), state.bank
    if _banks_turn(state):
        bankers = (DEALER,) if bank is None or bank.method is Bank.HOUSE else bank.players
        if event.by in bankers and event.asked_by in bankers:
            return
        refuse("after a player's laja only the bank may mix the tiles", laja.value.then_bank or laja)
    if event.by != DEALER and not laja.value.by_players:
        refuse("the dealer performs the laja", laja)
    if event.by not in {DEALER, event.asked_by}:
        refuse("it is performed by the dealer, or by the player who asked", laja)
    exposed = laja.value.exposed
    if exposed is None or event.by != DEALER or not has_rank(state, event.asked_by, exposed):
        leave(state, event.approved_by, laja.value.leave)


def _banks_turn(state: State) -> bool:
    """After a player's own laja the bank may perform one (star-2024 7.3.2; star-classic 7.3.2)."""
    return state.player_laja and _laja(state).value.then_bank is not None


@rule(LajaDone, ready=(_laja_known, stacked, _cut_open, _laja_left))
def _mixed(state: State, event: LajaDone) -> State:
    _may_request(state, event)
    _may_mix(state, event)
    banks = _banks_turn(state)
    return state.replace(
        lajas=state.lajas + 1, player_laja=state.player_laja or event.by != DEALER, bank_laja=state.bank_laja or banks
    )


def cutting_of(state: State) -> Fact[Cutting]:
    """When the cut of this round is decided."""
    return state.play.cut[state.held.method]


_cut_unnamed = not_reached(Milestone.CUT_NAMED, cutting_of)


def _cut_due(state: State) -> None:
    play, cutting = state.play, cutting_of(state)
    if play.announced is not None and not state.closed:
        refuse('the dealer calls "no more bets" first', play.announced)
    if play.cut_after_shake is not None and not state.shaken_by and Milestone.DICE_SHOWN not in state.happened:
        refuse("the dice tumble before the cut is decided", play.cut_after_shake)
    if cutting.value.after_dice and state.first_box is None:
        refuse("the cut is named once the dice are exposed", cutting)


def _somebody_decides(state: State) -> None:
    choice = state.cut_choice
    if not choice.who:
        refuse("no cut is spoken of: the stacks are dealt as they stand", choice.cite)


def _cut_known(state: State, event: CutNamed) -> None:
    """The cut is on the book's list (star-classic 7.4), or an accepted addition that the book allows."""
    cuts, choice = state.cuts, state.cut_choice
    if not isinstance(event.cut, str) or not event.cut.strip():
        refuse("name the cut", choice.cite)
    try:
        cut, _ = cuts.find(event.cut)
    except CutError:
        _accepted(state, event)
        return
    allowed = state.setup.table.cuts
    if allowed is not None and cut.cut not in allowed:
        refuse(f"{cut.label} is not approved for this table", cuts.approved or cut.cite)
    if (
        event.by is Chooser.CUT_DIE
        and cuts.by_die is not None
        and state.cup is not None
        and isinstance(state.cup.cut, int)
    ):
        shown = cuts.of_die(state.cup.cut)
        if shown is not cut:
            refuse(f"the cut die shows {state.cup.cut}: {shown.label}, not {cut.label}", cuts.by_die)


def _accepted(state: State, event: CutNamed) -> None:
    cuts, others = state.cuts, state.cuts.accepted(state.held.method)
    if others is None or event.by is Chooser.CUT_DIE:
        known = ", ".join(each.chinese for each in cuts.named)
        refuse(f"{event.cut!r} is not one of its cuts: {known}", cuts.cite)
    leave(state, event.accepted_by, Fact(others.value.title, others.cite, others.rulings))


_cut_ready = (stacked, _somebody_decides, _cut_unnamed, undelivered, _cut_due, may_close(Milestone.CUT_NAMED))


@rule(CutNamed, ready=(bank_settled, *_cut_ready))
def _cut_named(state: State, event: CutNamed) -> State:
    choice, others = state.cut_choice, state.cuts.accepted(state.held.method)
    if event.by not in choice.who:
        # Where the cut die decides, a supervisor may accept another cut (star-2024 8.4.5, ruling 43).
        if others is None or event.by is not Chooser.SUPERVISOR or choice.who != (Chooser.CUT_DIE,):
            refuse(choice.words, choice.cite)
        leave(state, event.accepted_by, Fact(others.value.title, others.cite, others.rulings))
    _cut_known(state, event)
    return closing(state, Milestone.CUT_NAMED, cut=event.cut)


# Buttons


def _button_due(state: State) -> None:
    buttons = state.dice.buttons
    if not buttons.value.values:
        refuse("no buttons are used", buttons)
    if not state.setup.table.buttons:
        refuse("this table does not offer them", buttons)
    if state.method not in buttons.value.banks:
        refuse("only a player in the bank adjusts the delivery", buttons)
    if state.button is not None:
        refuse("the delivery is adjusted already", buttons)
    after, before = buttons.value.after, buttons.value.before
    if after is not None:
        has(state, after, buttons)
    if before is not None:
        has_not(state, before, buttons)


@rule(ButtonPlaced, ready=(stacked, _button_due))
def _button_placed(state: State, event: ButtonPlaced) -> State:
    buttons = state.dice.buttons
    if not (is_whole(event.value) and event.value in buttons.value.values):
        known = ", ".join(f"{value:+d}" for value in sorted(buttons.value.values))
        refuse(f"there is no button {event.value!r}: there are {known}", buttons)
    return state.replace(button=event.value)

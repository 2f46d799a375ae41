"""Rules of the cut, and of the buttons by which a banker adjusts the delivery."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import CutError
from engine.round.before_deal.bets import closing, may_close
from engine.round.event_rules import bank_settled, has, has_not, leave, not_reached, refuse, rule, stacked, undelivered
from engine.round.events import ButtonPlaced, CutNamed
from engine.round.state.house_table import is_whole
from engine.vocabulary.cuts import Chooser
from engine.vocabulary.facts import Fact, Milestone

if TYPE_CHECKING:
    from engine.round.state.round_state import State
    from engine.vocabulary.play import Cutting


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
    """The cut is on the book's list (star-classic 7.4), or was accepted beyond it as the book allows."""
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
    cuts, others = state.cuts, state.cuts.others
    if others is None or event.by is Chooser.CUT_DIE or state.held.method not in others.value.banks:
        known = ", ".join(each.chinese for each in cuts.named)
        refuse(f"{event.cut!r} is not one of its cuts: {known}", cuts.cite)
    leave(state, event.accepted_by, Fact(others.value.title, others.cite, others.rulings))


_cut_ready = (stacked, _somebody_decides, _cut_unnamed, undelivered, _cut_due, may_close(Milestone.CUT_NAMED))


@rule(CutNamed, ready=(bank_settled, *_cut_ready))
def _cut_named(state: State, event: CutNamed) -> State:
    choice = state.cut_choice
    if event.by not in choice.who:
        refuse(choice.words, choice.cite)
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
    return state.but(button=event.value)

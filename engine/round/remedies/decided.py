"""Decisions on irregularities: remedies that the book allows at this moment by this authority, and their effects.

Conditions that a book states only in words ("where it cannot be reconstructed") are left to the person who decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.round.event import DEALER
from engine.round.event_rules import person, refuse, rule
from engine.round.events import IrregularityDecided
from engine.round.remedies.effects import FOLLOWS
from engine.round.remedies.needs import check_kind, check_remedy
from engine.round.remedies.situation import finding
from engine.vocabulary.facts import Fact, Milestone
from engine.vocabulary.irregularities import Irregularity, code
from engine.vocabulary.remedy import WINDOWS, Effect, Person, as_title

if TYPE_CHECKING:
    from engine.round.state.round_state import State
    from engine.vocabulary.irregularities import Remedies
    from engine.vocabulary.remedy import Remedy


def _option(found: Remedies, event: IrregularityDecided) -> Remedy | None:
    return next((one for one in found.options if (one.cite, one.effect) == (event.rule, event.remedy)), None)


def _allowed(state: State, event: IrregularityDecided) -> Remedy:
    """The remedy, if the book allows it for this at this moment and by this authority."""
    found = finding(state, event)
    option = _option(found, event)
    if option is None:
        has = ", ".join(f"{code(one.effect)} by {one.cite}" for one in found.options)
        refuse(
            f"for {code(event.irregularity)} the book has no {code(event.remedy)} by {event.rule} now, but: {has}",
            found.options[0].cite,
        )
    if option.whose and event.box is None:
        refuse("the rule asks whose hand it is: name the box", option.cite)
    decided = event.decision is not None and event.decision is not Effect.AS_DECIDED
    if decided is not (event.remedy is Effect.AS_DECIDED):
        refuse("what becomes of wagers is said where the rule leaves it to be decided, and only there", option.cite)
    if not may_decide(state, option, event.decided_by, event.box):
        rule = Fact(None, option.cite, option.rulings)
        refuse(f"this is for {option.by.words}, not for {event.decided_by!r}", rule)
    effect = event.decision or event.remedy
    after, before = WINDOWS.get(effect, (None, None))
    if (after is not None and after not in state.happened) or (before is not None and before in state.happened):
        refuse(f"{code(effect)} cannot be had at this moment of the round", option.cite)
    if effect is not Effect.AS_SET_NOW and (event.low is not None or event.high is not None):
        refuse("only a hand that is set again is written with its tiles", option.cite)
    check_kind(state, event, option.cite)
    check_remedy(state, event, effect, option.cite)
    return option


def may_decide(state: State, option: Remedy, who: str, box: int | None) -> bool:
    """Whether somebody may decide it: a title, `DEALER` or a player."""
    by, title = option.by, as_title(state.play.ranks, who)
    if title is not None:
        return title in by.titles(state.play.ranks)
    if who.casefold() == DEALER:
        return Person.DEALER in by.people
    if who in state.bankers:
        return Person.BANKER in by.people
    return Person.PLAYER in by.people and (box is None or who == state.control.get(box, who))


def _not_gone(state: State) -> None:
    """The round is not void and the table not closed; irregularities may be found in a completed round."""
    if state.void is not None or state.concluded:
        refuse("the round is over: the next event belongs to the next round", state.play.shuffle)


@rule(IrregularityDecided, ready=(_not_gone,), after_end=True)
def _decided(state: State, event: IrregularityDecided) -> State:
    disputes = state.setup.book.irregularities.said[Irregularity.DISPUTE][0].cite
    if not isinstance(event.irregularity, Irregularity) or not isinstance(event.remedy, Effect):
        refuse("say what went wrong and which remedy was taken, by their names", disputes)
    box = event.box
    if box is not None and box not in range(1, state.setup.places + 1):
        refuse(f"there is no box {box!r}: they are 1 to {state.setup.places}", state.play.boxes)
    if event.player is not None:
        person(state, event.player)
    option, follows = _allowed(state, event), FOLLOWS.get(event.decision or event.remedy)
    after = state if follows is None else follows(state, event, option.cite)
    # Undoing it after the end would leave a round that is over and not settled.
    if Milestone.ROUND_OVER in state.happened and Milestone.SETTLED not in after.happened:
        refuse("the round is over and settled: what was paid wrongly is put right apart from it", option.cite)
    return after

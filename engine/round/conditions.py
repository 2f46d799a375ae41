"""Conditions that several kinds of event share; each refuses with the rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.round.event_rules import refuse
from engine.round.events import DEALER, HOUSE
from engine.round.state.house_table import is_whole
from engine.vocabulary.facts import Milestone

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.round.state.round_state import State
    from engine.vocabulary.facts import Fact
    from engine.vocabulary.sources import Cite


def has(state: State, milestone: Milestone, rule: Cite | Fact[Any]) -> None:
    """The milestone is reached."""
    if milestone not in state.happened:
        refuse(f"too early: this comes once {milestone.value}", rule)


def has_not(state: State, milestone: Milestone, rule: Cite | Fact[Any]) -> None:
    """The milestone is not reached yet."""
    if milestone in state.happened:
        refuse(f"too late: {milestone.value}", rule)


def reached(milestone: Milestone, rule: Callable[[State], Cite | Fact[Any]]) -> Callable[[State], None]:
    """The condition that a milestone is reached, by a rule of the round's book."""
    return lambda state: has(state, milestone, rule(state))


def not_reached(milestone: Milestone, rule: Callable[[State], Cite | Fact[Any]]) -> Callable[[State], None]:
    """The condition that a milestone is not reached yet, by a rule of the round's book."""
    return lambda state: has_not(state, milestone, rule(state))


stacked = reached(Milestone.STACKED, lambda state: state.play.stack)
undelivered = not_reached(Milestone.TILES_DELIVERED, lambda state: state.play.deliver)
delivered = reached(Milestone.TILES_DELIVERED, lambda state: state.play.deliver)
bets_open = not_reached(Milestone.BETS_CLOSED, lambda state: state.play.no_change)
bank_closed = not_reached(Milestone.BANK_EXPOSED, lambda state: state.play.bank_first)
bank_open = reached(Milestone.BANK_EXPOSED, lambda state: state.play.bank_first)
hands_set = reached(Milestone.HANDS_SET, lambda state: state.play.bank_last[state.held.method])
"""All hands but the bank's are set."""


def bank_settled(state: State) -> None:
    """It is settled who banks."""
    if state.bank is None:
        refuse("it is not settled yet who holds the bank", state.banking.methods)


def house_box_free(state: State) -> None:
    """No wager lies where the House's tiles go."""
    house = state.banking.house_box
    if house.value in state.wagers:
        refuse(f"wagers lie on box {house.value}, where the House's tiles go: withdraw them first", house)


def is_person(name: object) -> bool:
    """Whether it is a player's name."""
    return isinstance(name, str) and bool(name.strip()) and name not in {DEALER, HOUSE}


def person(state: State, name: object) -> None:
    """It is a player's name."""
    if not is_person(name):
        refuse(f"{name!r} is no player's name", state.banking.against)


def box_of_table(state: State, box: object) -> None:
    """It is one of the players' boxes."""
    if not (isinstance(box, int) and is_whole(box) and 1 <= box <= state.setup.boxes):
        refuse(f"there is no box {box!r}: boxes are 1 to {state.setup.boxes}", state.play.boxes)


def chips(state: State, amount: object) -> None:
    """It is a positive whole number of the smallest unit."""
    if not (isinstance(amount, int) and is_whole(amount) and amount > 0):
        refuse(f"{amount!r} is no amount of chips: give a whole number above 0", state.play.chips)


def has_rank(state: State, given: str | None, needed: Fact[str] | Fact[str | None] | None) -> bool:
    """Whether a title is at least the one that a rule requires."""
    if needed is None or needed.value is None:
        return True
    level = {title: number for number, titles in enumerate(state.play.ranks) for title in titles}
    return given in level and level[given] >= level[needed.value]


def leave(state: State, given: str | None, needed: Fact[str] | Fact[str | None] | None) -> None:
    """Whoever gave leave holds at least the title that it takes."""
    if needed is not None and not has_rank(state, given, needed):
        who = f"{given!r} cannot give it" if given else "nobody gave it"
        refuse(f"this takes the leave of a {needed.value} or above; {who}", needed)

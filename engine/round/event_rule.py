"""What a rule about a kind of event is made of: when it may happen, what it may say, and what it changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from engine.round.events import DEALER, HOUSE, Event
from engine.round.state import is_whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.round.state import State
    from engine.vocabulary.facts import Fact, Milestone
    from engine.vocabulary.sources import Cite

E = TypeVar("E", bound=Event)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an event is not allowed.

    Attributes:
        reason: what is wrong and what to do.
        cite: the rule.
        rulings: numbers of our rulings under which the rule is read.
    """

    reason: str
    cite: Cite
    rulings: tuple[int, ...] = ()

    def __str__(self) -> str:
        """Reason and rule in one line."""
        read = "".join(f", ruling {number}" for number in self.rulings)
        return f"{self.reason} ({self.cite}{read})"


def refuse(reason: str, rule: Cite | Fact[Any]) -> Refusal:
    """A refusal under a rule, or under a fact with its rule and rulings."""
    return Refusal(reason, rule) if isinstance(rule, str) else Refusal(reason, rule.cite, rule.rulings)


@dataclass(frozen=True, slots=True)
class Rule(Generic[E]):
    """All about one kind of event.

    Attributes:
        ready: what must hold before any event of the kind may happen; the first refusal counts.
        fits: what must hold of the event itself.
        then: the state after it.
    """

    ready: tuple[Callable[[State], Refusal | None], ...]
    fits: tuple[Callable[[State, E], Refusal | None], ...]
    then: Callable[[State, E], State]


RULES: dict[type[Event], Rule[Any]] = {}
"""By class of event."""


def rule(
    event: type[E],
    *,
    ready: tuple[Callable[[State], Refusal | None], ...] = (),
    fits: tuple[Callable[[State, E], Refusal | None], ...] = (),
) -> Callable[[Callable[[State, E], State]], Callable[[State, E], State]]:
    """Make a function the effect of a kind of event, under these conditions."""

    def enter(then: Callable[[State, E], State]) -> Callable[[State, E], State]:
        RULES[event] = Rule(ready, fits, then)
        return then

    return enter


def not_ready(state: State, kind: type[Event]) -> Refusal | None:
    """Why no event of this kind may happen now; None if one may."""
    for check in RULES[kind].ready:
        refusal = check(state)
        if refusal is not None:
            return refusal
    return None


def unfit(state: State, event: Event) -> Refusal | None:
    """Why this event may not happen now; None if it may."""
    refusal = not_ready(state, type(event))
    if refusal is not None:
        return refusal
    for check in RULES[type(event)].fits:
        refusal = check(state, event)
        if refusal is not None:
            return refusal
    return None


# Conditions that several kinds of event share


def going_on(state: State) -> Refusal | None:
    """The round is not over."""
    if state.over:
        return refuse("the round is over: the next event belongs to the next round", state.play.shuffle)
    return None


def has(state: State, milestone: Milestone, rule: Cite | Fact[Any]) -> Refusal | None:
    """The milestone is reached."""
    if milestone in state.happened:
        return None
    return refuse(f"too early: this comes once {milestone.value}", rule)


def has_not(state: State, milestone: Milestone, rule: Cite | Fact[Any]) -> Refusal | None:
    """The milestone is not reached yet."""
    if milestone not in state.happened:
        return None
    return refuse(f"too late: {milestone.value}", rule)


def bank_settled(state: State) -> Refusal | None:
    """It is settled who banks."""
    if state.bank is None:
        return refuse("it is not settled yet who holds the bank", state.banking.methods)
    return None


def person(state: State, name: object) -> Refusal | None:
    """It is a player's name."""
    if isinstance(name, str) and name.strip() and name not in {DEALER, HOUSE}:
        return None
    return refuse(f"{name!r} is no player's name", state.banking.against)


def box_of_table(state: State, box: object) -> Refusal | None:
    """It is one of the players' boxes."""
    if isinstance(box, int) and is_whole(box) and 1 <= box <= state.setup.boxes:
        return None
    return refuse(f"there is no box {box!r}: boxes are 1 to {state.setup.boxes}", state.play.boxes)


def chips(state: State, amount: object) -> Refusal | None:
    """It is a positive whole number of the smallest unit."""
    if isinstance(amount, int) and is_whole(amount) and amount > 0:
        return None
    return refuse(f"{amount!r} is no amount of chips: give a whole number above 0", state.play.chips)


def leave(state: State, given: str | None, needed: Fact[str] | Fact[str | None] | None) -> Refusal | None:
    """Whoever gave leave holds at least the title that it takes."""
    if needed is None or needed.value is None:
        return None
    ranks = state.play.ranks
    level = {title: number for number, titles in enumerate(ranks) for title in titles}
    if given in level and level[given] >= level[needed.value]:
        return None
    who = f"{given!r} cannot give it" if given else "nobody gave it"
    return refuse(f"this takes the leave of a {needed.value} or above; {who}", needed)

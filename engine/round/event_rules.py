"""Building blocks of event rules: conditions, checks of the event, and the resulting state.

Conditions raise `EngineError` with the rule that forbids the event; `refusal_of` converts it to a value.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from engine.errors import EngineError, Refusal
from engine.round.event import DEALER, HOUSE, Event
from engine.round.state.house_table import is_whole
from engine.vocabulary.facts import Milestone
from engine.vocabulary.names import is_name
from engine.vocabulary.remedy import as_title

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.round.state.round_state import State
    from engine.vocabulary.citations import Cite
    from engine.vocabulary.facts import Fact


E = TypeVar("E", bound=Event)


def refuse(reason: str, rule: Cite | Fact[Any]) -> NoReturn:
    raise EngineError(reason, rule)


@contextmanager
def citing(rule: Cite | Fact[Any]) -> Iterator[None]:
    """Attach a rule to errors from other parts of the engine that name none."""
    try:
        yield
    except EngineError as fault:
        if fault.rule is not None:
            raise
        raise EngineError(fault.reason, rule) from fault


@dataclass(frozen=True, slots=True)
class EventRule(Generic[E]):
    """The rule for one kind of event.

    Attributes:
        ready: conditions on the round for any event of the kind; the first refusal is reported.
        then: checks the event itself, and returns the next state.
    """

    ready: tuple[Callable[[State], None], ...]
    then: Callable[[State, E], State]

    def follow(self, state: State, event: E) -> State:
        """The state after an event; `EngineError` with the rule if it is not allowed now."""
        self.check_ready(state)
        return self.then(state, event)

    def check_ready(self, state: State) -> None:
        """Check whether an event of the kind is allowed now."""
        for condition in self.ready:
            condition(state)


def going_on(state: State) -> None:
    """The round is not over."""
    if state.over:
        refuse("the round is over: the next event belongs to the next round", state.play.shuffle)


RULES: dict[type[Event], EventRule[Any]] = {}


def rule(
    event: type[E], *, ready: tuple[Callable[[State], None], ...] = (), after_end: bool = False
) -> Callable[[Callable[[State, E], State]], Callable[[State, E], State]]:
    """Register a function that checks a kind of event, under conditions on the round, and returns the next state."""

    def enter(then: Callable[[State, E], State]) -> Callable[[State, E], State]:
        RULES[event] = EventRule(ready if after_end else (going_on, *ready), then)
        return then

    return enter


def refusal_of(fault: EngineError) -> Refusal:
    """Convert an error with a rule to a refusal; an error without one is re-raised."""
    if fault.rule is None:
        raise fault
    return Refusal.under(fault.rule, fault.reason)


def has(state: State, milestone: Milestone, rule: Cite | Fact[Any]) -> None:
    if milestone not in state.happened:
        refuse(f"too early: this comes once {milestone.value}", rule)


def has_not(state: State, milestone: Milestone, rule: Cite | Fact[Any]) -> None:
    """The milestone is not reached yet."""
    if milestone in state.happened:
        refuse(f"too late: {milestone.value}", rule)


def reached(milestone: Milestone, rule: Callable[[State], Cite | Fact[Any]]) -> Callable[[State], None]:
    """Condition: a milestone is reached, by a rule of the round's book."""
    return lambda state: has(state, milestone, rule(state))


def not_reached(milestone: Milestone, rule: Callable[[State], Cite | Fact[Any]]) -> Callable[[State], None]:
    """Condition: a milestone is not reached yet, by a rule of the round's book."""
    return lambda state: has_not(state, milestone, rule(state))


stacked = reached(Milestone.STACKED, lambda state: state.play.stack)
undelivered = not_reached(Milestone.TILES_DELIVERED, lambda state: state.play.deliver)
delivered = reached(Milestone.TILES_DELIVERED, lambda state: state.play.deliver)
bets_open = not_reached(Milestone.BETS_CLOSED, lambda state: state.play.no_change)
bank_closed = not_reached(Milestone.BANK_EXPOSED, lambda state: state.bank_first)
bank_open = reached(Milestone.BANK_EXPOSED, lambda state: state.bank_first)
hands_set = reached(Milestone.HANDS_SET, lambda state: state.play.bank_last[state.held.method])
"""All hands but the bank's are set."""


def bank_settled(state: State) -> None:
    if state.bank is None:
        refuse("it is not settled yet who holds the bank", state.banking.methods)


def house_box_free(state: State) -> None:
    """No wager is placed where the House's tiles go."""
    house = state.banking.house_box
    if house.value in state.wagers:
        refuse(f"wagers lie on box {house.value}, where the House's tiles go: withdraw them first", house)


def is_person(name: object) -> bool:
    """Whether it is a player's name."""
    return is_name(name) and name not in {DEALER, HOUSE}


def person(state: State, name: object) -> None:
    """It is a player's name."""
    if not is_person(name):
        refuse(f"{name!r} is no player's name", state.banking.against)


def not_barred(state: State, player: str) -> None:
    rule = state.barred.get(player)
    if rule is not None:
        refuse(f"{player} takes no further part in the game", rule)


def box_of_table(state: State, box: object) -> None:
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
    title = as_title(state.play.ranks, given) if isinstance(given, str) else None
    return title is not None and level[title] >= level[needed.value]


def leave(state: State, given: str | None, needed: Fact[str] | Fact[str | None] | None) -> None:
    """The person who gave permission has at least the required title."""
    if needed is not None and not has_rank(state, given, needed):
        who = f"{given!r} cannot give it" if given else "nobody gave it"
        refuse(f"this takes the leave of a {needed.value} or above; {who}", needed)

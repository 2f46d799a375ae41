"""What a rule about a kind of event is made of: when it may happen, what it may hold, and what it changes.

Conditions raise `EngineError` with the rule that forbids the event; `refusal_of` makes a value of it.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from engine.errors import EngineError, Refusal
from engine.round.events import Event

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.round.state.round_state import State
    from engine.vocabulary.facts import Fact
    from engine.vocabulary.sources import Cite

E = TypeVar("E", bound=Event)


def refuse(reason: str, rule: Cite | Fact[Any]) -> NoReturn:
    """Refuse an event under a rule."""
    raise EngineError(reason, rule)


@contextmanager
def citing(rule: Cite | Fact[Any]) -> Iterator[None]:
    """Put a rule to errors of other parts of the engine that name none."""
    try:
        yield
    except EngineError as fault:
        if fault.rule is not None:
            raise
        raise EngineError(fault.reason, rule) from fault


@dataclass(frozen=True, slots=True)
class EventRule(Generic[E]):
    """All about one kind of event.

    Attributes:
        ready: conditions on the round for any event of the kind; the first refusal counts.
        then: checks the event itself, and gives the state after it.
    """

    ready: tuple[Callable[[State], None], ...]
    then: Callable[[State, E], State]

    def follow(self, state: State, event: E) -> State:
        """The state after an event; `EngineError` with the rule if it may not happen now."""
        self.check_ready(state)
        return self.then(state, event)

    def check_ready(self, state: State) -> None:
        """Check whether an event of the kind may happen now."""
        for condition in self.ready:
            condition(state)


def going_on(state: State) -> None:
    """The round is not over."""
    if state.over:
        refuse("the round is over: the next event belongs to the next round", state.play.shuffle)


RULES: dict[type[Event], EventRule[Any]] = {}
"""By class of event."""


def rule(
    event: type[E], *, ready: tuple[Callable[[State], None], ...] = (), after_end: bool = False
) -> Callable[[Callable[[State, E], State]], Callable[[State, E], State]]:
    """Make a function check a kind of event, under conditions on the round, and give the state after it."""

    def enter(then: Callable[[State, E], State]) -> Callable[[State, E], State]:
        RULES[event] = EventRule(ready if after_end else (going_on, *ready), then)
        return then

    return enter


def refusal_of(fault: EngineError) -> Refusal:
    """The refusal that an error of a rule stands for; an error without a rule is raised again."""
    if fault.rule is None:
        raise fault
    return Refusal.under(fault.rule, fault.reason)

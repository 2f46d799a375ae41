"""A round as its log: every event verified, and every state made from the events alone."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Self

from engine.books.registry import rulebook
from engine.errors import EngineError, IllegalEventError, RecordError, Refusal
from engine.round import settling
from engine.round.amounts import banked_of, dice_results, results_of, settlement_of, tile_results
from engine.round.before_deal import bank, bets, opening
from engine.round.dealing import shuffle_and_cut, throw_and_delivery
from engine.round.event import KINDS, Event
from engine.round.event_rules import RULES, refusal_of
from engine.round.events import BigSmallSettled, Settled
from engine.round.playing import matching, set_hands
from engine.round.remedies import decided
from engine.round.serialization import VERSION, read_before, read_event, read_table, with_keys, write, write_event
from engine.round.state.house_table import Before, Setup
from engine.round.state.round_state import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.settlement.result import Settlement

RULE_MODULES = (
    *(opening, bank, bets, shuffle_and_cut, throw_and_delivery),
    *(set_hands, matching, settling, decided),
)
"""The modules that, once imported, have entered a rule for every kind of event."""


@dataclass(frozen=True)
class RoundLog:
    """A round of play: what happened, in order. `opened` starts one; `append` gives a longer log."""

    setup: Setup
    before: Before
    events: tuple[Event, ...]
    state: State

    @classmethod
    def opened(cls, setup: Setup, before: Before | None = None) -> Self:
        """A round in which nothing has happened; without `before` play begins with it."""
        start = Before(offer_from=setup.banking.first_offer.value) if before is None else before
        return cls(setup, start, (), State.opening(setup, start))

    @classmethod
    def replayed(cls, setup: Setup, before: Before | None, events: Iterable[Event]) -> Self:
        """The log of these events; `IllegalEventError` if one of them was not allowed."""
        log = cls.opened(setup, before)
        state, played = log.state, []
        for event in events:
            state = follow(state, event)
            played.append(event)
        return cls(setup, log.before, tuple(played), state)

    @property
    def settlement(self) -> Settlement:
        """The same as ``houseway settle`` gives for its wagers and hands; `EngineError` if something is missing."""
        return settlement_of(self.state)

    @property
    def due(self) -> Settled:
        """The settlement that the rulebook gives for this log, as an event; errors as for `settlement`."""
        return Settled(results_of(tile_results(self.state)), banked_of(self.state))

    @property
    def due_on_dice(self) -> BigSmallSettled:
        """What the wagers on Big and Small come to, as an event; errors as for `settlement`."""
        return BigSmallSettled(results_of(dice_results(self.state)))

    @property
    def due_now(self) -> Settled | BigSmallSettled | None:
        """The settlement, of the wagers on the dice first, if it may happen now; None if something comes before it."""
        state = self.state
        if not state.over and state.bets_on_dice and state.dice_results is None and state.first_box is not None:
            on_dice = self.due_on_dice
            return on_dice if self.refusal(on_dice) is None else None
        if state.over or _unready(state, Settled) is not None:
            return None
        due = self.due
        return due if self.refusal(due) is None else None

    def refusal(self, event: Event) -> Refusal | None:
        """Why this event is not allowed now; None if it is."""
        try:
            follow(self.state, event)
        except IllegalEventError as fault:
            return fault.refusal
        return None

    def append(self, event: Event) -> Self:
        """The log with this event; `IllegalEventError` if the rulebook does not allow it now."""
        return type(self)(self.setup, self.before, (*self.events, event), follow(self.state, event))

    def allowed(self) -> dict[str, Refusal | None]:
        """For each kind of event, why none of it may happen now; None for a kind that may."""
        return {kind: _unready(self.state, cls) for kind, cls in KINDS.items()}

    def to_dict(self) -> dict[str, object]:
        """The round as plain data, its events numbered."""
        return {**write_setup(self.setup), "before": write(self.before), "events": write_events(self.events)}

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> Self:
        """Parse a written round, verifying each event.

        Raises:
            RecordError: it is not written as `to_dict` writes.
            IllegalEventError: an event was not allowed.
        """
        setup = read_setup(data, {"version", "rulebook", "table", "before", "events"})
        return cls.replayed(setup, read_before(data["before"]), read_events(data["events"]))


def follow(state: State, event: Event) -> State:
    """The state after an event; `IllegalEventError`, with the rule, if the rulebook does not allow it now."""
    try:
        after: State = RULES[type(event)].follow(state, event)
    except EngineError as fault:
        raise IllegalEventError(event.kind, refusal_of(fault)) from fault
    return after


def _unready(state: State, kind: type[Event]) -> Refusal | None:
    try:
        RULES[kind].check_ready(state)
    except EngineError as fault:
        return refusal_of(fault)
    return None


def write_setup(setup: Setup) -> dict[str, object]:
    """Rulebook and table of a round or session as plain data."""
    table = setup.table
    named = [each.name for each in fields(table) if each.name != "house_way_on" or table.house_way_on is not None]
    return {
        "version": VERSION,
        "rulebook": setup.book.id,
        "rulebook_version": setup.book.version,
        "table": {name: write(getattr(table, name)) for name in named},
    }


def write_events(events: Iterable[Event]) -> list[dict[str, object]]:
    """Events as plain data, numbered from 1."""
    return [{"number": number, **write_event(event)} for number, event in enumerate(events, start=1)]


def read_setup(data: Mapping[str, object], keys: set[str]) -> Setup:
    """Rulebook and table of a written round or session with these keys; the book's version is optional."""
    data = with_keys(data, keys, {"rulebook_version"}, "the written log")
    if data["version"] != VERSION:
        raise RecordError(f"version {data['version']!r} of the written form is not read here, only {VERSION}")
    return Setup(rulebook(data["rulebook"], version=data.get("rulebook_version")), read_table(data["table"]))


def read_events(data: object) -> list[Event]:
    """Written events, numbered from 1 without a gap."""
    if not isinstance(data, list):
        raise RecordError("events: a list belongs here")
    events = []
    for number, written in enumerate(data, start=1):
        if not isinstance(written, dict) or written.get("number") != number:
            raise RecordError(f"event {number}: it bears this number, and no event is missing or twice")
        bare = {key: value for key, value in written.items() if key != "number"}
        events.append(read_event(bare, f"event {number}"))
    return events

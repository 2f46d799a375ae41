"""Consecutive rounds at one table, and the state carried from one to the next."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Self

from engine.books.registry import rulebook
from engine.errors import RecordError
from engine.round.log import RoundLog, read_events, read_setup, write_events, write_setup
from engine.round.remedies.situation import seats_taken
from engine.round.state.house_table import Before, Setup, Table, Tenure
from engine.vocabulary.facts import Bank, Milestone

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from engine.books.book import Rulebook
    from engine.round.event import Event
    from engine.round.state.round_state import State


@dataclass(frozen=True)
class Session:
    """The rounds of a table since it was opened.

    Attributes:
        rounds: the rounds started, the last perhaps not over; never empty.
    """

    setup: Setup
    rounds: tuple[RoundLog, ...]

    @classmethod
    def opened(cls, book: Rulebook, table: Table | None = None) -> Self:
        """A table that has just been opened; `TableError` if it allows what the book does not."""
        setup = Setup(book, Table() if table is None else table)
        return cls(setup, (RoundLog.opened(setup),))

    @property
    def current(self) -> RoundLog:
        """The round that the next event belongs to, unless that one is over."""
        return self.rounds[-1]

    def append(self, event: Event, book: Rulebook | None = None, day: date | None = None) -> Self:
        """Return the session with this event, in a new round unless it belongs to the last one.

        Args:
            event: what happened.
            book: the version of the rulebook now in force, which applies to a new round to its end; None for that of
                the round before.
            day: today at the casino, for the version of the House Way that the table names; likewise.

        Raises:
            RecordError: it is a different book.
        """
        last = self.current
        if not last.state.over or last.refusal(event) is None:
            return type(self)(self.setup, (*self.rounds[:-1], last.append(event)))
        setup = last.setup.from_now(book, day)
        return type(self)(self.setup, (*self.rounds, RoundLog.opened(setup, following(last.state)).append(event)))

    def to_dict(self) -> dict[str, object]:
        """The session as plain data: the events of each round."""
        rounds = [write_events(log.events) for log in self.rounds]
        versions = [log.setup.book.version for log in self.rounds]
        later: dict[str, object] = {}
        if set(versions) != {self.setup.book.version}:
            later["rulebook_versions"] = versions
        days = [log.setup.table.house_way_on for log in self.rounds]
        if set(days) != {self.setup.table.house_way_on}:
            later["house_way_days"] = [None if day is None else day.isoformat() for day in days]
        return {**write_setup(self.setup), **later, "rounds": rounds}

    @classmethod
    def from_dict(cls, data: Mapping[str, object]) -> Self:
        """Parse a session; the state carried between rounds is recomputed.

        Raises:
            RecordError: it is not written as `to_dict` writes.
            IllegalEventError: an event was not allowed.
        """
        changing = {"rulebook_versions", "house_way_days"} & set(data)
        setup = read_setup(data, {"version", "rulebook", "table", "rounds", *changing})
        if not isinstance(data["rounds"], list) or not data["rounds"]:
            raise RecordError("rounds: a list of at least one round belongs here")
        events = [read_events(each) for each in data["rounds"]]
        versions = _one_a_round(data, "rulebook_versions", len(events))
        days = _one_a_round(data, "house_way_days", len(events))
        books = [None if each is None else rulebook(setup.book.id, version=str(each)) for each in versions]
        return cls.replayed(setup, events, list(zip(books, map(_day, days), strict=True)))

    @classmethod
    def replayed(
        cls,
        setup: Setup,
        rounds: Iterable[Iterable[Event]],
        rules: Sequence[tuple[Rulebook | None, date | None]] | None = None,
    ) -> Self:
        """Replay these events, round by round.

        Args:
            setup: of the table when it was opened.
            rounds: the events of each round.
            rules: for each round its version of the rulebook, and a day on which its version of the House Way was in
                force; None for those of ``setup``.

        Raises:
            RecordError: a round follows one that is not over.
            IllegalEventError: an event was not allowed.
        """
        logs: list[RoundLog] = []
        for number, events in enumerate(rounds, start=1):
            if logs and not logs[-1].state.over:
                raise RecordError(f"round {number} follows one that is not over")
            before = following(logs[-1].state) if logs else None
            judged_by = setup if rules is None else setup.from_now(*rules[number - 1])
            logs.append(RoundLog.replayed(judged_by, before, events))
        return cls(setup, tuple(logs))


def _one_a_round(data: Mapping[str, object], key: str, rounds: int) -> list[object]:
    found = data.get(key)
    if found is None:
        return [None] * rounds
    if not isinstance(found, list) or len(found) != rounds:
        raise RecordError(f"{key}: one for each round belongs here")
    return found


def _day(written: object) -> date | None:
    if written is None:
        return None
    try:
        return date.fromisoformat(str(written))
    except ValueError:
        raise RecordError(f"house_way_days: {written!r} is not a day") from None


def following(state: State) -> Before:
    """State carried to the next round. A void round contributes only who sits where.

    After the table was closed, play starts afresh.
    """
    before = state.before
    carried = Before(
        commencement=False,
        check_due=state.check_due,
        seats=state.seats,
        out=state.out | state.out_later,
        limits=state.limits_later or state.limits,
        kept=state.kept,
        barred=state.barred,
        abstained=before.abstained,
        notice=state.notice,
        closes_at_once=state.closes_at_once,
    )
    if state.concluded:
        return Before(
            offer_from=state.banking.first_offer.value, out=carried.out, limits=carried.limits, barred=carried.barred
        )
    if Milestone.ROUND_OVER not in state.happened or state.void is not None:
        return replace(
            carried,
            commencement=state.commencement,
            offer_from=before.offer_from,
            tenure=None if state.released else before.tenure,
            played={player: boxes for player, boxes in before.played.items() if player not in state.absent},
            control={box: player for box, player in before.control.items() if player not in state.absent},
            chung=before.chung,
            rotation=before.rotation,
        )
    bank = state.held
    played: dict[str, set[int]] = {}
    for box, lying in state.wagers.items():
        for wager in lying:
            played.setdefault(wager.player, set()).add(box)
    control = dict(state.control)
    for player in bank.players:
        played.setdefault(player, set()).add(bank.box)
        control.setdefault(bank.box, player)
    tenure, offer_from = _bank_goes_on(state)
    return replace(
        carried,
        offer_from=offer_from,
        tenure=tenure,
        played={player: frozenset(boxes) for player, boxes in played.items() if player not in state.absent},
        control={box: player for box, player in control.items() if player not in state.absent},
        chung=bank.box,
        rotation=_rotation(state),
        abstained=_abstained(state, played),
        notice=None if state.notice is None else state.notice + 1,
    )


def _abstained(state: State, played: Mapping[str, object]) -> dict[str, int]:
    """Number of consecutive rounds in which each seated player placed no wager while every other seat was taken."""
    return {
        player: state.before.abstained.get(player, 0) + 1
        for player in state.seats.values()
        if player not in played and seats_taken(state, player)
    }


def _bank_goes_on(state: State) -> tuple[Tenure | None, int]:
    """The bank that its holder may continue, and the box where the offer starts if he does not."""
    bank, banking, setup = state.held, state.banking, state.setup
    if bank.offered_at is None:
        return None, banking.after_house.value
    if bank.method is Bank.HOUSE:  # a player took it and did not cover the wagers
        return None, setup.after(bank.offered_at)
    last = state.before.tenure
    goes_on = last is not None and not state.released and last.box == bank.offered_at
    rounds, banks = (last.rounds + 1, last.banks) if goes_on and last is not None else (1, 0)
    if rounds == banking.rounds.value:
        rounds, banks = 0, banks + 1
    if banks == setup.table.banks:
        return None, setup.after(bank.offered_at)
    return Tenure(bank.offered_at, bank.players[0], rounds, banks), setup.after(bank.offered_at)


def _rotation(state: State) -> frozenset[str]:
    """Players who have banked in the current rotation; after a full rotation everybody may again."""
    bank, before = state.held, state.before
    if bank.offered_at is None:
        return frozenset()
    order = state.setup.order
    wrapped = state.commencement or order.at(bank.offered_at) < order.at(before.offer_from)
    return frozenset(bank.players) | (frozenset() if wrapped else before.rotation)

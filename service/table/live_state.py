"""The live state of a table: checks, last picture, progress of the round, and recent rounds.

The state is one frozen value, replaced entirely: readers need no lock and never see half a change.
"""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from calibration.table.places import HOUSE
from service.record.health import Check
from service.record.waiting import News
from service.rounds.bank import known_bank
from service.rounds.judge.throws import report_throw
from service.rounds.readings import die_of
from service.table.live_pictures import Snapshots, Views
from service.words.codes import ServiceCode
from vision.tracking.phases import Phase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from calibration.table.places import Place
    from engine.books.book import Rulebook
    from engine.game.box_order import BoxOrder
    from service.rounds.bank import ReportedBank
    from service.rounds.reports import BankReport, DieReport, RoundReport, ThrowReport
    from service.table.live_pictures import View
    from vision.capture import CaptureStatistics
    from vision.reading import Reading
    from vision.tracking import Seen, Track


Lies: TypeAlias = Literal["closed", "open", "away"]

STAGES: Final[tuple[str, ...]] = ("mixing", "stacks", "dice", "delivery", "setting", "house", "players", "over")
"""The parts of a round as people follow it, in order."""

_STAGE_OF: Final[dict[Phase, str]] = {
    Phase.DISPLAY: "mixing",
    Phase.SHUFFLE: "mixing",
    Phase.STACKS: "stacks",
    Phase.DICE_SHOWN: "dice",
    Phase.DELIVERY: "delivery",
    Phase.SETTING: "setting",
    Phase.HOUSE_EXPOSED: "house",
    Phase.HOUSE_SET: "house",
    Phase.PLAYER_EXPOSED: "players",
    Phase.MATCHED: "players",
    Phase.PUT_AWAY: "players",
}


@dataclass(frozen=True, slots=True)
class Step:
    """A phase of the round, when it was first seen (UTC), and whose hand it is about; None for the whole table."""

    phase: Phase
    since: datetime
    place: Place | None = None

    @property
    def stage(self) -> str:
        """The part of the round that it belongs to; once the bank's hand is put away, the round counts as over."""
        return "over" if self.phase is Phase.PUT_AWAY and self.place == HOUSE else _STAGE_OF[self.phase]


@dataclass(frozen=True, slots=True)
class RoundProgress:
    """How far the round is.

    Attributes:
        steps: the phases of the round, in the order in which they started.
        places: how the tiles lie at each place that has some, or had some that were put away.
        dice: as they came to rest since the previous round.
        throw: what the dice decide; None without dice, or if the rulebook has none.
        bank: who banks, and which boxes are out of play; None without enrolled markers and a report.
    """

    steps: tuple[Step, ...] = ()
    places: Mapping[Place, Lies] = field(default_factory=dict)
    dice: tuple[DieReport, ...] = ()
    throw: ThrowReport | None = None
    bank: BankReport | None = None

    @property
    def step(self) -> Step | None:
        """The present step; None between rounds."""
        return self.steps[-1] if self.steps else None


def round_progress(
    seen: Seen,
    tracks: Iterable[Track],
    at: datetime,
    t_s: float,
    book: Rulebook | None,
    box_order: BoxOrder | None = None,
    bank: BankReport | None = None,
) -> RoundProgress:
    """Return the progress at the last picture, taken at ``at`` (UTC) and at ``t_s`` in the seconds of ``seen``."""
    dice = () if seen.throw is None else tuple(map(die_of, seen.throw.dice))
    steps = (Step(step.phase, at - timedelta(seconds=t_s - step.since_s), step.place) for step in seen.steps)
    throw = report_throw(dice, book, box_order, known_bank(bank))
    return RoundProgress(tuple(steps), _places(seen, tracks), dice, throw, bank)


def _places(seen: Seen, tracks: Iterable[Track]) -> dict[Place, Lies]:
    lying: dict[Place, Lies] = {}
    for track in tracks:
        place = track.tile.place
        if place is not None and place.has_hand:
            lying[place] = "closed"
    # A hand that was opened stays so while an arm is over it.
    lying.update({hand.place: "away" if hand.away else "open" for hand in seen.hands})
    return {place: lying[place] for place in sorted(lying)}


_DISPLAYED_APART_S: Final = 0.25
"""Shortest time between two displayed pictures: nobody can follow more on a page."""


@dataclass(frozen=True, slots=True)
class TableState:
    """The state of a table at one moment.

    Attributes:
        view: the last picture that was read, drawn on request; None before the first.
        reading: of that picture.
        progress: of the round at that picture.
        rounds: the rounds in memory by id, oldest first.
        current: the round that is open, or the last one closed; None before the first.
        reported_bank: what somebody reported about the bank of the open or next round; None without a report.
    """

    checks: tuple[Check, ...] = ()
    view: View | None = None
    reading: Reading | None = None
    progress: RoundProgress | None = None
    rounds: dict[str, RoundReport] = field(default_factory=dict)
    current: RoundReport | None = None
    reported_bank: ReportedBank | None = None

    @property
    def recent(self) -> tuple[RoundReport, ...]:
        """The rounds in memory, newest first."""
        return tuple(reversed(self.rounds.values()))


class LiveState:
    """Holds the newest :class:`TableState`, and notifies of each new one.

    Args:
        keep: number of rounds to keep in memory.
        stale_after_s: the state is faulty if its picture is older than this, seconds.
        news: notifiers, shared by all tables of the service.
        first_after_s: how long the first picture may take, seconds; as long as any other by default.
    """

    def __init__(
        self, keep: int, stale_after_s: float, news: News | None = None, *, first_after_s: float | None = None
    ) -> None:
        self.news = news or News()
        self.changes, self.recorded = self.news.changes, self.news.recorded
        self.pictures = Snapshots()
        self.state = TableState()
        self._lock = threading.Lock()  # the reading thread publishes, and so do requests
        self._keep = keep
        self._stale_after_s = stale_after_s
        self._first_after_s = stale_after_s if first_after_s is None else first_after_s
        self._made_at = datetime.now(UTC)
        # The state at the last picture; the one on display; when that was displayed, and when a picture last notified.
        self._at_picture: TableState | None = None
        self._displayed: TableState | None = None
        self._displayed_s = self._notified_s = -math.inf
        self._views = Views()
        self._capture: Callable[[], CaptureStatistics] | None = None
        self.is_set_up: Callable[[], bool] = lambda: True

    @property
    def capture(self) -> CaptureStatistics | None:
        """Current statistics of the source; None if it keeps none."""
        return None if self._capture is None else self._capture()

    def watch_capture(self, statistics: Callable[[], CaptureStatistics]) -> None:
        """Query the source's statistics with this function; they change too often for notifications."""
        self._capture = statistics

    def health(self) -> tuple[Check, ...]:
        """Return all current checks, including the age of the last picture: a source that hangs reports nothing."""
        silent_s = self.silent_s()
        if silent_s <= (self._first_after_s if self.state.view is None else self._stale_after_s):
            return self.state.checks
        return (*self.state.checks, Check.of("pictures", ServiceCode.NO_PICTURE, ok=False, seconds=round(silent_s)))

    def alarming(self) -> tuple[Check, ...]:
        """Return the checks that are alarms: those that fail, but none before the table is set up."""
        return tuple(check for check in self.health() if not check.ok) if self.is_set_up() else ()

    def silent_s(self) -> float:
        """Return the seconds since the last picture was read, or since the start."""
        view = self.state.view
        return (datetime.now(UTC) - (self._made_at if view is None else view.taken_at)).total_seconds()

    @property
    def displayed(self) -> TableState:
        """The table at one picture: the picture, its reading and the conclusions.

        A picture's verdict arrives shortly before the picture, so the newest state may have one without the other. The
        displayed state is the same for everybody; it changes at most four times a second, and immediately if a round
        or the reported bank has changed.
        """
        with self._lock:
            now_s = time.monotonic()
            newest = self._at_picture
            if newest is not None and newest is not self._displayed and self._is_due(self._displayed_s, now_s):
                self._displayed, self._displayed_s = newest, now_s
                if newest.view is not None:
                    self._views.keep(newest.view)
            return self.state if self._displayed is None else replace(self._displayed, checks=self.state.checks)

    def view(self, number: int | None = None) -> View | None:
        """Return the view of this number if it is still kept, otherwise the displayed one; None before the first."""
        kept = None if number is None else self._views.numbered(number)
        return kept or self.displayed.view

    def publish_picture(self, view: View, reading: Reading, progress: RoundProgress | None = None) -> None:
        with self._lock:
            self.state = self._at_picture = replace(self.state, view=view, reading=reading, progress=progress)
            now_s = time.monotonic()
            if due := self._is_due(self._notified_s, now_s):
                self._notified_s = now_s
        if due:
            self.changes.notify()

    def _is_due(self, since_s: float, now_s: float) -> bool:
        """Return whether the newest picture is to be displayed, if one was last displayed at ``since_s``."""
        old, new = self._displayed, self._at_picture
        if old is None or new is None or new.rounds is not old.rounds or new.reported_bank != old.reported_bank:
            return True
        return now_s - since_s >= _DISPLAYED_APART_S

    def report_bank(self, reported: ReportedBank | None) -> None:
        """Set or remove the report about the bank."""
        with self._lock:
            self.state = replace(self.state, reported_bank=reported)
        self.changes.notify()

    def publish_rounds(self, *rounds: RoundReport) -> None:
        """Publish the newest revision of rounds; the oldest rounds are dropped once there are too many."""
        with self._lock:
            known = {**self.state.rounds, **{each.id: each for each in rounds}}
            newest = sorted(known.values(), key=lambda each: each.number)[-self._keep :]
            kept = {each.id: each for each in newest}
            self.state = replace(self.state, rounds=kept, current=newest[-1] if newest else None)
        # In this order: a client woken by the first may check for the second.
        self.recorded.notify()
        self.changes.notify()

    def publish_decision(self, decided: RoundReport) -> None:
        """Publish a round with a person's decision, unless a newer revision was published or the round was dropped."""
        with self._lock:
            state, known = self.state, self.state.rounds.get(decided.id)
            if known is not None and known.revision < decided.revision:
                current = decided if known is state.current else state.current
                self.state = replace(state, rounds={**state.rounds, decided.id: decided}, current=current)
                # Displayed at once, since no picture need follow.
                self._at_picture = self._at_picture and self.state
        self.recorded.notify()
        self.changes.notify()

    def close(self) -> None:
        """Release all waiting clients: the service is stopping."""
        self.news.close()

    def check(self, check: Check) -> None:
        """Publish a check, and notify if it changed."""
        with self._lock:
            if check in self.state.checks:
                return
            others = tuple(known for known in self.state.checks if known.name != check.name)
            checks = tuple(sorted((*others, check), key=lambda known: known.name))
            self.state = replace(self.state, checks=checks)
        self.changes.notify()


class AllTables:
    """The local tables of a service: a check of the entire service, such as the record's, is a check of each."""

    def __init__(self, news: News, tables: Iterable[LiveState]) -> None:
        self._tables = tuple(tables)
        self.changes, self.recorded = news.changes, news.recorded

    def check(self, check: Check) -> None:
        for table in self._tables:
            table.check(check)

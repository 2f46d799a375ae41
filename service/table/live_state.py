"""What the service knows of its table at this moment: one frozen value, replaced as a whole.

The reading thread publishes, requests read; nobody holds a lock while rendering and nobody sees half a change.
"""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from service.record.health import Check
from service.record.waiting import News
from service.table.snapshots import Snapshots
from service.table.views import Views
from service.words.codes import ServiceCode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from service.rounds.bank import ToldBank
    from service.rounds.reports import RoundReport
    from service.table.table_now import TableNow
    from service.table.views import View
    from vision.capture import CaptureStatistics
    from vision.reading import Reading


_SHOWN_APART_S: Final = 0.25
"""Moments are shown so far apart: more than an eye follows on a page would be drawn and fetched for nothing."""


@dataclass(frozen=True, slots=True)
class TableState:
    """One moment of the table.

    Attributes:
        view: the last picture that was read, to be drawn if somebody asks; None before the first.
        now: what the table does; None before the first picture.
        rounds: the rounds still in memory by id, oldest first.
        current: the round that is open, or the last one closed; None before the first.
        told: what somebody said of the bank of the round that is open or comes next; None if nobody did.
    """

    checks: tuple[Check, ...] = ()
    view: View | None = None
    reading: Reading | None = None
    now: TableNow | None = None
    rounds: dict[str, RoundReport] = field(default_factory=dict)
    current: RoundReport | None = None
    told: ToldBank | None = None

    @property
    def recent(self) -> tuple[RoundReport, ...]:
        """The rounds in memory, newest first."""
        return tuple(reversed(self.rounds.values()))


class LiveState:
    """Holds the newest :class:`TableState` and notifies when it is replaced.

    Args:
        keep: rounds to keep in memory.
        stale_after_s: a last picture older than this is a fault, seconds.
        news: what is notified of; shared with the other tables of the service.
    """

    def __init__(self, keep: int, stale_after_s: float, news: News | None = None) -> None:
        self.news = news or News()
        self.changes, self.recorded = self.news.changes, self.news.recorded
        self.pictures = Snapshots()
        # The reading thread publishes what it sees, requests what a person decided.
        self._lock = threading.Lock()
        self._keep = keep
        self._stale_after_s = stale_after_s
        self._made_at = datetime.now(UTC)
        self.state = TableState()
        # The state at the last picture, the state shown last, and the times of showing and of notifying.
        self._whole: TableState | None = None
        self._shown: TableState | None = None
        self._shown_s = self._told_s = -math.inf
        self._views = Views()
        self._capture: Callable[[], CaptureStatistics] | None = None

    @property
    def capture(self) -> CaptureStatistics | None:
        """How the source is and what it has done, at this moment; None if it is not counted."""
        return None if self._capture is None else self._capture()

    def watch_capture(self, statistics: Callable[[], CaptureStatistics]) -> None:
        """From now on, ask this for what the source has done; counts change too often to notify of each."""
        self._capture = statistics

    def health(self) -> tuple[Check, ...]:
        """Return every current check, with one of the last picture's age: a source that hangs reports nothing."""
        silent_s = self.silent_s()
        if silent_s <= self._stale_after_s:
            return self.state.checks
        return (*self.state.checks, Check.of("pictures", ServiceCode.NO_PICTURE, ok=False, seconds=round(silent_s)))

    def silent_s(self) -> float:
        """Seconds since a picture was read last, or since the start."""
        view = self.state.view
        return (datetime.now(UTC) - (self._made_at if view is None else view.taken_at)).total_seconds()

    @property
    def shown(self) -> TableState:
        """The table at one picture: its reading, the conclusions and that picture.

        A picture's verdict arrives shortly before the picture, so the newest state may have one without the other. The
        shown state is the same for everybody; it changes at most four times a second, and immediately if a round or
        the reported bank has changed.
        """
        with self._lock:
            now_s = time.monotonic()
            if self._whole is not None and self._whole is not self._shown and self._is_due(self._shown_s, now_s):
                self._shown, self._shown_s = self._whole, now_s
                if self._whole.view is not None:
                    self._views.keep(self._whole.view)
            return self.state if self._shown is None else replace(self._shown, checks=self.state.checks)

    def view(self, number: int | None = None) -> View | None:
        """A view that is still kept by its number, else the one shown now; None before the first."""
        kept = None if number is None else self._views.numbered(number)
        return kept or self.shown.view

    def show(self, view: View, reading: Reading, now: TableNow | None = None) -> None:
        """Publish what was just read, and what the table does."""
        with self._lock:
            self.state = self._whole = replace(self.state, view=view, reading=reading, now=now)
            now_s = time.monotonic()
            if due := self._is_due(self._told_s, now_s):
                self._told_s = now_s
        if due:
            self.changes.notify()

    def _is_due(self, since_s: float, now_s: float) -> bool:
        """Whether a moment is to be shown, given when one was last."""
        known, whole = self._shown, self._whole
        if known is None or whole is None or whole.rounds is not known.rounds or whole.told != known.told:
            return True
        return now_s - since_s >= _SHOWN_APART_S

    def tell(self, told: ToldBank | None) -> None:
        """Take what somebody said of the bank; it holds until the round is closed."""
        with self._lock:
            self.state = replace(self.state, told=told)
        self.changes.notify()

    def record(self, *played: RoundReport) -> None:
        """Publish the newest revision of rounds; the oldest round goes once there are too many."""
        with self._lock:
            known = {**self.state.rounds, **{each.id: each for each in played}}
            newest = sorted(known.values(), key=lambda each: each.number)[-self._keep :]
            rounds = {each.id: each for each in newest}
            self.state = replace(self.state, rounds=rounds, current=newest[-1] if newest else None)
        # In this order: a client woken by the first may check for the second.
        self.recorded.notify()
        self.changes.notify()

    def record_if_newer(self, played: RoundReport) -> None:
        """Publish a round that a request recorded, unless the reading thread has published a newer revision since."""
        with self._lock:
            state, known = self.state, self.state.rounds.get(played.id)
            if known is not None and known.revision < played.revision:
                now = played if known is state.current else state.current
                self.state = replace(state, rounds={**state.rounds, played.id: played}, current=now)
                # A person's decision is shown at once, for no picture need follow it.
                self._whole = self._whole and self.state
        self.recorded.notify()
        self.changes.notify()

    def close(self) -> None:
        """Release all waiting clients: the service is stopping."""
        self.news.close()

    def check_all(self, watches: Iterable[Callable[[], Check]]) -> None:
        """Publish how several things are."""
        for watch in watches:
            self.check(watch())

    def check(self, check: Check) -> None:
        """Publish how one thing is; quiet if nothing changed."""
        with self._lock:
            if check in self.state.checks:
                return
            others = tuple(known for known in self.state.checks if known.name != check.name)
            checks = tuple(sorted((*others, check), key=lambda known: known.name))
            self.state = replace(self.state, checks=checks)
        self.changes.notify()


class AllTables:
    """The tables of a service together: what concerns all of them, such as the record, is a check of each."""

    def __init__(self, news: News, tables: Iterable[LiveState]) -> None:
        self._tables = tuple(tables)
        self.changes, self.recorded = news.changes, news.recorded

    def check(self, check: Check) -> None:
        """Show how one thing is, at every table."""
        for table in self._tables:
            table.check(check)

"""Learning beside the reading of a table: never in its way, whatever goes wrong here."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from service.learning.collecting import CropCollector, ReviewCollector
    from service.learning.shadow import Shadow
    from service.rounds.outcome import Outcome
    from vision.capture.images import Image
    from vision.enrolment.learning import ReadPicture
    from vision.tracking.tracks.tile_tracks import Track

_log = logging.getLogger(__name__)

REVIEWS_EVERY_S: Final = 60.0
APART_S: Final = 600.0
"""Displays nearer to each other are one, which an arm hid for a moment; its tiles are kept once."""


@dataclass(slots=True)
class TableLearning:
    """Keeps crops and has a candidate read, as the settings say.

    Attributes:
        collector: keeps the tiles of displays; None if nothing is kept.
        reviews: keeps those of reviewed hands, from a thread of its own.
        shadow: reads beside the model in use; None without a candidate.
    """

    collector: CropCollector | None = None
    reviews: ReviewCollector | None = None
    shadow: Shadow | None = None
    _display_at: datetime | None = None
    _stopping: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to go through the reviews."""
        if self.reviews is not None:
            self._thread = threading.Thread(target=self._run, name="reviews to learn from", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End that, and keep what shadow reading has found."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(timeout=10)
        if self.shadow is not None:
            self._guarded(self.shadow.write)

    def follow(self, outcome: Outcome) -> None:
        """Learn from a picture; nothing of it reaches what is verified."""
        self.see(outcome.image, outcome.table.lying, outcome.display, outcome.at, outcome.t_s)

    def see(self, image: Image, lying: Sequence[Track], display: ReadPicture | None, at: datetime, t_s: float) -> None:
        """Take a picture that was read; nothing is raised.

        Args:
            image: the picture.
            lying: the tiles that lie still in it.
            display: the newest picture of a display that lies there and was checked; None if none does.
            at: when it was taken, UTC.
            t_s: the same in seconds that only go forward.
        """
        shadow = self.shadow
        if shadow is not None and not self._guarded(partial(shadow.see, image, lying, t_s)):
            self.shadow = None
        if display is not None and self.collector is not None:
            last = self._display_at
            if last is None or (at - last).total_seconds() > APART_S:
                self._guarded(partial(self._keep, display, at))
            elif last < at:
                self._display_at = at

    def _keep(self, display: ReadPicture, at: datetime) -> None:
        if self.collector is not None:
            found = self.collector.display(display, at)
            if found.kept or found.aside:
                self._display_at = at
                _log.info("kept %s tiles of a display to learn from, put %s aside", found.kept, found.aside)

    def _run(self) -> None:
        while not self._stopping.wait(REVIEWS_EVERY_S):
            if self.reviews is not None:
                self._guarded(self.reviews.collect)

    def _guarded(self, work: Callable[[], object]) -> bool:
        """Do something that must never stop the reading; returns whether it went well."""
        try:
            work()
        except Exception:  # noqa: BLE001  whatever it was, the table must be read
            _log.exception("learning beside the table failed")
            return False
        return True

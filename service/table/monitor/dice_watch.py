"""Follows the house's own dice: each confirmed throw adds to what is learnt, and a person enrols other dice."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from service.table.monitor.set_watch import PATIENCE_PICTURES, PATIENCE_S
from service.words.codes import ServiceCode
from service.words.doubts import DoubtReport
from vision.enrolment.dice_file import save_dice
from vision.enrolment.learning import NotEnrolled, ReadPicture, learn_dice, lie_alike, thrown
from vision.findings import Code, Finding

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from calibration.files.calibration_file import TableCalibration
    from vision.capture.images import Image
    from vision.enrolment.own_dice import OwnDice
    from vision.reading import DieReading, PictureReader, Reading
    from vision.tracking import TableWatch
    from vision.tracking.throws import Throw

Act: TypeAlias = Literal["add", "enrol"]
_NOTHING_SEEN: Final = Finding(Code.NO_THROW)


@dataclass(frozen=True, slots=True)
class DiceReport:
    """What was learnt about the dice.

    Attributes:
        act: ``add`` of a confirmed throw, or ``enrol`` by a person.
        ok: whether something was learnt.
        finding: the outcome.
        by: the person who requested it, if any.
        reason: theirs.
        version: of the dice now in use; None without any.
    """

    act: Act
    ok: bool
    finding: Finding
    by: str | None = None
    reason: str | None = None
    version: str | None = None

    def written(self) -> dict[str, Any]:
        """Encode the report for the record and for programs."""
        found = DoubtReport.of(self.finding).model_dump(mode="json", exclude={"about"})
        return {"act": self.act, "ok": self.ok, **found, "by": self.by, "reason": self.reason, "dice": self.version}


@dataclass(frozen=True, eq=False, slots=True)
class DiceRequest:
    """A person's request to enrol the dice of the throw that lies there.

    Attributes:
        by: the person.
        reason: why.
        cut_value: what the cut die shows, where no other die shows it; None to find it out.
        answer: completed when the request is done.
    """

    by: str
    reason: str
    cut_value: int | None = None
    answer: Future[DiceReport] = field(default_factory=Future)


@dataclass(slots=True)
class DiceWatch:
    """Follows the dice of one table: the reading thread passes it every picture, requests come from any thread.

    Attributes:
        calibration: of the camera.
        path: file of the dice; None if the settings name none.
        own: the enrolled dice.
        reader_with: makes a reader that compares dice with these.
        last: the newest report.
    """

    calibration: TableCalibration
    path: Path | None = None
    own: OwnDice | None = None
    reader_with: Callable[[OwnDice], PictureReader] | None = None
    last: DiceReport | None = None
    _requests: SimpleQueue[DiceRequest] = field(default_factory=SimpleQueue)
    _waiting: list[tuple[DiceRequest, float, int]] = field(default_factory=list)
    _learning: Future[OwnDice] | None = None
    _throw: Throw | None = None
    _enrolled: tuple[DieReading, ...] = ()
    _pictures: int = 0
    _executor: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, thread_name_prefix="dice"))

    @property
    def version(self) -> str | None:
        """Version of the enrolled dice, if there are any."""
        return None if self.own is None else self.own.version

    def ask(self, request: DiceRequest) -> None:
        """Submit a request, which is done with the next pictures; callable from any thread."""
        self._requests.put(request)

    def see(self, image: Image, reading: Reading, table: TableWatch, t_s: float) -> list[DiceReport]:
        """Process the next picture, and return the reports to record."""
        self._pictures += 1
        self._accept_requests(t_s)
        reports = [*self._finish_learning(), *self._enrol(image, reading, table, t_s)]
        throw, before = table.seen.throw, self._throw
        self._throw = throw
        # A throw is new in the picture that confirms it, so the dice lie there as the picture shows them.
        if throw is not None and throw is not before and not (before is not None and throw.lies_as(before)):
            self._add(image, throw)
        if reports:
            self.last = reports[-1]
        return reports

    def _accept_requests(self, t_s: float) -> None:
        while True:
            try:
                self._waiting.append((self._requests.get_nowait(), t_s, self._pictures))
            except Empty:
                return

    def _add(self, image: Image, throw: Throw) -> None:
        """Start to learn from a confirmed throw, unless the dice may be others or nothing is new."""
        own = self.own
        if own is None or self._learning is not None or not throw.verified:
            return
        if any(die.own != "own" for die in throw.dice) or lie_alike(throw.dice, self._enrolled):
            return
        more = own.with_throw(thrown(image, throw.dice, self.calibration))
        if more is not own:
            self._learning = self._executor.submit(self._saved, more)

    def _saved(self, own: OwnDice) -> OwnDice:
        """Write the file, and compute roles and usual faces: too slow for the reading thread."""
        if self.path is None:
            raise OSError("no file")
        return save_dice(self.path, own).learnt()

    def _finish_learning(self) -> list[DiceReport]:
        learning = self._learning
        if learning is None or not learning.done():
            return []
        self._learning = None
        try:
            self.own = learning.result()
        except OSError as error:
            return [DiceReport("add", ok=False, finding=self._not_written(error), version=self.version)]
        learnt = Finding.of(ServiceCode.DICE_THROW_LEARNT, throws=len(self.own.throws))
        return [DiceReport("add", ok=True, finding=learnt, version=self.version)]

    def _enrol(self, image: Image, reading: Reading, table: TableWatch, t_s: float) -> list[DiceReport]:
        """Answer requests from the throw that lies there, or once they have waited too long."""
        if not self._waiting or self._learning is not None:
            return []
        reports: list[DiceReport] = []
        for request, since_s, started in tuple(self._waiting):
            found = self._learnt(image, reading, request) if table.dice_lie else NotEnrolled(_NOTHING_SEEN)
            late = t_s - since_s > PATIENCE_S and self._pictures - started > PATIENCE_PICTURES
            if isinstance(found, NotEnrolled) and not late and found.reason.code is Code.NO_THROW:
                continue
            self._waiting.remove((request, since_s, started))
            if isinstance(found, NotEnrolled):
                finding = found.reason
            else:
                self.own, finding = found, Finding(ServiceCode.DICE_ENROLLED)
                self._enrolled = reading.dice
            learnt = not isinstance(found, NotEnrolled)
            self.last = report = DiceReport(
                "enrol", ok=learnt, finding=finding, by=request.by, reason=request.reason, version=self.version
            )
            if learnt:
                reports.append(report)
            request.answer.set_result(report)
        return reports

    def _learnt(self, image: Image, reading: Reading, request: DiceRequest) -> OwnDice | NotEnrolled:
        if self.path is None:
            return NotEnrolled(Finding(ServiceCode.NO_DICE_FILE))
        found = learn_dice([ReadPicture(image, reading)], self.calibration, request.cut_value)
        if isinstance(found, NotEnrolled):
            return found
        try:
            return self._saved(found)
        except OSError as error:
            return NotEnrolled(self._not_written(error))

    def _not_written(self, error: OSError) -> Finding:
        why = str(error.strerror or error)
        return Finding.of(ServiceCode.FILE_NOT_WRITTEN, file=str(self.path), why=why)

"""Watches the set of tiles: it is checked at every display, and compared with the enrolled set in play.

At a display all 32 tiles are checked one by one, and the outcome is recorded: automatically whenever a display is seen,
or on request. If the tiles are not the enrolled ones, nothing is verified until the enrolled set is displayed again,
another set is enrolled, or a supervisor confirms the tiles.
"""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from service.record.health import Check
from service.words.codes import ServiceCode
from service.words.doubts import DoubtReport, finding_of
from vision.enrolment.enrolment_file import save_enrolment
from vision.enrolment.learning import NotEnrolled, ReadPicture, agreed, enrol, faults_of
from vision.enrolment.tile_set import TileSetWatch
from vision.findings import Code, Finding
from vision.tracking.confirmation_terms import SLOWEST_S
from vision.tracking.phases import Phase

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from calibration.files.calibration_file import TableCalibration
    from vision.capture.images import Image
    from vision.enrolment.display_check import DisplayFault
    from vision.enrolment.enrolment import Enrolment
    from vision.reading import PictureReader, Reading
    from vision.tracking.tracks.tile_tracks import Track

NAME: Final = "tiles"
SHOTS: Final = 3
APART_S: Final = 0.7
"""A display is checked in ``SHOTS`` pictures at least ``APART_S`` apart."""
OVER_S: Final = 2.0
"""A display is over after being out of sight for this time."""
PATIENCE_S: Final = 8.0
"""How long a request waits for tiles to lie still."""
PATIENCE_PICTURES: Final = 6
"""Minimum number of pictures that a request waits for: some until tiles lie still, then ``SHOTS``."""
LONGEST_PATIENCE_S: Final = max(PATIENCE_S, (PATIENCE_PICTURES + 1) * SLOWEST_S)
OF_THE_SET: Final = frozenset({Code.MISSING_TILE, Code.EXTRA_TILE, Code.DUPLICATE_TILE})
"""Faults that show another set; tiles in another order, or unreadable ones, are only reported."""
EXCHANGED: Final = 4
"""From this number of foreign tiles on it is another set; fewer are dirty or damaged, and individually unverified."""
_MOST_NAMED: Final = 6

Act: TypeAlias = Literal["check", "enrol", "confirm", "alarm"]


@dataclass(frozen=True, slots=True)
class SetReport:
    """The outcome of a check of the set, or of an act about it.

    Attributes:
        act: ``check`` at a display, ``enrol``, ``confirm`` by a supervisor, or ``alarm``: other tiles in play.
        ok: whether there was no fault.
        finding: the outcome.
        blocks: whether verification is blocked from now on; None if that does not change.
        faults: by tile.
        by: the person who requested it, if any.
        reason: of a confirmation.
        enrolment: version of the enrolment that the set was compared with, or that was made; None without one.
    """

    act: Act
    ok: bool
    finding: Finding
    blocks: bool | None = None
    faults: tuple[DisplayFault, ...] = ()
    by: str | None = None
    reason: str | None = None
    enrolment: str | None = None

    def written(self) -> dict[str, Any]:
        """Encode the report for the record and for programs."""
        return {
            "act": self.act,
            "ok": self.ok,
            **_encoded(self.finding),
            "blocks": self.blocks,
            "faults": [{**_encoded(fault.finding), "places": list(fault.places)} for fault in self.faults],
            "by": self.by,
            "reason": self.reason,
            "enrolment": self.enrolment,
        }


@dataclass(frozen=True, eq=False, slots=True)
class SetRequest:
    """A person's request about the set.

    Attributes:
        act: ``check`` it, ``enrol`` it, or ``confirm`` that it is the enrolled one.
        by: the person.
        reason: why.
        answer: completed when the request is done.
    """

    act: Act
    by: str
    reason: str
    answer: Future[SetReport] = field(default_factory=Future)


@dataclass(slots=True)
class SetWatch:
    """Follows the set of one table: the reading thread passes it every picture, requests come from any thread.

    Attributes:
        calibration: of the camera.
        path: file of the enrolment; None if the set is not to be enrolled.
        enrolment: of the own tiles, if they are enrolled.
        reader_with: makes a reader that compares tiles with an enrolment; None to keep the present reader.
        check: state of the set.
        last: the newest report, if any.
    """

    calibration: TableCalibration
    path: Path | None = None
    enrolment: Enrolment | None = None
    reader_with: Callable[[Enrolment | None], PictureReader] | None = None
    check: Check = field(init=False)
    last: SetReport | None = None
    _in_play: TileSetWatch = field(default_factory=TileSetWatch)
    _requests: SimpleQueue[SetRequest] = field(default_factory=SimpleQueue)
    _waiting: list[tuple[SetRequest, float, int]] = field(default_factory=list)
    _shots: list[tuple[ReadPicture, tuple[DisplayFault, ...]]] = field(default_factory=list)
    _pictures: int = 0
    _seen_s: float = float("-inf")
    _shot_s: float = float("-inf")
    _displayed_s: float = float("-inf")
    _found: tuple[DisplayFault, ...] | None = None
    _passed: bool = False

    def __post_init__(self) -> None:
        """Set the check before the first picture."""
        if self.path is not None and self.enrolment is None:
            self.check = Check.of(NAME, ServiceCode.SET_NOT_ENROLLED_YET, ok=False, file=self.path.name)
        else:
            none = self.enrolment is None
            self.check = Check.of(
                NAME, ServiceCode.NO_SET_ENROLLED if none else ServiceCode.SET_NOT_CONTRADICTED, ok=True
            )

    @property
    def version(self) -> str | None:
        """Version of the enrolment, if there is one."""
        return None if self.enrolment is None else self.enrolment.version

    @property
    def display(self) -> ReadPicture | None:
        """The newest picture of the present display, once it was checked in enough pictures."""
        return self._shots[-1][0] if len(self._shots) == SHOTS else None

    def resume(self, last: Mapping[str, Any] | None) -> None:
        """Restore a fault of this very enrolment from the last recorded report."""
        if last is not None and last["blocks"] and last["enrolment"] == self.version:
            recorded = DoubtReport(code=last["code"], params=last["params"])
            self.check = Check(NAME, ok=False, findings=(finding_of(recorded, ServiceCode, Code),))

    def ask(self, request: SetRequest) -> None:
        """Submit a request, which is done with the next pictures; callable from any thread."""
        self._requests.put(request)

    def fault(self) -> Finding | None:
        """Return the fault of the set that blocks verification, if any."""
        return None if self.check.ok else self.check.findings[0]

    def see(
        self, image: Image, reading: Reading, lying: Sequence[Track], phase: Phase | None, t_s: float, *, fit: bool
    ) -> list[SetReport]:
        """Process the next picture, and return the reports to record.

        Args:
            image: the picture.
            reading: of the picture.
            lying: its resting tiles.
            phase: of the table.
            t_s: when it was taken, monotonic seconds.
            fit: whether camera and light have no fault.
        """
        reports: list[SetReport] = []
        before_s, self._seen_s = self._seen_s, t_s
        self._pictures += 1
        self._accept_requests(t_s, reports)
        if fit:
            self._examine(image, reading, lying, phase, t_s, reports)
            self._end_display(t_s, before_s, reports)
        for request, since_s, started in tuple(self._waiting):
            if t_s - since_s > PATIENCE_S and self._pictures - started > PATIENCE_PICTURES:
                self._waiting.remove((request, since_s, started))
                unseen = Finding(ServiceCode.NO_DISPLAY_SEEN)
                request.answer.set_result(SetReport(request.act, ok=False, finding=unseen, by=request.by))
        if reports:
            self.last = reports[-1]
        return reports

    def _accept_requests(self, t_s: float, reports: list[SetReport]) -> None:
        while True:
            try:
                request = self._requests.get_nowait()
            except Empty:
                return
            if request.act == "confirm":
                answered = Finding.of(ServiceCode.SET_ACCEPTED, by=request.by, reason=request.reason)
                reports.append(self._report("confirm", (), answered, blocks=False, request=request))
                request.answer.set_result(reports[-1])
            else:
                self._waiting.append((request, t_s, self._pictures))
                self._shots.clear()

    def _examine(
        self,
        image: Image,
        reading: Reading,
        lying: Sequence[Track],
        phase: Phase | None,
        t_s: float,
        reports: list[SetReport],
    ) -> None:
        shot = ReadPicture(image, reading)
        if phase is Phase.DISPLAY or (self._waiting and shot.shows_faces):
            face_up = sum(tile.face_up for tile in reading.tiles)
            if shot.shows_faces and sum(track.tile.face_up for track in lying) == face_up:
                self._displayed_s = t_s
                self._examine_display(shot, t_s, reports)
        elif self.enrolment is not None:
            self._in_play.see(lying)
            if self._in_play.exchanged and self.check.ok:
                reports.append(self._alarm())

    def _end_display(self, t_s: float, before_s: float, reports: list[SetReport]) -> None:
        """Forget a display that is over: more than one picture, at any rate of pictures, must have shown none."""
        if t_s - self._displayed_s > OVER_S and before_s > self._displayed_s:
            if self._found and not self._passed:
                reports.append(self._checked(self._found, None))
            self._shots.clear()
            self._found, self._passed = None, False

    def _examine_display(self, shot: ReadPicture, t_s: float, reports: list[SetReport]) -> None:
        if t_s - self._shot_s < APART_S or (self._passed and not self._waiting):
            return
        self._shot_s = t_s
        self._shots = [*self._shots[-SHOTS + 1 :], (shot, faults_of(shot, self.enrolment))]
        if len(self._shots) < SHOTS:
            return
        self._found = agreed([faults for _, faults in self._shots])
        if self._blocks(self._found):
            # Not reported yet, since the display may be corrected; but verification is blocked at once.
            self.check = Check(NAME, ok=False, findings=(self._summary(self._found),))
        for request, _, _ in self._waiting:
            reports.append(self._enrol(request) if request.act == "enrol" else self._checked(self._found, request))
            request.answer.set_result(reports[-1])
        if not self._found and not self._passed and not self._waiting:
            reports.append(self._checked((), None))
        self._passed = self._passed or not self._found or bool(self._waiting)
        self._waiting.clear()

    def _checked(self, faults: tuple[DisplayFault, ...], request: SetRequest | None) -> SetReport:
        """Report a display check; a complete display of the enrolled set lifts a block."""
        undecided = any(fault.code is Code.NOT_IN_RANK_ORDER for fault in faults)
        blocks = None if undecided else self._blocks(faults)
        return self._report("check", faults, self._summary(faults), blocks=blocks, request=request)

    def _blocks(self, faults: Sequence[DisplayFault]) -> bool:
        """Return whether a display with these faults is not of the enrolled set."""
        codes = [fault.code for fault in faults]
        other = not OF_THE_SET.isdisjoint(codes) or codes.count(Code.FOREIGN_TILE) >= EXCHANGED
        return self.enrolment is not None and other

    def _summary(self, faults: Sequence[DisplayFault]) -> Finding:
        if not faults:
            return Finding(ServiceCode.DISPLAY_WHOLE if self.enrolment is None else ServiceCode.OWN_SET_WHOLE)
        code = ServiceCode.DISPLAY_OF_ANOTHER_SET if self._blocks(faults) else ServiceCode.DISPLAY_FAULTY
        named, unnamed = tuple(fault.finding for fault in faults[:_MOST_NAMED]), len(faults) - _MOST_NAMED
        return Finding.of(code, faults=named, more=unnamed) if unnamed > 0 else Finding.of(code, faults=named)

    def _enrol(self, request: SetRequest) -> SetReport:
        if self.path is None:
            return SetReport("enrol", ok=False, finding=Finding(ServiceCode.NO_ENROLMENT_FILE), by=request.by)
        learnt = enrol([shot for shot, _ in self._shots], self.calibration)
        if isinstance(learnt, NotEnrolled):
            return SetReport("enrol", ok=False, finding=learnt.reason, faults=learnt.faults, by=request.by)
        try:
            self.enrolment = save_enrolment(self.path, learnt)
        except OSError as error:
            refused = Finding.of(ServiceCode.FILE_NOT_WRITTEN, file=str(self.path), why=str(error.strerror))
            return SetReport("enrol", ok=False, finding=refused, by=request.by)
        return self._report("enrol", (), Finding(ServiceCode.SET_ENROLLED), blocks=False, request=request)

    def _alarm(self) -> SetReport:
        last_seen = tuple(map(str, self._in_play.unlike[-_MOST_NAMED:]))
        other = Finding.of(ServiceCode.ANOTHER_SET_IN_PLAY, last_seen=last_seen)
        return self._report("alarm", (), other, blocks=True, ok=False)

    def _report(
        self,
        act: Act,
        faults: tuple[DisplayFault, ...],
        finding: Finding,
        *,
        blocks: bool | None,
        ok: bool | None = None,
        request: SetRequest | None = None,
    ) -> SetReport:
        if blocks is not None:
            self.check = Check(NAME, ok=not blocks, findings=(finding,))
        if blocks is False:
            self._in_play.restart()
        by, reason = (None, None) if request is None else (request.by, request.reason)
        return SetReport(act, not faults if ok is None else ok, finding, blocks, faults, by, reason, self.version)


def _encoded(found: Finding) -> dict[str, Any]:
    return DoubtReport.of(found).model_dump(mode="json", exclude={"about"})

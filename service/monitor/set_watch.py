"""The tiles of a table, watched: the set checked at every display, and held against the enrolled one in play.

At a display all 32 tiles are looked at one by one, and the outcome is recorded: by itself whenever a display is seen,
or when somebody asks. An enrolled table whose tiles are not the enrolled ones verifies nothing until the own set is
shown again, another is enrolled, or a supervisor answers for the tiles.
"""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from service.codes import ServiceCode
from service.rounds.doubts import DoubtReport, finding_of
from service.table.live_state import Check
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
"""So many pictures of a display, so far apart, are looked at together."""
OVER_S: Final = 2.0
"""A display out of sight for so long is over."""
PATIENCE_S: Final = 8.0
"""How long somebody who asks is kept waiting for tiles to lie still."""
PATIENCE_PICTURES: Final = 6
"""And for so many pictures at least: some until tiles lie still, then ``SHOTS`` of them."""
LONGEST_PATIENCE_S: Final = max(PATIENCE_S, (PATIENCE_PICTURES + 1) * SLOWEST_S)
OF_THE_SET: Final = frozenset({Code.MISSING_TILE, Code.EXTRA_TILE, Code.DUPLICATE_TILE})
"""Faults by which the set is not the own one; tiles that lie in another order, or cannot be read, are told only."""
EXCHANGED: Final = 4
"""So many tiles unlike their own make another set; fewer are dirty or damaged, told, and not verified one by one."""
_MOST_NAMED: Final = 6

Act: TypeAlias = Literal["check", "enrol", "confirm", "alarm"]


@dataclass(frozen=True, slots=True)
class SetReport:
    """What was found of the set, or done about it.

    Attributes:
        act: ``check`` at a display, ``enrol``, ``confirm`` by a supervisor, or ``alarm``: other tiles in play.
        ok: whether all was as it should be.
        finding: what it was.
        blocks: whether nothing may be verified from now on; None if that is as before.
        faults: tile by tile.
        by: who asked; None if nobody did.
        reason: of a confirmation.
        enrolment: what the set was held against, or what was learnt; None if nothing is enrolled.
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
        """Write it down, for the record and for programs."""
        return {
            "act": self.act,
            "ok": self.ok,
            **_written(self.finding),
            "blocks": self.blocks,
            "faults": [{**_written(fault.finding), "places": list(fault.places)} for fault in self.faults],
            "by": self.by,
            "reason": self.reason,
            "enrolment": self.enrolment,
        }


@dataclass(frozen=True, eq=False, slots=True)
class Asked:
    """What somebody asks about the set.

    Attributes:
        act: ``check`` it, ``enrol`` it, or ``confirm`` that it is the own one.
        by: who.
        reason: why.
        answer: set once it is done.
    """

    act: Act
    by: str
    reason: str
    answer: Future[SetReport] = field(default_factory=Future)


@dataclass(slots=True)
class SetWatch:
    """Follows the set of one table; the reading thread shows it every picture, requests ask it.

    Attributes:
        calibration: of the camera.
        path: where an enrolment is kept; None if there is to be none.
        enrolment: the own tiles; None if none are enrolled.
        reader_with: makes a reader that holds what it sees against an enrolment; None to go on with the one there is.
        check: how the set is.
        last: what was found or done last; None if nothing was yet.
    """

    calibration: TableCalibration
    path: Path | None = None
    enrolment: Enrolment | None = None
    reader_with: Callable[[Enrolment | None], PictureReader] | None = None
    check: Check = field(init=False)
    last: SetReport | None = None
    _in_play: TileSetWatch = field(default_factory=TileSetWatch)
    _asked: SimpleQueue[Asked] = field(default_factory=SimpleQueue)
    _waiting: list[tuple[Asked, float, int]] = field(default_factory=list)
    _shots: list[tuple[ReadPicture, tuple[DisplayFault, ...]]] = field(default_factory=list)
    _pictures: int = 0
    _seen_s: float = float("-inf")
    _shot_s: float = float("-inf")
    _shown_s: float = float("-inf")
    _found: tuple[DisplayFault, ...] | None = None
    _passed: bool = False

    def __post_init__(self) -> None:
        """Say what is known before the first picture."""
        if self.path is not None and self.enrolment is None:
            self.check = Check.of(NAME, ServiceCode.SET_NOT_ENROLLED_YET, ok=False, file=self.path.name)
        else:
            none = self.enrolment is None
            self.check = Check.of(
                NAME, ServiceCode.NO_SET_ENROLLED if none else ServiceCode.SET_NOT_CONTRADICTED, ok=True
            )

    @property
    def version(self) -> str | None:
        """Which enrolment the tiles are held against."""
        return None if self.enrolment is None else self.enrolment.version

    @property
    def display(self) -> ReadPicture | None:
        """The newest picture of the display that lies there, once enough of them were looked at."""
        return self._shots[-1][0] if len(self._shots) == SHOTS else None

    @property
    def against(self) -> float:
        """How much the tiles in play speak against the set, see ``vision.enrolment.tile_set``."""
        return self._in_play.total

    def resume(self, last: Mapping[str, Any] | None) -> None:
        """Go on as it was when the service stopped: what spoke against this very enrolment still does."""
        if last is not None and last["blocks"] and last["enrolment"] == self.version:
            written = DoubtReport(code=last["code"], params=last["params"])
            self.check = Check(NAME, ok=False, findings=(finding_of(written, ServiceCode, Code),))

    def ask(self, asked: Asked) -> None:
        """Have something done with the next pictures; from any thread."""
        self._asked.put(asked)

    def fault(self) -> Finding | None:
        """Why nothing may be verified just now; None if nothing speaks against the set."""
        return None if self.check.ok else self.check.findings[0]

    def see(
        self, image: Image, reading: Reading, lying: Sequence[Track], phase: Phase | None, t_s: float, *, fit: bool
    ) -> list[SetReport]:
        """Take the next picture; returns what is to be recorded.

        Args:
            image: the picture.
            reading: of it.
            lying: the tiles that lie still in it.
            phase: of the table.
            t_s: when it was taken.
            fit: whether camera and light are as they should be.
        """
        told: list[SetReport] = []
        before_s, self._seen_s = self._seen_s, t_s
        self._pictures += 1
        self._take_in(t_s, told)
        if fit:
            self._look(image, reading, lying, phase, t_s, told)
            self._end_display(t_s, before_s, told)
        for asked, since_s, begun in tuple(self._waiting):
            if t_s - since_s > PATIENCE_S and self._pictures - begun > PATIENCE_PICTURES:
                self._waiting.remove((asked, since_s, begun))
                unseen = Finding(ServiceCode.NO_DISPLAY_SEEN)
                asked.answer.set_result(SetReport(asked.act, ok=False, finding=unseen, by=asked.by))
        if told:
            self.last = told[-1]
        return told

    def _take_in(self, t_s: float, told: list[SetReport]) -> None:
        while True:
            try:
                asked = self._asked.get_nowait()
            except Empty:
                return
            if asked.act == "confirm":
                answered = Finding.of(ServiceCode.SET_ANSWERED_FOR, by=asked.by, reason=asked.reason)
                told.append(self._report("confirm", (), answered, blocks=False, asked=asked))
                asked.answer.set_result(told[-1])
            else:
                self._waiting.append((asked, t_s, self._pictures))
                self._shots.clear()

    def _look(
        self,
        image: Image,
        reading: Reading,
        lying: Sequence[Track],
        phase: Phase | None,
        t_s: float,
        told: list[SetReport],
    ) -> None:
        shot = ReadPicture(image, reading)
        if phase is Phase.DISPLAY or (self._waiting and shot.shows_faces):
            shown = sum(tile.face_up for tile in reading.tiles)
            if shot.shows_faces and sum(track.tile.face_up for track in lying) == shown:
                self._shown_s = t_s
                self._look_at_display(shot, t_s, told)
        elif self.enrolment is not None:
            self._in_play.see(lying)
            if self._in_play.exchanged and self.check.ok:
                told.append(self._alarm())

    def _end_display(self, t_s: float, before_s: float, told: list[SetReport]) -> None:
        """Forget a display that is over: more than one picture, however rare they are, must have shown none."""
        if t_s - self._shown_s > OVER_S and before_s > self._shown_s:
            if self._found and not self._passed:
                told.append(self._checked(self._found, None))
            self._shots.clear()
            self._found, self._passed = None, False

    def _look_at_display(self, shot: ReadPicture, t_s: float, told: list[SetReport]) -> None:
        if t_s - self._shot_s < APART_S or (self._passed and not self._waiting):
            return
        self._shot_s = t_s
        self._shots = [*self._shots[-SHOTS + 1 :], (shot, faults_of(shot, self.enrolment))]
        if len(self._shots) < SHOTS:
            return
        self._found = agreed([faults for _, faults in self._shots])
        if self._blocks(self._found):
            # Not yet told, for the display may be put right; but it is not waited for either.
            self.check = Check(NAME, ok=False, findings=(self._summary(self._found),))
        for asked, _, _ in self._waiting:
            told.append(self._enrol(asked) if asked.act == "enrol" else self._checked(self._found, asked))
            asked.answer.set_result(told[-1])
        if not self._found and not self._passed and not self._waiting:
            told.append(self._checked((), None))
        self._passed = self._passed or not self._found or bool(self._waiting)
        self._waiting.clear()

    def _checked(self, faults: tuple[DisplayFault, ...], asked: Asked | None) -> SetReport:
        """The outcome of a display check; an own set that was shown whole is trusted again."""
        undecided = any(fault.code is Code.NOT_IN_RANK_ORDER for fault in faults)
        blocks = None if undecided else self._blocks(faults)
        return self._report("check", faults, self._summary(faults), blocks=blocks, asked=asked)

    def _blocks(self, faults: Sequence[DisplayFault]) -> bool:
        """Whether a display with these faults is not of the own set."""
        codes = [fault.code for fault in faults]
        other = not OF_THE_SET.isdisjoint(codes) or codes.count(Code.FOREIGN_TILE) >= EXCHANGED
        return self.enrolment is not None and other

    def _summary(self, faults: Sequence[DisplayFault]) -> Finding:
        """A display with these faults as one finding."""
        if not faults:
            return Finding(ServiceCode.DISPLAY_WHOLE if self.enrolment is None else ServiceCode.OWN_SET_WHOLE)
        code = ServiceCode.DISPLAY_OF_ANOTHER_SET if self._blocks(faults) else ServiceCode.DISPLAY_FAULTY
        named, unnamed = tuple(fault.finding for fault in faults[:_MOST_NAMED]), len(faults) - _MOST_NAMED
        return Finding.of(code, faults=named, more=unnamed) if unnamed > 0 else Finding.of(code, faults=named)

    def _enrol(self, asked: Asked) -> SetReport:
        if self.path is None:
            return SetReport("enrol", ok=False, finding=Finding(ServiceCode.NO_ENROLMENT_FILE), by=asked.by)
        learnt = enrol([shot for shot, _ in self._shots], self.calibration)
        if isinstance(learnt, NotEnrolled):
            return SetReport("enrol", ok=False, finding=learnt.reason, faults=learnt.faults, by=asked.by)
        try:
            self.enrolment = save_enrolment(self.path, learnt)
        except OSError as error:
            refused = Finding.of(ServiceCode.FILE_NOT_WRITTEN, file=str(self.path), why=str(error.strerror))
            return SetReport("enrol", ok=False, finding=refused, by=asked.by)
        return self._report("enrol", (), Finding(ServiceCode.SET_ENROLLED), blocks=False, asked=asked)

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
        asked: Asked | None = None,
    ) -> SetReport:
        if blocks is not None:
            self.check = Check(NAME, ok=not blocks, findings=(finding,))
        if blocks is False:
            self._in_play.restart()
        by, reason = (None, None) if asked is None else (asked.by, asked.reason)
        return SetReport(act, not faults if ok is None else ok, finding, blocks, faults, by, reason, self.version)


def _written(found: Finding) -> dict[str, Any]:
    return DoubtReport.of(found).model_dump(mode="json", exclude={"about"})

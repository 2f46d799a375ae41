"""The recorded pictures of a round, read again by the networks, each with its table's calibration as recorded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from calibration.files.calibration_file import CalibrationError
from calibration.table.places import Place
from service.codes import RereadCode
from service.floor.reread.evidence import PictureAwayError
from service.rounds.as_read import die_of, hand_of
from service.rounds.reports import DICE
from service.rounds.review import as_read
from service.words.findings import words_of_error
from vision.capture.images import ImageError, decode_image
from vision.enrolment.enrolment_file import EnrolmentError
from vision.findings import Finding
from vision.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from calibration.files.calibration_file import TableCalibration
    from engine.vocabulary.play import Lie
    from service.floor.reread.evidence import Pictures
    from service.floor.reread.set_up import SetUps
    from service.rounds.reports import RoundReport
    from vision.capture.images import Image
    from vision.enrolment.enrolment import Enrolment
    from vision.reading import Reading


@dataclass(frozen=True, slots=True)
class ReadAgain:
    """A round as its pictures are read now.

    Attributes:
        before: as it was read then, without what persons decided.
        now: the same with what the pictures show now.
        parts: the places of which a picture was read, and ``DICE``.
        unread: what could not be, and why.
    """

    before: RoundReport
    now: RoundReport
    parts: frozenset[str]
    unread: tuple[Finding, ...]


@dataclass(slots=True)
class PictureReading:
    """Reads recorded pictures again.

    Attributes:
        models: folder of all four networks; None for those of this program.
        pictures: where recorded pictures are.
        set_ups: where calibrations and enrolments are.
        threads: for one run of a network.
    """

    models: Path | None
    pictures: Pictures
    set_ups: SetUps
    threads: int = 1
    _readers: dict[Lie, Reader] = field(default_factory=dict)

    def read(self, report: RoundReport, low_hand: Lie, *, last_try: bool) -> ReadAgain:
        """Read what was recorded of a round.

        Each part is read from one picture: whether it lay still no picture can say, so what was uncertain for want of
        time may be verified now.

        Args:
            report: the round.
            low_hand: how low hands lie at its table.
            last_try: a picture that cannot be had now is told as unread, in place of raising PictureAwayError.

        Raises:
            PictureAwayError: a picture cannot be had now.
            NotAllowedError: the floor gives this key no pictures.
            ModelError: a network cannot be loaded.
        """
        before = as_read(report)
        shown = _shown(report)
        if not shown:
            return ReadAgain(before, before, frozenset(), (Finding(RereadCode.NO_PICTURES),))
        try:
            calibration, empty = self._calibration(report)
            enrolment = self._enrolment(report)
        except _MissingError as error:
            return ReadAgain(before, before, frozenset(), (error.finding,))
        now, parts, unread = before, set[str](), list(_without_picture(before, shown))
        for sha256, places in shown.items():
            try:
                image = decode_image(self._picture(sha256, last_try=last_try), sha256)
                reading = self._reader(low_hand).read(
                    image, calibration=calibration, empty=empty, enrolment=enrolment, name=sha256
                )
            except _MissingError as error:
                unread += (_of_place(error.finding, place, sha256) for place in places)
            except (ImageError, CalibrationError) as error:
                why = str(words_of_error(error))
                unread += (_of_place(Finding.of(RereadCode.PICTURE_UNREADABLE, why=why), one, sha256) for one in places)
            else:
                now = _seen_in(reading, places, now)
                parts |= places
        return ReadAgain(before, now, frozenset(parts), tuple(unread))

    def _reader(self, low_hand: Lie) -> Reader:
        if low_hand not in self._readers:
            self._readers[low_hand] = Reader.load(self.models, threads=self.threads, low_hand=low_hand)
        return self._readers[low_hand]

    def _picture(self, sha256: str, *, last_try: bool) -> bytes:
        try:
            found = self.pictures.get(sha256)
        except PictureAwayError as error:
            if last_try:
                raise _MissingError(Finding.of(RereadCode.PICTURE_AWAY, why=str(error))) from None
            raise
        if found is None:
            raise _MissingError(Finding(RereadCode.PICTURE_GONE))
        return found

    def _calibration(self, report: RoundReport) -> tuple[TableCalibration | None, Image | None]:
        version = report.versions.get("calibration")
        if version is None:
            return None, None
        try:
            found = self.set_ups.calibration(version)
        except CalibrationError:
            found = None
        if found is None:
            raise _MissingError(Finding.of(RereadCode.CALIBRATION_MISSING, sha256=version.removeprefix("sha256:")))
        return found

    def _enrolment(self, report: RoundReport) -> Enrolment | None:
        version = report.versions.get("enrolment")
        if version is None:
            return None
        try:
            found = self.set_ups.enrolment(version)
        except EnrolmentError:
            found = None
        if found is None:
            raise _MissingError(Finding.of(RereadCode.ENROLMENT_MISSING, sha256=version.removeprefix("sha256:")))
        return found


class _MissingError(Exception):
    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.code)
        self.finding = finding


def _shown(report: RoundReport) -> dict[str, set[str]]:
    """By picture, the parts of the round that it was recorded for."""
    shown: dict[str, set[str]] = {}
    for each in report.evidence:
        if each.role == "frame" and each.place is not None:
            shown.setdefault(each.sha256, set()).add(each.place)
    return shown


def _without_picture(played: RoundReport, shown: dict[str, set[str]]) -> Iterator[Finding]:
    parts = {str(hand.place) for hand in played.hands} | ({DICE} if played.dice else set())
    for part in sorted(parts - set().union(*shown.values())):
        yield Finding.of(RereadCode.NOT_SHOWN, place=part)


def _of_place(finding: Finding, place: str, sha256: str) -> Finding:
    return Finding.of(finding.code, **dict(finding.params), place=place, sha256=sha256[:16])


def _seen_in(reading: Reading, places: set[str], played: RoundReport) -> RoundReport:
    """A round with what a picture shows at the places that it was recorded for."""
    read = {str(hand.place): hand_of(hand) for hand in reading.hands if str(hand.place) in places}
    hands = {hand.place: hand for hand in played.hands if hand.place not in places} | read
    ordered = sorted(hands.values(), key=lambda hand: Place.parse(hand.place))
    dice = tuple(map(die_of, reading.dice)) if DICE in places else played.dice
    return played.model_copy(update={"hands": tuple(ordered), "dice": dice})

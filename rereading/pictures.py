"""Reads the recorded pictures of a round again, each with the calibration and enrolments it was recorded with."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

import obstore
from obstore import exceptions
from obstore.store import LocalStore, from_url

from calibration.drift.reference import load_reference
from calibration.files.calibration_file import CalibrationError, load_calibration
from calibration.files.json_file import MOST_BYTES
from calibration.table.places import Place
from service.rounds.readings import die_of, hand_of
from service.rounds.reports import DICE, FrozenModel
from service.rounds.review import as_read
from service.words.findings import words_of_error
from vision.capture.decoding.jpeg import CAMERA_PIXELS
from vision.capture.images import ImageError, decode_image
from vision.enrolment.dice_file import FORMAT as DICE_FORMAT
from vision.enrolment.dice_file import DiceError, load_dice
from vision.enrolment.enrolment_file import FORMAT, EnrolmentError, load_enrolment
from vision.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from calibration.files.calibration_file import TableCalibration
    from engine.vocabulary.play import Lie
    from service.rounds.reports import RoundReport
    from vision.capture.images import Image
    from vision.enrolment.enrolment import Enrolment
    from vision.enrolment.own_dice import OwnDice
    from vision.reading import Reading

_NOT_THERE: Final = (FileNotFoundError, exceptions.NotFoundError)


T = TypeVar("T")


class Why(StrEnum):
    """Why something of a recorded round cannot be re-read."""

    ENTRY_INVALID = "entry_invalid"
    NOT_DECIDABLE = "not_decidable"
    ENTRY_GONE = "entry_gone"
    NO_PICTURES = "no_pictures"
    NOT_SHOWN = "not_shown"
    PICTURE_MISSING = "picture_missing"
    PICTURE_UNAVAILABLE = "picture_unavailable"
    PICTURE_INVALID = "picture_invalid"
    CALIBRATION_MISSING = "calibration_missing"
    ENROLMENT_MISSING = "enrolment_missing"
    DICE_MISSING = "dice_missing"


class Unread(FrozenModel):
    """Something that cannot be re-read.

    Attributes:
        place: of the hand, or ``DICE``; None for the round itself.
        sha256: of the picture, calibration, enrolment or file of the house's dice.
        details: of the error.
    """

    code: Why
    place: str | None = None
    sha256: str | None = None
    details: str = ""


class UnavailableError(Exception):
    """A picture cannot be fetched now."""


class PictureCopies:
    """The folder or bucket into which a floor copies pictures; ValueError if the place cannot be used."""

    def __init__(self, place: str) -> None:
        try:
            self._store = from_url(place) if "://" in place else LocalStore(prefix=Path(place))
        except (exceptions.BaseError, OSError) as error:
            raise ValueError(f"{place}: {str(error).partition(chr(10))[0]}") from None

    def get(self, sha256: str) -> bytes | None:
        """A picture that matches its hash; None without one. UnavailableError."""
        try:
            found = obstore.get(self._store, f"{sha256[:2]}/{sha256}")
            if found.meta["size"] > MOST_BYTES:
                return None
            data = bytes(found.bytes())
        except _NOT_THERE:
            return None
        except (exceptions.BaseError, OSError) as error:
            raise UnavailableError(str(error).partition("\n")[0]) from None
        return data if hashlib.sha256(data).hexdigest() == sha256 else None


@dataclass(frozen=True, eq=False, slots=True)
class SetUps:
    """Calibrations and enrolments of tables in a folder and its subfolders, by the versions that results name.

    Attributes:
        dice: the houses' own dice.
    """

    calibrations: dict[str, Path] = field(default_factory=dict)
    enrolments: dict[str, Path] = field(default_factory=dict)
    dice: dict[str, Path] = field(default_factory=dict)

    @classmethod
    def found_in(cls, folder: Path) -> Self:
        """Search a folder; OSError if it cannot be read."""
        found = cls()
        for path in sorted(folder.rglob("*.json")):
            data = path.read_bytes()
            contents = _object(data)
            sealed = {FORMAT.name: found.enrolments, DICE_FORMAT.name: found.dice}.get(str(contents.get("format")))
            if sealed is not None:
                sealed.setdefault(f"sha256:{contents.get('sha256')}", path)
            elif contents:
                found.calibrations.setdefault(f"sha256:{hashlib.sha256(data).hexdigest()}", path)
        return found


@dataclass(frozen=True, slots=True)
class ReadAgain:
    """A round as its pictures are read now.

    Attributes:
        before: as it was read when recorded, without what people entered.
        now: the same with what the pictures show now.
        parts: places of which a picture was read, and ``DICE``.
    """

    before: RoundReport
    now: RoundReport
    parts: frozenset[str]
    unread: tuple[Unread, ...]


@dataclass(slots=True)
class PictureReading:
    """Reads recorded pictures again.

    Attributes:
        models: folder of all four networks; None for those of this program.
        threads: for one run of a network.
    """

    models: Path | None
    pictures: PictureCopies
    set_ups: SetUps
    threads: int = 1
    _readers: dict[Lie, Reader] = field(default_factory=dict)

    def read(self, report: RoundReport, low_hand: Lie, *, last_try: bool) -> ReadAgain:
        """Read what was recorded of a round, each part from one picture.

        One picture cannot show whether a hand lay still, so a hand that was uncertain only for lack of time may be
        verified now. With ``last_try`` a picture that cannot be fetched now is unread; otherwise it raises
        UnavailableError. ModelError if a network cannot be loaded.
        """
        before = as_read(report)
        shown = _shown(report)
        if not shown:
            return ReadAgain(before, before, frozenset(), (Unread(code=Why.NO_PICTURES),))
        try:
            calibration, empty = self._calibration(report)
            enrolment, dice = self._enrolment(report), self._dice(report)
        except _MissingError as error:
            return ReadAgain(before, before, frozenset(), (error.unread,))
        now, parts, unread = before, set[str](), list(_without_picture(before, shown))
        for sha256, places in shown.items():
            try:
                image = decode_image(self._picture(sha256, last_try=last_try), sha256, CAMERA_PIXELS)
                reader = self._reader(low_hand).enrolled(enrolment).throwing(dice)
                reading = reader.read(image, calibration=calibration, empty=empty, name=sha256)
            except _MissingError as error:
                unread += (error.unread.model_copy(update={"place": place}) for place in sorted(places))
            except (ImageError, CalibrationError) as error:
                invalid = Unread(code=Why.PICTURE_INVALID, sha256=sha256, details=str(words_of_error(error)))
                unread += (invalid.model_copy(update={"place": place}) for place in sorted(places))
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
        except UnavailableError as error:
            if last_try:
                raise _MissingError(Why.PICTURE_UNAVAILABLE, sha256, str(error)) from None
            raise
        if found is None:
            raise _MissingError(Why.PICTURE_MISSING, sha256)
        return found

    def _calibration(self, report: RoundReport) -> tuple[TableCalibration | None, Image | None]:
        found = _of_version(
            report, "calibration", self.set_ups.calibrations, _loaded_calibration, Why.CALIBRATION_MISSING
        )
        return (None, None) if found is None else found

    def _enrolment(self, report: RoundReport) -> Enrolment | None:
        return _of_version(report, "enrolment", self.set_ups.enrolments, _loaded_enrolment, Why.ENROLMENT_MISSING)

    def _dice(self, report: RoundReport) -> OwnDice | None:
        return _of_version(report, "own_dice", self.set_ups.dice, _loaded_dice, Why.DICE_MISSING)


class _MissingError(Exception):
    def __init__(self, code: Why, sha256: str, details: str = "") -> None:
        super().__init__(code)
        self.unread = Unread(code=code, sha256=sha256, details=details)


def _of_version(
    report: RoundReport, name: str, files: Mapping[str, Path], load: Callable[[Path], T], missing: Why
) -> T | None:
    """What the report names by this version, from its file; None if it names none."""
    version = report.versions.get(name)
    if version is None:
        return None
    try:
        return load(files[version])
    except (KeyError, CalibrationError, EnrolmentError, DiceError):
        raise _MissingError(missing, version.removeprefix("sha256:")) from None


@lru_cache(maxsize=8)
def _loaded_calibration(path: Path) -> tuple[TableCalibration, Image | None]:
    found = load_calibration(path)
    return found, load_reference(path, found)


@lru_cache(maxsize=8)
def _loaded_enrolment(path: Path) -> Enrolment:
    return load_enrolment(path)


@lru_cache(maxsize=8)
def _loaded_dice(path: Path) -> OwnDice:
    return load_dice(path).learnt()


def _object(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _shown(report: RoundReport) -> dict[str, set[str]]:
    """By picture, the parts of the round for which it was recorded."""
    shown: dict[str, set[str]] = {}
    for each in report.evidence:
        if each.role == "frame" and each.place is not None:
            shown.setdefault(each.sha256, set()).add(each.place)
    return shown


def _without_picture(played: RoundReport, shown: dict[str, set[str]]) -> Iterator[Unread]:
    parts = {str(hand.place) for hand in played.hands} | ({DICE} if played.dice else set())
    for part in sorted(parts - set().union(*shown.values())):
        yield Unread(code=Why.NOT_SHOWN, place=part)


def _seen_in(reading: Reading, places: set[str], played: RoundReport) -> RoundReport:
    """A round with what a picture shows at the places for which it was recorded."""
    read = {str(hand.place): hand_of(hand) for hand in reading.hands if str(hand.place) in places}
    hands = {hand.place: hand for hand in played.hands if hand.place not in places} | read
    ordered = sorted(hands.values(), key=lambda hand: Place.parse(hand.place))
    dice = tuple(map(die_of, reading.dice)) if DICE in places else played.dice
    return played.model_copy(update={"hands": tuple(ordered), "dice": dice})

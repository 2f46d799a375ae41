"""Collects labelled crops at a running table: tiles of display checks, and tiles of reviewed hands."""

from __future__ import annotations

import hashlib
import json
import logging
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from calibration.files.seal import replace_file
from service.record.results import report_of
from service.record.store.entries import RESULTS
from service.rounds.reports import parse_pair
from vision.capture.images import ImageError, decode_image
from vision.enrolment.learning import ReadPicture
from vision.learning.kept_crops import CropFolder, KeptCrop, Origin
from vision.learning.labelling import Labelled, labelled_display, labelled_hand, supported

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from calibration.files.calibration_file import TableCalibration
    from engine.game.tiles import Tile
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.entries import Picture
    from service.rounds.reports import HandReport, RoundReport
    from vision.networks.classifier import NamesTiles
    from vision.reading import PictureReader

_log = logging.getLogger(__name__)

_SEEN: Final = "seen.json"
_PAGE: Final = 100
_MODELS: Final = ("detector", "tiles")


class HasPictures(Protocol):
    def picture(self, sha256: str) -> Picture | None:
        """Return a picture by its SHA-256; None if it was deleted."""
        ...


@dataclass(slots=True)
class Collected:
    """Counts of a collection.

    Attributes:
        kept: new crops in the folder.
        aside: new crops whose label no reader confirms; a person decides about them.
        skipped: reviewed hands without a crop, by reason.
    """

    kept: int = 0
    aside: int = 0
    skipped: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class CropCollector:
    """Collects the crops of one table.

    Attributes:
        table: its name.
        folder: of the crops.
        name: the shipped tile classifier, one of the readers that labels are checked with.
        counted: called with the numbers of crops kept and put aside.
    """

    table: str
    folder: CropFolder
    name: NamesTiles
    counted: Callable[[int, int], None] = lambda _kept, _aside: None

    def display(self, shot: ReadPicture, at: datetime, picture: str | None = None) -> Collected:
        """Keep the tiles of a display check; OSError if they cannot be written.

        Args:
            shot: the picture with its reading.
            at: moment of the display check, UTC.
            picture: SHA-256 of the picture's file; without it the SHA-256 of its pixels is used.
        """
        sha256 = picture or hashlib.sha256(shot.image.tobytes()).hexdigest()

        def origin(number: int) -> Origin:
            versions = _versions(shot)
            return Origin(kind="display", table=self.table, at=at, number=number, picture=sha256, versions=versions)

        return self._keep(labelled_display(shot), origin)

    def hand(self, shot: ReadPicture, picture: str, report: RoundReport, hand: HandReport) -> Collected:
        """Keep the tiles of a reviewed hand with the reviewer's faces; OSError if they cannot be written."""
        review = hand.review
        if review is None:
            return Collected()
        faces: tuple[Tile, ...] = (*parse_pair(hand.low), *parse_pair(hand.high))
        labelled = labelled_hand(shot, hand.place, faces, self.name)
        if not labelled:
            return Collected(skipped=Counter({"the four tiles are not seen clearly enough in its picture": 1}))

        def origin(number: int) -> Origin:
            return Origin(
                kind="review",
                table=self.table,
                at=review.at,
                number=number,
                picture=picture,
                versions=_versions(shot),
                round=report.id,
                revision=report.revision,
                place=hand.place,
                by=review.by,
            )

        return self._keep(labelled, origin)

    def _keep(self, labelled: Sequence[Labelled], origin: Callable[[int], Origin]) -> Collected:
        if not labelled:
            return Collected()
        seen = supported(np.stack([each.crop for each in labelled]), [each.face for each in labelled], self.name)
        crops = [KeptCrop(each.crop, each.face, origin(each.number)) for each in labelled]
        found = Collected(
            self.folder.keep(each for each, good in zip(crops, seen, strict=True) if good),
            self.folder.keep((each for each, good in zip(crops, seen, strict=True) if not good), aside=True),
        )
        self.counted(found.kept, found.aside)
        return found


@dataclass(slots=True)
class ReviewCollector:
    """Collects the tiles of the reviewed hands in the record.

    Attributes:
        collector: keeps the crops.
        record: the record.
        pictures: the evidence.
        reader: reads the evidence pictures again.
        calibration: of the camera.
        version: of the calibration, as named in results; pictures taken with another are skipped.
    """

    collector: CropCollector
    record: DatabaseReader
    pictures: HasPictures
    reader: PictureReader
    calibration: TableCalibration
    version: str | None

    def collect(self) -> Collected:
        """Process all reviews since the last call; OSError, RecordUnavailableError."""
        path = self.collector.folder.path / _SEEN
        found, seq = Collected(), _seen(path)
        while entries := self.record.after(seq, kinds=("review",), table=self.collector.table, limit=_PAGE):
            for round_id in dict.fromkeys(entry.round for entry in entries if entry.round is not None):
                self._round(round_id, found)
            seq = entries[-1].seq
            replace_file(path, (json.dumps({"through": seq}) + "\n").encode())
        return found

    def _round(self, round_id: str, found: Collected) -> None:
        """Keep the confirmed hands of a round's newest revision."""
        newest = next(iter(self.record.last(RESULTS, round_id=round_id)), None)
        report = None if newest is None else report_of(newest)
        for hand in () if report is None else report.hands:
            if report is None or hand.review is None or hand.status != "confirmed":
                continue
            sha256 = next(
                (one.sha256 for one in report.evidence if (one.place, one.role) == (hand.place, "frame")), None
            )
            shot = None if sha256 is None else self._shot(sha256)
            if sha256 is None or shot is None:
                found.skipped["its picture was deleted"] += 1
            elif report.versions.get("calibration") != self.version:
                found.skipped["it was read with another calibration"] += 1
            else:
                one = self.collector.hand(shot, sha256, report, hand)
                found.kept, found.aside = found.kept + one.kept, found.aside + one.aside
                found.skipped.update(one.skipped)

    def _shot(self, sha256: str) -> ReadPicture | None:
        picture = self.pictures.picture(sha256)
        if picture is None:
            return None
        try:
            image = decode_image(picture.data, sha256)
        except ImageError:
            return None
        return ReadPicture(image, self.reader.read(image, calibration=self.calibration, hands=False))


def _versions(shot: ReadPicture) -> dict[str, str]:
    return {name: version for name, version in shot.reading.versions.items() if name in _MODELS}


def _seen(path: Path) -> int:
    """Return the last processed entry; 0 if unknown, which is harmless: no crop is kept twice."""
    try:
        return int(json.loads(path.read_text(encoding="utf-8"))["through"])
    except (OSError, ValueError, TypeError, KeyError):
        return 0

"""Whether the camera of a picture that is read on its own stands as its calibration says.

A live table is watched all the time (:mod:`service.monitor.camera_watch`); a picture from a file or a request is held
against its calibration here, once, by the same measures. A calibration that has nothing to compare with leaves the
reading as it is, with a finding that says so: whoever gives it answers for it. Only what the hands themselves show is
held against it: at the places of a picture that is turned by half a turn lie fewer hands than there are.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from calibration.drift.drift import DriftUnknown
from calibration.table.places import HOUSE
from calibration.table.sizes import TILE_TOP_MM
from service.codes import ServiceCode
from service.rounds.withheld import doubted
from vision.findings import Finding

if TYPE_CHECKING:
    from calibration.files.calibration_file import TableCalibration
    from calibration.table.places import Place
    from service.monitor.inspection import Inspector
    from vision.capture.images import Image
    from vision.reading import Reading

_OF_A_HAND: Final = (4, 5)
"""Tiles at a place that a hand lies at; one of them may be a stray."""
_LEAST_HANDS: Final = 2
_MANY_MORE: Final = 2
"""Without a House hand among them, hands at so many more places speak for a picture that is turned."""
_EXIF_HALF_TURN: Final = 3


def held_against_table(inspector: Inspector, image: Image, reading: Reading, exif: int = 1) -> Reading:
    """A reading with nothing verified if the camera does not stand as calibrated, or the picture does not show it.

    Args:
        inspector: the calibration that the picture was read with, and the empty table if there is a picture of it.
        image: (height, width, 3) uint8.
        reading: of that picture.
        exif: the orientation that the EXIF data of the picture's file asked for.

    Raises:
        CalibrationError: the picture has another size than the calibration.
    """
    inspected = inspector.examine(image)
    if isinstance(inspected.drift, DriftUnknown) and not inspected.drift.comparable:
        return _without_comparison(inspector.calibration, reading)
    for fault in inspected.telling:
        found = fault.finding
        if found.code is ServiceCode.PICTURE_TURNED and exif == _EXIF_HALF_TURN:
            found = Finding.of(ServiceCode.PICTURE_TURNED, exif=exif)
        reading = doubted(reading, found, tell=True)
    return reading


def _without_comparison(calibration: TableCalibration, reading: Reading) -> Reading:
    if calibration.reference is not None:
        missing = Finding.of(ServiceCode.REFERENCE_NOT_SENT, file=calibration.reference.name)
        return doubted(reading, missing, tell=True)
    seen, turned = (_places_of_hands(calibration, reading, turned=turned) for turned in (False, True))
    more = len(turned) - len(seen)
    if len(turned) >= _LEAST_HANDS and more >= (1 if HOUSE in turned else _MANY_MORE):
        found = Finding.of(ServiceCode.HANDS_LIE_TURNED, turned=len(turned), seen=len(seen))
        return doubted(reading, found, tell=True)
    return replace(reading, findings=(*reading.findings, Finding(ServiceCode.STAND_NOT_CHECKED)))


def _places_of_hands(calibration: TableCalibration, reading: Reading, *, turned: bool) -> set[Place]:
    """At which places whole hands lie, as the picture is or turned by half a turn."""
    if not reading.tiles:
        return set()
    middles = np.array([np.mean(tile.polygon, axis=0) for tile in reading.tiles])
    if turned:
        middles = np.array(reading.size) - 1 - middles
    on_table = calibration.to_plane(middles, TILE_TOP_MM)
    known = (calibration.place_of(x, y) for x, y in on_table[np.isfinite(on_table).all(axis=1)].tolist())
    tiles = Counter(place for place in known if place is not None and place.has_hand)
    return {place for place, count in tiles.items() if count in _OF_A_HAND}

"""Detection of a table's own markers: round, at plausible places, and with the enrolled print.

Discs of the right size are found by their outline, in any colour. Each is then compared with the enrolled faces at
every rotation; chips and other round objects have another print. A different word in the same letters is only
distinguished by a detailed comparison (``vision.markers.face``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from vision.enrolment.enrolment import felt_colour
from vision.findings import Code, Finding
from vision.markers.disc import mean_colour, print_contrast, sample
from vision.markers.face import UNLIKE, take_face
from vision.markers.felt_view import STEP_MM, Edges, FeltView, peaks
from vision.markers.marker_kinds import MarkerKind
from vision.markers.marker_places import box_at, searched
from vision.markers.own_markers import USUAL_HEIGHT_MM
from vision.reading import MarkerReading

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from calibration.files.calibration_file import TableCalibration
    from vision.arrays import Colour, Floats, Mask
    from vision.markers.face import Compared
    from vision.markers.own_markers import OwnMarker, OwnMarkers

LEAST_ROUND: Final = 0.4
"""Minimum roundness of a candidate centre of a disc."""
WHOLE: Final = 0.7
"""Roundness of a complete outline; half an outline has about half, tiles side by side 0.66."""
OWN_MATCH: Final = 0.75
"""Minimum correlation with the enrolled face for verification; other objects reach it too."""
LEAST_MATCH: Final = 0.67
"""Minimum correlation of a possible marker."""
FADED_MATCH: Final = 0.35
FADED_ROUND: Final = 0.85
FADED_CONTRAST: Final = 0.3
"""The same for a disc of the marker's colour whose print glare has faded to that share of its contrast."""
LEAST_APART: Final = 0.15
"""Minimum difference to the next best meaning for a certain one."""
MOST_OTHER_HUE: Final = 0.4
MOST_OTHER_LIGHT: Final = 1.1
"""Maximum log difference of hue and of brightness, relative to the felt, for the marker's own colour."""
_REACH_MM: Final = 40.0
"""Distance around a change within which markers are searched again: more than a marker's radius."""
_MOST_DISCS: Final = 24
_COARSE_MM: Final = np.array([(0, 0), (-2, 0), (2, 0), (0, -2), (0, 2)], np.float32)
_FINE_MM: Final = np.array([(x, y) for x in (-1.2, 0, 1.2) for y in (-1.2, 0, 1.2)], np.float32)
_FIRST_LOOK: Final = 0.3
"""Minimum correlation for a detailed comparison of a disc."""
_CHANGED: Final = 9
"""Minimum change in levels for searching a region of the felt again."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A disc compared with one enrolled face; ``closely`` only if it is a likely match."""

    own: OwnMarker
    center_mm: tuple[float, float]
    roundness: float
    match: float
    contrast: float
    closely: Compared = UNLIKE

    @property
    def may_be_it(self) -> bool:
        """Whether it is worth reporting; a rough match must at least be complete."""
        rough = self.match >= LEAST_MATCH and self.roundness >= WHOLE
        return self.match >= OWN_MATCH or rough or self.faded

    @property
    def surely(self) -> bool:
        """Whether it certainly has the enrolled print."""
        return self.match >= OWN_MATCH and self.closely.same

    @property
    def faded(self) -> bool:
        """Whether it looks like the marker with faded print."""
        return (
            self.match >= FADED_MATCH
            and self.roundness >= FADED_ROUND
            and self.contrast <= FADED_CONTRAST * self.own.print.contrast
        )


@dataclass(slots=True)
class MarkerFinder:
    """Finds the markers of one table; unchanged regions of the felt are not searched again."""

    own: OwnMarkers
    _calibration: TableCalibration | None = None
    _view: FeltView | None = None
    _before: NDArray[np.uint8] | None = None
    _found: tuple[_Spot, ...] = ()

    def find(self, image: NDArray[np.uint8], calibration: TableCalibration) -> tuple[MarkerReading, ...]:
        """The markers in a picture, (height, width, 3) uint8 BGR, most certain first."""
        if self._view is None or calibration is not self._calibration:
            everywhere = any(each.meaning.kind is MarkerKind.PLUS_MINUS for each in self.own.markers)
            box = searched(calibration.layout, all_of_it=everywhere)
            self._view, self._calibration = FeltView.of(calibration, USUAL_HEIGHT_MM, box), calibration
            self._before, self._found = None, ()
        seen = self._view.take(image)
        soft = np.asarray(cv2.blur(seen, (5, 5)), np.uint8)
        changed = self._changed(soft)
        if (part := _bounds(changed)) is None:
            return tuple(each.reading for each in self._found)
        before = soft if self._before is None else self._before
        before[part] = soft[part]
        self._before = before
        kept = [each for each in self._found if not changed[each.row, each.column]]
        new = _look(self.own, self._view, seen, part, changed, image, calibration)
        self._found = tuple(sorted((*kept, *new), key=lambda each: -each.reading.confidence))
        return tuple(each.reading for each in self._found)

    def _changed(self, soft: NDArray[np.uint8]) -> Mask:
        """Where (height, width) the view has changed since the last search, grown by a marker's size."""
        if self._before is None:
            return np.ones(soft.shape[:2], np.bool_)
        differs = (cv2.absdiff(soft, self._before).max(-1) > _CHANGED).astype(np.uint8)
        reach = 2 * round(_REACH_MM / STEP_MM) + 1
        return np.asarray(cv2.dilate(differs, np.ones((reach, reach), np.uint8)), np.bool_)


@dataclass(frozen=True, slots=True)
class _Spot:
    """A marker and its pixel in the view."""

    reading: MarkerReading
    column: int
    row: int


def _bounds(changed: Mask) -> tuple[slice, slice] | None:
    """The rows and columns containing all changes; None if there are none."""
    rows, columns = np.flatnonzero(changed.any(1)), np.flatnonzero(changed.any(0))
    if not len(rows):
        return None
    return slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1)


def _look(
    own: OwnMarkers,
    view: FeltView,
    seen: NDArray[np.uint8],
    part: tuple[slice, slice],
    changed: Mask,
    image: NDArray[np.uint8],
    calibration: TableCalibration,
) -> Iterable[_Spot]:
    edges, felt = Edges.of(seen[part]), felt_colour(image, calibration)
    down, across = part[0].start, part[1].start
    found: list[_Found] = []
    for diameter in sorted({each.diameter_mm for each in own.markers}):
        radius_px = diameter / 2 / view.step_mm
        tops = [
            (column + across, row + down, roundness)
            for column, row, roundness in peaks(edges.roundness(radius_px), LEAST_ROUND, radius_px, _MOST_DISCS)
            if changed[row + down, column + across]
        ]
        if not tops:
            continue
        centers = np.array([view.place_mm(column, row) for column, row, _ in tops], np.float32)
        roundness = np.array([each for _, _, each in tops], np.float32)
        for each in (each for each in own.markers if each.diameter_mm == diameter):
            found += _matching_discs(each, image, calibration, centers, roundness, felt)
    for reading in _readings(found, calibration):
        column, row = view.pixel(*reading.center_mm)
        yield _Spot(reading, column, row)


def _matching_discs(
    own: OwnMarker,
    image: NDArray[np.uint8],
    calibration: TableCalibration,
    centers_mm: Floats,
    roundness: Floats,
    felt: Colour,
) -> Iterable[_Found]:
    radius = own.diameter_mm / 2
    good = _own_colour(own, sample(image, calibration, centers_mm, radius, own.height_mm), felt)
    match = np.zeros(len(centers_mm), np.float32)
    discs = np.zeros((0,), np.float32)
    for offsets in (_COARSE_MM, _FINE_MM):
        if not good.any():
            return
        roundness, centers_mm = roundness[good], centers_mm[good]
        tried = centers_mm[:, None] + offsets[None]
        discs = sample(image, calibration, tried.reshape(-1, 2), radius, own.height_mm)
        scores = own.print.match(discs).reshape(len(tried), -1)
        best, rows = scores.argmax(1), np.arange(len(tried))
        match, centers_mm = scores[rows, best], tried[rows, best]
        discs = discs.reshape(len(tried), len(offsets), *discs.shape[1:])[rows, best]
        good = match >= _FIRST_LOOK
    contrast, like = print_contrast(discs), _own_colour(own, discs, felt)
    for n in np.flatnonzero(like):
        center = (float(centers_mm[n, 0]), float(centers_mm[n, 1]))
        each = _Found(own, center, float(roundness[n]), float(match[n]), float(contrast[n]))
        if each.may_be_it:
            likely = each.match >= OWN_MATCH
            yield replace(each, closely=_closely(each, discs[n], image, calibration)) if likely else each


def _closely(found: _Found, disc: Floats, image: NDArray[np.uint8], calibration: TableCalibration) -> Compared:
    """The face of a disc (rings, turns, 3) compared with the enrolled one at each candidate rotation."""
    own, center, radius = found.own, found.center_mm, found.own.diameter_mm / 2
    turns = own.print.turns(disc)
    faces = (take_face(image, calibration, center, radius, own.height_mm, turn) for turn in turns)
    px_per_mm = float(calibration.px_per_mm(np.array([(*center, own.height_mm)]))[0])
    return own.face.compared(faces, px_per_mm)


def _own_colour(own: OwnMarker, discs: Floats, felt: Colour) -> Mask:
    """Which discs (n, rings, turns, 3) have the marker's colour, independent of light."""
    off = own.tint_off(mean_colour(discs), felt)
    light = off.mean(1)
    hue = np.abs(off - light[:, None]).max(1)
    return np.asarray((hue <= MOST_OTHER_HUE) & (np.abs(light) <= MOST_OTHER_LIGHT))


def _readings(found: list[_Found], calibration: TableCalibration) -> Iterable[MarkerReading]:
    """One marker at each position, the most certain first."""
    left = sorted(found, key=lambda each: (not each.surely, -each.match))
    while left:
        best = left[0]
        apart = best.own.diameter_mm / 2
        here = [each for each in left if _distance(each, best) <= apart]
        left = [each for each in left if _distance(each, best) > apart]
        others = [each for each in here if each.own.meaning != best.own.meaning]
        yield _reading(best, others[0] if others else None, calibration)


def _distance(one: _Found, other: _Found) -> float:
    return float(np.hypot(one.center_mm[0] - other.center_mm[0], one.center_mm[1] - other.center_mm[1]))


def _reading(best: _Found, other: _Found | None, calibration: TableCalibration) -> MarkerReading:
    own = best.own
    doubts = []
    if best.match < OWN_MATCH:
        code = Code.MARKER_PRINT_FADED if best.faded else Code.MARKER_FITS_ROUGHLY
        doubts.append(Finding.of(code, likeness=round(100 * best.match)))
    elif not best.closely.same:
        doubts.append(Finding(Code.MARKER_PRINT_DIFFERS if best.closely.legible else Code.MARKER_PRINT_NOT_LEGIBLE))
    if best.roundness < WHOLE:
        doubts.append(Finding(Code.MARKER_PARTLY_HIDDEN))
    nearly = other is not None and other.match > best.match - LEAST_APART
    if other is not None and (other.surely or (nearly and not best.surely)):
        doubts.append(Finding(Code.MARKER_MAY_BE_ANOTHER))
    turns = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    rim = np.array(best.center_mm) + own.diameter_mm / 2 * np.stack([np.cos(turns), np.sin(turns)], 1)
    points = np.vstack([rim, best.center_mm])
    pixels = calibration.project(np.column_stack([points, np.full(len(points), own.height_mm)]))
    return MarkerReading(
        kind=own.meaning.kind,
        value=own.meaning.value,
        center_px=(float(pixels[-1, 0]), float(pixels[-1, 1])),
        center_mm=best.center_mm,
        outline=tuple((float(x), float(y)) for x, y in pixels[:-1]),
        diameter_mm=own.diameter_mm,
        confidence=float(np.clip(best.match, 0, 1)),
        status="uncertain" if doubts else "verified",
        doubts=tuple(doubts),
        place=box_at(calibration.layout, *best.center_mm),
    )

"""A table's own markers as learnt from pictures."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from vision.markers.disc import Print, mean_colour
from vision.markers.face import Face

if TYPE_CHECKING:
    from calibration.files.seal import Seal
    from vision.arrays import Colour, Floats
    from vision.markers.marker_kinds import Meaning

USUAL_HEIGHT_MM: Final = 7.0
"""Default height of a marker; an error of a few millimetres shifts it by less than that."""
SIZES_MM: Final = tuple(float(size) for size in range(39, 58, 3))
"""Diameters tried if a table's own is unknown."""

_DARKEST: Final = 4.0


@dataclass(frozen=True, eq=False, slots=True)
class OwnMarker:
    """One face of a marker.

    Attributes:
        diameter_mm: of its upper face.
        height_mm: of its upper face over the felt.
        disc: (rings, turns, 3) float32 BGR, the face in rings around its centre (``vision.markers.disc``).
        face: the same as an image, in more detail.
        felt: colour of the felt in that picture; None to compare absolute colours.
        print: the same face, prepared for comparison.
    """

    meaning: Meaning
    diameter_mm: float
    height_mm: float
    disc: Floats
    face: Face
    felt: Colour | None
    print: Print = field(repr=False)

    @classmethod
    def of(
        cls, meaning: Meaning, diameter_mm: float, height_mm: float, disc: Floats, face: Floats, felt: Colour | None
    ) -> OwnMarker:
        return cls(meaning, diameter_mm, height_mm, disc, Face(face, diameter_mm / 2), felt, Print.of(disc))

    def tint_off(self, colours: Floats, felt: Colour) -> Floats:
        """Difference of colours (n, 3) on a felt of this colour from its own, in logarithms."""
        own = mean_colour(self.disc[None])[0]
        if self.felt is None:
            return _log(colours) - _log(own)
        return (_log(colours) - _log(felt)) - (_log(own) - _log(self.felt))


@dataclass(frozen=True, eq=False, slots=True)
class OwnMarkers:
    """All markers of one table, with the seal of their file."""

    markers: tuple[OwnMarker, ...]
    calibration: str | None = None
    seal: Seal | None = None

    @property
    def version(self) -> str:
        return "unsaved" if self.seal is None else f"sha256:{self.seal.sha256}"

    def of_any_size(self) -> OwnMarkers:
        """The same faces in every marker size, for pictures of other tables on other felts."""
        markers = (
            replace(each, diameter_mm=size, face=Face(each.face.picture, size / 2), felt=None)
            for each in self.markers
            for size in SIZES_MM
        )
        return replace(self, markers=tuple(markers))


def _log(colour: Floats | Colour) -> Floats:
    return np.asarray(np.log(np.maximum(np.asarray(colour, np.float32), _DARKEST)), np.float32)

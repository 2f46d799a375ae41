"""A table's own markers on disk: one sealed file, with their faces as a picture that people can view."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Final

import numpy as np
from pydantic import AfterValidator, Field

from calibration.files.json_file import FileModel, parse, read_json
from calibration.files.picture_file import ChangedPictureError, PictureFile, read_picture, write_picture
from calibration.files.seal import FileFormat, unseal, write_sealed
from vision.arrays import Colour
from vision.markers.disc import RINGS, TURNS
from vision.markers.face import SIDE
from vision.markers.marker_kinds import Meaning
from vision.markers.own_markers import OwnMarker, OwnMarkers

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from vision.arrays import Floats

FORMAT: Final = FileFormat("houseway-markers", version=2)


class MarkersError(ValueError):
    """Enrolled markers that cannot be used; the message explains why and what to do."""


def _known(name: str) -> str:
    Meaning.parse(name)
    return name


class _MarkerModel(FileModel):
    marker: Annotated[str, AfterValidator(_known)]
    diameter_mm: Annotated[float, Field(ge=20, le=100)]
    height_mm: Annotated[float, Field(ge=0, le=60)]
    felt: Colour


class _MarkersModel(FileModel):
    markers: Annotated[tuple[_MarkerModel, ...], Field(min_length=1, max_length=40)]
    calibration: str | None = None
    sheet: PictureFile


def save_markers(path: Path, own: OwnMarkers) -> OwnMarkers:
    """Write markers with date and hash; the replaced file is kept in ``history``.

    Returns:
        The markers with their seal.

    Raises:
        OSError: if they cannot be written.
    """
    rows = [np.hstack([_rings(each.disc), _pixels(each.face.picture)]) for each in own.markers]
    sheet = write_picture(path, "markers", np.vstack(rows))
    content: dict[str, object] = {
        "markers": [
            {
                "marker": str(each.meaning),
                "diameter_mm": each.diameter_mm,
                "height_mm": each.height_mm,
                "felt": each.felt,
            }
            for each in own.markers
        ],
        "calibration": own.calibration,
        "sheet": asdict(sheet),
    }
    return replace(own, seal=write_sealed(path, FORMAT, content))


def load_markers(path: Path) -> OwnMarkers:
    """Read enrolled markers.

    Raises:
        MarkersError: missing, not a markers file, modified, or its picture does not match.
    """
    if not path.is_file():
        raise MarkersError(f"{path}: there are no such markers; learn them with houseway enrol --marker")
    content, seal = unseal(read_json(path, MarkersError), FORMAT, path.name, MarkersError)
    found = parse(_MarkersModel, content, path.name, MarkersError)
    file = path.with_name(found.sheet.name)
    try:
        sheet = read_picture(path, found.sheet)
    except OSError as fault:
        raise MarkersError(f"{file}: the picture of the markers cannot be read ({fault.strerror})") from fault
    except ChangedPictureError as fault:
        raise MarkersError(f"{file}: this is not the picture that was enrolled; enrol the markers again") from fault
    if sheet.shape != (len(found.markers) * SIDE, TURNS + SIDE, 3):
        raise MarkersError(f"{file}: does not hold {len(found.markers)} markers; enrol them again")
    markers = (
        OwnMarker.of(
            Meaning.parse(each.marker),
            each.diameter_mm,
            each.height_mm,
            sheet[n * SIDE : n * SIDE + RINGS, :TURNS].astype(np.float32),
            sheet[n * SIDE : (n + 1) * SIDE, TURNS:].astype(np.float32),
            each.felt,
        )
        for n, each in enumerate(found.markers)
    )
    return OwnMarkers(tuple(markers), found.calibration, seal)


def _rings(disc: Floats) -> NDArray[np.uint8]:
    """The rings of a disc, as compared, as rows of pixels."""
    rows = np.zeros((SIDE, TURNS, 3), np.uint8)
    rows[:RINGS] = _pixels(disc)
    return rows


def _pixels(what: Floats) -> NDArray[np.uint8]:
    return np.asarray(np.round(what).clip(0, 255), np.uint8)

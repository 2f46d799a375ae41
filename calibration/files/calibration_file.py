"""The calibration of a camera over a table, and its files: strictly validated, written in our current version.

A picture's description file is also accepted, but only its ``size``, ``camera``, ``layout``, ``dealer_side`` and
``markers``: a calibration must not influence what the reader sees.
"""

import math
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Final, Self, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, Field, model_validator

from calibration.arrays import FlatMm, Numbers, PointsMm, PointsPx
from calibration.codes import CalibrationCode
from calibration.files.camera_entry import CameraEntry, check_lens
from calibration.files.json_file import FileModel, FourPoints, Mm, Pair, PictureSize, json_object, parse, read_json
from calibration.files.picture_file import PictureFile
from calibration.files.seal import FileFormat, Seal, unseal, write_sealed
from calibration.finding import Finding
from calibration.lens.projection import Lens
from calibration.table.homography import DealerSide, Pose, scale_at
from calibration.table.places import DICE, DISCARD, FLOAT, GAME_PLACES, HOUSE, Place
from calibration.table.presets import layout_faults
from calibration.table.zones import USUAL_SIZE_MM, Layout, SizeMm, Zone, box_zones

FORMAT: Final = FileFormat("houseway-calibration", version=3, also_read=(2,))
"""Version 3 states from which end the boxes are numbered; in version 2 that followed from their positions."""

_MOST_MARKERS: Final = 50
"""Number of markers in the dictionary."""
_UPRIGHT: Final = 0.5
"""Cosine of the rotation up to which the dealer is at the bottom or top of the picture."""


class CalibrationError(ValueError):
    """A calibration that cannot be used; the message explains why and what to do."""


@dataclass(frozen=True, slots=True)
class Marker:
    """A printed ArUco target (DICT_4X4_50) at a height above the felt; corners in OpenCV's order."""

    number: Annotated[int, Field(alias="id", ge=0, le=999)]
    corners_mm: FourPoints
    z_mm: Mm


@dataclass(frozen=True, slots=True)
class Quality:
    """Accuracy of a calibration.

    Attributes:
        lens_sha256: hash of the lens file used.
        lens_rms_px: root mean square reprojection error of that lens on its own views.
        lens_hold_out_px: the same on held-out views.
        points: number of table points used to solve the pose.
        residual_mm: the largest distance on the table between such a point and its projection.
        left_out_mm: the same for held-out points; None if there were too few points.
    """

    lens_sha256: str
    lens_rms_px: float
    lens_hold_out_px: float
    points: int
    residual_mm: float
    left_out_mm: float | None


@dataclass(frozen=True, eq=False, slots=True)
class TableCalibration:
    """The calibration of one camera over one table; None for data missing in the file.

    Attributes:
        size: width and height in pixels of the pictures it applies to.
        dealer_side: the side of the picture the dealer is at, according to the file.
        markers: targets fixed to the table.
        reference: the picture of the empty table.
        seal: date and hash of the file.
    """

    size: tuple[int, int]
    lens: Lens
    pose: Pose
    layout: Layout
    dealer_side: DealerSide | None = None
    markers: tuple[Marker, ...] = ()
    quality: Quality | None = None
    reference: PictureFile | None = None
    seal: Seal | None = None

    def project(self, points_mm: PointsMm) -> PointsPx:
        """Project points of the table; nan for points the camera cannot see."""
        points_mm = np.asarray(points_mm, np.float64).reshape(-1, 3)
        return self.lens.image_from_rays(self.pose.rays_from_table(points_mm))

    def to_plane(self, points_px: PointsPx, z_mm: float | Numbers) -> FlatMm:
        """Project pixels onto one level plane, or each onto its own, at a height above the felt.

        The height of a tile's face is ``TILE_TOP_MM``; nan if a pixel does not see the plane.
        """
        return self.pose.plane_from_rays(self.lens.rays_from_image(points_px), z_mm)

    def px_per_mm(self, points_mm: PointsMm) -> Numbers:
        """Scale of the picture at points of the table, (n,): pixels per millimetre of a level surface."""
        return scale_at(self.project, np.asarray(points_mm, np.float64).reshape(-1, 3))

    def surface(self) -> NDArray[np.bool_] | None:
        """Mask of the playing surface in the picture: (height, width) bool; None if its size is unknown.

        Everything beyond it (rail, floor, people) has no fixed position relative to the table.
        """
        if self.layout.table_mm is None:
            return None
        half = np.array(self.layout.table_mm) / 2
        steps = np.linspace(-1.0, 1.0, 32)[:, None]
        corners = [np.array(each) for each in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        sides = [(b + a) / 2 + steps * (b - a) / 2 for a, b in zip(corners, corners[1:] + corners[:1], strict=True)]
        edge = np.concatenate(sides) * half
        pixels = self.project(np.column_stack([edge, np.zeros(len(edge))]))
        mask = np.zeros((self.size[1], self.size[0]), np.uint8)
        cv2.fillPoly(mask, [np.round(pixels[np.isfinite(pixels).all(axis=1)]).astype(np.int32)], 1)
        return mask.astype(np.bool_)

    @property
    def faults(self) -> tuple[Finding, ...]:
        """All faults of its layout; empty if it can be used."""
        found = layout_faults(self.layout)
        # A camera mounted sideways sees the dealer at neither.
        if self.dealer_side in (None, self.pose.dealer_side) or abs(self.pose.rotation[1, 1]) < _UPRIGHT:
            return found
        at_bottom = self.dealer_side == "bottom of image"
        return *found, Finding(CalibrationCode.DEALER_NOT_AT_BOTTOM if at_bottom else CalibrationCode.DEALER_NOT_AT_TOP)

    def place_of(self, x_mm: float, y_mm: float) -> Place | None:
        """The place containing a point of the felt, or None."""
        return self.layout.place_at(x_mm, y_mm)

    def angle_of(self, place: Place) -> float:
        """Direction of a place, 0 if straight for the dealer; 0 for one that the table does not have."""
        return next((zone.angle_deg for zone in self.layout.zones if zone.place == place), 0.0)

    def check_size(self, size: tuple[int, int], name: str = "the picture", turned: str = "") -> None:
        """Check that the calibration is for pictures of this size; CalibrationError otherwise.

        `turned` describes a picture with swapped width and height, such as its rotation.

        A picture with the same aspect ratio in another size is rejected too: whether a camera scales or crops in
        another mode is unknown.
        """
        if size == self.size:
            return
        ours, theirs = (f"{width} x {height}" for width, height in (self.size, size))
        same_shape = math.isclose(self.size[0] * size[1], self.size[1] * size[0], rel_tol=2e-3)
        if size == self.size[::-1]:
            way = f" {turned}" if turned else ""
            advice = (
                f"The picture is turned by 90 degrees{way}: set the camera as it was calibrated, or take the "
                "orientation out of the picture's EXIF data"
            )
        elif same_shape:
            advice = f"Same shape: set the camera to {ours}, or calibrate again at {theirs}"
        else:
            advice = "It is another camera or another mode: use the calibration that belongs to it"
        raise CalibrationError(f"The calibration is for pictures of {ours} pixels, {name} has {theirs}. {advice}.")


class _TableModel(FileModel):
    """Fields shared by both forms."""

    size: PictureSize
    camera: CameraEntry
    dealer_side: DealerSide | None = None
    markers: Annotated[tuple[Marker, ...], Field(max_length=_MOST_MARKERS)] | None = None

    @model_validator(mode="after")
    def _lens_fits_size(self) -> Self:
        check_lens(self.camera, self.size)
        return self

    def calibration(self, layout: Layout) -> TableCalibration:
        return TableCalibration(
            size=self.size,
            lens=self.camera.lens(),
            pose=self.camera.pose(),
            layout=layout,
            dealer_side=self.dealer_side,
            markers=self.markers or (),
        )


class _OwnModel(_TableModel):
    """Our own form; format, version and seal have already been checked."""

    table_mm: Pair | None = None
    chip_float: Zone | None = Field(alias="float", default=None)
    display: Zone | None = None
    box1_at_dealers_right: bool | None = None
    places: tuple[Zone, ...]
    quality: Quality | None = None
    reference: PictureFile | None = None

    @model_validator(mode="after")
    def _places_are_of_a_table(self) -> Self:
        places = [each.place for each in self.places]
        if strange := [each for each in places if each not in GAME_PLACES or places.count(each) > 1]:
            raise ValueError(f"places: {strange[0]} is there twice, or is no zone of the game")
        return self


_Middle: TypeAlias = Annotated[
    tuple[Mm, ...], Field(min_length=2, max_length=3), AfterValidator(lambda middle: (*middle, 0.0)[:3])
]
"""``[x, y]`` or ``[x, y, angle]`` of a zone, with its angle."""


def _box_numbers(boxes: dict[str, _Middle]) -> dict[str, _Middle]:
    for number in boxes:
        Place.parse(f"box{number}")
    return boxes


_Boxes: TypeAlias = Annotated[dict[str, _Middle], AfterValidator(_box_numbers)]


class _DescribedLayout(FileModel):
    house: _Middle | None = None
    boxes: _Boxes | None = None
    tile_places: _Boxes | None = None
    discard: _Middle | None = None
    dice: _Middle | None = None
    float_rect: tuple[Mm, Mm, SizeMm, SizeMm] | None = None
    box1_at_dealers_right: bool | None = None
    table_mm: Pair | None = None

    def layout(self) -> Layout:
        def zone(place: Place, middle: _Middle | None) -> tuple[Zone, ...]:
            if middle is None:
                return ()
            x, y, angle_deg = middle
            return (Zone(place, (x, y), USUAL_SIZE_MM[place], angle_deg),)

        boxes = (self.boxes or {}) if self.tile_places is None else self.tile_places
        chips = self.float_rect
        return Layout(
            (
                *zone(HOUSE, self.house),
                *box_zones({int(number): (x, y, angle) for number, (x, y, angle) in boxes.items()}),
                *zone(DISCARD, self.discard),
                *zone(DICE, self.dice),
            ),
            self.table_mm,
            None if chips is None else Zone(FLOAT, chips[:2], chips[2:]),
            box1_at_dealers_right=self.box1_at_dealers_right,
        )


class _DescribedModel(_TableModel):
    """A picture's description file: only the fields named here are used."""

    layout: _DescribedLayout


def load_calibration(path: Path, picture: Path | None = None) -> TableCalibration:
    """Read the calibration in a file, or that for a picture in a folder with one ``NAME.json`` per ``NAME.jpg``.

    CalibrationError if it is missing, invalid, or not a possible camera over a table.
    """
    if path.is_dir():
        if picture is None:
            raise CalibrationError(f"{path}: is a folder of calibrations; name the one file to use")
        one = path / f"{picture.stem}.json"
        if not one.is_file():
            raise CalibrationError(f"{path}: holds no {one.name} for {picture.name}; add it or give one file for all")
        path = one
    if not path.exists():
        raise CalibrationError(f"{path}: there is no such calibration file or folder")
    return _calibration(read_json(path, CalibrationError), path.name, str(path))


def calibration_from(data: bytes, name: str) -> TableCalibration:
    """The calibration in the content of a file named ``name``; CalibrationError as for :func:`load_calibration`."""
    return _calibration(json_object(data, name, CalibrationError), name, name)


def _calibration(data: dict[str, object], name: str, path: str) -> TableCalibration:
    """The calibration in a file's JSON object, with the file's name for messages and its path."""
    if data.get("format") is not None:
        content, seal = unseal(data, FORMAT, name, CalibrationError)
        own = parse(_OwnModel, content, name, CalibrationError)
        layout = Layout(own.places, own.table_mm, own.chip_float, own.display, own.box1_at_dealers_right)
        return replace(own.calibration(layout), quality=own.quality, reference=own.reference, seal=seal)
    if data.get("camera") is None:
        raise CalibrationError(f"{path}: is not a calibration: it has neither 'format' nor 'camera'")
    described = parse(_DescribedModel, data, name, CalibrationError, unknown_keys="ignore")
    return described.calibration(described.layout.layout())


def save_calibration(path: Path, calibration: TableCalibration) -> Seal:
    """Write a calibration in our own form, with date and hash; the replaced file is kept in ``history``."""
    quality, reference, layout = calibration.quality, calibration.reference, calibration.layout
    content: dict[str, object] = {
        "size": calibration.size,
        "camera": {
            "K": calibration.lens.matrix.tolist(),
            "dist": calibration.lens.distortion.tolist(),
            "R": calibration.pose.rotation.tolist(),
            "t": calibration.pose.translation.tolist(),
        },
        "dealer_side": calibration.dealer_side,
        "box1_at_dealers_right": layout.box1_at_dealers_right,
        "table_mm": layout.table_mm,
        "float": zone_json(layout.chip_float) if layout.chip_float else None,
        "display": zone_json(layout.display) if layout.display else None,
        "places": [zone_json(each) for each in layout.zones],
        "markers": [
            {"id": each.number, "corners_mm": each.corners_mm, "z_mm": each.z_mm} for each in calibration.markers
        ],
        "quality": asdict(quality) if quality else None,
        "reference": asdict(reference) if reference else None,
    }
    return write_sealed(path, FORMAT, content)


def zone_json(zone: Zone) -> dict[str, object]:
    return {"name": zone.name, "center_mm": zone.center_mm, "size_mm": zone.size_mm, "angle_deg": zone.angle_deg}

"""Calibration files: read with suspicion, written in our own version.

Two forms are read: our own (``"format": "houseway-calibration"``) and the ``size``, ``camera``, ``layout``,
``dealer_side`` and ``markers`` of a picture's description. Whatever else such a description says, above all what lies
in the picture, is never looked at: a calibration must not be able to tell the reader what to see.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import cv2
import numpy as np

from calibration.files.fields import Fields, read_object
from calibration.files.seal import Seal, read_seal, write_sealed
from calibration.lens.projection import Lens
from calibration.table.homography import Pose, scale_at
from calibration.table.zones import (
    DICE_SIZE_MM,
    DISCARD_SIZE_MM,
    HOUSE_SIZE_MM,
    PLACE_NAMES,
    TILE_MM,
    TILE_TOP_MM,
    Layout,
    Place,
    box_places,
)

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = [
    "TILE_MM",
    "TILE_TOP_MM",
    "CalibrationError",
    "DealerSide",
    "Marker",
    "Quality",
    "Reference",
    "TableCalibration",
    "lens_of",
    "load_calibration",
    "save_calibration",
]

FORMAT: Final = "houseway-calibration"
VERSION: Final = 2
"""Version 1 had no date, no hash and nothing about how well the camera's place is known; it is still read."""
_ROTATION_TOLERANCE: Final = 1e-3
_MIN_HEIGHT_MM: Final = 100.0

DealerSide: TypeAlias = Literal["bottom of image", "top of image"]
_SIDES: Final[dict[str, DealerSide]] = {"bottom of image": "bottom of image", "top of image": "top of image"}


class CalibrationError(ValueError):
    """A calibration that cannot be used; the message says what is wrong with it and what to do."""


@dataclass(frozen=True, slots=True)
class Marker:
    """A printed ArUco target (DICT_4X4_50) fixed to the table.

    Attributes:
        number: its id.
        corners_mm: the black square's 4 corners in OpenCV's order.
        z_mm: its height over the felt.
    """

    number: int
    corners_mm: tuple[tuple[float, float], ...]
    z_mm: float


@dataclass(frozen=True, slots=True)
class Quality:
    """How well a calibration is known.

    Attributes:
        lens_sha256: the lens file it was made with.
        lens_rms_px: that lens' error on its own views.
        lens_hold_out_px: that lens' error on views it was not made from.
        points: points of the table the pose was solved from.
        residual_mm: the largest distance on the table between such a point and where the camera sees it.
        left_out_mm: the same for points left out of the fit, the worst of them; None where there were too few points.
    """

    lens_sha256: str
    lens_rms_px: float
    lens_hold_out_px: float
    points: int
    residual_mm: float
    left_out_mm: float | None


@dataclass(frozen=True, slots=True)
class Reference:
    """The picture of the empty table that later ones are compared with: ``name`` beside the calibration's file.

    Attributes:
        name: file name.
        sha256: hash of the file.
    """

    name: str
    sha256: str


@dataclass(frozen=True, eq=False, slots=True)
class TableCalibration:
    """How one camera sees one table.

    Attributes:
        size: width and height in pixels of the pictures it is valid for.
        lens: the lens.
        pose: the camera over the table.
        layout: the places of the table.
        dealer_side: the side of the picture the dealer is at; None if the file does not say.
        markers: targets fixed to the table.
        quality: how well it is known; None if the file does not say.
        reference: the picture it is checked against; None if there is none.
        seal: date and hash of the file; None if it has none.
    """

    size: tuple[int, int]
    lens: Lens
    pose: Pose
    layout: Layout
    dealer_side: DealerSide | None = None
    markers: tuple[Marker, ...] = ()
    quality: Quality | None = None
    reference: Reference | None = None
    seal: Seal | None = None

    def project(self, points_mm: NDArray[np.float64]) -> NDArray[np.float64]:
        """Where points of the table appear.

        Args:
            points_mm: (n, 3) float64, table frame.

        Returns:
            (n, 2) float64, pixels; not a number for what the camera cannot see from where it is.
        """
        points_mm = np.asarray(points_mm, np.float64).reshape(-1, 3)
        return self.lens.image_from_rays(self.pose.rays_from_table(points_mm))

    def to_plane(self, points_px: NDArray[np.float64], z_mm: float | NDArray[np.float64]) -> NDArray[np.float64]:
        """Where pixels lie on a level plane.

        Args:
            points_px: (n, 2) float64.
            z_mm: height of the plane over the felt (``TILE_TOP_MM`` for the face of a tile), or (n,) one for each.

        Returns:
            (n, 2) float64, x and y in the table frame; not a number where a pixel does not see the plane.
        """
        return self.pose.plane_from_rays(self.lens.rays_from_image(points_px), z_mm)

    def px_per_mm(self, points_mm: NDArray[np.float64]) -> NDArray[np.float64]:
        """The picture's scale at points of the table.

        Args:
            points_mm: (n, 3) float64, table frame.

        Returns:
            (n,) float64, pixels per millimetre of a level surface.
        """
        return scale_at(self.project, np.asarray(points_mm, np.float64).reshape(-1, 3))

    def surface(self) -> NDArray[np.bool_] | None:
        """Where in the picture the playing surface is: (height, width) bool; None if its size is not known.

        What lies beyond, the rail, the floor and who sits there, has no fixed place against the table.
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

    def place_of(self, x_mm: float, y_mm: float) -> str | None:
        """The place a point of the felt lies in: ``house``, ``box1`` .. ``box8``, ``discard``, ``dice`` or None."""
        return self.layout.place_of(x_mm, y_mm)

    def angle_of(self, place: str) -> float:
        """The direction of a place, 0 where the dealer sees it straight; 0 for one that the table does not have."""
        found = self.layout.place(place)
        return 0.0 if found is None else found.angle_deg

    def check_size(self, size: tuple[int, int], name: str = "the picture") -> None:
        """Makes sure that the calibration is for pictures of this size.

        A picture of the same shape in another size is refused too: whether a camera scales or crops when it changes
        its mode is not something to guess.

        Raises:
            CalibrationError: if the sizes differ.
        """
        if size == self.size:
            return
        ours, theirs = (f"{width} x {height}" for width, height in (self.size, size))
        same_shape = math.isclose(self.size[0] * size[1], self.size[1] * size[0], rel_tol=2e-3)
        advice = (
            f"Same shape: set the camera to {ours}, or calibrate again at {theirs}"
            if same_shape
            else "It is another camera or another mode: use the calibration that belongs to it"
        )
        raise CalibrationError(f"The calibration is for pictures of {ours} pixels, {name} has {theirs}. {advice}.")


def load_calibration(path: Path, picture: Path | None = None) -> TableCalibration:
    """The calibration in a file, or in a folder with one ``NAME.json`` for each picture ``NAME.jpg``.

    Args:
        path: the file or folder.
        picture: the picture it is wanted for; needed with a folder.

    Raises:
        CalibrationError: if it is not there, is not a calibration, or describes no possible camera over a table.
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
    fields = read_object(path, CalibrationError)
    if "format" in fields:
        return _own_form(fields)
    if "camera" not in fields:
        raise CalibrationError(f"{path}: is not a calibration: it has neither 'format' nor 'camera'")
    return _described_form(fields)


def save_calibration(path: Path, calibration: TableCalibration) -> Seal:
    """Writes a calibration in our own form, with date and hash; the file it replaces is kept in ``history``.

    Raises:
        OSError: if it cannot be written.
    """
    quality, reference = calibration.quality, calibration.reference
    data: dict[str, object] = {
        "format": FORMAT,
        "version": VERSION,
        "size": list(calibration.size),
        "camera": {
            "K": calibration.lens.matrix.tolist(),
            "dist": calibration.lens.distortion.tolist(),
            "R": calibration.pose.rotation.tolist(),
            "t": calibration.pose.translation.tolist(),
        },
        "dealer_side": calibration.dealer_side,
        "table_mm": calibration.layout.table_mm,
        "float": _place_json(calibration.layout.float_mm) if calibration.layout.float_mm else None,
        "display": _place_json(calibration.layout.display_mm) if calibration.layout.display_mm else None,
        "places": [_place_json(each) for each in calibration.layout.places],
        "markers": [
            {"id": each.number, "corners_mm": each.corners_mm, "z_mm": each.z_mm} for each in calibration.markers
        ],
        "quality": asdict(quality) if quality else None,
        "reference": asdict(reference) if reference else None,
    }
    return write_sealed(path, data)


def _place_json(place: Place) -> dict[str, object]:
    return {"name": place.name, "center_mm": place.center_mm, "size_mm": place.size_mm, "angle_deg": place.angle_deg}


def _own_form(fields: Fields) -> TableCalibration:
    """Our own form; unknown keys are errors."""
    if (name := fields.text("format")) != FORMAT:
        raise fields.fail("format", f"expected {FORMAT!r}, got {name!r}")
    if not 1 <= (version := fields.integer("version")) <= VERSION:
        raise fields.fail("version", f"this program reads versions 1 to {VERSION}, the file is version {version}")
    seal = read_seal(fields) if version > 1 else None
    places = tuple(
        _place(Fields(item, f"{fields.where}, places[{index}]", CalibrationError))
        for index, item in enumerate(fields.items("places"))
    )
    names = [place.name for place in places]
    if strange := [name for name in names if name not in PLACE_NAMES or names.count(name) > 1]:
        raise fields.fail("places", f"{strange[0]!r} is unknown or there twice; known are {', '.join(PLACE_NAMES)}")
    layout = Layout(
        places=places,
        table_mm=_pair(fields, "table_mm") if fields.raw("table_mm") is not None else None,
        float_mm=_place(fields.section("float")) if fields.raw("float") is not None else None,
        display_mm=_place(fields.section("display")) if fields.raw("display") is not None else None,
    )
    calibration = replace(
        _calibration(fields, layout),
        quality=_quality(fields.section("quality")) if fields.raw("quality") is not None else None,
        reference=_reference(fields.section("reference")) if fields.raw("reference") is not None else None,
        seal=seal,
    )
    fields.close()
    return calibration


def _described_form(fields: Fields) -> TableCalibration:
    """The description of a picture: only the parts named here are ever looked at."""
    given = fields.section("layout")
    places: list[Place] = []
    if "house" in given:
        x, y, angle = _middle(given, "house")
        places.append(Place("house", (x, y), HOUSE_SIZE_MM, angle))
    key = "tile_places" if "tile_places" in given else "boxes"
    if key in given:
        boxes = given.section(key)
        if strange := [name for name in boxes.keys() if f"box{name}" not in PLACE_NAMES]:  # noqa: SIM118 - not a dict
            raise boxes.fail(strange[0], "expected box numbers from 1 to 8")
        places.extend(box_places({int(name): _middle(boxes, name) for name in boxes.keys()}))  # noqa: SIM118
    for name, size in (("discard", DISCARD_SIZE_MM), ("dice", DICE_SIZE_MM)):
        if name in given:
            x, y, angle = _middle(given, name)
            places.append(Place(name, (x, y), size, angle))
    chips = None
    if "float_rect" in given:
        x, y, width, height = given.numbers("float_rect", 4)
        chips = Place("float", (x, y), (width, height))
    table = _pair(given, "table_mm") if "table_mm" in given else None
    return _calibration(fields, Layout(tuple(places), table, chips))


def _calibration(fields: Fields, layout: Layout) -> TableCalibration:
    """The parts both forms share."""
    width, height = fields.numbers("size", 2)
    if width != int(width) or height != int(height) or min(width, height) < 1:
        raise fields.fail("size", "expected whole numbers of pixels [width, height]")
    camera = fields.section("camera")
    pose = _pose(camera)
    return TableCalibration(
        size=(int(width), int(height)),
        lens=lens_of(camera, width, height),
        pose=pose,
        layout=layout,
        dealer_side=fields.choice("dealer_side", _SIDES),
        markers=_markers(fields) if fields.raw("markers") is not None else (),
    )


def lens_of(camera: Fields, width: float, height: float) -> Lens:
    """The lens in an object with ``K`` and ``dist``.

    Args:
        camera: the object.
        width: of the pictures it is for, pixels.
        height: of the pictures it is for, pixels.

    Raises:
        CalibrationError: if it is none for pictures of this size.
    """
    matrix = np.array(camera.rows("K", 3, 3))
    (fx, _, cx), (_, fy, cy) = matrix[:2]
    if min(fx, fy) <= 0 or not np.array_equal(matrix, ((fx, 0, cx), (0, fy, cy), (0, 0, 1))):
        raise camera.fail("K", "expected [[fx, 0, cx], [0, fy, cy], [0, 0, 1]] with fx and fy above zero")
    if not (0 <= cx <= width and 0 <= cy <= height):
        raise camera.fail("K", "its middle (cx, cy) lies outside the picture; was it made for another picture size?")
    distortion = np.zeros(5)
    given = camera.numbers("dist", (4, 5))
    distortion[: len(given)] = given
    return Lens(matrix, distortion)


def _pose(camera: Fields) -> Pose:
    rotation = np.array(camera.rows("R", 3, 3))
    off = float(np.abs(rotation @ rotation.T - np.eye(3)).max())
    if off > _ROTATION_TOLERANCE or np.linalg.det(rotation) < 0:
        raise camera.fail("R", f"is not a rotation (off by {off:.3g}); it must turn the table into the camera's frame")
    pose = Pose(rotation, np.array(camera.numbers("t", 3)))
    if pose.camera_mm[2] < _MIN_HEIGHT_MM:
        raise camera.fail("t", f"puts the camera {pose.camera_mm[2]:.0f} mm over the felt; are t and R in millimetres?")
    if pose.translation[2] <= 0:
        raise camera.fail("R", "the camera looks away from the table")
    return pose


def _markers(fields: Fields) -> tuple[Marker, ...]:
    found = []
    for index, item in enumerate(fields.items("markers")):
        marker = Fields(item, f"{fields.where}, markers[{index}]", CalibrationError)
        found.append(Marker(marker.integer("id"), marker.pairs("corners_mm", 4), marker.number("z_mm")))
    return tuple(found)


def _quality(fields: Fields) -> Quality:
    quality = Quality(
        fields.text("lens_sha256"),
        fields.number("lens_rms_px"),
        fields.number("lens_hold_out_px"),
        fields.integer("points"),
        fields.number("residual_mm"),
        fields.maybe_number("left_out_mm"),
    )
    fields.close()
    return quality


def _reference(fields: Fields) -> Reference:
    reference = Reference(fields.text("name"), fields.text("sha256"))
    if "/" in reference.name or "\\" in reference.name or reference.name.startswith("."):
        raise fields.fail("name", f"expected the name of a file beside the calibration, got {reference.name!r}")
    fields.close()
    return reference


def _place(fields: Fields) -> Place:
    place = Place(fields.text("name"), _pair(fields, "center_mm"), _pair(fields, "size_mm"), fields.number("angle_deg"))
    if min(place.size_mm) <= 0:
        raise fields.fail("size_mm", "expected two lengths above zero")
    fields.close()
    return place


def _middle(fields: Fields, key: str) -> tuple[float, float, float]:
    """``[x, y]`` or ``[x, y, angle]``."""
    x, y, *angle = fields.numbers(key, (2, 3))
    return x, y, angle[0] if angle else 0.0


def _pair(fields: Fields, key: str) -> tuple[float, float]:
    x, y = fields.numbers(key, 2)
    return x, y

"""The camera in files: matrix, lens distortion and pose over the table."""

from typing import Annotated, Final, Self, TypeAlias

import numpy as np
from pydantic import Field, model_validator

from calibration.files.json_file import FileModel, Mm, PictureSize
from calibration.lens.projection import Lens
from calibration.table.homography import Pose

_ROTATION_TOLERANCE: Final = 1e-3
_MIN_HEIGHT_MM: Final = 100.0
_FOCAL: Final = (0.1, 50.0)
"""Focal lengths relative to the long side of the picture: a field of view between 157 degrees and little more than
one.
"""
_MOST_DISTORTION: Final = 1_000.0
"""Fits for nearly distortion-free telephoto lenses give some dozens."""

_Row: TypeAlias = tuple[float, float, float]
_Coefficient: TypeAlias = Annotated[float, Field(ge=-_MOST_DISTORTION, le=_MOST_DISTORTION)]
_Rows: TypeAlias = tuple[_Row, _Row, _Row]


class LensModel(FileModel, extra="ignore"):
    """Camera matrix (pixels) and distortion (``k1, k2, p1, p2`` and optionally ``k3``), with the usual OpenCV names."""

    matrix: _Rows = Field(alias="K")
    distortion: Annotated[tuple[_Coefficient, ...], Field(alias="dist", min_length=4, max_length=5)]

    @model_validator(mode="after")
    def _is_pinhole(self) -> Self:
        (fx, _, cx), (_, fy, cy), _ = self.matrix
        if min(fx, fy) <= 0 or self.matrix != ((fx, 0, cx), (0, fy, cy), (0, 0, 1)):
            raise ValueError("K: expected [[fx, 0, cx], [0, fy, cy], [0, 0, 1]] with fx and fy above zero")
        return self

    def lens(self) -> Lens:
        distortion = np.zeros(5)
        distortion[: len(self.distortion)] = self.distortion
        return Lens(np.array(self.matrix), distortion)


class CameraEntry(LensModel):
    """A lens with its pose: transformation from table frame to camera frame, millimetres."""

    rotation: _Rows = Field(alias="R")
    translation: tuple[Mm, Mm, Mm] = Field(alias="t")

    @model_validator(mode="after")
    def _hangs_over_the_table(self) -> Self:
        rotation = np.array(self.rotation)
        with np.errstate(over="ignore", invalid="ignore"):
            off = float(np.abs(rotation @ rotation.T - np.eye(3)).max())
        if not off <= _ROTATION_TOLERANCE or np.linalg.det(rotation) < 0:
            raise ValueError(f"R: is not a rotation (off by {off:.3g}); it turns the table into the camera's frame")
        height_mm = float(self.pose().camera_mm[2])
        if height_mm < _MIN_HEIGHT_MM:
            raise ValueError(f"t: puts the camera {height_mm:.0f} mm over the felt; are t and R in millimetres?")
        if self.translation[2] <= 0:
            raise ValueError("R: the camera looks away from the table")
        return self

    def pose(self) -> Pose:
        return Pose(np.array(self.rotation), np.array(self.translation))


def check_lens(camera: LensModel, size: PictureSize) -> None:
    """Check that a lens fits a picture size; ValueError if it is invalid or its centre is outside the picture.

    A focal length far too short makes tiles so small that a picture would be enlarged without limit.
    """
    cx, cy = camera.matrix[0][2], camera.matrix[1][2]
    if not (0 <= cx <= size[0] and 0 <= cy <= size[1]):
        raise ValueError("camera.K: its middle (cx, cy) is outside the picture; was it made for another picture size?")
    focal = camera.matrix[0][0], camera.matrix[1][1]
    least, most = (each * max(size) for each in _FOCAL)
    if not least <= min(focal) <= max(focal) <= most:
        raise ValueError(
            f"camera.K: focal lengths of {focal[0]:.6g} and {focal[1]:.6g} pixels are of no camera that takes pictures "
            f"of {size[0]} x {size[1]}; {least:.0f} to {most:.0f} are possible"
        )

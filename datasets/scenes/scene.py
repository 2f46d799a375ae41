"""A described table: plain values a renderer can draw and a label can be written from.

Frame of reference of every length: the table, millimetres, z = 0 on the felt, z up (right-handed).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from calibration.table.sizes import TILE_MM

if TYPE_CHECKING:
    from pathlib import Path

    from calibration.table.places import Place
    from datasets.labels.labels import HandHalf
    from vision.tiles.faces import Maker

LinearColour = tuple[float, float, float]
"""Linear-light blue, green, red in 0..1 (OpenCV's channel order)."""

Floats = NDArray[np.float64]

TILE_LENGTH_MM, TILE_WIDTH_MM, TILE_HEIGHT_MM = TILE_MM
DISH_FLOOR_MM = 2.0
"""Height on which dice lie in their dish."""
DISH_FLOOR_SHARE = 0.9
"""Radius of that floor over the dish's."""


@dataclass(frozen=True, slots=True)
class CameraModel:
    """A pinhole looking down at the table: `k` (3, 3), pixels; `r` (3, 3) and `t` (3,), mm, take table to camera.

    `dist` (5,) are OpenCV's distortion coefficients k1, k2, p1, p2, k3.
    """

    size: tuple[int, int]
    k: Floats
    dist: Floats
    r: Floats
    t: Floats

    def to_json(self) -> dict[str, object]:
        """As labels and calibration files write it."""
        return {"K": self.k.tolist(), "dist": self.dist.tolist(), "R": self.r.tolist(), "t": self.t.tolist()}

    @property
    def position_mm(self) -> Floats:
        """(3,) place of the lens in the table frame."""
        return np.asarray(-self.r.T @ self.t)


@dataclass(frozen=True, slots=True)
class TileSet:
    """How one maker's 32 tiles look."""

    body: LinearColour
    pip_plain: LinearColour
    """The "white" pips; black on an ivory body."""
    pip_red: LinearColour
    back: LinearColour
    maker: Maker
    pip_scale: float
    """Diameter of the pips relative to the maker's usual."""
    spread: float
    """The same of their distance from the middle of the face."""
    cone: float
    """Slope of the pip's wall, radians; 0 is painted flat."""
    bowl: float
    """0 a cone, 1 a spherical hollow."""
    gloss: float
    """Strength of the body's highlights, 0..1."""
    pip_gloss: float
    """Share of a mirror reflection that a pip still shows, 0..1."""
    corner_mm: float
    bevel_mm: float
    back_mark: int
    """Which mark is on the back; 0 none."""


@dataclass(frozen=True, slots=True)
class TileObject:
    """One tile; `z_mm` is the height of its underside, `angle` counter-clockwise from +x to the larger half."""

    face: str
    face_up: bool
    x_mm: float
    y_mm: float
    angle: float
    z_mm: float = 0.0
    lean: tuple[float, float] = (0.0, 0.0)
    """Tilt about the tile's own long and short axes, radians."""
    veil: float = 0.0
    """Mirror light of a lamp over the face, linear, at the brightest corner."""
    veil_fall: tuple[float, float] = (0.0, 0.0)
    """How much of the veil is lost along the length and across the width, 0..1."""
    place: Place | None = None
    hand: HandHalf | None = None


@dataclass(frozen=True, slots=True)
class DieStyle:
    """How one die looks."""

    side_mm: float
    colour: LinearColour
    name: str
    pip: LinearColour
    opaque: bool
    round_mm: float
    pip_diameter: float
    """In sides, as the next two."""
    spread: float
    """Distance of the outer pips from the middle."""
    red_one: float
    """Diameter of a red single pip; 0 when the one looks as the others."""
    red_four: bool
    mirrored: bool
    """Left-handed numbering."""
    six_across: float = 1.0
    """Distance of the six's two rows of three from the middle, in spreads: many makers set them closer."""
    hollow: float = 0.0
    """Strength of the shading within a drilled pip; 0 of a painted one."""
    vein: LinearColour | None = None
    """Second colour of a marbled body."""
    ring_diameter: float = 0.0
    """Of a ring printed around the single pip, in sides; 0 without a ring."""
    seed: int = 0
    """Of the marble and of the direction of the light in the pips."""


@dataclass(frozen=True, slots=True)
class DieObject:
    """One die: `r` turns the die's own axes (face 1 on +z, 2 on +y, 3 on +x) into the table's.

    No two throws lie at the same place, so dice compare by all but their turn.
    """

    style: DieStyle
    r: Floats = field(compare=False)
    x_mm: float
    y_mm: float
    z_mm: float
    """Height of the centre."""
    value: int
    cocked: bool
    tilt_deg: float
    role: Literal["box", "cut"] | None = None

    @property
    def middle_mm(self) -> Floats:
        """(3,) its centre in the table frame."""
        return np.array([self.x_mm, self.y_mm, self.z_mm])


@dataclass(frozen=True, slots=True)
class Prop:
    """Anything else on the table: drawn, never read."""

    kind: str
    x_mm: float
    y_mm: float
    angle: float
    size_mm: tuple[float, float]
    z_mm: float
    height_mm: float
    colour: LinearColour
    seed: int
    text: str = ""
    """What a marker bears; drawn at random if empty."""
    means: str = ""
    """What a marker means, as ``vision.markers.marker_kinds`` writes it; empty where it means nothing."""
    place: str = ""
    """The box that a marker lies at; empty where it lies at none."""


@dataclass(frozen=True, slots=True)
class Lamp:
    """A lamp far above: (3,) unit vector toward it, and its colour."""

    direction: Floats
    colour: LinearColour


@dataclass(frozen=True, slots=True)
class Capture:
    """What lens, sensor and JPEG do to the light; without values, hardly anything."""

    exposure: float = 1.0
    white_balance: LinearColour = (1.0, 1.0, 1.0)
    vignette: float = 0.0
    bloom: float = 0.0
    defocus_px: float = 0.0
    motion_px: tuple[float, float] = (0.0, 0.0)
    shot_noise: float = 0.0
    read_noise: float = 0.0
    chroma_blur_px: float = 0.0
    noise_reduction: float = 0.0
    sharpen: float = 0.0
    contrast: float = 0.0
    saturation: float = 1.0
    lift: float = 0.0
    jpeg: int = 98


@dataclass(frozen=True, slots=True)
class Scene:
    """All that is needed to draw one picture and to label it."""

    kind: str
    camera: CameraModel
    ground: str
    """felt, wood, plain, desk, carpet or picture."""
    ground_colour: LinearColour
    print_colour: LinearColour
    tile_set: TileSet
    lamps: tuple[Lamp, ...]
    ambient: float
    capture: Capture
    tiles: tuple[TileObject, ...] = ()
    dice: tuple[DieObject, ...] = ()
    props: tuple[Prop, ...] = ()
    light_slope: tuple[float, float] = (0.0, 0.0)
    """Relative fall of the light along x and y, per metre."""
    layout: dict[str, object] | None = None
    dealer_side: str | None = None
    ground_seed: int = 0
    ground_picture: Path | None = None
    """A real picture; a piece of it lies under everything where the ground is one."""
    seed: int = 0

    def calibration(self) -> dict[str, object]:
        """Describe the camera and the table as ``calibration.files.calibration_file`` reads them."""
        size, camera = list(self.camera.size), self.camera.to_json()
        return {"size": size, "camera": camera, "layout": self.layout, "dealer_side": self.dealer_side}

    @property
    def brightness(self) -> float:
        """Light on a surface that looks up, mean of the colours."""
        return self.ambient + sum(float(lamp.direction[2]) * float(np.mean(lamp.colour)) for lamp in self.lamps)

    def light_at(self, x_mm: float, y_mm: float) -> float:
        """Relative strength of the light at a place on the table."""
        return float(np.clip(1 + (self.light_slope[0] * x_mm + self.light_slope[1] * y_mm) / 1000, 0.25, 2.5))

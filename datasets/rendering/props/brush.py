"""The brush that paints one prop: where it is, how the camera sees it, and how bright it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np

from datasets.rendering.projected import Points, at_height, circle, project
from datasets.rendering.textures import F32, FONTS

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from datasets.rendering.canvas import Canvas
    from datasets.scenes.scene import CameraModel, Prop


@dataclass(frozen=True, eq=False, slots=True)
class Brush:
    """Paints one prop on a canvas.

    Attributes:
        light: brightness of a surface that looks up.
        scale: pixels a millimetre in the middle of the scene.
        owner: mark of the prop's pixels.
    """

    canvas: Canvas
    camera: CameraModel
    prop: Prop
    light: float
    scale: float
    owner: int

    @property
    def center(self) -> Points:
        """(2,) middle of the prop, mm."""
        return np.array([self.prop.x_mm, self.prop.y_mm])

    @property
    def colour(self) -> NDArray[np.float64]:
        """(3,) the prop's own colour."""
        return np.array(self.prop.colour)

    @property
    def ink(self) -> F32:
        """(3,) the prop's colour in this light, of print on the felt."""
        return np.array(self.prop.colour, np.float32) * np.float32(self.light)

    def rng(self) -> np.random.Generator:
        """The prop's own random numbers, from their beginning."""
        return np.random.default_rng(self.prop.seed)

    def outline(self, radius: float, n: int = 24) -> Points:
        """(n, 2) points of a circle about the prop's middle."""
        return circle(radius, n) + self.center

    def on_table(self, local: Points) -> Points:
        """Turn (n, 2) points from the prop's own axes into the table's."""
        return _on_table(self.prop, local)

    def pixels(self, points: Points, z: float) -> Points:
        """Project (n, 2) table points at a height."""
        return project(self.camera, at_height(points, z))

    def fill(self, points: Points, z: float, colour: ArrayLike, *, opacity: float = 1.0) -> None:
        """Paint the hull of table points at a height."""
        self.canvas.fill(self.pixels(points, z), np.asarray(colour), self.owner, opacity=opacity)

    def wall(self, points: Points, low: float, high: float, colour: ArrayLike, *, opacity: float = 1.0) -> None:
        """Paint the hull of an upright wall."""
        both = np.concatenate([at_height(points, low), at_height(points, high)])
        self.canvas.fill(project(self.camera, both), np.asarray(colour), self.owner, opacity=opacity)

    def stroke(
        self,
        points: Points,
        z: float,
        colour: ArrayLike,
        width_px: float,
        *,
        closed: bool = False,
        owner: int | None = None,
    ) -> None:
        """Draw a line, without an owner as part of the ground."""
        path = self.pixels(points, z)
        box = self.canvas.box(path, margin=int(width_px) + 2)
        if box is None:
            return
        x0, y0, x1, y1 = box
        sixteenths = np.rint((path - [x0, y0]) * 16).astype(np.int32).reshape(-1, 1, 2)
        mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
        cv2.polylines(mask, [sixteenths], closed, 255, max(1, round(width_px)), cv2.LINE_AA, 4)
        self.canvas.blend(box, np.asarray(colour), mask.astype(np.float32) / 255, owner)

    def slab(self) -> Points:
        """Paint a box-shaped body; return its top in pixels: top-left, top-right, bottom-right, bottom-left."""
        prop, flat = self.prop, rectangle(self.prop)
        if prop.height_mm > 1:
            self.wall(flat, prop.z_mm, prop.z_mm + prop.height_mm, self.colour * self.light * 0.5)
        top = self.pixels(flat, prop.z_mm + prop.height_mm)
        self.canvas.fill(top, self.colour * self.light, self.owner)
        return top[[3, 2, 1, 0]]

    def texture_size(self, wide: tuple[int, int], high: tuple[int, int]) -> tuple[int, int]:
        """Width and height of a texture for the prop's top, each within limits."""
        w, h = self.prop.size_mm
        return int(np.clip(w * self.scale, *wide)), int(np.clip(h * self.scale, *high))


def rectangle(prop: Prop) -> Points:
    """(4, 2) table corners of a prop's rectangle: its own (-x, -y), (x, -y), (x, y), (-x, y)."""
    return _on_table(prop, np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (np.array(prop.size_mm) / 2))


def _on_table(prop: Prop, local: Points) -> Points:
    c, s = np.cos(prop.angle), np.sin(prop.angle)
    return np.asarray(local @ np.array([[c, s], [-s, c]]) + [prop.x_mm, prop.y_mm])


def lettering(rng: np.random.Generator, text: str, height: int) -> F32:
    """(h, w) coverage of a line of text."""
    font = int(rng.choice(FONTS))
    size = height / 32
    line = max(1, round(height / 32 * rng.uniform(1, 4)))
    (w, h), base = cv2.getTextSize(text, font, size, line)
    mask = np.zeros((h + base + 8, w + 8), np.uint8)
    cv2.putText(mask, text, (4, h + 4), font, size, 255, line, cv2.LINE_AA)
    return np.asarray(mask, np.float32) / np.float32(255)

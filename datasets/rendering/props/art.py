"""Draw any prop, by its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from datasets.rendering.projected import circle
from datasets.rendering.props import objects, prints
from datasets.rendering.props.arms import arm
from datasets.rendering.props.brush import Brush, rectangle

if TYPE_CHECKING:
    from collections.abc import Callable

    from datasets.rendering.canvas import Canvas
    from datasets.rendering.projected import Points
    from datasets.scenes.scene import CameraModel, Prop, Scene


def footprint(prop: Prop) -> Points | None:
    """(n, 2) outline that throws a shadow on the felt, mm; None for print and arms."""
    if prop.kind in prints.FLAT or prop.kind == "arm":
        return None
    if prop.kind in objects.ROUND:
        outline: Points = circle(prop.size_mm[0] / 2) + np.array([prop.x_mm, prop.y_mm])
        return outline
    return rectangle(prop)


def draw(canvas: Canvas, camera: CameraModel, scene: Scene, prop: Prop, scale: float, owner: int) -> None:
    """Paint one prop."""
    _ART[prop.kind](Brush(canvas, camera, prop, scene.brightness, scale, owner))


_ART: Final[dict[str, Callable[[Brush], None]]] = {
    "line": prints.line, "box": prints.box, "ring": prints.ring, "emblem": prints.emblem, "text": prints.text,
    "chips": objects.chips, "marker": objects.marker, "dish": objects.dish, "dome": objects.dome,
    "glass": objects.glass, "paper": objects.paper, "aruco": objects.aruco, "rod": objects.rod,
    "float": objects.rack, "clutter": objects.clutter, "arm": arm,
}  # fmt: skip

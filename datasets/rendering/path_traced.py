"""Path-traced windows of dice: unlike painted glass, with caustics and mutual illumination.

It is slow, and needed for dice alone: everything else of a window is painted, as the ground on which the dice lie.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import cv2
import numpy as np

from datasets.rendering.projected import project
from datasets.rendering.textures import FACES_OF_A_DIE, die_pips
from datasets.scenes.scene import DISH_FLOOR_MM, DISH_FLOOR_SHARE, CameraModel, DieObject, DieStyle, Lamp, Prop, Scene

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from datasets.rendering.canvas import F32

SAMPLES: Final = 16
"""Paths a pixel; the camera's own noise lies over what grain is left."""
MOST_BOUNCES: Final = 12
LAMP_AWAY_MM: Final = 1800.0
LAMP_MM: Final = (120.0, 420.0)
"""Radius of a lamp, drawn for each: a spot or a panel."""
GAP_MM: Final = 0.1
"""Between a die and what it lies on, so that no ray is in both at once."""
BEYOND: Final = 1.3
"""How much more of the ground there is than the picture shows, so that no edge is mirrored in a die."""
MOST_ALBEDO: Final = 0.9
OUT_OF_FACE: Final = (0.003, -0.006)
"""Where the paint of a pip lies, in sides outward of the face: on it, and within the glass that it is set in."""
METAL_EVERY: Final = 4
"""One dish in this many is a metal mirror."""
FIREFLY: Final = 4.0
"""Times the median of its neighbourhood above which a pixel is a path that found a lamp by chance."""

Plugin = dict[str, Any]


def level_camera(camera: CameraModel) -> CameraModel:
    """Return the camera with its principal point on a corner of pixels, where the tracer can put it."""
    k = camera.k.copy()
    k[:2, 2] = np.round(k[:2, 2] - 0.5) + 0.5
    return replace(camera, k=k)


def trace(scene: Scene, ground: F32, rng: np.random.Generator) -> F32:
    """Return the light (h, w, 3), linear blue-green-red, of the scene's dice on a painted ground.

    Args:
        scene: the camera must be one of `level_camera`, without distortion.
        ground: (h, w, 3) light of everything else, in the camera's own size and without the dice's shadows.
        rng: draws how clear the dice are and how large the lamps.

    Raises:
        ImportError: Mitsuba is not installed (`pip install -r requirements-train.txt`).
        ValueError: tiles lie there, which are not traced, or the lens distorts.
    """
    if scene.tiles or scene.camera.dist.any():
        raise ValueError("only dice are traced, seen by a pinhole: draw a window of dice (dice_window)")
    import mitsuba as mi  # noqa: PLC0415 - only who traces needs it

    mi.set_variant("scalar_rgb")
    brightness = np.full(3, scene.ambient)
    for lamp in scene.lamps:
        brightness += float(lamp.direction[2]) * np.array(lamp.colour)
    parts: Plugin = {
        "type": "scene",
        "integrator": {"type": "volpath", "max_depth": MOST_BOUNCES, "rr_depth": 6},
        "sensor": _sensor(mi, scene.camera, int(rng.integers(1 << 30))),
        "around": {"type": "constant", "radiance": _rgb(np.full(3, scene.ambient))},
        "ground": _ground(mi, scene.camera, np.clip(ground / brightness, 0, MOST_ALBEDO)),
    }
    with tempfile.TemporaryDirectory() as folder:
        for number, lamp in enumerate(scene.lamps):
            parts[f"lamp{number}"] = _lamp(mi, lamp, float(rng.uniform(*LAMP_MM)))
        for number, prop in enumerate(each for each in scene.props if each.kind == "dish"):
            parts[f"dish{number}"] = _dish(mi, prop, rng.uniform(0.1, 0.4))
        bodies = {id(die.style): _body(die.style, rng) for die in scene.dice}
        for number, die in enumerate(scene.dice):
            parts[f"die{number}"] = {
                "type": "ply",
                "filename": str(_mesh(Path(folder), die.style)),
                "to_world": _placed(mi, die.r * (die.style.side_mm / 2), (die.x_mm, die.y_mm, die.z_mm)),
                **bodies[id(die.style)],
            }
            parts |= {f"die{number}pip{k}": pip for k, pip in enumerate(_pips(mi, die))}
        picture = np.array(mi.render(mi.load_dict(parts), spp=SAMPLES), np.float32)[..., 2::-1]
    return _calmed(np.ascontiguousarray(picture))


def _rgb(bgr: Any) -> Plugin:  # noqa: ANN401 - any three numbers
    return {"type": "rgb", "value": [float(value) for value in bgr[::-1]]}


def _placed(mi: Any, axes: NDArray[np.float64], at: tuple[float, float, float]) -> Any:  # noqa: ANN401
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = axes, at
    return mi.ScalarTransform4f(matrix)


def _sensor(mi: Any, camera: CameraModel, seed: int) -> Plugin:  # noqa: ANN401
    """The pinhole: a larger film with the principal point in its middle, of which the picture is a part."""
    (width, height), k = camera.size, camera.k
    middle = k[:2, 2] + 0.5
    half = np.ceil(np.maximum(np.abs(middle), np.abs(np.array(camera.size) - middle))).astype(int) + 1
    left, top = (half - middle).round().astype(int).tolist()
    film_width, film_height = (2 * half).tolist()
    return {
        "type": "perspective",
        "fov_axis": "x",
        "fov": float(np.degrees(2 * np.arctan(half[0] / k[0, 0]))),
        "near_clip": 10.0,
        "far_clip": 10_000.0,
        "to_world": _placed(mi, camera.r.T * np.array([-1.0, -1.0, 1.0]), tuple(camera.position_mm)),
        "sampler": {"type": "independent", "sample_count": SAMPLES, "seed": seed},
        "film": {
            "type": "hdrfilm",
            "width": film_width,
            "height": film_height,
            "crop_offset_x": left,
            "crop_offset_y": top,
            "crop_width": width,
            "crop_height": height,
            "rfilter": {"type": "gaussian"},
            "pixel_format": "rgb",
        },
    }


def _lamp(mi: Any, lamp: Lamp, radius_mm: float) -> Plugin:  # noqa: ANN401
    """A disc that looks at the middle and lights it as the painter's lamp does."""
    away = np.array(lamp.direction, np.float64)
    aside = np.cross(away, [0.3, 0.9, 0.1])
    aside /= np.linalg.norm(aside)
    axes = np.stack([aside, np.cross(-away, aside), -away], 1) * radius_mm
    strength = (LAMP_AWAY_MM / radius_mm) ** 2
    return {
        "type": "disk",
        "to_world": _placed(mi, axes, tuple(away * LAMP_AWAY_MM)),
        "emitter": {"type": "area", "radiance": _rgb(np.array(lamp.colour) * strength)},
    }


def _ground(mi: Any, camera: CameraModel, albedo: F32) -> Plugin:  # noqa: ANN401
    """The table's plane, painted with what the camera sees of it."""
    width, height = camera.size
    corners = np.array([[x, y, 1.0] for x in (-0.5, width - 0.5) for y in (-0.5, height - 0.5)])
    rays = corners @ np.linalg.inv(camera.k).T @ camera.r
    eye = camera.position_mm
    seen = eye[:2] - rays[:, :2] / rays[:, 2:] * eye[2]
    low, high = seen.min(0), seen.max(0)
    middle, half = (low + high) / 2, (high - low) / 2 * BEYOND
    side = 2 * max(width, height)
    steps = (np.arange(side) + 0.5) / side * 2 - 1
    x, y = np.meshgrid(middle[0] + half[0] * steps, middle[1] + half[1] * steps)
    at = project(camera, np.stack([x, y, np.zeros_like(x)], -1).reshape(-1, 3)).reshape(side, side, 2)
    painted = cv2.remap(albedo, at.astype(np.float32), None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)  # type: ignore[call-overload]
    bitmap = mi.Bitmap(np.ascontiguousarray(painted[..., ::-1]))
    return {
        "type": "rectangle",
        "to_world": _placed(mi, np.diag([*half, 1.0]), (*middle, -GAP_MM)),
        "bsdf": {"type": "diffuse", "reflectance": {"type": "bitmap", "bitmap": bitmap, "raw": True}},
    }


def _dish(mi: Any, prop: Prop, roughness: float) -> Plugin:  # noqa: ANN401
    """The floor of a dish; its rim is painted on the ground."""
    axes = np.eye(3) * DISH_FLOOR_SHARE * prop.size_mm[0] / 2
    lacquer: Plugin = {"type": "roughplastic", "alpha": roughness, "diffuse_reflectance": _rgb(prop.colour)}
    shown = np.clip(np.array(prop.colour) / max(prop.colour), 0.3, 1.0)
    metal: Plugin = {"type": "roughconductor", "alpha": roughness / 3, "specular_reflectance": _rgb(shown)}
    return {
        "type": "disk",
        "to_world": _placed(mi, axes, (prop.x_mm, prop.y_mm, DISH_FLOOR_MM - GAP_MM)),
        "bsdf": metal if prop.seed % METAL_EVERY == 0 else lacquer,
    }


def _body(style: DieStyle, rng: np.random.Generator) -> Plugin:
    """What a die is made of: lacquered plastic, or stained glass."""
    if style.opaque:
        return {"bsdf": {"type": "plastic", "diffuse_reflectance": _rgb(style.colour), "int_ior": 1.5}}
    colour = np.array(style.colour, np.float64)
    left = np.clip(colour / max(float(colour.max()), 1e-3), 0.01, 0.97) ** rng.uniform(0.4, 1.6)
    stain = -np.log(left) / style.side_mm
    return {
        "bsdf": {"type": "dielectric", "int_ior": rng.uniform(1.46, 1.6)},
        "interior": {"type": "homogeneous", "albedo": 0.0, "sigma_t": _rgb(stain)},
    }


def _pips(mi: Any, die: DieObject) -> Iterator[Plugin]:  # noqa: ANN401
    """The pips as discs of paint: one on the outside, and one beneath it that touches the glass, as seen through it."""
    style = die.style
    flip = np.array([-1.0, 1.0, 1.0]) if style.mirrored else np.ones(3)
    for value, turn, *axes in FACES_OF_A_DIE:
        normal, column, row = (np.array(axis, np.float64) * flip for axis in axes)
        diameter, paint, places = die_pips(value, style, turn=turn)
        for a, b in places:
            frame = np.stack([column, np.cross(normal, column), normal], 1) * diameter / 2 * style.side_mm
            for out in OUT_OF_FACE[: 1 if style.opaque else 2]:
                at = normal * (0.5 + out) + a * column + b * row
                yield {
                    "type": "disk",
                    "to_world": _placed(mi, die.r @ frame, tuple(die.r @ at * style.side_mm + die.middle_mm)),
                    "bsdf": {"type": "twosided", "paint": {"type": "diffuse", "reflectance": _rgb(paint)}},
                }


def _mesh(folder: Path, style: DieStyle) -> Path:
    """Write a cube of half side 1 with rounded edges as a PLY file, once for each rounding."""
    rounding = round(2 * style.round_mm / style.side_mm, 3)
    path = folder / f"{rounding}.ply"
    if not path.exists():
        points, normals, faces = rounded_cube(rounding)
        head = (
            f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\n"
            + "".join(f"property float {name}\n" for name in ("x", "y", "z", "nx", "ny", "nz"))
            + f"element face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n"
        )
        rows = np.zeros(len(faces), [("count", "u1"), ("corners", "<i4", 3)])
        rows["count"], rows["corners"] = 3, faces
        vertices = np.hstack([points, normals]).astype("<f4")
        path.write_bytes(head.encode() + vertices.tobytes() + rows.tobytes())
    return path


@cache
def rounded_cube(rounding: float) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Return points and outward normals (n, 3) and triangles (m, 3) of a cube from -1 to 1; rounding is a radius."""
    rounding = min(max(rounding, 0.01), 0.99)
    flat = 1 - rounding
    bend = flat + rounding * np.tan(np.radians([0, 15, 30, 45]))
    steps = np.concatenate([-bend[::-1], bend])
    points, faces = [], []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            u, v = np.meshgrid(steps, steps, indexing="ij")
            on_face = np.stack([sign * np.ones_like(u), u, v], -1).reshape(-1, 3)
            points.append(np.roll(on_face, axis, 1))
            first = sum(map(len, points[:-1]))
            for i, _ in pairwise(range(len(steps))):
                for j, _ in pairwise(range(len(steps))):
                    a, b = first + i * len(steps) + j, first + (i + 1) * len(steps) + j
                    corners = (a, b, b + 1, a + 1) if sign > 0 else (a, a + 1, b + 1, b)
                    faces += [(corners[0], corners[1], corners[2]), (corners[0], corners[2], corners[3])]
    at = np.concatenate(points)
    core = np.clip(at, -flat, flat)
    normals = at - core
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return core + rounding * normals, normals, np.array(faces)


def _calmed(picture: F32) -> F32:
    """The picture without pixels that a single path made far brighter than all around."""
    grey = picture.mean(2)
    usual = cv2.medianBlur(grey, 3)
    wild = grey > FIREFLY * usual + 0.05
    out = picture.copy()
    for channel in range(3):
        out[..., channel][wild] = cv2.medianBlur(picture[..., channel], 3)[wild]
    return out

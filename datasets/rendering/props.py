"""Everything on and around the table that is not read: felt and print, chips, cup, hands, paper and clutter."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.rendering.projected import circle, project, rounded_outline
from datasets.rendering.textures import F32, FONTS, carpet, felt_grain, keyboard, smooth_noise, wood
from datasets.scenes.scene import DISH_FLOOR_MM, DISH_FLOOR_SHARE

if TYPE_CHECKING:
    from collections.abc import Callable

    from datasets.rendering.canvas import Canvas
    from datasets.scenes.scene import Camera, Prop, Scene

Points = NDArray[np.float64]

TABLE_HALF_MM = (1052.0, 552.0)


def rectangle(prop: Prop) -> Points:
    """Return (4, 2) table corners of a prop's rectangle: its own (-x,-y), (x,-y), (x,y), (-x,y)."""
    c, s = np.cos(prop.angle), np.sin(prop.angle)
    half = np.array(prop.size_mm) / 2
    local = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    return np.asarray(local @ np.array([[c, s], [-s, c]]) + [prop.x_mm, prop.y_mm])


ROUND = {"chips", "dish", "dome", "glass", "marker"}
FLAT = {"text", "line", "ring", "box", "emblem"}


def footprint(prop: Prop) -> Points | None:
    """Return (n, 2) the outline that throws a shadow on the felt, or None for print."""
    if prop.kind in FLAT or prop.kind == "arm":
        return None
    if prop.kind in ROUND:
        return circle(prop.size_mm[0] / 2) + _middle(prop)
    return rectangle(prop)


def _middle(prop: Prop) -> Points:
    return np.array([prop.x_mm, prop.y_mm])


def _at(points: Points, z: float) -> Points:
    return np.column_stack([points, np.full(len(points), z)])


def ground(canvas: Canvas, camera: Camera, scene: Scene, scale: float) -> None:
    """Paint the felt (or wood, paper, desk, carpet ...) under everything, with its print and the light's fall."""
    h, w = canvas.owner.shape
    rng = np.random.default_rng(scene.ground_seed)
    colour = np.array(scene.ground_colour, np.float32)
    light = scene.ambient + sum(float(lamp.direction[2]) * np.array(lamp.colour) for lamp in scene.lamps)
    makers: dict[str, Callable[[], F32]] = {
        "wood": lambda: wood(rng, h, w, scene.ground_colour),
        "carpet": lambda: carpet(rng, h, w, scene.ground_colour),
        "desk": lambda: keyboard(rng, h, w),
        "plain": lambda: np.ones((h, w, 1), np.float32) * colour,
    }
    if scene.ground in makers:
        canvas.light[:] = makers[scene.ground]()
    else:
        canvas.light[:] = felt_grain(h, w, scene.ground_seed)[..., None] * colour
    blotch = smooth_noise(rng, (h, w), max(8.0, max(h, w) / 5))
    canvas.light *= (1 + 0.05 * blotch)[..., None]
    canvas.light *= np.asarray(light, np.float32)
    if scene.light_slope != (0.0, 0.0):
        canvas.light *= _light_fall(camera, scene, (h, w))
    if scene.layout is not None:
        _rail(canvas, camera, scene, scale)


def _light_fall(camera: Camera, scene: Scene, shape: tuple[int, int]) -> F32:
    """Return (h, w, 1) brightness of the lamps' cones over the table."""
    h, w = shape
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float64)
    matrix = camera.k @ np.column_stack([camera.r[:, 0], camera.r[:, 1], camera.t])
    back = np.linalg.inv(matrix) @ np.column_stack([corners, np.ones(4)]).T
    mm = (back[:2] / back[2]).T
    values = np.clip(1 + mm @ np.array(scene.light_slope) / 1000, 0.25, 2.5).astype(np.float32)
    small = np.array([[values[0], values[1]], [values[3], values[2]]], np.float32)
    return np.asarray(cv2.resize(small, (w, h), interpolation=cv2.INTER_LINEAR), np.float32)[..., None]


def _rail(canvas: Canvas, camera: Camera, scene: Scene, scale: float) -> None:
    """Paint the padded rail and the carpet outside it."""
    h, w = canvas.owner.shape
    rng = np.random.default_rng((scene.ground_seed, 7))
    x, y = TABLE_HALF_MM
    mask = np.zeros((h, w), np.uint8)
    outer = np.zeros((h, w), np.uint8)
    inner_mm = rounded_outline(2 * x, 2 * y, 110, 12)
    outer_mm = rounded_outline(2 * x + 190, 2 * y + 190, 190, 12)
    canvas.stencil(mask, project(camera, _at(inner_mm, 0)))
    canvas.stencil(outer, project(camera, _at(outer_mm, 20)))
    floor = carpet(rng, h, w, (float(rng.uniform(0, 0.2)),) * 3)
    a = (outer.astype(np.float32) / 255)[..., None]
    b = (mask.astype(np.float32) / 255)[..., None]
    ridge = np.exp(-(((cv2.GaussianBlur(outer, (0, 0), 12 * scale).astype(np.float32) / 255) - 0.75) ** 2) / 0.02)
    leather = np.array(rng.uniform(0.005, 0.12, 3), np.float32)
    rail = leather + (0.12 * ridge)[..., None]
    canvas.light[:] = canvas.light * b + (rail * a + floor * (1 - a)) * (1 - b)


def draw(canvas: Canvas, camera: Camera, scene: Scene, prop: Prop, scale: float, owner: int) -> None:
    """Paint one prop."""
    _ART[prop.kind](canvas, camera, scene, prop, scale, owner)


def _brightness(scene: Scene) -> float:
    return scene.ambient + sum(float(lamp.direction[2]) * float(np.mean(lamp.colour)) for lamp in scene.lamps)


def _trace(mask: NDArray[np.uint8], path: NDArray[np.int32], width: float, *, closed: bool) -> None:
    """Draw a path given in sixteenths of a pixel, (n, 1, 2)."""
    cv2.polylines(mask, [path], closed, 255, max(1, round(width)), cv2.LINE_AA, 4)


def _stroke(canvas: Canvas, points_px: Points, colour: F32, width: float, *, closed: bool = False) -> None:
    """Draw an anti-aliased line of `width` pixels as part of the ground."""
    box = canvas.box(points_px, margin=int(width) + 2)
    if box is None:
        return
    x0, y0, x1, y1 = box
    mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
    path = np.rint((points_px - [x0, y0]) * 16).astype(np.int32).reshape(-1, 1, 2)
    _trace(mask, path, width, closed=closed)
    canvas.blend(box, colour, mask.astype(np.float32) / 255, None)


def _print(scene: Scene, prop: Prop) -> F32:
    return np.array(prop.colour, np.float32) * np.float32(_brightness(scene))


def _line(canvas: Canvas, camera: Camera, scene: Scene, prop: Prop, scale: float, owner: int) -> None:
    """Print a long, slightly curved line, single or double."""
    del owner
    rng = np.random.default_rng(prop.seed)
    t = np.linspace(-0.5, 0.5, 16)
    c, s = np.cos(prop.angle), np.sin(prop.angle)
    bend = rng.uniform(-0.08, 0.08) * prop.size_mm[0]
    for k in range(int(rng.integers(1, 3))):
        local = np.stack([t * prop.size_mm[0], bend * (4 * t * t) + k * rng.uniform(5, 12)], 1)
        world = local @ np.array([[c, s], [-s, c]]) + [prop.x_mm, prop.y_mm]
        _stroke(canvas, project(camera, _at(world, 0)), _print(scene, prop), prop.size_mm[1] * scale)


def _box(canvas: Canvas, camera: Camera, scene: Scene, prop: Prop, scale: float, owner: int) -> None:
    """Print a frame: a betting box, a place for tiles."""
    del owner
    _stroke(canvas, project(camera, _at(rectangle(prop), 0)), _print(scene, prop), 4 * scale, closed=True)
    if prop.seed % 3 == 0:
        inner = rectangle(prop)
        inner = inner.mean(0) + (inner - inner.mean(0)) * 0.93
        _stroke(canvas, project(camera, _at(inner, 0)), _print(scene, prop) * 0.7, 2 * scale, closed=True)


def _ring(canvas: Canvas, camera: Camera, scene: Scene, prop: Prop, scale: float, owner: int) -> None:
    del owner
    points = circle(prop.size_mm[0] / 2, 40) + _middle(prop)
    _stroke(canvas, project(camera, _at(points, 0)), _print(scene, prop), prop.size_mm[1] * scale, closed=True)


def _emblem(canvas: Canvas, camera: Camera, scene: Scene, prop: Prop, scale: float, owner: int) -> None:
    """Print a wheel of curved spokes in a ring, as a casino's emblem."""
    _ring(canvas, camera, scene, prop, scale, owner)
    spokes = 8 + prop.seed % 9
    r = np.linspace(0.15, 0.42, 8) * prop.size_mm[0]
    for k in range(spokes):
        a = 2 * np.pi * k / spokes + np.linspace(0, 1.2, 8) + prop.angle
        points = np.stack([r * np.cos(a), r * np.sin(a)], 1) + _middle(prop)
        _stroke(canvas, project(camera, _at(points, 0)), _print(scene, prop), 3 * scale)


def _lettering(rng: np.random.Generator, text: str, height: int) -> F32:
    """Return (h, w) coverage of a line of text."""
    font = int(rng.choice(FONTS))
    size = height / 32
    line = max(1, round(height / 32 * rng.uniform(1, 4)))
    (w, h), base = cv2.getTextSize(text, font, size, line)
    mask = np.zeros((h + base + 8, w + 8), np.uint8)
    cv2.putText(mask, text, (4, h + 4), font, size, 255, line, cv2.LINE_AA)
    return np.asarray(mask, np.float32) / np.float32(255)


WORDS = (
    "PAI GOW",
    "TILES",
    "HOUSE",
    "DICE",
    "LOW",
    "HIGH",
    "BANK",
    "5% COMMISSION",
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "7",
    "8",
)


def _text(canvas: Canvas, camera: Camera, scene: Scene, prop: Prop, scale: float, owner: int) -> None:
    """Print letters or a numeral on the felt."""
    del owner
    rng = np.random.default_rng(prop.seed)
    cover = _lettering(rng, str(rng.choice(WORDS)), max(12, int(prop.size_mm[1] * scale * 1.2)))
    wide = prop.size_mm[1] * cover.shape[1] / cover.shape[0]
    c, s = np.cos(prop.angle), np.sin(prop.angle)
    local = np.array(
        [[-wide, prop.size_mm[1]], [wide, prop.size_mm[1]], [wide, -prop.size_mm[1]], [-wide, -prop.size_mm[1]]]
    )
    world = local / 2 @ np.array([[c, s], [-s, c]]) + [prop.x_mm, prop.y_mm]
    texture = np.empty((*cover.shape, 3), np.float32)
    texture[:] = _print(scene, prop)
    canvas.lay(texture, cover, project(camera, _at(world, 0)), None)


def _chips(canvas: Canvas, camera: Camera, scene: Scene, prop: Prop, scale: float, owner: int) -> None:
    """Stack chips: a striped wall and a round top with edge spots."""
    del scale
    rng = np.random.default_rng(prop.seed)
    light = _brightness(scene)
    radius = prop.size_mm[0] / 2
    spot = np.array(rng.uniform(0.3, 0.8, 3) if rng.random() < 0.4 else (0.75, 0.75, 0.75), np.float64)
    base = np.array(prop.colour, np.float64)
    chip = 3.3
    n = max(1, round(prop.height_mm / chip))
    offset = rng.normal(0, 0.4, (n, 2))
    for k in range(n):
        outline = circle(radius) + [prop.x_mm, prop.y_mm] + offset[k]
        z = prop.z_mm + k * chip
        wall = np.concatenate([_at(outline, z), _at(outline, z + chip)])
        stripe = spot if (k + prop.seed) % 2 else base
        canvas.fill(project(camera, wall), (0.6 * base + 0.4 * stripe) * light * 0.5, owner)
    top = circle(radius) + [prop.x_mm, prop.y_mm] + offset[-1]
    z = prop.z_mm + n * chip
    canvas.fill(project(camera, _at(top, z)), base * light, owner)
    turn = rng.uniform(0, np.pi)
    for k in range(int(rng.integers(4, 9))):
        a = turn + 2 * np.pi * k / 6 + np.array([-0.18, 0.18])
        wedge = np.concatenate(
            [np.stack([np.cos(a), np.sin(a)], 1) * radius, np.stack([np.cos(a), np.sin(a)], 1) * radius * 0.72]
        )
        canvas.fill(project(camera, _at(wedge + [prop.x_mm, prop.y_mm] + offset[-1], z)), spot * light, owner)
    middle = circle(radius * 0.6) + [prop.x_mm, prop.y_mm] + offset[-1]
    canvas.fill(project(camera, _at(middle, z)), (0.4 * base + 0.6 * np.array([0.7, 0.7, 0.7])) * light, owner)
    _label_disc(canvas, camera, prop, z, radius * 0.5, rng, light)


def _label_disc(
    canvas: Canvas,
    camera: Camera,
    prop: Prop,
    z: float,
    radius: float,
    rng: np.random.Generator,
    light: float,
) -> None:
    """Write a short word on a disc."""
    cover = _lettering(rng, str(rng.choice(["5", "25", "100", "500", "OFF", "BANK", "$1"])), 24)
    aspect = cover.shape[1] / cover.shape[0]
    half = np.array([radius, radius / aspect]) if aspect > 1 else np.array([radius * aspect, radius])
    a = prop.angle
    turn = np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
    quad = (np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]]) * half) @ turn + [prop.x_mm, prop.y_mm]
    ink = np.full((*cover.shape, 3), 0.02 if prop.seed % 2 else 0.6, np.float32) * np.float32(light)
    canvas.lay(ink, cover, project(camera, _at(quad, z)), None)


def _marker(canvas: Canvas, camera: Camera, scene: Scene, prop: Prop, scale: float, owner: int) -> None:
    """Lay a chung or an on/off button."""
    del scale
    rng = np.random.default_rng(prop.seed)
    light = _brightness(scene)
    outline = circle(prop.size_mm[0] / 2) + _middle(prop)
    wall = np.concatenate([_at(outline, 0), _at(outline, prop.height_mm)])
    canvas.fill(project(camera, wall), np.array(prop.colour) * light * 0.6, owner)
    canvas.fill(project(camera, _at(outline, prop.height_mm)), np.array(prop.colour) * light, owner)
    _label_disc(canvas, camera, prop, prop.height_mm, prop.size_mm[0] * 0.35, rng, light)


def _dish(canvas: Canvas, camera: Camera, scene: Scene, prop: Prop, scale: float, owner: int) -> None:
    """Lay the round base of the dice cup: a rim around a lined floor."""
    light = _brightness(scene)
    rng = np.random.default_rng(prop.seed)
    rim = np.array([rng.uniform(0.005, 0.4)] * 3) * rng.uniform(0.8, 1.2, 3)
    outline = circle(prop.size_mm[0] / 2, 40)
    centre = np.array([prop.x_mm, prop.y_mm])
    wall = np.concatenate([_at(outline + centre, 0), _at(outline + centre, prop.height_mm)])
    canvas.fill(project(camera, wall), rim * light, owner)
    floor = project(camera, _at(outline * DISH_FLOOR_SHARE + centre, min(DISH_FLOOR_MM, prop.height_mm)))
    canvas.fill(floor, np.array(prop.colour) * light, owner)
    for a in rng.uniform(0, 2 * np.pi, 3):
        arc = np.linspace(a, a + rng.uniform(0.2, 0.9), 6)
        points = np.stack([np.cos(arc), np.sin(arc)], 1) * prop.size_mm[0] * 0.475 + centre
        _stroke(
            canvas,
            project(camera, _at(points, prop.height_mm)),
            np.full(3, light * rng.uniform(0.2, 1.5), np.float32),
            2 * scale,
        )


def _dome(canvas: Canvas, camera: Camera, scene: Scene, prop: Prop, scale: float, owner: int) -> None:
    """Set down the cup or a metal dome: a ball's shading with a few lamp sparks."""
    del scale
    light = _brightness(scene)
    rng = np.random.default_rng(prop.seed)
    centre = np.array([prop.x_mm, prop.y_mm])
    r = prop.size_mm[0] / 2
    metal = rng.uniform(0, 1)
    for k in range(14):
        f = 1 - k / 14
        z = prop.height_mm * np.sqrt(1 - f * f)
        tone = np.array(prop.colour) * (0.35 + 0.65 * (1 - f)) + metal * 0.12 * np.sin(k * 1.3 + prop.seed) ** 2
        ring = project(camera, _at(circle(r * f, 32) + centre, z))
        canvas.fill(ring, tone * light, owner)
    for _ in range(int(rng.integers(1, 5))):
        f = rng.uniform(0.1, 0.8)
        a = rng.uniform(0, 2 * np.pi)
        spot = circle(r * rng.uniform(0.04, 0.16), 12) + centre + f * r * np.array([np.cos(a), np.sin(a)])
        canvas.fill(
            project(camera, _at(spot, prop.height_mm * np.sqrt(1 - f * f))),
            np.full(3, light * rng.uniform(0.5, 3)),
            owner,
        )


def _glass(canvas: Canvas, camera: Camera, scene: Scene, prop: Prop, scale: float, owner: int) -> None:
    """Stand a drink: a translucent wall and a bright surface."""
    del scale
    light = _brightness(scene)
    base = circle(prop.size_mm[0] / 2) + _middle(prop)
    wall = np.concatenate([_at(base, 0), _at(base, prop.height_mm)])
    canvas.fill(project(camera, wall), np.array([0.3, 0.35, 0.35]) * light, owner, opacity=0.35)
    canvas.fill(
        project(camera, _at(base * 1.0, prop.height_mm * 0.8)), np.array(prop.colour) * light, owner, opacity=0.8
    )
    rim = project(camera, _at(base, prop.height_mm))
    _stroke(canvas, rim, np.full(3, 0.8 * light, np.float32), 1.5, closed=True)


def _slab(canvas: Canvas, camera: Camera, scene: Scene, prop: Prop, light: float, owner: int) -> Points:
    """Paint a box-shaped body; return its top quad in pixels: top-left, top-right, bottom-right, bottom-left."""
    del scene
    flat = rectangle(prop)
    top = project(camera, _at(flat, prop.z_mm + prop.height_mm))
    if prop.height_mm > 1:
        body = np.concatenate([_at(flat, prop.z_mm), _at(flat, prop.z_mm + prop.height_mm)])
        canvas.fill(project(camera, body), np.array(prop.colour) * light * 0.5, owner)
    canvas.fill(top, np.array(prop.colour) * light, owner)
    return top[[3, 2, 1, 0]]


def _paper(canvas: Canvas, camera: Camera, scene: Scene, prop: Prop, scale: float, owner: int) -> None:
    """Lay a written slip, a card or a booklet."""
    rng = np.random.default_rng(prop.seed)
    light = _brightness(scene)
    quad = _slab(canvas, camera, scene, prop, light, owner)
    h = int(np.clip(prop.size_mm[1] * scale, 24, 300))
    w = int(np.clip(prop.size_mm[0] * scale, 24, 400))
    ink = np.zeros((h, w), np.uint8)
    pitch = max(5, int(h * rng.uniform(0.06, 0.14)))
    for y in range(pitch, h - 2, pitch):
        x = int(w * 0.08)
        while x < w * 0.9:
            run = int(rng.integers(3, max(4, w // 6)))
            if rng.random() < 0.7:
                cv2.line(ink, (x, y), (min(x + run, int(w * 0.92)), y), 255, max(1, pitch // 4), cv2.LINE_AA)
            x += run + 3
    texture = np.full((h, w, 3), 0.03 * light, np.float32)
    canvas.lay(texture, np.asarray(ink, np.float32) * np.float32(0.8 / 255), quad, None)


def _aruco(canvas: Canvas, camera: Camera, scene: Scene, prop: Prop, scale: float, owner: int) -> None:
    """Lay a calibration marker: black squares on a white card, the worst look-alike of a tile."""
    del scale
    light = _brightness(scene)
    quad = _slab(canvas, camera, scene, prop, light, owner)
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    code = cv2.aruco.generateImageMarker(dictionary, prop.seed % 50, 60)
    card = np.full((80, 80), 230, np.uint8)
    card[10:70, 10:70] = code
    texture = (card.astype(np.float32) / 255 * 0.75 * light)[..., None].repeat(3, 2) + np.float32(0.01)
    canvas.lay(texture, np.ones((80, 80), np.float32), quad, owner)


def _rod(canvas: Canvas, camera: Camera, scene: Scene, prop: Prop, scale: float, owner: int) -> None:
    """Lay a pen or a cable: a bent line with a highlight."""
    rng = np.random.default_rng(prop.seed)
    light = _brightness(scene)
    t = np.linspace(-0.5, 0.5, 20)
    bend = rng.uniform(-0.3, 0.3) * prop.size_mm[0] if prop.size_mm[0] > 200 else 0.0
    c, s = np.cos(prop.angle), np.sin(prop.angle)
    local = np.stack([t * prop.size_mm[0], bend * np.sin(3 * t)], 1)
    world = local @ np.array([[c, s], [-s, c]]) + [prop.x_mm, prop.y_mm]
    path = project(camera, _at(world, prop.z_mm + prop.height_mm))
    width = prop.size_mm[1] * scale
    box = canvas.box(path, margin=int(width) + 2)
    if box is None:
        return
    x0, y0, x1, y1 = box
    for part, tone in ((1.0, 0.7), (0.35, 2.0)):
        mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
        route = np.rint((path - [x0, y0]) * 16).astype(np.int32).reshape(-1, 1, 2)
        _trace(mask, route, width * part, closed=False)
        alpha = mask.astype(np.float32) / 255
        canvas.blend(box, (np.array(prop.colour) * light * tone + 0.01).astype(np.float32), alpha, owner)


def _rack(canvas: Canvas, camera: Camera, scene: Scene, prop: Prop, scale: float, owner: int) -> None:
    """Set the float: a tray of chip columns lying on their edges."""
    rng = np.random.default_rng(prop.seed)
    light = _brightness(scene)
    quad = _slab(canvas, camera, scene, prop, light, owner)
    w, h = int(np.clip(prop.size_mm[0] * scale, 40, 1400)), int(np.clip(prop.size_mm[1] * scale, 30, 500))
    texture = np.empty((h, w, 3), np.float32)
    texture[:] = np.array(prop.colour) * light
    columns = int(rng.integers(8, 14))
    pitch = w / columns
    for k in range(columns):
        x0, x1 = int(k * pitch + pitch * 0.08), int((k + 1) * pitch - pitch * 0.08)
        texture[int(h * 0.05) : int(h * 0.95), x0:x1] = 0.02 * light
        end = int(h * rng.uniform(0.1, 0.95))
        ink = rng.uniform(0.01, 0.5, 3)
        step = max(2, int(3.3 * scale))
        for y in range(int(h * 0.05), end, step):
            tone = ink if rng.random() < 0.6 else np.full(3, 0.7)
            texture[y : y + max(1, step - 1), x0:x1] = tone * light * 0.7
    canvas.lay(texture, np.ones((h, w), np.float32), quad, owner)


def _clutter(canvas: Canvas, camera: Camera, scene: Scene, prop: Prop, scale: float, owner: int) -> None:
    """Lay a laptop, a phone or a keyboard: a slab with keys or a sheen."""
    rng = np.random.default_rng(prop.seed)
    light = _brightness(scene)
    quad = _slab(canvas, camera, scene, prop, light, owner)
    if prop.seed % 3:
        return
    w, h = int(np.clip(prop.size_mm[0] * scale, 40, 700)), int(np.clip(prop.size_mm[1] * scale, 30, 500))
    canvas.lay(keyboard(rng, h, w) * np.float32(light), np.ones((h, w), np.float32), quad, owner)


Limb = tuple[Points, Points, float]
"""A rounded strip seen from above: both ends on the table, (2,) mm each, and its width."""


@dataclass(frozen=True, slots=True)
class Limbs:
    """What an arm is made of.

    Attributes:
        skin: palm, forearm and fingers.
        sleeve: over the forearm, out to where the arm is cut off.
        cloth: (3,) the sleeve's colour.
    """

    skin: tuple[Limb, ...]
    sleeve: Limb
    cloth: Points

    @property
    def everything(self) -> tuple[Limb, ...]:
        """All that covers what lies below."""
        return *self.skin, self.sleeve


@dataclass(frozen=True, slots=True)
class _Build:
    """What chance gives one arm: bend of the elbow, curl and spread of the fingers, sleeve."""

    bend: float
    curl: float
    spread: tuple[float, ...]
    cuff: float
    sleeve: float
    cloth: tuple[float, float, float]


@lru_cache(maxsize=64)
def _build(seed: int) -> _Build:
    rng = np.random.default_rng(seed)
    bend, curl = float(rng.uniform(-90, 90)), float(rng.uniform(0.5, 1.0))
    spread = tuple(float(rng.uniform(2, 9)) for _ in range(4))
    cuff, sleeve = float(rng.uniform(30, 220)), float(rng.uniform(80, 125))
    b, g, r = rng.uniform(0.005, 0.25, 3) if rng.random() < 0.8 else (0.6, 0.6, 0.6)
    return _Build(bend, curl, spread, cuff, sleeve, (float(b), float(g), float(r)))


def limbs(prop: Prop) -> Limbs:
    """Build an arm: its hand lies at the prop's place, its body in the direction of the prop's angle.

    The prop's length is that of the upper arm.
    """
    build = _build(prop.seed)
    tip = np.array([prop.x_mm, prop.y_mm])
    along = np.array([np.cos(prop.angle), np.sin(prop.angle)])
    across = np.array([-along[1], along[0]])
    side = 1 if prop.seed % 2 else -1
    palm = tip + along * 75
    wrist = tip + along * 125
    elbow = wrist + along * 330 + across * build.bend
    skin: list[Limb] = [(palm, palm + along * 20, 72), (wrist, elbow, 58)]
    for finger, spread in enumerate(build.spread):
        root = palm + across * (finger - 1.5) * 21 * side - along * 18
        aside = across * (finger - 1.5) * spread * side
        skin.append((root, root - along * (62 - 7 * abs(finger - 1.4)) * build.curl + aside, 17))
    skin.append((palm + across * 30 * side, palm + across * 62 * side - along * 40 * build.curl, 20))
    sleeve = (wrist + along * build.cuff, elbow + along * prop.size_mm[0], build.sleeve)
    return Limbs(tuple(skin), sleeve, np.array(build.cloth))


def _arm(canvas: Canvas, camera: Camera, scene: Scene, prop: Prop, scale: float, owner: int) -> None:
    """Reach in with a sleeve, a forearm and a hand; its soft shadow falls on what lies below."""
    light = _brightness(scene)
    built = limbs(prop)
    z = prop.z_mm + prop.height_mm
    side = 1 if prop.seed % 2 else -1
    h, w = canvas.owner.shape
    skin_mask, sleeve_mask = np.zeros((h, w), np.uint8), np.zeros((h, w), np.uint8)

    def capsule(mask: NDArray[np.uint8], limb: Limb) -> None:
        a, b, width_mm = limb
        ends = project(camera, np.array([[*a, z], [*b, z]]))
        p, q = np.rint(np.clip(ends, -4000, 8000) * 16).astype(int)
        cv2.line(
            mask, (int(p[0]), int(p[1])), (int(q[0]), int(q[1])), 255, max(1, round(width_mm * scale)), cv2.LINE_AA, 4
        )

    for limb in built.skin:
        capsule(skin_mask, limb)
    capsule(sleeve_mask, built.sleeve)
    shadow = _softened(np.maximum(skin_mask, sleeve_mask), max(1.0, 8 * scale))
    shift = np.array([[1, 0, 14 * scale * side], [0, 1, 12 * scale]], np.float32)
    canvas.darken(cv2.warpAffine(shadow, shift, (w, h)), 0.45)
    tones = (np.array(prop.colour), built.cloth)
    for mask, tone in zip((skin_mask, sleeve_mask), tones, strict=True):
        x, y, wide, high = cv2.boundingRect(mask)
        if not wide:
            continue
        part = np.s_[y : y + high, x : x + wide]
        soft = _softened(mask, max(0.8, 6 * scale)).astype(np.float32) / 255
        gx = cv2.Sobel(soft, cv2.CV_32F, 1, 0)[part]
        gy = cv2.Sobel(soft, cv2.CV_32F, 0, 1)[part]
        lit = 0.45 + 0.6 * soft[part] + np.clip((gx * 0.6 + gy * side) * 6 * scale, -0.25, 0.25)
        alpha = mask[part].astype(np.float32) / 255
        colour = np.asarray(cv2.merge([lit * np.float32(c * light) for c in tone]), np.float32)
        canvas.blend((x, y, x + wide, y + high), colour, alpha, owner)


def _softened(mask: NDArray[np.uint8], sigma: float) -> NDArray[np.uint8]:
    """Blur a mask; a wide blur is worked out at a quarter of the size."""
    if sigma < 6:
        return np.asarray(cv2.GaussianBlur(mask, (0, 0), sigma), np.uint8)
    h, w = mask.shape
    small = cv2.resize(mask, (-(-w // 4), -(-h // 4)), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(cv2.GaussianBlur(small, (0, 0), sigma / 4), (w, h)), np.uint8)


def overlay(canvas: Canvas, camera: Camera, scene: Scene, scale: float) -> None:
    """Paint what comes above everything: soft shadows of people leaning in."""
    del camera, scale
    rng = np.random.default_rng((scene.seed, 11))
    if rng.random() < 0.75:
        return
    h, w = canvas.owner.shape
    mask = np.zeros((h // 8 + 1, w // 8 + 1), np.uint8)
    cv2.ellipse(
        mask,
        (int(rng.integers(mask.shape[1])), int(rng.integers(mask.shape[0]))),
        (int(rng.integers(5, mask.shape[1])), int(rng.integers(5, mask.shape[0]))),
        float(rng.uniform(0, 180)), 0, 360, 255, -1,
    )  # fmt: skip
    soft = cv2.resize(cv2.GaussianBlur(mask, (0, 0), float(rng.uniform(1, 6))), (w, h))
    canvas.darken(soft, float(rng.uniform(0.15, 0.6)))


_ART = {
    "line": _line, "box": _box, "ring": _ring, "emblem": _emblem, "text": _text, "chips": _chips, "marker": _marker,
    "dish": _dish, "dome": _dome, "glass": _glass, "paper": _paper, "aruco": _aruco, "rod": _rod, "float": _rack,
    "clutter": _clutter, "arm": _arm,
}  # fmt: skip

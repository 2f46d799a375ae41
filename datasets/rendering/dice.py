"""Draw dice: opaque ones, and transparent ones through which the far faces show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from datasets.rendering.glass import Wall, glass_of, seen_through
from datasets.rendering.projected import Points, at_height, circle, project
from datasets.rendering.textures import F32, FACES_OF_A_DIE, die_face
from datasets.rendering.tiles import SIDE_LIGHT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from datasets.rendering.canvas import Canvas
    from datasets.scenes.scene import CameraModel, DieObject, Scene

SHEEN, SHEEN_OF_GLASS = 0.6, 0.8
"""Share of dice, opaque and transparent, over whose upper face no veil of light lies."""
MIRRORS_LAMPS = 0.2
"""Share of dice whose upper face shows mirror images of lamps."""


def die_corners(die: DieObject, normal: Sequence[float], column: Sequence[float], row: Sequence[float]) -> Points:
    """Return (4, 3) corners of one face: texture's top-left, top-right, bottom-right, bottom-left."""
    n, c, r = (np.array(v, np.float64) for v in (normal, column, row))
    if die.style.mirrored:
        n, c, r = (v * np.array([-1, 1, 1]) for v in (n, c, r))
    half = die.style.side_mm / 2
    local = half * np.array([n - c - r, n + c - r, n + c + r, n - c + r])
    return np.asarray(local @ die.r.T + die.middle_mm)


def draw_die(canvas: Canvas, camera: CameraModel, scene: Scene, die: DieObject, owner: int, scale: float) -> None:
    """Paint one die; through a glassy one its far faces show."""
    style = die.style
    inset = style.side_mm / 2 - style.round_mm
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)
    ball = _ball()
    hull = (signs[:, None, :] * inset + ball[None] * style.round_mm).reshape(-1, 3)
    middle = die.middle_mm
    body = project(camera, hull @ die.r.T + middle)
    gain = scene.light_at(die.x_mm, die.y_mm)
    base = np.array(style.colour, np.float64)
    glassy = not style.opaque
    strength = scene.ambient + SIDE_LIGHT * 0.45
    beneath = _mean_light(canvas, body)
    canvas.fill(body, base * strength * gain, owner, opacity=0.75 if glassy else 1.0)
    size = int(np.clip(style.side_mm * scale * 1.2, 12, 220))
    eye = camera.position_mm
    painted = [die_face(value, style, size, turn=turn) for value, turn, *_ in FACES_OF_A_DIE]
    corners_of = [die_corners(die, n, c, r) for _, _, n, c, r in FACES_OF_A_DIE]
    outward = [(corners.mean(0) - middle) / (style.side_mm / 2) for corners in corners_of]
    sparks = np.random.default_rng((scene.seed, owner, 1))
    through = _through_glass(die, [pips for _, pips in painted], eye, strength, beneath, sparks) if glassy else None
    for k, corners in enumerate(corners_of):
        to_eye = eye - corners.mean(0)
        if float(outward[k] @ to_eye / np.linalg.norm(to_eye)) <= 0.01:
            continue
        albedo, pips = painted[k]
        lit = scene.ambient + sum(
            max(0.0, float(outward[k] @ lamp.direction)) * np.mean(lamp.colour) for lamp in scene.lamps
        )
        tint = albedo * np.float32(lit)
        if through is not None:
            tint = through(k) * (1 - pips[..., None]) + tint * pips[..., None]
        rounding = style.round_mm / style.side_mm
        canvas.lay(
            tint * _edge_shade(size, rounding), _face_cover(size, rounding), project(camera, corners), owner, gain=gain
        )
    if glassy:
        _glints(canvas, body, sparks, strength)
    top = corners_of[int(np.argmax([corners[:, 2].mean() for corners in corners_of]))]
    sheen = np.random.default_rng((scene.seed, owner)).uniform(0, 1) - (SHEEN_OF_GLASS if glassy else SHEEN)
    if sheen > 0:
        veil = np.full((size, size, 3), sheen * 1.2, np.float32)
        canvas.add(veil, _face_cover(size, style.round_mm / style.side_mm), project(camera, top))
    _mirror_lamps(canvas, project(camera, top), size, np.random.default_rng((scene.seed, owner, 2)))


def _through_glass(
    die: DieObject,
    pips: Sequence[F32],
    eye: Points,
    strength: float,
    beneath: NDArray[np.float64],
    rng: np.random.Generator,
) -> Callable[[int], F32]:
    """Return the function from a face's number to the (size, size, 3) light it shows beside its own pips."""
    walls = [
        Wall(np.array(normal, np.float64), np.array(column, np.float64), np.array(row, np.float64), marks)
        for (_, _, normal, column, row), marks in zip(FACES_OF_A_DIE, pips, strict=True)
    ]
    way = die.middle_mm - eye
    sight = way / np.linalg.norm(way) @ die.r
    up = die.r[2]
    if die.style.mirrored:
        sight, up = sight * np.array([-1, 1, 1]), up * np.array([-1, 1, 1])
    downward = np.stack([-wall.normal @ up for wall in walls])
    colour, pip = (np.array(tone, np.float64) for tone in (die.style.colour, die.style.pip))
    glass = glass_of(rng, colour, pip, strength, beneath, downward)
    return lambda facing: seen_through(walls, facing, sight, glass)


def _mean_light(canvas: Canvas, points_px: Points) -> NDArray[np.float64]:
    """Return the (3,) mean light of the canvas about some points; no light where they lie outside."""
    box = canvas.box(points_px)
    if box is None:
        return np.zeros(3)
    x0, y0, x1, y1 = box
    return np.asarray(canvas.light[y0:y1, x0:x1].mean((0, 1)), np.float64)


def _glints(canvas: Canvas, body_px: Points, rng: np.random.Generator, light: float) -> None:
    """Scatter the sparks that a transparent die's inner edges throw."""
    low, high = body_px.min(0), body_px.max(0)
    reach = float((high - low).max())
    for _ in range(int(rng.integers(0, 6))):
        spot = low + (high - low) * rng.uniform(0.12, 0.88, 2)
        length, turn = reach * rng.uniform(0.02, 0.12), rng.uniform(0, np.pi)
        way = np.array([np.cos(turn), np.sin(turn)]) * length
        thin = np.array([-way[1], way[0]]) * rng.uniform(0.1, 0.4)
        tone = np.array([0.5, 0.5, 0.9]) * rng.uniform(0.3, 1.6) * light
        canvas.fill(np.array([spot - way - thin, spot + way - thin, spot + way + thin, spot - way + thin]), tone, None)


def _mirror_lamps(canvas: Canvas, top_px: Points, size: int, rng: np.random.Generator) -> None:
    """Mirror lamps in the upper face at times, as spots, panels or stars, burnt out and with a bloom around them."""
    if rng.random() >= MIRRORS_LAMPS:
        return
    light = np.zeros((size, size), np.float32)
    for _ in range(int(rng.integers(1, 4))):
        middle = (int(rng.uniform(0, size)), int(rng.uniform(0, size)))
        reach = max(1, round(size * float(rng.uniform(0.02, 0.12))))
        match int(rng.integers(3)):
            case 0:
                cv2.circle(light, middle, reach, 1.0, -1, cv2.LINE_AA)
            case 1:
                box = (middle, (2 * reach, reach), float(rng.uniform(0, 180)))
                cv2.fillConvexPoly(light, cv2.boxPoints(box).astype(np.int32), 1.0, cv2.LINE_AA)
            case _:
                for turn in rng.uniform(0, np.pi) + np.arange(int(rng.integers(2, 5))) * np.pi / 4:
                    way = 2 * reach * np.array([np.cos(turn), np.sin(turn)])
                    ends = [tuple((np.array(middle) + sign * way).round().astype(int).tolist()) for sign in (-1, 1)]
                    cv2.line(light, ends[0], ends[1], 1.0, max(1, reach // 4), cv2.LINE_AA)
    bloom = cv2.GaussianBlur(light, (0, 0), max(size * float(rng.uniform(0.02, 0.1)), 0.5))
    shown = light * rng.uniform(0.3, 2.5) + bloom * rng.uniform(0.0, 0.8)
    canvas.add(np.repeat(shown[..., None], 3, 2).astype(np.float32), np.ones((size, size), np.float32), top_px)


def _ball() -> Points:
    return np.concatenate([at_height(circle(np.sqrt(1 - h * h), 8), h) for h in np.linspace(-1, 1, 5)])


def _face_cover(size: int, rounding: float) -> F32:
    """Return (size, size) coverage of a rounded square."""
    y, x = np.mgrid[0:size, 0:size].astype(np.float32)
    radius = max(rounding, 0.02) * size
    q = np.maximum(np.abs(np.stack([x, y]) + 0.5 - size / 2) - (size / 2 - radius), 0)
    return np.asarray(np.clip(radius - np.hypot(q[0], q[1]) + 0.5, 0, 1), np.float32)


def _edge_shade(size: int, rounding: float) -> F32:
    """Return (size, size, 1) darkening toward the rounded rim of a die's face."""
    y, x = np.mgrid[0:size, 0:size].astype(np.float32)
    rim = np.minimum(np.minimum(x, size - 1 - x), np.minimum(y, size - 1 - y)) / max(rounding * size, 1)
    return np.asarray((0.8 + 0.2 * np.clip(rim, 0, 1))[..., None], np.float32)

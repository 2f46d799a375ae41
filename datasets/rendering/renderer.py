"""Scene -> picture and labels.

A painter's renderer: everything is projected with the true camera, far and low things first, and each top face is a
lit texture laid on its projected corners. It is an approximation of light, made to be fast and varied, not exact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.labels.labels import DieLabel, OtherLabel, TileLabel
from datasets.rendering import props as prop_art
from datasets.rendering.canvas import Canvas
from datasets.rendering.glass import Wall, glass_of, seen_through
from datasets.rendering.path_traced import trace
from datasets.rendering.projected import project, rounded_outline
from datasets.rendering.sensor import expose
from datasets.rendering.textures import F32, FACES_OF_A_DIE, die_face, pips_of, tile_face
from datasets.scenes.scene import (
    TILE_HEIGHT_MM,
    TILE_LENGTH_MM,
    TILE_WIDTH_MM,
    Camera,
    DieObject,
    Lamp,
    Scene,
    TileObject,
)
from engine.game.tiles import Tile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from datasets.labels.labels import Label

Points = NDArray[np.float64]

CONTRAST_RING = 1.22
"""Where the body beside a pip is sampled, in pip radii; samples inside another pip are dropped."""
GREY = np.array([0.114, 0.587, 0.299], np.float32)
"""Shares of blue, green and red in a grey picture (ITU-R BT.601)."""
SIDE_LIGHT = 0.6
"""Light on an upright side, relative to a face that looks up."""


def scaled(camera: Camera, factor: float) -> Camera:
    """Return the same camera with `factor` times as many pixels across."""
    k = camera.k.copy()
    k[:2] *= factor
    k[:2, 2] += 0.5 * factor - 0.5
    return replace(camera, k=k, size=(round(camera.size[0] * factor), round(camera.size[1] * factor)))


def tile_frame(tile: TileObject) -> tuple[Points, Points]:
    """Return (3, 3) axes of a tile as columns and (3,) the centre of its body, table frame.

    Local x runs along the length to the larger half, local y across, local z up.
    """
    c, s = np.cos(tile.angle), np.sin(tile.angle)
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    roll, pitch = tile.lean
    cr, sr, cp, sp = np.cos(roll), np.sin(roll), np.cos(pitch), np.sin(pitch)
    lean = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]]) @ np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    axes = turn @ lean
    half = np.array([TILE_LENGTH_MM, TILE_WIDTH_MM, TILE_HEIGHT_MM]) / 2
    lowest = -np.abs(axes[2]) @ half
    return axes, np.array([tile.x_mm, tile.y_mm, tile.z_mm - lowest])


def local_lamps(lamps: Sequence[Lamp], angle: float) -> tuple[Lamp, ...]:
    """Turn lamp directions into the axes of a texture whose columns run at `angle` and rows to its right."""
    c, s = np.cos(angle), np.sin(angle)
    out = []
    for lamp in lamps:
        x, y, z = lamp.direction
        out.append(Lamp(np.array([c * x + s * y, s * x - c * y, z]), lamp.colour))
    return tuple(out)


class TextureCache:
    """Tile textures of one set under one light, kept by face and by eighth of a turn.

    The fan of light in the pips depends on how the tile lies to the lamps; eight directions are enough to learn from.
    """

    def __init__(self, scene: Scene, px_per_mm: float) -> None:
        self._scene = scene
        self._scale = px_per_mm
        self._made: dict[tuple[str | None, int], tuple[F32, F32]] = {}

    def get(self, face: str | None, angle: float) -> tuple[F32, F32]:
        """Return (light, (coverage, gloss)) of a face lying at `angle`."""
        eighth = round(angle / (np.pi / 4)) % 8
        key = (face, eighth)
        if key not in self._made:
            lamps = local_lamps(self._scene.lamps, eighth * np.pi / 4)
            self._made[key] = tile_face(face, self._scene.tile_set, lamps, self._scene.ambient, self._scale)
        return self._made[key]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A finished picture with its labels."""

    image: NDArray[np.uint8]
    """(h, w, 3) blue-green-red."""
    objects: tuple[Label, ...]
    """What lies in it: tiles, then dice, then the rest."""


def render(scene: Scene, rng: np.random.Generator, *, supersample: float = 1.5, traced: bool = False) -> Drawn:
    """Draw a scene.

    Args:
        scene: what lies on the table, and how it is seen.
        rng: for grain and noise only; what lies where is the scene's.
        supersample: pixels drawn per pixel of the result, along each axis.
        traced: whether the dice are path-traced and not painted, see `datasets.rendering.path_traced`; there are no
        tiles then.
    """
    supersample = 1.0 if traced else supersample
    camera = scaled(scene.camera, supersample)
    canvas = _painted(scene, camera)
    if traced:
        ground = _painted(replace(scene, dice=()), camera).light
        canvas.light = trace(scene, ground, np.random.default_rng((scene.seed, 2)))
    image = expose(canvas.light, scene.capture, rng, scene.camera.size)
    return Drawn(image, _label(scene, canvas, image, supersample))


def _painted(scene: Scene, camera: Camera) -> Canvas:
    """Paint a scene as a camera of another size sees it."""
    canvas = Canvas(camera.size)
    scale = px_per_mm(camera, scene)
    prop_art.ground(canvas, camera, scene, scale)
    shadows(canvas, camera, scene, scale)
    textures = TextureCache(scene, float(np.clip(scale * 1.1, 0.6, 8)))
    for depth, kind, index in drawing_order(scene):
        del depth
        if kind == "prop":
            prop_art.draw(canvas, camera, scene, scene.props[index], scale, -2 - index)
        elif kind == "tile":
            draw_tile(canvas, camera, scene, scene.tiles[index], index, textures)
        else:
            draw_die(canvas, camera, scene, scene.dice[index], len(scene.tiles) + index, scale)
    prop_art.overlay(canvas, camera, scene, scale)
    return canvas


def px_per_mm(camera: Camera, scene: Scene) -> float:
    """Return the scale at the middle of the tiles and dice (or of the table when there are none)."""
    places = [(t.x_mm, t.y_mm) for t in scene.tiles] + [(d.x_mm, d.y_mm) for d in scene.dice] or [(0.0, 0.0)]
    x, y = np.mean(places, axis=0)
    ends = project(camera, np.array([[x - 10, y, 0], [x + 10, y, 0], [x, y - 10, 0], [x, y + 10, 0]]))
    return float(max(np.linalg.norm(ends[1] - ends[0]), np.linalg.norm(ends[3] - ends[2])) / 20)


def drawing_order(scene: Scene) -> list[tuple[tuple[float, float], str, int]]:
    """Sort by height of the underside, then from far to near the lens's foot point."""
    foot = scene.camera.position_mm

    def key(x: float, y: float, z: float) -> tuple[float, float]:
        return (round(z, 1), -float(np.hypot(x - foot[0], y - foot[1])))

    out = [(key(p.x_mm, p.y_mm, p.z_mm), "prop", i) for i, p in enumerate(scene.props)]
    out += [(key(t.x_mm, t.y_mm, t.z_mm), "tile", i) for i, t in enumerate(scene.tiles)]
    out += [(key(d.x_mm, d.y_mm, d.z_mm - d.style.side_mm / 2), "die", i) for i, d in enumerate(scene.dice)]
    return sorted(out)


def _body_points(tile: TileObject, corner_mm: float, low: float = 0.0, high: float = 1.0) -> Points:
    """Return (32, 3) outline points of a slice of the tile's body, `low`..`high` of its thickness."""
    axes, centre = tile_frame(tile)
    flat = rounded_outline(TILE_LENGTH_MM, TILE_WIDTH_MM, corner_mm)
    levels = (np.array([low, high]) - 0.5) * TILE_HEIGHT_MM
    local = np.concatenate([np.column_stack([flat, np.full(len(flat), z)]) for z in levels])
    return np.asarray(local @ axes.T + centre)


def tile_top(tile: TileObject) -> Points:
    """Return (4, 3) corners of the upper face; 0-1 is the end of the larger half, clockwise seen from above."""
    axes, centre = tile_frame(tile)
    x, y, z = TILE_LENGTH_MM / 2, TILE_WIDTH_MM / 2, TILE_HEIGHT_MM / 2
    return np.asarray(np.array([[x, y, z], [x, -y, z], [-x, -y, z], [-x, y, z]]) @ axes.T + centre)


def draw_tile(
    canvas: Canvas,
    camera: Camera,
    scene: Scene,
    tile: TileObject,
    owner: int,
    textures: TextureCache,
) -> None:
    """Paint one tile: its sides, then the lit texture of its upper face."""
    style = scene.tile_set
    light = scene.ambient + SIDE_LIGHT * 0.5
    if tile.z_mm > 0:
        _shade_beneath(canvas, camera, scene, tile)
    below, above = (style.back, style.body) if tile.face_up else (style.body, style.back)
    canvas.fill(project(camera, _body_points(tile, style.corner_mm)), np.array(below) * light, owner)
    canvas.fill(project(camera, _body_points(tile, style.corner_mm, 0.45)), np.array(above) * light, owner)
    texture, mask = textures.get(tile.face if tile.face_up else None, tile.angle)
    # texture columns run from the larger half (left) to the smaller; its rows to the right of that direction
    corners = project(camera, tile_top(tile))
    quad = corners[[0, 3, 2, 1]]
    if tile.veil > 0:
        h, w = mask.shape[:2]
        along = np.linspace(1, 1 - tile.veil_fall[0], w, dtype=np.float32)[None, :]
        across = np.linspace(1, 1 - tile.veil_fall[1], h, dtype=np.float32)[:, None]
        texture = texture + (tile.veil * along * across * mask[..., 1])[..., None] * np.float32(1)
    canvas.lay(texture, mask[..., 0], quad, owner, gain=_slope_gain(scene, tile.x_mm, tile.y_mm))


CONTACT_MM = (4.0, 2.4, 1.0)
"""How far around a tile that lies on others these are darkened, each time a little more."""


def _shade_beneath(canvas: Canvas, camera: Camera, scene: Scene, tile: TileObject) -> None:
    """Darken the tiles that this one lies on: close around it, and where it stands in a lamp's light."""
    axes, centre = tile_frame(tile)
    corner = scene.tile_set.corner_mm
    shade = np.zeros(3)

    def spread(by_mm: float, away: Points) -> Points:
        flat = rounded_outline(TILE_LENGTH_MM + 2 * by_mm, TILE_WIDTH_MM + 2 * by_mm, corner + by_mm)
        underside = np.column_stack([flat, np.full(len(flat), -TILE_HEIGHT_MM / 2)]) @ axes.T + centre
        return project(camera, np.concatenate([underside, underside + away]))

    for reach in CONTACT_MM:
        canvas.fill(spread(reach, np.zeros(3)), shade, None, opacity=0.17)
    strength = scene.ambient + sum(float(np.mean(lamp.colour)) for lamp in scene.lamps)
    for lamp in scene.lamps:
        x, y, z = lamp.direction
        away = -np.array([x, y, 0.0]) / max(z, 0.2) * TILE_HEIGHT_MM
        canvas.fill(spread(0.0, away), shade, None, opacity=0.7 * float(np.mean(lamp.colour)) / strength)


def _slope_gain(scene: Scene, x_mm: float, y_mm: float) -> float:
    """Return the local strength of the light."""
    return float(np.clip(1 + (scene.light_slope[0] * x_mm + scene.light_slope[1] * y_mm) / 1000, 0.25, 2.5))


SHEEN, SHEEN_OF_GLASS = 0.6, 0.8
"""Share of dice, opaque and transparent, whose upper face mirrors no lamp."""


def die_corners(die: DieObject, normal: Sequence[float], column: Sequence[float], row: Sequence[float]) -> Points:
    """Return (4, 3) corners of one face: texture's top-left, top-right, bottom-right, bottom-left."""
    n, c, r = (np.array(v, np.float64) for v in (normal, column, row))
    if die.style.mirrored:
        n, c, r = (v * np.array([-1, 1, 1]) for v in (n, c, r))
    half = die.style.side_mm / 2
    local = half * np.array([n - c - r, n + c - r, n + c + r, n - c + r])
    return np.asarray(local @ die.r.T + np.array([die.x_mm, die.y_mm, die.z_mm]))


def draw_die(canvas: Canvas, camera: Camera, scene: Scene, die: DieObject, owner: int, scale: float) -> None:
    """Paint one die; through a glassy one its far faces show."""
    style = die.style
    inset = style.side_mm / 2 - style.round_mm
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)
    ball = _ball()
    hull = (signs[:, None, :] * inset + ball[None] * style.round_mm).reshape(-1, 3)
    middle = np.array([die.x_mm, die.y_mm, die.z_mm])
    body = project(camera, hull @ die.r.T + middle)
    gain = _slope_gain(scene, die.x_mm, die.y_mm)
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


def _through_glass(
    die: DieObject,
    pips: Sequence[F32],
    eye: Points,
    strength: float,
    beneath: NDArray[np.float64],
    rng: np.random.Generator,
) -> Callable[[int], F32]:
    """Return what tells the (size, size, 3) light that a face of a transparent die shows beside its own pips."""
    walls = [
        Wall(np.array(normal, np.float64), np.array(column, np.float64), np.array(row, np.float64), marks)
        for (_, _, normal, column, row), marks in zip(FACES_OF_A_DIE, pips, strict=True)
    ]
    way = np.array([die.x_mm, die.y_mm, die.z_mm]) - eye
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


_BALL_STEPS = 3


def _ball() -> Points:
    """Return points spread over a unit sphere."""
    angles = np.linspace(0, 2 * np.pi, 8, endpoint=False)
    heights = np.linspace(-1, 1, _BALL_STEPS + 2)
    return np.array(
        [[np.sqrt(1 - h * h) * np.cos(a), np.sqrt(1 - h * h) * np.sin(a), h] for h in heights for a in angles]
    )


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


def shadows(canvas: Canvas, camera: Camera, scene: Scene, scale: float) -> None:
    """Darken the ground beneath and beside everything that stands on it."""
    solids: list[tuple[Points, float]] = []
    for tile in scene.tiles:
        points = _body_points(tile, scene.tile_set.corner_mm)
        solids.append((points[:, :2], float(points[:, 2].max())))
    for die in scene.dice:
        half = die.style.side_mm / 2
        corners = np.array([[x, y, 0] for x in (-half, half) for y in (-half, half)]) @ die.r.T
        solids.append((corners[:, :2] + [die.x_mm, die.y_mm], die.style.side_mm))
    for prop in scene.props:
        outline = prop_art.footprint(prop)
        if outline is not None:
            solids.append((outline, prop.z_mm + prop.height_mm))
    contact = np.zeros(canvas.light.shape[:2], np.uint8)
    for outline, _ in solids:
        flat = project(camera, np.column_stack([outline, np.zeros(len(outline))]))
        canvas.stencil(contact, flat)
    blur = max(0.6, 2.0 * scale)
    canvas.darken(cv2.GaussianBlur(contact, (0, 0), blur), 0.55)
    for lamp in scene.lamps:
        mask = np.zeros_like(contact)
        for outline, height in solids:
            shift = -lamp.direction[:2] / max(lamp.direction[2], 0.2) * height
            swept = np.concatenate([outline, outline + shift])
            canvas.stencil(mask, project(camera, np.column_stack([swept, np.zeros(len(swept))])))
        share = float(np.mean(lamp.colour)) / (scene.ambient + sum(float(np.mean(la.colour)) for la in scene.lamps))
        canvas.darken(cv2.GaussianBlur(mask, (0, 0), max(0.6, 1.5 * scale)), 0.9 * share)


_GRID = np.stack(np.meshgrid(np.linspace(-0.46, 0.46, 19), np.linspace(-0.44, 0.44, 9)), -1).reshape(-1, 2)


def _visible(canvas: Canvas, points_px: Points, owner: int) -> float:
    """Return the share of canvas points that show `owner`."""
    at = np.rint(points_px).astype(int)
    h, w = canvas.owner.shape
    inside = (at[:, 0] >= 0) & (at[:, 0] < w) & (at[:, 1] >= 0) & (at[:, 1] < h)
    return float(np.sum(canvas.owner[at[inside, 1], at[inside, 0]] == owner) / len(at))


def _label(scene: Scene, canvas: Canvas, image: NDArray[np.uint8], supersample: float) -> tuple[Label, ...]:
    big = scaled(scene.camera, supersample)
    tiles = [label_tile(scene, canvas, tile, index, big, image) for index, tile in enumerate(scene.tiles)]
    dice = [label_die(scene, canvas, die, len(scene.tiles) + n, big) for n, die in enumerate(scene.dice)]
    others = [
        OtherLabel(kind=p.kind, data={"center_mm": [round(p.x_mm, 1), round(p.y_mm, 1)], "size_mm": list(p.size_mm)})
        for p in scene.props
        if p.kind not in prop_art.FLAT
    ]
    return (*tiles, *dice, *others)


def _inside(points_px: Points, camera: Camera) -> bool:
    w, h = camera.size
    return bool((points_px >= -0.5).all() and (points_px[:, 0] < w - 0.5).all() and (points_px[:, 1] < h - 0.5).all())


def _polygon(points_px: Points) -> tuple[tuple[float, float], ...]:
    return tuple((float(x), float(y)) for x, y in points_px)


def label_tile(
    scene: Scene, canvas: Canvas, tile: TileObject, owner: int, big: Camera, image: NDArray[np.uint8]
) -> TileLabel:
    """Return what is true of a tile; `big` is the camera at the canvas's own size, `image` the finished picture."""
    axes, centre = tile_frame(tile)
    grid = np.column_stack([_GRID * [TILE_LENGTH_MM, TILE_WIDTH_MM], np.full(len(_GRID), TILE_HEIGHT_MM / 2)])
    corners = project(scene.camera, tile_top(tile))
    top = centre + axes[:, 2] * TILE_HEIGHT_MM / 2
    face = Tile.parse(tile.face)
    in_grey, in_colour = _pip_contrast(scene, tile, axes, centre, image) if tile.face_up else (None, None)
    return TileLabel(
        face=face if tile.face_up else None,
        face_up=tile.face_up,
        polygon=_polygon(corners),
        visible=_visible(canvas, project(big, grid @ axes.T + centre), owner),
        pip_contrast_min=in_grey,
        pip_colour_contrast_min=in_colour,
        px_per_mm=float(np.linalg.norm(corners[1] - corners[2])) / TILE_LENGTH_MM,
        in_frame=_inside(corners, scene.camera),
        place=tile.place,
        hand=tile.hand,
        angle_deg=float(np.degrees(tile.angle)) % (360 if tile.face_up else 180),
        first_half=tile.face[0] if tile.face_up else None,
        center_mm=(float(top[0]), float(top[1])),
        z_mm=tile.z_mm,
        top_center_z_mm=float(top[2]),
        tilt_deg=float(np.degrees(np.hypot(*tile.lean))) if any(tile.lean) else None,
        leaning=any(tile.lean),
        hidden_face=None if tile.face_up else face,
    )


def label_die(scene: Scene, canvas: Canvas, die: DieObject, owner: int, big: Camera) -> DieLabel:
    """Return what is true of a die; `big` is the camera at the canvas's own size."""
    faces = [die_corners(die, n, c, r) for _, _, n, c, r in FACES_OF_A_DIE]
    top = max(faces, key=lambda corners: float(corners.mean(0)[2]))
    u = np.linspace(-0.44, 0.44, 9) + 0.5
    a, b = (g.reshape(-1, 1) for g in np.meshgrid(u, u))
    grid = top[0] + a * (top[1] - top[0]) + b * (top[3] - top[0])
    polygon = project(scene.camera, top)
    if cv2.contourArea(polygon.astype(np.float32), oriented=True) < 0:
        polygon = polygon[::-1]
    body = project(scene.camera, np.concatenate(faces))
    low, high = body.min(0), body.max(0)
    return DieLabel(
        value=die.value,
        polygon=_polygon(polygon),
        cocked=die.cocked,
        role=die.role,
        colour=die.style.name,
        material="opaque" if die.style.opaque else "transparent",
        body=(float(low[0]), float(low[1]), float(high[0]), float(high[1])),
        visible=_visible(canvas, project(big, grid), owner),
        tilt_deg=die.tilt_deg,
        size_mm=die.style.side_mm,
        center_mm=(die.x_mm, die.y_mm),
        z_mm=die.z_mm,
    )


def _pip_contrast(
    scene: Scene, tile: TileObject, axes: Points, centre: Points, image: NDArray[np.uint8]
) -> tuple[float, float]:
    """Return the faintest pip's RMS difference from the body around it, 0..255: in grey, and over the three colours."""
    pips = pips_of(tile.face, scene.tile_set)
    where = np.array([[(0.5 - p.u) * TILE_LENGTH_MM, (0.5 - p.v) * TILE_WIDTH_MM] for p in pips])
    radius = np.array([p.diameter for p in pips]) * TILE_WIDTH_MM / 2
    turn = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    ring = np.stack([np.cos(turn), np.sin(turn)], 1)
    disc = np.concatenate([ring[::2] * 0.55, np.zeros((1, 2))])
    inner = where[:, None] + disc[None] * radius[:, None, None]
    outer = where[:, None] + ring[None] * radius[:, None, None] * CONTRAST_RING
    crowded = (np.linalg.norm(outer[:, :, None] - where[None, None], axis=3) < radius * 1.1).any(2)
    values = []
    for points in (inner, outer):
        flat = points.reshape(-1, 2)
        local = np.column_stack([flat, np.full(len(flat), TILE_HEIGHT_MM / 2)])
        at = project(scene.camera, local @ axes.T + centre).astype(np.float32)
        sampled = cv2.remap(image, at[:, 0], at[:, 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        values.append(np.asarray(sampled, np.float32).reshape(*points.shape[:2], 3))
    inside, around = values
    weight = np.where(crowded, 0.0, 1.0)[..., None]
    level = (around * weight).sum(1) / np.maximum(weight.sum(1), 1)
    off = inside - level[:, None]
    in_grey, in_colour = ((off @ GREY) ** 2).mean(1), (off**2).mean((1, 2))
    return float(np.sqrt(in_grey.min())), float(np.sqrt(in_colour.min()))

"""Render any moment of a session incrementally: unchanged parts of the last picture are reused.

The table without what moves is drawn once for each pose of the camera; where something moved, a window of the last
picture is redrawn. Light, focus, a covered lens and noise come over the finished picture.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, TypeGuard

import cv2
import numpy as np

from datasets.rendering.canvas import Canvas
from datasets.rendering.ground import draw_ground
from datasets.rendering.picture_labels import label_objects, label_picture
from datasets.rendering.projected import project
from datasets.rendering.props.arms import limbs
from datasets.rendering.renderer import draw_objects, textures
from datasets.rendering.sensor import F32, bloom, expose, vignette
from datasets.scenes.scene import TILE_HEIGHT_MM, TILE_LENGTH_MM, CameraModel, DieObject, Prop, TileObject
from datasets.simulator.view_effects import NOISE_ROOM, Pixels, apply_view, cover_mask, noise_sheet

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from datasets.labels.labels import PictureLabels
    from datasets.simulator.script import Script
    from datasets.simulator.timeline import Instant

Window = tuple[int, int, int, int]
"""x0, y0, x1, y1 of a window, pixels."""
BLOCK: Final = 16
"""Windows start and end at blocks of this size, as JPEG's do, so that a window is compressed as the whole would be."""
Mark = tuple[str, int]
"""A kind (``tile``, ``die``, ``prop``) and its number."""
Thing = TileObject | DieObject | Prop

PROP: Final = -1000
"""Who owns what is seen of anything but ground, tiles, dice and markers."""
_AROUND_PX: Final = 16
"""How far blur, sharpening and shake reach."""
_HAND_AROUND_MM: Final = 34.0
"""How far the soft shadow of a hand reaches."""
_SHADOW: Final = 1.45
"""The longest shadow, in heights: no lamp hangs lower than 35 degrees."""


@dataclass(eq=False, slots=True)
class _Ground:
    """The table without what moves: light before the lens, veiling glare to add, vignette, picture without noise."""

    camera: CameraModel
    light: F32
    owner: NDArray[np.int16]
    halo: F32 | None
    shade: F32
    picture: Pixels


@dataclass(frozen=True, eq=False, slots=True)
class SimulatedPicture:
    """One moment as the camera sees it.

    Attributes:
        image: (h, w, 3) uint8, blue-green-red.
        owner: (h, w) int16: number of the tile seen there, 32 and up for dice, negative for all else.
    """

    now: Instant
    image: Pixels
    owner: NDArray[np.int16]


@dataclass(slots=True)
class _State:
    """What the last picture showed, without noise, and the window that each thing and its shadow take up."""

    ground: _Ground
    picture: Pixels
    owner: NDArray[np.int16]
    things: dict[Mark, Thing] = field(default_factory=dict)
    boxes: dict[Mark, Window] = field(default_factory=dict)


class Renderer:
    """Draws a session, best in order of time; without the sensor's noise for a film that is to be small."""

    def __init__(self, script: Script, *, noise: bool = True) -> None:
        self._script = script
        self._noise_shown = noise
        self._size = script.setup.bare.camera.size
        self._rng = np.random.default_rng((script.seed, 21, 0))
        self._scene = script.setup.scene("round", (), (), script.still)
        self._scale = _scale(script.setup.bare.camera)
        self._textures = textures(self._scene, self._scale)
        self._capture = replace(script.setup.bare.capture, vignette=0.0, bloom=0.0, shot_noise=0.0, read_noise=0.0)
        self._noise = noise_sheet(self._rng, self._size, script.setup.bare.capture)
        self._grounds: dict[bytes, _Ground] = {}
        self._state: _State | None = None

    def draw(self, now: Instant) -> SimulatedPicture:
        return self.expose([now])

    def expose(self, moments: Sequence[Instant]) -> SimulatedPicture:
        """Draw one picture of several moments with equal shares of its exposure, so that what moves is blurred.

        View and owners are those of the last moment.
        """
        now = moments[0]
        state = self._updated(now)
        mean = state.picture.copy() if len(moments) > 1 else state.picture
        for number, now in enumerate(moments[1:], 2):
            state = self._updated(now)
            cv2.addWeighted(mean, 1 - 1 / number, state.picture, 1 / number, 0, dst=mean)
        image = apply_view(mean, now.view, self._script.setup.bare.capture)
        owner = state.owner
        if now.view.cover is not None:
            owner = np.where(cover_mask(now.view.cover, image.shape[1::-1]) > 0.5, np.int16(-1), owner)
        return SimulatedPicture(now, self._noisy(image), owner)

    def ground(self) -> Pixels:
        """Draw the table without tiles, dice, cup and hands, (h, w, 3) uint8."""
        return self._noisy(self._ground(self._script.setup.bare.camera).picture)

    def _noisy(self, image: Pixels) -> Pixels:
        if not self._noise_shown:
            return image.copy()
        y, x = self._rng.integers(0, NOISE_ROOM, 2)
        h, w = image.shape[:2]
        return np.asarray(cv2.add(image, self._noise[y : y + h, x : x + w], dtype=cv2.CV_8U), np.uint8)

    def labels(self, picture: SimulatedPicture, name: str) -> PictureLabels:
        """Label the picture drawn last."""
        now = picture.now
        scene = self._script.scene(now)
        objects = label_objects(scene, picture.owner, picture.image, scene.camera)
        spec = {"seed": [self._script.seed], "t_s": round(now.t_s, 4), "moving": sorted(now.moving)}
        return label_picture(name, scene, objects, spec)

    # What changed

    def _updated(self, now: Instant) -> _State:
        ground = self._ground(now.view.camera)
        state = self._state
        if state is None or state.ground is not ground:
            state = self._state = _State(ground, ground.picture.copy(), ground.owner.copy())
        else:
            # The last picture's owners were handed out.
            state.owner = state.owner.copy()
        things = _things(now)
        dirty: list[Window] = []
        boxes: dict[Mark, Window] = {}
        for thing, value in things.items():
            if state.things.get(thing) == value:
                boxes[thing] = state.boxes[thing]
                continue
            if thing in state.boxes:
                dirty += self._parts(state.things[thing], state.boxes[thing], ground.camera)
            boxes[thing] = self._box(value, ground.camera)
            dirty += self._parts(value, boxes[thing], ground.camera)
        for thing, box in state.boxes.items():
            if thing not in things:
                dirty += self._parts(state.things[thing], box, ground.camera)
        state.things, state.boxes = things, boxes
        for window in _merged([_grown(box, 4, self._size) for box in dirty if _is_inside(box, self._size)]):
            self._redraw(state, now, window)
        return state

    def _parts(self, thing: Thing, box: Window, camera: CameraModel) -> list[Window]:
        """The windows that a thing touches: for an arm, which lies askew, one for each piece of it."""
        if not _is_hand(thing):
            return [box]
        return [
            self._around(points, width / 2 + _HAND_AROUND_MM, thing.z_mm + thing.height_mm, camera)
            for points, width in _pieces(thing)
        ]

    def _box(self, thing: Thing, camera: CameraModel) -> Window:
        """The window that a thing and its shadow take up."""
        if _is_hand(thing):
            return _union(self._parts(thing, (0, 0, 0, 0), camera))
        x, y, top, reach = _extent(thing)
        return self._around(np.array([[x, y]]), reach + _SHADOW * top, top, camera)

    def _around(self, points: NDArray[np.float64], reach_mm: float, top_mm: float, camera: CameraModel) -> Window:
        low, high = points.min(0) - reach_mm, points.max(0) + reach_mm
        corners = [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (0.0, top_mm)]
        px = project(camera, np.array(corners))
        (x0, y0), (x1, y1) = np.floor(px.min(0)), np.ceil(px.max(0))
        return int(x0), int(y0), int(x1) + 1, int(y1) + 1

    # Drawing

    def _ground(self, camera: CameraModel) -> _Ground:
        key = camera.r.tobytes() + camera.t.tobytes()
        if key not in self._grounds:
            if len(self._grounds) > 1:
                # Where the camera hangs for good stays; other places do not come back.
                self._grounds = dict(list(self._grounds.items())[:1])
            self._grounds[key] = self._draw_ground(camera)
        return self._grounds[key]

    def _draw_ground(self, camera: CameraModel) -> _Ground:
        scene = replace(self._scene, camera=camera)
        canvas = Canvas(self._size)
        draw_ground(canvas, camera, scene, self._scale)
        still = range(-2, -2 - len(scene.props), -1)
        draw_objects(canvas, camera, scene, self._scale, self._textures, {"prop": still})
        usual = self._script.setup.bare.capture
        shade = np.ascontiguousarray(vignette(self._size, usual.vignette)[..., 0])
        halo = None
        light = canvas.light
        if usual.bloom > 0:
            halo = np.asarray(bloom(light, usual.bloom) - light * np.float32(1 - usual.bloom), np.float32)
        ground = _Ground(camera, light, canvas.owner, halo, shade, np.zeros((*light.shape[:2], 3), np.uint8))
        ground.picture = self._exposed(ground, light, (0, 0, *self._size))
        return ground

    def _exposed(self, ground: _Ground, light: F32, window: Window) -> Pixels:
        """What lens, sensor and camera make of the light in a window."""
        x0, y0, x1, y1 = window
        if ground.halo is not None:
            light = light * np.float32(1 - self._script.setup.bare.capture.bloom) + ground.halo[y0:y1, x0:x1]
        shade = ground.shade[y0:y1, x0:x1]
        shaded = np.asarray(cv2.multiply(light, cv2.merge([shade, shade, shade])), np.float32)
        return expose(shaded, self._capture, self._rng, (x1 - x0, y1 - y0))

    def _redraw(self, state: _State, now: Instant, window: Window) -> None:
        """Redraw a window of the picture, with a margin so that its edges are right."""
        ground = state.ground
        near = any(_is_hand(state.things[thing]) and _overlap(box, window) for thing, box in state.boxes.items())
        margin = _AROUND_PX + (int(_HAND_AROUND_MM * self._scale) if near else 0)
        outer = _whole_blocks(_grown(window, margin, self._size), self._size)
        x0, y0, x1, y1 = outer
        canvas = Canvas((1, 1))
        canvas.light = ground.light[y0:y1, x0:x1].copy()
        canvas.owner = ground.owner[y0:y1, x0:x1].copy()
        things = [thing for thing, box in state.boxes.items() if _overlap(box, outer)]
        self._paint(canvas, _windowed(ground.camera, outer), now, things)
        shown = self._exposed(ground, canvas.light, outer)
        a0, b0, a1, b1 = window
        core = np.s_[b0 - y0 : b1 - y0, a0 - x0 : a1 - x0]
        state.picture[b0:b1, a0:a1] = shown[core]
        state.owner[b0:b1, a0:a1] = canvas.owner[core]

    def _paint(self, canvas: Canvas, camera: CameraModel, now: Instant, inside: Sequence[Mark]) -> None:
        tiles, dice, props = ([n for kind, n in inside if kind == each] for each in ("tile", "die", "prop"))
        scene = replace(
            self._scene,
            camera=camera,
            tiles=tuple(now.tiles[n] for n in tiles),
            dice=tuple(now.dice[n] for n in dice),
            props=tuple(now.props[n] for n in props),
        )
        # Of a marker the labels say how much of it is seen, by its number among all props of the scene.
        first = -2 - len(self._scene.props)
        owned = [first - n if now.props[n].means else PROP for n in props]
        owners = {"prop": owned, "tile": tiles, "die": [len(now.tiles) + n for n in dice]}
        draw_objects(canvas, camera, scene, self._scale, self._textures, owners)


def empty_table(made: Script, *, noise: bool = True) -> Pixels:
    """The picture a technician takes at calibration: no tile, die, hand or chip; only the float."""
    still = tuple(prop for prop in made.still if prop.kind == "float")
    return Renderer(replace(made, still=still), noise=noise).ground()


def _things(now: Instant) -> dict[Mark, Thing]:
    kinds: dict[str, tuple[Thing, ...]] = {"tile": now.tiles, "die": now.dice, "prop": now.props}
    return {(kind, n): thing for kind, things in kinds.items() for n, thing in enumerate(things)}


def _extent(thing: Thing) -> tuple[float, float, float, float]:
    """Middle of a thing, its top, and how far it reaches from its middle, mm."""
    if isinstance(thing, DieObject):
        return thing.x_mm, thing.y_mm, thing.z_mm + thing.style.side_mm, thing.style.side_mm
    if isinstance(thing, TileObject):
        tall = TILE_HEIGHT_MM if thing.lean == (0.0, 0.0) else 28.0
        return thing.x_mm, thing.y_mm, thing.z_mm + tall, TILE_LENGTH_MM * 0.55
    return thing.x_mm, thing.y_mm, thing.z_mm + thing.height_mm, thing.size_mm[0] / 2 + 2


def _is_hand(thing: Thing) -> TypeGuard[Prop]:
    return isinstance(thing, Prop) and thing.kind == "arm"


def _pieces(prop: Prop) -> Iterable[tuple[NDArray[np.float64], float]]:
    """An arm in pieces short enough that a window around each is mostly arm: points (n, 2) and width, mm."""
    built = limbs(prop)
    fingers = np.array([end for a, b, _ in (built.skin[0], *built.skin[2:]) for end in (a, b)])
    yield fingers, 72.0
    for a, b, width in (built.skin[1], built.sleeve):
        count = max(1, int(np.ceil(float(np.linalg.norm(b - a)) / 140)))
        for k in range(count):
            yield np.array([a + (b - a) * k / count, a + (b - a) * (k + 1) / count]), width


def _scale(camera: CameraModel) -> float:
    """Pixels a millimetre in the middle of the table."""
    ends = project(camera, np.array([[-10.0, 0, 0], [10.0, 0, 0]]))
    return float(np.linalg.norm(ends[1] - ends[0])) / 20


def _windowed(camera: CameraModel, window: Window) -> CameraModel:
    """The same camera restricted to a window."""
    k = camera.k.copy()
    k[0, 2] -= window[0]
    k[1, 2] -= window[1]
    return replace(camera, k=k, size=(window[2] - window[0], window[3] - window[1]))


def _grown(box: Window, by: int, size: tuple[int, int]) -> Window:
    """Grow a window by some pixels on each side, within the picture."""
    return max(0, box[0] - by), max(0, box[1] - by), min(size[0], box[2] + by), min(size[1], box[3] + by)


def _whole_blocks(box: Window, size: tuple[int, int]) -> Window:
    x0, y0 = box[0] // BLOCK * BLOCK, box[1] // BLOCK * BLOCK
    return x0, y0, min(size[0], -(-box[2] // BLOCK) * BLOCK), min(size[1], -(-box[3] // BLOCK) * BLOCK)


def _is_inside(box: Window, size: tuple[int, int]) -> bool:
    return box[0] < size[0] and box[1] < size[1] and box[2] > 0 and box[3] > 0


def _overlap(one: Window, other: Window) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _union(boxes: Iterable[Window]) -> Window:
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def _area(box: Window) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])


def _merged(boxes: list[Window]) -> list[Window]:
    """Merge windows: two become one where that draws hardly more pixels, overlaps counted twice."""
    left = list(boxes)
    done: list[Window] = []
    while left:
        box = left.pop()
        for k, other in enumerate(left):
            both = _union((box, other))
            # Drawing a window costs about as much as 60 x 60 pixels more of it.
            if _area(both) <= _area(box) + _area(other) + 3600:
                left[k] = both
                break
        else:
            done.append(box)
    return done

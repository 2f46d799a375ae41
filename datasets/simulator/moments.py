"""Any moment of a session -> picture and labels, fast: what has not changed since the last picture is not drawn again.

The felt with its print, float and chips is drawn once for each place of the camera. A picture begins as the last one;
where something moved, a window of it is drawn anew with the very functions of ``datasets.rendering.renderer``, through
the same lens and the same sensor. Light, focus and a covered lens come over the finished picture, and every picture has
its own noise.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.labels.labels import OtherLabel, PictureLabels
from datasets.rendering import props as prop_art
from datasets.rendering.canvas import Canvas
from datasets.rendering.projected import project
from datasets.rendering.renderer import TextureCache, draw_die, draw_tile, drawing_order, label_die, label_tile, shadows
from datasets.rendering.sensor import bloom, expose, vignette
from datasets.scenes.scene import TILE_HEIGHT_MM, TILE_LENGTH_MM
from datasets.simulator.script import camera_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from datasets.labels.labels import Label
    from datasets.scenes.scene import Camera, Capture, DieObject, Prop, TileObject
    from datasets.simulator.script import Script
    from datasets.simulator.timeline import Instant, View

F32 = NDArray[np.float32]
Pixels = NDArray[np.uint8]
Box = tuple[int, int, int, int]
"""x0, y0, x1, y1 of a window, pixels."""
Thing = tuple[str, int]
"""A kind (``tile``, ``die``, ``prop``) and its number."""

PROP: Final = -2
"""Who owns what is seen of anything but ground, tiles and dice."""
BLOCK: Final = 16
"""Windows begin and end at blocks of this size, as JPEG's do, so that a window is compressed as the whole would be."""
_AROUND_PX: Final = 16
"""How far blur, sharpening and shake reach."""
_HAND_AROUND_MM: Final = 34.0
"""How far the soft shadow of a hand reaches."""
_SHADOW: Final = 1.45
"""The longest shadow, in heights: no lamp hangs lower than 35 degrees."""
_NOISE_ROOM: Final = 96
_MID_LIGHT: Final = 0.15
_REFERENCE_WIDTH: Final = 2304


@dataclass(eq=False, slots=True)
class _Ground:
    """The table without anything that moves, seen from one place.

    Attributes:
        camera: the place.
        light: (h, w, 3) linear, before the lens.
        owner: (h, w) -1 the ground, ``PROP`` what stands on it for good.
        halo: (h, w, 3) veiling glare to add; None for none.
        shade: (h, w) what lens and exposure leave of the light.
        picture: (h, w, 3) uint8, without noise.
    """

    camera: Camera
    light: F32
    owner: NDArray[np.int16]
    halo: F32 | None
    shade: F32
    picture: Pixels


@dataclass(frozen=True, eq=False, slots=True)
class Picture:
    """One moment as the camera sees it.

    Attributes:
        now: the moment.
        image: (h, w, 3) uint8, blue-green-red.
        owner: (h, w) int16: number of the tile seen there, 32 and up for dice, negative for all else.
    """

    now: Instant
    image: Pixels
    owner: NDArray[np.int16]


@dataclass(slots=True)
class _State:
    """What the last picture showed.

    Attributes:
        ground: on what.
        picture: (h, w, 3) uint8, without noise.
        owner: (h, w) int16.
        things: all that lay on it.
        boxes: the window that each thing and its shadow take up.
    """

    ground: _Ground
    picture: Pixels
    owner: NDArray[np.int16]
    things: dict[Thing, object] = field(default_factory=dict)
    boxes: dict[Thing, Box] = field(default_factory=dict)


class Renderer:
    """Draws a session, best in order of time.

    Args:
        script: the session.
        seed: of the noise.
    """

    def __init__(self, script: Script, seed: int = 0) -> None:
        self._script = script
        self._size = script.setup.camera.size
        self._rng = np.random.default_rng((script.seed, 21, seed))
        self._scene = script.setup.scene("round", (), (), script.still)
        self._scale = _scale(script.setup.camera)
        self._textures = TextureCache(self._scene, float(np.clip(self._scale * 1.1, 0.6, 8)))
        self._capture = replace(script.setup.capture, vignette=0.0, bloom=0.0, shot_noise=0.0, read_noise=0.0)
        self._noise = _noise_sheet(self._rng, self._size, script.setup.capture)
        self._grounds: dict[bytes, _Ground] = {}
        self._state: _State | None = None

    def draw(self, now: Instant) -> Picture:
        """Draw a moment."""
        state = self._updated(now)
        image = _seen_through(state.picture, now.view, self._script.setup.capture)
        owner = state.owner
        if now.view.cover is not None:
            owner = np.where(_cover_mask(now.view.cover, image.shape[1::-1]) > 0.5, np.int16(-1), owner)
        return Picture(now, self._noisy(image), owner)

    def ground(self) -> Pixels:
        """The table without tiles, dice, cup and hands, (h, w, 3) uint8."""
        return self._noisy(self._ground(self._script.setup.camera).picture)

    def _noisy(self, image: Pixels) -> Pixels:
        y, x = self._rng.integers(0, _NOISE_ROOM, 2)
        h, w = image.shape[:2]
        return np.asarray(cv2.add(image, self._noise[y : y + h, x : x + w], dtype=cv2.CV_8U), np.uint8)

    def labels(self, picture: Picture, name: str) -> PictureLabels:
        """What lies in a picture, by the format of ``datasets.labels.labels``; to be asked before the next is drawn."""
        now = picture.now
        scene = self._script.scene(now)
        camera = now.view.camera
        canvas = Canvas((1, 1))
        canvas.owner = picture.owner
        objects: list[Label] = [
            label_tile(scene, canvas, tile, n, camera, picture.image) for n, tile in enumerate(scene.tiles)
        ]
        objects += [label_die(scene, canvas, die, 32 + n, camera) for n, die in enumerate(scene.dice)]
        objects += [
            OtherLabel(p.kind, {"center_mm": [round(p.x_mm, 1), round(p.y_mm, 1)], "size_mm": list(p.size_mm)})
            for p in (*self._script.still, *now.props)
        ]
        return PictureLabels(
            image=name,
            size=self._size,
            kind=scene.kind,
            objects=tuple(objects),
            camera=camera_json(camera),
            layout=scene.layout,
            dealer_side=scene.dealer_side,
            tileset={"style": scene.tile_set.maker.style},
            spec={"seed": [self._script.seed], "t_s": round(now.t_s, 4), "moving": sorted(now.moving)},
        )

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
        dirty: list[Box] = []
        boxes: dict[Thing, Box] = {}
        for thing, value in things.items():
            if state.things.get(thing) is value or state.things.get(thing) == value:
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
        for window in _merged([_grown(box, 4, self._size) for box in dirty if _any(box, self._size)]):
            self._redraw(state, now, window)
        return state

    def _parts(self, thing: object, box: Box, camera: Camera) -> list[Box]:
        """The windows that a thing touches: for an arm, which lies askew, one for each piece of it."""
        if not _is_hand(thing):
            return [box]
        prop: Prop = thing  # type: ignore[assignment]
        return [
            self._around(points, width / 2 + _HAND_AROUND_MM, prop.z_mm + prop.height_mm, camera)
            for points, width in _pieces(prop)
        ]

    def _box(self, thing: object, camera: Camera) -> Box:
        """The window that a thing and its shadow take up."""
        if _is_hand(thing):
            prop: Prop = thing  # type: ignore[assignment]
            return _union(self._parts(prop, (0, 0, 0, 0), camera))
        x, y, top, reach = _extent(thing)
        return self._around(np.array([[x, y]]), reach + _SHADOW * top, top, camera)

    def _around(self, points: NDArray[np.float64], reach_mm: float, top_mm: float, camera: Camera) -> Box:
        low, high = points.min(0) - reach_mm, points.max(0) + reach_mm
        corners = [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (0.0, top_mm)]
        px = project(camera, np.array(corners))
        (x0, y0), (x1, y1) = np.floor(px.min(0)), np.ceil(px.max(0))
        return int(x0), int(y0), int(x1) + 1, int(y1) + 1

    # Drawing

    def _ground(self, camera: Camera) -> _Ground:
        key = camera.r.tobytes() + camera.t.tobytes()
        if key not in self._grounds:
            if len(self._grounds) > 1:
                # Where the camera hangs for good stays; other places do not come back.
                self._grounds = dict(list(self._grounds.items())[:1])
            self._grounds[key] = self._draw_ground(camera)
        return self._grounds[key]

    def _draw_ground(self, camera: Camera) -> _Ground:
        scene = replace(self._scene, camera=camera)
        canvas = Canvas(self._size)
        prop_art.ground(canvas, camera, scene, self._scale)
        shadows(canvas, camera, scene, self._scale)
        for _, _, index in drawing_order(scene):
            prop_art.draw(canvas, camera, scene, scene.props[index], self._scale, PROP)
        usual = self._script.setup.capture
        shade = np.ascontiguousarray(vignette(self._size, usual.vignette)[..., 0])
        halo = None
        light = canvas.light
        if usual.bloom > 0:
            halo = np.asarray(bloom(light, usual.bloom) - light * np.float32(1 - usual.bloom), np.float32)
        ground = _Ground(camera, light, canvas.owner, halo, shade, np.zeros((*light.shape[:2], 3), np.uint8))
        ground.picture = self._exposed(ground, light, (0, 0, *self._size))
        return ground

    def _exposed(self, ground: _Ground, light: F32, window: Box) -> Pixels:
        """What lens, sensor and camera make of the light in a window."""
        x0, y0, x1, y1 = window
        if ground.halo is not None:
            light = light * np.float32(1 - self._script.setup.capture.bloom) + ground.halo[y0:y1, x0:x1]
        shade = ground.shade[y0:y1, x0:x1]
        shaded = np.asarray(cv2.multiply(light, cv2.merge([shade, shade, shade])), np.float32)
        return expose(shaded, self._capture, self._rng, (x1 - x0, y1 - y0))

    def _redraw(self, state: _State, now: Instant, window: Box) -> None:
        """Draw a window of the picture anew, with enough around it that its edges are right."""
        ground = state.ground
        near = any(_is_hand(state.things[thing]) and _meet(box, window) for thing, box in state.boxes.items())
        margin = _AROUND_PX + (int(_HAND_AROUND_MM * self._scale) if near else 0)
        outer = _blocks(_grown(window, margin, self._size), self._size)
        x0, y0, x1, y1 = outer
        canvas = Canvas((1, 1))
        canvas.light = ground.light[y0:y1, x0:x1].copy()
        canvas.owner = ground.owner[y0:y1, x0:x1].copy()
        inside = [thing for thing, box in state.boxes.items() if _meet(box, outer)]
        self._paint(canvas, _windowed(ground.camera, outer), now, inside)
        shown = self._exposed(ground, canvas.light, outer)
        a0, b0, a1, b1 = window
        core = np.s_[b0 - y0 : b1 - y0, a0 - x0 : a1 - x0]
        state.picture[b0:b1, a0:a1] = shown[core]
        state.owner[b0:b1, a0:a1] = canvas.owner[core]

    def _paint(self, canvas: Canvas, camera: Camera, now: Instant, inside: Iterable[Thing]) -> None:
        """Paint the things that reach into a window, as ``datasets.rendering.renderer.render`` does."""
        numbers: dict[str, list[int]] = {"tile": [], "die": [], "prop": []}
        for kind, number in inside:
            numbers[kind].append(number)
        props = now.props
        scene = replace(
            self._scene,
            camera=camera,
            tiles=tuple(now.tiles[n] for n in numbers["tile"]),
            dice=tuple(now.dice[n] for n in numbers["die"]),
            props=tuple(props[n] for n in numbers["prop"] if n < len(props)),
        )
        shadows(canvas, camera, scene, self._scale)
        for _, kind, index in drawing_order(scene):
            if kind == "prop":
                prop_art.draw(canvas, camera, scene, scene.props[index], self._scale, PROP)
            elif kind == "tile":
                draw_tile(canvas, camera, scene, scene.tiles[index], numbers["tile"][index], self._textures)
            else:
                draw_die(canvas, camera, scene, scene.dice[index], 32 + numbers["die"][index], self._scale)


def empty_table(made: Script) -> Pixels:
    """What a technician photographs at calibration: no tile, die, hand or chip; the float stands."""
    return Renderer(replace(made, still=tuple(prop for prop in made.still if prop.kind == "float"))).ground()


def _things(now: Instant) -> dict[Thing, object]:
    things: dict[Thing, object] = {("tile", n): tile for n, tile in enumerate(now.tiles)}
    things.update((("die", n), _Same(die)) for n, die in enumerate(now.dice))
    things.update((("prop", n), prop) for n, prop in enumerate(now.props))
    return things


@dataclass(frozen=True, eq=False, slots=True)
class _Same:
    """A die that can be told from another: its turn is an array, which has no equality of its own."""

    die: DieObject

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Same):
            return NotImplemented
        a, b = self.die, other.die
        return (a.x_mm, a.y_mm, a.z_mm) == (b.x_mm, b.y_mm, b.z_mm) and a.r is b.r

    def __hash__(self) -> int:
        return hash((self.die.x_mm, self.die.y_mm, self.die.z_mm))


def _extent(thing: object) -> tuple[float, float, float, float]:
    """Middle of a thing, its top, and how far it reaches from its middle, mm."""
    if isinstance(thing, _Same):
        return thing.die.x_mm, thing.die.y_mm, thing.die.z_mm + thing.die.style.side_mm, thing.die.style.side_mm
    if hasattr(thing, "face"):
        tile: TileObject = thing  # type: ignore[assignment]
        tall = TILE_HEIGHT_MM if tile.lean == (0.0, 0.0) else 28.0
        return tile.x_mm, tile.y_mm, tile.z_mm + tall, TILE_LENGTH_MM * 0.55
    prop: Prop = thing  # type: ignore[assignment]
    return prop.x_mm, prop.y_mm, prop.z_mm + prop.height_mm, prop.size_mm[0] / 2 + 2


def _is_hand(thing: object) -> bool:
    return getattr(thing, "kind", "") == "arm"


def _pieces(prop: Prop) -> Iterable[tuple[NDArray[np.float64], float]]:
    """An arm in pieces short enough that a window around each is mostly arm: points (n, 2) and width, mm."""
    built = prop_art.limbs(prop)
    fingers = np.array([end for a, b, _ in (built.skin[0], *built.skin[2:]) for end in (a, b)])
    yield fingers, 72.0
    for a, b, width in (built.skin[1], built.sleeve):
        count = max(1, int(np.ceil(float(np.linalg.norm(b - a)) / 140)))
        for k in range(count):
            yield np.array([a + (b - a) * k / count, a + (b - a) * (k + 1) / count]), width


def _scale(camera: Camera) -> float:
    """Pixels a millimetre in the middle of the table."""
    ends = project(camera, np.array([[-10.0, 0, 0], [10.0, 0, 0]]))
    return float(np.linalg.norm(ends[1] - ends[0])) / 20


def _windowed(camera: Camera, window: Box) -> Camera:
    """The same camera, of which only a window is looked at."""
    k = camera.k.copy()
    k[0, 2] -= window[0]
    k[1, 2] -= window[1]
    return replace(camera, k=k, size=(window[2] - window[0], window[3] - window[1]))


def _grown(box: Box, by: int, size: tuple[int, int]) -> Box:
    return max(0, box[0] - by), max(0, box[1] - by), min(size[0], box[2] + by), min(size[1], box[3] + by)


def _blocks(box: Box, size: tuple[int, int]) -> Box:
    """The box out to whole blocks."""
    x0, y0 = box[0] // BLOCK * BLOCK, box[1] // BLOCK * BLOCK
    return x0, y0, min(size[0], -(-box[2] // BLOCK) * BLOCK), min(size[1], -(-box[3] // BLOCK) * BLOCK)


def _any(box: Box, size: tuple[int, int]) -> bool:
    """Whether a part of the box lies in the picture."""
    return box[0] < size[0] and box[1] < size[1] and box[2] > 0 and box[3] > 0


def _meet(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _union(boxes: Iterable[Box]) -> Box:
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def _area(box: Box) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])


def _merged(boxes: list[Box]) -> list[Box]:
    """Fewer windows that hold all of these: two become one where that draws hardly more, overlaps counted."""
    left = list(boxes)
    done: list[Box] = []
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


# Over the finished picture


def _noise_sheet(rng: np.random.Generator, size: tuple[int, int], capture: Capture) -> NDArray[np.int16]:
    """Noise as it looks after the tone curve, which makes shot noise alike in dark and light.

    A picture gets a random window of a larger sheet: noise of two pictures has nothing in common.
    """
    w, h = size[0] + _NOISE_ROOM, size[1] + _NOISE_ROOM
    linear = float(np.sqrt(_MID_LIGHT * capture.shot_noise**2 + capture.read_noise**2))
    sigma = 255 / 2.2 * _MID_LIGHT ** (1 / 2.2 - 1) * linear * 0.8
    grain = rng.standard_normal((h, w, 3), np.float32)
    if capture.chroma_blur_px > 0.3:
        luma = grain.mean(2, keepdims=True)
        chroma = cv2.GaussianBlur(grain - luma, (0, 0), capture.chroma_blur_px)
        luma = cv2.GaussianBlur(luma, (0, 0), 0.45)[..., None]
        grain = luma * 1.3 + chroma * np.float32(1 + capture.chroma_blur_px)
    # Rounding alone would make faint noise vanish; half a grey level of dither keeps it.
    dither = rng.uniform(-0.5, 0.5, grain.shape).astype(np.float32)
    return np.asarray(np.rint(grain * np.float32(sigma) + dither), np.int16)


def _seen_through(picture: Pixels, view: View, capture: Capture) -> Pixels:
    """Change light, focus and what covers the lens in a finished picture."""
    out = picture
    if view.gain != (1.0, 1.0, 1.0):
        out = np.asarray(cv2.LUT(out, _tones(view.gain, capture)), np.uint8)
    if view.blur_px > 0.2:
        out = np.asarray(cv2.GaussianBlur(out, (0, 0), view.blur_px * out.shape[1] / _REFERENCE_WIDTH), np.uint8)
    if view.cover is not None:
        h, w = out.shape[:2]
        keep = 1 - _cover_mask(view.cover, (w, h))
        out = np.asarray(out * keep[..., None] + np.float32(9) * (1 - keep[..., None]), np.uint8)
    return out


def _tones(gain: tuple[float, float, float], capture: Capture) -> Pixels:
    """(256, 1, 3) the grey level that each becomes when the light is `gain` times as strong."""

    def shown(light: F32) -> F32:
        s = np.clip(light, 0, 1) ** np.float32(1 / 2.2)
        s = s + np.float32(capture.contrast) * (s * s * (3 - 2 * s) - s)
        return np.asarray((capture.lift + (1 - capture.lift) * s) * 255, np.float32)

    light = np.linspace(0, 1, 4096, dtype=np.float32) ** 2
    level = shown(light)
    before = np.interp(np.arange(256), level, light).astype(np.float32)
    table = np.stack([shown(before * np.float32(g)) for g in gain], 1)
    return np.asarray(np.clip(table + 0.5, 0, 255), np.uint8)[:, None, :]


def _cover_mask(cover: tuple[float, float, float], size: tuple[int, int]) -> F32:
    """(h, w) how much of the light is kept out: something dark right before the lens, out of focus."""
    w, h = size
    x, y, radius = cover
    small = np.zeros((h // 8 + 1, w // 8 + 1), np.uint8)
    cv2.circle(small, (int(x * w / 8), int(y * w / 8)), max(1, int(radius * w / 8)), 255, -1)
    soft = cv2.GaussianBlur(small, (0, 0), 0.006 * w)
    return np.asarray(cv2.resize(soft, size), np.float32) / np.float32(255)

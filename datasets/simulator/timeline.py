"""A time line: where every tile, die, cup, hand and lamp is at any moment, in millimetres and seconds.

Everything on the table has a list of keys and rests at each until the next begins; a motion goes from one key to the
next with a soft start and end. Nothing here draws and nothing knows the rules.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from datasets.scenes.scene import DieObject, Prop, TileObject

if TYPE_CHECKING:
    from collections.abc import Sequence

    from datasets.labels.labels import HandHalf
    from datasets.scenes.sampling import Glare
    from datasets.scenes.scene import CameraModel
    from datasets.scenes.whole_table import TableSetup

HAND_Z_MM = 60.0
"""Height at which hands are drawn over everything that lies on the table."""


@dataclass(frozen=True, slots=True)
class TilePose:
    """How one tile lies.

    Attributes:
        x, y, z: middle, and height of the underside, mm.
        angle: counter-clockwise from +x to the larger half, radians.
        roll: turn about its long axis: 0 face down, pi face up.
        place: of which place it is a part while it rests here.
        hand: of which hand it is a part while it rests here face up.
    """

    x: float
    y: float
    z: float
    angle: float
    roll: float
    place: str | None = None
    hand: HandHalf | None = None

    @property
    def face_up(self) -> bool:
        """Whether its face shows."""
        return self.roll > np.pi / 2


@dataclass(slots=True)
class TileKeyframes:
    """The keys of one tile, in order of time; it moves while the next key's motion lasts.

    Attributes:
        starts: when the motion to each pose begins.
        ends: when it is over.
        poses: the poses.
        faces: what it bears from when on (a foreign tile takes the place of a real one).
    """

    starts: list[float]
    ends: list[float]
    poses: list[TilePose]
    faces: list[tuple[float, str]]

    def at(self, t: float) -> tuple[TilePose, bool]:
        """Its pose, and whether it moves."""
        n = bisect_right(self.starts, t) - 1
        if n < 0:
            return self.poses[0], False
        if t >= self.ends[n] or n == 0:
            return self.poses[n], False
        return _between(self.poses[n - 1], self.poses[n], (t - self.starts[n]) / (self.ends[n] - self.starts[n])), True

    def face(self, t: float) -> str:
        """What it bears."""
        return next(face for since, face in reversed(self.faces) if since <= t)

    def go(self, start: float, end: float, pose: TilePose) -> None:
        """Add a motion; it begins where the last one ended."""
        if start < self.ends[-1] - 1e-9 or end <= start:
            raise ValueError(f"a motion from {start:.3f} to {end:.3f} s begins before the last one ends")
        self.starts.append(start)
        self.ends.append(end)
        self.poses.append(pose)


def _eased(share: float) -> float:
    """Smoothstep: a soft start and end."""
    return share * share * (3 - 2 * share)


def _between(one: TilePose, other: TilePose, share: float) -> TilePose:
    s = _eased(share)
    turn = (other.angle - one.angle + np.pi) % (2 * np.pi) - np.pi
    far = float(np.hypot(other.x - one.x, other.y - one.y))
    lift = min(far / 20, 14.0) * 4 * s * (1 - s)
    return TilePose(
        one.x + (other.x - one.x) * s,
        one.y + (other.y - one.y) * s,
        one.z + (other.z - one.z) * s + lift,
        one.angle + turn * s,
        one.roll + (other.roll - one.roll) * s,
    )


@dataclass(frozen=True, slots=True)
class Reach:
    """One hand reaching in and going out again.

    Attributes:
        look: which hand it is; its place and angle come from here.
        body: where the shoulder is, mm.
        times: when it is at each point, rising.
        points: where its finger tips are.
    """

    look: Prop
    body: tuple[float, float]
    times: tuple[float, ...]
    points: tuple[tuple[float, float], ...]

    def at(self, t: float) -> Prop | None:
        """The hand, or None while it is away."""
        if not self.times[0] < t < self.times[-1]:
            return None
        n = bisect_right(self.times, t)
        share = (t - self.times[n - 1]) / (self.times[n] - self.times[n - 1])
        s = _eased(share)
        (x0, y0), (x1, y1) = self.points[n - 1], self.points[n]
        x, y = x0 + (x1 - x0) * s, y0 + (y1 - y0) * s
        angle = float(np.arctan2(self.body[1] - y, self.body[0] - x))
        return replace(self.look, x_mm=x, y_mm=y, angle=angle)


@dataclass(slots=True)
class DiceStates:
    """Something that jumps from state to state: dice under the cup, the cup's place as a list of motions.

    Attributes:
        times: when each state begins.
        values: the states.
    """

    times: list[float]
    values: list[tuple[DieObject, ...]]

    def at(self, t: float) -> tuple[DieObject, ...]:
        """The state at a moment."""
        return self.values[max(0, bisect_right(self.times, t) - 1)]


@dataclass(slots=True)
class CupKeyframes:
    """The cup's cover: over the dice or beside them; while it is shaken the base goes with it.

    Attributes:
        look: how it looks.
        keys: (start, end, x, y) of its motions.
        shaking: (start, end) of each time it is shaken.
    """

    look: Prop
    keys: list[tuple[float, float, float, float]]
    shaking: list[tuple[float, float]] = field(default_factory=list)

    def at(self, t: float) -> tuple[float, float]:
        """Where it stands."""
        n = bisect_right(self.keys, (t, np.inf, 0.0, 0.0)) - 1
        start, end, x, y = self.keys[max(n, 0)]
        if n <= 0 or t >= end:
            return x, y
        _, _, x0, y0 = self.keys[n - 1]
        share = (t - start) / (end - start)
        s = _eased(share)
        return x0 + (x - x0) * s, y0 + (y - y0) * s

    def shake(self, t: float) -> tuple[float, float]:
        """How far cover and base are off their place, mm."""
        for start, end in self.shaking:
            if start < t < end:
                fade = min(1.0, (t - start) / 0.2, (end - t) / 0.2)
                return 14 * fade * float(np.sin(23 * (t - start))), 10 * fade * float(np.sin(31 * (t - start)))
        return 0.0, 0.0


@dataclass(frozen=True, slots=True)
class Disturbance:
    """Something that befalls the camera or its view.

    Attributes:
        kind: ``camera-nudged``, ``lamp-change``, ``lens-covered``, ``defocused`` or ``sleeve``.
        start, end: when, s.
        data: its figures, see docs/simulator.md.
    """

    kind: str
    start: float
    end: float
    data: dict[str, object]


@dataclass(frozen=True, slots=True)
class CameraView:
    """How the camera sees a moment.

    Attributes:
        camera: where it hangs.
        gain: strength of the light, blue, green and red, 1 as usual.
        cover: what covers the lens: middle and radius in shares of the picture's width; None for nothing.
        blur_px: spread of a lost focus at 2304 pixels of width.
    """

    camera: CameraModel
    gain: tuple[float, float, float] = (1.0, 1.0, 1.0)
    cover: tuple[float, float, float] | None = None
    blur_px: float = 0.0


@dataclass(frozen=True, slots=True)
class Instant:
    """All that there is at one moment.

    Attributes:
        t_s: when.
        tiles: all 32, always in the same order.
        moving: numbers of the tiles in motion.
        dice: as they lie, under the cup or not.
        dish: what they lie in.
        cup: the cover.
        hands: hands over the table.
        view: how the camera sees it.
    """

    t_s: float
    tiles: tuple[TileObject, ...]
    moving: frozenset[int]
    dice: tuple[DieObject, ...]
    dish: Prop
    cup: Prop
    hands: tuple[Prop, ...]
    view: CameraView

    @property
    def props(self) -> tuple[Prop, ...]:
        """Everything that moves and is never read."""
        return self.dish, self.cup, *self.hands


@dataclass(slots=True)
class Timeline:
    """Everything that happens at one table.

    Attributes:
        setup: the table.
        tracks: of the 32 tiles.
        dice: as they lie.
        dish: what they lie in.
        cup: its cover.
        reaches: hands, in the order in which they come.
        disturbances: what befalls the camera, in order of time.
        nudged: the camera's place during each ``camera-nudged`` disturbance, by its start.
        glares: images of lamps over the table.
        luck: (32,) how much each tile leans toward a lamp's image.
        longest_s: how long the longest reach lasts.
    """

    setup: TableSetup
    tracks: list[TileKeyframes]
    dice: DiceStates
    dish: Prop
    cup: CupKeyframes
    reaches: list[Reach] = field(default_factory=list)
    disturbances: list[Disturbance] = field(default_factory=list)
    nudged: dict[float, CameraModel] = field(default_factory=dict)
    glares: tuple[Glare, ...] = ()
    luck: tuple[float, ...] = ()
    longest_s: float = 0.0
    _starts: list[float] = field(default_factory=list)

    def ready(self) -> None:
        """Put hands in order of time; to be called once all is written."""
        self.reaches.sort(key=lambda reach: reach.times[0])
        self.disturbances.sort(key=lambda each: each.start)
        self._starts = [reach.times[0] for reach in self.reaches]
        self.longest_s = max((reach.times[-1] - reach.times[0] for reach in self.reaches), default=0.0)

    def at(self, t: float) -> Instant:
        """The table at a moment."""
        tiles, moving = [], []
        for n, track in enumerate(self.tracks):
            pose, moves = track.at(t)
            if moves:
                moving.append(n)
            tiles.append(self._tile(n, pose, track.face(t)))
        dx, dy = self.cup.shake(t)
        x, y = self.cup.at(t)
        return Instant(
            t,
            tuple(tiles),
            frozenset(moving),
            tuple(replace(die, x_mm=die.x_mm + dx, y_mm=die.y_mm + dy) for die in self.dice.at(t)),
            replace(self.dish, x_mm=self.dish.x_mm + dx, y_mm=self.dish.y_mm + dy),
            replace(self.cup.look, x_mm=x + dx, y_mm=y + dy),
            self.hands_at(t),
            self.view_at(t),
        )

    def _tile(self, n: int, pose: TilePose, face: str) -> TileObject:
        up = pose.face_up
        roll = pose.roll - np.pi if up else pose.roll
        veil = sum(glare.at(pose.x, pose.y, self.luck[n]) for glare in self.glares) if up else 0.0
        return TileObject(
            face, up, pose.x, pose.y, pose.angle, pose.z,
            lean=(roll, 0.0) if abs(roll) > 1e-6 else (0.0, 0.0),
            veil=veil if veil >= 0.01 else 0.0, veil_fall=(0.3, 0.2),
            place=pose.place, hand=pose.hand if up else None,
        )  # fmt: skip

    def hands_at(self, t: float) -> tuple[Prop, ...]:
        """The hands over the table."""
        first = bisect_right(self._starts, t - self.longest_s - 1e-6)
        last = bisect_right(self._starts, t)
        found = (reach.at(t) for reach in self.reaches[max(0, first - 1) : last])
        return tuple(hand for hand in found if hand is not None)

    def view_at(self, t: float) -> CameraView:
        """How the camera sees a moment."""
        view = CameraView(self.setup.camera)
        for each in self.disturbances:
            if each.start > t:
                break
            if t < each.end:
                view = _disturbed(view, each, self.nudged.get(each.start), t)
        return view


def _disturbed(view: CameraView, each: Disturbance, nudged: CameraModel | None, t: float) -> CameraView:
    ramp = min(1.0, (t - each.start) / 0.15, (each.end - t) / 0.15)
    match each.kind:
        case "camera-nudged" if nudged is not None:
            return replace(view, camera=nudged)
        case "lamp-change":
            gain = np.array(view.gain) * (1 + (np.array(each.data["gain"]) - 1) * ramp)
            return replace(view, gain=(float(gain[0]), float(gain[1]), float(gain[2])))
        case "lens-covered":
            cover = np.array(each.data["cover"], np.float64)
            return replace(view, cover=(float(cover[0]), float(cover[1]), float(cover[2])))
        case "defocused":
            return replace(view, blur_px=float(each.data["blur_px"]) * ramp)  # type: ignore[arg-type]
    return view


def poses_of(tiles: Sequence[TileObject], roll: float) -> list[TilePose]:
    """Poses of tiles as drawn by ``datasets.scenes.whole_table``."""
    return [TilePose(t.x_mm, t.y_mm, t.z_mm, t.angle, roll, t.place, t.hand) for t in tiles]

"""Timeline: the state of every tile, die, cup, hand and lamp at any moment, in millimetres and seconds.

Everything on the table has a list of keys and rests at each until the next starts; a motion goes from one key to the
next with a soft start and end. Independent of drawing and of the rules.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from datasets.scenes.scene import CameraModel, DieObject, Prop, TileObject

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibration.table.places import Place
    from datasets.labels.labels import HandHalf
    from datasets.scenes.sampling import Glare
    from datasets.scenes.whole_table import TableSetup

HAND_Z_MM = 60.0
"""Height at which hands are drawn over everything that lies on the table."""


@dataclass(frozen=True, slots=True)
class TilePose:
    """How one tile lies: middle and height of its underside, mm, and angles as of a ``TileObject``, radians.

    `roll` is the turn about its long axis, 0 face down and pi face up; `place` and `hand` hold while it rests here.
    """

    x: float
    y: float
    z: float
    angle: float
    roll: float
    place: Place | None = None
    hand: HandHalf | None = None

    @property
    def face_up(self) -> bool:
        return self.roll > np.pi / 2


@dataclass(slots=True)
class TileKeyframes:
    """The poses of one tile, with start and end of the motion to each, and its face over time."""

    starts: list[float]
    ends: list[float]
    poses: list[TilePose]
    faces: list[tuple[float, str]]

    def at(self, t: float) -> tuple[TilePose, bool]:
        """Return its pose, and whether it moves."""
        n = bisect_right(self.starts, t) - 1
        if n < 0:
            return self.poses[0], False
        if t >= self.ends[n] or n == 0:
            return self.poses[n], False
        return _between(self.poses[n - 1], self.poses[n], (t - self.starts[n]) / (self.ends[n] - self.starts[n])), True

    def face(self, t: float) -> str:
        return next(face for since, face in reversed(self.faces) if since <= t)

    def go(self, start: float, end: float, pose: TilePose) -> None:
        """Add a motion; it starts where the last one ended."""
        if start < self.ends[-1] - 1e-9 or end <= start:
            raise ValueError(f"a motion from {start:.3f} to {end:.3f} s starts before the last one ends")
        self.starts.append(start)
        self.ends.append(end)
        self.poses.append(pose)


def _eased(share: float) -> float:
    """Smoothstep: a soft start and end."""
    return share * share * (3 - 2 * share)


def _way(one: tuple[float, float], other: tuple[float, float], share: float) -> tuple[float, float]:
    s = _eased(share)
    return one[0] + (other[0] - one[0]) * s, one[1] + (other[1] - one[1]) * s


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
    """One hand reaching in and going out again: its shoulder, mm, and the times at which its finger tips are where."""

    look: Prop
    body: tuple[float, float]
    times: tuple[float, ...]
    points: tuple[tuple[float, float], ...]

    def at(self, t: float) -> Prop | None:
        """Return the hand, or None while it is away."""
        if not self.times[0] < t < self.times[-1]:
            return None
        n = bisect_right(self.times, t)
        share = (t - self.times[n - 1]) / (self.times[n] - self.times[n - 1])
        x, y = _way(self.points[n - 1], self.points[n], share)
        angle = float(np.arctan2(self.body[1] - y, self.body[0] - x))
        return replace(self.look, x_mm=x, y_mm=y, angle=angle)


@dataclass(slots=True)
class CupKeyframes:
    """The cup's cover, over the dice or beside them: start, end, x and y of its motions; start and end of shaking."""

    look: Prop
    keys: list[tuple[float, float, float, float]]
    shaking: list[tuple[float, float]] = field(default_factory=list)

    def at(self, t: float) -> tuple[float, float]:
        n = bisect_right(self.keys, (t, np.inf, 0.0, 0.0)) - 1
        start, end, x, y = self.keys[max(n, 0)]
        if n <= 0 or t >= end:
            return x, y
        return _way(self.keys[n - 1][2:], (x, y), (t - start) / (end - start))

    def shake(self, t: float) -> tuple[float, float]:
        """Return how far cover and base are off their place, mm."""
        for start, end in self.shaking:
            if start < t < end:
                fade = min(1.0, (t - start) / 0.2, (end - t) / 0.2)
                return 14 * fade * float(np.sin(23 * (t - start))), 10 * fade * float(np.sin(31 * (t - start)))
        return 0.0, 0.0


@dataclass(slots=True)
class MarkerKeyframes:
    """One of the house's markers: start and end of its motions with how it lies after each, until it is taken away.

    It follows the first from its start.
    """

    keys: list[tuple[float, float, Prop]]
    until_s: float = np.inf

    def at(self, t: float) -> Prop | None:
        """Return how it lies, None while it is not on the table; on its way it lies at no place."""
        if not self.keys[0][0] <= t < self.until_s:
            return None
        n = bisect_right(self.keys, t, key=itemgetter(0)) - 1
        start, end, prop = self.keys[n]
        if n == 0 or t >= end:
            return prop
        before = self.keys[n - 1][2]
        x, y = _way((before.x_mm, before.y_mm), (prop.x_mm, prop.y_mm), (t - start) / (end - start))
        return replace(before, x_mm=x, y_mm=y, place="")

    def moves(self, t: float) -> bool:
        """Whether it is on its way."""
        return any(start <= t < end for start, end, _ in self.keys)


@dataclass(frozen=True, slots=True)
class Disturbance:
    """A disturbance of the camera or its view, of one of ``staging.disturbances.DISTURBANCES``; times in seconds."""

    kind: str
    start: float
    end: float
    data: dict[str, object]


@dataclass(frozen=True, slots=True)
class CameraView:
    """How the camera sees a moment.

    Attributes:
        gain: strength of the light, blue, green and red, 1 as usual.
        cover: middle and radius of what covers the lens, in shares of the picture's width; None for nothing.
        blur_px: spread of a lost focus at 2304 pixels of width.
    """

    camera: CameraModel
    gain: tuple[float, float, float] = (1.0, 1.0, 1.0)
    cover: tuple[float, float, float] | None = None
    blur_px: float = 0.0


@dataclass(frozen=True, slots=True)
class Instant:
    """The state at one moment: the 32 tiles in order and which of them move, dice, cup and its base, hands.

    `markers` are those that move in the session; a chung that never does is among the props of its script.
    """

    t_s: float
    tiles: tuple[TileObject, ...]
    moving: frozenset[int]
    dice: tuple[DieObject, ...]
    dish: Prop
    cup: Prop
    hands: tuple[Prop, ...]
    view: CameraView
    markers: tuple[Prop, ...] = ()

    @property
    def props(self) -> tuple[Prop, ...]:
        """Everything that moves and is neither tile nor die."""
        return self.dish, self.cup, *self.markers, *self.hands


@dataclass(slots=True)
class Timeline:
    """Everything that happens at one table.

    Attributes:
        dice: as they lie from when on, under the cup or not.
        nudged: the camera's place during each ``camera-nudged`` disturbance, by its start.
        luck: (32,) how much each tile leans toward a lamp's image.
        longest_s: how long the longest reach lasts.
    """

    setup: TableSetup
    tracks: list[TileKeyframes]
    dice: list[tuple[float, tuple[DieObject, ...]]]
    dish: Prop
    cup: CupKeyframes
    reaches: list[Reach] = field(default_factory=list)
    markers: list[MarkerKeyframes] = field(default_factory=list)
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
        poses = [track.at(t) for track in self.tracks]
        dx, dy = self.cup.shake(t)
        x, y = self.cup.at(t)
        dice = self.dice[max(0, bisect_right(self.dice, t, key=itemgetter(0)) - 1)][1]
        return Instant(
            t,
            tuple(self._tile(n, pose, self.tracks[n].face(t)) for n, (pose, _) in enumerate(poses)),
            frozenset(n for n, (_, moves) in enumerate(poses) if moves),
            tuple(replace(die, x_mm=die.x_mm + dx, y_mm=die.y_mm + dy) for die in dice),
            replace(self.dish, x_mm=self.dish.x_mm + dx, y_mm=self.dish.y_mm + dy),
            replace(self.cup.look, x_mm=x + dx, y_mm=y + dy),
            self._hands_at(t),
            self._view_at(t),
            tuple(prop for each in self.markers if (prop := each.at(t)) is not None),
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

    def _hands_at(self, t: float) -> tuple[Prop, ...]:
        first = bisect_right(self._starts, t - self.longest_s - 1e-6)
        last = bisect_right(self._starts, t)
        found = (reach.at(t) for reach in self.reaches[max(0, first - 1) : last])
        return tuple(hand for hand in found if hand is not None)

    def _view_at(self, t: float) -> CameraView:
        view = CameraView(self.setup.bare.camera)
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
            blue, green, red = (np.array(view.gain) * (1 + (np.array(each.data["gain"]) - 1) * ramp)).tolist()
            return replace(view, gain=(blue, green, red))
        case "lens-covered":
            x, y, radius = np.array(each.data["cover"], np.float64).tolist()
            return replace(view, cover=(x, y, radius))
        case "defocused":
            return replace(view, blur_px=float(each.data["blur_px"]) * ramp)  # type: ignore[arg-type]
    return view


def poses_of(tiles: Sequence[TileObject], roll: float) -> list[TilePose]:
    """Poses of tiles as drawn by ``datasets.scenes.whole_table``."""
    return [TilePose(t.x_mm, t.y_mm, t.z_mm, t.angle, roll, t.place, t.hand) for t in tiles]

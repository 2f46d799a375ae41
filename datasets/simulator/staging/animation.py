"""Move tiles, dice, cup and hands on a table; every motion becomes keyframes of a timeline."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from calibration.table.places import DISCARD, DISPLAY, Place
from datasets.scenes import sampling as sample
from datasets.scenes.scene import DISH_FLOOR_MM, DieObject, DieStyle, Prop
from datasets.scenes.table_plan import dish
from datasets.scenes.whole_table import TableSetup, lay_hand
from datasets.simulator.layouts import away_spot, display_spot
from datasets.simulator.timeline import (
    HAND_Z_MM,
    CupKeyframes,
    Reach,
    TileKeyframes,
    TilePose,
    Timeline,
    poses_of,
)
from engine.game.tiles import FULL_SET
from engine.vocabulary.play import Lie

if TYPE_CHECKING:
    from collections.abc import Sequence

    from datasets.scenes.sampling import Rng
    from engine.game.setting import Setting

UP, DOWN = float(np.pi), 0.0
"""Roll of a tile face up and face down, radians."""
REACH_S = 0.4
"""How long a hand takes to reach in, and to go out again."""
_BODY_MM = 830.0
"""How far from the middle of the table people stand."""
_ARM_MM = 900.0
HandOwner: TypeAlias = Literal["dealer-left", "dealer-right"] | Place
"""Whose hand it is: one of the dealer's two, or that of the player at a box."""


class Animator:
    """A table on which things are moved, each motion after the last; all of them make a time line.

    `dice` are the looks of the box dice and of the cut die, None where the book has none; `low_hand` says how low hands
    are laid.
    """

    def __init__(
        self,
        rng: Rng,
        setup: TableSetup,
        dice: tuple[DieStyle, DieStyle | None],
        pace: float = 1.0,
        low_hand: Lie = Lie.VERTICAL,
    ) -> None:
        self.rng = rng
        self.plan = setup.plan
        self.pace = pace
        self.low_hand = low_hand
        self._styles = dice
        self.now = 1.0
        x, y = setup.plan.dice_mm
        cup = replace(sample.prop(rng, "dome", x, y), size_mm=(112.0, 112.0), height_mm=70.0, z_mm=22.0)
        base = dish(rng, self.plan)
        first = self.throw_of(tuple(int(v) for v in rng.integers(1, 7, 3)), int(rng.integers(1, 7)), None)
        self.line = Timeline(setup, self._shown(), [(0.0, first)], base, CupKeyframes(cup, [(0.0, 0.0, x, y)]))
        skin = sample.jitter(rng, sample.pick(rng, sample.SKINS), 0.1)
        self._looks: dict[HandOwner, Prop] = {name: self._hand(skin) for name in ("dealer-left", "dealer-right")}
        self._bodies: dict[HandOwner, tuple[float, float]] = {
            "dealer-left": (-170.0, -_BODY_MM),
            "dealer-right": (170.0, -_BODY_MM),
        }
        for box, (bx, _, _) in setup.plan.boxes.items():
            self._looks[box] = self._hand(sample.pick(rng, sample.SKINS))
            self._bodies[box] = (bx * 0.97, _BODY_MM)
        self._points: dict[HandOwner, list[tuple[float, float, float]]] = {}
        self.away = 0

    def _hand(self, skin: tuple[float, float, float]) -> Prop:
        arm = sample.prop(self.rng, "arm", 0.0, 0.0)
        return replace(arm, z_mm=HAND_Z_MM, height_mm=15.0, colour=skin, size_mm=(_ARM_MM, 40.0))

    def _shown(self) -> list[TileKeyframes]:
        order = sorted(FULL_SET, key=lambda tile: (tile.kind, tile.index))
        tracks = []
        for n, tile in enumerate(order):
            x, y = display_spot(n)
            angle = self.upright()
            pose = TilePose(x + self.off(0.4), y + self.off(0.6), 0.0, angle, UP, DISPLAY)
            tracks.append(TileKeyframes([0.0], [0.0], [pose], [(0.0, str(tile))]))
        return tracks

    def upright(self) -> float:
        """A direction along y, either way round, a little off."""
        return float(np.pi / 2 + self.rng.normal(0, 0.01) + np.pi * self.rng.integers(2))

    def off(self, spread: float) -> float:
        """A little untidiness."""
        return self.rng.normal(0, spread)

    def s(self, seconds: float) -> float:
        """A duration at this dealer's pace."""
        return seconds * self.pace * float(np.exp(self.rng.normal(0, 0.12)))

    def throw_of(self, box: Sequence[int], cut: int | None, cocked: int | None) -> tuple[DieObject, ...]:
        """Dice that show these values, somewhere in the cup's base; one of them may lean."""
        box_style, cut_style = self._styles
        values = list(box) + ([cut] if cut is not None and cut_style is not None else [])
        out: list[DieObject] = []
        for n, value in enumerate(values):
            style = cut_style if n == 3 and cut_style is not None else box_style
            for _ in range(60):
                x, y = sample.in_disc(self.rng, *self.plan.dice_mm, 33)
                if all(np.hypot(x - d.x_mm, y - d.y_mm) > 1.45 * style.side_mm for d in out):
                    break
            die = None
            while die is None or die.value != value:
                die = sample.die(self.rng, style, x, y, cocked=cocked == n, floor=DISH_FLOOR_MM)
            out.append(replace(die, role="cut" if n == 3 else "box"))
        return tuple(out)

    def reach(self, who: HandOwner, *points: tuple[float, float, float]) -> None:
        """Let a hand pass these points (t, x, y); it comes in before the first and leaves after the last."""
        before = self._points.setdefault(who, [])
        if before and points[0][0] - before[-1][0] > 2.2 * REACH_S * self.pace:
            self.leave(who)
            before = self._points.setdefault(who, [])
        for t, x, y in points:
            if before and t <= before[-1][0] + 1e-6:
                t = before[-1][0] + 1e-3  # noqa: PLW2901 - two things at once follow each other at once
            before.append((t, x, y))

    def leave(self, who: HandOwner) -> None:
        """Let a hand leave, after passing its points."""
        points = self._points.pop(who, [])
        if not points:
            return
        bx, by = self._bodies[who]
        out = REACH_S * self.pace
        home = (bx, by - np.sign(by) * 20.0)
        times = (points[0][0] - out, *(t for t, _, _ in points), points[-1][0] + out)
        route = (home, *((x, y) for _, x, y in points), home)
        self.line.reaches.append(Reach(self._looks[who], self._bodies[who], times, route))

    def rest(self, who: HandOwner, start: float, end: float, x: float, y: float) -> None:
        """Let a hand lie still for a while, beside all else that happens."""
        home = self._bodies[who]
        times = (start - REACH_S, start, end, end + REACH_S)
        self.line.reaches.append(Reach(self._looks[who], home, times, (home, (x, y), (x, y), home)))

    def finish(self) -> Timeline:
        """The time line, once all rounds are written."""
        for who in list(self._points):
            self.leave(who)
        self.line.ready()
        return self.line

    def dealers(self, x: float) -> HandOwner:
        """Which of the dealer's hands does what is to be done at x."""
        return "dealer-right" if x >= 0 else "dealer-left"

    def pose(self, tile: int) -> TilePose:
        """How a tile lies after all that is written so far."""
        return self.line.tracks[tile].poses[-1]

    def go(self, tile: int, start: float, seconds: float, pose: TilePose) -> float:
        """Move a tile, as soon as it may from `start` on; return when it is there."""
        track = self.line.tracks[tile]
        start = max(start, track.ends[-1])
        track.go(start, start + seconds, pose)
        return start + seconds

    def carry(
        self, tiles: Sequence[int], poses: Sequence[TilePose], seconds: float, who: HandOwner | None = None
    ) -> None:
        """Move tiles together under one hand."""
        start = self.now + self.s(0.15)
        a, b = self.pose(tiles[0]), poses[0]
        hand = who or self.dealers((a.x + b.x) / 2)
        self.reach(hand, (start, *middle_of([self.pose(n) for n in tiles])), (start + seconds, *middle_of(poses)))
        for tile, pose in zip(tiles, poses, strict=True):
            self.go(tile, start, seconds, pose)
        self.now = start + seconds

    def put_away(self, tiles: Sequence[int]) -> None:
        """Sweep tiles to the discard; open ones are turned down."""
        poses = []
        for _ in tiles:
            x, y, z = away_spot(self.plan, self.away)
            poses.append(TilePose(x + self.off(0.4), y + self.off(0.4), z, self.upright(), DOWN, DISCARD))
            self.away += 1
        open_ = [n for n in tiles if self.pose(n).face_up]
        if open_:
            start = self.now + self.s(0.1)
            for k, n in enumerate(open_):
                pose = replace(self.pose(n), roll=DOWN, place=None, hand=None)
                self.go(n, start + 0.08 * k, 0.2, pose)
            x, y = middle_of([self.pose(n) for n in open_])
            self.reach(self.dealers(x), (start, x, y), (start + 0.5, x, y))
            self.now = start + 0.08 * len(open_) + 0.2
        self.carry(tiles, poses, self.s(0.6))

    def lay(self, place: Place, setting: Setting, tiles: Sequence[int], faces: Sequence[str]) -> dict[int, TilePose]:
        """Where each of four tiles lies when they are set so, face up."""
        low, high = ([str(t) for t in hand.tiles] for hand in (setting.low, setting.high))
        laid = lay_hand(self.rng, place, self.plan.places[place], low, high, 0.012, self.low_hand)
        left = list(tiles)
        out: dict[int, TilePose] = {}
        for where, pose in zip(laid, poses_of(laid, UP), strict=True):
            tile = next(n for n in left if faces[n] == where.face)
            left.remove(tile)
            out[tile] = pose
        return out

    def turn(self, poses: dict[int, TilePose], who: HandOwner) -> float:
        """Turn tiles up one after the other; return when the last lies."""
        start = self.now + self.s(0.2)
        points = []
        for tile, pose in poses.items():
            points.append((start, pose.x, pose.y + (6 if isinstance(who, Place) else -6)))
            start = self.go(tile, start, self.s(0.28), pose)
        self.reach(who, *points, (start, points[-1][1], points[-1][2]))
        self.now = start
        return start


def middle_of(poses: Sequence[TilePose]) -> tuple[float, float]:
    """Middle of some tiles, mm."""
    return float(np.mean([p.x for p in poses])), float(np.mean([p.y for p in poses]))

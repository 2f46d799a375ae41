"""Events become motions: the dealer's and the players' hands, tiles, dice and cup, one round after the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from datasets.scenes import sampling as sample
from datasets.scenes.scene import DISH_FLOOR_MM
from datasets.scenes.table_plan import dish
from datasets.scenes.whole_table import face_down, lay_hand
from datasets.simulator.course import HOUSE, place_of
from datasets.simulator.layouts import away_spot, display_spot, stack_spot, wash_spot
from datasets.simulator.timeline import HAND_Z_MM, Cup, Pose, Reach, Steps, Timeline, Track, poses_of
from datasets.simulator.truth import HandTruth, Happening, RoundTruth, TrueLay
from engine.game.hands import Hand
from engine.game.setting import Setting
from engine.game.tiles import FULL_SET, Tile
from engine.round.events import (
    DEALER,
    BankExposed,
    BankMoved,
    BankPutAway,
    BankSet,
    DiceShaken,
    DiceShown,
    EmptyRetrieved,
    HandExposed,
    HandMatched,
    HandSet,
    HouseWayRequested,
    Settled,
    Shuffled,
    Stacked,
    TilesChecked,
    TilesDelivered,
    TilesPutAway,
)
from engine.round.written import write_event
from engine.vocabulary.irregularities import Whose

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from datasets.scenes.sampling import Rng
    from datasets.scenes.scene import DieObject, DieStyle, Prop
    from datasets.scenes.whole_table import TableSetup
    from datasets.simulator.course import Course, Throw
    from engine.round.events import Event

UP, DOWN = float(np.pi), 0.0
_IN_S = 0.4
"""How long a hand takes to reach in, and to go out again."""
_BODY_MM = 830.0
"""How far from the middle of the table people stand."""
_ARM_MM = 900.0
CUP_ASIDE_MM = 135.0

MISTAKES: Final = {
    "house-set-wrong": "the House's hand is laid open another way than the House Way, and stays so",
    "house-set-wrong-corrected": "the same, put right before the first player's hand is opened",
    "asked-hand-set-wrong": "a hand that the dealer was asked to set lies another way than the House Way",
    "tiles-swapped": "after a player's hand was matched, two of its tiles change places",
    "exposed-before-bank": "a player's hand is opened before the bank's",
    "exposed-out-of-turn": "a player's hand is opened before another whose turn it is",
    "tile-shown": "a tile comes up while it is dealt, and is turned down again",
    "foreign-tile": "a tile bears a face that the set has no more of",
}
"""What a dealer does wrong on purpose."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What goes wrong in a round.

    Attributes:
        mistake: one of ``MISTAKES``, or None.
        box: whose hand it concerns.
        laid: how that hand is laid instead, at first or for good.
        right: how it should be laid.
        foreign: which tile bears which face instead of its own.
    """

    mistake: str | None = None
    box: int | None = None
    laid: Setting | None = None
    right: Setting | None = None
    foreign: tuple[int, str] | None = None


class Stage:
    """A table on which things are moved, each motion after the last; all of them make a time line.

    Args:
        rng: decides haste and untidiness.
        setup: the table.
        dice: kinds of the box dice and the cut die (None where the book has none).
        pace: how long everything takes; 1 is a brisk dealer.
    """

    def __init__(self, rng: Rng, setup: TableSetup, dice: tuple[DieStyle, DieStyle | None], pace: float = 1.0) -> None:
        self.rng = rng
        self.plan = setup.plan
        self.pace = pace
        self._styles = dice
        self.now = 1.0
        x, y = setup.plan.dice_mm
        cup = replace(sample.prop(rng, "dome", x, y), size_mm=(112.0, 112.0), height_mm=70.0, z_mm=22.0)
        base = dish(rng, self.plan)
        first = self.throw_of(tuple(int(v) for v in rng.integers(1, 7, 3)), int(rng.integers(1, 7)), None)
        self.line = Timeline(setup, self._shown(), Steps([0.0], [first]), base, Cup(cup, [(0.0, 0.0, x, y)]))
        skin = sample.jitter(rng, sample.SKINS[int(rng.integers(len(sample.SKINS)))], 0.1)
        self._looks = {name: self._hand(skin) for name in ("dealer-left", "dealer-right")}
        self._bodies = {"dealer-left": (-170.0, -_BODY_MM), "dealer-right": (170.0, -_BODY_MM)}
        for name, (bx, _, _) in setup.plan.boxes.items():
            self._looks[name] = self._hand(sample.SKINS[int(rng.integers(len(sample.SKINS)))])
            self._bodies[name] = (bx * 0.97, _BODY_MM)
        self._points: dict[str, list[tuple[float, float, float]]] = {}
        self.away = 0

    # What things look like, and how the table is found

    def _hand(self, skin: tuple[float, float, float]) -> Prop:
        arm = sample.prop(self.rng, "arm", 0.0, 0.0)
        return replace(arm, z_mm=HAND_Z_MM, height_mm=15.0, colour=skin, size_mm=(_ARM_MM, 40.0))

    def _shown(self) -> list[Track]:
        order = sorted(FULL_SET, key=lambda tile: (tile.kind, tile.index))
        tracks = []
        for n, tile in enumerate(order):
            x, y = display_spot(n)
            angle = self.upright()
            pose = Pose(x + self.off(0.4), y + self.off(0.6), 0.0, angle, UP, "display")
            tracks.append(Track([0.0], [0.0], [pose], [(0.0, str(tile))]))
        return tracks

    def upright(self) -> float:
        """A direction along y, either way round, a little off."""
        return float(np.pi / 2 + self.rng.normal(0, 0.01) + np.pi * self.rng.integers(2))

    def off(self, spread: float) -> float:
        """A little untidiness."""
        return float(self.rng.normal(0, spread))

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
            die = sample.die(self.rng, style, x, y, cocked=cocked == n, floor=DISH_FLOOR_MM)
            while die.value != value:
                die = sample.die(self.rng, style, x, y, cocked=cocked == n, floor=DISH_FLOOR_MM)
            out.append(replace(die, role="cut" if n == 3 else "box"))
        return tuple(out)

    # Hands

    def reach(self, who: str, *points: tuple[float, float, float]) -> None:
        """Let a hand pass these points (t, x, y); it comes in before the first and leaves after the last."""
        before = self._points.setdefault(who, [])
        if before and points[0][0] - before[-1][0] > 2.2 * _IN_S * self.pace:
            self.leave(who)
            before = self._points.setdefault(who, [])
        for t, x, y in points:
            if before and t <= before[-1][0] + 1e-6:
                t = before[-1][0] + 1e-3  # noqa: PLW2901 - two things at once follow each other at once
            before.append((t, x, y))

    def leave(self, who: str) -> None:
        """Let a hand go out again, after the points it was to pass."""
        points = self._points.pop(who, [])
        if not points:
            return
        bx, by = self._bodies[who]
        out = _IN_S * self.pace
        home = (bx, by - np.sign(by) * 20.0)
        times = (points[0][0] - out, *(t for t, _, _ in points), points[-1][0] + out)
        route = (home, *((x, y) for _, x, y in points), home)
        self.line.reaches.append(Reach(self._looks[who], self._bodies[who], times, route))

    def rest(self, who: str, start: float, end: float, x: float, y: float) -> None:
        """Let a hand lie still for a while, beside all else that happens."""
        bx, by = self._bodies[who]
        home = (bx, by)
        times = (start - _IN_S, start, end, end + _IN_S)
        self.line.reaches.append(Reach(self._looks[who], self._bodies[who], times, (home, (x, y), (x, y), home)))

    def finish(self) -> Timeline:
        """The time line, once all rounds are written."""
        for who in list(self._points):
            self.leave(who)
        self.line.ready()
        return self.line

    def dealers(self, x: float) -> str:
        """Which of the dealer's hands does what is to be done at x."""
        return "dealer-right" if x >= 0 else "dealer-left"

    # Tiles

    def pose(self, tile: int) -> Pose:
        """How a tile lies after all that is written so far."""
        return self.line.tracks[tile].poses[-1]

    def go(self, tile: int, start: float, seconds: float, pose: Pose) -> float:
        """Move a tile, as soon as it may from `start` on; return when it is there."""
        track = self.line.tracks[tile]
        start = max(start, track.ends[-1])
        track.go(start, start + seconds, pose)
        return start + seconds

    def carry(self, tiles: Sequence[int], poses: Sequence[Pose], seconds: float, who: str | None = None) -> None:
        """Move tiles together under one hand."""
        start = self.now + self.s(0.15)
        a, b = self.pose(tiles[0]), poses[0]
        hand = who or self.dealers((a.x + b.x) / 2)
        self.reach(hand, (start, *_middle([self.pose(n) for n in tiles])), (start + seconds, *_middle(poses)))
        for tile, pose in zip(tiles, poses, strict=True):
            self.go(tile, start, seconds, pose)
        self.now = start + seconds

    def put_away(self, tiles: Sequence[int]) -> None:
        """Sweep tiles to where those out of play lie; what lay open is turned down."""
        poses = []
        for _ in tiles:
            x, y, z = away_spot(self.plan, self.away)
            poses.append(Pose(x + self.off(0.4), y + self.off(0.4), z, self.upright(), DOWN, "discard"))
            self.away += 1
        open_ = [n for n in tiles if self.pose(n).face_up]
        if open_:
            start = self.now + self.s(0.1)
            for k, n in enumerate(open_):
                pose = replace(self.pose(n), roll=DOWN, place=None, hand=None)
                self.go(n, start + 0.08 * k, 0.2, pose)
            x, y = _middle([self.pose(n) for n in open_])
            self.reach(self.dealers(x), (start, x, y), (start + 0.5, x, y))
            self.now = start + 0.08 * len(open_) + 0.2
        self.carry(tiles, poses, self.s(0.6))

    def lay(self, place: str, setting: Setting, tiles: Sequence[int], faces: Sequence[str]) -> dict[int, Pose]:
        """Where each of four tiles lies when they are set so, face up."""
        low, high = ([str(t) for t in hand.tiles] for hand in (setting.low, setting.high))
        laid = lay_hand(self.rng, place, self.plan.places[place], low, high, 0.012)
        left = list(tiles)
        out: dict[int, Pose] = {}
        for where, pose in zip(laid, poses_of(laid, UP), strict=True):
            tile = next(n for n in left if faces[n] == where.face)
            left.remove(tile)
            out[tile] = pose
        return out

    def turn(self, poses: dict[int, Pose], who: str) -> float:
        """Turn tiles up one after the other; return when the last lies."""
        start = self.now + self.s(0.2)
        points = []
        for tile, pose in poses.items():
            points.append((start, pose.x, pose.y + (6 if who.startswith("box") else -6)))
            start = self.go(tile, start, self.s(0.28), pose)
        self.reach(who, *points, (start, points[-1][1], points[-1][2]))
        self.now = start
        return start

    # One round

    def round(self, number: int, course: Course, order: Sequence[int], faces: Sequence[str], plan: Plan) -> RoundTruth:
        """Write one round.

        Args:
            number: of the round.
            course: as the rulebook has it go.
            order: which tile stands where in the stacks.
            faces: what each tile bears, if it is the set's own.
            plan: what goes wrong.
        """
        shown = list(faces)
        if plan.foreign is not None:
            shown[plan.foreign[0]] = plan.foreign[1]
        truth = RoundTruth(number, self.now, course, tuple(shown))
        scene = _Round(self, course, order, faces, plan, truth)
        for event in course.session.current.events:
            scene.show(event)
        self.away = 0
        self.now += self.s(0.8)
        truth.end_s = self.now
        truth.happenings.sort(key=lambda each: each.t_s)
        return truth


def _middle(poses: Sequence[Pose]) -> tuple[float, float]:
    return float(np.mean([p.x for p in poses])), float(np.mean([p.y for p in poses]))


class _Round:
    """One round being shown: what is known of it alone."""

    def __init__(
        self,
        stage: Stage,
        course: Course,
        order: Sequence[int],
        faces: Sequence[str],
        plan: Plan,
        truth: RoundTruth,
    ) -> None:
        self._d = stage
        self.course = course
        self._order = order
        self._faces = faces
        self._wrong = plan
        self._truth = truth
        self._throws = iter(course.dealt.throws)
        self._tiles = {
            box: [order[n] for n in group] for box, group in zip(course.dealt.order, course.dealt.groups, strict=False)
        }
        self._own: list[tuple[HandSet, float]] = []
        self._open: set[int] = set()
        self._since = stage.now

        self._until = stage.now
        self._set_so: dict[int, dict[int, Pose]] = {}

    @property
    def _mistake(self) -> str | None:
        return self._wrong.mistake

    def show(self, event: Event) -> None:
        """Let one event happen."""
        if not isinstance(event, HandSet) or event.by == DEALER:
            self._d.now = max(self._d.now, self._until)
        act = _ACTS.get(type(event))
        if act is None:
            self._d.now += self._d.s(0.15)
        else:
            act(self, event)
        if isinstance(event, BankExposed):
            event = self._as_laid(event)
        known = not (self._wrong.foreign and isinstance(event, HandExposed) and event.box == self._wrong.box)
        self._happened(event.kind, self._data(event), write_event(event) if known else None)

    def _data(self, event: Event) -> dict[str, object]:
        box = getattr(event, "box", None)
        if isinstance(event, BankExposed | BankSet | BankPutAway | BankMoved):
            return {"place": HOUSE}
        return {} if box is None else {"place": place_of(box, self.course.bank_box)}

    def _happened(self, kind: str, data: dict[str, object], event: dict[str, object] | None) -> None:
        self._truth.happenings.append(Happening(self._d.now, kind, data, event))

    def _went_wrong(self, kind: str, start: float, **data: object) -> None:
        # What the book forbids, or has no event for, happens all the same.
        self._truth.mistakes.append(Happening(start, kind, {**data, "end_s": round(self._d.now, 3)}))

    def _as_laid(self, event: BankExposed) -> BankExposed:
        lay = self._truth.hands[HOUSE].lays[-1]
        return replace(event, low=lay.low, high=lay.high)

    # Mixing and stacking

    def check(self) -> None:
        """All tiles lie open and are checked."""
        self._d.now += self._d.s(2.5)

    def shuffle(self) -> None:
        """Turn all tiles down and mix them."""
        d, rng = self._d, self._d.rng
        tiles = range(32)
        for tile, face in enumerate(self._truth.faces):
            track = d.line.tracks[tile]
            if track.faces[-1][1] != face:
                # All lie face down by then; before, the set was whole.
                track.faces.append((d.now + 4.0, face))
        up = [n for n in tiles if d.pose(n).face_up]
        for k in range(0, len(up), 8):
            some = up[k : k + 8]
            start = d.now + d.s(0.2)
            x, y = _middle([d.pose(n) for n in some])
            d.reach(d.dealers(x), (start, x - 60, y), (start + 0.6, x + 60, y))
            for j, n in enumerate(some):
                d.go(n, start + 0.04 * j, 0.3, replace(d.pose(n), roll=DOWN, place=None))
            d.now = start + 0.62
        order = sorted(tiles, key=lambda n: (-d.pose(n).z, d.pose(n).x))
        cells = list(rng.permutation(32))
        start = d.now + d.s(0.2)
        for k, n in enumerate(order):
            d.go(n, start + 0.03 * k, 0.7, self._washed(cells[k]))
        x, y = _middle([d.pose(n) for n in tiles])
        d.reach("dealer-left", (start, x - 80, y - 30), (start + 1.6, -180, -60))
        d.reach("dealer-right", (start, x + 80, y - 30), (start + 1.6, 180, -60))
        d.now = start + 1.7
        for wave in range(int(rng.integers(3, 5))):
            cells = list(rng.permutation(32))
            start = d.now + 0.02
            seconds = d.s(0.9)
            for n in tiles:
                d.go(n, start, seconds, self._washed(cells[n]))
            swing = 120 if wave % 2 else -120
            d.reach("dealer-left", (start, -200 + swing, -40), (start + seconds, -200 - swing, 20))
            d.reach("dealer-right", (start, 200 + swing, 20), (start + seconds, 200 - swing, -40))
            d.now = start + seconds

    def _washed(self, cell: int) -> Pose:
        x, y = wash_spot(int(cell))
        d = self._d
        return Pose(x + d.off(5), y + d.off(4), 0.0, float(d.rng.uniform(0, 2 * np.pi)), DOWN)

    def stack(self) -> None:
        """Make eight stacks of four."""
        d = self._d
        for stack in range(8):
            four = [self._order[stack * 4 + level] for level in range(4)]
            poses = []
            for level in range(4):
                x, y, z = stack_spot(stack + 1, level + 1)
                poses.append(Pose(x + d.off(0.4), y + d.off(0.5), z, d.upright(), DOWN))
            d.carry(four, poses, d.s(0.45), who=d.dealers(poses[0].x))

    # Dice

    def shake(self) -> None:
        """Shake the cup; the dice come to lie anew."""
        d = self._d
        cup = d.line.cup
        x, y = d.plan.dice_mm
        hand = d.dealers(x)
        start = d.now + d.s(0.3)
        if cup.keys[-1][2:] != (x, y):
            cx, cy = cup.keys[-1][2:]
            cup.keys.append((start, start + 0.5, x, y))
            d.reach(hand, (start, cx, cy), (start + 0.5, x, y))
            start += 0.6
        seconds = max(0.9, d.s(1.6))
        cup.shaking.append((start, start + seconds))
        d.reach(hand, (start, x, y - 10), (start + seconds, x, y - 10))
        throw: Throw = next(self._throws)
        d.line.dice.times.append(start + seconds / 2)
        d.line.dice.values.append(d.throw_of(throw.box_dice, throw.cut_die, throw.cocked))
        d.now = start + seconds

    def show_dice(self) -> None:
        """Lift the cover off and set it down beside."""
        d = self._d
        x, y = d.plan.dice_mm
        aside = x - float(np.sign(x)) * CUP_ASIDE_MM, y + 30.0
        start = d.now + d.s(0.5)
        d.line.cup.keys.append((start, start + 0.5, *aside))
        d.reach(d.dealers(x), (start, x, y - 10), (start + 0.5, aside[0], aside[1] - 10))
        d.now = start + 0.5 + _IN_S * d.pace + d.s(1.2)

    # Dealing and setting

    def deliver(self, event: TilesDelivered) -> None:
        """Slide four tiles to each place."""
        d = self._d
        shown: tuple[int, Pose] | None = None
        for box in event.order:
            tiles = self._tiles[box]
            x, y, _ = d.plan.places[self._dealt_at(box)]
            name = self._dealt_at(box)
            poses = poses_of(face_down(d.rng, [self._faces[n] for n in tiles], (x, y), 2, name), DOWN)
            if self._mistake == "tile-shown" and box == self._wrong.box:
                shown = tiles[3], poses[3]
                poses[3] = replace(poses[3], roll=UP)
            # The topmost tiles of a stack are taken first and come to lie lowest.
            d.carry(tiles, poses, d.s(0.55), who=d.dealers(x))
            if shown is not None and box == self._wrong.box:
                since = d.now
                d.now += d.s(1.0)
                d.go(shown[0], d.now, 0.3, shown[1])
                d.reach(d.dealers(x), (d.now, x, y), (d.now + 0.3, x, y))
                d.now += 0.3
                self._went_wrong("tile-shown", since, place=name, face=self._faces[shown[0]], tile=shown[0])

    def _dealt_at(self, box: int) -> str:
        """Where a box's tiles are dealt: the bank's on its own box, where it has one."""
        name = f"box{box}"
        return name if name in self._d.plan.places else HOUSE

    def retrieve(self, boxes: Sequence[int]) -> None:
        """Take back the tiles of boxes without wagers."""
        for box in boxes:
            self._d.put_away(self._tiles[box])
        dealt = {n for tiles in self._tiles.values() for n in tiles}
        rest = [n for n in self._order if n not in dealt]
        for k in range(0, len(rest), 4):
            self._d.put_away(rest[k : k + 4])

    def move_bank(self) -> None:
        """Bring the bank's tiles before the float."""
        d, tiles = self._d, self._tiles[self.course.bank_box]
        x, y, _ = d.plan.places[HOUSE]
        poses = poses_of(face_down(d.rng, [self._faces[n] for n in tiles], (x, y), 2, HOUSE), DOWN)
        d.carry(tiles, poses, d.s(0.6))

    def ask(self, box: int) -> None:
        """A player turns the tiles, so that they face across: the dealer is to set them."""
        d, tiles, name = self._d, self._tiles[box], place_of(box, self.course.bank_box)
        poses = []
        px, py, _ = d.plan.places[name]
        c, s = np.cos(np.pi / 2), np.sin(np.pi / 2)
        for n in tiles:
            pose = d.pose(n)
            dx, dy = pose.x - px, pose.y - py
            angle = pose.angle + float(np.pi / 2)
            poses.append(replace(pose, x=px + c * dx - s * dy, y=py + s * dx + c * dy, angle=angle))
        d.carry(tiles, poses, d.s(0.5), who=name)

    def _laid(self, box: int) -> Setting:
        """How a hand is laid at first: as it should be, or not."""
        instead = self._wrong.laid if box == self._wrong.box else None
        return instead or self.course.settings[box]

    def set(self, box: int, by: str) -> None:
        """Let the dealer or a player set a hand, face down."""
        d, tiles, name = self._d, self._tiles[box], place_of(box, self.course.bank_box)
        laid = self._set_so[box] = d.lay(name, self._laid(box), tiles, self._faces)
        poses = {n: replace(pose, roll=DOWN, hand=None) for n, pose in laid.items()}
        who = d.dealers(d.plan.places[name][0]) if by == "dealer" else name
        self._look_at(tiles, name, who)
        d.carry(list(poses), list(poses.values()), d.s(0.7), who=who)

    def _look_at(self, tiles: Sequence[int], name: str, who: str) -> None:
        d = self._d
        x, y, _ = d.plan.places[name]
        start = d.now + d.s(0.3)
        seconds = d.s(1.2)
        d.reach(who, (start, x, y), (start + seconds, x + d.off(8), y + d.off(8)))
        for n in tiles:
            pose = replace(d.pose(n), x=x + d.off(18), y=y + d.off(14), angle=d.pose(n).angle + d.off(0.3))
            d.go(n, start, seconds, pose)
        d.now = start + seconds

    def _set_own(self, box: int) -> None:
        """Players set their hands at the same time, each in their own."""
        d = self._d
        if self._until <= self._since:
            self._since = d.now
        d.now = self._since + float(d.rng.uniform(0.2, 1.8)) * d.pace
        self.set(box, "player")
        self._until = max(self._until, d.now)

    # Opening

    def _truth_of(self, box: int) -> HandTruth:
        name = place_of(box, self.course.bank_box)
        if name not in self._truth.hands:
            bank = box == self.course.bank_box
            by = "dealer" if bank or box in self.course.asked else "player"
            whose = Whose.HOUSE if bank else Whose.PLAYER
            self._truth.hands[name] = HandTruth(name, box, tuple(self._tiles[box]), by, whose)
        return self._truth.hands[name]

    def bank_exposed(self) -> None:
        """Open the bank's hand."""
        if self._mistake == "exposed-before-bank":
            self._early()
        self._expose(self.course.bank_box)

    def hand_set(self, event: HandSet) -> None:
        """Let whoever does it set a hand."""
        if event.by == DEALER:
            self.set(event.box, "dealer")
        else:
            self._set_own(event.box)

    def _expose(self, box: int) -> None:
        """Open a hand; where it was not set before, set it at the same time."""
        d, name, tiles = self._d, place_of(box, self.course.bank_box), self._tiles[box]
        px, py, turn = d.plan.places[name]
        who, setting = d.dealers(px), self._laid(box)
        if box in self._set_so:
            laid = self._set_so[box]
            d.turn(laid, who)
        else:
            row = {}
            for k, n in enumerate(sorted(tiles, key=lambda n: -d.pose(n).z)):
                off = (k - 1.5) * 27.5
                x, y = px + off * float(np.cos(turn)), py + off * float(np.sin(turn))
                row[n] = Pose(x, y, 0.0, d.upright() + turn, UP, name)
            d.turn(row, who)
            d.now += d.s(0.8)
            laid = d.lay(name, setting, tiles, self._faces)
            d.carry(list(laid), list(laid.values()), d.s(0.7))
        self._open.add(box)
        self._laid_open(box, laid)
        wrong = self._wrong
        if box == wrong.box and wrong.laid is not None and wrong.right is not None:
            since = d.now
            if self._mistake == "house-set-wrong-corrected":
                d.now += d.s(1.2)
                laid = d.lay(name, wrong.right, tiles, self._faces)
                d.carry(list(laid), list(laid.values()), d.s(0.8))
                self._laid_open(box, laid)
                self._happened("corrected", {"place": name}, None)
            self._went_wrong(str(self._mistake), since, place=name, laid=str(wrong.laid), right=str(wrong.right))
        d.now += d.s(0.5)

    def _laid_open(self, box: int, laid: dict[int, Pose]) -> None:
        """Write down how a hand lies now, by the faces that show."""
        faces = self._truth.faces
        low, high = (
            tuple(Tile.parse(faces[n]) for n, pose in laid.items() if pose.hand == hand) for hand in ("low", "high")
        )
        pair = (low[0], low[1]), (high[0], high[1])
        setting = Setting.of(Hand.of(low), Hand.of(high))
        self._truth_of(box).lays.append(TrueLay(self._d.now, *pair, setting))
        if self._wrong.foreign is not None and box == self._wrong.box:
            place = place_of(box, self.course.bank_box)
            self._went_wrong("foreign-tile", self._d.now, place=place, face=self._wrong.foreign[1])

    def _early(self) -> None:
        """Open a hand whose turn it is not."""
        box = self._wrong.box
        if box is not None and box not in self._open:
            self._expose(box)
            data: dict[str, object] = {"place": place_of(box, self.course.bank_box)}
            self._happened("hand-exposed", data, None)
            self._went_wrong(str(self._mistake), self._truth_of(box).lays[-1].t_s, **data)

    def hand_exposed(self, box: int) -> None:
        """Open a player's hand, unless it lies open already."""
        if self._mistake == "exposed-out-of-turn" and box != self._wrong.box:
            self._early()
        if box not in self._open:
            self._expose(box)

    def match(self, box: int) -> None:
        """Match a hand with the bank's."""
        d = self._d
        d.now += d.s(1.8)
        if self._mistake == "tiles-swapped" and box == self._wrong.box:
            self._swap(box)

    def _swap(self, box: int) -> None:
        """Let two tiles of an open hand change places."""
        d, hand = self._d, self._truth_of(box)
        lay = hand.lays[-1]
        (one, kept), (other, stays) = lay.low, lay.high
        low, high = (other, kept), (one, stays)
        a, b = self._named(box, one, "low"), self._named(box, other, "high")
        pose_a, pose_b = d.pose(a), d.pose(b)
        since = d.now
        d.carry([a], [pose_b], d.s(0.5))
        d.carry([b], [pose_a], d.s(0.5))
        hand.lays.append(TrueLay(d.now, low, high, Setting.of(Hand.of(low), Hand.of(high))))
        d.now += d.s(1.5)
        self._happened("tiles-swapped", {"place": hand.place}, None)
        self._went_wrong("tiles-swapped", since, place=hand.place, faces=[str(one), str(other)])

    def _named(self, box: int, face: Tile, lay: str) -> int:
        return next(n for n in self._tiles[box] if self._truth.faces[n] == str(face) and self._d.pose(n).hand == lay)

    # The end

    def pay(self) -> None:
        """Reach to each box with a wager."""
        d = self._d
        for box in self.course.played:
            x, y, _ = d.plan.boxes[f"box{box}"]
            start = d.now + d.s(0.25)
            d.reach(d.dealers(x), (start, x, y - 15), (start + d.s(0.3), x, y - 10))
            d.now = start + 0.4

    def away(self, box: int) -> None:
        """Put a hand away."""
        self._truth_of(box).away_s = self._d.now
        self._d.put_away(self._tiles[box])


_ACTS: Final[dict[type[Event], Callable[[_Round, Any], None]]] = {
    TilesChecked: lambda scene, _: scene.check(),
    Shuffled: lambda scene, _: scene.shuffle(),
    Stacked: lambda scene, _: scene.stack(),
    DiceShaken: lambda scene, _: scene.shake(),
    DiceShown: lambda scene, _: scene.show_dice(),
    TilesDelivered: lambda scene, event: scene.deliver(event),
    EmptyRetrieved: lambda scene, event: scene.retrieve(event.boxes),
    BankMoved: lambda scene, _: scene.move_bank(),
    HouseWayRequested: lambda scene, event: scene.ask(event.box),
    HandSet: lambda scene, event: scene.hand_set(event),
    BankSet: lambda scene, _: scene.set(scene.course.bank_box, "dealer"),
    BankExposed: lambda scene, _: scene.bank_exposed(),
    HandExposed: lambda scene, event: scene.hand_exposed(event.box),
    HandMatched: lambda scene, event: scene.match(event.box),
    Settled: lambda scene, _: scene.pay(),
    TilesPutAway: lambda scene, event: scene.away(event.box),
    BankPutAway: lambda scene, _: scene.away(scene.course.bank_box),
}
"""How each kind of event is shown; one that is only said takes a moment."""

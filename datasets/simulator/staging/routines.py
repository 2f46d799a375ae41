"""Dealer routines common to all rounds: check, mix and stack the tiles, shake the cup, pay."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.spatial.transform import Rotation

from calibration.table.places import Place, PlaceKind
from datasets.scenes import sampling as sample
from datasets.scenes.scene import DISH_FLOOR_MM
from datasets.simulator.layouts import button_spot, chung_spot, stack_spot, wash_spot
from datasets.simulator.staging.animation import DOWN, REACH_S, Animator, middle_of
from datasets.simulator.timeline import MarkerKeyframes, TilePose
from engine.vocabulary.facts import Bank

if TYPE_CHECKING:
    from collections.abc import Sequence

    from datasets.scenes.sampling import Rng
    from datasets.scenes.scene import DieObject
    from datasets.simulator.staging.animation import HandOwner
    from datasets.simulator.staging.course import ThrownDice

CUP_ASIDE_MM: Final = 135.0
"""How far beside the dice the cup's cover is set down."""
_ROLL_STEP_S: Final = 1 / 240
"""Time between two positions of rolling dice."""


def check(animator: Animator) -> None:
    """Check the tiles, which all lie open."""
    animator.now += animator.s(2.5)


def shuffle(animator: Animator, faces: Sequence[str]) -> None:
    """Turn all tiles down and mix them; afterwards they bear these faces."""
    rng = animator.rng
    tiles = range(32)
    for tile, face in enumerate(faces):
        track = animator.line.tracks[tile]
        if track.faces[-1][1] != face:
            # All lie face down by then; before, the set was whole.
            track.faces.append((animator.now + 4.0, face))
    up = [n for n in tiles if animator.pose(n).face_up]
    for k in range(0, len(up), 8):
        some = up[k : k + 8]
        start = animator.now + animator.s(0.2)
        x, y = middle_of([animator.pose(n) for n in some])
        animator.reach(animator.dealers(x), (start, x - 60, y), (start + 0.6, x + 60, y))
        for j, n in enumerate(some):
            animator.go(n, start + 0.04 * j, 0.3, replace(animator.pose(n), roll=DOWN, place=None))
        animator.now = start + 0.62
    order = sorted(tiles, key=lambda n: (-animator.pose(n).z, animator.pose(n).x))
    cells = list(rng.permutation(32))
    start = animator.now + animator.s(0.2)
    for k, n in enumerate(order):
        animator.go(n, start + 0.03 * k, 0.7, _washed(animator, cells[k]))
    x, y = middle_of([animator.pose(n) for n in tiles])
    animator.reach("dealer-left", (start, x - 80, y - 30), (start + 1.6, -180, -60))
    animator.reach("dealer-right", (start, x + 80, y - 30), (start + 1.6, 180, -60))
    animator.now = start + 1.7
    for wave in range(int(rng.integers(3, 5))):
        cells = list(rng.permutation(32))
        start = animator.now + 0.02
        seconds = animator.s(0.9)
        for n in tiles:
            animator.go(n, start, seconds, _washed(animator, cells[n]))
        swing = 120 if wave % 2 else -120
        animator.reach("dealer-left", (start, -200 + swing, -40), (start + seconds, -200 - swing, 20))
        animator.reach("dealer-right", (start, 200 + swing, 20), (start + seconds, 200 - swing, -40))
        animator.now = start + seconds


def _washed(animator: Animator, cell: int) -> TilePose:
    x, y = wash_spot(int(cell))
    return TilePose(x + animator.off(5), y + animator.off(4), 0.0, animator.rng.uniform(0, 2 * np.pi), DOWN)


def stack(animator: Animator, order: Sequence[int]) -> None:
    """Make eight stacks of four, in this order of tiles."""
    for stack in range(8):
        poses = []
        for level in range(4):
            x, y, z = stack_spot(stack + 1, level + 1)
            poses.append(TilePose(x + animator.off(0.4), y + animator.off(0.5), z, animator.upright(), DOWN))
        four = order[stack * 4 : stack * 4 + 4]
        animator.carry(four, poses, animator.s(0.45), who=animator.dealers(poses[0].x))


def shake(animator: Animator, throw: ThrownDice, who: HandOwner | None = None) -> None:
    """Shake the cup over the dice until they show a throw; the dealer does it unless another is named."""
    cup = animator.line.cup
    x, y = animator.plan.dice_mm
    hand = who or animator.dealers(x)
    start = animator.now + animator.s(0.3)
    if cup.keys[-1][2:] != (x, y):
        cx, cy = cup.keys[-1][2:]
        cup.keys.append((start, start + 0.5, x, y))
        animator.reach(hand, (start, cx, cy), (start + 0.5, x, y))
        start += 0.6
    seconds = max(0.9, animator.s(1.6))
    cup.shaking.append((start, start + seconds))
    animator.reach(hand, (start, x, y - 10), (start + seconds, x, y - 10))
    dice = animator.throw_of(throw.box_dice, throw.cut_die, throw.cocked)
    animator.line.dice.append((start + seconds / 2, dice))
    animator.now = start + seconds


def show_dice(animator: Animator) -> None:
    """Lift the cover off and set it down beside."""
    x, y = animator.plan.dice_mm
    aside = x - float(np.sign(x)) * CUP_ASIDE_MM, y + 30.0
    start = animator.now + animator.s(0.5)
    animator.line.cup.keys.append((start, start + 0.5, *aside))
    animator.reach(animator.dealers(x), (start, x, y - 10), (start + 0.5, aside[0], aside[1] - 10))
    animator.now = start + 0.5 + REACH_S * animator.pace + animator.s(1.2)


def roll(animator: Animator, throw: ThrownDice) -> None:
    """Take the dice up and roll them out of the hand into the cup's base."""
    rng, line = animator.rng, animator.line
    x, y = animator.plan.dice_mm
    hand = animator.dealers(x)
    taken = animator.now + animator.s(0.4)
    line.dice.append((taken, ()))
    from_x, from_y = x - float(np.sign(x)) * rng.uniform(170, 270), y + rng.uniform(-20, 90)
    released = taken + animator.s(0.8)
    animator.reach(hand, (taken, x, y), (released, from_x, from_y))
    animator.leave(hand)
    dice = animator.throw_of(throw.box_dice, throw.cut_die, throw.cocked)
    rolls = [_Roll.drawn(rng, die, from_x + rng.uniform(-18, 18), from_y + rng.uniform(-18, 18)) for die in dice]
    longest_s = max(roll.seconds for roll in rolls)
    for since_s in np.arange(0.0, longest_s, _ROLL_STEP_S).tolist():
        line.dice.append((released + since_s, tuple(roll.at(since_s) for roll in rolls)))
    line.dice.append((released + longest_s, dice))
    animator.now = released + longest_s + animator.s(1.2)


@dataclass(frozen=True, slots=True)
class _Roll:
    """How a die rolls and hops to where it lies."""

    die: DieObject
    from_mm: tuple[float, float]
    seconds: float
    turns: float
    hops: float
    hop_mm: float

    @classmethod
    def drawn(cls, rng: Rng, die: DieObject, x: float, y: float) -> _Roll:
        seconds, turns = rng.uniform(0.5, 1.1), rng.uniform(1.5, 4)
        return cls(die, (x, y), seconds, turns, rng.uniform(1.5, 4), rng.uniform(20, 60))

    def at(self, since_s: float) -> DieObject:
        left = 1 - since_s / self.seconds
        if left <= 0:
            return self.die
        way = np.array(self.from_mm) - (self.die.x_mm, self.die.y_mm)
        axis = np.array([-way[1], way[0], 0.0]) / np.hypot(*way)
        r = (Rotation.from_rotvec(2 * np.pi * self.turns * left**1.5 * axis)).as_matrix() @ self.die.r
        lowest = float(np.abs(r[2]).sum()) * self.die.style.side_mm / 2
        hop = self.hop_mm * left**2 * abs(np.cos(np.pi * self.hops * (1 - left)))
        x, y = (np.array((self.die.x_mm, self.die.y_mm)) + way * left**2).tolist()
        return replace(self.die, r=r, x_mm=x, y_mm=y, z_mm=DISH_FLOOR_MM + lowest + hop)


def pay(animator: Animator, boxes: Sequence[int]) -> None:
    for box in boxes:
        x, y, _ = animator.plan.boxes[Place(PlaceKind.BOX, box)]
        start = animator.now + animator.s(0.25)
        animator.reach(animator.dealers(x), (start, x, y - 15), (start + animator.s(0.3), x, y - 10))
        animator.now = start + 0.4


def move_chung(animator: Animator, box: int, method: Bank) -> None:
    """Lay the chung at the banker's box, as the bank is held, unless it lies so already or never moves."""
    markers = animator.line.markers
    lies = markers[0].keys[-1][2] if markers else None
    x, y = chung_spot(animator.plan, box)
    own = Place(PlaceKind.BOX, box)
    co_bank = method is Bank.CO_BANK
    means, text = ("chung_co_bank", "CO") if co_bank else ("chung", "BANK")
    place = str(own) if own in animator.plan.boxes else ""
    if lies is None or (lies.x_mm, lies.y_mm, lies.means) == (x, y, means):
        animator.now += animator.s(0.15)
        return
    start = animator.now + animator.s(0.2)
    end = start + animator.s(0.6)
    animator.reach(animator.dealers(x), (start, lies.x_mm, lies.y_mm), (end, x, y))
    markers[0].keys.append((start, end, replace(lies, x_mm=x, y_mm=y, means=means, text=text, place=place)))
    animator.now = end


def place_button(animator: Animator, box: int, value: int) -> None:
    """The banker lays the button that adjusts the delivery at his box."""
    x, y = button_spot(animator.plan, box)
    place = Place(PlaceKind.BOX, box)
    start = animator.now + animator.s(0.4)
    look = replace(sample.prop(animator.rng, "marker", x, y), text=f"{value:+d}", means=f"plus_minus{value:+d}")
    animator.line.markers.append(MarkerKeyframes([(start, start, replace(look, place=str(place)))]))
    animator.reach(place, (start - 0.1, x, y), (start + 0.2, x, y))
    animator.now = start + 0.2


def take_button(animator: Animator) -> None:
    """Take the button away, where one lies on the table."""
    last = animator.line.markers[-1] if animator.line.markers else None
    if last is None or not last.keys[0][2].means.startswith("plus_minus") or last.until_s <= animator.now:
        return
    x, y = last.keys[-1][2].x_mm, last.keys[-1][2].y_mm
    last.until_s = animator.now + animator.s(0.4)
    animator.reach(animator.dealers(x), (last.until_s - 0.1, x, y), (last.until_s + 0.1, x, y))
    animator.now = last.until_s + 0.1

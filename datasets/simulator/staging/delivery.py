"""The delivery of a round: four tiles to each place in the order of the cut, with delivery mistakes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from calibration.table.places import HOUSE, Place, PlaceKind
from datasets.scenes.scene import TILE_WIDTH_MM
from datasets.scenes.whole_table import face_down
from datasets.simulator.staging.animation import DOWN, UP, Animator
from datasets.simulator.staging.procedure import stands_late_s
from datasets.simulator.timeline import TilePose, poses_of
from datasets.simulator.truth import Happening, RoundTruth

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from datasets.simulator.staging.mistakes import Planned

_TOGETHER_MM = 2.0 * TILE_WIDTH_MM + 6.0
"""How far from the middle of four tiles in two columns four others lie clear of them."""
_SEEN_S = 2.0
"""How long at least a tile lies at the wrong box once all are delivered."""
_BESIDE_MM = 1.5 * TILE_WIDTH_MM + 6.0
"""How far from the middle of four tiles in two columns a fifth lies clear of them."""


def dealt_poses(animator: Animator, faces: Sequence[str], place: Place) -> list[TilePose]:
    """How four tiles lie after dealing: face down in two columns."""
    x, y, _ = animator.plan.places[place]
    return poses_of(face_down(animator.rng, faces, (x, y), 2, place), DOWN)


@dataclass(slots=True)
class Delivery:
    """Deals a round's tiles.

    Attributes:
        tiles: numbers of the four tiles of each place.
        faces: what the 32 tiles bear.
    """

    animator: Animator
    planned: Planned
    truth: RoundTruth
    tiles: Mapping[int, Sequence[int]]
    faces: Sequence[str]
    _right: TilePose | None = None
    _since_s: float = 0.0

    def place_of(self, box: int) -> Place:
        """Where a box's tiles are dealt: the bank's to its own box too, where it has one."""
        own = Place(PlaceKind.BOX, box)
        return own if own in self.animator.plan.places else HOUSE

    def deliver(self) -> None:
        """Slide four tiles to each place."""
        self._since_s = self.animator.now
        for box in self.truth.course.dealt.delivered:
            self._deal_to(box)
            self.truth.dealt_s[box] = self.animator.now
        self._write_down()

    def _deal_to(self, box: int) -> None:
        animator, tiles, place, made = self.animator, self.tiles[box], self.place_of(box), self.planned
        x, y, _ = animator.plan.places[place]
        poses = dealt_poses(animator, [self.faces[n] for n in tiles], place)
        mistake = made.kind if box == made.box else None
        tile, right = tiles[3], poses[3]
        if mistake == "dealt-together" and made.at is not None:
            poses = self._together(made.at, toward_x=x, poses=poses)
        if mistake == "tile-shown":
            poses[3] = replace(right, roll=UP)
        elif mistake == "tile-to-wrong-box" and made.at is not None:
            self._right = right
            poses[3] = self._beside(made.at, toward_x=x)
        # The topmost tiles of a stack are taken first and come to lie lowest.
        animator.carry(tiles, poses, animator.s(0.55), who=animator.dealers(x))
        if mistake == "tile-shown":
            since = animator.now
            animator.now += animator.s(1.0)
            animator.go(tile, animator.now, 0.3, right)
            animator.reach(animator.dealers(x), (animator.now, x, y), (animator.now + 0.3, x, y))
            animator.now += 0.3
            self._went_wrong(since, animator.now, place=str(place), face=self.faces[tile], tile=tile)

    def _beside(self, box: int, toward_x: float) -> TilePose:
        """Where a fifth tile lies at a box: beside its four, on the side of the box it belongs to."""
        place = self.place_of(box)
        x, y, _ = self.animator.plan.places[place]
        aside = _BESIDE_MM if toward_x > x else -_BESIDE_MM
        return TilePose(x + aside, y + self.animator.off(1.0), 0.0, self.animator.upright(), DOWN, place)

    def _together(self, box: int, toward_x: float, poses: Sequence[TilePose]) -> list[TilePose]:
        """Where the tiles of an empty box lie beside those of another."""
        place = self.place_of(box)
        x, y, _ = self.animator.plan.places[place]
        aside = _TOGETHER_MM if toward_x > x else -_TOGETHER_MM
        middle = np.mean([pose.x for pose in poses]), np.mean([pose.y for pose in poses])
        return [
            replace(pose, x=float(pose.x - middle[0] + x + aside), y=float(pose.y - middle[1] + y), place=place)
            for pose in poses
        ]

    def put_right(self) -> None:
        """Bring a tile that was laid at the wrong box to its own, once all are delivered and it was to be seen."""
        animator, box, right = self.animator, self.planned.box, self._right
        if box is None or right is None:
            return
        tile = self.tiles[box][3]
        animator.now += _SEEN_S + animator.s(0.8)
        until_s = animator.now
        animator.carry([tile], [right], animator.s(0.5))
        place, at = str(self.place_of(box)), self.planned.at
        self.truth.happenings.append(Happening(animator.now, "corrected", {"place": place}))
        self._went_wrong(
            self.truth.dealt_s[box], until_s, place=place, boxes=[box, at], box=box, at=at, tile=tile, tiles=[[tile]]
        )

    def _went_wrong(self, since_s: float, until_s: float, /, **data: object) -> None:
        self.truth.went_wrong(str(self.planned.kind), since_s, until_s, **data)

    def _of(self, boxes: Sequence[int]) -> list[list[int]]:
        return [list(self.tiles[box]) for box in boxes]

    def _write_down(self) -> None:
        """Write down a mistake or an exception that concerns the delivery as a whole."""
        dealt, planned = self.truth.course.dealt, self.planned
        done_s = self.animator.now
        orders = {"due": list(dealt.order), "dealt": list(dealt.delivered)}
        match self.planned.kind:
            case "leaning-die-not-reshaken":
                throw = dealt.throws[-1]
                shown = {"box_dice": list(throw.box_dice), "cut_die": throw.cut_die, "leans": throw.cocked}
                self._went_wrong(self._since_s, done_s, boxes=[dealt.first_box], **shown)
            case "wrong-first-box":
                first = dealt.delivered[0]
                boxes = [dealt.first_box, first]
                self._went_wrong(self.truth.dealt_s[first], done_s, boxes=boxes, tiles=self._of(boxes), **orders)
            case "wrong-delivery-order":
                pair = [due for due, given in zip(dealt.order, dealt.delivered, strict=True) if due != given]
                first_s, last_s = sorted(self.truth.dealt_s[box] for box in pair)
                self._went_wrong(first_s, last_s, boxes=pair, tiles=self._of(pair), **orders)
            case "dealt-together" if planned.box is not None and planned.at is not None:
                since_s = self.truth.dealt_s.pop(planned.box)
                self.truth.excepted("dealt-together", since_s, done_s, box=planned.box, at=planned.at)
            case "other-cut":
                cuts = {"cut_die": dealt.throws[-1].cut_die, "due": dealt.cut, "made": dealt.made}
                self.truth.excepted("other-cut", self._since_s, done_s, **cuts, said=planned.said)
            case "cut-against-die":
                cuts = {"cut_die": dealt.throws[-1].cut_die, "due": dealt.cut, "made": dealt.made}
                late_s = round(stands_late_s(self.truth.course, self.truth.dealt_s), 3)
                self._went_wrong(self._since_s, done_s, **cuts, seen_s=late_s)

"""Disturbances of camera, light and lens, and sleeves over open hands."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.spatial.transform import Rotation

from calibration.table.places import HOUSE, Place, PlaceKind
from datasets.scenes.sampling import Rng, pick
from datasets.simulator.timeline import Disturbance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from datasets.scenes.scene import CameraModel
    from datasets.simulator.staging.animation import Animator
    from datasets.simulator.truth import RoundTruth

DISTURBANCES: Final = {
    "camera-nudged": "the camera is knocked a little to the side and put back at the end of the round",
    "lamp-change": "a lamp fails or another comes on for a while",
    "lens-covered": "something covers a part of the lens, or all of it",
    "defocused": "the focus is lost for a while",
    "sleeve": "a hand rests over an open hand",
}
"""Disturbances of the camera and its view, by kind."""


def disturb(rng: Rng, animator: Animator, truth: RoundTruth, kinds: Sequence[str], rate: float) -> list[Disturbance]:
    """Disturb a round in a share `rate` of cases, by one of some kinds."""
    if not kinds or rng.random() >= rate:
        return []
    kind = str(rng.choice(kinds))
    start = rng.uniform(truth.start_s + 1, truth.end_s - 6)
    end = start + rng.uniform(1.5, 5)
    match kind:
        case "camera-nudged":
            camera, data = _nudged(rng, animator.line.setup.bare.camera)
            animator.line.nudged[start] = camera
            return [Disturbance(kind, start, truth.end_s, data)]
        case "lamp-change":
            gain = float(rng.choice([rng.uniform(0.15, 0.6), rng.uniform(1.3, 1.9)]))
            tint = np.exp(rng.normal(0, 0.08, 3))
            return [Disturbance(kind, start, end, {"gain": [round(float(v), 4) for v in gain * tint]})]
        case "lens-covered":
            whole = rng.random() < 0.3
            cover = [0.5, 0.28, 1.2] if whole else [float(v) for v in rng.uniform((0, 0, 0.1), (1, 0.56, 0.4))]
            return [Disturbance(kind, start, end, {"cover": cover, "whole": whole})]
        case "defocused":
            return [Disturbance(kind, start, end, {"blur_px": rng.uniform(3, 9)})]
        case _:
            return _sleeve(rng, animator, truth)


def _nudged(rng: Rng, camera: CameraModel) -> tuple[CameraModel, dict[str, object]]:
    """Knock the camera a little; return it and how far the middle of the table moves in the picture."""
    shift, turn = rng.normal(0, 4, 3) * (1, 1, 0.5), rng.normal(0, np.deg2rad(0.25), 3)
    r = Rotation.from_rotvec(turn).as_matrix() @ camera.r
    moved = replace(camera, r=r, t=-r @ (camera.position_mm + shift))
    middle = r @ -(camera.position_mm + shift)
    old = camera.t
    off_mm = (middle[:2] / middle[2] - old[:2] / old[2]) * old[2]
    data = {"shift_mm": [round(float(v), 3) for v in shift], "off_mm": round(float(np.hypot(*off_mm)), 2)}
    return moved, data


def _sleeve(rng: Rng, animator: Animator, truth: RoundTruth) -> list[Disturbance]:
    """A player's hand rests over a hand that lies open."""
    hands = [hand for hand in truth.exposed if hand.away_s is not None and hand.away_s - hand.lays[0].t_s > 4]
    if not hands:
        return []
    hand = pick(rng, hands)
    start = hand.lays[0].t_s + rng.uniform(0.6, 1.2)
    end = min(start + rng.uniform(1.5, 4), (hand.away_s or start) - 0.5)
    x, y, _ = animator.plan.places[hand.place]
    who = hand.place
    if who == HOUSE:
        who = Place(PlaceKind.BOX, int(rng.integers(1, len(animator.plan.boxes) + 1)))
    animator.rest(who, start, end, x + rng.normal(0, 15), y - 40)
    return [Disturbance("sleeve", start, end, {"place": str(hand.place)})]

"""Refitting the last layer to a table's own crops while preserving prior behaviour.

Multinomial logistic regression, fitted with L-BFGS (Byrd et al. 1995). Shipped crops of other manufacturers are
replayed with the previous model's answers as targets ("learning without forgetting", Li and Hoiem 2016, arXiv
1606.09282), and a quadratic penalty holds the weights near their previous values. Without new crops the start is the
optimum.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from vision.learning.last_layer import LastLayer, softmax

if TYPE_CHECKING:
    from vision.arrays import Chances, Floats, Indices, TileCrops

VIEWS: Final = 16
"""Augmented views of each of the table's own crops: shifted, scaled, rotated, relit, either way round."""
REPLAYED_VIEWS: Final = 8
"""The same for each shipped crop: more of them reduce forgetting."""
KEPT_SHARE: Final = 0.2
"""Weight of the table's own crops; the rest is for the replayed ones."""
PULL: Final = 0.0003
"""Strength of the quadratic penalty, per squared change of a logit by a typical feature. These four were chosen on
simulated tables.
"""
_STEPS: Final = 80
_ENOUGH: Final = 1e-6
"""Relative decrease of the loss per step at which fitting stops: the answers no longer change."""
_SHIFT_PX: Final = (2.0, 3.0)
_TURN_DEG: Final = 2.5
_SCALE: Final = 0.05


@dataclass(frozen=True, eq=False, slots=True)
class Lesson:
    """Features and targets.

    Attributes:
        features: (n, features).
        target: (n, 22) chances.
    """

    features: Floats
    target: Chances


def one_hot(classes: Indices, count: int) -> Chances:
    return np.eye(count, dtype=np.float32)[classes]


def refit(before: LastLayer, own: Lesson, replayed: Floats) -> LastLayer:
    """Refit the last layer to the table's own crops, preserving the answers for replayed features (n, features).

    Args:
        before: the initial layer, which the result stays close to.
        own: crops of the table.
        replayed: features of other crops.
    """
    features = np.concatenate([own.features, replayed])
    target = np.concatenate([own.target, before.chances(replayed)])
    weight = np.concatenate(
        [_even(len(own.features), KEPT_SHARE), _even(len(replayed), 1 - KEPT_SHARE if len(own.features) else 1.0)]
    )
    shape, temperature = before.weight.shape, np.float32(before.temperature)
    # A weight on a strong feature has more effect on a logit, so it is penalised more.
    strength = PULL * np.square(features).mean(0) / before.temperature**2
    start = np.concatenate([before.weight.ravel(), before.bias]).astype(np.float64)

    def cost(flat: Floats) -> tuple[float, Floats]:
        weights, bias = flat[: -shape[0]].reshape(shape).astype(np.float32), flat[-shape[0] :].astype(np.float32)
        chances = softmax((features @ weights.T + bias) / temperature)
        moved = weights - before.weight
        loss = -float((weight * (target * np.log(chances + 1e-12)).sum(1)).sum())
        loss += 0.5 * float((strength * moved * moved).sum())
        error = weight[:, None] * (chances - target) / temperature
        gradient = error.T @ features + strength * moved
        return loss, np.concatenate([gradient.ravel(), error.sum(0)]).astype(np.float64)

    # Multiple threads would spin while waiting, using cores needed by a camera.
    with threadpool_limits(1, "blas"):
        found = minimize(cost, start, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS, "ftol": _ENOUGH})
    flat = found.x.astype(np.float32)
    return LastLayer(flat[: -shape[0]].reshape(shape), flat[-shape[0] :], before.temperature)


def between(before: LastLayer, after: LastLayer, share: float) -> LastLayer:
    """Linear interpolation between two layers, 0 the first, 1 the second (Wortsman et al. 2022, arXiv 2109.01903)."""
    weight = before.weight + np.float32(share) * (after.weight - before.weight)
    return LastLayer(weight, before.bias + np.float32(share) * (after.bias - before.bias), before.temperature)


def _even(count: int, share: float) -> Floats:
    return np.full(count, share / max(count, 1), np.float32)


def views(crops: TileCrops, count: int) -> TileCrops:
    """Return `count` augmented views of each crop (n, 96, 48, 3), (n * count, 96, 48, 3), the first unchanged."""
    rng = np.random.default_rng(0)
    return np.stack(
        [view for crop in crops for view in (crop, *(_augmented_view(crop, rng) for _ in range(count - 1)))]
    )


def _augmented_view(crop: TileCrops, rng: np.random.Generator) -> TileCrops:
    height, width = crop.shape[:2]
    angle_deg, scale = float(rng.uniform(-_TURN_DEG, _TURN_DEG)), float(np.exp(rng.normal(0, _SCALE)))
    turn = cv2.getRotationMatrix2D(((width - 1) / 2, (height - 1) / 2), angle_deg, scale)
    turn[:, 2] = turn[:, 2] + rng.uniform(-1, 1, 2) * _SHIFT_PX
    moved = cv2.warpAffine(crop, turn, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    if rng.random() < 0.5:
        moved = moved[::-1, ::-1]  # a tile has no upper end
    if rng.random() < 0.3:
        moved = cv2.GaussianBlur(moved, (0, 0), float(rng.uniform(0.4, 0.9)))
    gain = np.exp(rng.normal(0, 0.2)) * np.exp(rng.normal(0, 0.04, 3))
    lit = moved * gain + rng.normal(0, 8) + rng.normal(0, rng.uniform(0, 6), moved.shape)
    return np.asarray(np.clip(lit, 0, 255), np.uint8)

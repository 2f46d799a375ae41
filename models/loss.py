"""Losses of the four networks."""

import torch
from torch import Tensor
from torch.nn import functional as nnf

CHANNEL_WEIGHTS = (1.0, 1.0, 2.0, 2.0, 1.0, 1.0, 0.3, 0.3, 0.3, 0.3)
"""Of offset, log size, angle and body; sizes count double because the octave of the picture hangs on them."""


def heat_loss(logits: Tensor, heat: Tensor, counts: Tensor) -> Tensor:
    """Return the penalty-reduced focal loss of the heat map (CornerNet, arXiv 1808.01244, equation 1).

    Args:
        logits: (n, 3, g, g).
        heat: (n, 3, g, g); one at centres.
        counts: (n, g, g); zero where nothing counts.
    """
    centre = heat.eq(1.0).float()
    chance = torch.sigmoid(logits)
    hit = nnf.logsigmoid(logits) * (1.0 - chance) ** 2 * centre
    miss = nnf.logsigmoid(-logits) * chance**2 * (1.0 - heat) ** 4 * (1.0 - centre)
    return -((hit + miss) * counts[:, None]).sum() / centre.sum().clamp(min=1.0)


def regression_loss(values: Tensor, truth: Tensor, weight: Tensor) -> Tensor:
    """Return the mean absolute error about the centres, summed over the weighted channels.

    Args:
        values: (n, 10, g, g).
        truth: (n, 10, g, g).
        weight: (n, 10, g, g); one where the truth is known.
    """
    error = ((values - truth).abs() * weight).sum(dim=(0, 2, 3)) / weight.sum(dim=(0, 2, 3)).clamp(min=1.0)
    return (error * torch.tensor(CHANNEL_WEIGHTS, device=error.device)).sum()


def move_loss(found: Tensor, move: Tensor) -> Tensor:
    """Return the sum of the mean absolute errors of the four numbers of moves (n, 4), where known (not NaN)."""
    known = move.isfinite()
    error = (found - torch.nan_to_num(move)).abs() * known
    return (error.sum(0) / known.sum(0).clamp(min=1)).sum()


def lean_loss(logit: Tensor, leans: Tensor) -> Tensor:
    """Return the binary cross entropy of leaning (n,) over the crops where it is known (0 or 1, not -1)."""
    known = (leans >= 0).float()
    total = nnf.binary_cross_entropy_with_logits(logit, leans.clamp(min=0).float(), known, reduction="sum")
    return total / known.sum().clamp(min=1.0)

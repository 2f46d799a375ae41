"""Initial weights for training from an exported network, if its checkpoint is lost.

An export folds every normalisation into the convolution before it. A training needs them apart again: each gets the
statistics of its convolution over some batches, and scales so that the network's outputs stay the same.
"""

from itertools import pairwise
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from models.tasks import Task

BATCHES = 8
QUANTISED = "_quantized"
"""End of the names that onnxruntime gives to quantised weights."""


class WarmStartError(ValueError):
    """An exported network that does not fit the task's network."""


class _Weights(dict[str, Tensor]):
    def __missing__(self, name: str) -> Tensor:
        raise WarmStartError(f"the file holds no {name}: it is of another network")


@torch.no_grad()
def init_from_export(task: Task, path: Path, seed: int = 0) -> nn.Module:
    """Return the task's network with the weights of an ONNX file written by ``models.export``.

    Missing input channels of the first convolution start at zero.

    Args:
        task: whose network to fill, and whose batches to measure statistics on.
        path: the ONNX file, in floats or quantised to eight bits (``models.quantise``).
        seed: of the batches.

    Raises:
        WarmStartError: a layer is missing or of another shape.
    """
    stored = _stored(onnx.load(path))
    network = task.network()
    pictures = [task.batch(np.random.default_rng((seed, number)))[0] for number in range(BATCHES)]
    for name, layer in network.named_modules():
        if isinstance(layer, nn.Conv2d | nn.Linear):
            for part, weights in layer.named_parameters():
                weights.copy_(_widened(stored[f"{name}.{part}"], weights, name))
    network.eval()
    for name, norm in _norms_after(network):
        _unfold(network, norm, stored[f"{name}.weight_bias"], pictures)
    return network


def _stored(model: onnx.ModelProto) -> dict[str, Tensor]:
    """Return the weights of an exported network by layer, quantised ones as floats again."""
    arrays = {
        part.name.removeprefix("network."): numpy_helper.to_array(part)
        for part in model.graph.initializer
        if part.name.startswith("network.")
    }
    for name in [name for name in arrays if name.endswith(QUANTISED)]:
        whole, plain = arrays.pop(name), name.removesuffix(QUANTISED)
        # A weight's scale bears the weight's own name, a bias's that of its quantised values.
        scale = arrays[f"{name}_scale" if f"{name}_scale" in arrays else f"{plain}_scale"]
        arrays[plain] = whole.astype(np.float32) * scale.reshape(-1, *[1] * (whole.ndim - 1))
    return _Weights({name: torch.from_numpy(array.copy()) for name, array in arrays.items()})


def _widened(weights: Tensor, wanted: Tensor, name: str) -> Tensor:
    """Return the weights with zeros for input channels that are new."""
    if weights.shape == wanted.shape:
        return weights
    more = wanted.shape[1] - weights.shape[1] if weights.ndim == wanted.ndim == 4 else -1
    if more < 0 or weights.shape[0] != wanted.shape[0] or weights.shape[2:] != wanted.shape[2:]:
        raise WarmStartError(f"{name} has the shape {tuple(weights.shape)}, not {tuple(wanted.shape)}")
    return torch.cat([weights, wanted.new_zeros(len(weights), more, *wanted.shape[2:])], 1)


def _norms_after(network: nn.Module) -> list[tuple[str, nn.BatchNorm2d]]:
    """Return each normalisation with the name of the convolution before it, in the order they are passed."""
    layers = [(name, layer) for name, layer in network.named_modules() if isinstance(layer, nn.Conv2d | nn.BatchNorm2d)]
    return [(name, norm) for (name, _), (_, norm) in pairwise(layers) if isinstance(norm, nn.BatchNorm2d)]


def _unfold(network: nn.Module, norm: nn.BatchNorm2d, bias: Tensor, pictures: list[Tensor]) -> None:
    """Set one normalisation so that it adds the bias and else changes nothing."""
    momentum = norm.momentum
    norm.reset_running_stats()
    norm.train()
    norm.momentum = None  # the mean over all batches
    for part in pictures:
        network(part)
    norm.momentum = momentum
    norm.eval()
    mean, variance = (stat.clone() for stat in (norm.running_mean, norm.running_var) if stat is not None)
    norm.weight.copy_((variance + norm.eps).sqrt())
    norm.bias.copy_(mean + bias)
